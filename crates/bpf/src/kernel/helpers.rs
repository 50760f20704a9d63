//! Helper functions that any program may call by number (linux/bpf.h; bpf-helpers(7)).

use super::HZ;
use super::printer::Printer;
use crate::fault::FaultCause;
use crate::maps::{Map, MapKind};
use crate::memory::{Access, AddressSpace, Memory};
use airhop_base::SplitMix64;

/// Error code `-EFAULT` of helpers.
const EFAULT: i64 = -14;
/// `-EINVAL`.
pub(super) const EINVAL: i64 = -22;
/// `BPF_HDR_START_NET`.
const BPF_HDR_START_NET: u32 = 1;
/// Maximum number of bytes that one call may copy.
const MAX_COPY_BYTES: u64 = 1 << 16;

/// BPF helper function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Helper {
    MapLookup,
    MapUpdate,
    MapDelete,
    Loop,
    SpinLock,
    SpinUnlock,
    ProbeRead,
    KtimeNs,
    TracePrintk,
    TraceVprintk,
    Random,
    Processor,
    SkbLoadBytes,
    SkbLoadBytesRelative,
    SkbPullData,
    SetSockOpt,
    GetSockOpt,
    StorageGet,
    StorageDelete,
    TcpSendAck,
    Jiffies,
    ToTcpSock,
}

use Helper::*;

impl Helper {
    /// All helpers with numbers and names. Several clocks share one implementation. A simulated kernel never
    /// sleeps, and its time of day starts at 1970.
    const ALL: [(i32, &'static str, Helper); 26] = [
        (1, "bpf_map_lookup_elem", MapLookup),
        (2, "bpf_map_update_elem", MapUpdate),
        (3, "bpf_map_delete_elem", MapDelete),
        (4, "bpf_probe_read", ProbeRead),
        (5, "bpf_ktime_get_ns", KtimeNs),
        (6, "bpf_trace_printk", TracePrintk),
        (7, "bpf_get_prandom_u32", Random),
        (8, "bpf_get_smp_processor_id", Processor),
        (26, "bpf_skb_load_bytes", SkbLoadBytes),
        (39, "bpf_skb_pull_data", SkbPullData),
        (49, "bpf_setsockopt", SetSockOpt),
        (57, "bpf_getsockopt", GetSockOpt),
        (68, "bpf_skb_load_bytes_relative", SkbLoadBytesRelative),
        (93, "bpf_spin_lock", SpinLock),
        (94, "bpf_spin_unlock", SpinUnlock),
        (107, "bpf_sk_storage_get", StorageGet),
        (108, "bpf_sk_storage_delete", StorageDelete),
        (113, "bpf_probe_read_kernel", ProbeRead),
        (116, "bpf_tcp_send_ack", TcpSendAck),
        (118, "bpf_jiffies64", Jiffies),
        (125, "bpf_ktime_get_boot_ns", KtimeNs),
        (137, "bpf_skc_to_tcp_sock", ToTcpSock),
        (160, "bpf_ktime_get_coarse_ns", KtimeNs),
        (177, "bpf_trace_vprintk", TraceVprintk),
        (181, "bpf_loop", Loop),
        (208, "bpf_ktime_get_tai_ns", KtimeNs),
    ];

    /// Returns the helper with this number. An error explains why Airhop does not simulate the helper.
    pub(crate) fn from_number(number: i32) -> Result<Helper, String> {
        let found = Helper::ALL.iter().find(|(known, ..)| *known == number);
        found.map(|(.., helper)| *helper).ok_or_else(|| {
            let known = Helper::ALL.map(|(_, name, _)| name).join(", ");
            format!("calls helper {number} (named in linux/bpf.h), which is not simulated (simulated helpers: {known})")
        })
    }

    /// Returns the helper's name; the first if the helper has several names.
    pub(crate) fn name(self) -> &'static str {
        Helper::ALL.iter().find(|(.., helper)| *helper == self).map_or("a helper", |(_, name, _)| name)
    }

    /// Returns the simulated helpers with number and name.
    pub(crate) fn simulated() -> Vec<(i32, &'static str)> {
        Helper::ALL.iter().map(|&(number, name, _)| (number, name)).collect()
    }

    pub(crate) fn call_error(self, why: impl Into<String>) -> FaultCause {
        FaultCause::Call { function: self.name(), why: why.into() }
    }
}

/// State of the helpers during the call of a program.
#[derive(Debug)]
pub(crate) struct HelperContext<'a> {
    pub memory: Memory<'a>,
    pub maps: &'a mut [Map],
    /// Random numbers for programs without a socket.
    pub random: &'a mut SplitMix64,
    pub now_ns: u64,
    /// Buffer for bytes copied from one region to another.
    pub scratch: &'a mut Vec<u8>,
    /// Address of the spin lock that the program holds; `None` without a lock.
    pub held_lock: Option<u64>,
    /// Printer of the program's output.
    pub printer: Printer<'a>,
}

/// Converts a helper's result to its register value: 0, or an error code.
fn register_value(result: Result<(), i64>) -> u64 {
    result.map_or_else(|error| error as u64, |()| 0)
}

impl HelperContext<'_> {
    /// Calls a helper with the registers r1 to r5.
    pub(crate) fn call_helper(&mut self, helper: Helper, arguments: [u64; 5]) -> Result<u64, FaultCause> {
        let [first, second, third, fourth, fifth] = arguments;
        if self.held_lock.is_some() && !matches!(helper, SpinLock | SpinUnlock) {
            return Err(helper.call_error("a kernel refuses calls of its functions while a lock is held"));
        }
        match helper {
            MapLookup => self.map_lookup(helper, first, second),
            MapUpdate => self.map_update(helper, first, second, third, fourth),
            MapDelete => {
                let map = self.keyed_map_index(helper, first)?;
                self.copy_to_scratch(second, self.maps[map].definition.key_bytes as u64, helper)?;
                Ok(register_value(self.maps[map].remove(self.scratch)))
            }
            ProbeRead => self.probe_read(helper, first, second, third),
            KtimeNs => Ok(self.now_ns),
            Jiffies => Ok(self.now_ns / (1_000_000_000 / HZ)),
            Random => {
                let random =
                    self.memory.socket.as_mut().map_or(&mut *self.random, |socket| &mut socket.random);
                Ok(random.draw() >> 32)
            }
            Processor | SkbPullData => Ok(0),
            TracePrintk => self.trace_printk(helper, first, second, &[third, fourth, fifth]),
            TraceVprintk => self.trace_vprintk(helper, first, second, [third, fourth]),
            SpinLock | SpinUnlock => self.lock_or_unlock(helper, first),
            Loop => Err(helper.call_error("is the interpreter's")),
            // The packet begins with its IP header, so the network header is at its start.
            SkbLoadBytesRelative if fifth as u32 != BPF_HDR_START_NET => Err(helper.call_error(format!(
                "start_header {fifth}: packets have no link-layer header, BPF_HDR_START_NET (1) is simulated"
            ))),
            SkbLoadBytes | SkbLoadBytesRelative => self.skb_load_bytes(helper, second, third, fourth),
            SetSockOpt => self.set_option(helper, first, [second, third, fourth, fifth]),
            GetSockOpt => self.get_option(helper, first, [second, third, fourth, fifth]),
            StorageGet => self.storage_get(helper, first, second, third, fourth),
            StorageDelete => {
                let (map, number) = self.socket_storage(helper, first, second)?;
                Ok(register_value(self.maps[map].remove(&number.to_le_bytes())))
            }
            TcpSendAck => {
                self.expect_socket(helper, first)?;
                if let Some(socket) = &mut self.memory.socket {
                    socket.ack_request = Some(second as u32);
                }
                Ok(0)
            }
            ToTcpSock => self.expect_socket(helper, first).map(|_| first),
        }
    }

    /// Returns the map that an argument points to.
    fn map_index(&self, helper: Helper, address: u64) -> Result<usize, FaultCause> {
        match AddressSpace::from_address(address) {
            Some((AddressSpace::Map(map), 0)) if map < self.maps.len() => Ok(map),
            _ => Err(helper.call_error(format!("{address:#x} is not a map"))),
        }
    }

    /// Returns the map that an argument points to; an error if the map has no keys.
    fn keyed_map_index(&self, helper: Helper, address: u64) -> Result<usize, FaultCause> {
        let map = self.map_index(helper, address)?;
        match self.maps[map].definition.kind {
            MapKind::Socket => Err(helper.call_error("a map of sockets is for bpf_sk_storage_get")),
            _ => Ok(map),
        }
    }

    /// Returns the bytes that an argument points to.
    pub(super) fn readable_bytes(
        &self,
        address: u64,
        length: u64,
        helper: Helper,
    ) -> Result<&[u8], FaultCause> {
        if length > MAX_COPY_BYTES {
            return Err(helper.call_error(format!("{length} bytes, expected at most {MAX_COPY_BYTES}")));
        }
        let length = length as usize;
        let denied = || FaultCause::Memory(self.memory.access_error(Access::Load, address, length));
        self.memory.readable_bytes(address, length).ok_or_else(denied)
    }

    /// Writes the bytes of `scratch` to the address in an argument.
    pub(super) fn write_scratch(&mut self, address: u64) -> Result<(), FaultCause> {
        match self.memory.writable_bytes(address, self.scratch.len()) {
            Some(target) => {
                target.copy_from_slice(self.scratch);
                Ok(())
            }
            None => {
                Err(FaultCause::Memory(self.memory.access_error(Access::Store, address, self.scratch.len())))
            }
        }
    }

    /// Copies readable bytes at `address` into `scratch`.
    fn copy_to_scratch(&mut self, address: u64, length: u64, helper: Helper) -> Result<(), FaultCause> {
        let mut scratch = std::mem::take(self.scratch);
        scratch.clear();
        let taken =
            self.readable_bytes(address, length, helper).map(|bytes| scratch.extend_from_slice(bytes));
        *self.scratch = scratch;
        taken
    }

    fn map_lookup(&mut self, helper: Helper, map: u64, key: u64) -> Result<u64, FaultCause> {
        let map = self.keyed_map_index(helper, map)?;
        let length = self.maps[map].definition.key_bytes;
        let Some(key) = self.memory.readable_bytes(key, length) else {
            return Err(self.memory.access_error(Access::Load, key, length).into());
        };
        Ok(self.maps[map].find_slot(key).map_or(0, |slot| AddressSpace::Value(map, slot).address(0)))
    }

    fn map_update(
        &mut self,
        helper: Helper,
        map: u64,
        key: u64,
        value: u64,
        flags: u64,
    ) -> Result<u64, FaultCause> {
        let map = self.keyed_map_index(helper, map)?;
        let definition = &self.maps[map].definition;
        let (key_bytes, value_bytes) = (definition.key_bytes as u64, definition.value_bytes as u64);
        self.copy_to_scratch(key, key_bytes, helper)?;
        self.readable_bytes(value, value_bytes, helper)?;
        let region = self.maps[map].region;
        match self.maps[map].find_or_insert(self.scratch, flags, &mut self.memory.regions[region]) {
            Ok(slot) => {
                self.copy_to_scratch(value, value_bytes, helper)?;
                self.memory.regions[region].set_value(slot, self.scratch);
                Ok(0)
            }
            Err(error) => Ok(error as u64),
        }
    }

    /// Reads from an arbitrary address. If the address is invalid, the program receives an error code. A
    /// socket member that is not simulated ends the program.
    fn probe_read(
        &mut self,
        helper: Helper,
        target: u64,
        length: u64,
        source: u64,
    ) -> Result<u64, FaultCause> {
        let length = u64::from(length as u32);
        let result = if self.memory.is_mapped(source) {
            self.copy_to_scratch(source, length, helper)?;
            0
        } else {
            self.readable_bytes(target, length, helper)?;
            self.scratch.clear();
            self.scratch.resize(length as usize, 0);
            EFAULT
        };
        self.write_scratch(target)?;
        Ok(result as u64)
    }

    fn skb_load_bytes(
        &mut self,
        helper: Helper,
        offset: u64,
        target: u64,
        length: u64,
    ) -> Result<u64, FaultCause> {
        let (offset, length) = (offset as u32, u64::from(length as u32));
        if u64::from(offset) + length > self.memory.packet.len() as u64 {
            return Ok(EFAULT as u64);
        }
        self.copy_to_scratch(AddressSpace::Packet.address(offset), length, helper)?;
        self.write_scratch(target).map(|()| 0)
    }

    /// `bpf_spin_lock` and `bpf_spin_unlock`. Every lock is free, because there is one processor. A program
    /// may hold only one lock at a time.
    fn lock_or_unlock(&mut self, helper: Helper, lock: u64) -> Result<u64, FaultCause> {
        if !self.memory.may_be_lock(lock) {
            return Err(
                helper.call_error("a lock is a struct bpf_spin_lock of a map's value, or in a variable")
            );
        }
        match (helper, self.held_lock) {
            (SpinLock, None) => self.held_lock = Some(lock),
            (SpinLock, Some(_)) => return Err(helper.call_error("a lock is already held")),
            (_, held) if held == Some(lock) => self.held_lock = None,
            _ => return Err(helper.call_error("the lock is not held")),
        }
        Ok(0)
    }

    /// Checks that an argument is the socket of this call.
    pub(super) fn expect_socket(&self, helper: Helper, address: u64) -> Result<u32, FaultCause> {
        match &self.memory.socket {
            Some(socket) if address == AddressSpace::Socket.address(0) => Ok(socket.number),
            _ => Err(helper.call_error(format!("{address:#x} is not the socket of this call"))),
        }
    }

    /// Returns a socket-storage map and the number of the socket.
    fn socket_storage(&self, helper: Helper, map: u64, socket: u64) -> Result<(usize, u32), FaultCause> {
        let map = self.map_index(helper, map)?;
        match self.maps[map].definition.kind {
            MapKind::Socket => Ok((map, self.expect_socket(helper, socket)?)),
            _ => Err(helper.call_error("not a map of sockets (BPF_MAP_TYPE_SK_STORAGE)")),
        }
    }

    /// Returns the socket's value in a map. `BPF_SK_STORAGE_GET_F_CREATE` (1) in `flags` creates a missing
    /// value from the bytes at `initial`, or from zeros.
    fn storage_get(
        &mut self,
        helper: Helper,
        map: u64,
        socket: u64,
        initial: u64,
        flags: u64,
    ) -> Result<u64, FaultCause> {
        let (map, number) = self.socket_storage(helper, map, socket)?;
        let (key, region) = (number.to_le_bytes(), self.maps[map].region);
        let value = |slot| AddressSpace::Value(map, slot).address(0);
        if let Some(slot) = self.maps[map].find_slot(&key) {
            return Ok(value(slot));
        }
        if flags & 1 == 0 {
            return Ok(0);
        }
        let Ok(slot) = self.maps[map].find_or_insert(&key, 0, &mut self.memory.regions[region]) else {
            return Ok(0);
        };
        if initial != 0 {
            self.copy_to_scratch(initial, self.maps[map].definition.value_bytes as u64, helper)?;
            self.memory.regions[region].set_value(slot, self.scratch);
        }
        Ok(value(slot))
    }
}
