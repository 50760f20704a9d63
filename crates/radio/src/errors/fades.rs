//! Fades: good and bad periods of a channel alternate, independently of traffic.

use super::recorded::FadeRecord;
use super::sojourn::Sojourn;
use airhop_base::{Span, Time};
use airhop_engine::RandomStream;
use std::sync::Arc;

/// Plan of the bad periods of a channel.
#[derive(Clone, Debug, PartialEq)]
pub enum FadePlan {
    /// Alternating good and bad periods of random duration.
    Drawn {
        /// Mean durations of the good and the bad periods.
        means: [Span; 2],
        /// Distribution of the durations.
        sojourn: Sojourn,
        /// State at the start.
        start: InitialState,
    },
    /// Recorded fades, identical in every run.
    Recorded(Arc<FadeRecord>),
}

/// Initial state of a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InitialState {
    /// Stationary: the run starts at an arbitrary time of a channel in equilibrium. The first period is bad
    /// with a probability equal to the long-run fraction of bad time.
    #[default]
    Stationary,
    /// Good: the channel begins with a full good period (Bakshi et al. 1997; ns-2's two-state model).
    Good,
}

impl InitialState {
    /// Initial states, with their names.
    pub const ALL: [(&str, InitialState); 2] =
        [("stationary", InitialState::Stationary), ("good", InitialState::Good)];
}

/// States of a channel over time; queries must be in chronological order.
///
/// The sequence depends only on the plan and on the draws from `stream`, not on the times of the calls.
#[derive(Debug)]
pub(super) struct FadeProcess {
    bad: bool,
    /// End of the present state.
    until: Time,
    path: DurationSource,
}

/// Source of the duration of each state.
#[derive(Debug)]
enum DurationSource {
    /// Random durations. `means`: mean durations of the good and the bad periods, seconds.
    Drawn { means: [f64; 2], sojourn: Sojourn, stream: RandomStream },
    /// Recorded durations. `number`: number of the present bad period, or of the next bad period during a
    /// good period.
    Recorded { record: Arc<FadeRecord>, number: u64 },
}

impl FadeProcess {
    pub fn new(plan: &FadePlan, stream: RandomStream) -> Self {
        match plan {
            FadePlan::Drawn { means, sojourn, start } => {
                FadeProcess::with_random_durations(means.map(Span::secs_f64), *sojourn, *start, stream)
            }
            FadePlan::Recorded(record) => {
                let until = record.nth_period(0).map_or(Time::MAX, |[begin, _]| begin);
                FadeProcess {
                    bad: false,
                    until,
                    path: DurationSource::Recorded { record: record.clone(), number: 0 },
                }
            }
        }
    }

    fn with_random_durations(
        means: [f64; 2],
        sojourn: Sojourn,
        start: InitialState,
        mut stream: RandomStream,
    ) -> Self {
        let [good, bad] = means;
        let (bad, first) = match start {
            InitialState::Stationary => {
                let bad = stream.uniform() * (good + bad) < bad;
                (bad, sojourn.residual(means[usize::from(bad)], stream.uniform()))
            }
            InitialState::Good => (false, sojourn.duration(good, stream.uniform())),
        };
        let until = Time::ZERO + Span::from_secs_f64(first);
        FadeProcess { bad, until, path: DurationSource::Drawn { means, sojourn, stream } }
    }

    /// Ends the present state and starts the other state.
    fn switch_state(&mut self) {
        self.bad = !self.bad;
        match &mut self.path {
            DurationSource::Drawn { means, sojourn, stream } => {
                let mean = means[usize::from(self.bad)];
                self.until += Span::from_secs_f64(sojourn.duration(mean, stream.uniform()));
            }
            DurationSource::Recorded { record, number } => {
                *number += u64::from(!self.bad);
                self.until = record.nth_period(*number).map_or(Time::MAX, |bad| bad[usize::from(self.bad)]);
            }
        }
    }

    /// Returns the fraction of bad time between `from` and `to`, 0 to 1. If `from` equals `to`, returns 1 in
    /// a bad period and 0 in a good period.
    pub fn bad_fraction(&mut self, from: Time, to: Time) -> f64 {
        while self.until <= from {
            self.switch_state();
        }
        if to <= from {
            return f64::from(u8::from(self.bad));
        }
        let (mut bad, mut at) = (Span::ZERO, from);
        loop {
            if self.bad {
                bad = bad + self.until.min(to).since(at);
            }
            if self.until >= to {
                return bad.nanos() as f64 / (to - from).nanos() as f64;
            }
            at = self.until;
            self.switch_state();
        }
    }

    /// Returns the bad periods up to `end`, each [begin, end), in chronological order. Bad periods that touch
    /// are merged.
    pub fn bad_periods(mut self, end: Time) -> Vec<[Time; 2]> {
        let mut times: Vec<[Time; 2]> = Vec::new();
        let mut begin = Time::ZERO;
        while begin < end {
            let until = self.until.min(end);
            if self.bad && begin < until {
                match times.last_mut() {
                    // A good period of zero duration separates the two bad periods.
                    Some(last) if last[1] == begin => last[1] = until,
                    _ => times.push([begin, until]),
                }
            }
            begin = until;
            if begin < end {
                self.switch_state();
            }
        }
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_engine::RandomStreams;

    fn plan(sojourn: Sojourn, start: InitialState) -> FadePlan {
        FadePlan::Drawn { means: [10, 4].map(Span::from_secs), sojourn, start }
    }

    fn fades(sojourn: Sojourn, start: InitialState, seed: u64) -> FadeProcess {
        FadeProcess::new(&plan(sojourn, start), RandomStreams::new(seed, 0).stream("fades"))
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    /// Queries at other times do not change the fades.
    #[test]
    fn the_fade_state_does_not_depend_on_queries() {
        let new = || fades(Sojourn::Exponential, InitialState::Stationary, 1);
        let (mut often, mut seldom, mut wide) = (new(), new(), new());
        for second in 0..2000 {
            let states: Vec<f64> =
                (0..10).map(|i| at(1000 * second + 100 * i)).map(|t| often.bad_fraction(t, t)).collect();
            if second % 7 == 0 {
                let t = at(1000 * second);
                assert_eq!(seldom.bad_fraction(t, t), states[0]);
            }
            if second % 13 == 0 {
                let share = wide.bad_fraction(at(1000 * second), at(1000 * second + 900));
                assert!((share - states.iter().sum::<f64>() / 10.0).abs() < 0.2, "{share}, {states:?}");
            }
        }
    }

    /// Listed bad periods agree with sequential queries. The bad fraction of an interval is the fraction that
    /// the listed periods cover.
    #[test]
    fn listed_bad_periods_equal_sequential_queries() {
        for (name, sojourn) in Sojourn::ALL {
            for start in [InitialState::Stationary, InitialState::Good] {
                let end = at(2_000_000);
                let bad = fades(sojourn, start, 3).bad_periods(end);
                assert!(bad.iter().all(|[begin, end]| begin < end), "{name}");
                assert!(bad.windows(2).all(|w| w[0][1] < w[1][0]), "{name}");
                let mut walk = fades(sojourn, start, 3);
                for i in 0..10_000 {
                    let (from, to) = (at(200 * i), at(200 * i + 123));
                    let overlap = |[b, e]: &[Time; 2]| (*e).min(to).since((*b).max(from)).nanos();
                    let expect = bad.iter().map(overlap).sum::<u64>() as f64 / 123e6;
                    assert_eq!(walk.bad_fraction(from, to), expect, "{name}, window {i}");
                }
                // The list for a shorter time is the beginning of the list for a longer time; its last period
                // ends at the shorter time.
                let cut = at(777_777);
                let mut expect: Vec<[Time; 2]> = bad.into_iter().filter(|[b, _]| *b < cut).collect();
                if let Some(last) = expect.last_mut() {
                    last[1] = last[1].min(cut);
                }
                assert_eq!(fades(sojourn, start, 3).bad_periods(cut), expect, "{name}");
            }
        }
    }

    /// One uniform number is drawn for the initial state, and one for each duration. The fades of a seed
    /// depend on this order.
    #[test]
    fn fades_are_drawn_in_a_fixed_order_of_random_numbers() {
        let mut stream = RandomStreams::new(1, 0).stream("fades");
        let mut bad = stream.uniform() * 14.0 < 4.0;
        let (mut at, mut expect) = (Time::ZERO, Vec::new());
        while at.secs_f64() < 1000.0 {
            let begin = at;
            at += Span::from_secs_f64(-[10.0, 4.0][usize::from(bad)] * libm::log1p(-stream.uniform()));
            if bad {
                expect.push([begin, at]);
            }
            bad = !bad;
        }
        assert!(expect.len() > 50);
        assert_eq!(
            fades(Sojourn::Exponential, InitialState::Stationary, 1).bad_periods(expect[50][1]),
            expect[..=50]
        );
    }

    /// Good and bad periods alternate, each with its own mean and with the distribution of the plan. The
    /// tests in sojourn.rs check the distributions themselves.
    #[test]
    fn good_and_bad_periods_alternate_with_their_means() {
        for ((name, sojourn), variance) in Sojourn::ALL.into_iter().zip([1.0, 1.0 / 3.0, 1.0 / 12.0, 0.0]) {
            let mut fades = fades(sojourn, InitialState::Stationary, 1);
            let mut sums = [0.0; 2];
            let n = 20_000;
            for _ in 0..2 * n {
                let begin = fades.until;
                fades.switch_state();
                sums[usize::from(fades.bad)] += (fades.until - begin).secs_f64();
            }
            for (sum, mean) in sums.into_iter().zip([10.0_f64, 4.0]) {
                // The tolerance is five standard deviations, at which a correct program fails once in 1.7
                // million cases, plus a nanosecond for rounding.
                let allowed = 5.0 * mean * (variance / f64::from(n)).sqrt() + 1e-9;
                assert!((sum / f64::from(n) - mean).abs() <= allowed, "{name}: {sum}");
            }
        }
    }

    /// Fades that were saved as a record replay identically up to the end of the record, and then repeat.
    #[test]
    fn recorded_fades_replay_exactly_and_then_repeat() {
        for (name, sojourn) in Sojourn::ALL {
            let long = Span::from_secs(200);
            let saved = fades(sojourn, InitialState::Stationary, 7).bad_periods(Time::ZERO + long);
            let file = FadeRecord::new(saved.clone(), long).to_csv();
            let plan = FadePlan::Recorded(Arc::new(
                FadeRecord::parse(&file).expect("the times equal those in the file"),
            ));
            let played = || FadeProcess::new(&plan, RandomStreams::new(1, 0).stream("of no use"));
            assert_eq!(played().bad_periods(Time::ZERO + long), saved, "{name}");
            // The record is played three times. A bad period at its end and a bad period at its start are
            // merged into one.
            let all = played().bad_periods(Time::ZERO + long * 3);
            let mut walk = played();
            for i in 0..6_000 {
                let from = at(100 * i);
                let here = at((100 * i) % 200_000);
                let expect = saved.iter().any(|[b, e]| *b <= here && here < *e);
                assert_eq!(walk.bad_fraction(from, from) > 0.0, expect, "{name}: {from}");
                assert_eq!(all.iter().any(|[b, e]| *b <= from && from < *e), expect, "{name}: {from}");
            }
        }
    }

    /// A record may lack bad periods, or good periods.
    #[test]
    fn a_fade_record_may_be_all_good_or_all_bad() {
        let played = |bad| {
            let record = FadeRecord::new(bad, Span::from_secs(1));
            FadeProcess::new(
                &FadePlan::Recorded(Arc::new(record)),
                RandomStreams::new(1, 0).stream("of no use"),
            )
        };
        assert!(played(Vec::new()).bad_periods(at(10_000)).is_empty());
        assert_eq!(played(Vec::new()).bad_fraction(at(3), at(10_000)), 0.0);
        assert_eq!(played(vec![[at(0), at(1000)]]).bad_periods(at(10_000)), [[at(0), at(10_000)]]);
        assert_eq!(played(vec![[at(0), at(1000)]]).bad_fraction(at(3), at(10_000)), 1.0);
    }

    /// 4 of 14 seconds are bad on average, both at the start of a run and later. If the channel did not start
    /// in equilibrium, the fraction of bad runs would oscillate over time.
    #[test]
    fn the_bad_fraction_is_stationary() {
        for (name, sojourn) in Sojourn::ALL {
            let share =
                fades(sojourn, InitialState::Stationary, 1).bad_fraction(Time::ZERO, at(400_000 * 14_000));
            // For cycles of a good period G and a bad period B, √Var((1 - p) B - p G) / 14 s is at most
            // 0.289, the value of the exponential distribution. The tolerance is five standard deviations
            // over 400 000 cycles, at which a correct program fails once in 1.7 million cases.
            assert!((share - 4.0 / 14.0).abs() < 5.0 * 0.289 / 400_000_f64.sqrt(), "{name}: {share}");
            let n = 20_000;
            let mut bad = [0.0; 4];
            for seed in 0..n {
                let mut path = fades(sojourn, InitialState::Stationary, seed);
                for (count, ms) in bad.iter_mut().zip([0, 3_000, 7_000, 13_000]) {
                    *count += path.bad_fraction(at(ms), at(ms));
                }
            }
            for count in bad {
                // The count is binomial. The tolerance is five standard deviations: a correct program fails
                // once in 1.7 million cases.
                let share = count / n as f64;
                assert!(
                    (share - 4.0 / 14.0).abs() < 5.0 * (0.2857 * 0.7143 / n as f64).sqrt(),
                    "{name}: {bad:?}"
                );
            }
        }
    }

    /// ns-2's and Bakshi's channels begin with a full good period.
    #[test]
    fn a_fading_path_can_start_in_the_good_state() {
        for (name, sojourn) in Sojourn::ALL {
            let n = 4_000;
            let mut sum = 0.0;
            for seed in 0..n {
                let path = fades(sojourn, InitialState::Good, seed);
                assert!(!path.bad, "{name}");
                sum += path.until.secs_f64();
            }
            // The standard deviation is at most the mean.
            assert!((sum / n as f64 - 10.0).abs() < 5.0 * 10.0 / (n as f64).sqrt(), "{name}: {sum}");
        }
        assert_eq!(
            fades(Sojourn::Constant, InitialState::Good, 1).bad_periods(at(30_000)),
            [[at(10_000), at(14_000)], [at(24_000), at(28_000)]]
        );
    }
}
