//! Errors of objects that Airhop cannot simulate.

use crate::fault::InstructionLocation;

/// Error for a BPF object file that Airhop cannot simulate. The message begins with the file name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct ObjectError {
    /// File name as the caller specified it.
    pub file: String,
    /// Problem of the object.
    pub problem: ObjectProblem,
}

/// Problem of an object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ObjectProblem {
    /// The file is damaged, or is not an eBPF ELF object.
    #[error(
        "not a BPF object: {0} (expected what `clang --target=bpf -g -c` writes: ELF64, little-endian, eBPF, relocatable)"
    )]
    Elf(String),
    /// The types of the object cannot be read.
    #[error("section {section}: {why} (was it compiled with -g?)")]
    Types {
        /// Name of the section, `.BTF` or `.BTF.ext`.
        section: &'static str,
        /// Description of the problem.
        why: String,
    },
    /// A section cannot be loaded.
    #[error("section {section}: {why}")]
    Section {
        /// Name of the section.
        section: String,
        /// Description of the problem.
        why: String,
    },
    /// A map cannot be created.
    #[error("map {map}: {why}")]
    Map {
        /// Name of the map.
        map: String,
        /// Description of the problem.
        why: String,
    },
    /// A `struct tcp_congestion_ops` is invalid.
    #[error("congestion control {variable}: {why}")]
    StructOps {
        /// Name of the variable.
        variable: String,
        /// Description of the problem.
        why: String,
    },
    /// The object contains an instruction that no kernel would accept.
    #[error("{place}: {why}")]
    Instruction {
        /// Place of the instruction.
        place: InstructionLocation,
        /// Description of the problem.
        why: String,
    },
}
