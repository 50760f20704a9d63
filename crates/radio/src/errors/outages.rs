//! Outages in addition to the losses of another model. Every frame in an outage is lost.

use super::{Damage, ErrorModel, Frame};
use airhop_base::Time;
use std::sync::Arc;

/// Channel with outages.
#[derive(Debug)]
pub(super) struct Outages {
    /// Outages, each [begin, end), in chronological order.
    times: Arc<[[Time; 2]]>,
    /// Index of the first outage that has not ended.
    next: usize,
    otherwise: Box<dyn ErrorModel>,
}

impl Outages {
    pub fn new(times: Arc<[[Time; 2]]>, otherwise: Box<dyn ErrorModel>) -> Self {
        Outages { times, next: 0, otherwise }
    }
}

impl ErrorModel for Outages {
    /// Draws from the underlying model even for frames in outages. All other frames therefore have the same
    /// damage with and without outages.
    fn draw_damage(&mut self, frame: &Frame) -> Damage {
        let otherwise = self.otherwise.draw_damage(frame);
        while self.times.get(self.next).is_some_and(|[_, end]| *end <= frame.start) {
            self.next += 1;
        }
        match self.times.get(self.next) {
            Some([begin, _]) if *begin < frame.end => Damage::Header,
            _ => otherwise,
        }
    }
}

/// Returns the union of two ordered lists of bad periods. Periods that overlap or touch are merged.
pub(super) fn merge_periods(a: &[[Time; 2]], b: &[[Time; 2]]) -> Vec<[Time; 2]> {
    let mut all = [a, b].concat();
    all.sort_unstable();
    let mut merged: Vec<[Time; 2]> = Vec::new();
    for [begin, end] in all {
        match merged.last_mut() {
            Some(last) if begin <= last[1] => last[1] = last[1].max(end),
            _ => merged.push([begin, end]),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::super::{ErrorPlan, test_frame};
    use super::*;
    use airhop_base::Span;
    use airhop_engine::RandomStreams;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    fn times(list: &[[u64; 2]]) -> Vec<[Time; 2]> {
        list.iter().map(|times| times.map(at)).collect()
    }

    fn plan(otherwise: ErrorPlan) -> ErrorPlan {
        ErrorPlan::Outages { times: times(&[[10, 20], [30, 31]]).into(), otherwise: Box::new(otherwise) }
    }

    #[test]
    fn frames_on_the_air_in_an_outage_are_lost() {
        let mut model = plan(ErrorPlan::Clean).build(&RandomStreams::new(1, 0), "air", "a", "b");
        let sent = [[0, 5], [5, 10], [9, 11], [12, 13], [19, 22], [20, 30], [25, 40], [31, 32]];
        let lost = sent.map(|[start, end]| {
            model.draw_damage(&Frame { start: at(start), end: at(end), ..test_frame(800) }) != Damage::None
        });
        assert_eq!(lost, [false, false, true, true, true, false, true, false]);
    }

    /// Frames outside the outages have the same damage with and without outages.
    #[test]
    fn frames_outside_an_outage_have_unchanged_damage() {
        let losses = |plan: ErrorPlan| {
            let mut model = plan.build(&RandomStreams::new(1, 0), "air", "a", "b");
            let send = |i| {
                model.draw_damage(&Frame { start: at(i), end: at(i + 1), ..test_frame(800) }) != Damage::None
            };
            (0..200).map(send).collect::<Vec<_>>()
        };
        let (without, with) = (losses(ErrorPlan::Loss(0.3)), losses(plan(ErrorPlan::Loss(0.3))));
        for (i, (without, with)) in without.into_iter().zip(with).enumerate() {
            assert_eq!(with, without || (10..20).contains(&i) || i == 30, "frame {i}");
        }
    }

    #[test]
    fn bad_periods_of_fades_and_outages_are_merged() {
        let merged =
            merge_periods(&times(&[[1, 4], [10, 20]]), &times(&[[3, 5], [5, 6], [12, 13], [30, 31]]));
        assert_eq!(merged, times(&[[1, 6], [10, 20], [30, 31]]));
        // An outage that lasts beyond the end of the run is cut at the end.
        let plan = plan(ErrorPlan::Clean);
        let fades = |until| plan.bad_periods(&RandomStreams::new(1, 0), "air", "a", "b", at(until));
        assert_eq!(fades(15), Some(times(&[[10, 15]])));
        assert_eq!(fades(100), Some(times(&[[10, 20], [30, 31]])));
    }
}
