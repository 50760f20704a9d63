//! Faults that end a program.

use crate::memory::AccessError;
use std::fmt;

/// Place of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionLocation {
    /// Name of the function.
    pub function: String,
    /// Index of the instruction in its function, from 0. A 64-bit constant counts as two instructions, as in
    /// `llvm-objdump`.
    pub instruction: usize,
    /// Source file and line, if present in `.BTF.ext`.
    pub line: Option<(String, u32)>,
}

impl fmt::Display for InstructionLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, instruction {}", self.function, self.instruction)?;
        match &self.line {
            Some((file, line)) => write!(f, " ({file}:{line})"),
            None => Ok(()),
        }
    }
}

/// Fault of a program: an operation that the kernel's verifier would reject, or that Airhop does not
/// simulate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{object}: {location}: {cause}")]
pub struct ProgramFault {
    /// File name of the object.
    pub object: String,
    /// Place of the failed instruction.
    pub location: InstructionLocation,
    /// Cause of the fault.
    pub cause: FaultCause,
}

/// Cause of a program's fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultCause {
    /// The address does not belong to the program's memory.
    #[error("{0}")]
    Memory(#[from] AccessError),
    /// A call executed more instructions than the kernel's verifier permits.
    #[error("more than {0} instructions in one call: possibly an infinite loop")]
    Endless(u32),
    /// A run executed more instructions than its budget.
    #[error("more instructions in this run than {0}, and {1} for each call")]
    Exhausted(u64, u64),
    /// Calls are nested deeper than the kernel allows.
    #[error("calls are nested deeper than {0} functions")]
    TooDeep(usize),
    /// A kernel function was called with invalid arguments.
    #[error("{function}: {why}")]
    Call {
        /// Name of the function.
        function: &'static str,
        /// Description of the problem.
        why: String,
    },
}
