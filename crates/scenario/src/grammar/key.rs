//! Keys of a scenario file. Each table lists its keys once. Reading, defaults, the effective form, the JSON
//! schema and the reference pages are all derived from these lists, so a key added to a list appears
//! everywhere.

use super::fields::{Fields, Val};

/// A key of a table.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) without: Without,
    /// Description on one line, with its source.
    pub(crate) about: &'static str,
}

/// Kind of value that a key takes.
#[derive(Debug)]
pub(crate) enum Kind {
    /// Name of the scenario: any line of text.
    Title,
    /// Path of a file. The key named `digest` in the same table has the digest of the file's content.
    File { digest: &'static str },
    /// One word of a list, or the path of a file.
    WordOrFile { words: fn() -> Vec<&'static str>, digest: &'static str },
    /// Digest of a file.
    Digest,
    /// Name of a table or a node.
    Name,
    /// Two different nodes.
    Ends,
    /// Positions of stations, by the station's name.
    Stations,
    /// `"a->b"`.
    Direction,
    /// Duration, at least `least_ns` nanoseconds and at most [`MAX_SPAN_S`].
    Span { least_ns: u64 },
    /// Data rate.
    Rate,
    /// Data rate, or a table with these keys.
    RateOrTable(&'static [Key]),
    /// Rate of a link that may have outages.
    LinkRate,
    /// A size.
    Bytes { least: u64, most: u64 },
    /// Size above which a mechanism is used, or a word that means "never".
    Threshold { least: u64, most: u64 },
    /// A distance.
    Metres,
    /// Power, dBm.
    Power,
    /// Ratio of powers, dB.
    Ratio,
    /// Frequency.
    Frequency,
    /// Plain count.
    Count { least: u64, most: u64 },
    /// Plain count, or the word "max", the largest possible count.
    CountOrMax { most: u64 },
    /// List of one to `longest` counts, in order.
    Counts { least: u64, most: u64, longest: usize },
    /// Plain number.
    Number { least: f64, most: f64 },
    /// Probability.
    Probability,
    /// Window in segments, or a word for an unbounded window.
    Segments { unbounded: Option<&'static str> },
    /// True or false.
    Flag,
    /// One word of a list.
    Word(fn() -> Vec<&'static str>),
    /// One word of a list. Airhop does not model the words in `later` yet.
    WordSoFar { words: &'static [&'static str], later: &'static [&'static str] },
    /// Key that accepts no value yet. The text has the reason, and what to write instead.
    NotYet(&'static str),
    /// Standard of IEEE 802.11.
    Standard,
    /// Any subset of a list of words.
    Words(fn() -> Vec<&'static str>),
    /// Name of a scheme, or a table of `name` and the scheme's parameters.
    Scheme,
    /// A table.
    Section(&'static [Key]),
    /// `false`, `true` for the defaults, or a table with these keys.
    Switch(&'static [Key]),
    /// Table whose `kind` selects its keys.
    Choice(&'static Choice),
    /// Quantity of the kind `plain`, or a table of a distribution from which quantities are drawn.
    Drawn { plain: &'static Kind, choice: &'static Choice },
    /// One table whose `kind` selects its keys, or a list of such tables.
    Choices(&'static Choice),
    /// Table with these keys, or a list of such tables.
    Sections(&'static [Key]),
    /// `[[…]]`: list of tables with names.
    Tables(&'static [Key]),
    /// One value for both directions of a link, or a table with one for each: `{ "a->b" = …, "b->a" = … }`.
    EachWay(&'static Kind),
}

impl Kind {
    /// Returns the name of the key that holds the file's digest; `None` for values that are not files.
    pub(crate) fn digest(&self) -> Option<&'static str> {
        match self {
            Kind::File { digest }
            | Kind::WordOrFile { digest, .. }
            | Kind::EachWay(Kind::File { digest }) => Some(digest),
            _ => None,
        }
    }

    /// True if the value may be one table, or a list of tables with directions.
    pub(crate) fn is_listed(&self) -> bool {
        matches!(self, Kind::Choices(_) | Kind::Sections(_))
    }
}

/// Tables whose `kind` selects their keys.
#[derive(Debug)]
pub(crate) struct Choice {
    /// Noun for messages, such as "queue" or "error model".
    pub(crate) what: &'static str,
    pub(crate) variants: &'static [&'static Variant],
}

impl Choice {
    /// Returns the variant that a table of this choice selects.
    pub(crate) fn variant_of(&self, table: &Fields) -> Option<&'static Variant> {
        self.variants.iter().find(|variant| Some(variant.kind) == table.kind).copied()
    }
}

/// One kind of a choice.
#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) kind: &'static str,
    /// Description on one line, with its source.
    pub(crate) about: &'static str,
    pub(crate) keys: &'static [Key],
    /// Properties for programs that read results, such as `fifo`: the schema lists them as `x-flags`.
    pub(crate) flags: &'static [&'static str],
    /// The required keys as a file has them: `fer = 0.01`.
    pub(crate) example: &'static str,
    /// Computes the comment on a table of this kind, one line for readers of the effective scenario.
    pub(crate) comment: Option<fn(&Fields) -> Option<String>>,
}

impl Variant {
    /// Creates a kind with these keys, all of which have defaults.
    pub(crate) const fn new(kind: &'static str, about: &'static str, keys: &'static [Key]) -> Self {
        Variant { kind, about, keys, flags: &[], example: "", comment: None }
    }

    /// Returns the keys of this kind. In a list (`listed` true) the keys include `direction`, as each table
    /// may be for one direction; where one table is for all, they do not.
    pub(crate) fn keys(&self, listed: bool) -> &'static [Key] {
        match self.keys {
            [keys @ .., Key { kind: Kind::Direction, .. }] if !listed => keys,
            keys => keys,
        }
    }

    /// Returns the shortest table of this kind as a file has it: `{ kind = "bernoulli", fer = 0.01 }`.
    pub(crate) fn example(&self) -> String {
        let needed = if self.example.is_empty() { String::new() } else { format!(", {}", self.example) };
        format!("{{ kind = \"{}\"{needed} }}", self.kind)
    }
}

/// Value of a key that the file omits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Without {
    /// No value: the key is required.
    Required,
    /// Default value, a TOML literal.
    Value(&'static str),
    /// Value derived from other keys; the text describes the rule.
    Derived(&'static str),
    /// Value of the preset: the name of each preset with the preset's value for the key of this name.
    Preset(fn(&str) -> Vec<(&'static str, Val)>),
    /// No value; the text describes the meaning of its absence.
    Nothing(&'static str),
}

/// The longest duration: an f64 represents 1e6 s (11.6 days) to the nanosecond.
pub(crate) const MAX_SPAN_S: u64 = 1_000_000;
/// The maximum number of copies: the number that replaces a `*` has at most five digits.
pub(crate) const MAX_COPIES: u64 = 10_000;
/// An unbounded receive window; more than [`Kind::Bytes`] can express.
pub(crate) const UNLIMITED: u64 = 1 << 40;
/// Value of the word "max" of a [`Kind::CountOrMax`].
pub(crate) const MAX: u64 = u64::MAX;
/// A [`Kind::Threshold`] that no size reaches.
pub(crate) const OFF: u64 = UNLIMITED + 1;
/// Word that addresses all tables of a list in `--set`; therefore no table may have this name.
pub(crate) const ALL: &str = "all";

/// Creates a key.
pub(crate) const fn key(name: &'static str, kind: Kind, without: Without, about: &'static str) -> Key {
    Key { name, kind, without, about }
}
