//! Kernel structures, laid out as in the object's own types. The object's instructions contain offsets from
//! these types.

use crate::btf::{Btf, MemberLocation, Type, TypeId};
use crate::error::ObjectProblem;
use crate::memory::{READ, READ_IN_WIDE_LOAD, WRITE, readable_bytes};
use std::ops::Range;
use std::sync::Arc;

/// Maximum size of a simulated structure in bytes. The kernel's `tcp_sock` has about 2500.
const MAX_STRUCTURE_BYTES: u64 = 1 << 16;

/// Socket members that a congestion control may write in the kernel, besides the private state.
pub(crate) const WRITABLE_MEMBERS: [&str; 9] = [
    "sk_pacing_rate",
    "sk_pacing_status",
    "icsk_ack.pending",
    "snd_cwnd",
    "snd_cwnd_cnt",
    "snd_cwnd_stamp",
    "snd_ssthresh",
    "ecn_flags",
    "app_limited",
];
/// Size of a congestion control's private state in bytes (`ICSK_CA_PRIV_SIZE`).
const PRIVATE_BYTES: u64 = 104;
/// Value in `owners` for the bytes of the private state.
const PRIVATE_OWNER: u16 = u16::MAX;

/// Location of a member of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    offset: u32,
    /// Size of the load or store, 1 to 8 bytes.
    bytes: u8,
    /// Bit offset of the member in the loaded word.
    shift: u8,
    /// Width of the member in bits.
    bits: u8,
    signed: bool,
}

/// Offsets of the structure members that the simulation sets, and a program's rights to read and write them.
///
/// If the object's types do not declare a member, the offset lies after the end of the structure. No program
/// can access this offset, and the simulation can set every member for every object.
#[derive(Clone, Debug)]
pub struct Layout {
    btf: Arc<Btf>,
    structure: Option<TypeId>,
    name: &'static str,
    /// Size of the structure in the object's types, in bytes.
    declared: u64,
    rights: Vec<u8>,
    /// Owner of each byte: 1 plus the index of a member in `fields`, [`PRIVATE_OWNER`], or 0 if programs cannot
    /// access the byte.
    owners: Vec<u16>,
    /// Access sizes permitted at each byte, as bit masks. The low four bits are loads, the high four bits
    /// stores.
    sizes: Vec<u8>,
    fields: Vec<(&'static str, Field)>,
    /// Byte range of the private state of a congestion control.
    private: Range<usize>,
}

impl Layout {
    /// Creates the layout of a structure in the object's types, without any readable member. If the types do
    /// not declare the structure, the layout has no bytes.
    pub(crate) fn new(btf: &Arc<Btf>, name: &'static str) -> Result<Layout, ObjectProblem> {
        let structure = btf.find_composite(name);
        let declared = structure.map_or(Ok(0), |id| btf.type_bytes(id))?;
        if declared > MAX_STRUCTURE_BYTES {
            let why = format!("struct {name} has {declared} bytes, expected at most {MAX_STRUCTURE_BYTES}");
            return Err(ObjectProblem::Types { section: ".BTF", why });
        }
        let rights = vec![0; declared as usize];
        Ok(Layout {
            btf: btf.clone(),
            structure,
            name,
            declared,
            owners: vec![0; rights.len()],
            rights,
            sizes: Vec::new(),
            fields: Vec::new(),
            private: 0..0,
        })
    }

    /// Makes the member at a path such as `inet_conn.icsk_ack.pending` readable, under the name `name`.
    pub(crate) fn add_readable(&mut self, name: &'static str, path: &str) -> Result<Field, ObjectProblem> {
        if let Some(field) = self.find_field(name) {
            return Ok(field);
        }
        let field = match self.locate_member(path)? {
            Some(located) => self.declared_field(path, located)?,
            None => self.hidden_field(),
        };
        self.fields.push((name, field));
        self.allow(&field, READ);
        Ok(field)
    }

    /// Makes the member at a path readable and writable.
    pub(crate) fn add_writable(&mut self, name: &'static str, path: &str) -> Result<Field, ObjectProblem> {
        let field = self.add_readable(name, path)?;
        self.allow(&field, WRITE);
        Ok(field)
    }

    /// Makes the private state of a congestion control at this path readable and writable.
    pub(crate) fn add_private_state(&mut self, path: &str) -> Result<(), ObjectProblem> {
        let Some(located) = self.locate_member(path)? else { return Ok(()) };
        let start = located.bit_offset / 8;
        let bytes = self.btf.type_bytes(located.type_id)?;
        let end = start.saturating_add(bytes.min(PRIVATE_BYTES));
        if start.saturating_add(bytes) > self.declared {
            return Err(self.outside(path));
        }
        self.private = start as usize..end as usize;
        self.rights[self.private.clone()].fill(READ | WRITE);
        self.owners[self.private.clone()].fill(PRIVATE_OWNER);
        Ok(())
    }

    /// Completes the layout after all members were added.
    pub(crate) fn complete(mut self) -> Arc<Layout> {
        self.owners.resize(self.rights.len(), 0);
        let mut sizes = vec![0; self.rights.len()];
        for (offset, allowed) in sizes.iter_mut().enumerate() {
            for size in 0..4 {
                *allowed |= u8::from(self.may_load(offset, 1 << size)) << size;
                *allowed |= u8::from(self.may_store(offset, 1 << size)) << (size + 4);
            }
        }
        self.sizes = sizes;
        Arc::new(self)
    }

    /// True if programs may load `bytes` bytes at once. The bytes must belong to one member, or to the word
    /// around a bitfield.
    fn may_load(&self, offset: usize, bytes: usize) -> bool {
        let Some(owners) = self.owners.get(offset..offset.saturating_add(bytes)) else { return false };
        let is_bitfield = |owner: &u16| {
            let field = self.fields.get(usize::from(*owner).wrapping_sub(1));
            field.is_some_and(|(_, field)| field.bits < field.bytes * 8)
        };
        let is_one = owners[0] != 0 && owners.iter().all(|owner| *owner == owners[0]);
        readable_bytes(&self.rights, &self.rights, offset, bytes).is_some()
            && (is_one || owners.iter().any(is_bitfield))
    }

    /// True if programs may store `bytes` bytes at once. A store must start at the first byte of a member and
    /// stay within the member (Linux, bpf_tcp_ca_btf_struct_access()). The private state permits any store.
    fn may_store(&self, offset: usize, bytes: usize) -> bool {
        let Some(owners) = self.owners.get(offset..offset.saturating_add(bytes)) else { return false };
        let is_one = owners[0] != 0 && owners.iter().all(|owner| *owner == owners[0]);
        let begins = owners[0] == PRIVATE_OWNER || offset == 0 || self.owners[offset - 1] != owners[0];
        is_one && begins && self.rights[offset..offset + bytes].iter().all(|right| right & WRITE != 0)
    }

    /// Returns the name of the simulated member that contains a bit; empty for the private state, `None` for
    /// all other bits.
    fn simulated_member_at(&self, bit: u64) -> Option<&'static str> {
        if self.private.contains(&((bit / 8) as usize)) {
            return Some("");
        }
        let has = |field: &Field| {
            let start = u64::from(field.offset) * 8 + u64::from(field.shift);
            (start..start + u64::from(field.bits)).contains(&bit)
        };
        self.fields.iter().find(|(_, field)| self.is_declared(*field) && has(field)).map(|(name, _)| *name)
    }

    /// True if programs may read the member that contains this bit.
    pub(crate) fn is_readable(&self, bit: u64) -> bool {
        self.simulated_member_at(bit).is_some()
    }

    /// True if programs may write the member that contains this bit.
    pub(crate) fn is_writable(&self, bit: u64) -> bool {
        self.simulated_member_at(bit).is_some_and(|name| name.is_empty() || WRITABLE_MEMBERS.contains(&name))
    }

    /// Returns the provided member with this name.
    pub fn find_field(&self, name: &str) -> Option<Field> {
        self.fields.iter().find(|(known, _)| *known == name).map(|(_, field)| *field)
    }

    /// True if the object's types declare a provided member. Programs can read only declared members.
    pub fn is_declared(&self, field: Field) -> bool {
        u64::from(field.offset) < self.declared
    }

    /// True if the object's types declare a member.
    pub(crate) fn declares(&self, path: &str) -> bool {
        matches!(self.locate_member(path), Ok(Some(_)))
    }

    /// Returns the size of an image in bytes.
    pub(crate) fn image_bytes(&self) -> usize {
        self.rights.len()
    }

    /// Returns the declared name of the member that contains a byte; `None` if no member contains the byte.
    pub(crate) fn member_name_at(&self, offset: u64) -> Option<String> {
        let member = self.btf.member_name_at(self.structure?, offset)?;
        Some(format!("{}.{member}", self.name))
    }

    fn locate_member(&self, path: &str) -> Result<Option<MemberLocation>, ObjectProblem> {
        self.structure.map_or(Ok(None), |id| self.btf.locate_member(id, path))
    }

    fn outside(&self, path: &str) -> ObjectProblem {
        let why = format!("{}.{path} extends beyond the {} bytes of its structure", self.name, self.declared);
        ObjectProblem::Types { section: ".BTF", why }
    }

    fn declared_field(&self, path: &str, located: MemberLocation) -> Result<Field, ObjectProblem> {
        let bytes = self.btf.type_bytes(located.type_id)?;
        let signed = matches!(
            self.btf.resolve_type(located.type_id)?.1,
            Type::Int { signed: true, .. } | Type::Enum { signed: true, .. }
        );
        if !matches!(bytes, 1 | 2 | 4 | 8) {
            let why = format!("{}.{path} has {bytes} bytes, expected a number", self.name);
            return Err(ObjectProblem::Types { section: ".BTF", why });
        }
        // A bitfield is stored in an aligned word of its type.
        let word = if located.bitfield_bits == 0 {
            located.bit_offset / 8
        } else {
            located.bit_offset / 8 / bytes * bytes
        };
        let shift = located.bit_offset - word * 8;
        let bits = if located.bitfield_bits == 0 { bytes * 8 } else { u64::from(located.bitfield_bits) };
        if shift + bits > bytes * 8 || word + bytes > self.declared {
            return Err(self.outside(path));
        }
        Ok(Field { offset: word as u32, bytes: bytes as u8, shift: shift as u8, bits: bits as u8, signed })
    }

    /// Allocates eight bytes after the end of the structure.
    fn hidden_field(&mut self) -> Field {
        let offset = self.rights.len().next_multiple_of(8);
        self.rights.resize(offset + 8, 0);
        Field { offset: offset as u32, bytes: 8, shift: 0, bits: 64, signed: true }
    }

    fn allow(&mut self, field: &Field, right: u8) {
        if !self.is_declared(*field) {
            return;
        }
        let start = field.offset as usize;
        for byte in &mut self.rights[start..start + usize::from(field.bytes)] {
            *byte |= right;
        }
        if let Some(number) = self.fields.iter().position(|(_, one)| one == field) {
            self.owners[start..start + usize::from(field.bytes)].fill(number as u16 + 1);
        }
        if field.bits < field.bytes * 8 {
            let word = start / 8 * 8;
            let end = (word + 8).min(self.declared as usize);
            for byte in &mut self.rights[word..end] {
                *byte |= READ_IN_WIDE_LOAD;
            }
        }
    }
}

/// Values of a kernel structure.
#[derive(Clone, Debug)]
pub struct StructImage {
    layout: Arc<Layout>,
    pub(crate) bytes: Box<[u8]>,
}

impl StructImage {
    /// Creates a structure with all bytes zero.
    pub fn new(layout: Arc<Layout>) -> StructImage {
        StructImage { bytes: vec![0; layout.image_bytes()].into(), layout }
    }

    /// Returns the layout of the members.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Returns the bytes of the structure as declared in the object's types.
    pub fn declared_bytes(&self) -> &[u8] {
        &self.bytes[..self.layout.declared as usize]
    }

    /// Returns the private state of a congestion control (`icsk_ca_priv`). Empty for other structures, and if
    /// the object does not declare the private state.
    pub fn private_state(&self) -> &[u8] {
        &self.bytes[self.layout.private.clone()]
    }

    /// Returns the value of a member. Signed members are sign-extended to 64 bits.
    #[inline]
    pub fn get(&self, field: Field) -> u64 {
        let word = self.word(field) >> field.shift;
        let unused = 64 - u32::from(field.bits);
        let top = word << unused;
        if field.signed { (top as i64 >> unused) as u64 } else { top >> unused }
    }

    /// Sets a member to the low bits of `value`.
    #[inline]
    pub fn set(&mut self, field: Field, value: u64) {
        if field.bits == field.bytes * 8 {
            return self.set_word(field, value);
        }
        let mask = (u64::MAX >> (64 - u32::from(field.bits))) << field.shift;
        self.set_word(field, self.word(field) & !mask | (value << field.shift) & mask);
    }

    /// Loads a number; `None` if the program may not read the member.
    #[inline(always)]
    pub(crate) fn load<const N: usize>(&self, offset: usize) -> Option<[u8; N]> {
        match self.layout.sizes.get(offset)? & N as u8 {
            0 => None,
            _ => self.bytes.get(offset..)?.first_chunk().copied(),
        }
    }

    /// Stores a number; `None` if the program may not write the member.
    #[inline(always)]
    pub(crate) fn store<const N: usize>(&mut self, offset: usize, bytes: [u8; N]) -> Option<()> {
        match self.layout.sizes.get(offset)? & (N as u8) << 4 {
            0 => None,
            _ => {
                *self.bytes.get_mut(offset..)?.first_chunk_mut()? = bytes;
                Some(())
            }
        }
    }

    /// Returns `length` bytes at `offset`; `None` if the program may not read all the bytes.
    #[inline(always)]
    pub(crate) fn readable_bytes(&self, offset: usize, length: usize) -> Option<&[u8]> {
        let is_one = length > 0 && self.layout.may_load(offset, length);
        if is_one { self.bytes.get(offset..offset + length) } else { None }
    }

    /// Returns `length` bytes at `offset`; `None` if the program may not write all the bytes.
    #[inline(always)]
    pub(crate) fn writable_bytes(&mut self, offset: usize, length: usize) -> Option<&mut [u8]> {
        let is_one = length > 0 && self.layout.may_store(offset, length);
        if is_one { self.bytes.get_mut(offset..offset + length) } else { None }
    }

    #[inline]
    fn word(&self, field: Field) -> u64 {
        let at = field.offset as usize;
        match field.bytes {
            1 => u64::from(self.bytes[at]),
            2 => u64::from(u16::from_le_bytes(self.array(at))),
            4 => u64::from(u32::from_le_bytes(self.array(at))),
            _ => u64::from_le_bytes(self.array(at)),
        }
    }

    #[inline]
    fn set_word(&mut self, field: Field, word: u64) {
        let at = field.offset as usize;
        match field.bytes {
            1 => self.bytes[at] = word as u8,
            2 => self.set_array(at, (word as u16).to_le_bytes()),
            4 => self.set_array(at, (word as u32).to_le_bytes()),
            _ => self.set_array(at, word.to_le_bytes()),
        }
    }

    #[inline]
    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        *self.bytes[at..].first_chunk().expect("a field lies in its structure")
    }

    #[inline]
    fn set_array<const N: usize>(&mut self, at: usize, bytes: [u8; N]) {
        *self.bytes[at..].first_chunk_mut().expect("a field lies in its structure") = bytes;
    }
}
