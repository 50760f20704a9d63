//! Schemes in scenario files.

use crate::grammar::fields::Val;
use crate::grammar::problem::{Problems, did_you_mean, format_alternatives};
use crate::grammar::quantity::{format_number, quote};
use crate::grammar::tree::{Item, Value};
use airhop_tcp::{Params, Scheme, schemes};

/// Returns the parameters as written in a scenario file.
pub(crate) fn formatted_params<'a>(
    scheme: &'a Scheme,
    params: &'a Params,
) -> impl Iterator<Item = (&'static str, String)> + 'a {
    params.iter().zip(scheme.params).map(|((name, x), p)| match p.choices.get(x as usize) {
        Some(word) => (name, quote(word)),
        None => (name, format_number(x)),
    })
}

/// Reads a scheme: `"reno"`, or a table such as `{ name = "ll-elsn", n = 3 }`.
pub(crate) fn read_scheme(item: &Item, path: &str, problems: &mut Problems) -> Option<Val> {
    match &item.value {
        Value::Text(_) => {
            let scheme = find_named_scheme(item, path, problems)?;
            Some(Val::Scheme(scheme, Params::defaults(scheme)))
        }
        Value::Table(entries) => {
            let Some(name) = entries.iter().find(|e| e.key == "name") else {
                problems.add(
                    &item.at,
                    format!("{path}.name"),
                    "is missing; expected a scheme such as \"reno\"",
                );
                return None;
            };
            let scheme = find_named_scheme(&name.item, &format!("{path}.name"), problems)?;
            let before = problems.len();
            let mut params = Params::defaults(scheme);
            for entry in entries.iter().filter(|e| e.key != "name") {
                if let Err(what) = set_param(&mut params, scheme, &entry.key, &entry.item) {
                    problems.add(&entry.item.at, format!("{path}.{}", entry.key), what);
                }
            }
            (problems.len() == before).then_some(Val::Scheme(scheme, params))
        }
        _ => {
            let what = "expected a scheme such as \"reno\", or a table { name = \"reno\" }";
            problems.add(&item.at, path, format!("{what}, got {}", item.describe()));
            None
        }
    }
}

fn find_named_scheme(item: &Item, path: &str, problems: &mut Problems) -> Option<&'static Scheme> {
    let names = || schemes().into_iter().map(|s| s.name);
    let found = match &item.value {
        Value::Text(name) => airhop_tcp::find_scheme(name).ok_or_else(|| did_you_mean(name, names())),
        _ => Err(String::new()),
    };
    found
        .map_err(|hint| {
            let known: Vec<_> = names().collect();
            let what = format!(
                "unknown scheme {}; expected one of {}, or a Python scheme, loaded before (--with FILE){hint}",
                item.describe(),
                known.join(", ")
            );
            problems.add(&item.at, path, what);
        })
        .ok()
}

fn set_param(params: &mut Params, scheme: &'static Scheme, name: &str, item: &Item) -> Result<(), String> {
    let words = scheme.params.iter().find(|p| p.name == name).map_or(&[][..], |p| p.choices);
    if !words.is_empty() {
        let text = match &item.value {
            Value::Text(text) => text.as_str(),
            _ => "",
        };
        let Some(number) = words.iter().position(|word| *word == text) else {
            let hint = did_you_mean(text, words.iter().copied());
            return Err(format!(
                "expected {}, got {}{hint}",
                format_alternatives(words.to_vec()),
                item.describe()
            ));
        };
        return params.set(scheme, name, number as f64);
    }
    let value = match &item.value {
        Value::Number(x, _) => *x,
        // The value of a Boolean parameter of a scheme is a number, 0 or 1.
        Value::Flag(flag) => f64::from(u8::from(*flag)),
        _ => return Err(format!("expected a number, got {}", item.describe())),
    };
    let hint = did_you_mean(name, scheme.params.iter().map(|p| p.name).filter(|known| *known != name));
    params.set(scheme, name, value).map_err(|what| format!("{what}{hint}"))
}
