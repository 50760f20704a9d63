//! Memory of a program: regions with separate address ranges, and a check of every access.
//!
//! The high 32 bits of an address select the region, and the low 32 bits count bytes from [`BASE`]. An index
//! that is too large or negative therefore lies in no region. Packets are region 0, so packet addresses fit
//! in 32 bits, as in `struct __sk_buff`.

use crate::kernel::{Image, Socket};
use std::fmt;
use std::ops::Range;

/// Low 32 bits of the first address of each region.
pub(crate) const BASE: u32 = 0x1000_0000;
/// Size of a function's stack frame in bytes, as in the kernel.
pub(crate) const FRAME_BYTES: usize = 512;
/// Size of a `struct bpf_spin_lock` in bytes.
pub(crate) const LOCK_BYTES: usize = 4;
/// Maximum depth of nested calls, as in the kernel.
pub(crate) const FRAMES: usize = 8;

/// Kind of memory at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
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

const PACKET: u32 = 0;
const CONTEXT: u32 = 2;
const SOCKET: u32 = 3;
const SAMPLE: u32 = 4;
const CODE: u32 = 5;
const FRAME: u32 = 0x10;
const FRAME_END: u32 = FRAME + FRAMES as u32;
const REGION: u32 = 0x100;
const MAP: u32 = 0x1_0000;
const MAP_END: u32 = 0x2_0000;
/// Bit that marks the address of a map's value. Eight bits of the map and 23 bits of the slot follow.
const VALUE: u32 = 1 << 31;
const SLOT_BITS: u32 = 23;

/// Maximum number of regions, and of maps, of an object.
pub(crate) const MOST_REGIONS: usize = 256;

impl Space {
    /// Returns the address of a byte.
    pub(crate) fn address(self, offset: u32) -> u64 {
        let tag = match self {
            Space::Packet => PACKET,
            Space::Frame(depth) => FRAME + depth as u32,
            Space::Context => CONTEXT,
            Space::Socket => SOCKET,
            Space::Sample => SAMPLE,
            Space::Code => CODE,
            Space::Region(index) => REGION + index as u32,
            Space::Value(map, slot) => VALUE | (map as u32) << SLOT_BITS | slot,
            Space::Map(index) => MAP + index as u32,
        };
        u64::from(tag) << 32 | u64::from(BASE.wrapping_add(offset))
    }

    /// Returns the memory space of an address and the offset in the space; `None` if the address is in no
    /// space.
    #[inline(always)]
    pub(crate) fn of(address: u64) -> Option<(Space, usize)> {
        let offset = (address as u32).wrapping_sub(BASE) as usize;
        let space = match (address >> 32) as u32 {
            PACKET if address >= u64::from(BASE) => Space::Packet,
            FRAME..FRAME_END => Space::Frame(((address >> 32) as u32 - FRAME) as usize),
            CONTEXT => Space::Context,
            SOCKET => Space::Socket,
            SAMPLE => Space::Sample,
            tag @ REGION..MAP => Space::Region((tag - REGION) as usize),
            tag @ VALUE.. => Space::Value((tag >> SLOT_BITS & 0xff) as usize, tag & ((1 << SLOT_BITS) - 1)),
            CODE => Space::Code,
            tag @ MAP..MAP_END => Space::Map((tag - MAP) as usize),
            _ => return None,
        };
        Some((space, offset))
    }

    /// Returns the index of the instruction at a code address.
    pub(crate) fn code(address: u64) -> Option<usize> {
        Space::of(address).and_then(|(space, at)| (space == Space::Code).then_some(at))
    }

    /// Returns the offset of an address in a data section.
    pub(crate) fn data(address: u64) -> Option<usize> {
        Space::of(address).and_then(|(space, at)| matches!(space, Space::Region(_)).then_some(at))
    }
}

/// Right to read this byte.
pub(crate) const READ: u8 = ALONG | 2;
/// Right to read this byte together with readable bytes. Compilers load eight bytes to extract a bitfield.
pub(crate) const ALONG: u8 = 1;
/// Right to write this byte.
pub(crate) const WRITE: u8 = 4;

/// Bytes with their access rights.
#[derive(Debug, Default)]
pub(crate) struct Guarded<'a> {
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
    pub lock: Range<usize>,
}

impl Region {
    /// Creates the region of a section.
    pub(crate) fn section(name: String, bytes: Vec<u8>, writable: bool) -> Region {
        Region { name, value_bytes: bytes.len(), stride: bytes.len(), bytes, writable, lock: 0..0 }
    }

    /// Returns the byte range of an access to a value; `None` if the access leaves the value or overlaps the
    /// lock.
    #[inline(always)]
    fn place(&self, slot: u32, offset: usize, length: usize) -> Option<Range<usize>> {
        let end = offset.checked_add(length).filter(|end| *end <= self.value_bytes)?;
        if self.locks(offset, end) {
            return None;
        }
        let start = slot as usize * self.stride;
        Some(start + offset..start + end)
    }

    /// True if bytes of a value overlap its lock.
    #[inline(always)]
    fn locks(&self, start: usize, end: usize) -> bool {
        start < self.lock.end && self.lock.start < end
    }

    /// Sets a value, except its lock (copy_map_value()).
    pub(crate) fn set(&mut self, slot: u32, value: &[u8]) {
        let old = &mut self.bytes[slot as usize * self.stride..][..value.len()];
        old[..self.lock.start].copy_from_slice(&value[..self.lock.start]);
        old[self.lock.end..].copy_from_slice(&value[self.lock.end..]);
    }
}

/// Memory that a program can access during a call.
#[derive(Debug)]
pub(crate) struct Memory<'a> {
    pub stack: &'a mut [u8; FRAME_BYTES * FRAMES],
    pub context: Guarded<'a>,
    /// Socket of the current callback; `None` for a packet program.
    pub socket: Option<&'a mut Socket>,
    /// Sample passed to the callback; `None` if the callback has no such argument.
    pub sample: Option<&'a Image>,
    pub packet: &'a [u8],
    pub regions: &'a mut [Region],
    /// Index of the first region that belongs to a map.
    pub first_map: usize,
    /// Number of active functions, each with a stack frame.
    pub frames: usize,
}

/// A rejected access.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{access} of {bytes} bytes {at}")]
pub struct Denied {
    /// Kind of access.
    pub access: Access,
    /// Size of the access in bytes.
    pub bytes: usize,
    /// Place of the access, and the reason for the rejection.
    pub at: String,
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
fn within(bytes: &[u8], offset: usize, length: usize) -> Option<&[u8]> {
    bytes.get(offset..offset.checked_add(length)?)
}

/// Returns `length` bytes at an offset; `None` if the program may not read all of the bytes.
#[inline(always)]
pub(crate) fn readable<'b>(bytes: &'b [u8], rights: &[u8], offset: usize, length: usize) -> Option<&'b [u8]> {
    let rights = within(rights, offset, length)?;
    let (all, any) = rights.iter().fold((ALONG, 0), |(all, any), byte| (all & byte, any | byte));
    if all == ALONG && any & READ == READ { within(bytes, offset, length) } else { None }
}

/// Returns `length` bytes at an offset; `None` if the program may not write all of the bytes.
#[inline(always)]
pub(crate) fn writable<'b>(
    bytes: &'b mut [u8],
    rights: &[u8],
    offset: usize,
    length: usize,
) -> Option<&'b mut [u8]> {
    let rights = within(rights, offset, length)?;
    let all = rights.iter().fold(WRITE, |all, byte| all & byte);
    if all == WRITE { bytes.get_mut(offset..offset + length) } else { None }
}

impl Memory<'_> {
    /// Returns bytes that a program may read; `None` if the program may not read all of the bytes.
    #[inline(always)]
    pub(crate) fn read(&self, address: u64, length: usize) -> Option<&[u8]> {
        let (space, offset) = Space::of(address)?;
        match space {
            Space::Frame(depth) => within(self.frame(depth)?, offset, length),
            Space::Value(map, slot) => {
                let region = self.regions.get(self.first_map + map)?;
                region.bytes.get(region.place(slot, offset, length)?)
            }
            Space::Socket => self.socket.as_ref()?.image.read(offset, length),
            Space::Region(index) => within(&self.regions.get(index)?.bytes, offset, length),
            // bpf_tcp_ca_is_valid_access() and similar functions: an access to the context is aligned.
            Space::Context if offset % length.max(1) != 0 => None,
            Space::Context => readable(self.context.bytes, self.context.rights, offset, length),
            Space::Sample => self.sample?.read(offset, length),
            Space::Packet => within(self.packet, offset, length),
            Space::Map(_) | Space::Code => None,
        }
    }

    /// Returns bytes that a program may write; `None` if the program may not write all of the bytes.
    #[inline(always)]
    pub(crate) fn write(&mut self, address: u64, length: usize) -> Option<&mut [u8]> {
        let (space, offset) = Space::of(address)?;
        let end = offset.checked_add(length)?;
        match space {
            Space::Frame(depth) if depth < self.frames => {
                self.stack[depth * FRAME_BYTES..][..FRAME_BYTES].get_mut(offset..end)
            }
            Space::Value(map, slot) => {
                let region = self.regions.get_mut(self.first_map + map)?;
                let place = region.place(slot, offset, length)?;
                region.bytes.get_mut(place)
            }
            Space::Socket => self.socket.as_mut()?.image.write(offset, length),
            Space::Context => writable(self.context.bytes, self.context.rights, offset, length),
            Space::Region(index) => {
                let region = self.regions.get_mut(index)?;
                if region.writable { region.bytes.get_mut(offset..end) } else { None }
            }
            Space::Frame(_) | Space::Sample | Space::Packet | Space::Map(_) | Space::Code => None,
        }
    }

    /// Returns the stack frame of an active function.
    #[inline(always)]
    fn frame(&self, depth: usize) -> Option<&[u8]> {
        if depth < self.frames { Some(&self.stack[depth * FRAME_BYTES..][..FRAME_BYTES]) } else { None }
    }

    /// Loads the bytes of a number.
    #[inline(always)]
    pub(crate) fn load<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        match Space::of(address)? {
            (Space::Socket, offset) => self.socket.as_ref()?.image.load(offset),
            (Space::Sample, offset) => self.sample?.load(offset),
            _ => self.read(address, N)?.first_chunk().copied(),
        }
    }

    /// Stores the bytes of a number.
    #[inline(always)]
    pub(crate) fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Option<()> {
        match Space::of(address)? {
            (Space::Socket, offset) => self.socket.as_mut()?.image.store(offset, bytes),
            _ => {
                *self.write(address, N)?.first_chunk_mut()? = bytes;
                Some(())
            }
        }
    }

    /// True if an address is inside an address space.
    pub(crate) fn is_known(&self, address: u64) -> bool {
        self.size(address).is_some_and(|(_, offset, bytes, _)| offset < bytes)
    }

    /// Returns the space of an address, the offset in the space, and the size and name of the space. `None`
    /// if the program has no such space.
    fn size(&self, address: u64) -> Option<(Space, usize, usize, String)> {
        let (space, offset) = Space::of(address)?;
        let (bytes, name) = match space {
            Space::Packet => (self.packet.len(), "the packet".into()),
            Space::Frame(depth) if depth < self.frames => (FRAME_BYTES, "the function's stack".into()),
            Space::Frame(_) => (0, "the stack of a function that has returned".into()),
            Space::Value(map, _) => {
                let values = self.regions.get(self.first_map + map)?;
                (values.value_bytes, format!("a value of {}", values.name))
            }
            Space::Code => (0, "an instruction".into()),
            Space::Context => (self.context.bytes.len(), "the context".into()),
            Space::Socket => (self.socket.as_ref()?.image.bytes.len(), "the socket".into()),
            Space::Sample => (self.sample?.bytes.len(), "the sample".into()),
            Space::Region(index) => self.regions.get(index).map(|r| (r.bytes.len(), r.name.clone()))?,
            Space::Map(_) => (0, "a map itself".into()),
        };
        Some((space, offset, bytes, name))
    }

    /// Returns the name of a byte of the socket or the sample, according to the object's types.
    fn member(&self, space: Space, offset: usize) -> Option<String> {
        let image = match space {
            Space::Socket => &self.socket.as_ref()?.image,
            Space::Sample => self.sample?,
            _ => return None,
        };
        image.layout().name_at(offset as u64)
    }

    /// True if an access to a map's value overlaps its lock.
    fn is_lock(&self, space: Space, offset: usize, bytes: usize) -> bool {
        match space {
            Space::Value(map, _) => self.regions[self.first_map + map].locks(offset, offset + bytes),
            _ => false,
        }
    }

    /// True if the address is that of a spin lock in a map's value, or may be one in a variable.
    pub(crate) fn may_be_lock(&self, address: u64) -> bool {
        match Space::of(address) {
            Some((Space::Value(map, _), offset)) => self
                .regions
                .get(self.first_map + map)
                .is_some_and(|r| !r.lock.is_empty() && r.lock.start == offset),
            Some((Space::Region(_), _)) => self.read(address, LOCK_BYTES).is_some(),
            _ => false,
        }
    }

    /// Returns the reason for rejecting an access.
    #[cold]
    pub(crate) fn denied(&self, access: Access, address: u64, bytes: usize) -> Denied {
        let Some((space, offset, size, name)) = self.size(address) else {
            let at = match address {
                0..4096 => format!("at {address:#x}, a null pointer"),
                _ => format!("at {address:#x}, which is not an address of the program"),
            };
            return Denied { access, bytes, at };
        };
        let from = i64::from(offset as i32);
        let inside = from >= 0 && offset.saturating_add(bytes) <= size;
        let at = match (self.member(space, offset), access) {
            _ if !inside => format!("at {name} {from:+}, outside its {size} bytes"),
            _ if self.is_lock(space, offset, bytes) => format!("at the spin lock of {name}"),
            (Some(member), Access::Load) => format!("at {member}, which is not simulated"),
            (Some(member), Access::Store) => format!("at {member}, which programs may not write"),
            (None, Access::Load) => format!("at {name} {from:+}, where a program can read nothing"),
            (None, Access::Store) => format!("at {name} {from:+}, which is read-only"),
        };
        Denied { access, bytes, at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Clang loads eight bytes to extract a bitfield. The neighbouring members are readable in such a load,
    // but not separately.
    #[test]
    fn a_member_beside_a_bitfield_is_read_only_with_the_bitfield() {
        let rights = [ALONG, ALONG, READ, ALONG, 0, READ | WRITE, READ | WRITE, READ];
        let may_read = |offset, length| readable(&[0; 8], &rights, offset, length).is_some();
        assert!(may_read(0, 4) && may_read(2, 1) && may_read(5, 3));
        assert!(!may_read(0, 2) && !may_read(3, 1) && !may_read(0, 8) && !may_read(7, 2));
        let may_write = |offset, length| writable(&mut [0; 8], &rights, offset, length).is_some();
        assert!(may_write(5, 2) && !may_write(5, 3) && !may_write(2, 1));
    }

    // An address after the end of its region, or before its start, is in no other region.
    #[test]
    fn an_address_past_its_region_is_in_no_other_region() {
        for space in [
            Space::Packet,
            Space::Frame(0),
            Space::Frame(7),
            Space::Socket,
            Space::Code,
            Space::Region(0),
            Space::Region(255),
            Space::Map(3),
            Space::Value(0, 0),
            Space::Value(255, (1 << 23) - 1),
        ] {
            assert_eq!(Space::of(space.address(9)), Some((space, 9)));
            let (found, offset) = Space::of(space.address(0).wrapping_sub(1)).unwrap_or((space, usize::MAX));
            assert!(found == space && offset > 1 << 31, "{space:?}: {found:?} {offset}");
        }
        assert_eq!(Space::of(0), None);
        assert!(Space::Packet.address(65535) <= u64::from(u32::MAX), "fits __sk_buff.data_end");
    }
}
