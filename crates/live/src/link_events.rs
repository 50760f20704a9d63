//! Events of a real link layer, and the resulting notices to TCP senders (LL-ELSN, Yun 2009 §3.1).
//!
//! An event is a line of text: the kind and the station. An event of a packet also has the first bytes of the
//! datagram in hexadecimal. An ICMP error quotes the same number of bytes (RFC 792).

use airhop_base::{NoticeKind, Span};
use airhop_wire::real::{self, HeaderError, NoticeError, QuotedSegment};
use std::collections::{BTreeMap, VecDeque};

/// Maximum number of segments stored for a station, equal to the MPDUs of the longest BlockAck (IEEE
/// 802.11be).
const MAX_SEGMENTS: usize = 1024;
/// Maximum number of stations with stored segments, equal to the number of association identifiers of an
/// access point (IEEE 802.11-2020 §9.4.1.8).
const MAX_STATIONS: usize = 2007;

/// Reason why a line is not a valid event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// The first word is not a kind of event.
    #[error("`{0}` is not an event; expected failed, discarded, delivered or lost, then a station")]
    Kind(String),
    /// The line has no station.
    #[error(
        "`{0}` has no station; expected `{0} STATION`, then the bytes of the packet, unless the event is `lost`"
    )]
    Station(String),
    /// The bytes are not hexadecimal.
    #[error(
        "the bytes of the packet are not hexadecimal digits in pairs; expected IP header and 8 more bytes"
    )]
    Hexadecimal,
    /// The event `lost` concerns a station, but the line has bytes of a packet.
    #[error("`lost` is an event of the station; expected no bytes of a packet")]
    Further,
    /// The bytes cannot be parsed as headers.
    #[error("the bytes of the packet cannot be read: {0}")]
    Unreadable(#[from] HeaderError),
    /// Source and destination have different versions of IP.
    #[error(transparent)]
    Notice(#[from] NoticeError),
    /// The maximum number of stations with segments in service is reached.
    #[error(
        "{MAX_STATIONS} other stations have packets in service; expected `delivered` or `discarded` of each"
    )]
    Stations,
}

/// Notice caused by an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkNotice {
    /// [`NoticeKind::Ersn`] or [`NoticeKind::Eln`].
    pub kind: NoticeKind,
    /// Segment that the notice is about. The source of the segment receives the notice.
    pub segment: QuotedSegment,
    /// Datagram of the notice, beginning with the IP header.
    pub datagram: Vec<u8>,
}

/// Segments in service, by station. A segment is in service from the start of link-layer retransmission until
/// delivery or discard.
#[derive(Debug, Default)]
pub struct SegmentsInService {
    in_service: BTreeMap<String, VecDeque<QuotedSegment>>,
}

impl SegmentsInService {
    /// Handles an event, and returns the resulting notices. The first `failed` of a segment starts link-layer
    /// retransmission, and causes an ERSN. `discarded` causes an ELN. `lost` means that a station has left,
    /// and causes an ELN for each segment of the station in service.
    ///
    /// # Errors
    /// [`EventError`] if the line is not a valid event. An invalid line has no effect.
    pub fn handle_line(&mut self, line: &str) -> Result<Vec<LinkNotice>, EventError> {
        let mut words = line.split_ascii_whitespace();
        let kind = words.next().unwrap_or_default();
        if !["failed", "discarded", "delivered", "lost"].contains(&kind) {
            return Err(EventError::Kind(kind.into()));
        }
        let station = words.next().ok_or_else(|| EventError::Station(kind.into()))?;
        let bytes = parse_hex(&words.collect::<String>())?;
        if kind == "lost" {
            return if bytes.is_empty() { self.remove_station(station) } else { Err(EventError::Further) };
        }
        let Some(about) = QuotedSegment::read(&bytes)? else { return Ok(Vec::new()) };
        let kind = match kind {
            "failed" if self.add_segment(station, about)? => NoticeKind::Ersn,
            "failed" => return Ok(Vec::new()),
            kind => {
                self.remove_segment(station, &about);
                match kind {
                    "discarded" => NoticeKind::Eln,
                    _ => return Ok(Vec::new()),
                }
            }
        };
        Ok(vec![LinkNotice::new(kind, about)?])
    }

    /// Removes all segments of a station, and returns an ELN for each.
    fn remove_station(&mut self, station: &str) -> Result<Vec<LinkNotice>, EventError> {
        let segments = self.in_service.remove(station).unwrap_or_default();
        segments.into_iter().map(|about| LinkNotice::new(NoticeKind::Eln, about)).collect()
    }

    /// Stores a segment of a station as in service. Returns false if the segment was already stored.
    fn add_segment(&mut self, station: &str, about: QuotedSegment) -> Result<bool, EventError> {
        if self.in_service.len() == MAX_STATIONS && !self.in_service.contains_key(station) {
            return Err(EventError::Stations);
        }
        let segments = self.in_service.entry(station.into()).or_default();
        if segments.iter().any(|other| is_same_segment(other, &about)) {
            return Ok(false);
        }
        if segments.len() == MAX_SEGMENTS {
            segments.pop_front();
        }
        segments.push_back(about);
        Ok(true)
    }

    /// Removes a segment of a station.
    fn remove_segment(&mut self, station: &str, about: &QuotedSegment) {
        let Some(segments) = self.in_service.get_mut(station) else { return };
        segments.retain(|other| !is_same_segment(other, about));
        if segments.is_empty() {
            self.in_service.remove(station);
        }
    }
}

impl LinkNotice {
    fn new(kind: NoticeKind, about: QuotedSegment) -> Result<Self, EventError> {
        let datagram = real::build_notice(about.destination, &about, Span::ZERO, kind)?;
        Ok(LinkNotice { kind, segment: about, datagram })
    }
}

/// True if two events concern the same segment. The numbers of quoted bytes may differ.
fn is_same_segment(one: &QuotedSegment, other: &QuotedSegment) -> bool {
    let ends = |quoted: &QuotedSegment| (quoted.source, quoted.destination, quoted.ports, quoted.seq);
    ends(one) == ends(other)
}

fn parse_hex(digits: &str) -> Result<Vec<u8>, EventError> {
    let pairs = digits.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => Some(parse_hex_digit(*high)? << 4 | parse_hex_digit(*low)?),
        _ => None,
    });
    pairs.collect::<Option<_>>().ok_or(EventError::Hexadecimal)
}

fn parse_hex_digit(character: u8) -> Option<u8> {
    char::from(character).to_digit(16).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Segment of 1000 bytes from 10.0.0.1:5001 to 10.0.0.4:4000, quoted by its IPv4 header and 8 more bytes.
    fn packet(seq: u32) -> String {
        format!("4500041c000140004006 0000 0a000001 0a000004 1389 0fa0 {seq:08x}")
    }

    fn kinds(events: &mut SegmentsInService, line: &str) -> Vec<(NoticeKind, u32)> {
        let notices = events.handle_line(line).unwrap();
        notices.into_iter().map(|notice| (notice.kind, notice.segment.seq)).collect()
    }

    use NoticeKind::{Eln, Ersn};

    // Yun 2009 §3.1: the "first retransmission" causes one ERSN; the discard at the retry limit causes an
    // ELN.
    #[test]
    fn first_retransmission_causes_an_ersn_and_discard_an_eln() {
        let mut events = SegmentsInService::default();
        let [failed, discarded, delivered] =
            ["failed", "discarded", "delivered"].map(|kind| format!("{kind} a {}", packet(7)));
        assert_eq!(kinds(&mut events, &failed), [(Ersn, 7)]);
        assert_eq!(kinds(&mut events, &failed), []);
        assert_eq!(kinds(&mut events, &discarded), [(Eln, 7)]);
        assert_eq!(kinds(&mut events, &failed), [(Ersn, 7)], "sent again by TCP");
        assert_eq!(kinds(&mut events, &delivered), []);
        assert_eq!(kinds(&mut events, &failed), [(Ersn, 7)]);
        assert_eq!(kinds(&mut SegmentsInService::default(), &discarded), [(Eln, 7)], "a single attempt");
    }

    /// The loss of a station causes notices for the station's own segments, in order, and for no other
    /// segments.
    #[test]
    fn a_lost_station_ends_the_service_of_its_segments_alone() {
        let mut events = SegmentsInService::default();
        for (station, seq) in [("a", 9), ("b", 5), ("a", 3)] {
            events.handle_line(&format!("failed {station} {}", packet(seq))).unwrap();
        }
        assert_eq!(kinds(&mut events, "lost a"), [(Eln, 9), (Eln, 3)]);
        assert_eq!(kinds(&mut events, "lost a"), []);
        assert_eq!(kinds(&mut events, "lost b"), [(Eln, 5)]);
    }

    /// The notice has the same bytes as in an emulated network, and is addressed to the sender of the
    /// segment.
    #[test]
    fn a_notice_is_sent_to_the_source_of_the_segment() {
        let mut events = SegmentsInService::default();
        let [notice] = events.handle_line(&format!("discarded a {}", packet(7))).unwrap().try_into().unwrap();
        assert_eq!(notice.segment.source.to_string(), "10.0.0.1");
        assert_eq!(notice.datagram.len(), 40);
        assert_eq!(notice.datagram[16..20], [10, 0, 0, 1]);
        assert_eq!(real::verify_checksums(&notice.datagram), Ok(()));
    }

    #[test]
    fn an_invalid_link_event_line_is_refused() {
        let mut events = SegmentsInService::default();
        let cut = format!("failed a {}", &packet(7)[..30]);
        for (line, words) in [
            ("", "`` is not an event"),
            ("gone a", "failed, discarded, delivered or lost"),
            ("failed", "`failed STATION`"),
            ("failed a 4", "hexadecimal digits in pairs"),
            ("failed a zz", "hexadecimal digits in pairs"),
            ("lost a 45", "no bytes of a packet"),
            (&cut, "keep at least the headers"),
        ] {
            let error = events.handle_line(line).unwrap_err().to_string();
            assert!(error.contains(words), "{line}: {error}");
        }
        assert!(events.in_service.is_empty());
    }

    /// The stored segments are limited in number, whatever a driver reports.
    #[test]
    fn link_event_memory_is_bounded() {
        let mut events = SegmentsInService::default();
        for seq in 0..2 * MAX_SEGMENTS {
            events.handle_line(&format!("failed a {}", packet(seq as u32))).unwrap();
        }
        assert_eq!(events.in_service["a"].len(), MAX_SEGMENTS);
        for station in 1..MAX_STATIONS {
            events.handle_line(&format!("failed {station} {}", packet(7))).unwrap();
        }
        assert_eq!(events.handle_line(&format!("failed further {}", packet(7))), Err(EventError::Stations));
        events.handle_line("lost a").unwrap();
        events.handle_line(&format!("failed further {}", packet(7))).unwrap();
    }

    proptest! {
        /// No line and no bytes of a packet cause a panic.
        #[test]
        fn any_line_is_a_link_event_or_an_error(line in ".{0,80}", bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let mut events = SegmentsInService::default();
            let _ = events.handle_line(&line);
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            for head in ["", "45", "4500041c", "60"] {
                let _ = events.handle_line(&format!("discarded a {head}{digits}"));
            }
        }
    }
}
