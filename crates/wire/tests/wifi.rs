//! 802.11 frames and radiotap headers, byte for byte after their layouts.

use airhop_base::{AccessCategory, Fragment, NodeId, Rate, Span};
use airhop_wire::addressing::{bssid, mac_address};
use airhop_wire::wifi::{
    AmpduPosition, ControlFrame, DataHeader, FrameAddresses, FrameBody, PpduMode, Radiotap, RadiotapChannel,
    RadiotapPpdu, append_fcs, tid,
};

const AP: [u8; 6] = [0x02, 0xA1, 0, 0, 0, 1];
const STATION: [u8; 6] = [0x02, 0xA1, 0, 0, 0, 2];
const TO_STATION: FrameAddresses = FrameAddresses { receiver: STATION, transmitter: AP };

/// Returns bytes from their hexadecimal digits.
fn hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u32> = digits.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

fn control(frame: ControlFrame, duration_us: u64) -> Vec<u8> {
    let mut out = Vec::new();
    frame.write(Span::from_micros(duration_us), &TO_STATION, &mut out);
    out
}

/// IEEE 802 §8.2: the second bit of the first byte marks a locally administered address, the first bit a group
/// address.
#[test]
fn mac_addresses_are_locally_administered_and_distinct() {
    assert_eq!(mac_address(0, NodeId(0)), AP);
    assert_eq!(mac_address(0x102, NodeId(0x304)), [0x02, 0xA1, 1, 2, 3, 5]);
    assert_eq!((bssid(1), mac_address(7, NodeId::BROADCAST)), ([0x02, 0xA1, 0, 1, 0, 0], [0xFF; 6]));
    assert_eq!(mac_address(0, NodeId(u16::MAX - 1)), [0x02, 0xA1, 0, 0, 0xFF, 0xFF]);
}

/// IEEE 802.11-2020 §9.3.1.2 to §9.3.1.4: RTS, CTS and Ack have 20, 14 and 14 bytes with FCS.
#[test]
fn rts_cts_and_ack_match_their_layouts() {
    assert_eq!(control(ControlFrame::Rts, 300), hex("b400 2c01 02a100000002 02a100000001"));
    assert_eq!(control(ControlFrame::Cts, 0x102), hex("c400 0201 02a100000002"));
    assert_eq!(control(ControlFrame::Ack, 0), hex("d400 0000 02a100000002"));
}

/// IEEE 802.11-2020 §9.3.1.7, §9.3.1.8 and 802.11ax-2021 §9.3.1.8.2: BlockAckReq and the BlockAcks with 64
/// and 256 bits have 24, 32 and 56 bytes with FCS.
#[test]
fn compressed_block_acks_match_their_layouts() {
    let request = control(ControlFrame::BlockAckReq { tid: 6, start: 4096 + 0xABC }, 60);
    assert_eq!(request, hex("8400 3c00 02a100000002 02a100000001 0460 c0ab"));
    let bitmap = [0x8000_0000_0000_0001, 2, 0, 1 << 63];
    let narrow = control(ControlFrame::BlockAck { tid: 0, start: 1, bitmap, is_wide: false }, 0);
    assert_eq!(narrow, hex("9400 0000 02a100000002 02a100000001 0400 1000 0100000000000080"));
    let wide = control(ControlFrame::BlockAck { tid: 0, start: 1, bitmap, is_wide: true }, 0);
    let words = "0100000000000080 0200000000000000 0000000000000000 0000000000000080";
    assert_eq!(wide, hex(&format!("9400 0000 02a100000002 02a100000001 0400 1400 {words}")));
    assert_eq!([request, narrow, wide].map(|frame| frame.len() + 4), [24, 32, 56]);
}

/// IEEE 802.11-2020 §9.2.4, §9.3.2.1: the header has 24 bytes, and 26 with QoS Control.
#[test]
fn data_headers_match_their_layouts() {
    let data = DataHeader {
        duration: Span::from_nanos(48_001),
        addresses: TO_STATION,
        bssid: bssid(0),
        sequence: 4095,
        fragment: 0,
        more_fragments: false,
        retry: false,
        tid: Some(tid(AccessCategory::Vi)),
        is_amsdu: false,
    };
    let written = |data: DataHeader| {
        let mut out = Vec::new();
        data.write(&mut out);
        out
    };
    let addresses = "02a100000002 02a100000001 02a100000000";
    assert_eq!(written(data), hex(&format!("8800 3100 {addresses} f0ff 0500")), "rounded up");
    let amsdu = DataHeader { retry: true, sequence: 4096, tid: Some(0), is_amsdu: true, ..data };
    assert_eq!(written(amsdu), hex(&format!("8808 3100 {addresses} 0000 8000")));
    let fragment = DataHeader { fragment: 3, more_fragments: true, tid: None, ..data };
    assert_eq!(written(fragment), hex(&format!("0804 3100 {addresses} f3ff")));
    let long = DataHeader { duration: Span::from_secs(1), ..fragment };
    assert_eq!(written(long)[2..4], [0xFF, 0x7F], "at most 32767 µs");
}

/// IEEE 802.2 and RFC 1042: LLC and SNAP; IEEE 802.11-2020 §9.3.2.2.2: the first subframe is padded.
#[test]
fn one_msdu_is_sent_alone_and_several_as_an_amsdu() {
    let (whole, mut body) = (Fragment::default(), FrameBody::default());
    body.push(&TO_STATION, &[0x45, 1, 2], 3);
    assert_eq!(body.fragment_bytes(&whole), hex("aaaa03000000 0800 450102"));
    assert!(!body.is_amsdu());
    body.push(&TO_STATION, &[0x60], 5);
    let first = "02a100000002 02a100000001 000b aaaa03000000 0800 450102 000000";
    let second = "02a100000002 02a100000001 000d aaaa03000000 86dd 6000000000";
    assert_eq!(
        body.fragment_bytes(&whole),
        hex(&format!("{first} {second}")),
        "a truncated datagram ends in zeros"
    );
    assert!(body.is_amsdu());
    body.clear();
    assert_eq!(body.fragment_bytes(&whole), [0; 0]);
}

/// IEEE 802.11-2020 §10.4: the fragments of an MSDU are consecutive parts of it.
#[test]
fn fragments_are_consecutive_parts_of_an_msdu() {
    let mut body = FrameBody::default();
    body.push(&TO_STATION, &[0x45, 1, 2, 3, 4, 5], 6);
    let part =
        |number, is_last, start| body.fragment_bytes(&Fragment { number, is_last, offset: start, bytes: 6 });
    assert_eq!(part(0, false, 0), hex("aaaa03000000"));
    assert_eq!(part(1, false, 6), hex("0800 45010203"));
    assert_eq!(part(2, true, 12), hex("0405"));
    assert_eq!(part(3, true, 99), [0; 0], "beyond the end");
}

/// IEEE 802.11-2020 Table 10-1: user priorities 1 and 2 belong to BK, 0 and 3 to BE, 4 and 5 to VI, 6 and 7
/// to VO.
#[test]
fn user_priorities_belong_to_their_access_categories() {
    let tids = AccessCategory::ALL.map(tid);
    let categories = [[1, 2], [0, 3], [4, 5], [6, 7]]; // BK, BE, VI, VO
    assert!(tids.iter().zip(categories).all(|(tid, of)| of.contains(tid)), "{tids:?}");
}

fn radiotap(
    ppdu: RadiotapPpdu,
    channel: RadiotapChannel,
    subframe: Option<AmpduPosition>,
    is_damaged: bool,
) -> Vec<u8> {
    let mut out = vec![1, 2, 3];
    Radiotap { tsft_us: 0x0102_0304_0506, is_damaged, channel, ppdu, subframe }.write(&mut out);
    out
}

fn mode(mcs: u8, streams: u8, width_mhz: u32, guard_ns: u64, is_ldpc: bool) -> PpduMode {
    PpduMode { mcs, streams, width_mhz, guard: Span::from_nanos(guard_ns), is_ldpc }
}

const TSFT: &str = "0605040302010000";

/// radiotap.org: the header has TSFT, Flags, Rate in units of 500 kbit/s, and Channel.
#[test]
fn radiotap_headers_of_legacy_ppdus_match_their_layout() {
    let legacy = |kbps: u64, channel| {
        radiotap(RadiotapPpdu::Legacy(Rate::from_bps(kbps * 1000)), channel, None, false)
    };
    let start = format!("0000 1600 0f000000 {TSFT} 10");
    assert_eq!(legacy(24_000, RadiotapChannel::Ofdm5), hex(&format!("{start} 30 3c14 4001")));
    assert_eq!(legacy(54_000, RadiotapChannel::Ofdm2_4), hex(&format!("{start} 6c 6c09 c000")));
    assert_eq!(legacy(5_500, RadiotapChannel::Dsss), hex(&format!("{start} 0b 6c09 a000")));
    assert_eq!(legacy(2_000, RadiotapChannel::Fhss), hex(&format!("{start} 04 6c09 8008")));
    let lost = radiotap(RadiotapPpdu::Legacy(Rate::from_bps(6_000_000)), RadiotapChannel::Ofdm5, None, true);
    assert_eq!(lost[16], 0x50, "FCS at the end, and wrong");
}

/// radiotap.org: the header has MCS, and A-MPDU status aligned to four bytes.
#[test]
fn radiotap_headers_of_ht_ppdus_match_their_layout() {
    let alone = radiotap(RadiotapPpdu::Ht(mode(7, 1, 20, 800, false)), RadiotapChannel::Ofdm5, None, false);
    assert_eq!(alone, hex(&format!("0000 1900 0b000800 {TSFT} 10 00 3c14 4001 3f 00 07")));
    let subframe = Some(AmpduPosition { reference_number: 0x1234, is_last: false, eof: None });
    let inside =
        radiotap(RadiotapPpdu::Ht(mode(3, 2, 40, 400, true)), RadiotapChannel::Ofdm2_4, subframe, false);
    let status = "34120000 0400 00 00";
    assert_eq!(inside, hex(&format!("0000 2400 0b001800 {TSFT} 10 00 6c09 c000 3f 15 0b 000000 {status}")));
}

/// radiotap.org: the header has VHT, filled in for one user.
#[test]
fn radiotap_headers_of_vht_ppdus_match_their_layout() {
    let last = Some(AmpduPosition { reference_number: 1, is_last: true, eof: Some(false) });
    let written = radiotap(RadiotapPpdu::Vht(mode(9, 2, 80, 400, true)), RadiotapChannel::Ofdm5, last, false);
    let (status, vht) = ("01000000 8c00 00 00", "4500 04 04 92000000 01 00 0000");
    assert_eq!(written, hex(&format!("0000 2c00 0b003000 {TSFT} 10 00 3c14 4001 0000 {status} {vht}")));
    let alone = Some(AmpduPosition { reference_number: 1, is_last: true, eof: Some(true) });
    let written = |width| {
        radiotap(RadiotapPpdu::Vht(mode(0, 1, width, 800, false)), RadiotapChannel::Ofdm5, alone, false)
    };
    assert_eq!(written(20)[28..30], [0xCC, 0], "an S-MPDU has the EOF bit");
    assert_eq!([20, 40, 80, 160].map(|width| written(width)[35]), [0, 1, 4, 11]);
}

/// radiotap.org: the header has HE, in the format HE_SU.
#[test]
fn radiotap_headers_of_he_ppdus_match_their_layout() {
    let last = Some(AmpduPosition { reference_number: 1, is_last: true, eof: Some(false) });
    let he = |mode| radiotap(RadiotapPpdu::He(mode), RadiotapChannel::Ofdm5, last, false)[32..].to_vec();
    let whole = radiotap(RadiotapPpdu::He(mode(11, 2, 80, 800, true)), RadiotapChannel::Ofdm5, last, false);
    let status = "01000000 8c00 00 00";
    let start = format!("0000 2c00 0b009000 {TSFT} 10 00 3c14 4001 0000 {status}");
    assert_eq!(whole, hex(&format!("{start} e042 0600 002b 0000 8201 0200")));
    assert_eq!(he(mode(0, 1, 20, 1600, false)), hex("e042 0600 0000 0000 9000 0100"));
    assert_eq!(he(mode(9, 8, 160, 3200, true)), hex("e042 0600 0029 0000 e304 0800"));
}

/// IEEE 802.11-2020 §9.2.4.8: the FCS covers the MAC frame, without the radiotap header.
#[test]
fn the_fcs_covers_the_mac_frame() {
    let mut ack = vec![9, 9, 9];
    ControlFrame::Ack.write(Span::ZERO, &TO_STATION, &mut ack);
    append_fcs(&mut ack, 3, false);
    assert_eq!(ack.len(), 3 + 14);
    let mut damaged = ack[..13].to_vec();
    append_fcs(&mut damaged, 3, true);
    assert!(ack[13..].iter().zip(&damaged[13..]).all(|(right, wrong)| right ^ wrong == 0xFF));
}
