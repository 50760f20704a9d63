//! PPDUs of 802.11n, ac and ax: exact durations for every mode, compared with an independent sum of the
//! standard's fields.

mod standard;

use airhop_base::{Rate, Span};
use airhop_radio::phy::ampdu::{PsduLimits, fill_psdu};
use airhop_radio::phy::{
    ACK_BYTES, BLOCK_ACK_REQ_BYTES, Band, CTS_BYTES, MAX_PPDU_TIME, ModeError, Phy, PpduFormat, RTS_BYTES,
    TxMode, TxSettings, block_ack_bytes,
};

fn settings(format: PpduFormat, mcs: u8, streams: u8, width_mhz: u32, guard_ns: u64) -> TxSettings {
    let (band, guard) = (Band::Ghz5, Span::from_nanos(guard_ns));
    TxSettings { format, band, mcs, streams, width_mhz, guard_interval: guard }
}

fn mode(format: PpduFormat, mcs: u8, streams: u8, width_mhz: u32, guard_ns: u64) -> TxMode {
    TxMode::new(settings(format, mcs, streams, width_mhz, guard_ns)).unwrap()
}

/// All modes of the standard are available, and no others.
#[test]
fn every_mcs_of_the_standard_is_available() {
    let (mut there, mut left_out) = (0, Vec::new());
    for settings in standard::settings() {
        match (TxMode::new(settings), standard::encoders(&settings)) {
            (Ok(mode), Some(encoders)) => {
                assert_eq!(
                    u64::from(mode.data_bits_per_symbol()),
                    standard::data_bits(&settings),
                    "{settings:?}"
                );
                assert_eq!(u64::from(mode.encoder_count()), encoders, "{settings:?}");
                assert_eq!(mode.data_rate().bps(), standard::data_rate(&settings), "{settings:?}");
                there += 1;
            }
            (Err(ModeError::LeftOut { mcs, streams, width_mhz, .. }), None) => {
                left_out.push((width_mhz, streams, mcs));
            }
            (other, encoders) => panic!("{settings:?}: {other:?}, in the tables {encoders:?}"),
        }
    }
    left_out.dedup(); // the two guard intervals lead to equal entries
    let at_20: Vec<_> = [1, 2, 4, 5, 7, 8].map(|streams| (20, streams, 9)).into();
    assert_eq!(left_out, [at_20, vec![(80, 3, 6), (80, 6, 9), (80, 7, 6), (160, 3, 9)]].concat());
    assert_eq!(there, 2 * (2 * 4 * 8 * 2) + (4 * 8 * 10 - 10) * 2 + (4 + 2) * 8 * 12 * 3);
}

/// The duration is exact for PSDUs of many lengths, among them for each mode lengths that exactly fill a
/// number of symbols, and lengths one byte longer.
#[test]
fn the_ppdu_duration_is_the_sum_of_its_fields() {
    let mut checked = 0;
    for settings in standard::settings() {
        let Ok(mode) = TxMode::new(settings) else { continue };
        let (bits, tail) = (standard::data_bits(&settings), 6 * standard::encoders(&settings).unwrap());
        let full = [1, 2, 3, 8, 9, 10, 11, 100, 507].map(|n| (n * bits).saturating_sub(16 + tail) / 8);
        let lengths = [1, 14, 90, 94, 1538, 1542, 3086, 43_230, 65_535, 1_048_575, 6_500_631];
        let most = settings.format.max_psdu_bytes();
        for psdu in lengths.into_iter().chain(full.into_iter().flat_map(|full| [full, full + 1])) {
            let Some(psdu) = u32::try_from(psdu).ok().filter(|psdu| (1..=most).contains(psdu)) else {
                continue;
            };
            let symbols = standard::symbols(&settings, psdu.into()).unwrap();
            let expected = standard::duration(&settings, symbols);
            assert_eq!(mode.airtime(psdu).nanos(), expected, "{psdu} bytes, {settings:?}");
            checked += 1;
        }
    }
    assert!(checked > 50_000, "{checked}");
}

/// The longest PSDU for a given duration fits into that duration, and a PSDU one byte longer does not.
#[test]
fn the_longest_psdu_just_fits_into_the_given_time() {
    for settings in standard::settings() {
        let Ok(mode) = TxMode::new(settings) else { continue };
        let ends = [1, 9, 100].map(|symbols| Span::from_nanos(standard::duration(&settings, symbols)));
        let around =
            ends.iter().flat_map(|end| [*end - Span::from_nanos(1), *end, *end + Span::from_nanos(1)]);
        for time in around.chain([1000, 2528, 5484].map(Span::from_micros)) {
            let most = mode.max_psdu_bytes(time);
            assert!(most == 0 || mode.airtime(most) <= time, "{time} {settings:?}");
            assert!(
                most == settings.format.max_psdu_bytes() || mode.airtime(most + 1) > time,
                "{time} {settings:?}"
            );
        }
        assert_eq!(mode.max_psdu_bytes(Span::ZERO), 0);
        assert_eq!(mode.max_psdu_bytes(Span::from_secs(1_000_000)), settings.format.max_psdu_bytes());
    }
}

/// The data rates equal those in the tables of the standard, Mbit/s with one decimal.
#[test]
fn rates_match_the_tables_of_the_standard() {
    use PpduFormat::{He, Ht, Vht};
    for (format, mcs, streams, width, guard, tenths) in [
        (Ht, 7, 1, 20, 800, 650),
        (Ht, 7, 1, 20, 400, 722),
        (Ht, 7, 4, 40, 400, 6000),
        (Vht, 9, 1, 80, 800, 3900),
        (Vht, 9, 1, 80, 400, 4333),
        (Vht, 9, 8, 160, 400, 69_333),
        (He, 0, 1, 20, 3200, 73),
        (He, 11, 1, 20, 800, 1434),
        (He, 11, 1, 80, 800, 6005),
        (He, 11, 2, 80, 800, 12_010),
        (He, 11, 8, 160, 800, 96_078),
    ] {
        let rate = mode(format, mcs, streams, width, guard).data_rate();
        assert_eq!((rate.bps() + 50_000) / 100_000, tenths, "{format:?} {mcs} {streams} {width} {guard}");
    }
}

/// Durations of RTS, CTS, Ack, BlockAckReq, and BlockAcks with bitmaps of 64 and 256 bits, in µs (IEEE
/// 802.11-2020 §17.4.3).
#[test]
fn control_frame_durations_match_ofdm() {
    let frames =
        [RTS_BYTES, CTS_BYTES, ACK_BYTES, BLOCK_ACK_REQ_BYTES, block_ack_bytes(64), block_ack_bytes(256)];
    let at = [(24, [28, 28, 28, 32, 32, 40]), (12, [36, 32, 32, 40, 44, 60]), (6, [52, 44, 44, 56, 68, 100])];
    let phys =
        PpduFormat::ALL.into_iter().flat_map(|format| [Band::Ghz5, Band::Ghz2_4].map(|band| (format, band)));
    for (format, band) in phys {
        let Some(phy) = format.phy(band) else {
            assert_eq!((format, band), (PpduFormat::Vht, Band::Ghz2_4));
            continue;
        };
        let (sifs, extension) = if band == Band::Ghz5 { (16, 0) } else { (10, 6) };
        for (mbps, durations) in at {
            let airtime = |bytes| phy.airtime(bytes, Rate::from_bps(mbps * 1_000_000)).nanos();
            assert_eq!(frames.map(airtime), durations.map(|us| (us + extension) * 1000), "{format:?} {mbps}");
        }
        let spans = [phy.sifs, phy.slot, phy.difs(), phy.response_timeout(), phy.eifs()];
        let eifs = sifs + (44 + extension) + (sifs + 18);
        assert_eq!(
            spans.map(|span| span.nanos() / 1000),
            [sifs, 9, sifs + 18, 29, eifs],
            "{format:?} {band:?}"
        );
        assert_eq!((phy.name, phy.cw_min, phy.cw_max), (format.name(), 15, 1023));
        assert_eq!(PpduFormat::find(phy.name), Some(format));
        assert_eq!(Phy::find(phy.name), None, "scenario files refuse it");
    }
    assert_eq!([1, 64, 65, 256].map(block_ack_bytes), [32, 32, 56, 56]);
}

/// The response to MCS 0 is sent at 6 Mbit/s, that to MCS 1 and 2 at 12, and all others at 24 (IEEE
/// 802.11-2020 §10.6.6.5).
#[test]
fn responses_are_sent_at_basic_rates() {
    let rates = |mcs| {
        let mode = mode(PpduFormat::He, mcs, 1, 20, 800);
        [mode.reference_rate(), mode.response_rate()].map(|rate| rate.bps() / 1_000_000)
    };
    let expected = [[6, 6], [12, 12], [18, 12], [24, 24], [36, 24], [48, 24], [54, 24], [54, 24], [54, 24]];
    let mcs: Vec<_> = (0..9).map(rates).collect();
    assert_eq!(mcs, expected);
    assert_eq!([9, 10, 11].map(rates), [[54, 24]; 3]);
}

/// Example computed by hand. The settings, with the maximum A-MPDU, the window and whether RTS is used; then
/// N_DBPS, the number of MPDUs, the PSDU, the PPDU's duration and the cycle in tenths of µs, and the goodput
/// in bit/s.
type Example = (TxSettings, (u32, u32, bool), (u32, u32, u32, u64, u64, u64));

/// A single station sends datagrams of 1472 bytes of UDP payload as best effort. Its cycle is AIFS and half
/// of the minimum window, the PPDU, a SIFS and the answer.
#[test]
fn a_lone_station_has_the_worked_goodput_of_each_format() {
    const MAX: u32 = u32::MAX;
    let n = |mcs, streams, width, guard| settings(PpduFormat::Ht, mcs, streams, width, guard);
    let ac = |streams, guard| settings(PpduFormat::Vht, 9, streams, 80, guard);
    let ax = |mcs, streams, width| settings(PpduFormat::He, mcs, streams, width, 800);
    let examples: [Example; 15] = [
        (n(7, 1, 20, 800), (0, 64, false), (260, 1, 1538, 2280, 3825, 30_787)),
        (n(7, 1, 20, 800), (MAX, 64, false), (260, 28, 43_230, 53_600, 55_185, 59_750)),
        (n(7, 1, 20, 400), (MAX, 64, false), (260, 31, 47_862, 53_400, 54_985, 66_392)),
        (n(7, 2, 40, 800), (MAX, 64, false), (1080, 42, 64_846, 19_640, 21_225, 233_023)),
        (ac(1, 800), (0, 64, false), (1560, 1, 1542, 720, 2265, 51_991)),
        (ac(1, 800), (8191, 64, false), (1560, 5, 7718, 2000, 3585, 164_240)),
        (ac(1, 800), (MAX, 64, false), (1560, 64, 98_814, 20_680, 22_265, 338_497)),
        (ac(1, 800), (MAX, 64, true), (1560, 64, 98_814, 20_680, 23_145, 325_627)),
        (ac(1, 400), (MAX, 64, false), (1560, 64, 98_814, 18_680, 20_265, 371_904)),
        (ac(2, 800), (MAX, 64, false), (3120, 64, 98_814, 10_600, 12_185, 618_518)),
        (ax(11, 1, 20), (MAX, 256, false), (1950, 63, 97_270, 54_832, 56_497, 131_315)),
        (ax(11, 1, 80), (0, 256, false), (8166, 1, 1542, 704, 2249, 52_361)),
        (ax(11, 1, 80), (MAX, 256, false), (8166, 256, 395_262, 53_200, 54_865, 549_468)),
        (ax(11, 2, 80), (MAX, 256, false), (16_333, 256, 395_262, 26_888, 28_553, 1_055_811)),
        (ax(0, 1, 20), (MAX, 256, false), (117, 3, 4630, 43_544, 45_809, 7_712)),
    ];
    for (settings, (bytes, window, has_rts), expected) in examples {
        let (mode, phy) = (TxMode::new(settings).unwrap(), settings.format.phy(settings.band).unwrap());
        let limits = PsduLimits::new(&mode, bytes, window, MAX_PPDU_TIME);
        let psdu = fill_psdu(&limits, std::iter::repeat_n(26 + 1508 + 4, 1000));
        let data = mode.airtime(psdu.bytes());
        let answer = if psdu.mpdu_count() == 1 { ACK_BYTES } else { block_ack_bytes(window) };
        let control = |bytes| phy.airtime(bytes, Rate::from_bps(24_000_000)) + phy.sifs;
        let protection = if has_rts { control(RTS_BYTES) + control(CTS_BYTES) } else { Span::ZERO };
        let access = phy.sifs + phy.slot * 3 + phy.slot * u64::from(phy.cw_min) / 2;
        let cycle = access + protection + data + phy.sifs + phy.airtime(answer, mode.response_rate());
        let bits = u64::from(psdu.mpdu_count()) * 8 * 1472;
        let kbps = (bits * 1_000_000 * 2 / cycle.nanos()).div_ceil(2); // rounded
        let found = (
            mode.data_bits_per_symbol(),
            psdu.mpdu_count(),
            psdu.bytes(),
            data.nanos() / 100,
            cycle.nanos() / 100,
            kbps,
        );
        assert_eq!(found, expected, "{settings:?}");
    }
}

/// An error about a setting contains the setting, its value, and the values that the standard has.
#[test]
fn a_phy_setting_error_names_the_allowed_values() {
    let refusal = |settings| TxMode::new(settings).unwrap_err().to_string();
    let at_2_4 = |settings| TxSettings { band: Band::Ghz2_4, ..settings };
    use PpduFormat::{He, Ht, Vht};
    let cases = [
        (settings(Ht, 8, 1, 20, 800), "MCS 8: expected 0 to 7 for 802.11n"),
        (settings(Vht, 10, 1, 80, 800), "MCS 10: expected 0 to 9 for 802.11ac"),
        (settings(He, 12, 1, 80, 800), "MCS 12: expected 0 to 11 for 802.11ax"),
        (settings(Ht, 7, 0, 20, 800), "0 spatial streams: expected 1 to 4 for 802.11n"),
        (settings(He, 7, 9, 20, 800), "9 spatial streams: expected 1 to 8 for 802.11ax"),
        (
            settings(Ht, 7, 1, 80, 800),
            "a width of 80 MHz: expected 20 MHz or 40 MHz for 802.11n in the 5 GHz band",
        ),
        (
            at_2_4(settings(He, 7, 1, 80, 800)),
            "a width of 80 MHz: expected 20 MHz or 40 MHz for 802.11ax in the 2.4 GHz band",
        ),
        (
            settings(Vht, 7, 1, 30, 800),
            "a width of 30 MHz: expected 20 MHz, 40 MHz, 80 MHz or 160 MHz for 802.11ac in the 5 GHz band",
        ),
        (
            settings(He, 7, 1, 20, 400),
            "a guard interval of 400 ns: expected 800 ns, 1600 ns or 3200 ns for 802.11ax",
        ),
        (settings(Ht, 7, 1, 20, 1600), "a guard interval of 1600 ns: expected 400 ns or 800 ns for 802.11n"),
        (at_2_4(settings(Vht, 7, 1, 20, 800)), "the 2.4 GHz band: expected 5 GHz for 802.11ac"),
        (
            settings(Vht, 9, 1, 20, 800),
            "MCS 9: expected 0, 1, 2, 3, 4, 5, 6, 7 or 8 for 802.11ac at 20 MHz with spatial streams: 1",
        ),
        (
            settings(Vht, 6, 3, 80, 400),
            "MCS 6: expected 0, 1, 2, 3, 4, 5, 7, 8 or 9 for 802.11ac at 80 MHz with spatial streams: 3",
        ),
    ];
    for (settings, expected) in cases {
        assert_eq!(refusal(settings), expected);
    }
}
