//! EBSN: the base station notifies the TCP sender of every failed attempt (Bakshi et al. 1997; Kounavis 1996
//! §3).

use super::{Agent, AgentActions, LinkEvent, LinkEventKind};
use crate::plan::{FlowPlan, Transport};
use crate::services::AgentPlace;
use airhop_base::{Notice, NoticeKind, Time};

/// EBSN agent (Explicit Bad State Notification). A notice reports that the link layer is retransmitting. The
/// agent has no state.
#[derive(Debug, Default)]
pub struct EbsnAgent;

impl EbsnAgent {
    /// Creates the agent at `place`; `None` if the place needs no agent. A base station reports the downlink.
    /// A wireless source reports its own link, if the scheme has this option.
    pub fn from_place(plan: &FlowPlan, place: AgentPlace) -> Option<EbsnAgent> {
        let has_agent = match (place, &plan.transport) {
            (AgentPlace::Source, Transport::Tcp { params, .. }) => params.find("own_link") == Some(1.0),
            (place, _) => place == AgentPlace::Down,
        };
        has_agent.then_some(EbsnAgent)
    }
}

impl Agent for EbsnAgent {
    fn on_link_event(&mut self, _: Time, event: &LinkEvent, actions: &mut AgentActions) {
        // "Once a packet loss is being encountered over a wireless link … For all subsequent packet losses
        // new EBSN messages are sent", while the link layer retransmits. The discard of a packet causes no
        // notice: the sender's own timer repairs the loss.
        let failed = matches!(event.kind, LinkEventKind::FirstFailure | LinkEventKind::AttemptFailed);
        let (seq, end) = (event.tag.seq, event.tag.end_seq());
        if failed && end > seq {
            actions.notices.push(Notice::with_segment(NoticeKind::Ebsn, seq, end));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::BulkPlan;
    use crate::plan::FlowClass;
    use airhop_base::{FlowId, NodeId, Span};
    use airhop_radio::PacketTag;
    use airhop_tcp::{Params, Preset};
    use std::sync::Arc;

    /// Returns the notices that the agent sends for `events` of the frame with the bytes `[seq, end)`.
    fn notices(events: &[LinkEventKind], seq: u64, end: u64) -> Vec<Notice> {
        let mut actions = AgentActions::default();
        for &kind in events {
            let tag = PacketTag { flow: FlowId(0), payload_bytes: (end - seq) as u32, seq };
            EbsnAgent.on_link_event(
                Time::ZERO,
                &LinkEvent { kind, tag, next_hop: NodeId(1), has_queued_ack: false },
                &mut actions,
            );
        }
        assert!(actions.packets.is_empty());
        actions.notices
    }

    use LinkEventKind::{AttemptFailed, Delivered, Discarded, FadeEnd, FadeStart, FirstFailure};

    // Base stations report the downlink. A wireless source reports its own link only with the option
    // `own_link` of the scheme.
    #[test]
    fn the_ebsn_agent_runs_before_the_downlink() {
        let plan = |own_link| {
            let scheme = airhop_tcp::find_scheme("ebsn").expect("a scheme");
            let mut params = Params::defaults(scheme);
            params.set(scheme, "own_link", own_link).expect("in range");
            let config = Preset::Ns2.config(1000);
            FlowPlan {
                name: "f".into(),
                from: NodeId(0),
                to: NodeId(1),
                transport: Transport::Tcp { scheme, params, config },
                app: Arc::new(BulkPlan),
                start: Time::ZERO,
                access_category: Default::default(),
                services: Vec::new(),
                class: FlowClass::OfKind("bulk"),
            }
        };
        for (place, without, with) in [
            (AgentPlace::Source, false, true),
            (AgentPlace::Down, true, true),
            (AgentPlace::Up, false, false),
        ] {
            let has_agent =
                [0.0, 1.0].map(|own_link| EbsnAgent::from_place(&plan(own_link), place).is_some());
            assert_eq!(has_agent, [without, with], "{place:?}");
        }
    }

    // Each failed attempt with a retry causes a notice; no other event does.
    #[test]
    fn each_failed_attempt_causes_one_ebsn() {
        let ebsn = Notice::with_segment(NoticeKind::Ebsn, 89, 177);
        let events = [FadeStart, FirstFailure, AttemptFailed, AttemptFailed, Delivered, FadeEnd(Span::ZERO)];
        assert_eq!(notices(&events, 89, 177), [ebsn; 3]);
        assert_eq!(notices(&[FirstFailure, Discarded], 89, 177), [ebsn]);
        assert_eq!(notices(&[Discarded, Delivered], 89, 177), []);
    }

    #[test]
    fn a_pure_ack_causes_no_ebsn() {
        assert_eq!(notices(&[FirstFailure, AttemptFailed], 1, 1), []);
    }
}
