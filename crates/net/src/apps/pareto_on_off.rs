//! On-off source: constant bit rate in bursts. Bursts and pauses have Pareto-distributed durations.

use super::{App, AppContext, AppFlow, AppPlan, AppSetup, Distribution, TransportProtocol};
use airhop_base::{Rate, Span, Time};
use airhop_engine::RandomStream;

/// On-off source over UDP: constant bit rate during on periods. On and off periods have Pareto-distributed
/// durations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParetoOnOffPlan {
    /// Payload rate during on periods.
    pub peak_rate: Rate,
    /// Mean duration of the on periods.
    pub mean_on_time: Span,
    /// Mean duration of the off periods.
    pub mean_off_time: Span,
    /// Tail exponent of both distributions, greater than 1.
    pub shape: f64,
}

impl AppPlan for ParetoOnOffPlan {
    fn transport(&self) -> TransportProtocol {
        TransportProtocol::Udp
    }

    fn create_app(&self, opening: &AppSetup) -> Box<dyn App> {
        let stream = opening.streams.stream(&format!("{}.app", opening.name));
        Box::new(OnOffSource::new(self, opening.datagram_bytes, stream))
    }

    fn mean_rate_bps(&self) -> f64 {
        self.peak_rate.bps() as f64 * self.mean_on_time.secs_f64()
            / (self.mean_on_time + self.mean_off_time).secs_f64()
    }
}

/// On-off source: constant bit rate in on periods, and no datagrams in off periods. Both durations have
/// Pareto distributions, so the sum of many sources is self-similar (Willinger et al. 1997).
///
/// The source behaves as in ns-2, except at the end of a burst. ns-2 rounds a burst to whole packets, at
/// least one. Airhop adds the remainder of the last interval to the next burst. The mean rate is therefore
/// always `peak × on / (on + off)`.
#[derive(Debug)]
struct OnOffSource {
    /// Interval between datagrams in on periods.
    interval: Span,
    on: Distribution,
    off: Distribution,
    /// Remaining duration of the present burst.
    left: Span,
    stream: RandomStream,
    /// Time of the next datagram.
    due: Time,
}

impl OnOffSource {
    fn new(plan: &ParetoOnOffPlan, bytes: u32, mut stream: RandomStream) -> Self {
        let period = |mean: Span| Distribution::Pareto { mean: mean.secs_f64(), shape: plan.shape };
        let (on, off) = (period(plan.mean_on_time), period(plan.mean_off_time));
        let left = on.draw_time(&mut stream);
        OnOffSource { interval: plan.peak_rate.time_for_bytes(bytes), on, off, left, stream, due: Time::ZERO }
    }

    /// Returns the time until the next datagram.
    fn draw_gap(&mut self) -> Span {
        let mut due = self.interval;
        let mut gap = Span::ZERO;
        while self.left < due {
            gap = gap + self.left + self.off.draw_time(&mut self.stream);
            due = due - self.left;
            self.left = self.on.draw_time(&mut self.stream);
        }
        self.left = self.left - due;
        gap + due
    }
}

impl App for OnOffSource {
    fn on_start(&mut self, now: Time, io: &mut AppContext) {
        self.on_timeout(now, io);
    }

    fn on_timeout(&mut self, now: Time, io: &mut AppContext) {
        io.send_datagram(AppFlow::PLANNED);
        self.due = now + self.draw_gap();
    }

    fn poll_timeout(&self) -> Option<Time> {
        Some(self.due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_engine::RandomStreams;

    #[test]
    fn an_on_off_source_without_off_time_sends_at_its_peak_rate() {
        let (peak, on) = (Rate::from_bps(8_000_000), Span::from_millis(10));
        let plan =
            ParetoOnOffPlan { peak_rate: peak, mean_on_time: on, mean_off_time: Span::ZERO, shape: 1.5 };
        let mut source = OnOffSource::new(&plan, 1000, RandomStreams::new(1, 0).stream("f.app"));
        assert!((0..1000).all(|_| source.draw_gap() == Span::from_millis(1)));
    }
}
