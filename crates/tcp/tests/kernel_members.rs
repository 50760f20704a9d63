//! Input of congestion controls of Linux's interface: members of the socket and `flag`, each set as in net/ipv4 of
//! Linux 6.18.

use crate::common::linux;
use crate::common::script::Script;
use airhop_base::{FlowId, NodeId};
use airhop_tcp::kernel_ops::{CallbackError, Callbacks, RateSample, Sock, TcpCongestionOps, kernel_scheme};
use airhop_tcp::{Config, Params, Sender};
use std::sync::{Arc, Mutex};

const WIN_UPDATE: u32 = 0x02;
const DATA_ACKED: u32 = 0x04;
const RETRANS_DATA_ACKED: u32 = 0x08;
const DATA_SACKED: u32 = 0x20;
const LOST_RETRANS: u32 = 0x80;
const SLOWPATH: u32 = 0x100;
const ORIG_SACK_ACKED: u32 = 0x200;
const SND_UNA_ADVANCED: u32 = 0x400;
const DSACKING_ACK: u32 = 0x800;
const SET_XMIT_TIMER: u32 = 0x1000;
const UPDATE_TS_RECENT: u32 = 0x4000;
const ACK_MAYBE_DELAYED: u32 = 0x1_0000;
/// Flags of an ACK of new data, and of an ACK that header prediction excludes.
const ADVANCES: u32 = WIN_UPDATE | DATA_ACKED | SND_UNA_ADVANCED | SET_XMIT_TIMER;
const SLOW: u32 = SLOWPATH | UPDATE_TS_RECENT;

/// Arguments of each call of `cong_control`: `flag`, the socket and the rate sample.
type Told = Arc<Mutex<Vec<(u32, Sock, RateSample)>>>;

/// Congestion control with a constant window of ten segments.
#[derive(Debug)]
struct Listens {
    told: Told,
    /// True if the congestion control marks the connection as application-limited at each ACK.
    holds_back: bool,
}

impl TcpCongestionOps for Listens {
    fn callbacks(&self) -> Callbacks {
        Callbacks::CONG_CONTROL
    }

    fn ssthresh(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        Ok(sk.snd_cwnd)
    }

    fn undo_cwnd(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        Ok(sk.snd_cwnd)
    }

    fn cong_control(
        &mut self,
        sk: &mut Sock,
        _: u32,
        flag: u32,
        rs: &RateSample,
    ) -> Result<(), CallbackError> {
        self.told.lock().map_err(|_| "the log is lost")?.push((flag, *sk, *rs));
        sk.snd_cwnd = 10;
        if self.holds_back {
            sk.app_limited = sk.delivered + sk.in_flight();
        }
        Ok(())
    }
}

fn script(config: &Config, bytes: u64, holds_back: bool) -> (Script, Told) {
    let told = Told::default();
    let own = told.clone();
    let make =
        Box::new(move || Box::new(Listens { told: own.clone(), holds_back }) as Box<dyn TcpCongestionOps>);
    let scheme =
        kernel_scheme("listens", "A control that listens", Callbacks::CONG_CONTROL, false, &[], make);
    let parts = (scheme.build)(&Params::defaults(&scheme), config);
    let sender = Sender::new(FlowId(0), NodeId(0), NodeId(1), config, scheme.features, parts);
    (Script::by(sender, config, bytes), told)
}

fn last(told: &Told) -> (u32, Sock, RateSample) {
    *told.lock().expect("no panic held it").last().expect("an ACK")
}

// tcp_ack() and the functions that it calls: the FLAG_* of each kind of ACK.
#[test]
fn each_kind_of_ack_sets_its_kernel_flags() {
    let (mut s, told) = script(&linux(10.0, 5.0), 1_000_000_000, false);
    s.opening();
    s.at(100).ack(2);
    assert_eq!(last(&told).0, ADVANCES, "header prediction covers this ACK, and no flag is set");
    s.sack(2, &[(3, 3)]);
    assert_eq!(last(&told).0, SLOW | DATA_SACKED, "sent after high_seq, the beginning");
    s.sack(2, &[(3, 4)]);
    assert_eq!(last(&told).0, SLOW | DATA_SACKED | ORIG_SACK_ACKED, "sent before Disorder began");
    s.sack(2, &[(3, 6)]);
    assert!(s.sender.counters().fast_recoveries == 1);
    s.at(200).sack(7, &[]);
    assert_eq!(last(&told).0, ADVANCES | RETRANS_DATA_ACKED, "the retransmission is acknowledged");
    s.sack(8, &[(2, 2)]);
    let again = ADVANCES | RETRANS_DATA_ACKED;
    assert_eq!(last(&told).0, SLOW | again | DSACKING_ACK, "and segment 7, which RACK marked lost");
}

// tcp_identify_packet_loss(): FLAG_LOST_RETRANS is set when RACK detects a lost retransmission. Linux counts
// a retransmitted segment in lost_out and in retrans_out, so tcp_packets_in_flight() counts it once;
// total_retrans counts all retransmissions.
#[test]
fn retransmissions_update_the_kernel_counters() {
    let (mut s, told) = script(&linux(10.0, 5.0), 1_000_000_000, false);
    s.opening();
    s.at(100).sack(1, &[(2, 5)]);
    let (_, sk, _) = last(&told);
    assert_eq!((sk.packets_out, sk.sacked_out, sk.lost_out, sk.retrans_out), (10, 4, 1, 0));
    assert_eq!((sk.total_retrans, sk.in_flight()), (0, 5));
    s.after(1).sack(1, &[(2, 6)]);
    let (flag, sk, _) = last(&told);
    assert_eq!((sk.lost_out, sk.retrans_out, sk.total_retrans), (1, 1, 1), "the segment is retransmitted");
    assert_eq!(sk.in_flight(), sk.packets_out - sk.sacked_out);
    assert_eq!(flag & LOST_RETRANS, 0);
    s.at(250).sack(1, &[(2, 14)]);
    let (flag, sk, _) = last(&told);
    assert_eq!(flag & LOST_RETRANS, LOST_RETRANS, "segments sent later have arrived");
    assert_eq!(sk.retrans_out, 0);
}

// tcp_rtt_estimator(): the mean deviation, stored times four, starts at half of the first round trip. A
// longer round trip changes the deviation by its whole error, a shorter round trip by an eighth of its error.
// tcp_snd_una_update(), tcp_retransmit_skb(): byte counters. tcp_enter_loss() is called before the timeout is
// counted; an ACK of data resets the count of timeouts.
#[test]
fn kernel_rtt_byte_and_timeout_members_are_updated() {
    let (mut s, told) = script(&linux(10.0, 5.0), 1_000_000_000, false);
    s.opening();
    s.at(100).ack(2);
    let (_, first, _) = last(&told);
    assert_eq!((first.srtt_us, first.mdev_us), (8 * 100_000, 2 * 100_000));
    assert_eq!((first.bytes_acked, first.bytes_sent, first.data_segs_out), (1001, 10_000, 10));
    assert_eq!(first.delivered_mstamp, 100_000);
    s.at(250).ack(3);
    let (_, second, _) = last(&told);
    assert_eq!(second.mdev_us, 200_000 + 150_000 - 50_000, "an error of 150 ms, and a quarter of 200 ms");
    s.expire();
    s.expire();
    let sent = second.bytes_sent + 1000;
    s.after(10).sack(3, &[(9, 9)]);
    let (_, third, _) = last(&told);
    assert_eq!((third.icsk_retransmits, third.bytes_retrans > 0, third.bytes_sent > sent), (1, true, true));
    s.after(10).ack(5);
    assert_eq!(last(&told).1.icsk_retransmits, 0);
}

// tcp_clean_rtx_queue(): FLAG_ACK_MAYBE_DELAYED is set if the ACK acknowledges a single partial segment.
#[test]
fn only_a_lone_partial_segment_sets_flag_ack_maybe_delayed() {
    let (mut s, told) = script(&linux(10.0, 5.0), 1500, false);
    s.opening();
    s.at(100).ack(2);
    assert_eq!((last(&told).0 & ACK_MAYBE_DELAYED, last(&told).2.is_ack_delayed), (0, false));
    s.at(140).sack_bytes(1501, &[]);
    assert_eq!(last(&told).0 & ACK_MAYBE_DELAYED, 0, "together with another segment");
    let (mut s, told) = script(&linux(10.0, 5.0), 500, false);
    s.opening();
    s.at(140).sack_bytes(501, &[]);
    let (flag, _, rs) = last(&told);
    assert_eq!((flag & ACK_MAYBE_DELAYED, rs.is_ack_delayed), (ACK_MAYBE_DELAYED, true));
}

// tcp_event_data_sent(): time of the last data transmission, in jiffies. tcp_rate_check_app_limited():
// delivered plus in-flight segments at the time when the application had no more data. A congestion control
// may set this field itself, as BBR does; samples of segments sent afterwards are application-limited.
#[test]
fn idle_periods_and_application_limits_set_kernel_members() {
    let (mut s, told) = script(&linux(10.0, 5.0), 12_000, false);
    s.opening();
    s.at(100).ack(11);
    let (_, sk, _) = last(&told);
    assert_eq!((sk.lsndtime, sk.app_limited), (0, 0));
    s.at(200).ack(13);
    let (_, sk, rs) = last(&told);
    assert_eq!((sk.lsndtime, sk.jiffies(), rs.is_app_limited), (100, 200, false));
    let (mut s, told) = script(&linux(10.0, 5.0), 1_000_000_000, true);
    s.opening();
    s.at(100).ack(2);
    s.ack(3);
    let (_, sk, _) = last(&told);
    assert_eq!(sk.app_limited, 10, "ten were delivered or in flight");
    s.at(200).ack(13);
    assert!(last(&told).2.is_app_limited);
}

// tcp_rate_gen(): the socket stores the rate of the last sample, but the rate of an application-limited
// sample only if it is at least the stored rate.
#[test]
fn the_socket_stores_the_rate_of_the_last_valid_sample() {
    let (mut s, told) = script(&linux(10.0, 5.0), 10_000, false);
    let kept = || {
        let (_, sk, rs) = last(&told);
        (sk.rate_delivered, sk.rate_interval_us, sk.rate_app_limited, rs.is_app_limited)
    };
    s.opening();
    s.at(100).ack(11);
    assert_eq!(kept(), (10, 100_000, false, false), "ten in a round trip");
    s.sender.supply_data(2_000);
    s.sent();
    s.at(200).ack(13);
    assert_eq!(kept(), (10, 100_000, false, true), "two, limited by the application");
    s.sender.supply_data(10_000);
    s.sent();
    s.at(280).ack(23);
    assert_eq!(kept(), (10, 80_000, true, true), "ten in a shorter round trip");
    let samples = told.lock().expect("no panic held it");
    let first = &samples[0].1;
    assert!(
        (first.rate_delivered, first.rate_app_limited) == (10, false),
        "before cong_control of the same ACK"
    );
}

/// Congestion control that records `lost`, `lost_out`, the flight and `prior_ssthresh` at each call of `ssthresh`.
#[derive(Debug)]
struct Counts(Arc<Mutex<Vec<[u32; 4]>>>);

impl TcpCongestionOps for Counts {
    fn callbacks(&self) -> Callbacks {
        Callbacks::NONE
    }

    fn ssthresh(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        let told = [sk.lost, sk.lost_out, sk.in_flight(), sk.prior_ssthresh];
        self.0.lock().map_err(|_| "the log is lost")?.push(told);
        Ok(sk.snd_cwnd / 2)
    }

    fn undo_cwnd(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        Ok(sk.snd_cwnd)
    }
}

// tcp_fastretrans_alert(), tcp_enter_loss(): losses are marked before ssthresh is called.
// tcp_enter_recovery() and tcp_enter_loss() store three quarters of the window in prior_ssthresh.
// tcp_enter_cwr() stores 0, because a reduction for a mark is never undone. A recovery that continues this
// reduction stores 0, too.
#[test]
fn losses_are_marked_before_ssthresh_is_called() {
    let counts = |ecn| {
        let told = Arc::new(Mutex::new(Vec::new()));
        let own = told.clone();
        let make = Box::new(move || Box::new(Counts(own.clone())) as Box<dyn TcpCongestionOps>);
        let scheme =
            kernel_scheme("counts", "A control that counts losses", Callbacks::NONE, false, &[], make);
        let config = Config { ecn, ..linux(12.0, 5.0) };
        let parts = (scheme.build)(&Params::defaults(&scheme), &config);
        let sender = Sender::new(FlowId(0), NodeId(0), NodeId(1), &config, scheme.features, parts);
        (Script::by(sender, &config, 1_000_000_000), told)
    };
    let (mut s, told) = counts(false);
    s.opening();
    s.at(100).sack(1, &[(3, 6)]);
    assert_eq!(
        *told.lock().expect("no panic held it"),
        [[2, 2, 6, 9]],
        "two of twelve, and four have arrived"
    );
    let (mut s, told) = counts(false);
    s.opening();
    while told.lock().expect("no panic held it").is_empty() {
        s.expire();
    }
    assert_eq!(
        told.lock().expect("no panic held it")[0],
        [13, 13, 0, 9],
        "a timeout marks all, and the probe"
    );
    let (mut s, told) = counts(true);
    s.opening();
    s.at(100).ece(2);
    assert_eq!(*told.lock().expect("no panic held it"), [[0, 0, 11, 0]]);
}

// tcp_update_pacing_rate(): for a congestion control without cong_control, the pacing rate is 1.2 windows per
// round trip if the window is at least half of ssthresh. SK_PACING_FQ (2): a host of preset linux paces
// segments.
#[test]
fn the_kernel_sets_the_pacing_rate_without_cong_control() {
    #[derive(Debug)]
    struct Reads(Arc<Mutex<[u64; 2]>>);
    impl TcpCongestionOps for Reads {
        fn callbacks(&self) -> Callbacks {
            Callbacks::CONG_AVOID
        }
        fn ssthresh(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
            Ok(sk.snd_cwnd)
        }
        fn undo_cwnd(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
            Ok(sk.snd_cwnd)
        }
        fn cong_avoid(&mut self, sk: &mut Sock, _: u32, _: u32) -> Result<(), CallbackError> {
            *self.0.lock().map_err(|_| "lost")? = [sk.sk_pacing_rate, sk.sk_pacing_status.into()];
            Ok(())
        }
    }
    for (pacing, status) in [(true, 2), (false, 0)] {
        let told = Arc::new(Mutex::new([0; 2]));
        let own = told.clone();
        let make = Box::new(move || Box::new(Reads(own.clone())) as Box<dyn TcpCongestionOps>);
        let scheme = kernel_scheme("reads", "", Callbacks::CONG_AVOID, false, &[], make);
        let config = Config { pacing, ..linux(10.0, 5.0) };
        let parts = (scheme.build)(&Params::defaults(&scheme), &config);
        let sender = Sender::new(FlowId(0), NodeId(0), NodeId(1), &config, scheme.features, parts);
        let mut s = Script::by(sender, &config, 1_000_000_000);
        s.opening();
        s.at(100).ack(2);
        assert_eq!(
            *told.lock().expect("no panic held it"),
            [u64::MAX, status],
            "computed at the end of an ACK"
        );
        s.ack(3);
        assert_eq!(*told.lock().expect("no panic held it"), [120_000, status], "ten of 1000 bytes in 0.1 s");
    }
}

// tcp_update_skb_after_send(): a control without cong_control that sets SK_PACING_NEEDED (1) is paced, even
// on a host without pacing, at the rate of tcp_update_pacing_rate(), but at most at sk_max_pacing_rate.
// Without SK_PACING_NEEDED and without pacing on the host, the whole window is sent at once.
#[test]
fn sk_pacing_needed_paces_a_connection() {
    #[derive(Debug)]
    struct Paces(u32, u64);
    impl TcpCongestionOps for Paces {
        fn callbacks(&self) -> Callbacks {
            Callbacks::INIT
        }
        fn init(&mut self, sk: &mut Sock) -> Result<(), CallbackError> {
            (sk.sk_pacing_status, sk.sk_max_pacing_rate) = (self.0, self.1);
            sk.sk_pacing_rate = sk.sk_pacing_rate.min(self.1);
            Ok(())
        }
        fn ssthresh(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
            Ok(sk.snd_cwnd)
        }
        fn undo_cwnd(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
            Ok(sk.snd_cwnd)
        }
    }
    let leave = |status, most| {
        let make = Box::new(move || Box::new(Paces(status, most)) as Box<dyn TcpCongestionOps>);
        let scheme = kernel_scheme("paces", "A control that paces", Callbacks::INIT, false, &[], make);
        let config = linux(20.0, 5.0);
        let parts = (scheme.build)(&Params::defaults(&scheme), &config);
        let sender = Sender::new(FlowId(0), NodeId(0), NodeId(1), &config, scheme.features, parts);
        let mut s = Script::by(sender, &config, 1_000_000_000);
        s.opening();
        if most == u64::MAX {
            s.at(100).ack(2);
            s.at(180).ack(21);
        }
        let due = |s: &Script| s.sender.poll_timeout().expect("a timer").nanos() / 1000;
        let first = due(&s);
        (s.expire().1.split_whitespace().count(), due(&s) - first)
    };
    // The mean of the round trips is 100 ms plus 80/8 ms: the rate is a window of 20,000 bytes per round
    // trip, times 1.2.
    assert_eq!(leave(1, u64::MAX), (2, (2_000_000 * 110_u64).div_ceil(24_000)));
    assert_eq!(leave(1, 50_000), (2, 40_000), "two of 1000 bytes");
    let (count, wait) = leave(0, u64::MAX);
    assert!(count <= 1 && wait > 100_000, "{count} at the first timer, and none for {wait} µs");
}
