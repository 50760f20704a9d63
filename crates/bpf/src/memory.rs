//! The memory of a program: regions, each at addresses of its own, every access checked against them.
//!
//! The high 32 bits of an address name the region, the low 32 count bytes from [`BASE`]: an index that runs over or under stays in
//! no region. Packets are region 0, so that their addresses fit the 32 bits that `struct __sk_buff` has for them.

use crate::kernel::{Image, Socket};
use std::fmt;

/// Start of each region, in the low 32 bits of an address.
pub(crate) const BASE: u32 = 0x1000_0000;
/// Bytes of stack of one function (as in the kernel).
pub(crate) const FRAME_BYTES: usize = 512;
/// Functions that can be nested (as in the kernel).
pub(crate) const FRAMES: usize = 8;

/// Kind of memory at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Packet,
    /// The frame of a function, by how many called it.
    Frame(usize),
    Context,
    Socket,
    Sample,
    /// An instruction, which only bpf_loop() takes.
    Code,
    /// A section of the object.
    Region(usize),
    /// A value of a map, by its slot.
    Value(usize, u32),
    /// A map itself, which only helpers take.
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
/// Eight bits of the map and 23 of the slot follow.
const VALUE: u32 = 1 << 31;
const SLOT_BITS: u32 = 23;

/// Most regions, and most maps, of an object.
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

    /// Returns the space at an address, and the offset in it.
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

    /// Returns the instruction that an address of code names.
    pub(crate) fn code(address: u64) -> Option<usize> {
        Space::of(address).and_then(|(space, at)| (space == Space::Code).then_some(at))
    }

    /// Returns the offset of an address in a section of data.
    pub(crate) fn data(address: u64) -> Option<usize> {
        Space::of(address).and_then(|(space, at)| matches!(space, Space::Region(_)).then_some(at))
    }
}

/// Programs may read this byte.
pub(crate) const READ: u8 = ALONG | 2;
/// Programs may read this byte in one load with bytes that they may read: compilers take bitfields out of eight bytes.
pub(crate) const ALONG: u8 = 1;
/// Programs may write this byte.
pub(crate) const WRITE: u8 = 4;

/// Bytes with access rights for reading and writing.
#[derive(Debug, Default)]
pub(crate) struct Guarded<'a> {
    pub bytes: &'a mut [u8],
    pub rights: &'a [u8],
}

/// A section of the object, or the values of a map.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    pub name: String,
    pub bytes: Vec<u8>,
    pub writable: bool,
    /// Bytes of a value, and from one value to the next; of a section, which is one value, all of it.
    pub value_bytes: usize,
    pub stride: usize,
}

impl Region {
    /// A section.
    pub(crate) fn section(name: String, bytes: Vec<u8>, writable: bool) -> Region {
        Region { name, value_bytes: bytes.len(), stride: bytes.len(), bytes, writable }
    }

    /// Returns the range of an access to a value in the region's bytes, if the access stays within the value.
    #[inline(always)]
    fn place(&self, slot: u32, offset: usize, length: usize) -> Option<std::ops::Range<usize>> {
        let end = offset.checked_add(length).filter(|end| *end <= self.value_bytes)?;
        let start = slot as usize * self.stride;
        Some(start + offset..start + end)
    }
}

/// Memory that a call of a program can reach.
#[derive(Debug)]
pub(crate) struct Memory<'a> {
    pub stack: &'a mut [u8; FRAME_BYTES * FRAMES],
    pub context: Guarded<'a>,
    /// The socket that a callback is for.
    pub socket: Option<&'a mut Socket>,
    /// The sample that a callback is given.
    pub sample: Option<&'a Image>,
    pub packet: &'a [u8],
    pub regions: &'a mut [Region],
    /// The regions of maps begin here.
    pub first_map: usize,
    /// Functions that are being run, whose frames are there.
    pub frames: usize,
}

/// An access that was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{access} of {bytes} bytes {at}")]
pub struct Denied {
    /// Kind of access.
    pub access: Access,
    /// Size, bytes.
    pub bytes: usize,
    /// Place, and reason of the refusal.
    pub at: String,
}

/// Kind of access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A load, or a read by a helper.
    Load,
    /// A store, or a write by a helper.
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

/// Returns `length` bytes at an offset, if all of them are in the space.
#[inline(always)]
fn within(bytes: &[u8], offset: usize, length: usize) -> Option<&[u8]> {
    bytes.get(offset..offset.checked_add(length)?)
}

/// Returns `length` bytes at an offset, if they may be read.
#[inline(always)]
pub(crate) fn readable<'b>(bytes: &'b [u8], rights: &[u8], offset: usize, length: usize) -> Option<&'b [u8]> {
    let rights = within(rights, offset, length)?;
    let (all, any) = rights.iter().fold((ALONG, 0), |(all, any), byte| (all & byte, any | byte));
    if all == ALONG && any & READ == READ { within(bytes, offset, length) } else { None }
}

/// Returns `length` bytes at an offset, if they may be written.
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
    /// Bytes that a program may read; `None`: it may not.
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
            Space::Context => readable(self.context.bytes, self.context.rights, offset, length),
            Space::Sample => self.sample?.read(offset, length),
            Space::Packet => within(self.packet, offset, length),
            Space::Map(_) | Space::Code => None,
        }
    }

    /// Bytes that a program may write; `None`: it may not.
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

    /// Returns the frame of a function that is being run.
    #[inline(always)]
    fn frame(&self, depth: usize) -> Option<&[u8]> {
        if depth < self.frames { Some(&self.stack[depth * FRAME_BYTES..][..FRAME_BYTES]) } else { None }
    }

    /// Returns the bytes of a number.
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

    /// True if an address is inside of a space.
    pub(crate) fn is_known(&self, address: u64) -> bool {
        self.size(address).is_some_and(|(_, offset, bytes, _)| offset < bytes)
    }

    /// Returns the space, the offset and the size that an address names, with a name.
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

    /// Returns the object's name for a byte of the socket or of the sample.
    fn member(&self, space: Space, offset: usize) -> Option<String> {
        let image = match space {
            Space::Socket => &self.socket.as_ref()?.image,
            Space::Sample => self.sample?,
            _ => return None,
        };
        image.layout().name_at(offset as u64)
    }

    /// Returns the reason for the refusal of an access.
    #[cold]
    pub(crate) fn denied(&self, access: Access, address: u64, bytes: usize) -> Denied {
        let Some((space, offset, size, name)) = self.size(address) else {
            let at = match address {
                0..4096 => format!("at {address:#x}, a null pointer"),
                _ => format!("at {address:#x}, which is no address of the program's"),
            };
            return Denied { access, bytes, at };
        };
        let from = i64::from(offset as i32);
        let inside = from >= 0 && offset.saturating_add(bytes) <= size;
        let at = match (self.member(space, offset), access) {
            _ if !inside => format!("at {name} {from:+}, outside its {size} bytes"),
            (Some(member), Access::Load) => format!("at {member}, which is not simulated"),
            (Some(member), Access::Store) => format!("at {member}, which programs may not write"),
            (None, Access::Load) => format!("at {name} {from:+}, where nothing is that a program can read"),
            (None, Access::Store) => format!("at {name} {from:+}, which is read-only"),
        };
        Denied { access, bytes, at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Clang takes a bitfield out of eight bytes: its neighbours are read along with it, and not by themselves.
    #[test]
    fn neighbours_of_bitfields_are_not_read_alone() {
        let rights = [ALONG, ALONG, READ, ALONG, 0, READ | WRITE, READ | WRITE, READ];
        let may_read = |offset, length| readable(&[0; 8], &rights, offset, length).is_some();
        assert!(may_read(0, 4) && may_read(2, 1) && may_read(5, 3));
        assert!(!may_read(0, 2) && !may_read(3, 1) && !may_read(0, 8) && !may_read(7, 2));
        let may_write = |offset, length| writable(&mut [0; 8], &rights, offset, length).is_some();
        assert!(may_write(5, 2) && !may_write(5, 3) && !may_write(2, 1));
    }

    // An address that runs over the end of its region, or under its beginning, is in no other.
    #[test]
    fn regions_are_far_apart() {
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
