//! Rules of the RFCs.

use super::StackRules;

/// Rules of the RFCs: the default methods of [`StackRules`].
#[derive(Debug)]
pub(super) struct Rfc;

impl StackRules for Rfc {}
