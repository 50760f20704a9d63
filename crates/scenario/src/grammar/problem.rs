//! Problems of a scenario, with messages for the scenario's author.

use std::collections::HashSet;
use std::fmt;

/// Source position of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SourcePosition {
    /// Line of the file, from 1.
    Line(usize),
    /// No line, because the document is not text (a Python dict).
    Document,
    /// Command-line option, as the user wrote it: `--set wlan.cell.errors.fer=2`.
    Option(String),
    /// No position, because the value is a default.
    Default,
}

/// One problem of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    at: SourcePosition,
    path: String,
    what: String,
}

/// All problems of a document, collected in one pass.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<Problem>);

impl Problems {
    /// Adds a problem with the value of `path` at position `at`. `what` is the text with the expected and the
    /// actual value.
    pub(crate) fn add(&mut self, at: &SourcePosition, path: impl Into<String>, what: impl Into<String>) {
        self.0.push(Problem { at: at.clone(), path: path.into(), what: what.into() });
    }

    /// Returns the number of problems so far.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `value` if there are no problems, otherwise all problems in the order of the file. If a key
    /// has several problems, as in copies of a table, only the first is reported.
    pub(crate) fn into_result<T>(mut self, source: &str, value: Option<T>) -> Result<T, ScenarioError> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ => {
                self.0.sort_by_key(|p| match p.at {
                    SourcePosition::Line(line) => line,
                    SourcePosition::Document | SourcePosition::Default => usize::MAX - 1,
                    SourcePosition::Option(_) => usize::MAX,
                });
                let mut told = HashSet::new();
                self.0.retain(|p| told.insert((p.at.clone(), p.path.clone())));
                Err(ScenarioError { paragraphs: self.0.iter().map(|p| p.paragraph(source)).collect() })
            }
        }
    }
}

impl Problem {
    fn paragraph(&self, source: &str) -> String {
        let [source, path, what] = [source, &self.path, &self.what].map(escape_for_terminal);
        let what = format!("{what}{}", describe_lookalike(&format!("{}{}", self.path, self.what)));
        let path = if path.is_empty() { path } else { format!("{path}: ") };
        match &self.at {
            SourcePosition::Line(line) => format!("{source}:{line}: {path}{what}"),
            SourcePosition::Document | SourcePosition::Default => format!("{source}: {path}{what}"),
            // The option `--set wlan.cell.rate=…` contains the path already.
            SourcePosition::Option(option) if option.contains(&format!(" {}=", self.path)) => {
                format!("{}: {what}", escape_for_terminal(option))
            }
            SourcePosition::Option(option) => format!("{}: {path}{what}", escape_for_terminal(option)),
        }
    }
}

/// Maximum number of characters of a text in a message. The longest list of keys has half this length.
const MAX_TEXT_CHARS: usize = 500;

/// Makes a text safe for a terminal. Escapes control characters and bidirectional overrides, and removes the
/// middle of a long text. Messages quote files from untrusted authors.
fn escape_for_terminal(text: &str) -> String {
    let is_harmful =
        |c: &char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let length = text.chars().count();
    let edge = if length > MAX_TEXT_CHARS { MAX_TEXT_CHARS / 2 } else { length };
    let escaped = |c: char| if is_harmful(&c) { c.escape_default().to_string() } else { c.to_string() };
    let mut shown: String = text.chars().take(edge).map(escaped).collect();
    if edge < length {
        shown.push_str(" … ");
        shown.extend(text.chars().skip(length - edge).map(escaped));
    }
    shown
}

/// Returns a description of the first suspicious character of a message; empty if there is none. A character
/// is suspicious if it is invisible or resembles another character: for example a non-breaking hyphen, a
/// typographic quotation mark, a full-width digit or a Cyrillic letter. Characters in words of Airhop are
/// exempt.
pub(crate) fn describe_lookalike(message: &str) -> String {
    let is_one = |c: &char| match c {
        '\u{ad}' | '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' => true, // invisible
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2018}'..='\u{201f}' => true, // hyphens, quotation marks
        '\u{391}'..='\u{3a1}' | '\u{3a4}'..='\u{3a7}' | '\u{3bf}' | '\u{400}'..='\u{52f}' => true, // Greek, Cyrillic
        '\u{660}'..='\u{669}' | '\u{6f0}'..='\u{6f9}' | '\u{966}'..='\u{96f}' => true, // digits of other scripts
        '\u{212a}' | '\u{ff01}'..='\u{ff5e}' | '\u{1d400}'..='\u{1d7ff}' => true, // Kelvin, full-width, mathematical
        c => c.is_whitespace() && !c.is_ascii(),
    };
    let found = message.chars().find(is_one).map(u32::from);
    found
        .map(|c| {
            format!(" (it has the character U+{c:04X}, which is invisible or resembles another character)")
        })
        .unwrap_or_default()
}

/// Maximum number of problems or names in a message. One mistake in a generated file can cause hundreds of
/// problems, and the first of them must stay visible.
const MAX_SHOWN: usize = 20;

/// Error in a scenario. The `Display` output is the complete message, with one paragraph for each of the
/// first problems in the order of the file. A paragraph has the file, the line, the key, the expected value,
/// and a suggestion if a known word is similar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    paragraphs: Vec<String>,
}

impl ScenarioError {
    /// Returns the problems, each as one or two sentences.
    pub fn problems(&self) -> &[String] {
        &self.paragraphs
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = &self.paragraphs[..self.paragraphs.len().min(MAX_SHOWN)];
        f.write_str(&shown.join("\n\n"))?;
        match self.paragraphs.len() - shown.len() {
            0 => Ok(()),
            more => write!(f, "\n\n… and {more} more"),
        }
    }
}

impl std::error::Error for ScenarioError {}

/// Returns the word of `known` that is most similar to `word`; `None` if no word is similar enough.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    known
        .into_iter()
        .map(|k| (strsim::damerau_levenshtein(&lower, &k.to_lowercase()), k))
        // At most a third of the letters may differ; otherwise the suggestion would be arbitrary.
        .filter(|&(distance, k)| distance <= (k.chars().count().max(lower.chars().count()) / 3).max(1))
        .filter(|&(distance, k)| distance < k.chars().count())
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, k)| k)
}

/// Returns `; did you mean "x"?` for the most similar word `x` of `known`; an empty string if no word is
/// similar enough.
pub(crate) fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, known).map(|k| format!("; did you mean \"{k}\"?")).unwrap_or_default()
}

/// Formats a list as `a, b, c`, truncated if it is long; "none" for an empty list.
pub(crate) fn format_list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut words = words.into_iter();
    let mut shown: Vec<_> = words.by_ref().take(MAX_SHOWN).collect();
    match (shown.is_empty(), words.next()) {
        (true, _) => return "none".to_string(),
        (false, Some(_)) => shown.push("…"),
        (false, None) => {}
    }
    shown.join(", ")
}

/// Formats a list of alternatives: `"a", "b" or "c"`.
pub(crate) fn format_alternatives<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|w| format!("\"{w}\"")).collect();
    match words.split_last() {
        None => "none".to_string(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}
