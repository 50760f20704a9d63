//! Rates of a single station, compared with a closed form.
//!
//! The station sends datagrams of 1472 bytes as best effort, without losses. One cycle is AIFS, a mean
//! backoff, the PPDU with k MPDUs, SIFS, and the BlockAck or Ack.

use super::good;
use airhop_net::World;
use airhop_scenario::Scenario;
use std::sync::atomic::AtomicBool;

const PAYLOAD: u32 = 1472;
/// Length of an MPDU, bytes: payload, UDP, IP, LLC and SNAP, QoS data header, and FCS.
const MPDU: u32 = PAYLOAD + 8 + 20 + 8 + 26 + 4;
const AIFS_US: f64 = 16.0 + 3.0 * 9.0;
const MEAN_BACKOFF_US: f64 = 7.5 * 9.0;
const MAX_PPDU_US: f64 = 5484.0;

#[derive(Clone, Copy, Debug)]
struct Row {
    standard: &'static str,
    mcs: u8,
    streams: u8,
    width: u32,
    short: bool,
    bytes: Option<u32>,
    rts: bool,
    /// Goodput in Mbit/s, printed by an independent program with the same formulas.
    mbps: f64,
}

const fn row(standard: &'static str, mcs: u8, streams: u8, width: u32, bytes: Option<u32>, mbps: f64) -> Row {
    Row { standard, mcs, streams, width, short: false, bytes, rts: false, mbps }
}

const ROWS: [Row; 15] = [
    row("802.11n", 7, 1, 20, Some(0), 30.787),
    row("802.11n", 7, 1, 20, None, 59.750),
    Row { short: true, ..row("802.11n", 7, 1, 20, None, 66.392) },
    row("802.11n", 7, 2, 40, None, 233.023),
    row("802.11ac", 9, 1, 80, Some(0), 51.991),
    row("802.11ac", 9, 1, 80, Some(8191), 164.240),
    row("802.11ac", 9, 1, 80, None, 338.497),
    Row { rts: true, ..row("802.11ac", 9, 1, 80, None, 325.627) },
    Row { short: true, ..row("802.11ac", 9, 1, 80, None, 371.904) },
    row("802.11ac", 9, 2, 80, None, 618.518),
    row("802.11ax", 11, 1, 20, None, 131.315),
    row("802.11ax", 11, 1, 80, Some(0), 52.361),
    row("802.11ax", 11, 1, 80, None, 549.468),
    row("802.11ax", 11, 2, 80, None, 1055.811),
    row("802.11ax", 0, 1, 20, None, 7.712),
];

impl Row {
    fn data_bits(&self) -> f64 {
        const BITS: [f64; 12] = [1.0, 2.0, 2.0, 4.0, 4.0, 6.0, 6.0, 6.0, 8.0, 8.0, 10.0, 10.0];
        const CODE: [(f64, f64); 12] = [
            (1., 2.),
            (1., 2.),
            (3., 4.),
            (1., 2.),
            (3., 4.),
            (2., 3.),
            (3., 4.),
            (5., 6.),
            (3., 4.),
            (5., 6.),
            (3., 4.),
            (5., 6.),
        ];
        let subcarriers = match (self.standard, self.width) {
            ("802.11n" | "802.11ac", 20) => 52.0,
            ("802.11n" | "802.11ac", 40) => 108.0,
            ("802.11ac", _) => 234.0,
            (_, 20) => 234.0,
            _ => 980.0,
        };
        let mcs = usize::from(self.mcs);
        let (of, by) = CODE[mcs];
        (subcarriers * BITS[mcs] * f64::from(self.streams) * of / by + 1e-6).floor()
    }

    fn data_us(&self, psdu: u32) -> f64 {
        let is_he = self.standard == "802.11ax";
        let symbol = match (is_he, self.short) {
            (true, _) => 13.6,
            (false, true) => 3.6,
            (false, false) => 4.0,
        };
        let mbps = self.data_bits() / symbol;
        let encoders = match self.standard {
            "802.11n" => {
                if mbps <= 300.0 {
                    1.0
                } else {
                    2.0
                }
            }
            "802.11ac" => (mbps / if self.short { 600.0 } else { 540.0 }).ceil(),
            _ if self.width == 20 && self.mcs <= 9 => 1.0,
            _ => 0.0,
        };
        let symbols = ((16.0 + 8.0 * f64::from(psdu) + 6.0 * encoders) / self.data_bits()).ceil();
        let streams = f64::from(self.streams);
        let preamble = match self.standard {
            "802.11n" => 32.0 + 4.0 * streams,
            "802.11ac" => 36.0 + 4.0 * streams,
            _ => 36.0 + 7.2 * streams,
        };
        let data = if self.short { (symbols * 3.6 / 4.0 - 1e-9).ceil() * 4.0 } else { symbols * symbol };
        preamble + data
    }

    fn psdu(&self, k: u32) -> u32 {
        match (k, self.standard) {
            (1, "802.11n") => MPDU,
            _ => (k - 1) * (MPDU + 4).next_multiple_of(4) + MPDU + 4,
        }
    }

    fn mpdus(&self) -> u32 {
        let (window, longest) = match self.standard {
            "802.11n" => (64, 65_535),
            "802.11ac" => (64, 1_048_575),
            _ => (256, 6_500_631),
        };
        let most = self.bytes.unwrap_or(longest);
        let fits = |k: &u32| self.psdu(*k) <= most && self.data_us(self.psdu(*k)) <= MAX_PPDU_US;
        (2..=window).take_while(fits).last().unwrap_or(1)
    }

    /// Returns the goodput, Mbit/s.
    fn closed_form(&self) -> f64 {
        let k = self.mpdus();
        let answer = match k {
            1 => 14,
            _ if self.standard == "802.11ax" => 56,
            _ => 32,
        };
        let rate = if self.mcs == 0 { 6 } else { 24 };
        let reservation = if self.rts { legacy_us(20, 24) + legacy_us(14, 24) + 2.0 * 16.0 } else { 0.0 };
        let exchange = reservation + self.data_us(self.psdu(k)) + 16.0 + legacy_us(answer, rate);
        f64::from(8 * k * PAYLOAD) / (AIFS_US + MEAN_BACKOFF_US + exchange)
    }

    fn scenario(&self) -> Scenario {
        let bytes = self.bytes.map_or("\"max\"".to_string(), |bytes| bytes.to_string());
        let sets = [
            ("wlan.cell.standard", self.standard.to_string()),
            ("wlan.cell.rate", format!("{{ mcs = {}, streams = {} }}", self.mcs, self.streams)),
            ("wlan.cell.width", format!("\"{} MHz\"", self.width)),
            ("wlan.cell.guard_interval", if self.short { "400 ns" } else { "800 ns" }.to_string()),
            ("wlan.cell.aggregation.bytes", bytes),
            ("wlan.cell.access", if self.rts { "rts-cts" } else { "basic" }.to_string()),
            ("warmup", "100 ms".to_string()),
            ("wlan.cell.queue.packets", "1000".to_string()),
            ("flow.up.app", format!("{{ kind = \"cbr\", rate = \"{} Mbit/s\" }}", 1.2 * self.mbps)),
        ];
        let sets: Vec<_> = sets.iter().map(|(path, value)| (*path, value.as_str())).collect();
        good(&sets)
    }
}

/// Returns the duration of an OFDM frame of `bytes` bytes at `mbps` Mbit/s, microseconds.
fn legacy_us(bytes: u32, mbps: u32) -> f64 {
    f64::from(20 + 4 * (22 + 8 * bytes).div_ceil(4 * mbps))
}

/// The closed form equals the values printed by an independent program with the same formulas.
#[test]
fn the_closed_form_goodput_equals_the_reference_program() {
    for row in ROWS {
        assert!((row.closed_form() / row.mbps - 1.0).abs() < 1e-4, "{row:?}: {}", row.closed_form());
    }
}

/// The capacity that the oracle and the hints use equals the closed form, to the nanosecond per packet.
#[test]
fn the_time_per_packet_is_its_share_of_an_ampdu() {
    for row in ROWS {
        let time = row.scenario().plan().links.wlans[0].cell.saturated_packet_time(PAYLOAD + 28);
        let expected = f64::from(8 * PAYLOAD) / row.closed_form() * 1000.0;
        assert!((time.nanos() as f64 - expected).abs() <= 1.0, "{row:?}: {time}, {expected} ns");
    }
}

/// The goodput of a saturated station is within 0.5 % of the closed form. In 1.9 s there are at least 340
/// frame exchanges; their mean backoff has a standard error of 2.2 µs, and the last exchange may be
/// incomplete.
#[test]
fn a_saturated_station_has_the_closed_form_goodput() {
    for row in ROWS {
        let mut world = World::new(row.scenario().plan(), 1, 0, None).expect("a good plan");
        world.run(&AtomicBool::new(false)).expect("nobody stops it");
        assert_eq!(world.check_packet_counts(), Ok(()));
        let goodput = world.report().flows[0].goodput_mbps;
        let ratio = goodput / row.closed_form();
        println!("{row:?}: {goodput:.3} Mbit/s, {ratio:.4}");
        assert!((ratio - 1.0).abs() < 0.005, "{row:?}: {goodput} Mbit/s, {ratio}");
    }
}
