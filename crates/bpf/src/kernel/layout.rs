//! Structures of the kernel, each laid out as the object's own types have it: its instructions hold these offsets.

use crate::btf::{Btf, Located, Type, TypeId};
use crate::error::Problem;
use crate::memory::{ALONG, READ, WRITE, readable};
use std::ops::Range;
use std::sync::Arc;

/// The largest structure that is simulated, in bytes: vmlinux's tcp_sock has some 2500.
const LARGEST: u64 = 1 << 16;

/// Members of a socket that the kernel lets a congestion control write, beside its own state.
pub(crate) const WRITABLE: [&str; 9] = [
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
/// Bytes of the state of a congestion control (`ICSK_CA_PRIV_SIZE`).
const PRIVATE_BYTES: u64 = 104;
/// Owner of a byte of that state.
const PRIVATE: u16 = u16::MAX;

/// A member of a structure, found once by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    offset: u32,
    /// Bytes of a load or store: 1 to 8.
    bytes: u8,
    /// Bits below the member's own.
    shift: u8,
    /// Bits of the member.
    bits: u8,
    signed: bool,
}

/// Offsets of the members of a structure that the simulation fills in, and a program's rights to read and write them.
///
/// A member that the object's types do not declare has a place after the structure's end, where no program reaches it:
/// the code that fills in the structure need not depend on the members that an object uses.
#[derive(Clone, Debug)]
pub struct Layout {
    btf: Arc<Btf>,
    structure: Option<TypeId>,
    name: &'static str,
    /// Bytes of the structure itself.
    declared: u64,
    rights: Vec<u8>,
    /// Owner of each byte: a member, by its number among `fields` from 1 on; [`PRIVATE`]; 0 for a byte that no program reaches.
    owners: Vec<u16>,
    /// Owners by the size of an access, of a layout that is complete.
    sizes: Vec<u8>,
    fields: Vec<(&'static str, Field)>,
    /// Range of the state of a congestion control.
    private: Range<usize>,
}

impl Layout {
    /// Creates a structure of the object's types, of which nothing can be read yet. Types that do not declare it give one with no bytes.
    pub(crate) fn new(btf: &Arc<Btf>, name: &'static str) -> Result<Layout, Problem> {
        let structure = btf.composite(name);
        let declared = structure.map_or(Ok(0), |id| btf.size(id))?;
        if declared > LARGEST {
            let why = format!("struct {name} has {declared} bytes, where {LARGEST} are simulated");
            return Err(Problem::Types { section: ".BTF", why });
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

    /// Makes a member readable that is called `name` from now on and found by a path such as `inet_conn.icsk_ack.pending`.
    pub(crate) fn provide(&mut self, name: &'static str, path: &str) -> Result<Field, Problem> {
        if let Some(field) = self.get(name) {
            return Ok(field);
        }
        let field = match self.locate(path)? {
            Some(located) => self.declared_field(path, located)?,
            None => self.hidden_field(),
        };
        self.fields.push((name, field));
        self.allow(&field, READ);
        Ok(field)
    }

    /// Makes a member readable and writable.
    pub(crate) fn provide_writable(&mut self, name: &'static str, path: &str) -> Result<Field, Problem> {
        let field = self.provide(name, path)?;
        self.allow(&field, WRITE);
        Ok(field)
    }

    /// Makes the state of a congestion control readable and writable, by its path.
    pub(crate) fn provide_private(&mut self, path: &str) -> Result<(), Problem> {
        let Some(located) = self.locate(path)? else { return Ok(()) };
        let start = located.bit_offset / 8;
        let bytes = self.btf.size(located.kind)?;
        let end = start.saturating_add(bytes.min(PRIVATE_BYTES));
        if start.saturating_add(bytes) > self.declared {
            return Err(self.outside(path));
        }
        self.private = start as usize..end as usize;
        self.rights[self.private.clone()].fill(READ | WRITE);
        self.owners[self.private.clone()].fill(PRIVATE);
        Ok(())
    }

    /// Returns the layout with all its members.
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

    /// True if programs may load this many bytes at once: those of one member; with a bitfield the bytes around it.
    fn may_load(&self, offset: usize, bytes: usize) -> bool {
        let Some(owners) = self.owners.get(offset..offset.saturating_add(bytes)) else { return false };
        let is_bitfield = |owner: &u16| {
            let field = self.fields.get(usize::from(*owner).wrapping_sub(1));
            field.is_some_and(|(_, field)| field.bits < field.bytes * 8)
        };
        let is_one = owners[0] != 0 && owners.iter().all(|owner| *owner == owners[0]);
        readable(&self.rights, &self.rights, offset, bytes).is_some()
            && (is_one || owners.iter().any(is_bitfield))
    }

    /// True if programs may store this many bytes at once: those of one member, from its first byte on (Linux,
    /// bpf_tcp_ca_btf_struct_access()); in the state of a congestion control anywhere.
    fn may_store(&self, offset: usize, bytes: usize) -> bool {
        let Some(owners) = self.owners.get(offset..offset.saturating_add(bytes)) else { return false };
        let is_one = owners[0] != 0 && owners.iter().all(|owner| *owner == owners[0]);
        let begins = owners[0] == PRIVATE || offset == 0 || self.owners[offset - 1] != owners[0];
        is_one && begins && self.rights[offset..offset + bytes].iter().all(|right| right & WRITE != 0)
    }

    /// Returns the name of the member that has a bit, if it is simulated; empty for the state of a congestion control.
    fn provided_at(&self, bit: u64) -> Option<&'static str> {
        if self.private.contains(&((bit / 8) as usize)) {
            return Some("");
        }
        let has = |field: &Field| {
            let start = u64::from(field.offset) * 8 + u64::from(field.shift);
            (start..start + u64::from(field.bits)).contains(&bit)
        };
        self.fields.iter().find(|(_, field)| self.is_visible(*field) && has(field)).map(|(name, _)| *name)
    }

    /// True if programs may read the member that has this bit.
    pub(crate) fn is_provided(&self, bit: u64) -> bool {
        self.provided_at(bit).is_some()
    }

    /// True if programs may write the member that has this bit.
    pub(crate) fn is_writable(&self, bit: u64) -> bool {
        self.provided_at(bit).is_some_and(|name| name.is_empty() || WRITABLE.contains(&name))
    }

    /// Returns a member that was provided, by its name.
    pub fn get(&self, name: &str) -> Option<Field> {
        self.fields.iter().find(|(known, _)| *known == name).map(|(_, field)| *field)
    }

    /// True if the object's types declare a member that was provided, so that its programs can read it.
    pub fn is_visible(&self, field: Field) -> bool {
        u64::from(field.offset) < self.declared
    }

    /// True if the object's types declare a member.
    pub(crate) fn declares(&self, path: &str) -> bool {
        matches!(self.locate(path), Ok(Some(_)))
    }

    /// Bytes of an image.
    pub(crate) fn bytes(&self) -> usize {
        self.rights.len()
    }

    /// Returns the object's name for a byte.
    pub(crate) fn name_at(&self, offset: u64) -> Option<String> {
        let member = self.btf.name_at(self.structure?, offset)?;
        Some(format!("{}.{member}", self.name))
    }

    fn locate(&self, path: &str) -> Result<Option<Located>, Problem> {
        self.structure.map_or(Ok(None), |id| self.btf.locate(id, path))
    }

    fn outside(&self, path: &str) -> Problem {
        let why = format!("{}.{path} reaches beyond the {} bytes of its structure", self.name, self.declared);
        Problem::Types { section: ".BTF", why }
    }

    fn declared_field(&self, path: &str, located: Located) -> Result<Field, Problem> {
        let bytes = self.btf.size(located.kind)?;
        let signed = matches!(
            self.btf.get(located.kind)?.1,
            Type::Int { signed: true, .. } | Type::Enum { signed: true, .. }
        );
        if !matches!(bytes, 1 | 2 | 4 | 8) {
            let why = format!("{}.{path} has {bytes} bytes, expected a number", self.name);
            return Err(Problem::Types { section: ".BTF", why });
        }
        // A bitfield stands in a word of its type, which begins where such words begin.
        let word =
            if located.bits == 0 { located.bit_offset / 8 } else { located.bit_offset / 8 / bytes * bytes };
        let shift = located.bit_offset - word * 8;
        let bits = if located.bits == 0 { bytes * 8 } else { u64::from(located.bits) };
        if shift + bits > bytes * 8 || word + bytes > self.declared {
            return Err(self.outside(path));
        }
        Ok(Field { offset: word as u32, bytes: bytes as u8, shift: shift as u8, bits: bits as u8, signed })
    }

    /// Eight bytes after the structure's end.
    fn hidden_field(&mut self) -> Field {
        let offset = self.rights.len().next_multiple_of(8);
        self.rights.resize(offset + 8, 0);
        Field { offset: offset as u32, bytes: 8, shift: 0, bits: 64, signed: true }
    }

    fn allow(&mut self, field: &Field, right: u8) {
        if !self.is_visible(*field) {
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
                *byte |= ALONG;
            }
        }
    }
}

/// A structure of the kernel, filled in.
#[derive(Clone, Debug)]
pub struct Image {
    layout: Arc<Layout>,
    pub(crate) bytes: Box<[u8]>,
}

impl Image {
    /// Creates a structure of zeroes.
    pub fn new(layout: Arc<Layout>) -> Image {
        Image { bytes: vec![0; layout.bytes()].into(), layout }
    }

    /// Returns the layout of the members.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Returns the state of a congestion control (`icsk_ca_priv`); of another structure, and where the object declares none, nothing.
    pub fn private(&self) -> &[u8] {
        &self.bytes[self.layout.private.clone()]
    }

    /// Returns a member's value: of a signed one with its sign, as `i64` bits.
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

    /// Returns a number that a program may load.
    #[inline(always)]
    pub(crate) fn load<const N: usize>(&self, offset: usize) -> Option<[u8; N]> {
        match self.layout.sizes.get(offset)? & N as u8 {
            0 => None,
            _ => self.bytes.get(offset..)?.first_chunk().copied(),
        }
    }

    /// Stores a number where a program may.
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

    /// Bytes that a program may read.
    #[inline(always)]
    pub(crate) fn read(&self, offset: usize, length: usize) -> Option<&[u8]> {
        let is_one = length > 0 && self.layout.may_load(offset, length);
        if is_one { self.bytes.get(offset..offset + length) } else { None }
    }

    /// Bytes that a program may write.
    #[inline(always)]
    pub(crate) fn write(&mut self, offset: usize, length: usize) -> Option<&mut [u8]> {
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
