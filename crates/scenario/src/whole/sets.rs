//! Overrides: `--set wlan.cell.errors.fer=0.02`, and a scheme for every TCP flow.

use crate::grammar::key::{ALL_TABLES, Key, OmittedValue, ValueKind};
use crate::grammar::problem::{Problems, SourcePosition, did_you_mean};
use crate::grammar::tree::{Entry, Item, Value, parse_literal};
use crate::tables::SCENARIO_KEYS;

/// Sets the value at `path` in the document.
pub(crate) fn apply_setting(root: &mut Item, path: &str, value: &str, problems: &mut Problems) {
    let at = SourcePosition::Option(format!("--set {path}={value}"));
    let refused = apply(root, path, &parse_literal(value, &at), &at);
    if let Err(what) = refused {
        problems.add(&at, path, what);
    }
}

/// Sets the scheme of every TCP flow. `scheme` is a name or a TOML literal as in a file.
pub(crate) fn set_scheme(root: &mut Item, scheme: &str) {
    let at = SourcePosition::Option(format!("--scheme {scheme}"));
    let scheme = parse_literal(scheme, &at);
    let Value::Table(entries) = &mut root.value else { return };
    let Some(flows) = entries.iter_mut().find(|e| e.key == "flow") else { return };
    let Value::List(flows) = &mut flows.item.value else { return };
    let is_udp = |flow: &Item| {
        let transport = flow.entries().and_then(|entries| entries.iter().find(|e| e.key == "transport"));
        matches!(transport.map(|e| &e.item.value), Some(Value::Text(t)) if t == "udp")
    };
    for flow in flows.iter_mut().filter(|flow| !is_udp(flow)) {
        if let Value::Table(entries) = &mut flow.value {
            *entry(entries, &[], "scheme", &at) = scheme.clone();
        }
    }
}

fn apply(root: &mut Item, path: &str, value: &Item, at: &SourcePosition) -> Result<(), String> {
    let words: Vec<&str> = path.split('.').map(str::trim).collect();
    if words.iter().any(|word| word.is_empty()) {
        return Err("expected a path such as wlan.cell.errors.fer".to_string());
    }
    let Some(key) = SCENARIO_KEYS.iter().find(|k| k.name == words[0]) else {
        let hint = did_you_mean(words[0], SCENARIO_KEYS.iter().map(|k| k.name));
        let names: Vec<_> = SCENARIO_KEYS.iter().map(|k| k.name).collect();
        return Err(format!("no \"{}\" in a scenario; expected one of {}{hint}", words[0], names.join(", ")));
    };
    if let ValueKind::Tables(keys) = key.kind {
        return apply_to_tables(root, keys, &words, value, at);
    }
    match &mut root.value {
        Value::Table(entries) => set_at_path(entries, &SCENARIO_KEYS, &words, value, at),
        _ => Ok(()), // the problem is reported elsewhere
    }
}

/// Applies a setting such as `wlan.cell.…` to the named table, or to all tables of the list if the name is
/// `all`.
fn apply_to_tables(
    root: &mut Item,
    keys: &'static [Key],
    words: &[&str],
    value: &Item,
    at: &SourcePosition,
) -> Result<(), String> {
    let list = words[0];
    let Value::Table(entries) = &mut root.value else { return Ok(()) };
    let tables = match entries.iter_mut().find(|e| e.key == list).map(|e| &mut e.item.value) {
        Some(Value::List(tables)) => tables.as_mut_slice(),
        _ => &mut [],
    };
    let names: Vec<String> = tables.iter().filter_map(table_name).collect();
    let known = if names.is_empty() { "none".to_string() } else { names.join(", ") };
    let [_, name, rest @ ..] = words else {
        return Err(format!("expected {list}.NAME.KEY; the [[{list}]] tables are: {known}"));
    };
    if rest.is_empty() {
        return Err(format!("expected a key of the table, {list}.{name}.KEY"));
    }
    if *name != ALL_TABLES && !names.iter().any(|n| n == name) {
        let hint = did_you_mean(name, names.iter().map(String::as_str));
        return Err(format!(
            "no [[{list}]] is called \"{name}\"; expected one of {known}, or \"{ALL_TABLES}\" for all of them{hint}"
        ));
    }
    for table in tables.iter_mut().filter(|t| *name == ALL_TABLES || table_name(t).as_deref() == Some(name)) {
        if let Value::Table(entries) = &mut table.value {
            set_at_path(entries, keys, rest, value, at)?;
        }
    }
    Ok(())
}

fn table_name(table: &Item) -> Option<String> {
    let entry = table.entries()?.iter().find(|e| e.key == "name")?;
    match &entry.item.value {
        Value::Text(name) => Some(name.clone()),
        _ => None,
    }
}

/// Sets the value at the end of the path `words`, and creates missing tables on the path. A later check
/// reports unknown keys.
fn set_at_path(
    entries: &mut Vec<Entry>,
    keys: &'static [Key],
    words: &[&str],
    value: &Item,
    at: &SourcePosition,
) -> Result<(), String> {
    let Some((first, rest)) = words.split_first() else { return Ok(()) };
    if rest.is_empty() {
        *entry(entries, keys, first, at) = value.clone();
        return Ok(());
    }
    let below = match keys.iter().find(|k| k.name == *first).map(|k| &k.kind) {
        Some(ValueKind::EachWay(_)) => {
            return set_one_way(entry(entries, keys, first, at), first, rest, value, at);
        }
        Some(ValueKind::Section(keys) | ValueKind::Switch(keys) | ValueKind::RateOrTable(keys)) => keys,
        _ => &[][..],
    };
    set_below(entry(entries, keys, first, at), first, below, rest, value, at)
}

/// Sets the value of a key for one direction, as in `rate.a->b`. A single value for both directions remains
/// in effect for the other direction.
fn set_one_way(
    item: &mut Item,
    key: &str,
    words: &[&str],
    value: &Item,
    at: &SourcePosition,
) -> Result<(), String> {
    let [direction] = words else { return Err(format!("expected a direction, such as {key}.a->b")) };
    let Some((from, to)) = direction.split_once("->").map(|(from, to)| (from.trim(), to.trim())) else {
        return Err(format!("expected a direction, such as {key}.a->b, got \"{direction}\""));
    };
    let named = |from: &str, to: &str| format!("{from}->{to}");
    if !matches!(item.value, Value::Table(_)) {
        let back = Entry { key: named(to, from), at: item.at.clone(), item: item.clone() };
        item.value = Value::Table(vec![back]);
    }
    let Value::Table(ways) = &mut item.value else { return Ok(()) };
    let is_it =
        |way: &Entry| way.key.split_once("->").is_some_and(|(a, b)| (a.trim(), b.trim()) == (from, to));
    ways.retain(|way| !is_it(way));
    ways.push(Entry { key: named(from, to), at: at.clone(), item: value.clone() });
    Ok(())
}

/// Returns the index of a table in a list. `word` is the table's number or direction.
fn table_index(items: &[Item], word: &str) -> Option<usize> {
    let direction = |item: &Item| {
        let entry = item.entries()?.iter().find(|entry| entry.key == "direction")?;
        Some(matches!(&entry.item.value, Value::Text(text) if text == word))
    };
    let named = || items.iter().position(|item| direction(item) == Some(true));
    word.parse().ok().filter(|place| *place < items.len()).or_else(named)
}

fn set_below(
    item: &mut Item,
    key: &str,
    keys: &'static [Key],
    words: &[&str],
    value: &Item,
    at: &SourcePosition,
) -> Result<(), String> {
    match &mut item.value {
        Value::Table(_) => {}
        // `scheme = "x"` and `delayed_ack = true` are short forms of a table, which is created here.
        Value::Text(name) if key == "scheme" => {
            let name = Entry {
                key: "name".to_string(),
                at: item.at.clone(),
                item: Item { at: item.at.clone(), value: Value::Text(std::mem::take(name)) },
            };
            item.value = Value::Table(vec![name]);
        }
        Value::Flag(_) => item.value = Value::Table(Vec::new()),
        Value::List(items) => {
            let count = items.len();
            let one = table_index(items, words[0]).map(|place| &mut items[place]);
            return match (one, words.split_first()) {
                (Some(one), Some((index, rest))) if !rest.is_empty() => {
                    set_below(one, index, keys, rest, value, at)
                }
                _ => Err(format!(
                    "\"{key}\" is a list of {count} tables; expected the number of a table, from {key}.0 on, and one of its keys"
                )),
            };
        }
        _ => return Err(format!("\"{key}\" is {}, not a table", item.describe())),
    }
    match &mut item.value {
        Value::Table(entries) => set_at_path(entries, keys, words, value, at),
        _ => Ok(()),
    }
}

/// Returns the item of a key. If the document omits the key, the item is the key's default. A setting such as
/// `queue.packets` thus works for a file without a queue.
fn entry<'a>(
    entries: &'a mut Vec<Entry>,
    keys: &'static [Key],
    key: &str,
    at: &SourcePosition,
) -> &'a mut Item {
    let place = entries.iter().position(|e| e.key == key).unwrap_or_else(|| {
        let item = match keys.iter().find(|k| k.name == key).map(|k| k.when_omitted) {
            Some(OmittedValue::Value(text)) => parse_literal(text, at),
            _ => Item { at: at.clone(), value: Value::Table(Vec::new()) },
        };
        entries.push(Entry { key: key.to_string(), at: at.clone(), item });
        entries.len() - 1
    });
    entries[place].at = at.clone();
    &mut entries[place].item
}
