//! The members of the kernel's structures that a program names (CO-RE): which are simulated, and which it may write, is known before it runs.

use crate::bitfields;
use crate::btf::{Btf, Reached, records};
use crate::elf::Elf;
use crate::error::Problem;
use crate::instruction::{Instruction, Op};
use crate::kernel::Layout;
use crate::linking::Linking;
use std::collections::{BTreeMap, BTreeSet};

/// `BPF_CORE_FIELD_BYTE_OFFSET`: the instruction holds where the member is.
const BYTE_OFFSET: u32 = 0;

/// An instruction that names a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// The instruction's number.
    pub at: usize,
    /// The structure that the program names it by.
    pub structure: String,
    /// The member's name, from that structure on.
    pub path: String,
    /// The member's first bit in that structure.
    pub bit_offset: u64,
    /// A number or a pointer, and no structure of its own.
    pub is_scalar: bool,
}

/// Returns all such instructions of an object, in the order of its code.
pub(crate) fn read(elf: &Elf, btf: &Btf, linking: &Linking<'_>) -> Result<Vec<Named>, Problem> {
    let mut named = Vec::new();
    each(elf, btf, linking, |at, kind, reached| {
        let Reached { structure, path, bit_offset, is_scalar, .. } = reached;
        if kind == BYTE_OFFSET {
            named.push(Named { at, structure, path, bit_offset, is_scalar });
        }
    })?;
    named.sort_by_key(|one| one.at);
    Ok(named)
}

/// Relocates instructions that name bitfields as a kernel does. The other instructions are complete in the object.
pub(crate) fn place_bitfields(
    elf: &Elf,
    btf: &Btf,
    linking: &Linking<'_>,
    code: &mut [Option<Instruction>],
) -> Result<(), Problem> {
    each(elf, btf, linking, |at, kind, reached| {
        let Some(Some(instruction)) = code.get_mut(at) else { return };
        let Some(value) = bitfields::value(kind, &reached) else { return };
        match is_load(instruction.op) || is_store(instruction.op) {
            true => instruction.offset = value as i32,
            false => instruction.immediate = value as i64,
        }
    })
}

/// Goes through the CO-RE records: the number of an instruction, the kind of relocation (`enum bpf_core_relo_kind`),
/// and the member.
fn each(
    elf: &Elf,
    btf: &Btf,
    linking: &Linking<'_>,
    mut found: impl FnMut(usize, u32, Reached),
) -> Result<(), Problem> {
    let Some((_, ext)) = elf.section(".BTF.ext") else { return Ok(()) };
    let codes: BTreeMap<&str, usize> =
        elf.code().map(|(index, s)| (s.name.as_str(), linking.code_of[&index])).collect();
    records(&ext.bytes, 2, |section, record| {
        let [offset, root, path, kind, ..] = *record else { return Ok(()) };
        let Some(code) = codes.get(btf.text(section)) else { return Ok(()) };
        if let Some(reached) = btf.reached(root, path)? {
            found(code + offset as usize / 8, kind, reached);
        }
        Ok(())
    })
}

/// Returns the first instruction of these functions that names a member of a layout's structure which is not simulated,
/// or stores to one that programs may not write: its number, and the reason.
pub(crate) fn refuse(
    named: &[Named],
    code: &[Instruction],
    in_program: impl Fn(usize) -> bool,
    structures: &[&str],
    layout: &Layout,
) -> Option<(usize, String)> {
    let mut seen = BTreeSet::new();
    let ours = named.iter().filter(|one| one.is_scalar && structures.contains(&one.structure.as_str()));
    for one in ours.filter(|one| in_program(one.at)) {
        let Named { at, structure, path, .. } = one;
        let stores = code.get(*at).is_some_and(|instruction| is_store(instruction.op));
        if stores && !layout.is_writable(one.bit_offset) {
            return Some((
                *at,
                format!("writes {structure}.{path}, which a kernel lets no congestion control write"),
            ));
        }
        if !layout.is_provided(one.bit_offset) && seen.insert(path) {
            let why = format!(
                "reads {structure}.{path}, which is not simulated (docs/bpf-objects.md has the list)"
            );
            return Some((*at, why));
        }
    }
    None
}

fn is_load(op: Op) -> bool {
    use Op::*;
    matches!(op, Load8 | Load16 | Load32 | Load64 | Load8Signed | Load16Signed | Load32Signed)
}

fn is_store(op: Op) -> bool {
    matches!(op, Op::Store8 | Op::Store16 | Op::Store32 | Op::Store64 | Op::Atomic32(_) | Op::Atomic64(_))
}
