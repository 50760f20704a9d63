//! LL-ELSN: the link layer notifies the TCP sender of retransmissions and discards of each segment (Yun 2009
//! §3.1).

use super::{Agent, AgentActions, LinkEvent, LinkEventKind};
use airhop_base::{Notice, NoticeKind, Time};

/// Agent of Explicit Link Status Notification. The agent sends an ERSN when the link layer begins to
/// retransmit a segment. If the link layer discards the segment, the agent sends an ELN.
///
/// The agent has no state, because the frame's tag contains all fields of a notice (Yun 2009 §3.1: "no memory
/// overhead at the BS").
#[derive(Debug, Default)]
pub struct ElsnAgent;

impl Agent for ElsnAgent {
    fn on_link_event(&mut self, _now: Time, event: &LinkEvent, actions: &mut AgentActions) {
        let kind = match event.kind {
            // The first failure of a packet; later ones are `AttemptFailed`. With a limit of one attempt
            // there is none, because the first failure discards the packet.
            LinkEventKind::FirstFailure => NoticeKind::Ersn,
            LinkEventKind::Discarded => NoticeKind::Eln,
            LinkEventKind::AttemptFailed
            | LinkEventKind::Delivered
            | LinkEventKind::FadeStart
            | LinkEventKind::FadeEnd(_) => return,
        };
        let tag = event.tag;
        // Only segments with payload are reported. The paper does not specify this rule, but a notice about a
        // lost ACK is of no use to a sender.
        if tag.payload_bytes > 0 {
            actions.notices.push(Notice::with_segment(kind, tag.seq, tag.end_seq()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::{FlowId, NodeId};
    use airhop_radio::PacketTag;

    /// Returns the notices that the agent sends for `events` of the frame with the bytes `[seq, end)`.
    fn notices(events: &[LinkEventKind], seq: u64, end: u64) -> Vec<Notice> {
        let mut actions = AgentActions::default();
        for &kind in events {
            ElsnAgent.on_link_event(
                Time::ZERO,
                &LinkEvent {
                    kind,
                    tag: PacketTag { flow: FlowId(0), payload_bytes: (end - seq) as u32, seq },
                    next_hop: NodeId(1),
                    has_queued_ack: false,
                },
                &mut actions,
            );
        }
        assert!(actions.packets.is_empty());
        actions.notices
    }

    fn notice(kind: NoticeKind) -> Notice {
        Notice::with_segment(kind, 1001, 2001)
    }

    use LinkEventKind::{AttemptFailed, Delivered, Discarded, FirstFailure};

    // Yun 2009 §3.1: the "first retransmission" causes one ERSN; the discard at the retry limit causes an
    // ELN.
    #[test]
    fn four_failed_attempts_cause_an_ersn_and_an_eln() {
        let events = [FirstFailure, AttemptFailed, AttemptFailed, Discarded];
        assert_eq!(notices(&events, 1001, 2001), [notice(NoticeKind::Ersn), notice(NoticeKind::Eln)]);
    }

    #[test]
    fn a_frame_repaired_by_the_link_causes_only_an_ersn() {
        assert_eq!(
            notices(&[FirstFailure, AttemptFailed, Delivered], 1001, 2001),
            [notice(NoticeKind::Ersn)]
        );
    }

    // With a single attempt, a loss causes only an ELN. A delivery causes no notice.
    #[test]
    fn a_frame_lost_after_a_single_attempt_causes_only_an_eln() {
        assert_eq!(notices(&[Discarded], 1001, 2001), [notice(NoticeKind::Eln)]);
        assert_eq!(notices(&[Delivered], 1001, 2001), []);
    }

    #[test]
    fn a_lost_pure_ack_causes_no_notice() {
        assert_eq!(notices(&[FirstFailure, Discarded], 1, 1), []);
    }
}
