//! Words of a key and the values that they represent.

use super::fields::Val;

/// Returns the word for a value. Every value of the key must have a word.
pub(crate) fn word_of<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> Val {
    let found = words.iter().find(|(_, v)| v == value);
    Val::Word(found.expect("every variant has a word").0)
}

/// Returns the value that a word represents.
pub(crate) fn of_word<T: Copy>(words: &[(&'static str, T)], word: &str) -> Option<T> {
    words.iter().find(|(w, _)| *w == word).map(|(_, v)| *v)
}
