//! Saturation throughput, compared with Bianchi's model ("Performance analysis of the IEEE 802.11 distributed
//! coordination function", 2000).

use crate::harness::{plan, saturation};
use airhop_base::{Rate, Span};
use airhop_radio::cell::{AccessMethod, CellPlan, CellRules};
use airhop_radio::phy::{ACK_BYTES, CTS_BYTES, RTS_BYTES};

/// Length of an IP datagram with 1000 bytes of UDP payload; its MPDU has 1064 bytes, as in the runs of ns-3.
const IP_BYTES: u32 = 1028;
const PAYLOAD_BITS: f64 = 8000.0;

/// Returns the probability that a station transmits in a slot, if each of its frames collides with
/// probability `p`, with at most `attempts` attempts per packet. The number of frames per packet is the sum
/// of p^j over the attempts. Attempt j takes `(W_j - 1) / 2` slots of backoff on average, and one slot for
/// the frame. Without a limit of attempts this is Bianchi's equation (7).
fn tau(p: f64, plan: &CellPlan, attempts: Option<u32>) -> f64 {
    let window =
        |j: i32| (f64::from(plan.phy.cw_min + 1) * 2_f64.powi(j)).min(f64::from(plan.phy.cw_max + 1));
    let stages = attempts.map_or(400, |a| a as i32);
    let frames: f64 = (0..stages).map(|j| p.powi(j)).sum();
    let slots: f64 = (0..stages).map(|j| p.powi(j) * (window(j) + 1.0) / 2.0).sum();
    frames / slots
}

/// Returns the throughput of `n` saturated stations, Mbit/s, if they count slots again `after_collision`
/// after a collision.
fn model(n: i32, plan: &CellPlan, attempts: Option<u32>, after_collision: Span) -> f64 {
    // Bisection on p, because p increases with tau, and tau decreases with p.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let p = (low + high) / 2.0;
        if 1.0 - (1.0 - tau(p, plan, attempts)).powi(n - 1) > p { low = p } else { high = p }
    }
    let tau = tau(low, plan, attempts);
    let any = 1.0 - (1.0 - tau).powi(n);
    let one = f64::from(n) * tau * (1.0 - tau).powi(n - 1);

    let phy = &plan.phy;
    let control = |bytes| phy.airtime(bytes, plan.control_rate);
    let [rts, cts, ack] = [RTS_BYTES, CTS_BYTES, ACK_BYTES].map(control);
    let data = phy.airtime(IP_BYTES + plan.overhead_bytes, plan.data_rate);
    let (success, collision) = match plan.access_method {
        AccessMethod::Basic => (data + phy.sifs + ack + phy.difs(), data + after_collision),
        AccessMethod::RtsCts => (rts + cts + data + ack + phy.sifs * 3 + phy.difs(), rts + after_collision),
    };
    let us = |s: Span| s.nanos() as f64 / 1e3;
    one * PAYLOAD_BITS / ((1.0 - any) * us(phy.slot) + one * us(success) + (any - one) * us(collision))
}

/// Returns the simulated throughput, Mbit/s. In 100 s there are about 65 000 packets.
fn measured(plan: &CellPlan) -> f64 {
    saturation(plan, IP_BYTES, 100, 1) * PAYLOAD_BITS / 1e6
}

/// After a collision the other stations wait for EIFS (364 µs), because they could decode neither frame; this
/// is the same in the model and in the MAC. In the MAC the colliding stations wait for their timeouts: by the
/// standard 222 µs (IEEE 802.11-2016 §10.3.2.9: SIFS, slot, aRxPHYStartDelay; DIFS elapses in parallel), by
/// ns-2's rules 282 µs including a DIFS. By ns-2's rules the throughput of the MAC is up to 1.1 % lower than
/// in the model, because Bianchi's stations count down a slot during a frame of another station, and real
/// stations do not.
#[test]
fn saturation_throughput_equals_the_bianchi_model() {
    for (access, rules) in [AccessMethod::Basic, AccessMethod::RtsCts]
        .into_iter()
        .flat_map(|a| [(a, CellRules::IEEE), (a, CellRules::NS2)])
    {
        for n in [1, 2, 5, 10, 20] {
            for attempts in [Some(7), None] {
                let mut plan = plan(n + 1);
                (plan.access_method, plan.rules) = (access, rules);
                plan.max_attempts = attempts.unwrap_or(u32::MAX);
                let (measured, model) = (measured(&plan), model(n as i32, &plan, attempts, plan.phy.eifs()));
                let off = measured / model - 1.0;
                let what = format!("{access:?}, {:?}, n = {n}, attempts {attempts:?}", rules.ack_timeout);
                println!("{what}: {measured:.3}, model {model:.3}, {:+.2} %", off * 100.0);
                assert!(off.abs() < 0.02, "{what}: {measured:.3}, {:+.2} %", off * 100.0);
            }
        }
    }
}

/// EIFS assumes control frames at the lowest basic rate. If they are sent at that rate, the colliding
/// stations wait as long as the others by ns-2's rules, 384 µs. By the standard's rules they wait for 222 µs,
/// as with fast control frames.
#[test]
fn throughput_equals_bianchi_with_slow_control_frames() {
    for (n, rules) in [2, 20].into_iter().flat_map(|n| [(n, CellRules::IEEE), (n, CellRules::NS2)]) {
        let mut plan = plan(n + 1);
        (plan.control_rate, plan.rules) = (Rate::from_bps(1_000_000), rules);
        let (measured, model) = (measured(&plan), model(n as i32, &plan, Some(7), plan.phy.eifs()));
        let off = measured / model - 1.0;
        println!("{:?}, n = {n}: {measured:.3}, model {model:.3}, {:+.2} %", rules.ack_timeout, off * 100.0);
        assert!(off.abs() < 0.02, "{:?}, n = {n}: {measured:.3}, model {model:.3}", rules.ack_timeout);
    }
}

/// With one station a cycle is a DIFS, a mean backoff of 15.5 slots, the frame, a SIFS and the ACK. Only the
/// backoff is random; its mean over 65 000 frames has an error of 0.04 slots, 0.05 % of the cycle.
#[test]
fn throughput_of_one_station_equals_its_mean_cycle() {
    let plan = plan(2);
    let cycle_us = 50.0 + 15.5 * 20.0 + (192.0 + 1064.0 * 8.0 / 11.0) + 10.0 + (192.0 + 14.0 * 8.0 / 11.0);
    let expect = PAYLOAD_BITS / cycle_us;
    let measured = measured(&plan);
    assert!((measured / expect - 1.0).abs() < 0.002, "{measured:.4}, expected {expect:.4}");
}

/// ns-3.44 has 5.202 Mbit/s for one station, and 5.355 for ten. The value for ten is close to the model with
/// a DIFS after collisions (5.418), while Airhop has EIFS (5.203 in the model); the tolerance is therefore 5
/// %. Airhop runs with the standard's rules.
#[test]
fn saturation_throughput_is_within_5_percent_of_ns3() {
    for (n, ns3, tolerance) in [(1, 5.202, 0.005), (10, 5.355, 0.05)] {
        let measured = measured(&CellPlan { rules: CellRules::IEEE, ..plan(n + 1) });
        assert!((measured / ns3 - 1.0).abs() < tolerance, "n = {n}: {measured:.3}, ns-3 {ns3}");
    }
}
