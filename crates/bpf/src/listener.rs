//! Listener for notices of a connection. The object's tc programs process arriving packets in wire format,
//! before TCP does.

use crate::kernel::Verdict;
use crate::machine::VirtualMachine;
use crate::object::Object;
use airhop_base::{Notice, Packet, Time};
use airhop_tcp::PolicyFault;
use airhop_tcp::SenderState;
use airhop_tcp::seams::{ConnectionEnds, NoticePolicy, NoticeReaction, RunState};
use airhop_wire::{Conversation, encode};
use std::sync::{Arc, Mutex, PoisonError};

/// Tc programs at the interface where the ACKs of one connection arrive.
#[derive(Debug)]
pub(crate) struct NoticeListener {
    object: Arc<Object>,
    /// Name of the congestion control with the listener.
    name: String,
    joined: Option<JoinedRun>,
    /// Buffer for a packet.
    bytes: Vec<u8>,
}

/// Object of the run, shared with other connections.
#[derive(Debug)]
struct JoinedRun {
    machine: Arc<Mutex<VirtualMachine>>,
    conversation: Conversation,
}

impl NoticeListener {
    /// Creates the listener for an object with tc programs.
    pub(crate) fn new(object: Arc<Object>, name: &str) -> NoticeListener {
        NoticeListener { object, name: name.to_owned(), joined: None, bytes: Vec::new() }
    }
}

impl NoticePolicy for NoticeListener {
    fn on_join(&mut self, run: &mut RunState, ends: &ConnectionEnds) {
        let conversation = Conversation::new(ends.local, ends.remote);
        self.joined =
            Some(JoinedRun { machine: VirtualMachine::load_shared(&self.object, run, 0), conversation });
    }

    /// Does nothing, because a kernel receives notices only as packets.
    fn on_notice(&mut self, _: Time, _: &Notice, _: &SenderState) -> NoticeReaction {
        NoticeReaction::Ignore
    }

    fn handles_eln(&self) -> bool {
        false
    }

    fn reads_interface(&self) -> bool {
        true
    }

    fn consumes_packet(&mut self, now: Time, packet: &Packet) -> bool {
        let Some(JoinedRun { machine, conversation }) = &mut self.joined else { return false };
        conversation.record_window_scale(packet);
        if encode(packet, conversation, &mut self.bytes).is_err() {
            return false; // the packet is too large for any interface
        }
        let mut machine = machine.lock().unwrap_or_else(PoisonError::into_inner);
        let filters = self.object.filters();
        let verdict = filters.iter().find_map(|filter| {
            match machine.run_filter(filter.program, &self.bytes, now.nanos()) {
                Ok(Verdict::Pass) => None,
                Ok(Verdict::Drop) => Some(Ok(true)),
                Err(cause) => Some(Err(cause)),
            }
        });
        drop(machine);
        verdict.unwrap_or(Ok(false)).unwrap_or_else(|cause| {
            let scheme = self.name.clone();
            PolicyFault { scheme, method: "the interface's program", cause }.raise();
        })
    }
}
