//! Faults that end a program early.

use crate::memory::Denied;
use std::fmt;

/// Place of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The function.
    pub function: String,
    /// The instruction's number in its function, from 0, where a 64-bit constant counts as two (as in `llvm-objdump`).
    pub instruction: usize,
    /// File and line of the source, if the object has them (`.BTF.ext`).
    pub line: Option<(String, u32)>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, instruction {}", self.function, self.instruction)?;
        match &self.line {
            Some((file, line)) => write!(f, " ({file}:{line})"),
            None => Ok(()),
        }
    }
}

/// A program did something that the kernel's verifier would have refused, or that is not simulated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{object}: {place}: {cause}")]
pub struct Fault {
    /// The object's file.
    pub object: String,
    /// The instruction at fault.
    pub place: Place,
    /// Cause of the fault.
    pub cause: Cause,
}

/// Cause of a program's fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// An address that is not the program's.
    #[error("{0}")]
    Memory(#[from] Denied),
    /// More instructions than the kernel's verifier follows.
    #[error("more than {0} instructions in one call: a loop that does not end?")]
    Endless(u32),
    /// More instructions than a run has.
    #[error("more instructions in this run than {0}, and {1} for each call")]
    Exhausted(u64, u64),
    /// More frames than the kernel allows.
    #[error("calls are nested deeper than {0} functions")]
    TooDeep(usize),
    /// A kernel function called with invalid arguments.
    #[error("{function}: {why}")]
    Call {
        /// The function.
        function: &'static str,
        /// The finding.
        why: String,
    },
}
