//! Errors of objects that cannot be simulated.

use crate::fault::Place;

/// Error of a file that is no object that can be simulated; its text begins with the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct ObjectError {
    /// The file, as its reader named it.
    pub file: String,
    /// The problem.
    pub problem: Problem,
}

/// Problem of an object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// No ELF object of eBPF at all, or a damaged one.
    #[error(
        "not a BPF object: {0} (expected what `clang --target=bpf -g -c` writes: ELF64, little-endian, eBPF, relocatable)"
    )]
    Elf(String),
    /// The types of the object cannot be read.
    #[error("section {section}: {why} (was it compiled with -g?)")]
    Types {
        /// `.BTF` or `.BTF.ext`.
        section: &'static str,
        /// The finding.
        why: String,
    },
    /// A section that cannot be loaded.
    #[error("section {section}: {why}")]
    Section {
        /// The section's name.
        section: String,
        /// The finding.
        why: String,
    },
    /// A map that cannot be made.
    #[error("map {map}: {why}")]
    Map {
        /// The map's name.
        map: String,
        /// The finding.
        why: String,
    },
    /// A `struct tcp_congestion_ops` that cannot be taken.
    #[error("congestion control {variable}: {why}")]
    StructOps {
        /// The variable.
        variable: String,
        /// The finding.
        why: String,
    },
    /// An instruction that no kernel would take.
    #[error("{place}: {why}")]
    Instruction {
        /// Place of the instruction.
        place: Place,
        /// The finding.
        why: String,
    },
}
