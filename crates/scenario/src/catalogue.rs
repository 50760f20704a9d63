//! The catalogue of schemes, as people and other programs read it.

use airhop_tcp::Scheme;
use serde::Serialize;

#[derive(Serialize)]
struct Listed {
    name: &'static str,
    title: &'static str,
    family: &'static str,
    cite: &'static str,
    needs: &'static [&'static str],
    parameters: Vec<Parameter>,
    reconstructed: &'static [&'static str],
}

#[derive(Serialize)]
struct Parameter {
    name: &'static str,
    default: f64,
    range: [f64; 2],
    about: &'static str,
}

/// Every scheme, as a JSON list of `name`, `title`, `family`, `cite`, `needs`, `parameters` and `reconstructed`.
pub fn catalogue() -> String {
    let listed = |s: &&'static Scheme| Listed {
        name: s.name,
        title: s.title,
        family: s.family,
        cite: s.cite,
        needs: s.needs,
        parameters: s
            .params
            .iter()
            .map(|p| Parameter { name: p.name, default: p.default, range: p.range.into(), about: p.about })
            .collect(),
        reconstructed: s.reconstructed,
    };
    let all: Vec<_> = airhop_tcp::schemes().iter().map(listed).collect();
    serde_json::to_string(&all).expect("numbers and texts are JSON")
}
