//! ACK processing: opening of the connection, acknowledged data, duplicate ACKs, ECN echoes, and RTT samples.

use super::order::ControlCall;
use super::{HandshakeState, Sender, timestamp_clock};
use crate::EchoMode;
use crate::config::CwndValidation;
use crate::scoreboard::{Scoreboard, find_dsack};
use crate::seams::{
    Ack, AdvanceOutcome, CongestionSignal, DetectionOutcome, LossClassification, UndoEvidence, Window,
};
use airhop_base::{Eln, Notice, NoticeKind, RareOptions, Segment, Span, Time};

impl Sender {
    pub(super) fn on_acknowledgement(&mut self, now: Time, segment: &Segment) {
        if segment.ack > self.state.sent_end {
            return; // RFC 9293 §3.10.7.4: the ACK acknowledges data that was never sent
        }
        let answers_syn = segment.flags.syn && segment.ack > 0;
        if self.connection == HandshakeState::SynSent && !answers_syn {
            return; // RFC 9293 §3.10.7.3: only a SYN-ACK opens the connection and acknowledges its SYN
        }
        let edge = segment.ack.saturating_add(segment.window);
        let is_update = edge > self.state.right_edge;
        self.state.right_edge = self.state.right_edge.max(edge);
        let opens = self.connection == HandshakeState::SynSent;
        if opens {
            self.connection = HandshakeState::AckDue;
        }
        self.order.start_event();
        let earlier = self.flight_before_ack();
        self.detect_spurious(segment); // before the ACK can cause a reduction
        let acked = self.process_ack(now, segment);
        let advances = acked > 0;
        let is_probing = self.persist.is_some();
        self.on_window_update(now);
        if advances {
            self.on_advance(now, segment, acked, opens);
            if opens && self.state.timed_out_una == Some(0) {
                self.on_lost_syn();
            }
        }
        // NAKs are processed after the cumulative ACK, which may make the retransmission needless, and before
        // duplicate ACKs are detected.
        if self.notices.handles_nak() {
            self.on_naks(now, segment);
        }
        if !advances && !segment.flags.syn {
            // RFC 5681 §2: a duplicate ACK repeats the last ACK, including its window. RFC 6675 §2: an ACK is
            // also a duplicate ACK if its SACK blocks report data that no earlier ACK reported, "even if it …
            // changes the advertised window".
            let repeats = segment.ack == self.state.una && !is_update && segment.len == 0;
            let reports = self.state.scoreboard.newly_sacked_bytes() > 0;
            // An ACK caused by a zero-window probe does not indicate a loss.
            if (repeats && self.state.has_outstanding_data() && !is_probing) || reports {
                self.on_duplicate_ack(now, segment);
            } else if repeats || find_dsack(segment.ack, &segment.options.sack).is_some() {
                self.report_stale_ack(now, segment);
            }
        }
        if let Some(earlier) = earlier {
            self.report_delivery(now, segment, earlier);
        }
        if let Some(seq) = segment.eln_seq().filter(|_| self.notices.handles_eln()) {
            let end = self.state.segment_end(seq);
            self.on_notice(now, Notice::with_segment(NoticeKind::Eln, seq, end));
        }
    }

    /// Passes an ACK without news to the recovery. The ACK may carry a late D-SACK.
    #[inline(never)]
    fn report_stale_ack(&mut self, now: Time, segment: &Segment) {
        let ack = policy_ack(now, segment, 0, None, &self.state.scoreboard);
        self.recovery.on_uncounted_duplicate(&mut self.state, &ack);
    }

    /// Adds the first RTT sample of a connection that the peer opened (RFC 6298 §2.2; Linux,
    /// tcp_synack_rtt_meas()). `sent` is the time of this host's SYN-ACK, `acked` the arrival of the ACK.
    pub fn on_syn_acknowledged(&mut self, sent: Time, acked: Time) {
        self.stack.add_rtt_sample(&mut *self.rto, sent, acked, true);
        self.state.srtt = self.rto.srtt();
        self.state.scoreboard.on_handshake(acked - sent);
    }

    /// Sets the window to one segment (RFC 5681 §3.1) and the timeout to 3 s (RFC 6298 §5.7) after the loss
    /// of a SYN or SYN-ACK. Linux starts with a timeout of one second, and reduces the window only after a
    /// second lost SYN (tcp_init_transfer()). Linux raises the timeout only without an RTT sample from
    /// timestamps (tcp_init_metrics()).
    #[cold]
    fn on_lost_syn(&mut self) {
        // all transmissions so far were SYNs, and the last one arrived
        let lost = self.state.scoreboard.next_transmission_number() - 2;
        let spares_first = self.config.rto.kind.ignores_first_syn_loss();
        if !spares_first || lost > 1 {
            self.window.cwnd = 1.0;
        }
        if !spares_first || self.rto.srtt().is_none() {
            self.rto.on_slow_handshake();
        }
    }

    /// Updates the sequence space and the scoreboard with an ACK, before any policy sees the ACK. Returns the
    /// number of newly acknowledged bytes.
    fn process_ack(&mut self, now: Time, segment: &Segment) -> u64 {
        let s = &mut self.state;
        let acked = segment.ack.saturating_sub(s.una);
        s.una += acked;
        s.nxt = s.nxt.max(s.una);
        let high_sack = s.scoreboard.high_sack();
        s.scoreboard.on_ack(now, s.una, s.nxt, &segment.options.sack);
        self.round_trip = s.scoreboard.newest_rtt();
        self.detect_reordering(high_sack);
        acked
    }

    fn on_advance(&mut self, now: Time, segment: &Segment, acked: u64, opens: bool) {
        let rtt = self.sample_rtt(now, segment);
        if let Some(frozen) = self.frozen.take() {
            self.window = frozen.window;
            self.rto = frozen.rto;
        }
        self.notices.on_progress(true);
        let ack = policy_ack(now, segment, acked, rtt, &self.state.scoreboard);
        self.order.record_call(ControlCall::Observed);
        self.control.observe_ack(&ack, &self.state);
        // The ACK of a SYN neither increases the window nor repairs a loss.
        let advance = (!opens).then(|| self.recovery.on_advance(&mut self.state, &mut self.window, &ack));
        let restart = match advance {
            None => true,
            Some(advance) => self.act_on_advance(now, &ack, advance),
        };
        self.on_ecn_echo(now, &ack); // the ACK began or ended a recovery; an echo counts once
        if !self.state.has_outstanding_data() {
            self.timer = None;
        } else if restart || self.timer.is_none() {
            self.restart_timer(now);
        }
    }

    /// Executes the recovery's decision on an ACK that advances `una`. Returns true if the retransmission
    /// timer restarts.
    fn act_on_advance(&mut self, now: Time, ack: &Ack, advance: AdvanceOutcome) -> bool {
        match advance {
            AdvanceOutcome::Open => {
                self.answer_echo_then_grow(now, ack);
                true
            }
            AdvanceOutcome::Over => {
                if self.stack.grows_at_recovery_end() {
                    self.answer_echo_then_grow(now, ack);
                }
                true
            }
            AdvanceOutcome::Partial { restart } => restart,
            AdvanceOutcome::Lost(seq) => {
                self.act_on_detection(now, DetectionOutcome::Lost(seq));
                true
            }
            AdvanceOutcome::Repaired(seq) => {
                let judged = self.reduce_window(now, CongestionSignal::Duplicates);
                self.reduction = None; // the probe has shown that the loss was not spurious
                self.classifications.push_back(LossClassification { seq, class: judged });
                true
            }
            AdvanceOutcome::Spurious => {
                self.undo_reduction(UndoEvidence::Timeout);
                if self.stack.grows_at_recovery_end() {
                    self.answer_echo_then_grow(now, ack);
                }
                true
            }
        }
    }

    /// Reacts to an echoed ECN mark before the ACK increases the window, as in ns-2 and Linux.
    fn answer_echo_then_grow(&mut self, now: Time, ack: &Ack) {
        self.on_ecn_echo(now, ack);
        if self.may_grow_window(ack) {
            self.grow_window(ack);
        }
    }

    /// True if the ACK may increase the window. The reaction to an ECN mark may forbid growth.
    fn may_grow_window(&self, ack: &Ack) -> bool {
        let heeds_itself = self.features.echo_mode == EchoMode::EachMark;
        heeds_itself || self.stack.may_grow_window(ack.ece, self.state.una <= self.reduced_until)
    }

    /// Grows the window for an ACK outside recovery, unless the application limits the flight.
    fn grow_window(&mut self, ack: &Ack) {
        let before = self.window;
        self.order.record_call(ControlCall::Heard);
        self.control.on_ack(&mut self.window, ack, &self.state);
        if self.config.cwnd_validation != CwndValidation::Never && self.window.cwnd > before.cwnd {
            self.validate_growth(before);
        }
    }

    /// Undoes window growth that the application does not use.
    #[inline(never)]
    fn validate_growth(&mut self, before: Window) {
        // With pacing the flight reaches the window only at the end of the round trip.
        // With pacing the flight fills the window only at the end of the round trip.
        let is_spaced = self.control.pacing_rate(&before, &self.state).is_some();
        let by = if is_spaced { CwndValidation::Half } else { self.config.cwnd_validation };
        if !self.state.window_usage.permits_growth(by, &before) {
            self.window.cwnd = before.cwnd;
        }
    }

    #[inline(never)]
    fn on_duplicate_ack(&mut self, now: Time, segment: &Segment) {
        if self.stack.samples_duplicate_acks() {
            self.sample_rtt(now, segment);
            self.restart_timer(now);
        }
        let ack = policy_ack(now, segment, 0, None, &self.state.scoreboard);
        self.order.record_call(ControlCall::Observed);
        self.control.observe_ack(&ack, &self.state);
        let has_eln = segment.options.eln.is_some() && self.notices.handles_eln();
        if !matches!(segment.options.eln, Some(Eln::Segment(_))) {
            self.notices.on_progress(false); // the arrival of a damaged segment acknowledges no new data
        }
        // Balakrishnan and Katz 1998, Balan et al. 2001: an ACK with an ELN is never a duplicate ACK.
        let is_explained = has_eln || self.notices.explains_duplicate(now, &self.state);
        if is_explained {
            self.recovery.on_uncounted_duplicate(&mut self.state, &ack);
        } else {
            self.allow_postponed_reduction(&ack);
            let detect = self.recovery.on_duplicate_ack(&mut self.state, &ack);
            self.act_on_detection(now, detect);
        }
        self.on_ecn_echo(now, &ack);
        if !is_explained {
            self.grow_by_sack(&ack);
        }
    }

    /// Grows the window for SACKed data if the path has reordered segments (Linux, tcp_may_raise_cwnd()).
    /// Without reordering, the window grows at the later cumulative ACK.
    fn grow_by_sack(&mut self, ack: &Ack) {
        let may = self.state.has_reordering && ack.delivered_bytes > 0 && self.recovery.may_grow_by_sack();
        if may && self.may_grow_window(ack) {
            self.grow_window(ack);
        }
    }

    /// Lets a scheme decide on a loss that the scheme left unclassified. The scheme may reduce the window
    /// now.
    fn allow_postponed_reduction(&mut self, ack: &Ack) {
        let before = self.window;
        if self.frozen.is_none() {
            self.order.record_call(ControlCall::Heard);
            self.control.on_duplicate_ack(&mut self.window, ack, &self.state);
        }
        if self.window != before {
            self.counters.window_reductions += 1;
            self.recovery.on_postponed_reduction(&self.window);
        }
    }

    /// Executes a decision of the recovery: sends a tail loss probe, undoes a spurious timeout, or starts
    /// recovery for a loss.
    pub(super) fn act_on_detection(&mut self, now: Time, mut detect: DetectionOutcome) {
        match detect {
            DetectionOutcome::Probe => self.restart_timer(now),
            DetectionOutcome::Spurious => self.undo_reduction(UndoEvidence::Timeout),
            DetectionOutcome::Nothing | DetectionOutcome::Lost(_) => {}
        }
        while let (DetectionOutcome::Lost(seq), None) = (detect, &self.frozen) {
            self.counters.fast_recoveries += 1;
            let judged = if self.is_reduced_by_mark(seq) {
                self.classify_marked_loss(now)
            } else {
                self.reduce_window(now, CongestionSignal::Duplicates)
            };
            self.classifications.push_back(LossClassification { seq, class: judged });
            self.recovery.enter_recovery(&mut self.state, &mut self.window, seq);
            self.timed = None; // Karn's rule: a retransmission follows
            if self.stack.backs_off_on_retransmit() {
                self.rto.on_backoff();
            }
            self.restart_timer(now);
            detect = self.recovery.next_loss();
        }
    }

    /// Reacts to an echoed ECN mark if the ACK carries ECE.
    #[inline]
    fn on_ecn_echo(&mut self, now: Time, ack: &Ack) {
        if ack.ece {
            self.answer_ecn_echo(now, ack);
        }
    }

    /// Reduces the window for an echoed ECN mark as for a loss, but without a retransmission. At most once
    /// per window of data (RFC 3168 §6.1.2).
    fn answer_ecn_echo(&mut self, now: Time, ack: &Ack) {
        let was_answered =
            !self.stack.may_reduce_on_echo(self.state.una, self.echo_point, self.reduced_until);
        if !self.marking.reacts_to_echoes() || was_answered || self.frozen.is_some() {
            return;
        }
        self.cwr_due = true; // even if the window does not change
        if self.window.cwnd > 1.0 || self.stack.reduces_window_of_one() {
            let before = self.window;
            self.reduce_window(now, CongestionSignal::Echo);
            self.recovery.on_ecn_echo(&self.state, &before, &self.window, ack);
        } else {
            // RFC 3168 §6.1.2: "the TCP sender … SHOULD reset the retransmit timer". The expiry of the timer
            // permits the next segment.
            (self.echo_point, self.reduced_until) = (self.state.sent_end, self.state.sent_end);
            self.restart_timer(now);
        }
    }

    /// Updates the RTT estimator from this ACK of new data. Returns the RTT sample; `None` if the ACK yields
    /// no valid sample.
    fn sample_rtt(&mut self, now: Time, segment: &Segment) -> Option<Span> {
        let timed = self.timed.take_if(|(end, _)| segment.ack >= *end);
        let samples_record = self.config.rto.kind.uses_recorded_times();
        let recorded = if samples_record { self.state.scoreboard.longest_rtt() } else { None };
        let sent = if let Some(rtt) = recorded {
            Time::from_nanos((now - Time::ZERO).nanos() - rtt.nanos())
        } else if let Some(ts) = segment.timestamps.filter(|_| self.config.timestamps) {
            // RFC 7323 §4.1: a sample from timestamps is valid even for a retransmitted segment.
            let age = timestamp_clock(now).wrapping_sub(ts.tsecr);
            Time::from_nanos(now.nanos().saturating_sub(u64::from(age) * 1_000_000))
        } else {
            timed?.1
        };
        if self.frozen.is_none() {
            self.stack.add_rtt_sample(&mut *self.rto, sent, now, timed.is_some());
            self.state.srtt = self.rto.srtt();
        }
        Some(now - sent)
    }
}

/// Returns the ACK in the form for policies. `board` has already processed the ACK.
fn policy_ack<'a>(
    now: Time,
    segment: &'a Segment,
    acked: u64,
    rtt: Option<Span>,
    board: &Scoreboard,
) -> Ack<'a> {
    let ece = segment.is_ecn_echo();
    let RareOptions { sack, arrival, .. } = &*segment.options;
    let sample = board.newest_rtt().filter(|_| !segment.flags.syn);
    Ack {
        now,
        acked_bytes: acked,
        delivered_bytes: board.delivered(),
        growth_bytes: board.growth_bytes(),
        sack,
        timer_rtt: rtt,
        newest_rtt: sample,
        ece,
        arrival: *arrival,
    }
}
