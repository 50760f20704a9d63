//! BTF: type information of a BPF object (kernel documentation, bpf/btf).

mod ext;
mod read;
#[cfg(test)]
mod tests;

pub(crate) use ext::{LineInfo, ResolvedMember, for_each_record};
pub(crate) use read::{parse_header, slice_section};

use crate::error::ObjectProblem;

/// Maximum nesting of typedefs, arrays and anonymous structures. A deeper nesting counts as a loop.
const MAX_NESTING_DEPTH: usize = 32;
/// Maximum number of members visited in the search for one name. The kernel's `tcp_sock`, with embedded
/// structures, has about 1500 members.
const MAX_VISITED_MEMBERS: usize = 1 << 16;

/// Maximum length of a name or file path in bytes.
const MAX_NAME_BYTES: usize = 1024;

/// Name, as an offset in the string section.
pub(crate) type NameOffset = u32;

/// Number of a type; 0 is `void`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TypeId(pub u32);

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    Void,
    Int {
        bytes: u32,
        signed: bool,
    },
    Float {
        bytes: u32,
    },
    Pointer(TypeId),
    Array {
        element: TypeId,
        count: u32,
    },
    /// Structure or union.
    Composite {
        name: NameOffset,
        bytes: u32,
        members: Vec<Member>,
    },
    Enum {
        bytes: u32,
        signed: bool,
    },
    /// Typedef or qualifier.
    Alias(TypeId),
    /// Forward declaration, tag or function.
    Named,
    Prototype {
        parameters: usize,
    },
    Variable {
        name: NameOffset,
        kind: TypeId,
    },
    /// Section with its variables.
    Section {
        name: NameOffset,
        variables: Vec<TypeId>,
    },
}

/// Member of a structure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Member {
    /// Name of the member; empty for an anonymous struct or union (C11).
    pub name: NameOffset,
    pub type_id: TypeId,
    pub bit_offset: u32,
    /// Bitfield width in bits; 0 for other members.
    pub bitfield_bits: u32,
}

/// Types of a BPF object.
#[derive(Debug)]
pub(crate) struct Btf {
    types: Vec<Type>,
    strings: String,
}

/// Location of a member in a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemberLocation {
    pub type_id: TypeId,
    pub bit_offset: u64,
    /// Bitfield width in bits; 0 for other members.
    pub bitfield_bits: u32,
}

/// Returns the string at offset `at` of the string section; `None` if the string has no terminating zero.
pub(crate) fn string_at(strings: &[u8], at: u32) -> Option<&[u8]> {
    let rest = strings.get(at as usize..)?;
    rest.iter().position(|&byte| byte == 0).map(|end| &rest[..end])
}

/// Returns the error for an invalid section `.BTF`.
pub(crate) fn btf_error(why: impl Into<String>) -> ObjectProblem {
    ObjectProblem::Types { section: ".BTF", why: why.into() }
}

impl Btf {
    /// Returns the type with this number, after resolving typedefs and qualifiers.
    pub(crate) fn resolve_type(&self, mut id: TypeId) -> Result<(TypeId, &Type), ObjectProblem> {
        for _ in 0..MAX_NESTING_DEPTH {
            match self.types.get(id.0 as usize) {
                Some(Type::Alias(next)) => id = *next,
                Some(kind) => return Ok((id, kind)),
                None => {
                    return Err(btf_error(format!(
                        "type {} is used, but only {} types exist",
                        id.0,
                        self.types.len()
                    )));
                }
            }
        }
        Err(btf_error(format!("type {} has too many levels of names, or is a cycle of names", id.0)))
    }

    /// Returns the structure or union with this name; `None` if the object has no such type.
    pub(crate) fn find_composite(&self, wanted: &str) -> Option<TypeId> {
        let is =
            |kind: &Type| matches!(kind, Type::Composite { name, .. } if self.name_equals(*name, wanted));
        self.types.iter().position(is).map(|index| TypeId(index as u32))
    }

    /// Returns the types of the variables of a section.
    pub(crate) fn section_variables(&self, wanted: &str) -> &[TypeId] {
        let variables = self.types.iter().find_map(|kind| match kind {
            Type::Section { name, variables } if self.name_equals(*name, wanted) => {
                Some(variables.as_slice())
            }
            _ => None,
        });
        variables.unwrap_or_default()
    }

    /// Returns the name and the type of a variable.
    pub(crate) fn variable(&self, id: TypeId) -> Result<(&str, TypeId), ObjectProblem> {
        match self.types.get(id.0 as usize) {
            Some(Type::Variable { name, kind }) => Ok((self.name_text(*name), *kind)),
            _ => Err(btf_error(format!("type {} is not a variable", id.0))),
        }
    }

    /// Returns the size of a type in bytes.
    pub(crate) fn type_bytes(&self, id: TypeId) -> Result<u64, ObjectProblem> {
        let (mut id, mut count) = (id, 1_u64);
        for _ in 0..MAX_NESTING_DEPTH {
            let bytes = match self.resolve_type(id)?.1 {
                Type::Int { bytes, .. } | Type::Float { bytes } | Type::Enum { bytes, .. } => *bytes,
                Type::Composite { bytes, .. } => *bytes,
                Type::Pointer(_) => 8,
                Type::Array { element, count: n } => {
                    count = count.saturating_mul(u64::from(*n));
                    id = *element;
                    continue;
                }
                _ => return Err(btf_error(format!("type {} has no size", id.0))),
            };
            return Ok(count.saturating_mul(u64::from(bytes)));
        }
        Err(btf_error(format!("type {} has too many levels of arrays, or is a cycle of arrays", id.0)))
    }

    /// Returns the members of a structure.
    pub(crate) fn members(&self, id: TypeId) -> Result<&[Member], ObjectProblem> {
        match self.resolve_type(id)?.1 {
            Type::Composite { members, .. } => Ok(members),
            _ => Err(btf_error(format!("type {} is not a structure", id.0))),
        }
    }

    /// Returns the location of the member at a path such as `icsk_ack.pending` or `s[0].v`; `None` if there
    /// is no such member.
    pub(crate) fn locate_member(
        &self,
        structure: TypeId,
        path: &str,
    ) -> Result<Option<MemberLocation>, ObjectProblem> {
        let mut at = MemberLocation { type_id: structure, bit_offset: 0, bitfield_bits: 0 };
        for step in path.split('.') {
            let (name, index) = match step.strip_suffix(']').and_then(|step| step.split_once('[')) {
                Some((name, index)) => (name, index.parse::<u32>().ok()),
                None => (step, None),
            };
            let mut looked_at = 0;
            let Some(member) = self.find_member(at.type_id, name, 0, &mut looked_at)? else {
                return Ok(None);
            };
            at = MemberLocation { bit_offset: at.bit_offset + member.bit_offset, ..member };
            if let Some(index) = index {
                let (_, Type::Array { element, count }) = self.resolve_type(at.type_id)? else {
                    return Ok(None);
                };
                if index >= *count {
                    return Ok(None);
                }
                at.bit_offset +=
                    u64::from(index).saturating_mul(self.type_bytes(*element)?.saturating_mul(8));
                at.type_id = *element;
            }
        }
        Ok(Some(at))
    }

    /// Finds a member of a structure, including members of anonymous structures.
    fn find_member(
        &self,
        id: TypeId,
        name: &str,
        depth: usize,
        looked_at: &mut usize,
    ) -> Result<Option<MemberLocation>, ObjectProblem> {
        let (id, Type::Composite { members, .. }) = self.resolve_type(id)? else { return Ok(None) };
        for member in members {
            *looked_at += 1;
            if depth > MAX_NESTING_DEPTH || *looked_at > MAX_VISITED_MEMBERS {
                return Err(btf_error(format!(
                    "structure {} has too many members, or contains itself",
                    id.0
                )));
            }
            let bit_offset = u64::from(member.bit_offset);
            if !name.is_empty() && self.name_equals(member.name, name) {
                return Ok(Some(MemberLocation {
                    type_id: member.type_id,
                    bit_offset,
                    bitfield_bits: member.bitfield_bits,
                }));
            }
            if self.name_equals(member.name, "")
                && let Some(inner) = self.find_member(member.type_id, name, depth + 1, looked_at)?
            {
                return Ok(Some(MemberLocation { bit_offset: bit_offset + inner.bit_offset, ..inner }));
            }
        }
        Ok(None)
    }

    /// Returns the name of the member at an offset of a structure, for messages: `icsk_ack.pending`.
    pub(crate) fn member_name_at(&self, structure: TypeId, offset: u64) -> Option<String> {
        let (mut id, mut offset, mut path) = (structure, offset, String::new());
        for _ in 0..MAX_NESTING_DEPTH {
            match self.resolve_type(id).ok()?.1 {
                Type::Composite { members, .. } => {
                    let holds = |member: &&Member| {
                        let start = u64::from(member.bit_offset / 8);
                        offset >= start && offset - start < self.type_bytes(member.type_id).unwrap_or(0)
                    };
                    let member = members.iter().find(holds)?;
                    path = match (path.as_str(), self.name_text(member.name)) {
                        (_, "") => path,
                        ("", name) => name.to_owned(),
                        (path, name) => format!("{path}.{name}"),
                    };
                    offset -= u64::from(member.bit_offset / 8);
                    id = member.type_id;
                }
                Type::Array { element, .. } => {
                    offset %= self.type_bytes(*element).ok()?.max(1);
                    id = *element;
                }
                _ => return Some(path),
            }
        }
        None
    }

    /// True if a name equals `wanted`.
    pub(crate) fn name_equals(&self, name: NameOffset, wanted: &str) -> bool {
        let rest = self.strings.get(name as usize..).and_then(|rest| rest.strip_prefix(wanted));
        rest.is_some_and(|rest| rest.starts_with('\0'))
    }

    /// Returns the text of a name; empty if the name is missing or too long.
    pub(crate) fn name_text(&self, name: NameOffset) -> &str {
        let rest = self.strings.get(name as usize..).unwrap_or_default();
        let end = rest.bytes().take(MAX_NAME_BYTES).position(|byte| byte == 0);
        end.map_or("", |end| &rest[..end])
    }
}
