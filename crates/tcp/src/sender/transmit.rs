//! Transmission of the handshake and of data, with their headers.

use super::{HandshakeState, Sender, pacing, timestamp_clock};
use crate::config::CwndValidation;
use crate::seams::{NextSegment, TransmissionCause};
use crate::sender_state::SenderState;
use airhop_base::{
    Body, Ecn, Flags, Options, Packet, Profile, RareOptions, Rate, Segment, Span, TCP_IP_HEADER_BYTES, Time,
    Timestamps,
};

/// Number of the first paced segment. The first nine segments are not paced (Linux,
/// tcp_update_skb_after_send()).
const FIRST_PACED_SEGMENT: u64 = 10;

/// Fields that differ between the segments of a sender. One function builds the packet from these fields in
/// the caller's memory, because a copy of the packet would be slow.
pub(super) struct SegmentFields {
    pub seq: u64,
    pub len: u32,
    pub flags: Flags,
    pub ecn: Ecn,
    pub profile: Profile,
}

impl Sender {
    /// Returns the next packet to send; `None` if no packet may be sent now.
    #[inline(always)] // inlined with its callees, so that the packet is built in the caller's memory
    pub fn poll_transmit(&mut self, now: Time) -> Option<Packet> {
        let next = if self.connection == HandshakeState::Established && self.persist.is_none() {
            self.next_data(now)
        } else {
            self.next_handshake_or_probe(now)
        };
        next.map(|segment| self.build_packet(now, &segment))
    }

    /// Returns the next segment during the handshake or while the persist timer runs.
    #[cold]
    #[inline(never)]
    fn next_handshake_or_probe(&mut self, now: Time) -> Option<SegmentFields> {
        match self.connection {
            HandshakeState::Closed | HandshakeState::SynSent => None,
            HandshakeState::SynDue => {
                self.connection = HandshakeState::SynSent;
                self.state.nxt = 1;
                self.state.sent_end = 1;
                self.restart_timer(now);
                let syn = NextSegment { start: 0, end: 1, cause: TransmissionCause::New };
                self.record_transmission(now, &syn);
                self.state.scoreboard.on_sent(now, syn.start, syn.end);
                // Karn's rule: the SYN-ACK after a retransmitted SYN is ambiguous.
                self.timed =
                    (!self.config.timestamps && self.state.timed_out_una.is_none()).then_some((1, now));
                let (flags, ecn) = (self.marking.syn_flags(), self.marking.syn_codepoint());
                Some(SegmentFields { seq: 0, len: 0, flags, ecn, profile: Profile::In })
            }
            HandshakeState::AckDue => {
                self.connection = HandshakeState::Established;
                Some(self.pure_ack(1))
            }
            HandshakeState::Established => self.window_probe(now).or_else(|| self.next_data(now)),
        }
    }

    /// Returns a segment without data.
    pub(super) fn pure_ack(&self, seq: u64) -> SegmentFields {
        let flags = Flags { ack: true, ..Flags::default() };
        SegmentFields { seq, len: 0, flags, ecn: self.marking.ack_codepoint(), profile: Profile::In }
    }

    #[inline(always)]
    fn next_data(&mut self, now: Time) -> Option<SegmentFields> {
        if !self.state.has_outstanding_data() {
            self.restart_after_idle(now);
        }
        let spacing = self.pacing_rate_and_quantum();
        if spacing.is_some() && self.pacing.is_too_early(now) {
            return None;
        }
        let next = self.recovery.next_segment(&mut self.state, &self.window);
        let Some(next) = &next else {
            self.mark_app_limited();
            self.note_full_window();
            self.start_persist_timer(now);
            return None;
        };
        if self.frozen.is_some() && next.cause != TransmissionCause::Notice {
            return None; // Yun 2009 §4.2: a frozen sender only answers every second ELN
        }
        let ends_burst = match spacing {
            Some((rate, quantum)) => self.pacing.on_sent(now, next.end - next.start, rate, quantum),
            None => self.ends_unpaced_burst(now),
        };
        let psh = self.sets_psh_flag(next, ends_burst);
        Some(self.transmit(now, next, psh))
    }

    /// Returns the pacing rate and the number of segments per burst; `None` without pacing. Retransmissions
    /// are also paced (Linux: tcp_xmit_retransmit_queue() calls tcp_pacing_check() before each). In Linux the
    /// retransmission at a timeout is not paced; in Airhop it waits for at most the interval of one segment.
    #[inline(always)]
    fn pacing_rate_and_quantum(&self) -> Option<(Rate, u64)> {
        let may_pace = self.config.pacing || self.features.paces || self.features.needs_linux_state;
        may_pace.then(|| self.current_pacing()).flatten()
    }

    /// Returns the pacing rate and burst size; `None` while the sender does not pace.
    #[inline(never)]
    fn current_pacing(&self) -> Option<(Rate, u64)> {
        if (self.features.paces || self.features.needs_linux_state)
            && let Some(rate) = self.control.pacing_rate(&self.window, &self.state)
        {
            return Some((rate, self.control.send_quantum()));
        }
        let is_paced = self.config.pacing && self.counters.sent_segments + 1 >= FIRST_PACED_SEGMENT;
        is_paced.then(|| pacing::pacing_from_window(&self.window, &self.state)).flatten()
    }

    /// Counts a segment of an unpaced sender towards a burst. The burst is as long as with pacing (Linux,
    /// tcp_tso_autosize()). Returns true if the segment ends a burst of several segments.
    #[inline]
    fn ends_unpaced_burst(&mut self, now: Time) -> bool {
        self.config.push && self.is_last_of_burst(now)
    }

    #[inline(never)]
    fn is_last_of_burst(&mut self, now: Time) -> bool {
        let quantum = pacing::pacing_from_window(&self.window, &self.state).map_or(2, |(_, quantum)| quantum);
        self.pacing.add_to_burst(now, quantum)
    }

    /// True if the segment carries PSH. Linux sets PSH at the end of a burst (tcp_transmit_skb()) and at the
    /// end of the application's data (tcp_push(); RFC 9293 §3.9.1.2). At the end of a burst, PSH makes the
    /// receiver's network card pass the burst to TCP.
    pub(super) fn sets_psh_flag(&self, next: &NextSegment, ends_burst: bool) -> bool {
        self.config.push && (ends_burst || next.end >= self.state.supplied_end)
    }

    #[inline(always)]
    pub(super) fn transmit(&mut self, now: Time, next: &NextSegment, psh: bool) -> SegmentFields {
        if self.features.needs_linux_state && self.recovery.in_flight(&self.state) == 0 {
            self.control.on_start(now, &self.state);
        }
        if self.delivery.is_some() {
            self.record_transmission(now, next);
        }
        let s = &mut self.state;
        let again = next.start < s.sent_end;
        self.last_sent = Some(now);
        // A FIN has a sequence number but is not payload (RFC 9293 §3.4).
        let fin = next.end > self.fin;
        let len = (next.end - next.start) as u32 - u32::from(fin);
        let has_data = u64::from(len > 0);
        self.counters.sent_segments += has_data;
        self.counters.retransmissions += has_data & u64::from(again);
        if next.start == s.nxt {
            s.nxt = next.end;
        }
        s.sent_end = s.sent_end.max(next.end);
        if !again && next.end - next.start < s.mss {
            s.nagle.on_partial_segment(next.end);
        }
        if again {
            self.note_retransmission(now, next);
            // Karn's rule: an ACK of a retransmitted segment is ambiguous.
            self.timed = self.timed.filter(|&(end, _)| end <= next.start || next.end < end);
        } else if self.timed.is_none()
            && next.start >= self.timed_up_to
            && self.stack.times_single_segment(self.config.timestamps)
        {
            self.timed = Some((next.end, now));
            self.timed_up_to = next.end;
        }
        let repeats_head = again && next.start == self.state.una;
        // RFC 6298 §5 (5.1); Linux restarts the timer also when the oldest segment is retransmitted.
        if self.timer.is_none() || (repeats_head && self.config.rto.kind.restarts_with_head()) {
            self.restart_timer(now);
        }
        let earlier = self.state.scoreboard.on_sent(now, next.start, next.end);
        self.recovery.on_sent(&mut self.state, now, next, earlier);
        if !again {
            self.note_usage(); // Linux, tcp_write_xmit(): retransmissions do not count as use of the window
        }
        self.control.on_sent(now, next);
        self.last_cause = next.cause;
        // RFC 3168 §6.1.2: only new data carries CWR.
        let is_new = !again;
        let cwr = is_new && len > 0 && std::mem::take(&mut self.cwr_due);
        let flags = Flags { ack: true, cwr, psh, fin, ..Flags::default() };
        let ecn = if len > 0 { self.marking.data_codepoint(is_new) } else { self.marking.ack_codepoint() };
        self.counters.ect_segments += has_data & u64::from(ecn.is_ecn_capable());
        let profile = self.control.profile(next);
        SegmentFields { seq: next.start, len, flags, ecn, profile }
    }

    fn note_usage(&mut self) {
        let has_room = |s: &SenderState| s.has_room(s.mss, self.recovery.in_flight(s), self.window.cwnd);
        let is_full = self.needs_full_windows() && !has_room(&self.state);
        let s = &mut self.state;
        s.window_usage.record_transmission(s.scoreboard.len() as u64, is_full, s.una, s.nxt);
    }

    /// Records a full window if data waits because window or recovery permit no further segment (Linux,
    /// tcp_write_xmit()).
    fn note_full_window(&mut self) {
        let waits =
            self.needs_full_windows() && self.state.has_outstanding_data() && self.state.may_send_next();
        let s = &mut self.state;
        if waits {
            s.window_usage.record_transmission(s.scoreboard.len() as u64, true, s.una, s.nxt);
        }
    }

    /// True if the configuration or the scheme reads the record of full windows.
    fn needs_full_windows(&self) -> bool {
        self.config.cwnd_validation == CwndValidation::Full || self.features.needs_linux_state
    }

    /// Returns the packet of a segment.
    #[inline(always)] // the packet is built in the caller's memory, without a copy
    fn build_packet(&self, now: Time, outgoing: &SegmentFields) -> Packet {
        let &SegmentFields { seq, len, flags, ecn, profile } = outgoing;
        let timestamps = self
            .config
            .timestamps
            .then(|| Timestamps { tsval: timestamp_clock(now), tsecr: self.recent_timestamp });
        let segment = Segment {
            seq,
            len,
            ack: u64::from(flags.ack),
            window: self.config.receive_window,
            flags,
            timestamps,
            has_header_checksum: len > 0 && self.features.header_checksum,
            sack_permitted: flags.syn && self.features.uses_sack(&self.config),
            sent: now,
            options: if len > 0 && self.features.contention_time { no_contention() } else { Options::NONE },
        };
        let bytes = TCP_IP_HEADER_BYTES + segment.option_bytes() + len;
        let packet = Packet::new(self.flow, self.local, self.remote, bytes, Body::Tcp(segment));
        Packet { ecn, profile, ..packet }
    }
}

/// Returns the contention-time option with a value of zero. Nodes on the path add their contention time.
#[cold]
fn no_contention() -> Options {
    RareOptions { contention_time: Some(Span::ZERO), ..RareOptions::NONE }.into()
}
