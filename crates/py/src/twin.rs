//! Twin of an emulation: simulated scenarios that Python runs and compares with the emulation.

use crate::scenario::Scenario;
use airhop_base::{Span, Time};
use airhop_live::drive::MeasuredDelays;
use airhop_scenario::{EmulatorPlan, RealFlow, RealHostPlan, TwinFlow};
use pyo3::prelude::*;
use std::sync::Arc;

/// Data of an emulation for its twin: the traffic of the real hosts, and the measured delays of emulator and
/// hosts.
#[pyclass(frozen, module = "airhop._core")]
pub struct Emulated {
    pub(crate) scenario: Arc<airhop_scenario::Scenario>,
    pub(crate) opening: RealHostPlan,
    pub(crate) flows: Vec<RealFlow>,
    pub(crate) measured: MeasuredDelays,
}

/// Flow to compare: name in the run document, start in seconds, scheme, and the real flow's name and
/// congestion control.
type Compared = (String, f64, Option<&'static str>, Option<(String, Option<String>)>);

#[pymethods]
impl Emulated {
    /// Returns the twin of the first `length_s` seconds of the emulation: two scenarios and the flows to
    /// compare. The first scenario has simulated hosts without lateness. The second adds the measured
    /// lateness and turnaround. A flow has its name, start in seconds, scheme, and the name and congestion
    /// control of the real flow.
    fn twin(&self, length_s: f64) -> (Scenario, Scenario, Vec<Compared>) {
        let end = Time::ZERO + Span::from_secs_f64(length_s);
        let twin = self.scenario.twin(&self.opening, &self.flows, end, self.emulator());
        let [punctual, emulated] = [twin.without_timing_errors, twin.with_timing_errors]
            .map(|inner| Scenario { inner: Arc::new(inner) });
        (punctual, emulated, twin.flows.into_iter().map(compared).collect())
    }
}

impl Emulated {
    fn emulator(&self) -> EmulatorPlan {
        let hosts = self.opening.outside.host_nodes.iter().map(|end| end.node).collect();
        let answered = self.measured.turnaround.iter().filter(|(_, takes)| takes.count() > 0);
        EmulatorPlan {
            hosts,
            lateness: Arc::new(self.measured.lateness.clone()),
            turnaround: answered.map(|(node, takes)| (*node, Arc::new(takes.clone()))).collect(),
        }
    }
}

fn compared(flow: TwinFlow) -> Compared {
    let real = flow.real.map(|real| (real.name, real.congestion_control));
    (flow.name, flow.start.secs_f64(), flow.scheme, real)
}
