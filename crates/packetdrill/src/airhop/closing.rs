//! `FinState`: handling of the FINs of both sides.
//!
//! A FIN has one sequence number (RFC 9293 §3.4), so Airhop's sender and receiver treat a FIN as the last
//! byte of the stream.

use crate::script::Segment;
use crate::stack::StackError;
use airhop_base::Segment as Simulated;
use airhop_tcp::{Receiver, Sender};

/// Sequence numbers of the FINs, if any.
#[derive(Debug, Default)]
pub(super) struct FinState {
    own: Option<u64>,
    peer: Option<u64>,
    /// True if the application has closed the reading side. Incoming data then causes a reset.
    is_deaf: bool,
}

impl FinState {
    /// Closes the application's sending side and, if `whole`, the reading side.
    pub(super) fn close(&mut self, sender: &mut Sender, whole: bool) {
        self.is_deaf |= whole;
        if self.own.is_none() {
            self.own = Some(sender.state().supplied_end);
            sender.supply_data(1);
            sender.set_nagle(false); // Linux, tcp_send_fin()
        }
    }

    /// True if the sender's segment contains the FIN as its last byte.
    pub(super) fn has_fin(&self, sent: &Simulated) -> bool {
        sent.len > 0 && self.own.is_some_and(|fin| sent.end() > fin)
    }

    /// Handles a segment of the peer. A FIN counts as one more byte.
    ///
    /// # Errors
    /// Returns an error for data that the application no longer reads, or for a segment after the connection
    /// has closed.
    pub(super) fn on_segment(
        &mut self,
        segment: &Segment,
        simulated: &mut Simulated,
        sender: &Sender,
    ) -> Result<(), StackError> {
        let is_acknowledged = self.own.is_some_and(|fin| sender.state().una > fin);
        if is_acknowledged && self.peer.is_some() {
            return Err(StackError::unmodelled("a segment after the connection has closed"));
        }
        if self.is_deaf && segment.payload_bytes > 0 {
            return Err(StackError::unmodelled("data for an application that no longer reads"));
        }
        if segment.flags.fin {
            self.peer = Some(simulated.seq + u64::from(simulated.len));
            simulated.len += 1;
        }
        Ok(())
    }

    /// Returns 1 if the peer's FIN has arrived in order, and 0 otherwise. The receiver counts the FIN as a
    /// byte that the application cannot read.
    pub(super) fn received_fin_count(&self, receiver: &Receiver) -> u64 {
        u64::from(self.peer.is_some_and(|fin| receiver.rcv_nxt() > fin))
    }

    /// True once the application has closed its side.
    pub(super) fn is_closed(&self) -> bool {
        self.own.is_some()
    }

    /// Returns the end of a SACK block without the peer's FIN, as in FreeBSD.
    pub(super) fn end_without_fin(&self, end: u64) -> u64 {
        self.peer.map_or(end, |fin| end.min(fin))
    }

    /// Returns the connection state (RFC 9293 §3.3.2) by Linux's numbering (`include/net/tcp_states.h`);
    /// `None` after the second FIN.
    pub(super) fn connection_state(&self, sender: &Sender) -> Option<f64> {
        match (self.own, self.peer) {
            (None, None) => Some(1.0),
            (Some(fin), None) if sender.state().una <= fin => Some(4.0),
            (Some(_), None) => Some(5.0),
            (None, Some(_)) => Some(8.0),
            (Some(_), Some(_)) => None,
        }
    }
}

/// Merges a FIN with the last data segment if both are sent at the same time.
pub(super) fn merge_fin(leaving: &mut Vec<Segment>) {
    if let [.., last, fin] = leaving.as_mut_slice()
        && fin.flags.fin
        && fin.payload_bytes == 0
        && last.payload_bytes > 0
        && last.end_seq() == fin.seq
    {
        (last.flags.fin, last.flags.psh) = (true, last.flags.psh || fin.flags.psh);
        leaving.pop();
    }
}
