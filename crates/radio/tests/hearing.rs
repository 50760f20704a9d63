//! Hidden and exposed terminals: two saturated senders with one attempt per packet, compared with an exact
//! model of their contention.
//!
//! With one attempt the window never grows, so both draw a backoff uniformly from {0, …, W - 1} for every
//! packet. All time differences are whole numbers of slots σ. The offset `k` between the starts of the two
//! stations, in slots, is therefore a Markov chain. Below, k' is the next offset, and `a` and `c` are the
//! next draws of the station that began first and of the other. T is the duration of a data frame, S = SIFS +
//! ACK + σ a timeout, and E = SIFS + ACK the time after a success.
//!
//! Hidden terminals: A - B - C, and both A and C send to B. Both receive B's ACKs, but only B receives their
//! data frames:
//! ```text
//! k σ < T          both are lost; each goes on S + DIFS after its own end:                       k' = |k + c - a|
//! T < k σ < T+SIFS the first is received, and B's ACK spoils the second, which times out:        k' = |k + 1 + c - a|
//! otherwise        the first is received; the ACK freezes the other at r = k - ⌊(T + SIFS)/σ⌋:   k' = |r - a|
//! ```
//! These cases are complete if T < S + DIFS; a longer frame overlaps the next frame of the station that began
//! first.
//!
//! Exposed terminals: each sends to a station on the side away from the other sender, which receives its data
//! frames with their NAV but not the ACKs of its receiver:
//! ```text
//! k = 0            both are received:                                                            k' = |c - a|
//! otherwise        the first is received, the other is frozen at k until DIFS after its ACK:     k' = |k - a|
//! ```
//! The next frame begins min(…) slots after the end of the wait. From the stationary distribution of the
//! chain follow the received frames, per frame and per second.

use crate::harness::{Note, World, line};
use airhop_base::{DropCause, Rate, Span, Time};
use airhop_radio::cell::{AccessMethod, CellPlan, CellRules, StationIndex};
use airhop_radio::layer::FrameKind;
use airhop_radio::phy::{ACK_BYTES, Coding, DATA_OVERHEAD_BYTES, Phy};

/// Outcome of two frames whose starts are a given number of slots apart.
struct Step {
    sent: f64,
    received: f64,
    /// Time from the first start until the first station counts slots again, or would count them.
    wait: Span,
    /// Number of slots that the other station still has to count, without a new draw, when the first starts
    /// to count.
    left: usize,
    /// True if the other station also draws a new backoff.
    redraws: bool,
}

/// Returns the number of received frames per sent frame, and per second, by the stationary distribution of
/// the chain.
fn law(window: usize, slot: Span, step: impl Fn(usize) -> Step) -> [f64; 2] {
    let mut share = vec![1.0];
    let [mut sent, mut received, mut seconds] = [0.0; 3];
    // After some rounds the distribution no longer depends on the initial state; only the later rounds are
    // averaged.
    for round in 0..600 {
        let mut next = vec![0.0; share.len() + window + 1];
        for (k, share) in share.iter().enumerate().filter(|(_, share)| **share > 1e-15) {
            let Step { sent: s, received: r, wait, left, redraws } = step(k);
            let draws = if redraws { 0..window } else { 0..1 };
            let each = share / (window * draws.len()) as f64;
            let mut slots = 0.0;
            for (a, c) in (0..window).flat_map(|a| draws.clone().map(move |c| (a, c))) {
                next[(left + c).abs_diff(a)] += each;
                slots += each * a.min(left + c) as f64;
            }
            if round >= 100 {
                sent += share * s;
                received += share * r;
                seconds += share * wait.secs_f64() + slots * slot.secs_f64();
            }
        }
        let last = next.iter().rposition(|share| *share > 1e-15).unwrap_or(0);
        next.truncate(last + 1);
        share = next;
    }
    [received / sent, received / seconds]
}

struct Times {
    data: Span,
    timeout: Span,
    success: Span,
    difs: Span,
    sifs: Span,
    slot: Span,
    window: usize,
}

fn times(plan: &CellPlan, bytes: u32) -> Times {
    let phy = plan.phy;
    let success = phy.sifs + phy.airtime(ACK_BYTES, plan.control_rate);
    Times {
        data: phy.airtime(bytes + DATA_OVERHEAD_BYTES, plan.data_rate),
        timeout: success + phy.slot,
        success,
        difs: phy.difs(),
        sifs: phy.sifs,
        slot: phy.slot,
        window: phy.cw_min as usize + 1,
    }
}

/// Returns the number of received frames per sent frame, and per second, for two hidden senders.
fn hidden_law(plan: &CellPlan, bytes: u32) -> [f64; 2] {
    let Times { data, timeout, success, difs, sifs, slot, window } = times(plan, bytes);
    law(window, slot, |k| {
        let begins = slot * k as u64;
        if begins < data {
            let wait = data + timeout + difs;
            return Step { sent: 2.0, received: 0.0, wait, left: k, redraws: true };
        }
        let wait = data + success + difs;
        if begins < data + sifs {
            return Step { sent: 2.0, received: 1.0, wait, left: k + 1, redraws: true };
        }
        let left = k - (data + sifs).whole_multiples(slot) as usize;
        Step { sent: 1.0, received: 1.0, wait, left, redraws: false }
    })
}

/// Returns the number of received frames per sent frame, and per second, for two exposed senders.
fn exposed_law(plan: &CellPlan, bytes: u32) -> [f64; 2] {
    let Times { data, success, difs, slot, window, .. } = times(plan, bytes);
    let wait = data + success + difs;
    law(window, slot, |k| match k {
        0 => Step { sent: 2.0, received: 2.0, wait, left: 0, redraws: true },
        _ => Step { sent: 1.0, received: 1.0, wait, left: k, redraws: false },
    })
}

/// Simulates two saturated senders with one attempt per packet for 100 s. Returns the number of received
/// frames per sent frame, and per second.
fn measured(plan: &CellPlan, ways: [(StationIndex, StationIndex); 2], bytes: u32) -> [f64; 2] {
    let mut plan = plan.clone();
    plan.max_attempts = 1;
    let mut world = World::new(&plan, 1);
    world.keep = false;
    ways.into_iter().for_each(|(from, to)| world.saturate(from, to, bytes));
    world.run(Time::ZERO + Span::from_secs(100));
    [world.delivered as f64 / world.handed as f64, world.delivered as f64 / 100.0]
}

fn near(what: &str, measured: [f64; 2], law: [f64; 2], tolerance: f64) {
    for (measured, law) in measured.into_iter().zip(law) {
        let off = measured / law - 1.0;
        assert!(off.abs() < tolerance, "{what}: {measured:.4}, law {law:.4}, {:+.2} %", off * 100.0);
    }
}

/// Returns a cell with B in the middle and link ACKs at 1 Mbit/s, so that frames of 200 bytes are shorter
/// than a timeout and a DIFS.
fn hidden(window: u32) -> CellPlan {
    let mut plan = line(&[0.0, 30.0, 60.0], 40.0, 40.0);
    plan.control_rate = Rate::from_bps(1_000_000);
    plan.phy.cw_min = window - 1;
    plan
}

/// From one frame in twenty to one in two is received. Over 100 s these fractions have an error of about one
/// per cent.
#[test]
fn hidden_terminal_losses_match_the_markov_chain_of_offsets() {
    for window in [16, 32, 64] {
        for bytes in [40, 200] {
            let plan = hidden(window);
            let (measured, law) = (measured(&plan, [(0, 1), (2, 1)], bytes), hidden_law(&plan, bytes));
            println!("W = {window}, {bytes} B: {measured:.4?}, law {law:.4?}");
            near(&format!("W = {window}, {bytes} B"), measured, law, 0.03);
        }
    }
}

/// No frame arrives if T > S + DIFS + (W - 1) σ. Suppose that two frames collide with an offset of k, and that
/// the next frame of the station that began first arrives. It begins after the end of the other station's last
/// frame, so k σ <= S + DIFS + a σ. If it ends before the other station's next frame begins, then
/// (k + c - a) σ >= T, and both together require T <= S + DIFS + c σ. If the other station's next frame ends
/// before it begins, then T <= a σ. Both are impossible.
#[test]
fn hidden_terminals_with_long_frames_deliver_no_frame() {
    let plan = line(&[0.0, 30.0, 60.0], 40.0, 40.0);
    let Times { data, timeout, difs, slot, window, .. } = times(&plan, 1040);
    assert!(data > slot * (window as u64 - 1) + timeout + difs);
    assert_eq!(measured(&plan, [(0, 1), (2, 1)], 1040), [0.0, 0.0]);
}

/// R1 - S1 - S2 - R2: each sender defers to the other, although its receiver does not receive the other. If
/// the senders do not receive each other, each has a cycle of its own: DIFS, (W - 1) / 2 slots, T, SIFS and
/// ACK.
#[test]
fn exposed_terminal_throughput_equals_the_closed_form() {
    for bytes in [200, 1040] {
        let exposed = line(&[0.0, 30.0, 60.0, 90.0], 40.0, 40.0);
        let apart = line(&[0.0, 30.0, 330.0, 360.0], 40.0, 40.0);
        let ways = [(1, 0), (2, 3)];
        let Times { data, success, difs, slot, window, .. } = times(&exposed, bytes);
        let cycle = difs + slot * (window as u64 - 1) / 2 + data + success;
        let (alone, together) = (measured(&apart, ways, bytes), measured(&exposed, ways, bytes));
        near("apart", alone, [1.0, 2.0 / cycle.secs_f64()], 0.005);
        near("exposed", together, exposed_law(&exposed, bytes), 0.005);
        let ratio = exposed_law(&exposed, bytes)[1] * cycle.secs_f64() / 2.0;
        println!("{bytes} B: {:.3} of what both could have, law {ratio:.3}", together[1] / alone[1]);
        near("ratio", [together[1] / alone[1]; 2], [ratio; 2], 0.005);
    }
}

/// Returns the fraction of data frames of station 0 that are lost in collisions. Station 0 sends to station
/// 1. Station 2, which station 0 does not sense, sends to a station farther away.
fn lost_data(metres: &[f64], sense: f64, access: AccessMethod) -> f64 {
    let mut plan = line(metres, 40.0, sense);
    plan.access_method = access;
    let mut world = World::new(&plan, 1);
    world.saturate(0, 1, 1040);
    world.saturate(2, 3, 1040);
    world.run(Time::ZERO + Span::from_secs(10));
    let count = |what: fn(&Note) -> bool| world.notes.iter().filter(|(_, note)| what(note)).count() as f64;
    let received = count(|n| matches!(n, Note::Delivered { from: 0, .. }));
    let lost = count(|n| {
        matches!(n, Note::Lost { from: 0, frame: FrameKind::Data, cause: DropCause::Collision, .. })
    });
    lost / (lost + received)
}

/// A hidden station 30 m from the receiver decodes its CTS, and defers for the whole exchange. At 60 m,
/// within the sense range but beyond the receive range, it defers only for an EIFS, 364 µs. The data frame
/// takes 974 µs, so the station starts to send in the middle of it. In a chain this is the case for station i
/// + 3.
#[test]
fn rts_cts_protects_only_where_the_cts_is_decoded() {
    let decodes = [0.0, 30.0, 60.0, 90.0];
    let senses = [0.0, 30.0, 90.0, 120.0];
    for (metres, sense, left) in [(decodes, 40.0, 0.0..0.05), (senses, 85.0, 0.5..1.5)] {
        let [basic, rts] =
            [AccessMethod::Basic, AccessMethod::RtsCts].map(|access| lost_data(&metres, sense, access));
        println!("{metres:?}: {basic:.3} lost, {rts:.3} with RTS/CTS");
        assert!(basic > 0.3, "{basic}");
        assert!(left.contains(&(rts / basic)), "{metres:?}: {rts:.3} with RTS/CTS, {basic:.3} without");
    }
}

/// Frames shorter than a SIFS: B receives the RTS of both hidden stations before it sends its first CTS, and
/// answers both. The first CTS shows the other station that its own CTS has not arrived (IEEE 802.11-2016
/// §10.3.2.9), so it ignores its CTS, which arrives later. Each data frame therefore has the attempt number
/// of the RTS before it.
#[test]
fn a_station_ignores_a_cts_after_its_attempt_failed() {
    let hidden = line(&[0.0, 30.0, 60.0], 35.0, 35.0);
    let mut plan = CellPlan { rules: CellRules::IEEE, access_method: AccessMethod::RtsCts, ..hidden };
    plan.phy = Phy { plcp_duration: Span::from_nanos(4), coding: Coding::Serial, ..Phy::ERP_OFDM };
    (plan.data_rate, plan.control_rate) = (Rate::from_bps(54_000_000), Rate::from_bps(24_000_000));
    let mut world = World::new(&plan, 1);
    world.cell.enable_transmission_reports();
    [0, 2].into_iter().for_each(|station| world.saturate(station, 1, 60));
    world.run(Time::ZERO + Span::from_secs(1));
    let mut granted = [None; 3];
    let [mut data, mut clear] = [0_u32; 2];
    for (_, note) in &world.notes {
        let Note::Transmitted(tx) = note else { continue };
        let station = usize::from(tx.from);
        match tx.kind {
            FrameKind::Rts => granted[station] = Some((tx.packet_number, tx.attempt)),
            FrameKind::Data => {
                assert_eq!(
                    granted[station].take(),
                    Some((tx.packet_number, tx.attempt)),
                    "at {:?}",
                    tx.start
                );
                data += 1;
            }
            FrameKind::Cts => clear += 1,
            _ => {}
        }
    }
    assert!(data > 1000 && clear > data + 100, "{data} data frames, {clear} CTS");
}
