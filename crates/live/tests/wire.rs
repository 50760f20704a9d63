//! Network of two nodes and a wire: a datagram that enters at one node leaves at the other after a constant
//! delay.

use airhop_base::{NodeId, Span, Time};
use airhop_live::{DepartedDatagram, SimulatedNetwork, WorldStopped};
use std::collections::VecDeque;

/// The two nodes, 0 and 1.
pub const ENDS: [NodeId; 2] = [NodeId(0), NodeId(1)];

/// Network of the two nodes, with the datagrams on their way.
#[derive(Clone)]
pub struct Wire {
    delay: Span,
    /// Simulated time reached so far.
    pub now: Time,
    under_way: VecDeque<DepartedDatagram>,
    left: Vec<DepartedDatagram>,
    /// All datagrams that entered.
    pub entered: Vec<(Time, NodeId, Vec<u8>)>,
}

impl Wire {
    pub fn new(delay: Span) -> Self {
        let (under_way, left, entered) = (VecDeque::new(), Vec::new(), Vec::new());
        Wire { delay, now: Time::ZERO, under_way, left, entered }
    }
}

impl SimulatedNetwork for Wire {
    fn next_event(&mut self) -> Option<Time> {
        self.under_way.front().map(|next| next.departed_at)
    }

    fn advance(&mut self, t: Time) -> Result<(), WorldStopped> {
        assert!(t >= self.now, "the time decreases from {} to {t}", self.now);
        self.now = t;
        let due = self.under_way.iter().take_while(|next| next.departed_at <= t).count();
        self.left.extend(self.under_way.drain(..due));
        Ok(())
    }

    fn admit(&mut self, t: Time, node: NodeId, datagram: &[u8]) -> Result<(), WorldStopped> {
        self.advance(t)?;
        self.entered.push((t, node, datagram.to_vec()));
        let to = if node == ENDS[0] { ENDS[1] } else { ENDS[0] };
        self.under_way.push_back(DepartedDatagram {
            departed_at: t + self.delay,
            node: to,
            datagram: datagram.into(),
        });
        Ok(())
    }

    fn take_departures(&mut self, into: &mut Vec<DepartedDatagram>) {
        into.append(&mut self.left);
    }
}

/// Returns an IPv4 datagram of `length` bytes with `mark` as its identification. It is addressed to node 1,
/// or to all hosts (a multicast) if `group` is true.
pub fn datagram(mark: u16, length: usize, group: bool) -> Vec<u8> {
    let mut bytes = vec![0; length.max(20)];
    bytes[0] = 0x45;
    bytes[2..4].copy_from_slice(&(length as u16).to_be_bytes());
    bytes[4..6].copy_from_slice(&mark.to_be_bytes());
    bytes[16..20].copy_from_slice(&if group { [224, 0, 0, 1] } else { [10, 0, 0, 2] });
    bytes
}
