//! Checked table of a scenario: typed value and source position of every key that has a value.

use crate::grammar::key::Key;
use crate::grammar::problem::{SourcePosition, nearest};
use airhop_base::{Rate, Span};
use airhop_tcp::{Params, Scheme};
use std::sync::Arc;

/// Checked value of a key.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    Text(String),
    Word(&'static str),
    Words(Vec<&'static str>),
    Ends([String; 2]),
    Stations(Vec<(String, [f64; 2])>),
    Direction(Direction),
    Span(Span),
    Rate(Rate),
    Rates(Vec<Rate>),
    Bytes(u64),
    Metres(f64),
    /// Power in dBm.
    Power(f64),
    /// Ratio of powers in dB.
    Ratio(f64),
    /// Frequency in Hz.
    Frequency(u64),
    Count(u64),
    Counts(Vec<u64>),
    /// Plain number, such as a probability or a number of segments.
    Number(f64),
    Flag(bool),
    Scheme(&'static Scheme, Params),
    File(NamedFile),
    Table(Fields),
    Tables(Vec<Fields>),
    EachWay(Vec<DirectionValue>),
}

/// Value of a key for one direction of a link.
#[derive(Clone, Debug)]
pub(crate) struct DirectionValue {
    pub(crate) direction: Direction,
    pub(crate) value: Val,
    pub(crate) at: SourcePosition,
}

/// File whose content was read.
#[derive(Clone, Debug)]
pub(crate) struct NamedFile {
    /// Absolute path of the file.
    pub(crate) path: String,
    /// Content.
    pub(crate) text: Arc<str>,
}

/// Direction from one node to another. `None` in place of a node stands for all nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Direction {
    pub(crate) from: Option<String>,
    pub(crate) to: Option<String>,
}

/// Table whose values were checked.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    /// Path of the table in the document, for messages: `wlan.cell`.
    pub(crate) path: String,
    /// Position of the table in the source.
    pub(crate) at: SourcePosition,
    /// Kind of the table; `None` if the table has no key `kind` ([`Choice`](super::key::Choice)).
    pub(crate) kind: Option<&'static str>,
    /// Keys that a table of this type may have.
    pub(crate) keys: &'static [Key],
    /// False if a value in the table was rejected.
    pub(crate) is_valid: bool,
    /// Keys of the table whose values were rejected.
    refused: Vec<String>,
    /// Values of the keys, in the order of `keys`.
    values: Vec<Option<(Val, SourcePosition)>>,
}

impl Fields {
    pub(crate) fn new(
        path: String,
        at: SourcePosition,
        kind: Option<&'static str>,
        keys: &'static [Key],
    ) -> Self {
        Fields { path, at, kind, keys, is_valid: true, refused: Vec::new(), values: vec![None; keys.len()] }
    }

    /// Returns the index of a key in `keys`.
    ///
    /// # Panics
    ///
    /// Panics if the table has no such key. This would be a bug in this crate, which every test that reads a
    /// file detects.
    fn key_index(&self, name: &str) -> usize {
        let found = self.keys.iter().position(|k| k.name == name);
        found.unwrap_or_else(|| unreachable!("{} has no key {name}", self.path))
    }

    /// True if a table of this type may have the key `name`, with or without a value.
    pub(crate) fn may_have_key(&self, name: &str) -> bool {
        self.keys.iter().any(|key| key.name == name)
    }

    pub(crate) fn set(&mut self, name: &str, val: Val, at: SourcePosition) {
        let place = self.key_index(name);
        self.values[place] = Some((val, at));
    }

    /// Sets the value of a key that the file omits, as a default.
    pub(crate) fn set_default(&mut self, name: &str, val: Val) {
        let place = self.key_index(name);
        self.values[place].get_or_insert((val, SourcePosition::Default));
    }

    /// Replaces the default of a key by another default.
    pub(crate) fn replace_default(&mut self, name: &str, val: Val) {
        let place = self.key_index(name);
        if !matches!(&self.values[place], Some((_, at)) if *at != SourcePosition::Default) {
            self.values[place] = Some((val, SourcePosition::Default));
        }
    }

    /// Returns this table with another path and with all values marked as defaults.
    pub(crate) fn as_default(&self, path: String) -> Fields {
        let values =
            self.values.iter().map(|value| value.clone().map(|(val, _)| (val, SourcePosition::Default)));
        Fields { path, at: SourcePosition::Default, values: values.collect(), ..self.clone() }
    }

    /// Removes a default that does not apply.
    pub(crate) fn remove_default(&mut self, name: &str) {
        let place = self.key_index(name);
        self.values[place] = None;
    }

    /// Records that the file has the key `name`, but with an unusable value. The key itself may be unknown.
    pub(crate) fn mark_refused(&mut self, name: &str) {
        self.refused.push(name.to_string());
    }

    /// Returns the keys whose values were rejected.
    pub(crate) fn refused_keys(&self) -> &[String] {
        &self.refused
    }

    /// True if the file omits the key `name` and the key has no default. False if the value was rejected.
    pub(crate) fn is_absent(&self, name: &str) -> bool {
        self.get(name).is_none() && self.refused.iter().all(|r| r != name)
    }

    /// True if the file omits the key `name`, and none of the table's rejected keys resembles `name`. A
    /// misspelt key is thus reported as one problem, not as two.
    pub(crate) fn is_missing_not_misspelt(&self, name: &str) -> bool {
        let meant = |refused: &String| nearest(refused, self.keys.iter().map(|k| k.name));
        self.is_absent(name) && self.refused.iter().all(|refused| meant(refused) != Some(name))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Val> {
        self.values[self.key_index(name)].as_ref().map(|(val, _)| val)
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Val> {
        let place = self.key_index(name);
        self.values[place].as_mut().map(|(val, _)| val)
    }

    /// True if the user wrote the value of `name`; false if it is a default or missing.
    pub(crate) fn is_given(&self, name: &str) -> bool {
        matches!(&self.values[self.key_index(name)], Some((_, at)) if *at != SourcePosition::Default)
    }

    /// Returns all values.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Val> {
        self.values.iter().flatten().map(|(val, _)| val)
    }

    /// Returns mutable access to all values.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Val> {
        self.values.iter_mut().flatten().map(|(val, _)| val)
    }

    /// Returns the position of the value of `name`, or of the table if the file omits `name`.
    pub(crate) fn position_of(&self, name: &str) -> &SourcePosition {
        match &self.values[self.key_index(name)] {
            Some((_, at)) if *at != SourcePosition::Default => at,
            _ => &self.at,
        }
    }

    /// Returns the path of a key of this table in the document.
    pub(crate) fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_string() } else { format!("{}.{name}", self.path) }
    }

    /// Returns the keys that have a value, each with the value and a boolean that is true for a default.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'static Key, &Val, bool)> {
        self.keys.iter().zip(&self.values).filter_map(|(key, value)| {
            let (val, at) = value.as_ref()?;
            Some((key, val, *at == SourcePosition::Default))
        })
    }
}

macro_rules! getters {
    ($($(#[$doc:meta])* $name:ident: $variant:ident($value:ident) -> $type:ty = $result:expr;)+) => {
        impl Fields {
            $($(#[$doc])*
            pub(crate) fn $name(&self, name: &str) -> Option<$type> {
                match self.get(name) {
                    Some(Val::$variant($value)) => Some($result),
                    _ => None,
                }
            })+
        }
    };
}

getters! {
    text: Text(v) -> &str = v;
    word: Word(v) -> &'static str = v;
    words: Words(v) -> &[&'static str] = v;
    ends: Ends(v) -> &[String; 2] = v;
    stations: Stations(v) -> &[(String, [f64; 2])] = v;
    direction: Direction(v) -> &Direction = v;
    span: Span(v) -> Span = *v;
    rate: Rate(v) -> Rate = *v;
    rates: Rates(v) -> &[Rate] = v;
    bytes: Bytes(v) -> u64 = *v;
    metres: Metres(v) -> f64 = *v;
    power: Power(v) -> f64 = *v;
    ratio: Ratio(v) -> f64 = *v;
    frequency: Frequency(v) -> u64 = *v;
    count: Count(v) -> u64 = *v;
    counts: Counts(v) -> &[u64] = v;
    number: Number(v) -> f64 = *v;
    flag: Flag(v) -> bool = *v;
    file: File(v) -> &NamedFile = v;
    table: Table(v) -> &Fields = v;
    tables_or_none: Tables(v) -> &[Fields] = v;
    each_way: EachWay(v) -> &[DirectionValue] = v;
}

impl Fields {
    /// Returns the tables of a `[[…]]` list; an empty slice if the file omits the list.
    pub(crate) fn tables(&self, name: &str) -> &[Fields] {
        self.tables_or_none(name).unwrap_or_default()
    }
}
