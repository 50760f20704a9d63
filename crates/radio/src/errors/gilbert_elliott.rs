//! Bursts of lost frames by a Markov chain.
use super::{Damage, ErrorModel, Frame, FrameSelection};
use airhop_engine::RandomStream;

/// Two-state Markov chain that steps once per data frame (Gilbert 1960, Elliott 1963). A frame is lost with
/// the probability of the present state, and then the state may change. The chain starts in its stationary
/// distribution.
///
/// A control frame does not step the chain. The length of a frame has no effect on its loss.
#[derive(Debug)]
pub struct GilbertElliott {
    /// Loss probability of a frame in the good and the bad state.
    loss: [f64; 2],
    /// Probability of leaving the good and the bad state after a frame.
    leave: [f64; 2],
    strikes: FrameSelection,
    bad: bool,
    stream: RandomStream,
}

impl GilbertElliott {
    /// Creates a chain for the frames that `strikes` selects. A frame is lost with probability `loss`, and
    /// the state changes with probability `leave`; both are [good, bad].
    pub fn new(loss: [f64; 2], leave: [f64; 2], strikes: FrameSelection, mut stream: RandomStream) -> Self {
        // The fraction of bad frames is p_gb / (p_gb + p_bg). A chain without transitions stays in the good
        // state.
        let bad = stream.uniform() * (leave[0] + leave[1]) < leave[0];
        GilbertElliott { loss, leave, strikes, bad, stream }
    }
}

impl ErrorModel for GilbertElliott {
    /// Draws two uniform numbers for each frame that `strikes` selects, even if the loss is certain.
    fn draw_damage(&mut self, frame: &Frame) -> Damage {
        if !self.strikes.contains(frame) {
            return Damage::None;
        }
        let state = usize::from(self.bad);
        let lost = self.stream.random_bool(self.loss[state]);
        self.bad ^= self.stream.random_bool(self.leave[state]);
        if lost { Damage::Header } else { Damage::None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::test_frame;
    use airhop_engine::RandomStreams;

    /// Returns a boolean for each of `n` data frames: true if the frame is lost.
    fn losses(loss: [f64; 2], leave: [f64; 2], n: usize) -> Vec<bool> {
        let mut model =
            GilbertElliott::new(loss, leave, FrameSelection::Data, RandomStreams::new(1, 0).stream("errors"));
        (0..n).map(|_| model.draw_damage(&test_frame(8592)) == Damage::Header).collect()
    }

    fn share(lost: &[bool]) -> f64 {
        lost.iter().filter(|l| **l).count() as f64 / lost.len() as f64
    }

    /// Values computed by hand: in Cheng & Lin's channel 0.2857 of the frames meet the bad state, and 0.0825
    /// are lost. Yun's channel (§5.4) loses the fraction p_gb / (p_gb + 1 - p_bb).
    #[test]
    fn the_loss_rate_equals_that_of_the_stationary_chain() {
        let n = 1_000_000;
        // The variance of a mean over the chain is at most that of independent frames times (1 + r) / (1 -
        // r), where r = 1 - p_gb - p_bg is the correlation of successive frames. The tolerance is five
        // standard deviations.
        let check = |loss: [f64; 2], leave: [f64; 2], expect: f64| {
            let r = 1.0 - leave[0] - leave[1];
            let deviation = (expect * (1.0 - expect) / n as f64 * (1.0 + r) / (1.0 - r)).sqrt();
            let measured = share(&losses(loss, leave, n));
            assert!((measured - expect).abs() < 5.0 * deviation, "{measured}, expected {expect}");
        };
        check([0.0155, 0.25], [0.06, 0.15], 0.0825);
        for p_bb in [0.1, 0.3, 0.5] {
            check([0.0, 1.0], [0.01, 1.0 - p_bb], 0.01 / (1.01 - p_bb));
        }
    }

    /// A burst of losses is a stay in the bad state if the state alone determines the loss. The length of a
    /// burst is geometric, P(length = k) = p_bb^(k-1) p_bg, with mean 1 / p_bg. The length of a gap is
    /// geometric with p_gb.
    #[test]
    fn loss_bursts_and_gaps_are_geometric() {
        let (p_gb, p_bg) = (0.05, 0.4);
        let lost = losses([0.0, 1.0], [p_gb, p_bg], 1_000_000);
        for (what, leave) in [(true, p_bg), (false, p_gb)] {
            let lengths: Vec<usize> =
                lost.chunk_by(|a, b| a == b).filter(|run| run[0] == what).map(<[bool]>::len).collect();
            let n = lengths.len() as f64;
            let mean = lengths.iter().sum::<usize>() as f64 / n;
            // Standard deviation of a geometric length: sqrt(1 - p) / p.
            assert!((mean - 1.0 / leave).abs() < 5.0 * (1.0 - leave).sqrt() / leave / n.sqrt(), "{mean}");
            // Chi-square test of the lengths 1 … 10 and of all longer lengths together: 10 degrees of
            // freedom, 99.99 % quantile 35.6.
            let mut chi2 = 0.0;
            for k in 1..=11 {
                let stays = (1.0 - leave).powi(k - 1);
                let expect = n * if k == 11 { stays } else { stays * leave };
                let counted = lengths.iter().filter(|l| (**l).min(11) == k as usize).count() as f64;
                chi2 += (counted - expect).powi(2) / expect;
            }
            assert!(chi2 < 35.6, "{what}: {chi2}");
        }
    }

    /// Stationary start: over many seeds the first frame meets the bad state as often as any other frame.
    #[test]
    fn the_first_frame_has_the_stationary_loss_rate() {
        let first = |seed| {
            let stream = RandomStreams::new(seed, 0).stream("errors");
            GilbertElliott::new([0.0, 1.0], [0.1, 0.3], FrameSelection::Data, stream)
                .draw_damage(&test_frame(8592))
                == Damage::Header
        };
        let bad = share(&(0..20_000).map(first).collect::<Vec<_>>());
        assert!((bad - 0.25).abs() < 5.0 * (0.25 * 0.75 / 20_000.0_f64).sqrt(), "{bad}");
        assert_eq!(
            share(&losses([0.0, 1.0], [0.0, 0.0], 100)),
            0.0,
            "a chain without transitions is in the good state"
        );
    }

    #[test]
    fn control_frames_are_not_lost_and_do_not_step_the_chain() {
        let new = || {
            GilbertElliott::new(
                [0.2, 0.9],
                [0.1, 0.3],
                FrameSelection::Data,
                RandomStreams::new(1, 0).stream("errors"),
            )
        };
        let (mut plain, mut mixed) = (new(), new());
        for _ in 0..1000 {
            assert_eq!(mixed.draw_damage(&Frame { is_control: true, ..test_frame(112) }), Damage::None);
            assert_eq!(mixed.draw_damage(&test_frame(8592)), plain.draw_damage(&test_frame(8592)));
        }
    }
}
