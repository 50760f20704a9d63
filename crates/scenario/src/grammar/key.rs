//! Keys of a scenario file. Each table lists its keys once: reading, defaults, the effective form, the JSON schema and the reference pages
//! are all made from these lists, so a key that is added to one exists everywhere.

use super::fields::{Fields, Val};

/// A key of a table.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) without: Without,
    /// Description, with its source; one line.
    pub(crate) about: &'static str,
}

/// Kind of value that a key takes.
#[derive(Debug)]
pub(crate) enum Kind {
    /// The name of the scenario: any line of text.
    Title,
    /// The path of a file; the key beside it with this name has the digest of its content.
    File { digest: &'static str },
    /// A digest of a file.
    Digest,
    /// The name of a table or a node.
    Name,
    /// Two different nodes.
    Ends,
    /// Positions of stations by name.
    Stations,
    /// `"a->b"`.
    Direction,
    /// A duration, at least this many nanoseconds and at most [`MAX_SPAN_S`].
    Span { least_ns: u64 },
    /// A data rate.
    Rate,
    /// A data rate, or a table.
    RateOrTable(&'static [Key]),
    /// Rate of a link that may have outages.
    LinkRate,
    /// A size.
    Bytes { least: u64, most: u64 },
    /// A size above which something is done, or a word: at none.
    Threshold { least: u64, most: u64 },
    /// A distance.
    Metres,
    /// A power, dBm.
    Power,
    /// A ratio of powers, dB.
    Ratio,
    /// A frequency.
    Frequency,
    /// A plain count.
    Count { least: u64, most: u64 },
    /// A plain count, or "max": the most that there can be.
    CountOrMax { most: u64 },
    /// One to `longest` of them, in order.
    Counts { least: u64, most: u64, longest: usize },
    /// A plain number.
    Number { least: f64, most: f64 },
    /// A probability.
    Probability,
    /// A window in segments, or a word for one without bound.
    Segments { unbounded: Option<&'static str> },
    /// True or false.
    Flag,
    /// One of some words.
    Word(fn() -> Vec<&'static str>),
    /// One of some words; the others have a meaning that is not modelled yet.
    WordSoFar { words: &'static [&'static str], later: &'static [&'static str] },
    /// Nothing so far: the reason, and what to write instead.
    NotYet(&'static str),
    /// A standard of IEEE 802.11.
    Standard,
    /// Some of some words.
    Words(fn() -> Vec<&'static str>),
    /// A scheme's name, or a table of `name` and its parameters.
    Scheme,
    /// A table.
    Section(&'static [Key]),
    /// `false`, `true` for the defaults, or a table.
    Switch(&'static [Key]),
    /// A table whose `kind` selects its keys.
    Choice(&'static Choice),
    /// One such table, or a list of them.
    Choices(&'static Choice),
    /// A table, or a list of them.
    Sections(&'static [Key]),
    /// `[[…]]`: tables with names.
    Tables(&'static [Key]),
    /// One value for both directions of a link, or a table with one for each: `{ "a->b" = …, "b->a" = … }`.
    EachWay(&'static Kind),
}

impl Kind {
    /// Returns the key of the digest, if this takes files.
    pub(crate) fn digest(&self) -> Option<&'static str> {
        match self {
            Kind::File { digest } | Kind::EachWay(Kind::File { digest }) => Some(digest),
            _ => None,
        }
    }

    /// True if this takes one table, or a list of tables with directions.
    pub(crate) fn is_listed(&self) -> bool {
        matches!(self, Kind::Choices(_) | Kind::Sections(_))
    }
}

/// Tables whose `kind` selects their keys.
#[derive(Debug)]
pub(crate) struct Choice {
    /// Noun for messages: "queue", "error model".
    pub(crate) what: &'static str,
    pub(crate) variants: &'static [&'static Variant],
}

impl Choice {
    /// Returns the variant of a table of this choice.
    pub(crate) fn variant_of(&self, table: &Fields) -> Option<&'static Variant> {
        self.variants.iter().find(|variant| Some(variant.kind) == table.kind).copied()
    }
}

/// One of them.
#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) kind: &'static str,
    /// Description, with its source; one line.
    pub(crate) about: &'static str,
    pub(crate) keys: &'static [Key],
    /// Properties for programs that read results, such as `fifo`: the schema lists them as `x-flags`.
    pub(crate) flags: &'static [&'static str],
    /// The keys that it cannot do without, as a file has them: `fer = 0.01`.
    pub(crate) example: &'static str,
    /// Comment on a table of it, one line for readers of the effective scenario.
    pub(crate) comment: Option<fn(&Fields) -> Option<String>>,
}

impl Variant {
    /// Creates a kind with these keys, all of which have defaults.
    pub(crate) const fn new(kind: &'static str, about: &'static str, keys: &'static [Key]) -> Self {
        Variant { kind, about, keys, flags: &[], example: "", comment: None }
    }

    /// Returns its keys in a list, each of whose tables can be for one direction, or (`listed` false) where there is one table for all.
    pub(crate) fn keys(&self, listed: bool) -> &'static [Key] {
        match self.keys {
            [keys @ .., Key { kind: Kind::Direction, .. }] if !listed => keys,
            keys => keys,
        }
    }

    /// Returns the shortest table of this kind, as a file has it: `{ kind = "bernoulli", fer = 0.01 }`.
    pub(crate) fn example(&self) -> String {
        let needed = if self.example.is_empty() { String::new() } else { format!(", {}", self.example) };
        format!("{{ kind = \"{}\"{needed} }}", self.kind)
    }
}

/// Value of a key that is left out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Without {
    /// None: the key is required.
    Required,
    /// A TOML literal.
    Value(&'static str),
    /// Derived from other keys, by the rule in the text.
    Derived(&'static str),
    /// As a preset has it: each preset's name with its value for the key of this name.
    Preset(fn(&str) -> Vec<(&'static str, Val)>),
    /// Nothing; the text has the meaning of that.
    Nothing(&'static str),
}

/// The longest duration: 1e6 s (11.6 days) is counted to the nanosecond by an f64.
pub(crate) const MAX_SPAN_S: u64 = 1_000_000;
/// Five digits at most in the place of a `*`.
pub(crate) const MAX_COPIES: u64 = 10_000;
/// A receive window without bound; more than [`Kind::Bytes`] can express.
pub(crate) const UNLIMITED: u64 = 1 << 40;
/// The word "max" of a [`Kind::CountOrMax`].
pub(crate) const MAX: u64 = u64::MAX;
/// A [`Kind::Threshold`] that nothing reaches.
pub(crate) const OFF: u64 = UNLIMITED + 1;
/// The word that addresses all tables of a kind in `--set`, so no table may be called so.
pub(crate) const ALL: &str = "all";

/// Creates a key.
pub(crate) const fn key(name: &'static str, kind: Kind, without: Without, about: &'static str) -> Key {
    Key { name, kind, without, about }
}
