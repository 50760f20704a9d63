//! Hints about senders: a scheme of one operating system with the preset of another, and a receive window
//! below the bandwidth-delay product.

use super::path::FlowPath;
use super::{Occurrence, ScenarioView, format_rate};
use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::OmittedValue;
use crate::grammar::render::format_on_line;
use airhop_net::plan::{FlowPlan, Transport};

/// Base stack of TCP senders: the TCP rules of the senders without the congestion-control scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseStack {
    /// Name of the base stack: the preset and all changed parameters, as in `preset rfc, timestamps = true`.
    pub name: String,
    /// Names of the flows with this base stack.
    pub flows: Vec<String>,
}

/// Returns the base stacks of all TCP flows, in the order of the file.
pub(super) fn base_stacks(root: &Fields) -> Vec<BaseStack> {
    let mut bases: Vec<BaseStack> = Vec::new();
    for flow in root.tables("flow") {
        let (Some(tcp), Some(flow)) = (flow.table("tcp"), flow.text("name")) else { continue };
        let Some(preset) = tcp.word("preset") else { continue };
        let mut parts = vec![format!("preset {preset}")];
        parts.extend(changed_parameters(tcp, ""));
        let name = parts.join(", ");
        match bases.iter_mut().find(|base| base.name == name) {
            Some(base) => base.flows.push(flow.to_string()),
            None => bases.push(BaseStack { name, flows: vec![flow.to_string()] }),
        }
    }
    bases
}

/// Returns the parameters that the file sets to other values than the preset, as in `rto.min = "200 ms"`.
fn changed_parameters(tcp: &Fields, above: &str) -> Vec<String> {
    let mut changed = Vec::new();
    for (key, val, is_default) in tcp.iter() {
        let path = format!("{above}{}", key.name);
        match (key.when_omitted, val) {
            (OmittedValue::Preset(_), _) if !is_default => {
                changed.push(format!("{path} = {}", format_on_line(val)))
            }
            (OmittedValue::Value(_), Val::Table(below)) => {
                changed.extend(self::changed_parameters(below, &format!("{path}.")))
            }
            _ => {}
        }
    }
    changed
}

/// Finds senders whose scheme is mostly used on another operating system than their base stack.
pub(super) fn mismatched_presets(look: &ScenarioView<'_>) -> Vec<Occurrence> {
    let caught = |(plan, table): (&FlowPlan, &Fields)| {
        let Transport::Tcp { scheme, .. } = &plan.transport else { return None };
        let (own, base) = (scheme.preset?.name(), table.table("tcp")?.word("preset")?);
        (own != base).then(|| Occurrence {
            about: scheme.name.to_string(),
            text: format!(
                "most of the measurements are with preset {own}; preset {base} lacks RACK-TLP, PRR and F-RTO"
            ),
            set: Some((table.path.clone(), format!("tcp.preset={own}"))),
        })
    };
    look.plan.flows.iter().zip(look.root.tables("flow")).filter_map(caught).collect()
}

/// Finds receive windows below the bandwidth-delay product of the path.
pub(super) fn short_receive_windows(look: &ScenarioView<'_>) -> Vec<Occurrence> {
    let caught = |(plan, table): (&FlowPlan, &Fields)| {
        let Transport::Tcp { config, .. } = &plan.transport else { return None };
        let path = FlowPath::from_flow(look, table, config)?;
        let most = config.receive_window as f64 * 8.0 / path.round_trip.secs_f64();
        let needed = (path.max_payload_bps * path.round_trip.secs_f64() / 8e3).ceil();
        (most < path.max_payload_bps).then(|| Occurrence {
            about: format!("flow.{}", plan.name),
            text: format!(
                "can obtain at most {} of the {} of its path: its receive_window is less than the bandwidth-delay product at a \
                 round trip of {:.3} ms",
                format_rate(most),
                format_rate(path.max_payload_bps),
                path.round_trip.secs_f64() * 1e3,
            ),
            set: Some((table.path.clone(), format!("tcp.receive_window={needed} kB"))),
        })
    };
    look.plan.flows.iter().zip(look.root.tables("flow")).filter_map(caught).collect()
}
