use super::packet_list::PacketList;
use crate::recovery::common::{Guard, Urgent, forward, go_back_n};
use crate::seams::{Ack, Advance, Cause, Detect, Next, Recovery, Window};
use crate::sender_state::SenderState;
use airhop_base::{SackBlock, Time};
use std::collections::VecDeque;

/// Field of an ACK that identifies the segment that caused the ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// SACK blocks. Every newly reported segment counts as the cause of this ACK or of a lost ACK.
    Sack,
    /// Segment number, as in SMART (Keshav and Morgan 1997). If an ACK is lost, the sender does not learn
    /// that the segment arrived.
    Smart,
}

/// Recovery of LHP (Gao, Diggavi, Muthukrishnan 2003). The [`PacketList`] detects losses and limits the
/// flight. Every detected loss starts a fast recovery (Yun 2009 §4.1, Figure 4). After a timeout, the sender
/// goes back to `una`, as Reno does.
#[derive(Debug)]
pub struct Lhp {
    trigger: Trigger,
    list: PacketList,
    urgent: Urgent,
    /// Guard against repeated reductions. Recovery ends when all data outstanding at the last reduction is
    /// acknowledged.
    guard: Guard,
    recovering: bool,
    /// Losses reported by one ACK, without the first loss.
    further: VecDeque<u64>,
}

impl Lhp {
    /// Creates the recovery of a new connection.
    pub fn new(trigger: Trigger, dupthresh: u32) -> Self {
        Lhp {
            trigger,
            list: PacketList::new(dupthresh),
            urgent: Urgent::default(),
            guard: Guard::default(),
            recovering: false,
            further: VecDeque::new(),
        }
    }

    /// Returns the packet list.
    pub fn list(&self) -> &PacketList {
        &self.list
    }

    /// Counts the arrivals that the ACK reports. Stores all losses but the first in `further`.
    fn count(&mut self, s: &SenderState, a: &Ack) {
        match self.trigger {
            Trigger::Smart => {
                if let Some(arrival) = a.arrival {
                    self.further.extend(self.list.on_ack(s.una, arrival.seq));
                }
            }
            // SACK blocks start with the most recent arrival, but the earliest arrival must be counted first.
            Trigger::Sack => {
                for block in a.sack.blocks().iter().rev() {
                    while let Some(seq) = self.reported(block) {
                        self.further.extend(self.list.on_ack(s.una, seq));
                    }
                }
            }
        }
        self.list.acknowledge(s.una);
    }

    fn resend(&mut self, s: &SenderState, seq: u64, cause: Cause) {
        let end = self.list.get(seq).map_or_else(|| s.segment_end(seq), |e| e.end);
        self.urgent.push(seq, end, cause);
    }

    /// Returns the first segment in sending order that is on the list and within the block; `None` without
    /// such a segment.
    fn reported(&self, block: &SackBlock) -> Option<u64> {
        self.list.entries().find(|e| block.start <= e.seq && e.end <= block.end).map(|e| e.seq)
    }
}

impl Recovery for Lhp {
    fn on_duplicate(&mut self, s: &mut SenderState, a: &Ack) -> Detect {
        self.count(s, a);
        self.next_loss()
    }

    fn next_loss(&mut self) -> Detect {
        self.further.pop_front().map_or(Detect::Nothing, Detect::Lost)
    }

    fn note(&mut self, _: &mut SenderState, a: &Ack) {
        if self.trigger == Trigger::Sack {
            for block in a.sack.blocks() {
                while let Some(seq) = self.reported(block) {
                    self.list.remove(seq);
                }
            }
        }
    }

    fn enter(&mut self, s: &mut SenderState, _: &mut Window, seq: u64) {
        self.guard.set(s);
        self.recovering = true;
        self.resend(s, seq, Cause::Fast);
    }

    fn on_advance(&mut self, s: &mut SenderState, _: &mut Window, a: &Ack) -> Advance {
        self.count(s, a);
        if let Detect::Lost(seq) = self.next_loss() {
            return Advance::Lost(seq);
        }
        if !self.recovering {
            return Advance::Open;
        }
        if self.guard.is_fully_acked(s) {
            self.recovering = false;
            return Advance::Over;
        }
        Advance::Partial { restart: true }
    }

    fn on_timeout(&mut self, s: &mut SenderState, _: Time) {
        self.recovering = false;
        self.list.on_timeout();
        go_back_n(s, &mut self.guard, &mut self.urgent);
    }

    fn next(&mut self, s: &mut SenderState, w: &Window) -> Option<Next> {
        self.urgent.pop(s).or_else(|| forward(s, self.in_flight(s), w.cwnd))
    }

    fn on_sent(&mut self, _: &mut SenderState, _: Time, sent: &Next, _: Option<u64>) {
        self.list.send(sent.start, sent.end);
    }

    fn in_flight(&self, _: &SenderState) -> u64 {
        self.list.bytes()
    }

    fn is_missing(&self, _: &SenderState, seq: u64) -> bool {
        self.list.get(seq).is_some()
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.resend(s, seq, Cause::Notice);
    }

    fn goes_by_order(&self) -> bool {
        true
    }
}
