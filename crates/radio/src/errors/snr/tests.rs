//! Tests of the PER: control and group-addressed frames, undetected frames, MCS without a curve.
use super::*;
use crate::errors::{ErrorPlan, count_corrupted, test_frame};
use crate::phy::{Band, PpduFormat, TxSettings};
use airhop_base::Span;
use airhop_engine::RandomStreams;

fn plan(mcs: u8, metres: f64) -> SnrPlan {
    let (format, band, guard) = (PpduFormat::He, Band::Ghz5, Span::from_nanos(800));
    let settings = TxSettings { format, band, mcs, streams: 2, width_mhz: 80, guard_interval: guard };
    SnrPlan {
        model: PerModel::Table,
        coding: ChannelCode::Bcc,
        mode: TxMode::new(settings).expect("a mode of 802.11ax"),
        group_rate: BASIC_RATES[2],
        budget: LinkBudget {
            power_dbm: 16.0206,
            noise_figure_db: 7.0,
            reference_loss_db: 46.6777,
            exponent: 3.0,
            splits_power: true,
            min_rssi_dbm: None,
        },
        metres,
    }
}

/// BCC has no curves above MCS 9; the PER is there that of YANS, as in ns-3.
#[test]
fn without_a_curve_the_per_is_that_of_yans() {
    for (mcs, power, is_equal) in [(9, 34.0, false), (10, 38.0, true), (11, 40.0, true)] {
        let table =
            SnrPlan { budget: LinkBudget { power_dbm: power, ..plan(mcs, 1.0).budget }, ..plan(mcs, 30.0) };
        let yans = SnrPlan { model: PerModel::Yans, ..table };
        assert!((0.1..0.9).contains(&yans.packet_error_rate(1538)), "{}", yans.packet_error_rate(1538));
        assert_eq!(table.packet_error_rate(1538) == yans.packet_error_rate(1538), is_equal, "MCS {mcs}");
    }
}

/// A broadcast at 24 Mbit/s has the PER of MCS 3 (16-QAM, code rate 1/2) in a single stream, which has the
/// whole transmitted power. Correspondingly, a broadcast at 6 Mbit/s has the PER of MCS 0.
#[test]
fn group_addressed_frames_have_the_per_of_their_basic_rate() {
    for (rate, mcs, metres) in
        [(BASIC_RATES[2], 3, 43.0), (BASIC_RATES[1], 1, 65.0), (BASIC_RATES[0], 0, 82.0)]
    {
        let group = SnrPlan { group_rate: rate, ..plan(11, metres) };
        let alone =
            SnrPlan { budget: LinkBudget { splits_power: false, ..group.budget }, ..plan(mcs, metres) };
        let per = group.group_error_rate().loss_probability(8 * 500);
        assert!((0.05..0.95).contains(&per), "{rate}: {per}");
        assert!((per - alone.packet_error_rate(500)).abs() < 1e-12, "{rate}");
        let mut model = SnrModel::new(&group, RandomStreams::new(1, 0).stream("errors"));
        let broadcast = Frame { is_broadcast: true, ..test_frame(8 * 500) };
        let lost = (0..10_000).filter(|_| model.draw_damage(&broadcast) == Damage::Header).count() as f64;
        // The count is binomial; the tolerance is five standard deviations.
        assert!((lost - 1e4 * per).abs() < 5.0 * (1e4 * per * (1.0 - per)).sqrt(), "{lost}");
        assert_eq!(model.draw_damage(&test_frame(8 * 500)), Damage::Header, "MCS 11 has no chance");
    }
}

/// Below the minimum received power all frames with data are lost, and control frames are not.
#[test]
fn a_frame_below_the_minimum_power_is_lost() {
    let limited = |metres| {
        let plan = plan(0, metres);
        ErrorPlan::Snr(SnrPlan { budget: LinkBudget { min_rssi_dbm: Some(-82.0), ..plan.budget }, ..plan })
    };
    assert_eq!(count_corrupted(&limited(51.3), 12_304, 1000), 0);
    assert_eq!(count_corrupted(&limited(51.5), 12_304, 1000), 1000);
    let mut spares = limited(51.5).limited_to_data().build(&RandomStreams::new(1, 0), "cell", "a", "b");
    assert_eq!(spares.draw_damage(&Frame { is_control: true, ..test_frame(112) }), Damage::None);
    assert_eq!(spares.draw_damage(&Frame { is_broadcast: true, ..test_frame(800) }), Damage::Header);
}

/// A distance is also set in a model by SNR that is part of another model, and leaves all other models
/// unchanged.
#[test]
fn a_distance_replaces_that_of_the_plan() {
    assert_eq!(ErrorPlan::Snr(plan(0, 1.0)).at_distance(7.0), ErrorPlan::Snr(plan(0, 7.0)));
    assert_eq!(
        ErrorPlan::Snr(plan(0, 1.0)).limited_to_data().at_distance(7.0),
        ErrorPlan::Snr(plan(0, 7.0)).limited_to_data()
    );
    assert_eq!(ErrorPlan::Loss(0.1).at_distance(7.0), ErrorPlan::Loss(0.1));
}

/// Two streams share the power, so each has 3 dB less, if the budget splits the power.
#[test]
fn streams_share_the_power() {
    let shared = plan(0, 10.0);
    let whole = SnrPlan { budget: LinkBudget { splits_power: false, ..shared.budget }, ..shared };
    assert!((whole.snr_db() - shared.snr_db() - 3.0103).abs() < 1e-4);
}
