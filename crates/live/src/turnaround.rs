//! How long a host takes to answer data, as the network sees it: from when a data segment left the network until a pure ACK for exactly
//! that enters. The lateness of the emulator is part of it.
//!
//! The simulator answers at once; a kernel does not, and on a half-duplex medium its delay decides how often an ACK meets
//! the next data frame. So it belongs to the report of an emulation; a simulation takes it as `tcp.turnaround`.

use crate::headers::{Tcp, tcp};
use crate::lateness::Lengths;
use airhop_base::Time;
use std::collections::HashMap;
use std::net::SocketAddr;

/// So many connections are watched at once. One more, and those watched so far are forgotten: only samples are lost.
const MAX_CONNECTIONS: usize = 4096;

/// The turnaround of one host.
#[derive(Debug, Default)]
pub struct Turnaround {
    /// By the host's address and its peer's: where the last data segment for it ends, and when that left the network.
    unanswered: HashMap<(SocketAddr, SocketAddr), (u32, Time)>,
    lengths: Lengths,
}

impl Turnaround {
    /// A datagram for the host left the network at `at`.
    pub fn wrote(&mut self, at: Time, datagram: &[u8]) {
        let Some(segment) = tcp(datagram).filter(|segment| segment.payload > 0) else { return };
        if self.unanswered.len() >= MAX_CONNECTIONS {
            self.unanswered.clear();
        }
        self.unanswered.insert((segment.destination, segment.source), (segment.end(), at));
    }

    /// The host sent a datagram, which was read at `at`.
    pub fn read(&mut self, at: Time, datagram: &[u8]) {
        if let Some(ack) = tcp(datagram).filter(Tcp::is_pure_ack) {
            self.answered(at, &ack);
        }
    }

    fn answered(&mut self, at: Time, ack: &Tcp) {
        let connection = (ack.source, ack.destination);
        match self.unanswered.get(&connection) {
            // An ACK for less was sent before the last segment came; one for more is for none of ours.
            Some((end, written)) if *end == ack.acknowledgement => self.lengths.add(at.since(*written)),
            _ => return,
        }
        self.unanswered.remove(&connection);
    }

    /// Half and nine tenths of all answers.
    pub fn summary(&self) -> Answers {
        Answers {
            p50_us: self.lengths.quantile_us(0.5),
            p90_us: self.lengths.quantile_us(0.9),
            count: self.lengths.count(),
        }
    }
}

/// How soon a host answered data, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Answers {
    /// Half of the answers took at most so long.
    pub p50_us: f64,
    /// 90 % of the answers took at most so long.
    pub p90_us: f64,
    /// How many answers there were.
    pub count: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headers::tests::segment;

    const ACK: u8 = 0x10;

    fn at(us: u64) -> Time {
        Time::from_nanos(us * 1000)
    }

    /// RFC 9293 §3.10.7.4, RFC 5681 §4.2: a delayed ACK acknowledges two segments at once: the turnaround is that of the last.
    #[test]
    fn an_ack_answers_the_last_segment_written() {
        let mut host = Turnaround::default();
        host.wrote(at(100), &segment(1, 2, 1000, 0, ACK, 500));
        host.wrote(at(200), &segment(1, 2, 1500, 0, ACK, 500));
        host.read(at(250), &segment(2, 1, 0, 1500, ACK, 0));
        assert_eq!(host.summary().count, 0);
        host.read(at(300), &segment(2, 1, 0, 2000, ACK, 0));
        host.read(at(400), &segment(2, 1, 0, 2000, ACK, 0));
        let Answers { p50_us, p90_us, count } = host.summary();
        assert_eq!(count, 1);
        assert!([p50_us, p90_us].iter().all(|us| (us - 100.0).abs() < 0.2), "{p50_us} {p90_us}");
    }

    #[test]
    fn other_connections_and_data_with_an_ack_are_no_answer() {
        let mut host = Turnaround::default();
        host.wrote(at(100), &segment(1, 2, 0, 0, ACK, 500));
        host.read(at(200), &segment(3, 1, 0, 500, ACK, 0));
        host.read(at(200), &segment(2, 1, 0, 500, ACK, 10));
        assert_eq!(host.summary().count, 0);
    }

    /// A scan of all ports through an emulator that runs for days must not fill the memory.
    #[test]
    fn memory_is_bounded() {
        let mut host = Turnaround::default();
        for port in 0..2 * MAX_CONNECTIONS {
            let mut datagram = segment(1, 2, 0, 0, ACK, 1);
            datagram[20..22].copy_from_slice(&(port as u16).to_be_bytes());
            host.wrote(at(1), &datagram);
        }
        assert!(host.unanswered.len() <= MAX_CONNECTIONS);
    }
}
