//! RTTN: the base station notifies TCP senders of the expected delay of fades (Kounavis 1996 §4).
//!
//! The agent is a reconstruction, because only the idea of the paper's algorithm is known. Airhop's choices
//! are listed with the scheme (`airhop schemes rttn`).

use super::{Agent, AgentActions, LinkEvent, LinkEventKind, PacketAction};
use crate::plan::{FlowPlan, Transport};
use airhop_base::{NodeId, Notice, NoticeKind, Packet, Span, Time};

/// Validity of a notice. A flow counts as active for the same time after its last data.
const NOTICE_VALIDITY: Span = Span::from_secs(60);

/// Minimum interval between two notices to a flow.
const MIN_NOTICE_INTERVAL: Span = Span::from_secs(1);

/// Default factor k of the mean deviation in the expected delay of a fade.
const DEFAULT_K: f64 = 2.0;

/// RTTN agent for one flow at one base station.
#[derive(Debug)]
pub struct RttnAgent {
    k: f64,
    /// Durations of the fades on the link to each mobile of this flow. A flow has one or two mobiles.
    fades: Vec<(NodeId, FadeStatistics)>,
    /// Last data segment of the flow: time, first byte, and first byte after the segment.
    data: Option<(Time, [u64; 2])>,
    /// Time and announced delay of the last notice.
    told: Option<(Time, Span)>,
}

/// Mean F and mean deviation Fd of the durations of fades.
#[derive(Clone, Copy, Debug)]
struct FadeStatistics {
    mean: Span,
    deviation: Span,
}

impl FadeStatistics {
    fn from_first_fade(lasted: Span) -> Self {
        FadeStatistics { mean: lasted, deviation: lasted / 2 }
    }

    /// Updates the means with a fade of duration d: F = F + g (d − F), Fd = Fd + g (|d − F| − Fd), g = 1/8.
    /// The two formulas use the same d − F, as Kounavis 1996 §3 does for RTTs.
    fn add_fade(&mut self, lasted: Span) {
        let error = lasted.max(self.mean) - lasted.min(self.mean);
        self.mean = (self.mean * 7 + lasted) / 8;
        self.deviation = (self.deviation * 7 + error) / 8;
    }

    /// Returns the expected delay D = F + k Fd.
    fn expected_delay(&self, k: f64) -> Span {
        self.mean + Span::from_secs_f64(k * self.deviation.secs_f64())
    }
}

impl RttnAgent {
    /// Creates the agent of this flow. Parameters that the scheme does not declare have RTTN's defaults.
    pub fn new(plan: &FlowPlan) -> Self {
        let k = match &plan.transport {
            Transport::Tcp { params, .. } => params.find("k"),
            Transport::Udp { .. } => None,
        };
        RttnAgent { k: k.unwrap_or(DEFAULT_K), fades: Vec::new(), data: None, told: None }
    }

    /// Records the duration of a fade of the link to `mobile`.
    fn record_fade(&mut self, mobile: NodeId, lasted: Span) {
        match self.fades.iter_mut().find(|(of, _)| *of == mobile) {
            Some((_, fades)) => fades.add_fade(lasted),
            None => self.fades.push((mobile, FadeStatistics::from_first_fade(lasted))),
        }
    }

    /// Returns the expected delay, summed over the links to the flow's mobiles; `None` before the end of the
    /// first fade.
    fn expected_delay(&self) -> Option<Span> {
        self.fades.iter().map(|(_, fades)| fades.expected_delay(self.k)).reduce(|sum, delay| sum + delay)
    }

    /// Sends a notice of the expected delay if the flow is active and the last notice is at least [`MIN_NOTICE_INTERVAL`]
    /// old. Outside the start of a fade, [`RttnAgent::needs_notice`] must also be true.
    fn send_notice(&mut self, now: Time, fade_begins: bool, actions: &mut AgentActions) {
        let Some((_, [seq, end])) = self.data.filter(|&(at, _)| now - at <= NOTICE_VALIDITY) else { return };
        let Some(delay) = self.expected_delay() else { return };
        let is_soon = self.told.is_some_and(|(at, _)| now - at < MIN_NOTICE_INTERVAL);
        if !is_soon && (fade_begins || self.needs_notice(now, delay)) {
            self.told = Some((now, delay));
            actions
                .notices
                .push(Notice { additional_delay: delay, ..Notice::with_segment(NoticeKind::Rttn, seq, end) });
        }
    }

    /// True if the sender has no valid notice, or if `delay` differs by more than 20 % from the last notice.
    fn needs_notice(&self, now: Time, delay: Span) -> bool {
        let known = self.told.filter(|&(at, _)| now - at < NOTICE_VALIDITY);
        known.is_none_or(|(_, told)| (delay.max(told) - delay.min(told)) * 5 > told)
    }
}

impl Agent for RttnAgent {
    fn uses_fades(&self) -> bool {
        true
    }

    fn on_packet(
        &mut self,
        now: Time,
        packet: &mut Packet,
        _: f64,
        actions: &mut AgentActions,
    ) -> PacketAction {
        if let Some(segment) = packet.segment().filter(|segment| segment.len > 0) {
            self.data = Some((now, [segment.seq, segment.end()]));
            self.send_notice(now, false, actions);
        }
        PacketAction::Forward
    }

    fn on_link_event(&mut self, now: Time, event: &LinkEvent, actions: &mut AgentActions) {
        match event.kind {
            LinkEventKind::FadeStart => self.send_notice(now, true, actions),
            LinkEventKind::FadeEnd(lasted) => {
                self.record_fade(event.next_hop, lasted);
                self.send_notice(now, false, actions);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
#[path = "rttn_tests.rs"]
mod tests;
