//! Turnaround of a host, measured at the edge of the network. The turnaround is the time from the departure
//! of a data segment to the arrival of the pure ACK for this segment. The lateness of the emulator and the
//! timer of a delayed ACK are included.
//!
//! A simulated receiver without `tcp.turnaround` acknowledges at once, a kernel only after some time. On a
//! half-duplex medium the turnaround determines how often an ACK collides with the next data frame. A
//! simulation can use the turnaround in an emulation's report as `tcp.turnaround`.
//!
//! A second distribution contains only the delay of the host itself. Lateness, timers, and the wait for
//! earlier ACKs are excluded.

use crate::lateness::DurationHistogram;
use airhop_base::{EmpiricalDistribution, Span, Time};
use airhop_wire::real::{HeaderFields, ParsedTcp};
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;

/// Maximum number of connections observed at the same time. One more connection clears the list, and only
/// open samples are lost.
const MAX_CONNECTIONS: usize = 4096;

/// Maximum number of unacknowledged segments stored per connection. Linux acknowledges every second segment.
const MAX_SEGMENTS: usize = 64;

/// Turnaround from which the ACK of a single segment counts as delayed. Linux delays an ACK by 40 ms
/// (TCP_DELACK_MIN), or by 30 ms with ticks of 10 ms.
const MIN_DELAYED_ACK: Span = Span::from_millis(30);

/// Addresses and ports, each first of the host and then of the peer.
type ConnectionKey = ([IpAddr; 2], [u16; 2]);

/// Data segment that was written to a host.
#[derive(Clone, Copy, Debug)]
struct WrittenSegment {
    /// Sequence number after the segment.
    end: u32,
    /// Time at which the segment was due to leave the network.
    due: Time,
    /// Time at which the segment was written to the host.
    at: Time,
}

/// Data of a connection that the host has not acknowledged.
#[derive(Debug, Default)]
struct UnackedData {
    /// Sequence number after the data written so far; `None` before the first segment.
    end: Option<u32>,
    /// True if a segment is missing. ACKs then respond to segments that fill the hole, until all data are
    /// acknowledged.
    has_hole: bool,
    /// Last segments that were written in order, at most [`MAX_SEGMENTS`].
    segments: VecDeque<WrittenSegment>,
}

impl UnackedData {
    fn add_segment(&mut self, seq: u32, segment: WrittenSegment) {
        let is_next = self.end.is_none_or(|end| end == seq);
        // Sequence numbers wrap around: RFC 9293 §3.4.
        let ahead = self.end.map_or(0, |end| segment.end.wrapping_sub(end) as i32);
        if is_next || ahead > 0 {
            self.end = Some(segment.end);
        }
        if !is_next && ahead > 0 {
            self.has_hole = true;
            self.segments.clear();
        }
        if is_next && !self.has_hole {
            if self.segments.len() == MAX_SEGMENTS {
                self.segments.pop_front();
            }
            self.segments.push_back(segment);
        }
    }

    /// Returns the segment that triggered an ACK, and the number of acknowledged segments. `None` if no
    /// stored segment triggered the ACK.
    fn take_acked(&mut self, ack: u32) -> Option<(WrittenSegment, usize)> {
        self.has_hole &= self.end != Some(ack);
        let place = self.segments.iter().position(|segment| segment.end == ack)?;
        self.segments.drain(..=place).next_back().map(|segment| (segment, place + 1))
    }
}

/// Turnaround of one host.
#[derive(Debug, Default)]
pub struct TurnaroundTracker {
    /// Data that the host has not acknowledged, by connection.
    unanswered: HashMap<ConnectionKey, UnackedData>,
    lengths: DurationHistogram,
    /// Turnaround caused by the host alone.
    own: DurationHistogram,
    /// Time at which the host's last ACK entered the network.
    last: Time,
}

impl TurnaroundTracker {
    /// Records a datagram for the host, due at `due` and written at `at`.
    pub fn record_written(&mut self, due: Time, at: Time, datagram: &HeaderFields) {
        let (Some(tcp), Some([from, to])) = (&datagram.tcp, datagram.ports) else { return };
        if datagram.payload_bytes == 0 {
            return;
        }
        if self.unanswered.len() >= MAX_CONNECTIONS {
            self.unanswered.clear();
        }
        let connection = ([datagram.destination, datagram.source], [to, from]);
        let end = tcp.seq.wrapping_add(datagram.payload_bytes);
        self.unanswered.entry(connection).or_default().add_segment(tcp.seq, WrittenSegment { end, due, at });
    }

    /// Records a datagram from the host, read at `at`.
    pub fn record_read(&mut self, at: Time, datagram: &HeaderFields) {
        let (Some(tcp), Some(ports)) = (&datagram.tcp, datagram.ports) else { return };
        if datagram.payload_bytes > 0 || !is_only_ack(tcp) {
            return;
        }
        let connection = ([datagram.source, datagram.destination], ports);
        let unanswered = self.unanswered.get_mut(&connection);
        let Some((segment, segments)) = unanswered.and_then(|data| data.take_acked(tcp.ack)) else { return };
        self.lengths.add(at.since(segment.due));
        // After a stall a host acknowledges all segments that have arrived in the meantime with one ACK.
        // The turnaround therefore counts from the previous ACK.
        let took = at.since(segment.at.max(self.last));
        self.last = at;
        if segments > 1 || took < MIN_DELAYED_ACK {
            self.own.add(took);
        }
    }

    /// Returns the distribution of the turnaround caused by the host alone.
    pub fn host_distribution(&self) -> EmpiricalDistribution {
        self.own.distribution()
    }

    /// Returns the median and the 90th percentile of the turnarounds of all ACKs.
    pub fn summary(&self) -> TurnaroundSummary {
        TurnaroundSummary {
            p50_us: self.lengths.quantile_us(0.5),
            p90_us: self.lengths.quantile_us(0.9),
            count: self.lengths.count(),
        }
    }
}

fn is_only_ack(tcp: &ParsedTcp) -> bool {
    tcp.flags.ack && !(tcp.flags.syn || tcp.flags.fin || tcp.rst)
}

/// Summary of the turnaround of a host in µs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TurnaroundSummary {
    /// Median.
    pub p50_us: f64,
    /// 90 % quantile.
    pub p90_us: f64,
    /// Number of ACKs.
    pub count: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_wire::real;

    /// Returns a segment with an ACK from 10.0.0.`from` to 10.0.0.`to`. Both ends have the port `port`.
    fn segment(from: u8, to: u8, port: u16, sequence: u32, ack: u32, payload: u8) -> HeaderFields {
        let mut bytes = [0; 40];
        bytes[..20].copy_from_slice(&[
            0x45,
            0,
            0,
            40 + payload,
            0,
            0,
            0,
            0,
            64,
            6,
            0,
            0,
            10,
            0,
            0,
            from,
            10,
            0,
            0,
            to,
        ]);
        bytes[20..22].copy_from_slice(&port.to_be_bytes());
        bytes[22..24].copy_from_slice(&port.to_be_bytes());
        bytes[24..28].copy_from_slice(&sequence.to_be_bytes());
        bytes[28..32].copy_from_slice(&ack.to_be_bytes());
        bytes[32..34].copy_from_slice(&[5 << 4, 0x10]);
        real::read_headers(&bytes).unwrap()
    }

    fn at(us: u64) -> Time {
        Time::from_nanos(us * 1000)
    }

    /// RFC 9293 §3.10.7.4, RFC 5681 §4.2: a delayed ACK acknowledges two segments together. The turnaround
    /// is that of the second segment.
    #[test]
    fn an_ack_answers_the_last_segment_written() {
        let mut host = TurnaroundTracker::default();
        host.record_written(at(100), at(100), &segment(1, 2, 9, 1000, 0, 200));
        host.record_written(at(200), at(200), &segment(1, 2, 9, 1200, 0, 200));
        host.record_read(at(250), &segment(2, 1, 9, 0, 900, 0));
        assert_eq!(host.summary().count, 0);
        host.record_read(at(300), &segment(2, 1, 9, 0, 1400, 0));
        host.record_read(at(400), &segment(2, 1, 9, 0, 1400, 0));
        let TurnaroundSummary { p50_us, p90_us, count } = host.summary();
        assert_eq!(count, 1);
        assert!([p50_us, p90_us].iter().all(|us| (us - 100.0).abs() < 0.2), "{p50_us} {p90_us}");
    }

    /// RFC 5681 §4.2: an ACK responds to the segment that it acknowledges, even after further data were
    /// written. If the data have a hole, ACKs respond to the segment that fills the hole. That segment
    /// arrives a round trip after the segments behind the hole.
    #[test]
    fn an_ack_answers_no_data_above_a_hole() {
        let mut host = TurnaroundTracker::default();
        let data = |host: &mut TurnaroundTracker, us, seq| {
            host.record_written(at(us), at(us), &segment(1, 2, 9, seq, 0, 200))
        };
        data(&mut host, 100, 1000);
        data(&mut host, 200, 1200);
        host.record_read(at(250), &segment(2, 1, 9, 0, 1200, 0));
        data(&mut host, 400, 1600); // 1400 is lost
        data(&mut host, 500, 1800);
        host.record_read(at(410), &segment(2, 1, 9, 0, 1400, 0));
        assert_eq!(host.summary().count, 1, "an ACK of data before the hole may be a duplicate");
        data(&mut host, 70_000, 1400);
        host.record_read(at(70_100), &segment(2, 1, 9, 0, 2000, 0));
        assert_eq!(host.summary().count, 1);
        data(&mut host, 80_000, 2000);
        host.record_read(at(80_150), &segment(2, 1, 9, 0, 2200, 0));
        let TurnaroundSummary { p50_us, p90_us, count } = host.summary();
        assert!(
            count == 2 && [p50_us, p90_us].iter().all(|us| (us - 150.0).abs() < 0.3),
            "{p50_us} {p90_us}"
        );
    }

    /// The turnaround caused by the host alone excludes delays that a simulated receiver also has. In this
    /// test the emulator was 50 µs late, one ACK waited for the timer of RFC 1122 §4.2.3.2 (Linux: 40 ms),
    /// and the ACKs after a stall of 20 ms waited for the end of the stall.
    #[test]
    fn turnaround_excludes_lateness_timers_and_earlier_answers() {
        let mut host = TurnaroundTracker::default();
        host.record_written(at(100), at(150), &segment(1, 2, 9, 1000, 0, 200));
        host.record_read(at(250), &segment(2, 1, 9, 0, 1200, 0));
        host.record_written(at(1000), at(1000), &segment(1, 2, 9, 1200, 0, 200));
        host.record_read(at(41_000), &segment(2, 1, 9, 0, 1400, 0));
        for (port, read) in [(9, 80_000), (10, 80_002)] {
            host.record_written(at(60_000), at(60_000), &segment(1, 2, port, 1400, 0, 200));
            host.record_written(at(60_000), at(60_000), &segment(1, 2, port, 1600, 0, 200));
            host.record_read(at(read), &segment(2, 1, port, 0, 1800, 0));
        }
        assert_eq!((host.summary().count, host.host_distribution().count()), (4, 3));
        for (u, us) in [(0.1, 2.0), (0.5, 100.0), (0.9, 20_000.0)] {
            let took = host.host_distribution().quantile(u).secs_f64() * 1e6;
            assert!((took - us).abs() <= us / 500.0, "{took} µs at {u}, expected {us} µs");
        }
    }

    #[test]
    fn only_pure_acks_of_the_same_connection_are_answers() {
        let mut host = TurnaroundTracker::default();
        host.record_written(at(100), at(100), &segment(1, 2, 9, 0, 0, 200));
        host.record_read(at(200), &segment(3, 1, 9, 0, 200, 0));
        host.record_read(at(200), &segment(2, 1, 9, 0, 200, 10));
        assert_eq!(host.summary().count, 0);
    }

    /// A scan of all ports, through an emulator that runs for days, does not fill the memory.
    #[test]
    fn turnaround_memory_is_bounded() {
        let mut host = TurnaroundTracker::default();
        for port in 0..2 * MAX_CONNECTIONS {
            host.record_written(at(1), at(1), &segment(1, 2, port as u16, 0, 0, 1));
        }
        assert!(host.unanswered.len() <= MAX_CONNECTIONS);
    }
}
