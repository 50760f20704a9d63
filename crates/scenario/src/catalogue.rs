//! Lists of schemes, services, keys and measures, as JSON or Markdown for people and programs.

use crate::grammar;
use crate::tables::SCENARIO_KEYS;
use airhop_net::services::{RealHostEffect, SERVICES, Service};
use airhop_net::{
    Column, FlowAggregation, class_columns, flow_columns, queue_columns, run_columns, station_columns,
};
use airhop_tcp::{Param, Preset, Scheme};
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
struct SchemeEntry {
    name: &'static str,
    title: &'static str,
    family: &'static str,
    /// Name of the preset for the operating system that uses this scheme by default; `None` for other
    /// schemes.
    preset: Option<&'static str>,
    about: &'static str,
    helps: &'static str,
    cite: &'static str,
    needs: &'static [&'static str],
    /// Flags of the scheme for programs that analyse traces.
    flags: Vec<&'static str>,
    parameters: Vec<Parameter>,
    verified: &'static [&'static str],
    reconstructed: &'static [&'static str],
}

#[derive(Serialize)]
struct Parameter {
    name: &'static str,
    /// Default value: a number, or one of `words`.
    default: Value,
    /// Minimum and maximum of a number; `None` if `default` is one of `words`.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    words: &'static [&'static str],
    about: &'static str,
}

fn parameter(p: &Param) -> Parameter {
    Parameter {
        name: p.name,
        default: match p.choices.get(p.default as usize) {
            Some(word) => Value::from(*word),
            None => Value::from(p.default),
        },
        range: p.choices.is_empty().then(|| p.range.into()),
        words: p.choices,
        about: p.about,
    }
}

/// Returns all schemes as a JSON list. Each has `name`, `title`, `family`, `preset`, `about`, `helps`,
/// `cite`, `needs`, `flags`, `parameters`, `verified` and `reconstructed`.
pub fn schemes_json() -> String {
    let listed = |s: &&'static Scheme| SchemeEntry {
        name: s.name,
        title: s.title,
        family: s.family,
        preset: s.preset.map(Preset::name),
        about: s.about,
        helps: s.applicability,
        cite: s.citation,
        needs: s.network_requirements,
        flags: s.features.flags(),
        parameters: s.params.iter().map(parameter).collect(),
        verified: s.verified_rules,
        reconstructed: s.reconstructed_rules,
    };
    let all: Vec<_> = airhop_tcp::schemes().iter().map(listed).collect();
    serde_json::to_string(&all).expect("numbers and strings are JSON")
}

/// Returns the services that the network can provide for a flow, as a JSON list. The fields of a service are
/// `name`, `about` and `on_real`. `on_real` is the effect on real packets: "acts", "to listeners" or
/// "cannot". For "cannot", the field `why` has the reason.
pub fn services_json() -> String {
    #[derive(Serialize)]
    struct ServiceEntry {
        name: &'static str,
        about: &'static str,
        on_real: &'static str,
        why: Option<&'static str>,
    }
    let listed = |s: &Service| {
        let (on_real, why) = match s.real_host_effect {
            RealHostEffect::Acts => ("acts", None),
            RealHostEffect::ToListeners => ("to listeners", None),
            RealHostEffect::Cannot(why) => ("cannot", Some(why)),
        };
        ServiceEntry { name: s.name, about: s.about, on_real, why }
    };
    let all: Vec<_> = SERVICES.iter().map(listed).collect();
    serde_json::to_string(&all).expect("strings are JSON")
}

/// Returns the JSON schema (draft 2020-12) of a scenario file, for editors. A table with the key `kind` has
/// two extensions for each kind: `x-example`, the shortest table in TOML, and `x-flags`, properties for
/// programs that read results.
pub fn schema_json() -> String {
    grammar::schema::render_schema(&SCENARIO_KEYS)
}

/// Returns a Markdown page with all keys of a scenario file, each with its kind of value and its default.
pub fn reference_markdown() -> String {
    grammar::reference::render_reference(&SCENARIO_KEYS)
}

/// Returns the measures of a flow and of a run as a JSON list of columns, in the order of the run document.
/// The fields of a column are: `column`, the name in data frames; `of` ("flow" or "run") and `path`, the keys
/// that lead to the value; `label`, `short`, `unit` and `about`; `over_flows` ("sum", "mean", "first" or
/// "apart"); `after_warm_up`, `of_real`, and `is_count`.
pub fn measures_json() -> String {
    #[derive(Serialize)]
    struct MeasureEntry<'a> {
        column: &'a str,
        of: &'static str,
        path: &'a [&'static str],
        label: &'a str,
        short: &'a str,
        unit: &'static str,
        about: &'static str,
        over_flows: &'static str,
        after_warm_up: bool,
        of_real: bool,
        is_count: bool,
    }
    let listed = |of, c: &Column| {
        let over_flows = match c.over_flows {
            FlowAggregation::Sum => "sum",
            FlowAggregation::Mean => "mean",
            FlowAggregation::First => "first",
            FlowAggregation::PerFlow => "apart",
        };
        serde_json::to_value(MeasureEntry {
            column: &c.name,
            of,
            path: &c.path,
            label: &c.label,
            short: &c.short,
            unit: c.unit,
            about: c.about.trim(),
            over_flows,
            after_warm_up: c.after_warm_up,
            of_real: c.of_real,
            is_count: c.is_count,
        })
        .expect("strings are JSON")
    };
    let flows = flow_columns().iter().map(|column| listed("flow", column)).collect::<Vec<_>>();
    let classes = class_columns().iter().map(|column| listed("class", column)).collect::<Vec<_>>();
    let queues = queue_columns().iter().map(|column| listed("queue", column)).collect::<Vec<_>>();
    let stations = station_columns().iter().map(|column| listed("station", column)).collect::<Vec<_>>();
    let runs = run_columns().iter().map(|column| listed("run", column)).collect::<Vec<_>>();
    serde_json::to_string(&[flows, classes, queues, stations, runs].concat())
        .expect("numbers and strings are JSON")
}
