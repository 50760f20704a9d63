//! Words that a key accepts, and the values that the words represent.

use super::fields::Val;

/// Returns the word for a value. Every value must have a word in `words`.
pub(crate) fn word_of<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> Val {
    let found = words.iter().find(|(_, v)| v == value);
    Val::Word(found.expect("every variant has a word").0)
}

/// Returns the value of a word; `None` if the word is not in `words`.
pub(crate) fn value_of_word<T: Copy>(words: &[(&'static str, T)], word: &str) -> Option<T> {
    words.iter().find(|(w, _)| *w == word).map(|(_, v)| *v)
}
