//! The rules of the RFCs.

use super::Stack;

/// The text of the RFCs: what [`Stack`] says.
#[derive(Debug)]
pub(super) struct Rfc;

impl Stack for Rfc {}
