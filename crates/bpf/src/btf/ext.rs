//! Section `.BTF.ext`: source lines of instructions, and CO-RE relocations.

use super::read::{WordReader, parse_header, slice_section};
use super::{Btf, NameOffset, Type, TypeId};
use crate::error::ObjectProblem;
use std::collections::BTreeSet;

/// Source line of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineInfo {
    pub section: NameOffset,
    /// Offset of the instruction in the section, in bytes.
    pub offset: u32,
    pub file: NameOffset,
    pub line: u32,
}

/// Member of a structure that an instruction accesses (CO-RE).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResolvedMember {
    pub structure: String,
    /// Path of the member within the structure.
    pub path: String,
    pub bit_offset: u64,
    /// True if the member is a number or a pointer, not a nested structure.
    pub is_scalar: bool,
    /// Bitfield width in bits; 0 for other members.
    pub bitfield_bits: u64,
    /// Size of the member's type in bytes.
    pub type_bytes: u64,
}

/// Returns the error for a section that contradicts its header.
fn btf_ext_error(why: impl Into<String>) -> ObjectProblem {
    ObjectProblem::Types { section: ".BTF.ext", why: why.into() }
}

impl Btf {
    /// Returns the line records of the section `.BTF.ext`, in their order.
    pub(crate) fn parse_line_info(&self, section: &[u8]) -> Result<Vec<LineInfo>, ObjectProblem> {
        let mut lines = Vec::new();
        for_each_record(section, 1, |section, record| {
            let [offset, file, _text, position, ..] = *record else {
                return Err(btf_ext_error("line records are truncated"));
            };
            lines.push(LineInfo { section, offset, file, line: position >> 10 });
            Ok(())
        })?;
        Ok(lines)
    }

    /// Returns the names of the structures in CO-RE relocations. A loader would look up these names in the
    /// kernel's types.
    pub(crate) fn relocated_structure_names(&self, section: &[u8]) -> Result<Vec<String>, ObjectProblem> {
        let mut structures = BTreeSet::new();
        for_each_record(section, 2, |_, record| {
            let [_offset, structure, ..] = *record else {
                return Err(btf_ext_error("CO-RE records are truncated"));
            };
            structures.insert(structure);
            Ok(())
        })?;
        let name = |structure| match self.resolve_type(TypeId(structure)) {
            Ok((_, Type::Composite { name, .. })) => Some(self.name_text(*name).to_owned()),
            _ => None,
        };
        Ok(structures.into_iter().filter_map(name).collect())
    }
}

impl Btf {
    /// Returns the member that an access string such as `0:3:1` selects in a structure. After the leading 0,
    /// each number is a member index or an array index. Returns `None` if the string selects no member, or if
    /// it does not begin with 0.
    pub(crate) fn resolve_member(
        &self,
        root: u32,
        path: NameOffset,
    ) -> Result<Option<ResolvedMember>, ObjectProblem> {
        let (mut at, Type::Composite { name, .. }) = self.resolve_type(TypeId(root))? else {
            return Ok(None);
        };
        let (structure, mut names) = (self.name_text(*name).to_owned(), String::new());
        let (mut bit_offset, mut bits) = (0_u64, 0);
        let mut steps = self.name_text(path).split(':').map(str::parse::<u32>);
        if !matches!(steps.next(), Some(Ok(0))) {
            return Ok(None);
        }
        for step in steps {
            let Ok(step) = step else { return Ok(None) };
            match self.resolve_type(at)?.1 {
                Type::Composite { members, .. } => {
                    let Some(member) = members.get(step as usize) else { return Ok(None) };
                    let name = self.name_text(member.name);
                    names.push_str(if names.is_empty() || name.is_empty() { "" } else { "." });
                    names.push_str(name);
                    bit_offset = bit_offset.saturating_add(member.bit_offset.into());
                    (at, bits) = (member.type_id, member.bitfield_bits);
                }
                Type::Array { element, .. } => {
                    names.push_str(&format!("[{step}]"));
                    let width = self.type_bytes(*element)?.saturating_mul(8);
                    bit_offset = bit_offset.saturating_add(u64::from(step).saturating_mul(width));
                    (at, bits) = (*element, 0);
                }
                _ => return Ok(None),
            }
            if names.len() > super::MAX_NAME_BYTES {
                return Ok(None);
            }
        }
        let is_scalar =
            matches!(self.resolve_type(at)?.1, Type::Int { .. } | Type::Enum { .. } | Type::Pointer(_));
        let bytes = if bits == 0 { 0 } else { self.type_bytes(at)? };
        Ok(Some(ResolvedMember {
            structure,
            path: names,
            bit_offset,
            is_scalar,
            bitfield_bits: bits.into(),
            type_bytes: bytes,
        }))
    }
}

/// Reads the records of a table. Table 0 contains functions, table 1 lines, and table 2 CO-RE relocations.
pub(crate) fn for_each_record(
    section: &[u8],
    table: usize,
    mut each: impl FnMut(u32, &[u32]) -> Result<(), ObjectProblem>,
) -> Result<(), ObjectProblem> {
    let (length, mut words) = parse_header(section).map_err(btf_ext_error)?;
    for _ in 0..table * 2 {
        words.next_word();
    }
    let within_header = length >= 8 * (table as u32 + 2);
    let (Some(offset), Some(bytes), true) = (words.next_word(), words.next_word(), within_header) else {
        return Ok(());
    };
    let records = slice_section(section, length, offset, bytes)
        .ok_or_else(|| btf_ext_error("its tables extend beyond its end"))?;
    let mut words = WordReader(records);
    let Some(record_bytes) = words.next_word() else { return Ok(()) };
    if !(8..=256).contains(&record_bytes) || record_bytes % 4 != 0 {
        return Err(btf_ext_error(format!("records of {record_bytes} bytes")));
    }
    let mut record = vec![0; record_bytes as usize / 4];
    while let (Some(name), Some(count)) = (words.next_word(), words.next_word()) {
        for _ in 0..count {
            for word in &mut record {
                *word = words.next_word().ok_or_else(|| btf_ext_error("its records are truncated"))?;
            }
            each(name, &record)?;
        }
    }
    Ok(())
}
