use super::{Guard, Urgent, forward};
use crate::seams::{Ack, Advance, Cause, Detect, Next, Recovery, Window};
use crate::sender_state::SenderState;
use airhop_base::{Span, Time};

/// Vegas' retransmission (Brakmo and Peterson 1995, §3.1): the first duplicate ACK, and the first two ACKs after a
/// retransmission, are occasions to look whether the oldest segment is out for longer than a timeout that is measured finely. If
/// so, it is lost, without a wait for the third duplicate. Otherwise as Reno, but nothing is sent on the first two duplicates.
#[derive(Debug, Default)]
pub struct Vegas {
    timeout: FineTimeout,
    guard: Guard,
    urgent: Urgent,
    /// Segments by which the window is inflated, while in fast recovery.
    inflation: Option<f64>,
    /// ACKs of new data that are still to be looked at after a retransmission.
    worried: u32,
}

/// Jacobson's mean and deviation on exact samples: (mean + 2 deviations) · 17/16, as the Arizona code has it.
#[derive(Debug, Default)]
pub(super) struct FineTimeout {
    /// Mean and mean deviation of the round trip, seconds.
    mean: Option<(f64, f64)>,
    /// Seconds; none before the first sample.
    pub timeout: Option<f64>,
}

impl FineTimeout {
    pub fn on_rtt(&mut self, rtt: Span) {
        let rtt = rtt.secs_f64();
        let (mean, deviation) = match self.mean {
            None => (rtt, rtt / 4.0),
            Some((mean, deviation)) => {
                (mean + (rtt - mean) / 8.0, deviation + ((rtt - mean).abs() - deviation) / 4.0)
            }
        };
        self.mean = Some((mean, deviation));
        self.timeout = Some((mean + 2.0 * deviation) * 17.0 / 16.0);
    }

    /// A retransmission: longer until the next sample, twice as long if the segment was sent again already.
    pub fn back_off(&mut self, again: bool) {
        self.timeout = self.timeout.map(|t| t * if again { 2.0 } else { 9.0 / 8.0 });
    }
}

impl Vegas {
    /// True if the segment at `una` is out for longer than the fine timeout.
    fn is_overdue(&self, s: &SenderState, now: Time) -> bool {
        let sent = s.board.get(s.una).map(|e| e.at);
        sent.zip(self.timeout.timeout).is_some_and(|(at, timeout)| (now - at).secs_f64() >= timeout)
    }
}

impl Recovery for Vegas {
    fn on_duplicate(&mut self, s: &mut SenderState, a: &Ack) -> Detect {
        let overdue = self.is_overdue(s, a.now);
        if let Some(inflation) = &mut self.inflation {
            *inflation += 1.0;
            if overdue {
                self.worried = 2;
                self.timeout.back_off(true);
                self.urgent.push(s.una, s.segment_end(s.una), Cause::Recovery);
            }
            return Detect::Nothing;
        }
        s.dupacks += 1;
        let lost = (overdue || s.dupacks == s.dupthresh) && self.guard.permits(s);
        if lost { Detect::Lost(s.una) } else { Detect::Nothing }
    }

    fn enter(&mut self, s: &mut SenderState, _: &mut Window, seq: u64) {
        self.inflation = Some(f64::from(s.dupacks));
        self.worried = 2;
        self.timeout.back_off(s.board.get(seq).is_some_and(|e| e.again));
        self.urgent.push(seq, s.segment_end(seq), Cause::Fast);
    }

    fn on_advance(&mut self, s: &mut SenderState, _: &mut Window, a: &Ack) -> Advance {
        s.dupacks = 0;
        self.inflation = None;
        if let Some(rtt) = a.sample {
            self.timeout.on_rtt(rtt);
        }
        if self.worried == 0 {
            return Advance::Open;
        }
        self.worried -= 1;
        if self.is_overdue(s, a.now) {
            return Advance::Lost(s.una);
        }
        self.worried = 0;
        Advance::Open
    }

    fn on_timeout(&mut self, s: &mut SenderState, _: Time) {
        self.guard.set(s);
        self.inflation = None;
        self.worried = 0;
        self.urgent.clear();
        s.dupacks = 0;
        s.nxt = s.una;
    }

    fn next(&mut self, s: &mut SenderState, w: &Window) -> Option<Next> {
        if let Some(next) = self.urgent.pop(s) {
            return Some(next);
        }
        if self.inflation.is_none() && (1..s.dupthresh).contains(&s.dupacks) {
            return None;
        }
        forward(s, self.in_flight(s), w.cwnd + self.inflation.unwrap_or(0.0))
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.urgent.push(seq, s.segment_end(seq), Cause::Notice);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // By hand: samples of 80 and 160 ms: mean 80, deviation 20, timeout 120 * 17/16 = 127.5 ms; then mean 80 + 80/8 = 90, deviation
    // 20 + (80 - 20)/4 = 35, timeout 160 * 17/16 = 170 ms. A retransmission makes it 9/8, another of the same segment twice as long, until
    // the next sample, that of the mean itself: 90 + 2 * (35 - 35/4) = 142.5.
    #[test]
    fn the_fine_timeout() {
        let mut timeout = FineTimeout::default();
        let mut after = |step: &dyn Fn(&mut FineTimeout)| {
            step(&mut timeout);
            timeout.timeout.map(|t| (t * 1e6).round())
        };
        assert_eq!(after(&|t| t.back_off(true)), None, "no sample yet");
        assert_eq!(after(&|t| t.on_rtt(Span::from_millis(80))), Some(127_500.0));
        assert_eq!(after(&|t| t.on_rtt(Span::from_millis(160))), Some(170_000.0));
        assert_eq!(after(&|t| t.back_off(false)), Some(191_250.0));
        assert_eq!(after(&|t| t.back_off(true)), Some(382_500.0));
        assert_eq!(
            after(&|t| t.on_rtt(Span::from_millis(90))),
            Some((142.5 * 17.0 / 16.0 * 1e3_f64).round())
        );
    }
}
