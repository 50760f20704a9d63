//! Document as a tree of values with source positions, the same for all source formats.

use crate::grammar::problem::{Problems, SourcePosition};
use toml::de::{DeTable, DeValue};

/// Value with its position in the source.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) at: SourcePosition,
    pub(crate) value: Value,
}

/// Value of TOML or JSON.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    /// Number, and a boolean that is true if the number is an integer in the source.
    Number(f64, bool),
    Flag(bool),
    List(Vec<Item>),
    /// Table: entries in the order of the document.
    Table(Vec<Entry>),
    /// Value of a type that no key accepts, such as a date or null; the text names the type.
    Other(&'static str),
}

/// Key with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    /// Position of the key. The value can begin on a later line if it is a table.
    pub(crate) at: SourcePosition,
    pub(crate) item: Item,
}

impl Item {
    /// Returns the entries of a table; `None` for other values.
    pub(crate) fn entries(&self) -> Option<&[Entry]> {
        match &self.value {
            Value::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// Returns a description of the value for messages: `a table`, `"text"`, `12`.
    pub(crate) fn describe(&self) -> String {
        match &self.value {
            Value::Text(text) => format!("{text:?}"),
            Value::Number(number, true) if number.abs() < 1e15 => format!("{number:.0}"),
            Value::Number(number, _) => format!("{number:?}"),
            Value::Flag(flag) => flag.to_string(),
            Value::List(_) => "a list".to_string(),
            Value::Table(_) => "a table".to_string(),
            Value::Other(what) => (*what).to_string(),
        }
    }
}

/// Reads TOML. If the text is not valid TOML, adds the reason to `problems` and returns `None`.
pub(crate) fn from_toml(text: &str, problems: &mut Problems) -> Option<Item> {
    let lines = LineIndex::new(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let at = error.span().map_or(SourcePosition::Document, |span| lines.position_at(span.start));
        let line = match at {
            SourcePosition::Line(n) => text.lines().nth(n - 1).unwrap_or_default().trim(),
            _ => "",
        };
        let shown: String = line.chars().take(80).collect();
        let shown = if shown.is_empty() { shown } else { format!(", in `{shown}`") };
        problems.add(&at, "", format!("this is not TOML: {}{shown}", error.message().replace('\n', "; ")));
    }
    errors.is_empty().then(|| Item { at: SourcePosition::Line(1), value: lines.table(table.get_ref()) })
}

/// Reads a JSON object. If the text is not a JSON object, adds the reason to `problems` and returns `None`.
pub(crate) fn from_json(text: &str, problems: &mut Problems) -> Option<Item> {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) => Some(Item { at: SourcePosition::Document, value: from_json_value(value) }),
        Err(error) => {
            problems.add(&SourcePosition::Line(error.line()), "", format!("this is not JSON: {error}"));
            None
        }
    }
}

fn from_json_value(value: serde_json::Value) -> Value {
    use serde_json::Value as Json;
    let item = |value| Item { at: SourcePosition::Document, value: from_json_value(value) };
    match value {
        Json::Null => Value::Other("null"),
        Json::Bool(flag) => Value::Flag(flag),
        Json::Number(number) => Value::Number(number.as_f64().unwrap_or(f64::NAN), !number.is_f64()),
        Json::String(text) => Value::Text(text),
        Json::Array(values) => Value::List(values.into_iter().map(item).collect()),
        Json::Object(map) => Value::Table(
            map.into_iter()
                .map(|(key, value)| Entry { key, at: SourcePosition::Document, item: item(value) })
                .collect(),
        ),
    }
}

/// Parses a `--set` value or a default as a TOML literal. Text that is not a literal becomes a string.
pub(crate) fn parse_literal(text: &str, at: &SourcePosition) -> Item {
    let mut item = match DeValue::parse(text.trim()) {
        Ok(value) => LineIndex::new(text).item(&value),
        Err(_) => Item { at: at.clone(), value: Value::Text(text.trim().to_string()) },
    };
    set_position(&mut item, at);
    item
}

fn set_position(item: &mut Item, at: &SourcePosition) {
    item.at = at.clone();
    match &mut item.value {
        Value::List(items) => items.iter_mut().for_each(|i| set_position(i, at)),
        Value::Table(entries) => entries.iter_mut().for_each(|e| {
            e.at = at.clone();
            set_position(&mut e.item, at);
        }),
        _ => {}
    }
}

/// Start offsets of the lines of a text, to convert byte offsets into line numbers.
struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    fn new(text: &str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        LineIndex { starts }
    }

    fn position_at(&self, offset: usize) -> SourcePosition {
        SourcePosition::Line(self.starts.partition_point(|&start| start <= offset))
    }

    fn item(&self, value: &toml::Spanned<DeValue<'_>>) -> Item {
        let at = self.position_at(value.span().start);
        let value = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(n) => Value::Number(
                i128::from_str_radix(n.as_str(), n.radix()).map_or(f64::NAN, |n| n as f64),
                true,
            ),
            DeValue::Float(x) => Value::Number(x.as_str().parse().unwrap_or(f64::NAN), false),
            DeValue::Boolean(flag) => Value::Flag(*flag),
            DeValue::Datetime(_) => Value::Other("a date"),
            DeValue::Array(items) => Value::List(items.iter().map(|i| self.item(i)).collect()),
            DeValue::Table(table) => self.table(table),
        };
        Item { at, value }
    }

    /// Returns a table with its keys in the order of the file. The toml crate sorts the keys by name, so this
    /// function sorts them again by position.
    fn table(&self, table: &DeTable<'_>) -> Value {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let entry = |(key, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
            let key_text: &std::borrow::Cow<'_, str> = key.get_ref();
            Entry {
                key: key_text.to_string(),
                at: self.position_at(key.span().start),
                item: self.item(value),
            }
        };
        Value::Table(entries.into_iter().map(entry).collect())
    }
}
