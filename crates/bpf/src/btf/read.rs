//! Parser of the section `.BTF`.

use super::{Btf, Member, Type, TypeId, btf_error};
use crate::error::ObjectProblem;

/// The first two bytes of `.BTF` and `.BTF.ext`.
pub(super) const MAGIC: u16 = 0xeb9f;

/// A sequence of 32-bit numbers.
pub(crate) struct WordReader<'a>(pub &'a [u8]);

impl WordReader<'_> {
    /// Returns the next number; `None` at the end.
    pub(crate) fn next_word(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*word))
    }
}

/// Returns a part of a section; `None` if the part extends beyond the section. `offset` counts from the end
/// of the header.
pub(crate) fn slice_section(section: &[u8], header: u32, offset: u32, length: u32) -> Option<&[u8]> {
    let start = (header as usize).checked_add(offset as usize)?;
    section.get(start..start.checked_add(length as usize)?)
}

/// Returns the length of the header and the words after the header.
pub(crate) fn parse_header(section: &[u8]) -> Result<(u32, WordReader<'_>), String> {
    let mut words = WordReader(section);
    let (Some(first), Some(length)) = (words.next_word(), words.next_word()) else {
        return Err(format!("{} bytes, too few for a header", section.len()));
    };
    let (magic, version) = (first as u16, (first >> 16) as u8);
    match (magic, version) {
        (MAGIC, 1) => Ok((length, words)),
        _ => Err(format!("begins with {magic:#06x}, version {version}, expected {MAGIC:#06x}, version 1")),
    }
}

impl Btf {
    /// Parses the section `.BTF`.
    pub(crate) fn read(section: &[u8]) -> Result<Btf, ObjectProblem> {
        let (length, mut words) = parse_header(section).map_err(btf_error)?;
        let mut field = || words.next_word().ok_or_else(|| btf_error("the header is truncated"));
        let (type_offset, type_length, string_offset, string_length) =
            (field()?, field()?, field()?, field()?);
        let beyond = || btf_error("its parts extend beyond its end");
        let types = slice_section(section, length, type_offset, type_length).ok_or_else(beyond)?;
        let strings = slice_section(section, length, string_offset, string_length).ok_or_else(beyond)?;
        let strings =
            String::from_utf8(strings.to_vec()).map_err(|_| btf_error("its strings are not UTF-8"))?;
        let mut btf = Btf { types: vec![Type::Void], strings };
        let mut words = WordReader(types);
        while !words.0.is_empty() {
            let number = btf.types.len();
            let kind = read_type(&mut words).map_err(|why| btf_error(format!("type {number}: {why}")))?;
            btf.types.push(kind);
        }
        Ok(btf)
    }
}

/// Reads the three common words of a type, and the extra data of its kind.
fn read_type(words: &mut WordReader<'_>) -> Result<Type, String> {
    let mut next = || words.next_word().ok_or("cut off");
    let (name, info, size_or_type) = (next()?, next()?, next()?);
    let (count, kind, flag) = (info & 0xffff, (info >> 24) & 0x1f, info >> 31 == 1);
    let target = TypeId(size_or_type);
    Ok(match kind {
        1 => {
            let encoding = next()?;
            Type::Int { bytes: size_or_type, signed: (encoding >> 24) & 1 == 1 }
        }
        2 => Type::Pointer(target),
        3 => {
            let (element, _index, count) = (TypeId(next()?), next()?, next()?);
            Type::Array { element, count }
        }
        4 | 5 => {
            let members = (0..count).map(|_| read_member(flag, &mut next)).collect::<Result<_, _>>()?;
            Type::Composite { name, bytes: size_or_type, members }
        }
        6 | 19 => {
            for _ in 0..count * if kind == 6 { 2 } else { 3 } {
                next()?;
            }
            Type::Enum { bytes: size_or_type, signed: flag }
        }
        7 | 12 => Type::Named,
        8..=11 | 18 => Type::Alias(target),
        13 => {
            for _ in 0..count * 2 {
                next()?;
            }
            Type::Prototype { parameters: count as usize }
        }
        14 => {
            next()?;
            Type::Variable { name, kind: target }
        }
        15 => {
            // The linker sets a variable's offset and size.
            let mut variable = || {
                let (variable, _offset, _bytes) = (next()?, next()?, next()?);
                Ok::<_, &str>(TypeId(variable))
            };
            let variables = (0..count).map(|_| variable()).collect::<Result<_, _>>()?;
            Type::Section { name, variables }
        }
        16 => Type::Float { bytes: size_or_type },
        17 => {
            next()?;
            Type::Named
        }
        other => return Err(format!("kind {other}, expected 1 to 19")),
    })
}

/// Reads a member of a structure. If `flag` is set, the offset word also contains the bitfield width.
fn read_member(
    flag: bool,
    next: &mut impl FnMut() -> Result<u32, &'static str>,
) -> Result<Member, &'static str> {
    let (name, kind, offset) = (next()?, TypeId(next()?), next()?);
    let (bits, bit_offset) = if flag { (offset >> 24, offset & 0xff_ffff) } else { (0, offset) };
    Ok(Member { name, type_id: kind, bit_offset, bitfield_bits: bits })
}
