//! Keys of cells of 802.11n, ac and ax: each value reaches the plan, and each mistake has a message.

use super::{CELL, good, read};
use airhop_base::{AccessCategory, Rate, Span};
use airhop_net::plan::Plan;
use airhop_radio::cell::{
    AccessMethod, AmpduPlan, CellPlan, CellRules, HtPlan, LostBlockAck, NavRule, RetryLimit,
};
use airhop_radio::errors::{ChannelCode, ErrorPlan, LinkBudget, PerModel, SnrPlan};
use airhop_radio::phy::{Band, Phy, PpduFormat};
use airhop_scenario::{Overrides, Scenario};
use std::fmt::Write;

fn cell(plan: &Plan) -> &CellPlan {
    &plan.links.wlans[0].cell
}

fn ht(sets: &[(&str, &str)]) -> HtPlan {
    cell(good(sets).plan()).ht.expect("a cell of a new standard")
}

fn ampdu(sets: &[(&str, &str)]) -> AmpduPlan {
    ht(sets).ampdu.expect("a cell that aggregates")
}

const N: (&str, &str) = ("wlan.cell.standard", "802.11n");
const AX: (&str, &str) = ("wlan.cell.standard", "802.11ax");
const AT_2_4: (&str, &str) = ("wlan.cell.band", "2.4 GHz");

#[test]
fn wifi_defaults_match_each_standard() {
    let defaults = |sets: &[(&str, &str)]| {
        let settings = *ht(sets).mode.settings();
        let AmpduPlan { max_ampdu_bytes: bytes, block_ack_window: window, .. } = ampdu(sets);
        (settings.format, settings.band, settings.width_mhz, bytes, window)
    };
    assert_eq!(defaults(&[N]), (PpduFormat::Ht, Band::Ghz5, 20, 65_535, 64));
    assert_eq!(defaults(&[N, AT_2_4]), (PpduFormat::Ht, Band::Ghz2_4, 20, 65_535, 64));
    assert_eq!(defaults(&[]), (PpduFormat::Vht, Band::Ghz5, 80, 1_048_575, 64));
    assert_eq!(defaults(&[AX]), (PpduFormat::He, Band::Ghz5, 80, 6_500_631, 256));
    assert_eq!(defaults(&[AX, AT_2_4]), (PpduFormat::He, Band::Ghz2_4, 20, 6_500_631, 256));

    let scenario = good(&[]);
    let plan = cell(scenario.plan());
    let (mode, aggregation) = (ht(&[]).mode, ampdu(&[]));
    assert_eq!((mode.settings().mcs, mode.settings().streams), (7, 1));
    assert_eq!(mode.settings().guard_interval, Span::from_nanos(800));
    assert!(ht(&[]).has_eifs);
    assert_eq!(aggregation.lost_block_ack, LostBlockAck::Resend);
    assert_eq!(aggregation.retry_limit, RetryLimit::Lifetime(Span::from_millis(500)));
    assert_eq!(
        (plan.overhead_bytes, plan.access_method, plan.rules),
        (38, AccessMethod::Basic, CellRules::IEEE)
    );
    assert_eq!((plan.phy, plan.control_rate), (Phy::VHT, Rate::from_bps(24_000_000)));
    assert_eq!(cell(good(&[N, AT_2_4]).plan()).phy, Phy::HT_2_4_GHZ);
}

#[test]
fn every_wifi_key_reaches_the_plan() {
    let rate = ("wlan.cell.rate", "{ mcs = 9, streams = 2 }");
    let settings =
        *ht(&[rate, ("wlan.cell.width", "160 MHz"), ("wlan.cell.guard_interval", "0.4 us")]).mode.settings();
    assert_eq!((settings.mcs, settings.streams, settings.width_mhz), (9, 2, 160));
    assert_eq!(settings.guard_interval, Span::from_nanos(400));
    assert_eq!(ht(&[("wlan.cell.rate.mcs", "3")]).mode.settings().mcs, 3);

    let ranges = ampdu(&[("wlan.cell.aggregation", "{ bytes = 8191, frames = 16, amsdu = 3839 }")]);
    assert_eq!((ranges.max_ampdu_bytes, ranges.block_ack_window, ranges.max_amsdu_bytes), (8191, 16, 3839));
    let longest = |standard| ampdu(&[standard, ("wlan.cell.aggregation.amsdu", "max")]).max_amsdu_bytes;
    assert_eq!([N, AX].map(longest), [4065, 11_424]);
    assert_eq!(ampdu(&[]).max_amsdu_bytes, 0);
    assert_eq!(ampdu(&[("wlan.cell.aggregation.frames", "1")]).block_ack_window, 1);
    assert_eq!(ampdu(&[("wlan.cell.lost_block_ack", "request")]).lost_block_ack, LostBlockAck::Request);
    let lifetime = ampdu(&[("wlan.cell.lifetime", "20 ms")]).retry_limit;
    assert_eq!(lifetime, RetryLimit::Lifetime(Span::from_millis(20)));
    assert_eq!(ampdu(&[("wlan.cell.attempts", "10")]).retry_limit, RetryLimit::Attempts(10));
    assert!(!ht(&[("wlan.cell.eifs", "never")]).has_eifs);

    let scenario = good(&[
        ("wlan.cell.control_rate", "6 Mbit/s"),
        ("wlan.cell.access", "rts-cts"),
        ("wlan.cell.overhead", "30 B"),
    ]);
    let plan = cell(scenario.plan());
    assert_eq!(
        (plan.control_rate, plan.access_method, plan.overhead_bytes),
        (Rate::from_bps(6_000_000), AccessMethod::RtsCts, 30)
    );
    for category in AccessCategory::ALL {
        let scenario = good(&[("flow.up.access_category", category.name())]);
        assert_eq!(scenario.plan().flows[0].access_category, category);
    }
    let limits = ht(&[("wlan.cell.txop", "{ VI = \"4.096 ms\", VO = \"2.080 ms\" }")]).txop_limits;
    assert_eq!(limits, [0, 0, 4096, 2080].map(Span::from_micros), "BK, BE, VI, VO");
    const TXOP: (&str, &str) = ("wlan.cell.txop", "{ VO = \"2.080 ms\" }");
    let nav = |word| ht(&[TXOP, ("wlan.cell.nav", word)]).nav_rule;
    assert_eq!(
        [ht(&[TXOP]).nav_rule, nav("response"), nav("limit")],
        [NavRule::Response, NavRule::Response, NavRule::Limit]
    );
    // A TXOP limit of 0, and best effort as the access category, are the defaults of the plan.
    for set in [
        ("wlan.cell.txop", "{}"),
        ("wlan.cell.txop", "{ BE = \"0 s\", VO = \"0 s\" }"),
        ("flow.up.access_category", "BE"),
    ] {
        assert_eq!(format!("{:?}", good(&[set]).plan()), format!("{:?}", good(&[]).plan()), "{set:?}");
    }
}

#[test]
fn without_aggregation_attempts_limit_each_frame() {
    const OFF: (&str, &str) = ("wlan.cell.aggregation.bytes", "0");
    for (access, attempts, expected) in [("basic", None, 7), ("rts-cts", None, 7), ("basic", Some("3"), 3)] {
        let attempts = attempts.map(|attempts| ("wlan.cell.attempts", attempts));
        let sets: Vec<_> = [OFF, ("wlan.cell.access", access)].into_iter().chain(attempts).collect();
        assert_eq!(ht(&sets).ampdu, None);
        assert_eq!(cell(good(&sets).plan()).max_attempts, expected);
    }
    // In a study that varies the length of A-MPDUs, 0 is permitted beside the key for frames.
    assert_eq!(ht(&[OFF, ("wlan.cell.aggregation.frames", "64")]).ampdu, None);
}

/// `airhop show` prints a scenario that reads back to the same plan and is printed again as the same text.
#[test]
fn a_printed_wifi_scenario_reads_back() {
    let changes: [&[(&str, &str)]; 9] = [
        &[],
        &[AX, ("wlan.cell.errors", "{ kind = \"snr\", model = \"table\", min_rssi = \"-82 dBm\" }")],
        &[N, AT_2_4],
        &[AX, ("wlan.cell.rate", "{ mcs = 11, streams = 2 }"), ("wlan.cell.guard_interval", "1600 ns")],
        &[("wlan.cell.aggregation.bytes", "0")],
        &[("wlan.cell.aggregation", "{ bytes = 65535, amsdu = \"max\" }"), ("wlan.cell.attempts", "4")],
        &[
            ("wlan.cell.lost_block_ack", "request"),
            ("wlan.cell.eifs", "never"),
            ("wlan.cell.lifetime", "100 ms"),
        ],
        &[("wlan.cell.txop", "{ VI = \"0 s\" }"), ("flow.up.access_category", "BE")],
        &[(
            "wlan.cell.propagation",
            "{ model = \"free-space\", power = \"20 dBm\", receive = \"-80 dBm\", sense = \"-90 dBm\" }",
        )],
    ];
    for sets in changes {
        let first = good(sets);
        let again = Scenario::parse(&first.to_toml(), "shown.toml", &Overrides::default())
            .unwrap_or_else(|refusal| panic!("{refusal}\n{}", first.to_toml()));
        assert_eq!(format!("{:?}", again.plan()), format!("{:?}", first.plan()), "{sets:?}");
        assert_eq!(again.to_json(), first.to_json(), "{sets:?}");
        let json = Scenario::from_json(&first.to_json(), "shown.json", &Overrides::default())
            .expect("a good scenario");
        assert_eq!(json.to_json(), first.to_json(), "{sets:?}");
    }
    insta::assert_snapshot!(good(&[]).to_toml().split("[[flow]]").next().expect("a beginning"));
}

/// A propagation model uses the frequency of the band: at 5 GHz a range is shorter than at 2.4 GHz by a
/// factor of 2.4 / 5.
#[test]
fn propagation_uses_the_frequency_of_the_band() {
    const POWERS: (&str, &str) = (
        "wlan.cell.propagation",
        "{ model = \"free-space\", power = \"20 dBm\", receive = \"-80 dBm\", sense = \"-90 dBm\" }",
    );
    let receive = |sets: &[(&str, &str)]| cell(good(sets).plan()).range.expect("a range").receive_metres;
    let (high, low) = (receive(&[AX, POWERS]), receive(&[AX, AT_2_4, POWERS]));
    assert!((high / low - 2.4 / 5.0).abs() < 1e-9, "{high} m and {low} m");
}

/// In 802.11n, ac and ax the error model applies only to MPDUs with data; in 802.11, b and g also to control
/// frames.
#[test]
fn errors_apply_to_control_frames_only_before_802_11n() {
    const LOSS: (&str, &str) = ("wlan.cell.errors", "{ kind = \"bernoulli\", loss = 0.1 }");
    const FER: (&str, &str) = ("wlan.cell.errors", "{ kind = \"bernoulli\", fer = 0.1 }");
    let model = |sets: &[(&str, &str)]| cell(good(sets).plan()).errors[0].model.clone();
    assert_eq!(model(&[LOSS]), ErrorPlan::Loss(0.1).limited_to_data());
    // The frame of a full datagram has 1472 + 28 + 38 bytes.
    assert_eq!(
        model(&[FER]),
        ErrorPlan::FrameErrorRate { fer: 0.1, reference_bits: 8 * 1538 }.limited_to_data()
    );
    let old = [("wlan.cell.standard", "802.11g"), ("wlan.cell.rate", "54 Mbit/s"), LOSS];
    assert_eq!(model(&old), ErrorPlan::Loss(0.1));
}

/// Returns the error model of a cell with errors by SNR.
fn snr(keys: &str, sets: &[(&str, &str)]) -> SnrPlan {
    let errors = format!("{{ kind = \"snr\"{keys} }}");
    let scenario = good(&[sets, &[("wlan.cell.errors", errors.as_str())]].concat());
    match &cell(scenario.plan()).errors[0].model {
        ErrorPlan::OfData(model) => match **model {
            ErrorPlan::Snr(plan) => plan,
            ref other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

/// The defaults are those of ns-3, except that the spatial streams share the power.
#[test]
fn every_key_of_errors_by_snr_reaches_the_plan() {
    let defaults = snr("", &[]);
    let budget = LinkBudget {
        power_dbm: 16.0206,
        noise_figure_db: 7.0,
        reference_loss_db: 46.6777,
        exponent: 3.0,
        splits_power: true,
        min_rssi_dbm: None,
    };
    assert_eq!(
        (defaults.model, defaults.coding, defaults.budget),
        (PerModel::Table, ChannelCode::Bcc, budget)
    );
    assert_eq!((defaults.mode, defaults.group_rate), (ht(&[]).mode, Rate::from_bps(24_000_000)));
    assert_eq!(snr(", model = \"nist\"", &[]).model, PerModel::Nist);
    assert_eq!(snr(", coding = \"ldpc\"", &[]).coding, ChannelCode::Ldpc);
    assert_eq!(snr("", &[("wlan.cell.control_rate", "6 Mbit/s")]).group_rate, Rate::from_bps(6_000_000));
    let loss = snr("", &[AX, AT_2_4]).budget.reference_loss_db;
    assert!(
        (loss - 20.0 * (4.0 * std::f64::consts::PI * 2.4e9 / 299_792_458.0).log10()).abs() < 0.01,
        "{loss} dB"
    );
    let keys = ", power = \"20 dBm\", noise_figure = \"10 dB\", exponent = 2, reference_loss = \"40 dB\", \
                power_split = false, min_rssi = \"-82 dBm\"";
    let given = LinkBudget {
        power_dbm: 20.0,
        noise_figure_db: 10.0,
        reference_loss_db: 40.0,
        exponent: 2.0,
        splits_power: false,
        min_rssi_dbm: Some(-82.0),
    };
    assert_eq!(snr(keys, &[]).budget, given);
}

/// 802.11ax requires LDPC above 20 MHz, 4 streams or MCS 9 (802.11ax-2021 §27.3.12.5). The closed forms are
/// bounds for convolutional codes.
#[test]
fn the_default_code_is_that_of_the_standard() {
    for (mcs, width, model, coding) in [
        ("{ mcs = 9 }", "20 MHz", "table", ChannelCode::Bcc),
        ("{ mcs = 10 }", "20 MHz", "table", ChannelCode::Ldpc),
        ("{ mcs = 0, streams = 5 }", "20 MHz", "table", ChannelCode::Ldpc),
        ("{ mcs = 0 }", "80 MHz", "table", ChannelCode::Ldpc),
        ("{ mcs = 0 }", "80 MHz", "yans", ChannelCode::Bcc),
    ] {
        let sets = [AX, ("wlan.cell.rate", mcs), ("wlan.cell.width", width)];
        assert_eq!(snr(&format!(", model = \"{model}\""), &sets).coding, coding, "{mcs} {width} {model}");
    }
    assert_eq!(snr("", &[N]).coding, ChannelCode::Bcc);
}

/// Errors by SNR use the power of the propagation model, unless they have a power of their own.
#[test]
fn errors_by_snr_have_the_power_of_the_propagation_model() {
    const POWERS: (&str, &str) = (
        "wlan.cell.propagation",
        "{ model = \"free-space\", power = \"20 dBm\", receive = \"-80 dBm\", sense = \"-90 dBm\" }",
    );
    assert_eq!(snr("", &[POWERS]).budget.power_dbm, 20.0);
    assert_eq!(snr(", power = \"10 dBm\"", &[POWERS]).budget.power_dbm, 10.0);
}

const BAD: &[&[(&str, &str)]] = &[
    &[("wlan.cell.standard", "802.11be")],
    &[("wlan.cell.band", "2.4 GHz")],
    &[("wlan.cell.band", "6 GHz")],
    &[("wlan.cell.standard", "802.11n"), ("wlan.cell.width", "80 MHz")],
    &[AX, AT_2_4, ("wlan.cell.width", "80 MHz")],
    &[("wlan.cell.width", "80MHz")],
    &[("wlan.cell.guard_interval", "1600 ns")],
    &[("wlan.cell.rate", "54 Mbit/s")],
    &[("wlan.cell.rate", "54")],
    &[("wlan.cell.rate", "{ streams = 1 }")],
    &[("wlan.cell.rate", "{ mcs = 7, control = \"minstrel-ht\" }")],
    &[("wlan.cell.rate", "{ mcs = 10 }")],
    &[("wlan.cell.rate", "{ mcs = 7, streams = 9 }")],
    &[("wlan.cell.rate", "{ mcs = 9 }"), ("wlan.cell.width", "20 MHz")],
    &[("wlan.cell.standard", "802.11n"), ("wlan.cell.rate", "{ mcs = 15 }")],
    &[("wlan.cell.standard", "802.11n"), ("wlan.cell.rate", "{ mcs = 7, streams = 5 }")],
    &[("wlan.cell.control_rate", "54 Mbit/s")],
    &[("wlan.cell.aggregation.bytes", "\"65535 B\"")],
    &[("wlan.cell.aggregation.bytes", "2000000")],
    &[("wlan.cell.aggregation.frames", "65")],
    &[AX, ("wlan.cell.aggregation.frames", "257")],
    &[N, ("wlan.cell.aggregation.amsdu", "4066")],
    &[AX, ("wlan.cell.aggregation.amsdu", "\"most\"")],
    &[("wlan.cell.aggregation", "{ bytes = 0, amsdu = 3839 }")],
    &[("wlan.cell.aggregation", "{ bytes = 0, frames = 65 }"), ("wlan.cell.lifetime", "1 s")],
    &[("wlan.cell.aggregation", "{ bytes = 0 }"), ("wlan.cell.lost_block_ack", "request")],
    &[("wlan.cell.lost_block_ack", "retry")],
    &[("wlan.cell.lifetime", "100 ms"), ("wlan.cell.attempts", "7")],
    &[("wlan.cell.lifetime", "0 s")],
    &[("wlan.cell.txop", "{ VI = \"4.096 s\" }")],
    &[("wlan.cell.txop", "{ BE = \"2528\" }")],
    &[("wlan.cell.txop", "{ AC_VO = \"2.080 ms\" }")],
    &[("wlan.cell.nav", "limit")],
    &[("wlan.cell.nav", "limit"), ("wlan.cell.txop", "{ VO = \"0 s\" }")],
    &[("wlan.cell.nav", "txop"), ("wlan.cell.txop", "{ VO = \"2.080 ms\" }")],
    &[("wlan.cell.eifs", "sometimes")],
    &[("wlan.cell.preset", "ns2")],
    &[("wlan.cell.immediate_access", "false")],
    &[("wlan.cell.ack_timeout", "ns2")],
    &[("wlan.cell.receiver", "lock")],
    &[("wlan.cell.phy.cw_min", "31")],
    &[("wlan.cell.retry_delay", "80 ms")],
    &[("wlan.cell.fragmentation", "500 B")],
    &[("wlan.cell.errors", "{ kind = \"snr\", model = \"nist\", coding = \"ldpc\" }")],
    &[("wlan.cell.errors", "{ kind = \"snr\", model = \"tables\" }")],
    &[("wlan.cell.errors", "{ kind = \"snr\", noise_figure = \"-1 dB\", exponent = 11, power = \"0.1 W\" }")],
    &[("wlan.cell.errors", "{ kind = \"snr\", fading = \"rayleigh\" }")],
    &[("flow.up.access_category", "best effort")],
    // The next cases use a standard that does not have these keys.
    &[("wlan.cell.standard", "802.11g"), ("wlan.cell.rate", "54 Mbit/s"), ("flow.up.access_category", "VO")],
    &[
        ("wlan.cell.standard", "802.11b"),
        ("wlan.cell.rate", "11 Mbit/s"),
        ("wlan.cell.txop", "{ VO = \"2.080 ms\" }"),
    ],
    &[("wlan.cell.standard", "802.11g"), ("wlan.cell.rate", "54 Mbit/s"), ("wlan.cell.nav", "limit")],
    &[
        ("wlan.cell.standard", "802.11g"),
        ("wlan.cell.rate", "54 Mbit/s"),
        ("wlan.cell.errors", "{ kind = \"snr\" }"),
    ],
    &[("wlan.cell.standard", "802.11g")],
    &[("wlan.cell.standard", "802.11g"), ("wlan.cell.rate", "54 Mbit/s"), ("wlan.cell.width", "20 MHz")],
    &[("wlan.cell.standard", "802.11g"), ("wlan.cell.rate", "54 Mbit/s"), ("wlan.cell.lifetime", "1 s")],
    &[
        ("wlan.cell.standard", "802.11g"),
        ("wlan.cell.rate", "54 Mbit/s"),
        ("wlan.cell.aggregation.bytes", "0"),
    ],
];

#[test]
fn every_wifi_mistake_has_its_message() {
    let mut page = String::new();
    for sets in BAD {
        let refusal = read(sets).expect_err("a refusal");
        let _ = writeln!(page, "== {sets:?}\n{refusal}\n");
    }
    insta::assert_snapshot!(page);
}

/// HACK and LHP need a part of a damaged segment, which 802.11ac does not deliver. Other schemes run.
#[test]
fn hack_and_lhp_over_802_11ac_are_refused() {
    let with = |scheme: &str, services: &str| {
        let flow = CELL.replace("transport = \"udp\"", &format!("scheme = \"{scheme}\"\n{services}"));
        let flow = flow.replace("app = { kind = \"cbr\", rate = \"1 Mbit/s\" }\n", "");
        Scenario::parse(&flow, "cell.toml", &Overrides::default()).map_err(|refusal| refusal.to_string())
    };
    for (scheme, service) in [("lhp", "fragments"), ("hack", "damaged-frames")] {
        let refusal = with(scheme, "").expect_err("a refusal");
        let expected = format!(
            "cell.toml:13: flow.up.scheme: wlan \"cell\" of 802.11ac, on its path, cannot provide \"{service}\": each MPDU has \
             its own FCS, and no part of a damaged MPDU is usable; expected another scheme than \"{scheme}\", or services = []"
        );
        assert_eq!(refusal, expected);
        let named = with("reno", &format!("services = [\"{service}\"]")).expect_err("a refusal");
        assert!(
            named.contains("flow.up.services: ") && named.ends_with("is usable; leave it out"),
            "{named}"
        );
        assert!(with(scheme, "services = []").is_ok());
    }
    for scheme in ["snoop", "eln", "ll-elsn", "ebsn", "newreno-ff", "cubic"] {
        if let Err(refusal) = with(scheme, "") {
            panic!("{refusal}");
        }
    }
}
