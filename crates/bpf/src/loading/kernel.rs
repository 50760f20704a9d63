//! Types of a running kernel (`/sys/kernel/btf/vmlinux`). bpf(2) requires the type numbers of functions and
//! structures.

use crate::btf::{parse_header, slice_section, string_at};

/// BTF kind of a structure.
const BTF_KIND_STRUCT: u32 = 4;
const BTF_KIND_FUNC: u32 = 12;

/// The types of a kernel.
#[derive(Debug)]
pub struct KernelTypes {
    types: Vec<u8>,
    strings: Vec<u8>,
    /// Byte offset of each type; type 0 is `void`.
    at: Vec<usize>,
}

/// Callback structure (struct_ops) of the kernel, and the structure of the map's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructOps {
    /// Type number of the structure.
    pub id: u32,
    /// Type number of the map's value, a structure that contains the callback structure.
    pub value_type_id: u32,
    /// Size of the map's value in bytes.
    pub value_bytes: u32,
    /// Offset of the callback structure in the map's value, in bytes.
    pub data_offset: u32,
    /// Members of the callback structure: name and byte offset.
    pub member_offsets: Vec<(String, u32)>,
}

impl KernelTypes {
    /// Parses a BTF file such as `/sys/kernel/btf/vmlinux`.
    ///
    /// # Errors
    ///
    /// Returns a message if the file is damaged.
    pub fn read(file: &[u8]) -> Result<KernelTypes, String> {
        let (length, mut words) = parse_header(file)?;
        let mut field = || words.next_word().ok_or("the header is truncated");
        let (types, type_bytes, strings, string_bytes) = (field()?, field()?, field()?, field()?);
        let beyond = "its parts extend beyond its end";
        let types = slice_section(file, length, types, type_bytes).ok_or(beyond)?.to_vec();
        let strings = slice_section(file, length, strings, string_bytes).ok_or(beyond)?.to_vec();
        let (mut at, mut place) = (vec![usize::MAX], 0);
        while let Some(info) = read_u32(&types, place + 4) {
            at.push(place);
            place += 12 + trailing_bytes(info)?;
        }
        Ok(KernelTypes { types, strings, at })
    }

    /// Returns the type number of a function; `None` if the kernel has no such function.
    pub fn function_type_id(&self, name: &str) -> Option<u32> {
        self.find_type(BTF_KIND_FUNC, name)
    }

    /// Returns a callback structure such as `tcp_congestion_ops`; `None` if the kernel has no such structure.
    pub fn struct_ops(&self, name: &str) -> Option<StructOps> {
        let (id, value_id) = (
            self.find_type(BTF_KIND_STRUCT, name)?,
            self.find_type(BTF_KIND_STRUCT, &format!("bpf_struct_ops_{name}"))?,
        );
        let data_at = self.member_offsets(value_id)?.into_iter().find(|(name, _)| name == "data")?.1;
        let value_bytes = read_u32(&self.types, self.at[value_id as usize] + 8)?;
        Some(StructOps {
            id,
            value_type_id: value_id,
            value_bytes,
            data_offset: data_at,
            member_offsets: self.member_offsets(id)?,
        })
    }

    fn find_type(&self, kind: u32, name: &str) -> Option<u32> {
        let is = |&place: &usize| {
            let info = read_u32(&self.types, place.wrapping_add(4)).unwrap_or(0);
            let called = || string_at(&self.strings, read_u32(&self.types, place)?);
            (info >> 24) & 0x1f == kind && called() == Some(name.as_bytes())
        };
        self.at.iter().position(is).map(|index| index as u32)
    }

    fn member_offsets(&self, id: u32) -> Option<Vec<(String, u32)>> {
        let place = *self.at.get(id as usize)?;
        let count = read_u32(&self.types, place + 4)? & 0xffff;
        let member = |number: u32| {
            let at = place + 12 + 12 * number as usize;
            let name = string_at(&self.strings, read_u32(&self.types, at)?)?;
            // These structures have no bitfields; for a bitfield the word would also contain the width.
            Some((
                String::from_utf8_lossy(name).into_owned(),
                (read_u32(&self.types, at + 8)? & 0xff_ffff) / 8,
            ))
        };
        (0..count).map(member).collect()
    }
}

/// Returns the number of bytes after the three common words of a type (kernel documentation, bpf/btf).
pub(super) fn trailing_bytes(info: u32) -> Result<usize, String> {
    let count = (info & 0xffff) as usize;
    Ok(match (info >> 24) & 0x1f {
        1 | 14 | 17 => 4,
        2 | 7..=12 | 16 | 18 => 0,
        3 => 12,
        4 | 5 | 15 | 19 => 12 * count,
        6 | 13 => 8 * count,
        other => return Err(format!("a type of kind {other}, expected 1 to 19")),
    })
}

/// Returns the word at an offset; `None` beyond the end.
pub(super) fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|word| u32::from_le_bytes(*word))
}
