//! Memory of a program: regions with separate address ranges, and a check of every access.
//!
//! The high 32 bits of an address select the region, and the low 32 bits count bytes from [`REGION_BASE`]. An index
//! that is too large or negative therefore lies in no region. Packets are region 0, so packet addresses fit
//! in 32 bits, as in `struct __sk_buff`.

use crate::kernel::{Socket, StructImage};
use std::fmt;
use std::ops::Range;

/// Low 32 bits of the first address of each region.
pub(crate) const REGION_BASE: u32 = 0x1000_0000;
/// Size of a function's stack frame in bytes, as in the kernel.
pub(crate) const FRAME_BYTES: usize = 512;
/// Size of a `struct bpf_spin_lock` in bytes.
pub(crate) const LOCK_BYTES: usize = 4;
/// Maximum depth of nested calls, as in the kernel.
pub(crate) const MAX_FRAMES: usize = 8;

/// Kind of memory at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressSpace {
    Packet,
    /// Stack frame of a function, by call depth.
    Frame(usize),
    Context,
    Socket,
    Sample,
    /// Address of an instruction, accepted only by bpf_loop().
    Code,
    /// Section of the object, by its region.
    Region(usize),
    /// Value of a map, by its slot.
    Value(usize, u32),
    /// Map itself. Only helpers accept the address.
    Map(usize),
}

const PACKET_TAG: u32 = 0;
const CONTEXT_TAG: u32 = 2;
const SOCKET_TAG: u32 = 3;
const SAMPLE_TAG: u32 = 4;
const CODE_TAG: u32 = 5;
const FRAME_TAG: u32 = 0x10;
const FRAME_TAG_END: u32 = FRAME_TAG + MAX_FRAMES as u32;
const REGION_TAG: u32 = 0x100;
const MAP_TAG: u32 = 0x1_0000;
const MAP_TAG_END: u32 = 0x2_0000;
/// Bit that marks the address of a map's value. Eight bits of the map and 23 bits of the slot follow.
const VALUE_TAG: u32 = 1 << 31;
const SLOT_BITS: u32 = 23;

/// Maximum number of regions, and of maps, of an object.
pub(crate) const MAX_REGIONS: usize = 256;

impl AddressSpace {
    /// Returns the address of a byte.
    pub(crate) fn address(self, offset: u32) -> u64 {
        let tag = match self {
            AddressSpace::Packet => PACKET_TAG,
            AddressSpace::Frame(depth) => FRAME_TAG + depth as u32,
            AddressSpace::Context => CONTEXT_TAG,
            AddressSpace::Socket => SOCKET_TAG,
            AddressSpace::Sample => SAMPLE_TAG,
            AddressSpace::Code => CODE_TAG,
            AddressSpace::Region(index) => REGION_TAG + index as u32,
            AddressSpace::Value(map, slot) => VALUE_TAG | (map as u32) << SLOT_BITS | slot,
            AddressSpace::Map(index) => MAP_TAG + index as u32,
        };
        u64::from(tag) << 32 | u64::from(REGION_BASE.wrapping_add(offset))
    }

    /// Returns the memory space of an address and the offset in the space; `None` if the address is in no
    /// space.
    #[inline(always)]
    pub(crate) fn from_address(address: u64) -> Option<(AddressSpace, usize)> {
        let offset = (address as u32).wrapping_sub(REGION_BASE) as usize;
        let space = match (address >> 32) as u32 {
            PACKET_TAG if address >= u64::from(REGION_BASE) => AddressSpace::Packet,
            FRAME_TAG..FRAME_TAG_END => AddressSpace::Frame(((address >> 32) as u32 - FRAME_TAG) as usize),
            CONTEXT_TAG => AddressSpace::Context,
            SOCKET_TAG => AddressSpace::Socket,
            SAMPLE_TAG => AddressSpace::Sample,
            tag @ REGION_TAG..MAP_TAG => AddressSpace::Region((tag - REGION_TAG) as usize),
            tag @ VALUE_TAG.. => {
                AddressSpace::Value((tag >> SLOT_BITS & 0xff) as usize, tag & ((1 << SLOT_BITS) - 1))
            }
            CODE_TAG => AddressSpace::Code,
            tag @ MAP_TAG..MAP_TAG_END => AddressSpace::Map((tag - MAP_TAG) as usize),
            _ => return None,
        };
        Some((space, offset))
    }

    /// Returns the index of the instruction at a code address.
    pub(crate) fn instruction_index(address: u64) -> Option<usize> {
        AddressSpace::from_address(address)
            .and_then(|(space, at)| (space == AddressSpace::Code).then_some(at))
    }

    /// Returns the offset of an address in a data section.
    pub(crate) fn data_offset(address: u64) -> Option<usize> {
        AddressSpace::from_address(address)
            .and_then(|(space, at)| matches!(space, AddressSpace::Region(_)).then_some(at))
    }
}

/// Right to read this byte.
pub(crate) const READ: u8 = READ_IN_WIDE_LOAD | 2;
/// Right to read this byte together with readable bytes. Compilers load eight bytes to extract a bitfield.
pub(crate) const READ_IN_WIDE_LOAD: u8 = 1;
/// Right to write this byte.
pub(crate) const WRITE: u8 = 4;

/// Bytes with their access rights.
#[derive(Debug, Default)]
pub(crate) struct GuardedBytes<'a> {
    pub bytes: &'a mut [u8],
    pub rights: &'a [u8],
}

/// Data section of the object, or the values of a map.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub name: String,
    pub bytes: Vec<u8>,
    pub writable: bool,
    /// Size of a value in bytes, equal to the distance between values. A data section counts as one value.
    pub value_bytes: usize,
    pub stride: usize,
    /// Byte range of the spin lock in a value, accessed only by helpers. Empty without a lock.
    pub lock_range: Range<usize>,
}

impl Region {
    /// Creates the region of a section.
    pub(crate) fn from_section(name: String, bytes: Vec<u8>, writable: bool) -> Region {
        Region { name, value_bytes: bytes.len(), stride: bytes.len(), bytes, writable, lock_range: 0..0 }
    }

    /// Returns the byte range of an access to a value; `None` if the access leaves the value or overlaps the
    /// lock.
    #[inline(always)]
    fn value_range(&self, slot: u32, offset: usize, length: usize) -> Option<Range<usize>> {
        let end = offset.checked_add(length).filter(|end| *end <= self.value_bytes)?;
        if self.overlaps_lock(offset, end) {
            return None;
        }
        let start = slot as usize * self.stride;
        Some(start + offset..start + end)
    }

    /// True if bytes of a value overlap its lock.
    #[inline(always)]
    fn overlaps_lock(&self, start: usize, end: usize) -> bool {
        start < self.lock_range.end && self.lock_range.start < end
    }

    /// Sets a value, except its lock (copy_map_value()).
    pub(crate) fn set_value(&mut self, slot: u32, value: &[u8]) {
        let old = &mut self.bytes[slot as usize * self.stride..][..value.len()];
        old[..self.lock_range.start].copy_from_slice(&value[..self.lock_range.start]);
        old[self.lock_range.end..].copy_from_slice(&value[self.lock_range.end..]);
    }
}

/// Memory that a program can access during a call.
#[derive(Debug)]
pub(crate) struct Memory<'a> {
    pub stack: &'a mut [u8; FRAME_BYTES * MAX_FRAMES],
    pub context: GuardedBytes<'a>,
    /// Socket of the current callback; `None` for a packet program.
    pub socket: Option<&'a mut Socket>,
    /// Sample passed to the callback; `None` if the callback has no such argument.
    pub sample: Option<&'a StructImage>,
    pub packet: &'a [u8],
    pub regions: &'a mut [Region],
    /// Index of the first region that belongs to a map.
    pub first_map_region: usize,
    /// Number of active functions, each with a stack frame.
    pub active_frames: usize,
}

/// A rejected access.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{access} of {bytes} bytes {description}")]
pub struct AccessError {
    /// Kind of access.
    pub access: Access,
    /// Size of the access in bytes.
    pub bytes: usize,
    /// Place of the access, and the reason for the rejection.
    pub description: String,
}

/// Kind of access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Load, or read by a helper.
    Load,
    /// Store, or write by a helper.
    Store,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Load => "load",
            Access::Store => "store",
        })
    }
}

/// Returns `length` bytes at an offset; `None` if some of the bytes are outside the space.
#[inline(always)]
fn slice_at(bytes: &[u8], offset: usize, length: usize) -> Option<&[u8]> {
    bytes.get(offset..offset.checked_add(length)?)
}

/// Returns `length` bytes at an offset; `None` if the program may not read all of the bytes.
#[inline(always)]
pub(crate) fn readable_bytes<'b>(
    bytes: &'b [u8],
    rights: &[u8],
    offset: usize,
    length: usize,
) -> Option<&'b [u8]> {
    let rights = slice_at(rights, offset, length)?;
    let (all, any) = rights.iter().fold((READ_IN_WIDE_LOAD, 0), |(all, any), byte| (all & byte, any | byte));
    if all == READ_IN_WIDE_LOAD && any & READ == READ { slice_at(bytes, offset, length) } else { None }
}

/// Returns `length` bytes at an offset; `None` if the program may not write all of the bytes.
#[inline(always)]
pub(crate) fn writable_bytes<'b>(
    bytes: &'b mut [u8],
    rights: &[u8],
    offset: usize,
    length: usize,
) -> Option<&'b mut [u8]> {
    let rights = slice_at(rights, offset, length)?;
    let all = rights.iter().fold(WRITE, |all, byte| all & byte);
    if all == WRITE { bytes.get_mut(offset..offset + length) } else { None }
}

impl Memory<'_> {
    /// Returns bytes that a program may read; `None` if the program may not read all of the bytes.
    #[inline(always)]
    pub(crate) fn readable_bytes(&self, address: u64, length: usize) -> Option<&[u8]> {
        let (space, offset) = AddressSpace::from_address(address)?;
        match space {
            AddressSpace::Frame(depth) => slice_at(self.frame(depth)?, offset, length),
            AddressSpace::Value(map, slot) => {
                let region = self.regions.get(self.first_map_region + map)?;
                region.bytes.get(region.value_range(slot, offset, length)?)
            }
            AddressSpace::Socket => self.socket.as_ref()?.image.readable_bytes(offset, length),
            AddressSpace::Region(index) => slice_at(&self.regions.get(index)?.bytes, offset, length),
            // bpf_tcp_ca_is_valid_access() and similar functions: an access to the context is aligned.
            AddressSpace::Context if offset % length.max(1) != 0 => None,
            AddressSpace::Context => readable_bytes(self.context.bytes, self.context.rights, offset, length),
            AddressSpace::Sample => self.sample?.readable_bytes(offset, length),
            AddressSpace::Packet => slice_at(self.packet, offset, length),
            AddressSpace::Map(_) | AddressSpace::Code => None,
        }
    }

    /// Returns bytes that a program may write; `None` if the program may not write all of the bytes.
    #[inline(always)]
    pub(crate) fn writable_bytes(&mut self, address: u64, length: usize) -> Option<&mut [u8]> {
        let (space, offset) = AddressSpace::from_address(address)?;
        let end = offset.checked_add(length)?;
        match space {
            AddressSpace::Frame(depth) if depth < self.active_frames => {
                self.stack[depth * FRAME_BYTES..][..FRAME_BYTES].get_mut(offset..end)
            }
            AddressSpace::Value(map, slot) => {
                let region = self.regions.get_mut(self.first_map_region + map)?;
                let place = region.value_range(slot, offset, length)?;
                region.bytes.get_mut(place)
            }
            AddressSpace::Socket => self.socket.as_mut()?.image.writable_bytes(offset, length),
            AddressSpace::Context => writable_bytes(self.context.bytes, self.context.rights, offset, length),
            AddressSpace::Region(index) => {
                let region = self.regions.get_mut(index)?;
                if region.writable { region.bytes.get_mut(offset..end) } else { None }
            }
            AddressSpace::Frame(_)
            | AddressSpace::Sample
            | AddressSpace::Packet
            | AddressSpace::Map(_)
            | AddressSpace::Code => None,
        }
    }

    /// Returns the stack frame of an active function.
    #[inline(always)]
    fn frame(&self, depth: usize) -> Option<&[u8]> {
        if depth < self.active_frames {
            Some(&self.stack[depth * FRAME_BYTES..][..FRAME_BYTES])
        } else {
            None
        }
    }

    /// Loads the bytes of a number.
    #[inline(always)]
    pub(crate) fn load<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        match AddressSpace::from_address(address)? {
            (AddressSpace::Socket, offset) => self.socket.as_ref()?.image.load(offset),
            (AddressSpace::Sample, offset) => self.sample?.load(offset),
            _ => self.readable_bytes(address, N)?.first_chunk().copied(),
        }
    }

    /// Stores the bytes of a number.
    #[inline(always)]
    pub(crate) fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Option<()> {
        match AddressSpace::from_address(address)? {
            (AddressSpace::Socket, offset) => self.socket.as_mut()?.image.store(offset, bytes),
            _ => {
                *self.writable_bytes(address, N)?.first_chunk_mut()? = bytes;
                Some(())
            }
        }
    }

    /// True if an address is inside an address space.
    pub(crate) fn is_mapped(&self, address: u64) -> bool {
        self.describe_address(address).is_some_and(|(_, offset, bytes, _)| offset < bytes)
    }

    /// Returns the space of an address, the offset in the space, and the size and name of the space. `None`
    /// if the program has no such space.
    fn describe_address(&self, address: u64) -> Option<(AddressSpace, usize, usize, String)> {
        let (space, offset) = AddressSpace::from_address(address)?;
        let (bytes, name) = match space {
            AddressSpace::Packet => (self.packet.len(), "the packet".into()),
            AddressSpace::Frame(depth) if depth < self.active_frames => {
                (FRAME_BYTES, "the function's stack".into())
            }
            AddressSpace::Frame(_) => (0, "the stack of a function that has returned".into()),
            AddressSpace::Value(map, _) => {
                let values = self.regions.get(self.first_map_region + map)?;
                (values.value_bytes, format!("a value of {}", values.name))
            }
            AddressSpace::Code => (0, "an instruction".into()),
            AddressSpace::Context => (self.context.bytes.len(), "the context".into()),
            AddressSpace::Socket => (self.socket.as_ref()?.image.bytes.len(), "the socket".into()),
            AddressSpace::Sample => (self.sample?.bytes.len(), "the sample".into()),
            AddressSpace::Region(index) => {
                self.regions.get(index).map(|r| (r.bytes.len(), r.name.clone()))?
            }
            AddressSpace::Map(_) => (0, "a map itself".into()),
        };
        Some((space, offset, bytes, name))
    }

    /// Returns the name of a byte of the socket or the sample, according to the object's types.
    fn member_name(&self, space: AddressSpace, offset: usize) -> Option<String> {
        let image = match space {
            AddressSpace::Socket => &self.socket.as_ref()?.image,
            AddressSpace::Sample => self.sample?,
            _ => return None,
        };
        image.layout().member_name_at(offset as u64)
    }

    /// True if an access to a map's value overlaps its lock.
    fn overlaps_lock(&self, space: AddressSpace, offset: usize, bytes: usize) -> bool {
        match space {
            AddressSpace::Value(map, _) => {
                self.regions[self.first_map_region + map].overlaps_lock(offset, offset + bytes)
            }
            _ => false,
        }
    }

    /// True if the address is that of a spin lock in a map's value, or may be one in a variable.
    pub(crate) fn may_be_lock(&self, address: u64) -> bool {
        match AddressSpace::from_address(address) {
            Some((AddressSpace::Value(map, _), offset)) => self
                .regions
                .get(self.first_map_region + map)
                .is_some_and(|r| !r.lock_range.is_empty() && r.lock_range.start == offset),
            Some((AddressSpace::Region(_), _)) => self.readable_bytes(address, LOCK_BYTES).is_some(),
            _ => false,
        }
    }

    /// Returns the reason for rejecting an access.
    #[cold]
    pub(crate) fn access_error(&self, access: Access, address: u64, bytes: usize) -> AccessError {
        let Some((space, offset, size, name)) = self.describe_address(address) else {
            let at = match address {
                0..4096 => format!("at {address:#x}, a null pointer"),
                _ => format!("at {address:#x}, which is not an address of the program"),
            };
            return AccessError { access, bytes, description: at };
        };
        let from = i64::from(offset as i32);
        let inside = from >= 0 && offset.saturating_add(bytes) <= size;
        let at = match (self.member_name(space, offset), access) {
            _ if !inside => format!("at {name} {from:+}, outside its {size} bytes"),
            _ if self.overlaps_lock(space, offset, bytes) => format!("at the spin lock of {name}"),
            (Some(member), Access::Load) => format!("at {member}, which is not simulated"),
            (Some(member), Access::Store) => format!("at {member}, which programs may not write"),
            (None, Access::Load) => format!("at {name} {from:+}, where a program can read nothing"),
            (None, Access::Store) => format!("at {name} {from:+}, which is read-only"),
        };
        AccessError { access, bytes, description: at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Clang loads eight bytes to extract a bitfield. The neighbouring members are readable in such a load,
    // but not separately.
    #[test]
    fn a_member_beside_a_bitfield_is_read_only_with_the_bitfield() {
        let rights = [
            READ_IN_WIDE_LOAD,
            READ_IN_WIDE_LOAD,
            READ,
            READ_IN_WIDE_LOAD,
            0,
            READ | WRITE,
            READ | WRITE,
            READ,
        ];
        let may_read = |offset, length| readable_bytes(&[0; 8], &rights, offset, length).is_some();
        assert!(may_read(0, 4) && may_read(2, 1) && may_read(5, 3));
        assert!(!may_read(0, 2) && !may_read(3, 1) && !may_read(0, 8) && !may_read(7, 2));
        let may_write = |offset, length| writable_bytes(&mut [0; 8], &rights, offset, length).is_some();
        assert!(may_write(5, 2) && !may_write(5, 3) && !may_write(2, 1));
    }

    // An address after the end of its region, or before its start, is in no other region.
    #[test]
    fn an_address_past_its_region_is_in_no_other_region() {
        for space in [
            AddressSpace::Packet,
            AddressSpace::Frame(0),
            AddressSpace::Frame(7),
            AddressSpace::Socket,
            AddressSpace::Code,
            AddressSpace::Region(0),
            AddressSpace::Region(255),
            AddressSpace::Map(3),
            AddressSpace::Value(0, 0),
            AddressSpace::Value(255, (1 << 23) - 1),
        ] {
            assert_eq!(AddressSpace::from_address(space.address(9)), Some((space, 9)));
            let (found, offset) =
                AddressSpace::from_address(space.address(0).wrapping_sub(1)).unwrap_or((space, usize::MAX));
            assert!(found == space && offset > 1 << 31, "{space:?}: {found:?} {offset}");
        }
        assert_eq!(AddressSpace::from_address(0), None);
        assert!(AddressSpace::Packet.address(65535) <= u64::from(u32::MAX), "fits __sk_buff.data_end");
    }
}
