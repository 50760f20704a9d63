//! Rules of the RFCs.

use super::Stack;

/// Rules of the RFCs: the default methods of [`Stack`].
#[derive(Debug)]
pub(super) struct Rfc;

impl Stack for Rfc {}
