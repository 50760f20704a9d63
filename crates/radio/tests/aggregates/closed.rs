//! Closed forms for cells with aggregation, computed independently of the simulator. Times are in
//! microseconds.
use super::Setting;
use airhop_engine::RandomStreams;
use airhop_radio::phy::PpduFormat;

const SIFS: f64 = 16.0;
const SLOT: f64 = 9.0;
const AIFS: f64 = SIFS + 3.0 * SLOT;
/// EIFS of best effort: SIFS, an Ack at 6 Mbit/s, and AIFS.
const EIFS: f64 = SIFS + 44.0 + AIFS;
const TIMEOUT: f64 = SIFS + SLOT + 20.0;
const MAX_PPDU: f64 = 5484.0;

/// Returns the airtime of a control frame (IEEE 802.11-2020 §17.4.3).
pub fn control(bytes: u32, mbps: u32) -> f64 {
    f64::from(20 + 4 * (22 + 8 * bytes).div_ceil(4 * mbps))
}

pub fn answer_mbps(mcs: u8) -> u32 {
    [6, 12, 12].get(usize::from(mcs)).copied().unwrap_or(24)
}

/// Returns two durations for a station without contenders that sends an A-MPDU of `k` MPDUs with `mpdu` bytes
/// each: the airtime of the PPDU, and the time of the frame exchange up to the end of the answer.
pub fn exchange(s: &Setting, mpdu: u32, k: u32) -> (f64, f64) {
    let mode = s.mode().expect("a mode");
    let psdu = match (k, s.format) {
        (1, PpduFormat::Ht) => mpdu,
        _ => (k - 1) * (mpdu + 4).next_multiple_of(4) + mpdu + 4,
    };
    let data = mode.airtime(psdu).nanos() as f64 / 1e3;
    let block_ack = if s.window() > 64 { 56 } else { 32 };
    let answer = control(if k == 1 { 14 } else { block_ack }, answer_mbps(s.mcs));
    let rts = if s.rts { control(20, 24) + control(14, 24) + 2.0 * SIFS } else { 0.0 };
    (data, rts + data + SIFS + answer)
}

/// Returns the length of the longest MPDU for packets with `payload` bytes of payload each, bytes, and its
/// number of packets. Each subframe of an A-MSDU has a header of 14 bytes, and all but the last are padded to
/// a multiple of 4. The MPDU must fit into an A-MPDU, and into a PPDU of 5.484 ms.
pub fn longest_mpdu(s: &Setting, payload: u32) -> (u32, u32) {
    let (mode, subframe) = (s.mode().expect("a mode"), 14 + payload + 36);
    let mpdu =
        |n: u32| 30 + if n == 1 { payload + 36 } else { (n - 1) * subframe.next_multiple_of(4) + subframe };
    let fits = |n: u32| {
        let psdu = mpdu(n) + 4;
        let is_short = psdu <= s.ampdu && mode.airtime(psdu).nanos() as f64 / 1e3 <= MAX_PPDU;
        mpdu(n) - 30 <= s.amsdu && is_short
    };
    let packets = (2..).take_while(|n| fits(*n)).last().unwrap_or(1);
    (mpdu(packets), packets)
}

/// Returns the number of MPDUs in the longest A-MPDU, for MPDUs of `mpdu` bytes each.
pub fn longest(s: &Setting, mpdu: u32) -> u32 {
    let mode = s.mode().expect("a mode");
    let fits = |k: u32| {
        let psdu = (k - 1) * (mpdu + 4).next_multiple_of(4) + mpdu + 4;
        psdu <= s.ampdu.min(s.format.max_psdu_bytes()) && mode.airtime(psdu).nanos() as f64 / 1e3 <= MAX_PPDU
    };
    (2..=s.window()).take_while(|k| fits(*k)).last().unwrap_or(1)
}

/// Returns the goodput of a single station whose datagrams have `payload` bytes of payload, Mbit/s.
pub fn lone(s: &Setting, payload: u32) -> f64 {
    let (mpdu, packets) = longest_mpdu(s, payload);
    let k = longest(s, mpdu);
    let (_, exchange) = exchange(s, mpdu, k);
    f64::from(8 * k * packets * payload) / (AIFS + 7.5 * SLOT + exchange)
}

/// Returns the goodput of `n` stations by Bianchi's model with the values of EDCA, Mbit/s. `attempts` is the
/// limit of attempts per frame, if there is one.
pub fn bianchi(s: &Setting, payload: u32, n: u32, attempts: Option<u32>) -> f64 {
    let (tau, _) = fixed_point(n, attempts);
    let mpdu = payload + 28 + 38;
    let k = longest(s, mpdu);
    let (data, exchange) = exchange(s, mpdu, k);
    let success = exchange + AIFS;
    let collision = if s.rts { control(20, 24) } else { data } + if s.eifs { EIFS } else { AIFS };
    let n = f64::from(n);
    let busy = 1.0 - (1.0 - tau).powf(n);
    let alone = n * tau * (1.0 - tau).powf(n - 1.0);
    let slot = (1.0 - busy) * SLOT + alone * success + (busy - alone) * collision;
    alone * f64::from(8 * k * payload) / slot
}

fn fixed_point(n: u32, attempts: Option<u32>) -> (f64, f64) {
    let tau = |p: f64| {
        let stages = attempts.unwrap_or(4000);
        let (mut tries, mut slots, mut weight) = (0.0, 0.0, 1.0);
        for i in 0..stages {
            tries += weight;
            slots += weight * (16.0 * f64::from(1 << i.min(6)) + 1.0) / 2.0;
            weight *= p;
        }
        tries / slots
    };
    let (mut low, mut high) = (0.0, 0.999);
    for _ in 0..100 {
        let p = (low + high) / 2.0;
        match 1.0 - (1.0 - tau(p)).powi(n as i32 - 1) > p {
            true => low = p,
            false => high = p,
        }
    }
    (tau(low), low)
}

/// Returns the goodput of a single station whose MPDUs are lost independently, Mbit/s. It is the mean over
/// `rounds` frame exchanges with the Block Ack window: an MPDU is first sent when all MPDUs that are a window
/// or more before it are acknowledged. If all MPDUs of an exchange are lost, it ends in a timeout, and CW
/// doubles.
pub fn lossy(s: &Setting, payload: u32, loss: f64, rounds: u32) -> f64 {
    let (mpdu, packets) = longest_mpdu(s, payload);
    let most = longest(s, mpdu);
    let mut stream = RandomStreams::new(7, 0).stream("window law");
    let mut draw = || f64::from(stream.uniform_below(1 << 30)) / f64::from(1 << 30);
    let (mut waiting, mut next) = (Vec::<u64>::new(), 0);
    let (mut cw, mut time, mut delivered) = (15.0, 0.0, 0_u32);
    for _ in 0..rounds {
        let first = waiting.first().copied().unwrap_or(next);
        let mut sent: Vec<u64> = waiting.iter().copied().take(most as usize).collect();
        let rest = waiting.split_off(sent.len());
        while sent.len() < most as usize && next < first + u64::from(s.window()) {
            sent.push(next);
            next += 1;
        }
        let (data, exchange) = exchange(s, mpdu, sent.len() as u32);
        let count = sent.len();
        sent.retain(|_| draw() < loss);
        let got = count - sent.len();
        time += AIFS + cw / 2.0 * SLOT + if got > 0 { exchange } else { data + TIMEOUT };
        cw = if got > 0 { 15.0 } else { (2.0 * cw + 1.0_f64).min(1023.0) };
        delivered += got as u32;
        waiting = sent;
        waiting.extend(rest);
    }
    f64::from(8 * packets * payload) * f64::from(delivered) / time
}
