//! Bursts of lost frames by a clocked Markov chain, independent of traffic.
use super::{Damage, ErrorModel, Frame, FrameSelection};
use airhop_base::Span;
use airhop_engine::RandomStream;

/// Markov chain of [`super::gilbert_elliott`] with steps at fixed intervals of time instead of one step per
/// frame. While a sender waits for its timer, this chain changes, but a chain with one step per frame does
/// not.
///
/// The states are drawn from their own random stream, so they do not depend on the traffic. A data frame is
/// lost with the loss probability of the state at the frame's start.
#[derive(Debug)]
pub struct SteppedGilbertElliott {
    /// Loss probability of a frame in the good and the bad state.
    loss: [f64; 2],
    /// Probability of leaving the good and the bad state after a step.
    leave: [f64; 2],
    step: Span,
    strikes: FrameSelection,
    bad: bool,
    /// Number of the step at which the present state ends.
    until: u64,
    states: RandomStream,
    stream: RandomStream,
}

impl SteppedGilbertElliott {
    /// Creates a chain in its stationary distribution. After each `step` the state changes with probability
    /// `leave`, drawn from `states`. Frames are lost with probability `loss`, drawn from `stream`. Both
    /// probabilities are [good, bad].
    pub fn new(
        loss: [f64; 2],
        leave: [f64; 2],
        step: Span,
        strikes: FrameSelection,
        mut states: RandomStream,
        stream: RandomStream,
    ) -> Self {
        let bad = states.uniform() * (leave[0] + leave[1]) < leave[0];
        let mut chain =
            SteppedGilbertElliott { loss, leave, step, strikes, bad: !bad, until: 0, states, stream };
        chain.switch_state();
        chain
    }

    /// Ends the present state and starts the other state. The time in the new state is geometric, P(k steps)
    /// = (1 - p)^(k - 1) p, where p is the probability of leaving the state.
    fn switch_state(&mut self) {
        self.bad = !self.bad;
        let leave = self.leave[usize::from(self.bad)];
        let u = self.states.uniform();
        // A state with p = 0 never ends: its infinite duration saturates in the cast.
        let steps = if leave > 0.0 { libm::log1p(-u) / libm::log1p(-leave) } else { f64::INFINITY };
        self.until = self.until.saturating_add(steps as u64).saturating_add(1);
    }
}

impl ErrorModel for SteppedGilbertElliott {
    /// Draws one uniform number for each frame that `strikes` selects. Calls must be in chronological order.
    fn draw_damage(&mut self, frame: &Frame) -> Damage {
        if !self.strikes.contains(frame) {
            return Damage::None;
        }
        let step = Span::from_nanos(frame.start.nanos()).whole_multiples(self.step);
        while self.until <= step {
            self.switch_state();
        }
        let lost = self.stream.random_bool(self.loss[usize::from(self.bad)]);
        if lost { Damage::Header } else { Damage::None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::test_frame;
    use airhop_base::Time;
    use airhop_engine::RandomStreams;

    const STEP: Span = Span::from_millis(1);

    fn model(loss: [f64; 2], leave: [f64; 2], seed: u64) -> SteppedGilbertElliott {
        let [states, errors] = ["states", "errors"].map(|name| RandomStreams::new(seed, 0).stream(name));
        SteppedGilbertElliott::new(loss, leave, STEP, FrameSelection::Data, states, errors)
    }

    fn lost(model: &mut SteppedGilbertElliott, nanos: u64) -> bool {
        let start = Time::from_nanos(nanos);
        model.draw_damage(&Frame { start, end: start, ..test_frame(8592) }) == Damage::Header
    }

    /// Returns a boolean for one frame in the middle of each of the first `n` steps: true if the frame is
    /// lost.
    fn losses(loss: [f64; 2], leave: [f64; 2], n: u64) -> Vec<bool> {
        let mut model = model(loss, leave, 1);
        (0..n).map(|i| lost(&mut model, i * 1_000_000 + 500_000)).collect()
    }

    /// Cheng & Lin's channel loses 0.0825 of the frames, both for one frame per step and for one frame every
    /// 37 steps.
    #[test]
    fn the_loss_rate_equals_that_of_the_stationary_chain() {
        for every in [1, 37] {
            let n = 1_000_000;
            let mut model = model([0.0155, 0.25], [0.06, 0.15], 1);
            let count = (0..n).filter(|i| lost(&mut model, i * every * 1_000_000)).count();
            // The tolerance is five standard deviations. The factor (1 + r) / (1 - r) accounts for the
            // correlation r = 1 - p_gb - p_bg of successive frames.
            let deviation = (0.0825 * 0.9175 / n as f64 * 1.79 / 0.21_f64).sqrt();
            let measured = count as f64 / n as f64;
            assert!((measured - 0.0825).abs() < 5.0 * deviation, "{measured}");
        }
        assert!(
            !losses([0.0, 1.0], [0.0, 0.0], 1000).contains(&true),
            "a chain without transitions is in the good state"
        );
    }

    #[test]
    fn sojourns_are_geometric_in_steps() {
        let (p_gb, p_bg) = (0.05, 0.4);
        let lost = losses([0.0, 1.0], [p_gb, p_bg], 1_000_000);
        for (what, leave) in [(true, p_bg), (false, p_gb)] {
            let stays: Vec<usize> =
                lost.chunk_by(|a, b| a == b).filter(|run| run[0] == what).map(<[bool]>::len).collect();
            let n = stays.len() as f64;
            let mean = stays.iter().sum::<usize>() as f64 / n;
            assert!((mean - 1.0 / leave).abs() < 5.0 * (1.0 - leave).sqrt() / leave / n.sqrt(), "{mean}");
            let ones = stays.iter().filter(|k| **k == 1).count() as f64;
            assert!((ones / n - leave).abs() < 5.0 * (leave * (1.0 - leave) / n).sqrt(), "{ones} of {n}");
        }
    }

    /// The states do not depend on the sender's traffic.
    #[test]
    fn the_channel_state_does_not_depend_on_traffic() {
        let often = losses([0.0, 1.0], [0.05, 0.4], 10_000);
        let mut seldom = model([0.0, 1.0], [0.05, 0.4], 1);
        for i in (0..10_000).step_by(7) {
            assert_eq!(lost(&mut seldom, i * 1_000_000 + 999_999), often[i as usize]);
        }
        assert!(often.contains(&true));
    }

    #[test]
    fn control_frames_are_never_lost() {
        let mut model = model([1.0, 1.0], [0.1, 0.1], 1);
        assert_eq!(model.draw_damage(&Frame { is_control: true, ..test_frame(112) }), Damage::None);
        assert!(lost(&mut model, 0));
    }

    /// Stationary start: over many seeds the first frame is bad as often as any other frame.
    #[test]
    fn the_first_frame_has_the_stationary_loss_rate() {
        let bad = (0..20_000).filter(|seed| lost(&mut model([0.0, 1.0], [0.1, 0.3], *seed), 0)).count();
        let share = bad as f64 / 20_000.0;
        assert!((share - 0.25).abs() < 5.0 * (0.25 * 0.75 / 20_000.0_f64).sqrt(), "{share}");
    }
}
