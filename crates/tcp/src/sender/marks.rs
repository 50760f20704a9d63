//! ECN at the sender: packets that are sent ECN-capable, and the reaction to echoes (RFC 3168).

use crate::schemes::EctPackets;
use crate::{Config, EchoMode, ReceiverFeatures};
use airhop_base::{Ecn, Flags};

/// ECN state of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct EcnState {
    /// True if both endpoints use ECN. Before the SYN-ACK, true if the sender offers ECN.
    is_agreed: bool,
    echo: EchoMode,
    /// Types of packets that are sent ECN-capable.
    extent: EctPackets,
}

impl EcnState {
    pub fn new(config: &Config, features: &ReceiverFeatures) -> Self {
        EcnState {
            is_agreed: features.uses_ecn(config),
            echo: features.echo_mode,
            extent: features.ect_packets(config),
        }
    }

    /// Returns the flags of a SYN. ECE and CWR together offer ECN (RFC 3168 §6.1.1).
    pub fn syn_flags(self) -> Flags {
        Flags { syn: true, ece: self.is_agreed, cwr: self.is_agreed, ..Flags::default() }
    }

    /// Returns the ECN codepoint of a SYN. RFC 3168 §6.1.1 forbids ECT on a SYN; RFC 8257 §3.6 recommends it.
    pub fn syn_codepoint(self) -> Ecn {
        self.ect0_if(self.extent >= EctPackets::Handshake)
    }

    /// Returns the ECN codepoint of a pure ACK (RFC 3168 §6.1.4).
    pub fn ack_codepoint(self) -> Ecn {
        self.ect0_if(self.extent == EctPackets::All)
    }

    fn ect0_if(self, may_be_marked: bool) -> Ecn {
        if self.is_agreed && may_be_marked { Ecn::Ect0 } else { Ecn::NotEct }
    }

    /// Completes the ECN negotiation with the flags of the SYN-ACK. ECE without CWR accepts ECN (RFC 3168
    /// §6.1.1).
    pub fn on_syn_ack(&mut self, flags: Flags) {
        self.is_agreed &= flags.ece && !flags.cwr;
    }

    /// Returns the ECN codepoint of a data segment. Except with [`EctPackets::All`], retransmissions are not
    /// ECN-capable (RFC 3168 §6.1.5).
    #[inline]
    pub fn data_codepoint(self, is_new: bool) -> Ecn {
        self.ect0_if(is_new || self.extent == EctPackets::All)
    }

    /// True if the sender reduces its window on ECE and announces the reduction by CWR (RFC 3168 §6.1.2).
    /// False for Jersey, because its congestion control processes echoes.
    #[inline]
    pub fn reacts_to_echoes(self) -> bool {
        self.is_agreed && self.echo != EchoMode::EachMark
    }
}
