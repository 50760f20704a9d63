//! Goodput of saturated stations, compared with closed forms.
use super::{Setting, closed};
use crate::harness::{on_link, saturation};
use airhop_radio::cell::NavRule;
use airhop_radio::errors::ErrorPlan;
use airhop_radio::phy::PpduFormat;

/// Payload of a datagram, bytes.
const PAYLOAD: u32 = 1472;
/// Maximum length of an A-MPDU that the standard permits.
const MAX: u32 = u32::MAX;

pub const HT: Setting = Setting {
    format: PpduFormat::Ht,
    mcs: 7,
    streams: 1,
    width_mhz: 20,
    guard_ns: 800,
    ampdu: MAX,
    amsdu: 0,
    rts: false,
    eifs: true,
    nav: NavRule::Response,
    txop: [0; 4],
};
const VHT: Setting = Setting { format: PpduFormat::Vht, mcs: 9, width_mhz: 80, ..HT };
const HE: Setting = Setting { format: PpduFormat::He, mcs: 11, ..VHT };

fn goodput(s: &Setting, payload: u32, n: usize, seconds: u64, seed: u64) -> f64 {
    saturation(&s.plan(n + 1), payload + 28, seconds, seed) * f64::from(8 * payload) / 1e6
}

/// A single station has one frame exchange per backoff. Its goodput equals the closed form for every format,
/// with long, short and no A-MPDUs, and with RTS.
#[test]
fn goodput_of_a_lone_station_equals_the_closed_form() {
    let settings = [
        (HT, PAYLOAD),
        (Setting { mcs: 0, ampdu: 8191, ..HT }, 472),
        (Setting { mcs: 3, streams: 2, width_mhz: 40, guard_ns: 400, rts: true, ..HT }, PAYLOAD),
        (Setting { ampdu: 0, ..HT }, PAYLOAD),
        (VHT, PAYLOAD),
        (Setting { ampdu: 8191, rts: true, ..VHT }, PAYLOAD),
        (Setting { mcs: 4, streams: 4, width_mhz: 160, ..VHT }, 972),
        (Setting { ampdu: 0, mcs: 8, streams: 2, ..VHT }, PAYLOAD),
        (HE, PAYLOAD),
        (Setting { mcs: 0, width_mhz: 20, guard_ns: 3200, ..HE }, PAYLOAD),
        (Setting { mcs: 7, streams: 2, guard_ns: 1600, ampdu: 65_535, rts: true, ..HE }, 172),
    ];
    for (setting, payload) in settings {
        let (run, form) = (goodput(&setting, payload, 1, 20, 1), closed::lone(&setting, payload));
        assert!((run / form - 1.0).abs() < 0.005, "{setting:?}: {run} Mbit/s, {form} by the closed form");
    }
}

/// The goodput with A-MSDUs equals the closed form: for the limits of the standard and for shorter ones, for
/// limits of the length of an A-MPDU and of the duration of a PPDU, and for packets of all sizes.
#[test]
fn amsdu_goodput_equals_the_closed_form() {
    let settings = [
        (Setting { amsdu: 3839, ..HT }, PAYLOAD),
        (Setting { amsdu: 4065, streams: 2, width_mhz: 40, ..HT }, 472),
        (Setting { amsdu: 7961, ..VHT }, PAYLOAD),
        (Setting { amsdu: 11_424, rts: true, ..VHT }, 972),
        (Setting { amsdu: 11_424, mcs: 0, width_mhz: 20, ..VHT }, PAYLOAD),
        (Setting { amsdu: 11_424, ampdu: 8191, ..VHT }, PAYLOAD),
        (Setting { amsdu: 3865, ..HE }, PAYLOAD),
        (Setting { amsdu: 11_424, guard_ns: 1600, ..HE }, 172),
    ];
    for (setting, payload) in settings {
        let (_, packets) = closed::longest_mpdu(&setting, payload);
        assert!(packets > 1, "{setting:?}");
        let (run, form) = (goodput(&setting, payload, 1, 20, 1), closed::lone(&setting, payload));
        assert!((run / form - 1.0).abs() < 0.005, "{setting:?}: {run} Mbit/s, {form} by the closed form");
    }
}

/// Goodput equals Bianchi's model with the values of EDCA, because stations count down at slot boundaries, as
/// in Bianchi's chain. Without aggregation the number of attempts is limited. After a collision stations wait
/// for AIFS, or for EIFS if the setting has it.
#[test]
fn edca_throughput_equals_the_bianchi_model() {
    let alone = |s| Setting { ampdu: 0, ..s };
    for setting in [HT, VHT, Setting { rts: true, ..VHT }, HE, alone(HT), alone(VHT)] {
        for (eifs, n) in [(false, 2), (true, 5), (false, 10), (true, 10), (false, 20)] {
            let setting = Setting { eifs, ..setting };
            let seeds = if setting.ampdu == 0 || setting.rts { 1..=2 } else { 1..=8 };
            let runs: Vec<f64> = seeds.map(|seed| goodput(&setting, PAYLOAD, n, 12, seed)).collect();
            let run = runs.iter().sum::<f64>() / runs.len() as f64;
            let attempts = (setting.ampdu == 0).then_some(7);
            let form = closed::bianchi(&setting, PAYLOAD, n as u32, attempts);
            assert!(
                (run / form - 1.0).abs() < 0.02,
                "{n} stations: {run} Mbit/s, {form} by Bianchi: {setting:?}"
            );
        }
    }
}

/// Goodput as a function of the loss rate of MPDUs, by the Block Ack window. Lost MPDUs are retransmitted
/// after those that are already queued, and with an MPDU all its packets are lost.
#[test]
fn goodput_with_mpdu_losses_follows_the_window_law() {
    let amsdus = |amsdu, setting| Setting { amsdu, ..setting };
    let settings = [
        (HT, [0.05, 0.2, 0.5]),
        (VHT, [0.01, 0.1, 0.5]),
        (HE, [0.01, 0.1, 0.2]),
        (amsdus(4065, HT), [0.05, 0.2, 0.5]),
        (amsdus(3865, VHT), [0.01, 0.1, 0.5]),
    ];
    for (setting, losses) in settings {
        for loss in losses {
            let mut plan = setting.plan(2);
            plan.errors.push(on_link(1, 0, ErrorPlan::Loss(loss)));
            let run = saturation(&plan, PAYLOAD + 28, 20, 1) * f64::from(8 * PAYLOAD) / 1e6;
            let form = closed::lossy(&setting, PAYLOAD, loss, 40_000);
            assert!(
                (run / form - 1.0).abs() < 0.02,
                "loss {loss}: {run} Mbit/s, {form} by the law: {setting:?}"
            );
        }
    }
}
