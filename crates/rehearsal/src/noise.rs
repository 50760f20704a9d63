//! Noise: random datagrams of UDP, TCP, ICMP and other protocols, in addition to the connections. Some are
//! malformed.

use airhop_base::{NodeId, Span, SplitMix64, Time, uniform_from_bits};
use airhop_wire::addressing::{ipv4_address, ipv6_address};
use std::collections::VecDeque;

/// Maximum length of a datagram in bytes. Every node in a scenario has a larger MTU.
const MAX_DATAGRAM_BYTES: u64 = 500;
/// Number of ports. With so few ports, conversations have several datagrams.
const PORT_COUNT: u64 = 4;
/// Range of sequence numbers. In a small range, random segments look like reopened connections and
/// retransmissions.
const SEQUENCE_RANGE: u64 = 3000;

/// Draws `count` datagrams of hosts at `ends`, in chronological order.
pub(super) fn draw_datagrams(
    ends: &[NodeId],
    count: usize,
    duration: Span,
    seed: u64,
) -> VecDeque<(Time, NodeId, Vec<u8>)> {
    let mut draw = DatagramGenerator(SplitMix64::new(seed));
    let mut times: Vec<Time> =
        (0..count).map(|_| Time::ZERO + Span::from_nanos(draw.draw_below(duration.nanos().max(1)))).collect();
    times.sort();
    let one = |at| {
        let from = ends[draw.draw_below(ends.len() as u64) as usize];
        let to = ends[draw.draw_below(ends.len() as u64) as usize];
        (at, from, draw.datagram(from, to))
    };
    times.into_iter().map(one).collect()
}

struct DatagramGenerator(SplitMix64);

impl DatagramGenerator {
    /// Draws a number below `most`.
    fn draw_below(&mut self, most: u64) -> u64 {
        (uniform_from_bits(self.0.draw()) * most as f64) as u64
    }

    fn byte(&mut self) -> u8 {
        self.0.draw() as u8
    }

    fn bytes(&mut self, count: u64) -> Vec<u8> {
        (0..count).map(|_| self.byte()).collect()
    }

    fn datagram(&mut self, from: NodeId, to: NodeId) -> Vec<u8> {
        match self.draw_below(12) {
            0..4 => self.ip(from, to, 17, Self::udp),
            4..8 => self.ip(from, to, 6, Self::tcp),
            8 => self.ip(from, to, 1, |draw| draw.bytes(64)),
            9 => {
                let protocol = self.byte();
                self.ip(from, to, protocol, |draw| draw.bytes(100))
            }
            10 => {
                // A few bits of some datagrams are flipped, so that they are malformed.
                let mut bytes = self.ip(from, to, 6, Self::tcp);
                for _ in 0..4 {
                    let place = self.draw_below(bytes.len() as u64) as usize;
                    bytes[place] ^= 1 << self.draw_below(8);
                }
                bytes
            }
            _ => {
                let length = self.draw_below(80);
                self.bytes(length)
            }
        }
    }

    /// Draws an IPv4 or IPv6 datagram. A few datagrams have an unknown address or are fragments.
    fn ip(&mut self, from: NodeId, to: NodeId, protocol: u8, body: fn(&mut Self) -> Vec<u8>) -> Vec<u8> {
        let body = body(self);
        let ecn = (self.draw_below(4) as u8) & 3;
        if self.draw_below(4) == 0 {
            let mut bytes = vec![0x60, ecn << 4, 0, 0];
            bytes.extend((body.len() as u16).to_be_bytes());
            bytes.extend([protocol, 64]);
            bytes.extend([ipv6_address(from), ipv6_address(to)].concat());
            bytes.extend(body);
            return bytes;
        }
        let mut bytes = vec![0x45, ecn];
        bytes.extend((20 + body.len() as u16).to_be_bytes());
        let fragment = if self.draw_below(10) == 0 { [0x20, self.byte()] } else { [0, 0] };
        bytes.extend([self.byte(), 0, fragment[0], fragment[1], 64, protocol, 0, 0]);
        let to = if self.draw_below(20) == 0 { [self.byte(), 1, 2, 3] } else { ipv4_address(to) };
        bytes.extend([ipv4_address(from), to].concat());
        bytes.extend(body);
        bytes
    }

    fn ports(&mut self) -> Vec<u8> {
        let ports = [1 + self.draw_below(PORT_COUNT) as u16, 1 + self.draw_below(PORT_COUNT) as u16];
        ports.map(u16::to_be_bytes).concat()
    }

    fn udp(&mut self) -> Vec<u8> {
        let payload = self.draw_below(MAX_DATAGRAM_BYTES);
        [self.ports(), (8 + payload as u16).to_be_bytes().to_vec(), vec![0; 2 + payload as usize]].concat()
    }

    /// Draws a TCP segment with any flags. Most sequence numbers are close to those of other segments, some
    /// are far away.
    fn tcp(&mut self) -> Vec<u8> {
        let number = |draw: &mut Self| {
            let near = draw.draw_below(SEQUENCE_RANGE) as u32;
            if draw.draw_below(8) == 0 { near.wrapping_add(draw.0.draw() as u32) } else { near }
        };
        let mut bytes = self.ports();
        bytes.extend([number(self), number(self)].map(u32::to_be_bytes).concat());
        let blocks = if self.draw_below(3) == 0 { 1 + self.draw_below(3) as usize } else { 0 };
        let options = if blocks > 0 { 4 + 8 * blocks } else { 0 };
        bytes.extend([(((20 + options) / 4) << 4) as u8, self.byte() & 0xDF]);
        bytes.extend(self.bytes(6));
        if blocks > 0 {
            bytes.extend([1, 1, 5, 2 + 8 * blocks as u8]);
            (0..2 * blocks).for_each(|_| bytes.extend(number(self).to_be_bytes()));
        }
        let payload = if self.draw_below(2) == 0 { self.draw_below(MAX_DATAGRAM_BYTES) } else { 0 };
        bytes.resize(bytes.len() + payload as usize, 0);
        bytes
    }
}
