//! Errors by SNR, compared with the error models of ns-3, and goodput as a function of distance.

use crate::aggregates::{Setting, closed, saturation};
use crate::harness::{self, Note, World};
use airhop_base::{Rate, Span, Time};
use airhop_radio::cell::{CellPlan, LinkErrors};
use airhop_radio::errors::{ChannelCode, ErrorPlan, LinkBudget, PerModel, SnrPlan};
use airhop_radio::layer::Reception;
use airhop_radio::phy::{Band, PpduFormat, TxMode, TxSettings};

/// PERs of the error models of ns-3.
const MEASURED: &str = include_str!("per-snr.csv");
/// Transmit power of 16.0206 dBm, and the loss of free space (Friis) at 1 m and 5.15 GHz.
const BUDGET: LinkBudget = LinkBudget {
    power_dbm: 16.0206,
    noise_figure_db: 7.0,
    reference_loss_db: 46.6777,
    exponent: 3.0,
    splits_power: true,
    min_rssi_dbm: None,
};
const BASIC: Rate = Rate::from_bps(24_000_000);

/// Row of [`MEASURED`].
struct Point {
    model: PerModel,
    coding: ChannelCode,
    mcs: u8,
    octets: u32,
    snr: f64,
    per: f64,
}

fn points() -> impl Iterator<Item = Point> {
    fn named<T: Copy>(all: &[(&str, T)], name: &str) -> T {
        all.iter().find(|(one, _)| *one == name).expect("a name").1
    }
    MEASURED.lines().skip(2).map(|line| {
        let [model, coding, mcs, octets, snr, per] =
            line.split(',').collect::<Vec<_>>().try_into().expect("six columns");
        Point {
            model: named(&PerModel::ALL, model),
            coding: named(&ChannelCode::ALL, coding),
            mcs: mcs.parse().expect("an MCS"),
            octets: octets.parse().expect("octets"),
            snr: snr.parse().expect("an SNR"),
            per: per.parse().expect("a PER"),
        }
    })
}

/// Returns a link with this SNR at any distance, in the mode of the row.
fn link(model: PerModel, coding: ChannelCode, mcs: u8, snr: f64) -> SnrPlan {
    let (format, band, width_mhz) = (PpduFormat::He, Band::Ghz5, 80);
    let settings =
        TxSettings { format, band, mcs, streams: 1, width_mhz, guard_interval: Span::from_nanos(800) };
    let noise = -174.0 + 10.0 * 80e6_f64.log10();
    let budget =
        LinkBudget { power_dbm: noise + snr, noise_figure_db: 0.0, reference_loss_db: 0.0, ..BUDGET };
    let mode = TxMode::new(settings).expect("a mode of 802.11ax");
    SnrPlan { model, coding, mode, group_rate: BASIC, budget, metres: 1.0 }
}

/// The PER of each model equals that of ns-3's model at an SNR that is at most 0.2 dB different, wherever the
/// PER is between 0.01 and 0.9. For the closed forms the difference is at most 0.001 dB, for the fitted
/// curves 0.05 dB.
#[test]
fn the_per_of_each_model_equals_that_of_ns3() {
    let mut worst = [0.0_f64; 3];
    for Point { model, coding, mcs, octets, snr, per } in points() {
        let error = |of: f64| link(model, coding, mcs, of).packet_error_rate(octets) - per;
        let (mut low, mut high) = (snr - 2.0, snr + 2.0);
        assert!(error(low) > 0.0 && error(high) < 0.0, "{model:?} {coding:?} {mcs} {octets}");
        while high - low > 1e-6 {
            let middle = f64::midpoint(low, high);
            *(if error(middle) > 0.0 { &mut low } else { &mut high }) = middle;
        }
        let of_model = &mut worst[model as usize];
        *of_model = of_model.max((low - snr).abs());
    }
    assert_eq!(points().count(), 369);
    assert!(worst[0] < 0.05 && worst[1] < 1e-3 && worst[2] < 1e-3, "{worst:?} dB");
}

/// For every model, the PER decreases with the SNR, and increases with the length of the frame.
#[test]
fn per_falls_with_snr_and_grows_with_length() {
    for (_, model) in PerModel::ALL {
        for (_, coding) in ChannelCode::ALL {
            for mcs in 0..=11 {
                let per =
                    |tenths: i32, octets| link(model, coding, mcs, tenths.into()).packet_error_rate(octets);
                assert_eq!(per(-300, 1538), 1.0);
                assert_eq!(per(300, 1538), 0.0);
                for snr in -20..50 {
                    let at = |snr| [14, 100, 399, 1000, 1538].map(|octets| per(snr, octets));
                    assert!(at(snr).iter().zip(at(snr + 1)).all(|(a, b)| *a >= b), "{model:?} {mcs} {snr}");
                    // Far below any PER that matters, the curves of short and long frames cross.
                    let by_length = at(snr).map(|per| if per > 1e-9 { per } else { 0.0 });
                    assert!(by_length.is_sorted(), "{model:?} {coding:?} {mcs}, {snr} dB: {by_length:?}");
                }
            }
        }
    }
}

/// Returns a cell with two stations at this distance and errors by SNR, and the link between them.
fn cell_with_errors(setting: &Setting, model: PerModel, metres: f64) -> (CellPlan, SnrPlan) {
    let mode = setting.mode().expect("a mode of the standard");
    let link = SnrPlan { model, coding: ChannelCode::Bcc, mode, group_rate: BASIC, budget: BUDGET, metres };
    let mut cell = setting.plan(2);
    cell.stations[1].1 = [0.0, metres];
    let anywhere = SnrPlan { metres: 0.0, ..link };
    cell.errors.push(LinkErrors { from: None, to: None, model: ErrorPlan::Snr(anywhere).limited_to_data() });
    (cell, link)
}

/// Returns the goodput of a saturated station, Mbit/s.
fn goodput(cell: &CellPlan) -> f64 {
    harness::saturation(cell, 1500, 10, 1) * 8.0 * 1472.0 / 1e6
}

/// The fraction of lost MPDUs in a run is the PER at the distance of the stations, for long and short MPDUs.
#[test]
fn the_share_of_lost_mpdus_is_the_per_at_the_distance() {
    let setting = Setting { mcs: 4, ..saturation::HT };
    for (model, metres) in [(PerModel::Table, 50.5), (PerModel::Yans, 47.5), (PerModel::Nist, 37.5)] {
        for bytes in [100, 1500] {
            let (cell, link) = cell_with_errors(&setting, model, metres);
            let mut world = World::new(&cell, 1);
            world.cell.enable_transmission_reports();
            world.saturate(1, 0, bytes);
            world.run(Time::ZERO + Span::from_secs(2));
            let mpdus = world.notes.iter().filter_map(|(_, note)| match note {
                Note::Mpdu(mpdu) if mpdu.reception >= Reception::Channel => Some(mpdu.reception),
                _ => None,
            });
            let (mut sent, mut lost) = (0.0, 0.0);
            mpdus.for_each(|reception| {
                sent += 1.0;
                lost += f64::from(u8::from(reception == Reception::Channel));
            });
            let p = link.packet_error_rate(bytes + 38);
            assert!((0.02..0.98).contains(&p), "{model:?}, {bytes} B: PER {p}");
            // The number of losses is binomial; the tolerance of five standard deviations fails for one seed
            // in 1.7 million.
            let tolerance = 5.0 * (sent * p * (1.0 - p)).sqrt();
            assert!((lost - sent * p).abs() < tolerance, "{model:?}, {bytes} B: {lost} of {sent}, PER {p}");
        }
    }
}

/// Goodput decreases with distance as the Block Ack window determines for the PER at that distance, from a
/// link without losses to one without goodput.
#[test]
fn goodput_falls_with_distance_by_the_window_law() {
    let setting = Setting { format: PpduFormat::Vht, mcs: 5, width_mhz: 80, ..saturation::HT };
    let mut last = f64::INFINITY;
    for metres in [1.0, 20.0, 22.5, 23.5, 24.0, 40.0] {
        let (cell, link) = cell_with_errors(&setting, PerModel::Table, metres);
        let (goodput, per) = (goodput(&cell), link.packet_error_rate(1538));
        let law = closed::lossy(&setting, 1472, per, 40_000);
        assert!((goodput - law).abs() <= 0.02 * law, "{metres} m: {goodput} Mbit/s, {law} at PER {per}");
        assert!(goodput <= last * 1.005, "{metres} m: {goodput} Mbit/s, and {last} closer");
        last = goodput;
    }
    assert!(last < 0.01, "{last} Mbit/s at 40 m");
}

/// Goodput in ns-3.44 with its table-based error model and this link budget, of a station for which
/// Minstrel-HT has chosen the MCS; 1 to 12 % of the MPDUs are lost. Probes of other rates are 1 to 2 % of its
/// frames.
#[test]
fn goodput_at_a_distance_equals_that_of_ns3() {
    let vht = Setting { format: PpduFormat::Vht, width_mhz: 80, ..saturation::HT };
    let he = Setting { format: PpduFormat::He, width_mhz: 20, ..saturation::HT };
    for (setting, metres, theirs) in [
        (Setting { mcs: 4, ..vht }, 30.0, 146.4),
        (Setting { mcs: 6, ..vht }, 20.0, 188.4),
        (Setting { mcs: 6, ..he }, 30.0, 69.1),
    ] {
        let (cell, link) = cell_with_errors(&setting, PerModel::Table, metres);
        let (goodput, per) = (goodput(&cell), link.packet_error_rate(1538));
        assert!((0.01..0.15).contains(&per), "{metres} m: PER {per}");
        assert!((goodput / theirs - 1.0).abs() < 0.05, "{metres} m: {goodput} Mbit/s, {theirs} in ns-3");
    }
}
