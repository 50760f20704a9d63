//! Kernel struct members that a program accesses (CO-RE). Checks before a run reject members that Airhop does
//! not simulate, and stores to read-only members.

use crate::bitfields;
use crate::btf::{Btf, ResolvedMember, for_each_record};
use crate::elf::Elf;
use crate::error::ObjectProblem;
use crate::instruction::{Instruction, Op};
use crate::kernel::Layout;
use crate::linking::SymbolResolver;
use std::collections::{BTreeMap, BTreeSet};

/// `BPF_CORE_FIELD_BYTE_OFFSET`: the instruction contains the byte offset of the member.
const BPF_CORE_FIELD_BYTE_OFFSET: u32 = 0;

/// Instruction that accesses a struct member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemberAccess {
    /// Index of the instruction.
    pub instruction_index: usize,
    /// Name of the structure in the program.
    pub structure: String,
    /// Path of the member within the structure.
    pub path: String,
    /// Offset of the member's first bit in the structure.
    pub bit_offset: u64,
    /// True if the member is a number or a pointer, not a nested structure.
    pub is_scalar: bool,
}

/// Returns all instructions of an object that access struct members, in code order.
pub(crate) fn find_member_accesses(
    elf: &Elf,
    btf: &Btf,
    linking: &SymbolResolver<'_>,
) -> Result<Vec<MemberAccess>, ObjectProblem> {
    let mut named = Vec::new();
    for_each_relocation(elf, btf, linking, |at, kind, reached| {
        let ResolvedMember { structure, path, bit_offset, is_scalar, .. } = reached;
        if kind == BPF_CORE_FIELD_BYTE_OFFSET {
            named.push(MemberAccess { instruction_index: at, structure, path, bit_offset, is_scalar });
        }
    })?;
    named.sort_by_key(|one| one.instruction_index);
    Ok(named)
}

/// Relocates bitfield accesses, as a kernel does. Other member accesses already have their offsets.
pub(crate) fn relocate_bitfields(
    elf: &Elf,
    btf: &Btf,
    linking: &SymbolResolver<'_>,
    code: &mut [Option<Instruction>],
) -> Result<(), ObjectProblem> {
    for_each_relocation(elf, btf, linking, |at, kind, reached| {
        let Some(Some(instruction)) = code.get_mut(at) else { return };
        let Some(value) = bitfields::relocated_value(kind, &reached) else { return };
        match is_load(instruction.op) || is_store(instruction.op) {
            true => instruction.offset = value as i32,
            false => instruction.immediate = value as i64,
        }
    })
}

/// Calls `found` for each CO-RE record with the instruction index, the relocation kind (`enum
/// bpf_core_relo_kind`) and the member.
fn for_each_relocation(
    elf: &Elf,
    btf: &Btf,
    linking: &SymbolResolver<'_>,
    mut found: impl FnMut(usize, u32, ResolvedMember),
) -> Result<(), ObjectProblem> {
    let Some((_, ext)) = elf.section(".BTF.ext") else { return Ok(()) };
    let codes: BTreeMap<&str, usize> =
        elf.code_sections().map(|(index, s)| (s.name.as_str(), linking.section_starts[&index])).collect();
    for_each_record(&ext.bytes, 2, |section, record| {
        let [offset, root, path, kind, ..] = *record else { return Ok(()) };
        let Some(code) = codes.get(btf.name_text(section)) else { return Ok(()) };
        if let Some(reached) = btf.resolve_member(root, path)? {
            found(code + offset as usize / 8, kind, reached);
        }
        Ok(())
    })
}

/// Returns the index of the first forbidden instruction in these functions, and the reason. An instruction is
/// forbidden if it accesses a member that is not simulated, or stores to a read-only member.
pub(crate) fn find_forbidden_access(
    named: &[MemberAccess],
    code: &[Instruction],
    in_program: impl Fn(usize) -> bool,
    structures: &[&str],
    layout: &Layout,
) -> Option<(usize, String)> {
    let mut seen = BTreeSet::new();
    let ours = named.iter().filter(|one| one.is_scalar && structures.contains(&one.structure.as_str()));
    for one in ours.filter(|one| in_program(one.instruction_index)) {
        let MemberAccess { instruction_index: at, structure, path, .. } = one;
        let stores = code.get(*at).is_some_and(|instruction| is_store(instruction.op));
        if stores && !layout.is_writable(one.bit_offset) {
            return Some((
                *at,
                format!("writes {structure}.{path}, which no congestion control may write in a kernel"),
            ));
        }
        if !layout.is_readable(one.bit_offset) && seen.insert(path) {
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
