//! Words of a key that stand for a value each.

use super::fields::Val;

/// Returns the word of a value, for a key whose every value has one.
pub(crate) fn word_of<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> Val {
    let found = words.iter().find(|(_, v)| v == value);
    Val::Word(found.expect("every variant has a word").0)
}

/// Returns the value of a word.
pub(crate) fn of_word<T: Copy>(words: &[(&'static str, T)], word: &str) -> Option<T> {
    words.iter().find(|(w, _)| *w == word).map(|(_, v)| *v)
}
