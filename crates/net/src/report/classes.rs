//! Results of a run by class of flows.

use super::measures::{ClassReport, FlowReport};
use super::quality::ClassQuality;
use crate::delays::DelayHistogram;
use crate::transit::CompletionTimes;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Results of the classes of a run. Each flow is added to its class.
#[derive(Debug, Default)]
pub(crate) struct Classes(Vec<Class>);

/// Summed results of the flows of a class.
#[derive(Debug)]
struct Class {
    name: Arc<str>,
    /// Goodput of each flow of the scenario in Mbit/s, by flow index. Includes the flows that the flow's
    /// application opened.
    goodputs: BTreeMap<usize, f64>,
    delays: DelayHistogram,
    completions: CompletionTimes,
    /// Number of unfinished transfers and requests; `None` if no application in the class has either.
    unfinished: Option<u64>,
    quality: ClassQuality,
}

/// Results of a flow that are added to its class.
#[derive(Debug)]
pub(crate) struct ClassMember<'a> {
    pub report: &'a FlowReport,
    /// Index of the first flow of the flow's application.
    pub app_first_flow: usize,
    pub delays: Option<&'a DelayHistogram>,
    /// Completions of the flow's application, and the number of unfinished transfers and requests; `None` if
    /// the application has neither.
    pub completions: Option<(&'a CompletionTimes, u64)>,
}

impl Classes {
    /// Adds the results of a flow to those of its class.
    pub fn add_flow(&mut self, member: &ClassMember) {
        let FlowReport { class: name, goodput_mbps, quality, .. } = member.report;
        let class = match self.0.iter().position(|class| class.name == *name) {
            Some(place) => &mut self.0[place],
            None => {
                self.0.push(Class::new(name.clone()));
                self.0.last_mut().expect("a class was added")
            }
        };
        *class.goodputs.entry(member.app_first_flow).or_default() += goodput_mbps;
        if let Some(delays) = member.delays {
            class.delays.merge(delays);
        }
        class.quality.0.extend(*quality);
        if let Some((completions, unfinished)) = member.completions {
            class.completions.merge(completions);
            class.unfinished = Some(class.unfinished.unwrap_or(0) + unfinished);
        }
    }

    /// Returns the results of the classes, in the order of their first flows.
    pub fn reports(self) -> Vec<ClassReport> {
        self.0.into_iter().map(Class::report).collect()
    }
}

impl Class {
    fn new(name: Arc<str>) -> Self {
        Class {
            name,
            goodputs: BTreeMap::new(),
            delays: DelayHistogram::default(),
            completions: CompletionTimes::default(),
            unfinished: None,
            quality: ClassQuality::default(),
        }
    }

    fn report(self) -> ClassReport {
        ClassReport {
            flows: self.goodputs.len(),
            goodput_mbps: self.goodputs.values().sum(),
            jain: jain_index(self.goodputs.values()),
            delay_ms: self.delays.summary(),
            completion_ms: self.unfinished.map(|unfinished| self.completions.summary(unfinished)),
            quality: self.quality,
            name: self.name,
        }
    }
}

/// Returns Jain's fairness index of the shares (Jain, Chiu and Hawe 1984); `None` if all shares are zero.
pub(crate) fn jain_index<'a>(shares: impl Iterator<Item = &'a f64> + Clone) -> Option<f64> {
    let squares: f64 = shares.clone().map(|share| share * share).sum();
    let sum: f64 = shares.clone().sum();
    (squares > 0.0).then(|| sum * sum / (shares.count() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::{Span, Time};

    fn flow(class: &str, goodput_mbps: f64) -> FlowReport {
        FlowReport { class: class.into(), goodput_mbps, ..FlowReport::default() }
    }

    fn member(report: &FlowReport, group: usize) -> ClassMember<'_> {
        ClassMember { report, app_first_flow: group, delays: None, completions: None }
    }

    // Values computed by hand: goodputs of 1 and 3 have an index of 4²/(2 × 10) = 0.8. The goodput of a flow
    // that an application opened counts for the application's flow in the scenario.
    #[test]
    fn jains_index_covers_the_flows_of_the_scenario() {
        let mut classes = Classes::default();
        let flows = [flow("down", 1.0), flow("up", 0.0), flow("down", 2.5), flow("down", 0.5)];
        for (report, group) in flows.iter().zip([0, 1, 2, 2]) {
            classes.add_flow(&member(report, group));
        }
        let [down, up] = &classes.reports()[..] else { panic!("two classes") };
        assert_eq!((&*down.name, down.flows, down.goodput_mbps, down.jain), ("down", 2, 4.0, Some(0.8)));
        assert_eq!((&*up.name, up.flows, up.goodput_mbps, up.jain), ("up", 1, 0.0, None));
        assert_eq!((&down.delay_ms, &down.completion_ms), (&None, &None));
    }

    // The median delay of a class is the median over all bytes of its flows, not a mean of the flows'
    // medians.
    #[test]
    fn class_delays_and_completions_combine_all_its_flows() {
        let (mut short, mut long) = (DelayHistogram::default(), DelayHistogram::default());
        short.add(Span::from_millis(10), 3);
        long.add(Span::from_millis(100), 1);
        let mut pages = CompletionTimes::default();
        pages.add(Time::ZERO, Time::ZERO + Span::from_millis(7));
        let (a, b) = (flow("web", 1.0), flow("web", 1.0));
        let mut classes = Classes::default();
        classes.add_flow(&ClassMember {
            delays: Some(&short),
            completions: Some((&pages, 2)),
            ..member(&a, 0)
        });
        classes.add_flow(&ClassMember {
            delays: Some(&long),
            completions: Some((&pages, 1)),
            ..member(&b, 1)
        });
        let [web] = &classes.reports()[..] else { panic!("one class") };
        let delay = web.delay_ms.expect("delays");
        assert_eq!((delay.mean_ms, delay.max_ms), (32.5, 100.0));
        assert!((10.0..=10.1).contains(&delay.p50_ms), "{}", delay.p50_ms);
        let completion = web.completion_ms.expect("completions");
        assert_eq!((completion.count, completion.unfinished), (2, 3));
        assert_eq!(completion.times.map(|times| times.mean_ms), Some(7.0));
    }
}
