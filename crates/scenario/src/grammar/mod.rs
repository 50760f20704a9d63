//! Grammar of scenario files: keys, documents, checks, and outputs derived from the keys.

pub(crate) mod check;
pub(crate) mod fields;
pub(crate) mod key;
pub(crate) mod problem;
pub(crate) mod quantity;
pub(crate) mod reference;
pub(crate) mod render;
pub(crate) mod schema;
pub(crate) mod tree;
pub(crate) mod words;
