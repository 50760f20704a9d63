//! Explicit loss notification on the last hop of Yun 2009: each sender with its own notices and with those of
//! the link layer, the rate of losses that are not reported, and the delay of a notice (Yun 2009, Table 1).

use crate::common::trace::{Sent, numbers, offsets, on_air, traced, words};
use crate::common::{LastHop, run, served_by};
use airhop_net::Report;
use airhop_net::apps::TransferPlan;
use airhop_net::plan::{Plan, Transport};
use airhop_radio::cell::LinkErrors;
use airhop_radio::errors::ErrorPlan;
use airhop_tcp::seams::LossClass;
use airhop_tcp::{Config, NoticeHandling, Preset};
use airhop_trace::Table;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Returns the numbers of losses that the sender classified as wireless: those that the channel or a
/// collision caused, and all others.
fn wireless(r: &Report) -> (u64, u64) {
    let [queue, aqm, channel, collision, none] = r.flows[0].judgements[LossClass::Wireless as usize];
    (channel + collision, queue + aqm + none)
}

// Each scheme installs the service that sends its notices. In both directions and with each preset it
// receives notices of losses, and repairs these losses without a reduction of its window.
#[test]
fn every_notified_sender_repairs_losses_without_reduction() {
    for scheme in ["eln", "hack", "hack-fixed", "ewln", "tcp-eln", "lhp", "ll-elsn"] {
        for uplink in [false, true] {
            for preset in [Preset::Ns2, Preset::Rfc] {
                let hop = LastHop { scheme, uplink, preset, fer: 0.05, seconds: 30, ..LastHop::default() };
                let r = hop.run(1);
                let (right, wrong) = wireless(&r);
                let what = format!("{scheme}, uplink {uplink}, {preset:?}: {:?}", r.flows[0]);
                assert!(right > 50 && right > 4 * wrong, "{what}");
                assert!(r.flows[0].goodput_mbps > 0.3, "{what}");
            }
        }
    }
}

// Notices of LL-ELSN for four senders (Yun 2009 §5.3). The sender with the highest goodput differs from the
// others in two ways: it ignores the duplicate ACKs caused by its own retransmissions, and it reduces its
// window at most once per window of data.
#[test]
fn goodput_rises_from_hack_over_lhp_to_ll_elsn() {
    for uplink in [false, true] {
        let goodput = ["hack", "hack-fixed", "lhp", "ll-elsn"].map(|scheme| {
            let hop = LastHop { scheme, uplink, fer: 0.02, seconds: 60, ..LastHop::default() };
            let mut plan = hop.plan();
            plan.flows[0].services = served_by(&["elsn"]);
            let r = run(&plan, 1);
            let (right, wrong) = wireless(&r);
            assert!(right > 100 && right > 20 * wrong, "{scheme}, uplink {uplink}: {:?}", r.flows[0]);
            assert!(right + wrong <= r.flows[0].notices[0], "{scheme}: responses without a request");
            r.flows[0].goodput_mbps
        });
        assert!(goodput.is_sorted() && goodput[1] < 0.9 * goodput[2], "uplink {uplink}: {goodput:?}");
    }
}

/// Returns the results of a sender with the notices of LL-ELSN.
fn told(
    scheme: &'static str,
    preset: Preset,
    uplink: bool,
    fer: f64,
    notices: NoticeHandling,
    seed: u64,
) -> Report {
    let hop = LastHop {
        scheme,
        preset,
        uplink,
        fer,
        notices,
        control_mbps: 11.0,
        seconds: 30,
        ..LastHop::default()
    };
    let mut plan = hop.plan();
    plan.flows[0].services = served_by(&["elsn"]);
    run(&plan, seed)
}

// Beyond Yun 2009 §5.3: notices of LL-ELSN for modern senders with each kind of loss recovery. Wireless
// losses cause no reduction of the window. Of hundreds of such losses hardly any is classified as congestion,
// and only because a queue dropped its notice or its retransmission. At a loss rate of 5 % there are hardly
// more reductions than without bit errors; RACK causes a few, when it marks retransmissions lost whose ACKs
// were late.
#[test]
fn notified_senders_do_not_reduce_for_channel_losses() {
    let by_recovery = [
        ("newreno", Preset::Rfc),
        ("sack", Preset::Ns2),
        ("cubic", Preset::Rfc),
        ("veno", Preset::Rfc),
        ("eln-cubic", Preset::Linux),
        ("bbr", Preset::Linux),
    ];
    for (scheme, preset) in by_recovery {
        for uplink in [false, true] {
            let [clean, noisy] =
                [0.0, 0.05].map(|fer| told(scheme, preset, uplink, fer, NoticeHandling::Elsn, 1));
            let what = format!("{scheme}, uplink {uplink}, {preset:?}: {:?}", noisy.flows[0]);
            let (right, _) = wireless(&noisy);
            let [_, _, channel, collision, _] = noisy.flows[0].judgements[LossClass::Congestion as usize];
            assert!(right > 500 && right > 100 * (channel + collision), "{what}");
            assert!(
                noisy.flows[0].window_cuts <= clean.flows[0].window_cuts + 8,
                "{what}, clean {:?}",
                clean.flows[0]
            );
        }
    }
}

// At a loss rate of 3 % the notices multiply the goodput by five, compared with senders that ignore them. BBR
// has almost no benefit, because its window does not depend on losses.
#[test]
fn notices_increase_goodput_of_loss_based_senders() {
    for (scheme, preset, least, most) in [
        ("cubic", Preset::Linux, 5.0, 12.0),
        ("newreno", Preset::Ns2, 5.0, 12.0),
        ("bbr", Preset::Linux, 0.97, 1.06),
    ] {
        let goodput = |notices| -> f64 {
            let of = |seed| told(scheme, preset, false, 0.03, notices, seed).flows[0].goodput_mbps;
            (1..=4).map(of).sum()
        };
        let gain = goodput(NoticeHandling::Elsn) / goodput(NoticeHandling::Ignored);
        assert!((least..most).contains(&gain), "{scheme}: {gain}");
    }
}

// The notification service and the sender are chosen independently: a sender without ELN ignores the ELN bit
// that the base station sets.
#[test]
fn a_sender_without_eln_support_ignores_the_eln_bit() {
    let hop = LastHop { scheme: "newreno", fer: 0.02, seconds: 30, ..LastHop::default() };
    let mut plan = hop.plan();
    plan.flows[0].services = served_by(&["eln"]);
    assert_eq!(run(&plan, 1), run(&hop.plan(), 1));
}

// Over a split connection (Bakre and Badrinath 1995) every byte arrives once and in order. This is true even
// if the buffer of the proxy has room for only two segments, and if the wireless link loses updates of the
// receive window.
#[test]
fn a_split_connection_delivers_every_byte_once() {
    for (uplink, preset, buffer) in [
        (false, Preset::Ns2, 64.0),
        (true, Preset::Ns2, 64.0),
        (false, Preset::Rfc, 2.0),
        (true, Preset::Rfc, 2.0),
    ] {
        let hop = LastHop { scheme: "split", uplink, preset, fer: 0.1, seconds: 300, ..LastHop::default() };
        let mut plan = hop.plan();
        plan.flows[0].app = Arc::new(TransferPlan { bytes: 300_000 });
        if let Transport::Tcp { scheme, params, .. } = &mut plan.flows[0].transport {
            params.set(scheme, "buffer", buffer).expect("in range");
        }
        let f = &run(&plan, 1).flows[0];
        assert_eq!(f.delivered_bytes, 300_000, "uplink {uplink}, {preset:?}, {buffer}: {f:?}");
        assert!(f.completion_s.is_some());
    }
}

// An agent at the node of the proxy is between the proxy and the wireless link: snoop stores and retransmits
// the segments of the proxy. Snoop does not see the segments of the other connection. If it did, it could
// send them to a receiver that has not yet answered a SYN.
#[test]
fn snoop_serves_the_wireless_half_of_a_split_connection() {
    let hop = LastHop { scheme: "split", preset: Preset::Rfc, fer: 0.8, seconds: 20, ..LastHop::default() };
    let (mut repairs, mut late) = (0, 0);
    for seed in 1..=20 {
        let mut plan = hop.plan();
        plan.flows[0].services = served_by(&["snoop", "split"]);
        let tables = traced(&plan, seed).1;
        let column = |name| words(&tables, "packets", name);
        let (step, place, kind) = (column("step"), column("place"), column("kind"));
        let (made, base) = ("made", "bs");
        let time = numbers(&tables, "packets", "time_s");
        let at = |i: &usize, want: (&str, &str, &str)| (step[*i], place[*i], kind[*i]) == want;
        let opened =
            (0..time.len()).find(|i| at(i, ("delivered", base, "ack")) && column("flags")[*i] == "S.");
        let data: Vec<usize> = (0..time.len()).filter(|i| at(i, (made, base, "data"))).collect();
        let opened = opened.map_or(f64::INFINITY, |i| time[i]);
        assert!(data.iter().all(|&i| time[i] >= opened), "seed {seed}");
        late += usize::from(opened > 1.0);
        let seqs: BTreeSet<u64> = data.iter().map(|&i| offsets(&tables, "packets", "seq")[i]).collect();
        repairs += data.len() - seqs.len();
    }
    assert!(repairs > 0 && late > 0, "{repairs} repairs, {late} late handshakes");
}

// A split connection repairs the losses of the wireless link over a connection with a short round trip. On
// the downlink the sender never reacts to a wireless loss. When a hole in the data is filled, the proxy sends
// a burst into the wire, which can still overflow a queue.
#[test]
fn a_split_connection_hides_wireless_losses_from_the_sender() {
    let goodput = |scheme, uplink| {
        let r = LastHop { scheme, uplink, d_off_ms: 30, fer: 0.02, seconds: 60, ..LastHop::default() }.run(1);
        if scheme == "split" && !uplink {
            let wireless = r.flows[0].judgements.map(|causes| causes[2] + causes[3]);
            assert_eq!(wireless, [0; 3], "{r:?}");
        }
        r.flows[0].goodput_mbps
    };
    for uplink in [false, true] {
        let (split, newreno) = (goodput("split", uplink), goodput("newreno", uplink));
        assert!(split > 2.0 * newreno, "uplink {uplink}: {split} and {newreno}");
    }
}

/// Returns a plan of a transfer with one segment in flight, over a channel with errors only in the direction
/// of the receiver. Every loss is therefore one of the channel, and every ACK arrives.
fn one_at_a_time(scheme: &'static str, segments: u64, fer: f64, d_off_ms: u64, seconds: u64) -> Plan {
    let mut plan = LastHop { scheme, seconds, d_off_ms, ..LastHop::default() }.plan();
    let model = ErrorPlan::FrameErrorRate { fer, reference_bits: REFERENCE_BYTES as u64 * 8 };
    plan.links.wlans[0].cell.errors = vec![LinkErrors { from: Some(0), to: Some(1), model }];
    if let Transport::Tcp { config, .. } = &mut plan.flows[0].transport {
        config.receive_window = segments * 1000;
    }
    plan
}

const REFERENCE_BYTES: f64 = 1076.0;

/// Returns the probability that `bytes` bytes contain an error.
fn hit(fer: f64, bytes: f64) -> f64 {
    1.0 - (1.0 - fer).powf(bytes / REFERENCE_BYTES)
}

/// Checks that a count is within four standard deviations of the mean of a binomial distribution, which fails
/// for one seed in 16 000. The seeds are fixed.
fn assert_share(part: u64, of: u64, p: f64, what: &str) {
    let (mean, deviation) = (of as f64 * p, (of as f64 * p * (1.0 - p)).sqrt());
    assert!(
        (part as f64 - mean).abs() < 4.0 * deviation,
        "{what}: {part} of {of}, expected {mean} +- {deviation}"
    );
}

/// Returns the number of segments that did not arrive, for a sender with one segment in flight; the last
/// segment may be in flight at the end.
fn lost(r: &Report) -> u64 {
    r.flows[0].sent_segments - r.flows[0].delivered_bytes / 1000
}

// P_f_header of Yun 2009, Table 1: the probability that HACK cannot report a loss, because the headers are
// damaged. The frame of a HACK segment has 36 + 40 + 4 bytes of headers and 1000 of payload; segments of EWLN
// have no option.
#[test]
fn hack_fails_with_the_probability_of_a_damaged_header() {
    for (scheme, option) in [("hack", 4.0), ("hack-fixed", 4.0), ("tcp-eln", 4.0), ("ewln", 0.0)] {
        let fer = 0.5;
        let r = run(&one_at_a_time(scheme, 1, fer, 1, 1000), 1);
        let (lost, told) = (lost(&r), r.flows[0].notices[0]);
        assert!(lost > 2000, "{scheme}: {r:?}");
        let failure = hit(fer, 76.0 + option) / hit(fer, 1076.0 + option);
        assert_share(lost - told, lost, failure, scheme);
    }
}

// P_f_frag of Yun 2009, Table 1: the probability that LHP cannot report a loss. A datagram of 1052 bytes is
// sent as fragments of 100, 256, 256, 256 and 184 bytes, each with 36 bytes of the link layer, and has five
// attempts in total. It arrives only if no attempt fails, and its headers are lost only if the first fragment
// fails five times. With timestamps each ACK is a round-trip sample, which keeps the timeout short.
#[test]
fn lhp_fails_with_the_probability_of_a_lost_first_fragment() {
    let fer = 0.97;
    let mut plan = one_at_a_time("lhp", 1, fer, 1, 1000);
    if let Transport::Tcp { config, .. } = &mut plan.flows[0].transport {
        *config = Config { receive_window: 1000, delayed_ack: None, ..Preset::Linux.config(1000) };
    }
    let r = run(&plan, 1);
    let (lost, told) = (lost(&r), r.flows[0].notices[0]);
    let arrive = (1.0 - hit(fer, 136.0)) * (1.0 - hit(fer, 292.0)).powi(3) * (1.0 - hit(fer, 220.0));
    let failure = hit(fer, 136.0).powi(5) / (1.0 - arrive);
    assert!(lost > 20_000 && failure > 0.004, "{lost} lost, {failure}: {r:?}");
    assert_share(lost - told, lost, failure, "lhp");
}

// "If a TCP packet is fragmented into several frames at the wireless link layer, ERSN is generated only for
// the first retransmission of a fragment while ELN is generated for the discard of the whole fragments" (Yun
// 2009 §3.1). A packet of five fragments causes one ERSN, at the first retry of any fragment, and one ELN for
// all its bytes if a fragment is discarded.
#[test]
fn a_fragmented_packet_causes_one_notice() {
    for (attempts, fer, several) in [(1, 0.3, 0), (2, 0.6, 20), (4, 0.8, 100)] {
        let mut plan = one_at_a_time("ll-elsn", 1, fer, 10, 60);
        let cell = &mut plan.links.wlans[0].cell;
        (cell.fragmentation_threshold, cell.max_attempts) = (Some(256), attempts);
        let (_, tables) = traced(&plan, 1);
        let air: Vec<Sent> = on_air(&tables).into_iter().filter(|f| f.packet == "data").collect();
        assert!(air.iter().all(|f| f.kind == "ack" || [256, 164].contains(&f.bytes)));
        let data: Vec<&Sent> = air.iter().filter(|f| f.kind == "data").collect();
        // The longest backoff is 20 ms. No segment arrives within 30 ms after the last segment, because three
        // links delay it.
        let packets: Vec<&[&Sent]> = data.chunk_by(|a, b| b.start < a.end + 0.025).collect();
        assert!(packets.len() > 300 && packets.iter().all(|p| p.iter().all(|f| f.seq == p[0].seq)));
        // The last packet may be incomplete at the end of the run.
        let last = data[data.len() - 1].seq;
        let seqs = |what: &dyn Fn(&[&Sent]) -> bool| -> Vec<u64> {
            packets.iter().filter(|p| what(p)).map(|p| p[0].seq).filter(|&seq| seq != last).collect()
        };
        let failed = |packet: &[&Sent]| -> BTreeSet<usize> {
            let lost = (0..packet.len()).filter(|&i| packet[i].outcome == "channel");
            lost.map(|i| packet[..i].iter().filter(|f| f.outcome == "received").count()).collect()
        };
        let sent = |kind: &str| -> Vec<u64> {
            let [kinds, events] = ["kind", "event"].map(|column| words(&tables, "notices", column));
            let rows = (0..kinds.len()).filter(|&i| (kinds[i], events[i]) == (kind, "sent"));
            rows.map(|i| offsets(&tables, "notices", "seq")[i]).filter(|&seq| seq != last).collect()
        };
        let repeated = seqs(&|packet| packet.iter().any(|f| f.attempt > 1));
        let given_up = seqs(&|packet| packet[packet.len() - 1].outcome == "channel");
        assert_eq!((sent("ersn"), sent("eln")), (repeated.clone(), given_up.clone()), "{attempts} attempts");
        assert_eq!(repeated.is_empty(), attempts == 1);
        assert!(given_up.len() > 2 && given_up.len() < packets.len() / 2, "{} discarded", given_up.len());
        let of_several = packets.iter().filter(|p| failed(p).len() > 1).count();
        assert!(of_several >= several, "{of_several} packets with failures of several fragments");
    }
}

/// Returns the rows of `table` that have `word` in `column`: time in seconds, and sequence number.
fn rows(tables: &[Table], table: &str, column: &str, word: &str) -> Vec<(f64, u64)> {
    let (time, seq) = (numbers(tables, table, "time_s"), offsets(tables, table, "seq"));
    let words = words(tables, table, column);
    (0..time.len()).filter(|&i| words[i] == word).map(|i| (time[i], seq[i])).collect()
}

/// Returns the delays of the notices of a run, ms: from the loss of a segment to its first notice at the
/// sender (Yun 2009 §3.2).
fn eln_delays(scheme: &'static str, segments: u64) -> Vec<f64> {
    let (_, tables) = traced(&one_at_a_time(scheme, segments, 0.1, 10, 120), 1);
    let losses = rows(&tables, "drops", "cause", "retries");
    let news = rows(&tables, "notices", "event", "received");
    let mut delays = Vec::new();
    for (i, &(lost, seq)) in losses.iter().enumerate() {
        let again = losses[i + 1..].iter().find(|l| l.1 == seq).map_or(f64::INFINITY, |l| l.0);
        let heard = news.iter().find(|n| n.1 == seq && n.0 > lost && n.0 < again);
        delays.extend(heard.map(|n| (n.0 - lost) * 1e3));
    }
    assert!(delays.len() > 100, "{scheme}: {}", delays.len());
    delays
}

// Delays on a path without other traffic, in ms (Yun 2009, Table 1, downlink): T_wrd for LL-ELSN, T_ack +
// T_wrd for HACK and LHP, T_data + T_ack + T_wrd for the ELN of the base station.
#[test]
fn notification_delays_equal_table_1() {
    let mean = |delays: &[f64]| delays.iter().sum::<f64>() / delays.len() as f64;
    // A notice crosses three wired links of 10 ms and 10 Mbit/s.
    let wired = |bytes: f64| 3.0 * (10.0 + bytes * 8.0 / 1e4);
    // 802.11b: preamble and header 192 us, then 11 Mbit/s; DIFS 50 us; a backoff of 0 to 31 slots of 20 us,
    // 15.5 on average.
    let frame = |bytes: f64| 0.192 + (bytes + 36.0) * 8.0 / 11e3;
    let (difs, backoff) = (0.05, 0.31);
    let ll_elsn = eln_delays("ll-elsn", 1);
    assert!(ll_elsn.iter().all(|d| (d - wired(40.0)).abs() < 1e-6), "to the nanosecond: {ll_elsn:?}");
    // The special ACK has 48 bytes. When the link layer of the base station gives up the frame, most of the
    // DIFS has elapsed.
    for scheme in ["hack", "lhp"] {
        let delay = mean(&eln_delays(scheme, 1));
        let least = wired(48.0) + backoff + frame(48.0);
        assert!((least - 0.03..least + difs + 0.03).contains(&delay), "{scheme}: {delay}, expected {least}");
    }
    // Of two segments in the network, the second is queued at the base station or arrives there within a
    // serialisation time, unless it was lost. The link ACK of its frame (10 + 304 us) is sent before the
    // contention for the TCP ACK.
    let eln = eln_delays("eln", 2);
    let least = wired(40.0) + frame(1040.0) + 0.314 + difs + frame(40.0);
    assert!(eln.iter().all(|&d| d > least), "{eln:?}");
    let prompt: Vec<f64> = eln.into_iter().filter(|d| *d < least + 2.0 * 0.62 + 2.0).collect();
    let expected = least + difs + 2.0 * backoff;
    let delay = mean(&prompt);
    assert!(
        prompt.len() > 100 && (expected..expected + 0.9).contains(&delay),
        "{delay}, expected {expected}"
    );
}
