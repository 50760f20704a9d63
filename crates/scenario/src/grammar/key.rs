//! Keys of a scenario file. The keys of each table are declared once. The reader, the defaults, the effective
//! scenario, the JSON schema and the reference page are derived from these declarations.

use super::fields::{Fields, Val};

/// Key of a table.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: ValueKind,
    pub(crate) when_omitted: OmittedValue,
    /// One-line description of the key, with its source.
    pub(crate) about: &'static str,
}

/// Kind of value that a key accepts.
#[derive(Debug)]
pub(crate) enum ValueKind {
    /// Name of the scenario: any text of one line.
    Title,
    /// Path of a file. The table's key named by `digest` contains the digest of the file.
    File { digest: &'static str },
    /// One word of a list, or the path of a file.
    WordOrFile { words: fn() -> Vec<&'static str>, digest: &'static str },
    /// Digest of a file.
    Digest,
    /// Name of a table or a node.
    Name,
    /// Two different nodes.
    Ends,
    /// Positions of stations, by station name.
    Stations,
    /// Direction `"a->b"`.
    Direction,
    /// Duration, at least `least_ns` nanoseconds and at most [`MAX_SPAN_S`].
    Span { least_ns: u64 },
    /// Data rate.
    Rate,
    /// Data rate, or a table with these keys.
    RateOrTable(&'static [Key]),
    /// Ordered list of at most `longest` data rates.
    Rates { longest: usize },
    /// Rate of a link. The error message for a zero rate suggests an outage.
    LinkRate,
    /// Size, from `least` to `most` bytes.
    Bytes { least: u64, most: u64 },
    /// Size in bytes above which a mechanism is used, or a word that disables the mechanism.
    Threshold { least: u64, most: u64 },
    /// Distance in metres.
    Metres,
    /// Power in dBm.
    Power,
    /// Ratio of powers in dB.
    Ratio,
    /// Frequency.
    Frequency,
    /// Count, from `least` to `most`.
    Count { least: u64, most: u64 },
    /// Count, or the word "max" for the maximum count.
    CountOrMax { most: u64 },
    /// Ordered list of at most `longest` counts.
    Counts { least: u64, most: u64, longest: usize },
    /// Number, from `least` to `most`.
    Number { least: f64, most: f64 },
    /// Probability.
    Probability,
    /// Window in segments, or a word for an infinite window.
    Segments { unbounded: Option<&'static str> },
    /// Boolean.
    Flag,
    /// One word of a list.
    Word(fn() -> Vec<&'static str>),
    /// Key without valid values. The text is the reason and the key to use instead.
    NotYet(&'static str),
    /// Standard of IEEE 802.11.
    Standard,
    /// Subset of a list of words, such as `["a", "b"]`.
    Words(fn() -> Vec<&'static str>),
    /// Name of a scheme, or a table with the key `name` and the scheme's parameters.
    Scheme,
    /// Table with these keys.
    Section(&'static [Key]),
    /// `false`, `true` for the defaults, or a table with these keys.
    Switch(&'static [Key]),
    /// Table whose `kind` selects its other keys.
    Choice(&'static Choice),
    /// Value of the kind `plain`, or a table with a distribution from which values are drawn.
    Drawn { plain: &'static ValueKind, choice: &'static Choice },
    /// Table whose `kind` selects its other keys, or a list of such tables.
    Choices(&'static Choice),
    /// Table with these keys, or a list of such tables.
    Sections(&'static [Key]),
    /// List of tables with names, `[[…]]`.
    Tables(&'static [Key]),
    /// One value for both directions of a link, or a table with a value for each direction:
    /// `{ "a->b" = …, "b->a" = … }`.
    EachWay(&'static ValueKind),
}

impl ValueKind {
    /// Returns the name of the key that contains the file's digest; `None` if the value is not a file.
    pub(crate) fn digest_key(&self) -> Option<&'static str> {
        match self {
            ValueKind::File { digest }
            | ValueKind::WordOrFile { digest, .. }
            | ValueKind::EachWay(ValueKind::File { digest }) => Some(digest),
            _ => None,
        }
    }

    /// True if the value may be a list of tables, each for a direction.
    pub(crate) fn may_be_list(&self) -> bool {
        matches!(self, ValueKind::Choices(_) | ValueKind::Sections(_))
    }
}

/// Choice between the kinds of a table. The `kind` of the table selects its other keys.
#[derive(Debug)]
pub(crate) struct Choice {
    /// Noun for the table in messages, such as "queue" or "error model".
    pub(crate) what: &'static str,
    pub(crate) variants: &'static [&'static Variant],
}

impl Choice {
    /// Returns the kind that a table of this choice has selected; `None` if the table has no valid kind.
    pub(crate) fn variant_of(&self, table: &Fields) -> Option<&'static Variant> {
        self.variants.iter().find(|variant| Some(variant.kind) == table.kind).copied()
    }
}

/// One kind of table of a [`Choice`].
#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) kind: &'static str,
    /// One-line description of the kind, with its source.
    pub(crate) about: &'static str,
    pub(crate) keys: &'static [Key],
    /// Properties for programs that read results, such as `fifo`. The schema lists them as `x-flags`.
    pub(crate) flags: &'static [&'static str],
    /// Example values for the keys without defaults, as written in a file: `fer = 0.01`.
    pub(crate) example: &'static str,
    /// Function that returns a one-line comment on a table of this kind, for the effective scenario.
    pub(crate) comment: Option<fn(&Fields) -> Option<String>>,
}

impl Variant {
    /// Creates a kind whose keys all have defaults.
    pub(crate) const fn new(kind: &'static str, about: &'static str, keys: &'static [Key]) -> Self {
        Variant { kind, about, keys, flags: &[], example: "", comment: None }
    }

    /// Returns the keys of this kind. In a list (`listed`) the keys include `direction`, so that each table
    /// can apply to one direction.
    pub(crate) fn keys(&self, listed: bool) -> &'static [Key] {
        match self.keys {
            [keys @ .., Key { kind: ValueKind::Direction, .. }] if !listed => keys,
            keys => keys,
        }
    }

    /// Returns the shortest table of this kind as written in a file: `{ kind = "bernoulli", fer = 0.01 }`.
    pub(crate) fn example(&self) -> String {
        let needed = if self.example.is_empty() { String::new() } else { format!(", {}", self.example) };
        format!("{{ kind = \"{}\"{needed} }}", self.kind)
    }
}

/// Meaning of a key that the file omits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OmittedValue {
    /// No value: the key is required.
    Required,
    /// Default value, a TOML literal.
    Value(&'static str),
    /// Value derived from other keys. The text describes the derivation.
    Derived(&'static str),
    /// Value that depends on the preset. The function returns the name of each preset with the value of the
    /// key.
    Preset(fn(&str) -> Vec<(&'static str, Val)>),
    /// No value. The text describes the effect of the missing value.
    Nothing(&'static str),
}

/// Maximum duration in seconds. Up to 1e6 s (11.6 days), an f64 resolves less than a nanosecond.
pub(crate) const MAX_SPAN_S: u64 = 1_000_000;
/// Maximum number of copies of a table. The copy number that replaces the `*` has at most five digits.
pub(crate) const MAX_COPIES: u64 = 10_000;
/// Value for an infinite receive window: larger than any [`ValueKind::Bytes`].
pub(crate) const UNLIMITED_WINDOW: u64 = 1 << 40;
/// Value for the word "max" of a [`ValueKind::CountOrMax`].
pub(crate) const MAX_COUNT: u64 = u64::MAX;
/// Disabled [`ValueKind::Threshold`]: no size exceeds this value.
pub(crate) const DISABLED_THRESHOLD: u64 = UNLIMITED_WINDOW + 1;
/// Word in `--set` for all tables of a list. No table may have this name.
pub(crate) const ALL_TABLES: &str = "all";

/// Creates a key.
pub(crate) const fn key(
    name: &'static str,
    kind: ValueKind,
    without: OmittedValue,
    about: &'static str,
) -> Key {
    Key { name, kind, when_omitted: without, about }
}
