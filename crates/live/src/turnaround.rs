//! How long a host takes to answer data, as the network sees it: from when a data segment left the network until a pure ACK for exactly
//! that enters. The lateness of the emulator is part of it.
//!
//! The simulator answers at once; a kernel does not, and on a half-duplex medium its delay decides how often an ACK meets
//! the next data frame. So it belongs to the report of an emulation; a simulation takes it as `tcp.turnaround`.

use crate::lateness::Lengths;
use airhop_base::Time;
use airhop_wire::real::{Seen, SeenTcp};
use std::collections::HashMap;
use std::net::IpAddr;

/// So many connections are watched at once. One more, and those watched so far are forgotten: only samples are lost.
const MAX_CONNECTIONS: usize = 4096;

/// Addresses and ports of the host and of its peer.
type Connection = ([IpAddr; 2], [u16; 2]);

/// The turnaround of one host.
#[derive(Debug, Default)]
pub struct Turnaround {
    /// By the host's address and its peer's: where the last data segment for it ends, and when that left the network.
    unanswered: HashMap<Connection, (u32, Time)>,
    lengths: Lengths,
}

impl Turnaround {
    /// A datagram for the host left the network at `at`.
    pub fn wrote(&mut self, at: Time, datagram: &Seen) {
        let (Some(tcp), Some([from, to])) = (&datagram.tcp, datagram.ports) else { return };
        if datagram.payload == 0 {
            return;
        }
        if self.unanswered.len() >= MAX_CONNECTIONS {
            self.unanswered.clear();
        }
        let connection = ([datagram.destination, datagram.source], [to, from]);
        self.unanswered.insert(connection, (tcp.seq.wrapping_add(datagram.payload), at));
    }

    /// The host sent a datagram, which was read at `at`.
    pub fn read(&mut self, at: Time, datagram: &Seen) {
        let (Some(tcp), Some(ports)) = (&datagram.tcp, datagram.ports) else { return };
        if datagram.payload > 0 || !is_only_ack(tcp) {
            return;
        }
        let connection = ([datagram.source, datagram.destination], ports);
        match self.unanswered.get(&connection) {
            // An ACK for less was sent before the last segment came; one for more is for none of ours.
            Some((end, written)) if *end == tcp.ack => self.lengths.add(at.since(*written)),
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

fn is_only_ack(tcp: &SeenTcp) -> bool {
    tcp.flags.ack && !(tcp.flags.syn || tcp.flags.fin || tcp.rst)
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
    use airhop_wire::real;

    /// A segment with an ACK from 10.0.0.`from` to 10.0.0.`to`; both hosts use this port.
    fn segment(from: u8, to: u8, port: u16, sequence: u32, ack: u32, payload: u8) -> Seen {
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
        real::read(&bytes).unwrap()
    }

    fn at(us: u64) -> Time {
        Time::from_nanos(us * 1000)
    }

    /// RFC 9293 §3.10.7.4, RFC 5681 §4.2: a delayed ACK acknowledges two segments at once: the turnaround is that of the last.
    #[test]
    fn an_ack_answers_the_last_segment_written() {
        let mut host = Turnaround::default();
        host.wrote(at(100), &segment(1, 2, 9, 1000, 0, 200));
        host.wrote(at(200), &segment(1, 2, 9, 1200, 0, 200));
        host.read(at(250), &segment(2, 1, 9, 0, 1200, 0));
        assert_eq!(host.summary().count, 0);
        host.read(at(300), &segment(2, 1, 9, 0, 1400, 0));
        host.read(at(400), &segment(2, 1, 9, 0, 1400, 0));
        let Answers { p50_us, p90_us, count } = host.summary();
        assert_eq!(count, 1);
        assert!([p50_us, p90_us].iter().all(|us| (us - 100.0).abs() < 0.2), "{p50_us} {p90_us}");
    }

    #[test]
    fn other_connections_and_data_with_an_ack_are_no_answer() {
        let mut host = Turnaround::default();
        host.wrote(at(100), &segment(1, 2, 9, 0, 0, 200));
        host.read(at(200), &segment(3, 1, 9, 0, 200, 0));
        host.read(at(200), &segment(2, 1, 9, 0, 200, 10));
        assert_eq!(host.summary().count, 0);
    }

    /// A scan of all ports through an emulator that runs for days must not fill the memory.
    #[test]
    fn memory_is_bounded() {
        let mut host = Turnaround::default();
        for port in 0..2 * MAX_CONNECTIONS {
            host.wrote(at(1), &segment(1, 2, port as u16, 0, 0, 1));
        }
        assert!(host.unanswered.len() <= MAX_CONNECTIONS);
    }
}
