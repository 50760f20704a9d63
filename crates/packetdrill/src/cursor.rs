//! `Cursor`: position in the text of a script, and the place of each error.

use std::fmt;

/// Place in a script; line and column are counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ScriptPosition {
    /// The line.
    pub line: usize,
    /// Column in characters.
    pub column: usize,
}

impl fmt::Display for ScriptPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Reason why a script cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{position}: {message}")]
pub struct ParseError {
    /// File name of the script.
    pub file: String,
    /// Position in the script.
    pub position: ScriptPosition,
    /// Message with the expected and the found text.
    pub message: String,
}

/// Position in a text, with the elementary steps of a parser.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    file: &'a str,
    text: &'a str,
    at: usize,
    /// Place of the first character.
    origin: ScriptPosition,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(file: &'a str, text: &'a str, origin: ScriptPosition) -> Self {
        Cursor { file, text, at: 0, origin }
    }

    pub(crate) fn file(&self) -> &'a str {
        self.file
    }

    pub(crate) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(crate) fn is_done(&self) -> bool {
        self.at >= self.text.len()
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn position(&self) -> ScriptPosition {
        let before = &self.text[..self.at];
        let breaks = before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        let column = if breaks == 0 { column + self.origin.column - 1 } else { column };
        ScriptPosition { line: self.origin.line + breaks, column }
    }

    pub(crate) fn error(&self, expected: &str) -> ParseError {
        let line = self.rest().lines().next().unwrap_or("").trim_end();
        let found: String = line.chars().take(24).collect();
        let found = if found.is_empty() { "the end of the line".to_owned() } else { format!("`{found}`") };
        self.error_at(self.position(), format!("expected {expected}, found {found}"))
    }

    pub(crate) fn error_at(&self, place: ScriptPosition, message: String) -> ParseError {
        ParseError { file: self.file.to_owned(), position: place, message }
    }

    pub(crate) fn skip(&mut self, bytes: usize) -> &'a str {
        let taken = &self.text[self.at..self.at + bytes];
        self.at += bytes;
        taken
    }

    /// Skips `word` if it comes next.
    pub(crate) fn take_literal(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    pub(crate) fn expect_literal(&mut self, word: &str) -> Result<(), ParseError> {
        if self.take_literal(word) { Ok(()) } else { Err(self.error(&format!("`{word}`"))) }
    }

    pub(crate) fn take_while(&mut self, holds: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        self.skip(rest.find(|c| !holds(c)).unwrap_or(rest.len()))
    }

    /// Returns the text before `end`, and skips `end`.
    pub(crate) fn take_until(&mut self, end: &str) -> Result<&'a str, ParseError> {
        let found = self.rest().find(end).ok_or_else(|| self.error(&format!("a `{end}` further on")))?;
        let text = self.skip(found);
        self.at += end.len();
        Ok(text)
    }

    /// Skips blanks within a line.
    pub(crate) fn skip_blanks(&mut self) {
        self.take_while(|c| c == ' ' || c == '\t' || c == '\r');
    }

    /// Skips blanks, ends of lines and comments.
    pub(crate) fn skip_whitespace_and_comments(&mut self) -> Result<(), ParseError> {
        loop {
            self.take_while(char::is_whitespace);
            if self.rest().starts_with("//") || self.rest().starts_with('#') {
                self.take_while(|c| c != '\n');
            } else if self.take_literal("/*") {
                self.take_until("*/")?;
            } else {
                return Ok(());
            }
        }
    }

    /// Reads a word of letters, digits and underscores; `None` if no word begins here.
    pub(crate) fn read_word(&mut self) -> Option<&'a str> {
        let begins = self.peek().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        begins.then(|| self.take_while(|c| c.is_ascii_alphanumeric() || c == '_'))
    }

    /// Reads a decimal or hexadecimal number with an optional sign.
    pub(crate) fn read_integer(&mut self) -> Result<i64, ParseError> {
        let before = self.clone();
        let negative = self.take_literal("-");
        let hexadecimal = self.take_literal("0x") || self.take_literal("0X");
        let digits = self.take_while(|c| c.is_ascii_hexdigit() && (hexadecimal || c.is_ascii_digit()));
        let radix = if hexadecimal { 16 } else { 10 };
        let number = i64::from_str_radix(digits, radix).map_err(|_| before.error("a number"))?;
        Ok(if negative { -number } else { number })
    }

    /// Reads a number that fits into `T`.
    pub(crate) fn read_number<T: TryFrom<i64>>(&mut self) -> Result<T, ParseError> {
        self.skip_blanks();
        let before = self.clone();
        let number = self.read_integer()?;
        T::try_from(number).map_err(|_| before.error("a smaller number"))
    }

    /// Reads the rest of a statement, up to a comment or the end of the line. Within brackets, the statement
    /// continues on the next line.
    pub(crate) fn read_statement(&mut self) -> String {
        let (mut depth, mut text) = (0_i32, String::new());
        while let Some(c) = self.peek() {
            if c == '\n' && depth <= 0 || self.rest().starts_with("//") {
                break;
            }
            depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
            text.push(c);
            self.skip(c.len_utf8());
        }
        text.trim().to_owned()
    }
}
