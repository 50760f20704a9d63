//! Effective scenario with all defaults filled in, as TOML with comments and as canonical JSON.

use crate::grammar::fields::{DirectionValue, Fields, Val};
use crate::grammar::key::{Key, OmittedValue, ValueKind};
use crate::grammar::quantity::{format_number, format_value, quote};
use crate::tables::scheme::formatted_params;
use std::fmt::Write;

/// Formats the scenario as TOML that reads back to the same scenario. Each key has a comment with its
/// description. Defaults are marked.
pub(crate) fn render_toml(root: &Fields) -> String {
    let mut out = String::from(
        "# The effective scenario: every value written out. \"default\" marks keys that the file left out.\n",
    );
    write_table(root, "", &mut out);
    out
}

fn write_table(fields: &Fields, path: &str, out: &mut String) {
    if let Some(kind) = fields.kind {
        write_line("kind", &quote(kind), "", out);
    }
    for (key, val, is_default) in fields.iter() {
        if let Some(text) = format_inline(val) {
            let mark = if is_default { "default; " } else { "" };
            write_line(key.name, &text, &format!("{mark}{}", key.about), out);
        }
    }
    write_absent_keys(fields, out);
    for (key, val, _) in fields.iter() {
        let below = if path.is_empty() { key.name.to_string() } else { format!("{path}.{}", key.name) };
        match val {
            Val::Table(one) => {
                write_section(one, &below, "[", "]", out);
                if let Some(comment) = comment(key, one) {
                    let _ = writeln!(out, "# {comment}");
                }
            }
            // A list with a single error model is written as a table.
            Val::Tables(many) if many.len() == 1 && key.kind.may_be_list() => {
                write_section(&many[0], &below, "[", "]", out);
                if let Some(comment) = comment(key, &many[0]) {
                    let _ = writeln!(out, "# {comment}");
                }
            }
            Val::Tables(many) => many.iter().for_each(|one| write_section(one, &below, "[[", "]]", out)),
            _ => {}
        }
    }
}

/// Returns the comment on a table; `None` if its kind has no comment.
fn comment(key: &Key, table: &Fields) -> Option<String> {
    let (ValueKind::Choice(choice) | ValueKind::Choices(choice)) = &key.kind else { return None };
    (choice.variant_of(table)?.comment?)(table)
}

fn write_section(fields: &Fields, path: &str, open: &str, close: &str, out: &mut String) {
    if !path.contains('.') {
        out.push('\n');
    }
    let _ = writeln!(out, "{open}{path}{close}");
    write_table(fields, path, out);
}

/// Writes a comment line for each key without a value, with the meaning of the missing value.
fn write_absent_keys(fields: &Fields, out: &mut String) {
    for key in fields.keys.iter().filter(|k| !matches!(k.kind, ValueKind::Tables(_))) {
        if let (None, OmittedValue::Nothing(meaning)) = (fields.get(key.name), key.when_omitted) {
            let _ = writeln!(out, "# {}: {meaning}", key.name);
        }
    }
}

fn write_line(key: &str, value: &str, about: &str, out: &mut String) {
    let text = format!("{key} = {value}");
    let _ = match about.is_empty() {
        true => writeln!(out, "{text}"),
        false => writeln!(out, "{text:<36}  # {about}"),
    };
}

/// Formats a value on one line; a table becomes an inline table.
pub(crate) fn format_on_line(val: &Val) -> String {
    match val {
        Val::Table(one) => {
            let kind = one.kind.map(|kind| format!("kind = {}", quote(kind)));
            let member =
                |(key, val, _): (&Key, &Val, bool)| format!("{} = {}", key.name, format_on_line(val));
            let members: Vec<_> = kind.into_iter().chain(one.iter().map(member)).collect();
            format!("{{ {} }}", members.join(", "))
        }
        other => format_inline(other).unwrap_or_default(),
    }
}

/// Formats a value to follow its key on one line; `None` if the value needs its own table.
fn format_inline(val: &Val) -> Option<String> {
    match val {
        Val::Stations(stations) => {
            let station = |(name, [x, y]): &(String, [f64; 2])| {
                format!("{name} = [{}, {}]", format_number(*x), format_number(*y))
            };
            Some(format!("{{ {} }}", stations.iter().map(station).collect::<Vec<_>>().join(", ")))
        }
        Val::Scheme(scheme, params) => Some(format_value(val).unwrap_or_else(|| {
            let params = formatted_params(scheme, params).map(|(name, value)| format!(", {name} = {value}"));
            format!("{{ name = {}{} }}", quote(scheme.name), params.collect::<String>())
        })),
        Val::EachWay(ways) => {
            let way = |way: &DirectionValue| {
                Some(format!("{} = {}", quote(&way.direction.to_string()), format_inline(&way.value)?))
            };
            Some(format!("{{ {} }}", ways.iter().map(way).collect::<Option<Vec<_>>>()?.join(", ")))
        }
        other => format_value(other),
    }
}

/// Returns the scenario as JSON with keys in a fixed order, so equivalent scenarios have the same text.
pub(crate) fn render_json(root: &Fields) -> String {
    let mut out = String::new();
    write_object(root, &mut out);
    out
}

fn write_object(fields: &Fields, out: &mut String) {
    let kind = fields.kind.map(|kind| ("kind", quote(kind)));
    let values = fields.iter().map(|(key, val, _)| (key.name, json_value(val, &key.kind)));
    write_members(kind.into_iter().chain(values), out);
}

fn write_members<'a>(members: impl Iterator<Item = (&'a str, String)>, out: &mut String) {
    out.push('{');
    for (i, (key, value)) in members.enumerate() {
        let comma = if i > 0 { "," } else { "" };
        let _ = write!(out, "{comma}{}:{value}", quote(key));
    }
    out.push('}');
}

fn json_value(val: &Val, kind: &ValueKind) -> String {
    let mut out = String::new();
    match val {
        Val::Table(one) => write_object(one, &mut out),
        Val::Tables(many) if many.len() == 1 && kind.may_be_list() => write_object(&many[0], &mut out),
        Val::Tables(many) => {
            let objects: Vec<_> = many.iter().map(render_json).collect();
            let _ = write!(out, "[{}]", objects.join(","));
        }
        Val::Stations(stations) => {
            let station = |(name, [x, y]): &(String, [f64; 2])| (name.clone(), format!("[{x:?},{y:?}]"));
            let stations: Vec<_> = stations.iter().map(station).collect();
            write_members(stations.iter().map(|(name, at)| (name.as_str(), at.clone())), &mut out);
        }
        Val::EachWay(ways) => {
            let ways: Vec<_> =
                ways.iter().map(|way| (way.direction.to_string(), json_value(&way.value, kind))).collect();
            write_members(ways.iter().map(|(way, val)| (way.as_str(), val.clone())), &mut out);
        }
        Val::Scheme(scheme, params) if format_value(val).is_none() => {
            let name = std::iter::once(("name", quote(scheme.name)));
            write_members(name.chain(formatted_params(scheme, params)), &mut out);
        }
        other => out = format_value(other).unwrap_or_default(),
    }
    out
}
