//! A world of two nodes and a wire between them: what enters at one leaves at the other, a fixed delay later.

use airhop_base::{NodeId, Span, Time};
use airhop_live::{Departure, Outside, Stopped};
use std::collections::VecDeque;

/// Node 0 and node 1.
pub const ENDS: [NodeId; 2] = [NodeId(0), NodeId(1)];

/// The wire.
pub struct Wire {
    delay: Span,
    now: Time,
    under_way: VecDeque<Departure>,
    left: Vec<Departure>,
    /// Every datagram that entered.
    pub entered: Vec<(Time, NodeId, Vec<u8>)>,
    /// Whether to keep those.
    pub keeps: bool,
}

impl Wire {
    pub fn new(delay: Span) -> Self {
        let (under_way, left, entered) = (VecDeque::new(), Vec::new(), Vec::new());
        Wire { delay, now: Time::ZERO, under_way, left, entered, keeps: true }
    }
}

impl Outside for Wire {
    fn next_event(&mut self) -> Option<Time> {
        self.under_way.front().map(|next| next.at)
    }

    fn advance(&mut self, t: Time) -> Result<(), Stopped> {
        assert!(t >= self.now, "time goes back from {} to {t}", self.now);
        self.now = t;
        let due = self.under_way.iter().take_while(|next| next.at <= t).count();
        self.left.extend(self.under_way.drain(..due));
        Ok(())
    }

    fn admit(&mut self, t: Time, node: NodeId, datagram: &[u8]) -> Result<(), Stopped> {
        self.advance(t)?;
        if self.keeps {
            self.entered.push((t, node, datagram.to_vec()));
        }
        let to = if node == ENDS[0] { ENDS[1] } else { ENDS[0] };
        self.under_way.push_back(Departure { at: t + self.delay, node: to, datagram: datagram.into() });
        Ok(())
    }

    fn departures(&mut self, into: &mut Vec<Departure>) {
        into.append(&mut self.left);
    }
}
