//! Maps: state of programs outside the socket (the kernel's documentation, bpf/maps).

use crate::btf::{Btf, Type, TypeId};
use crate::error::ObjectProblem;
use crate::memory::{LOCK_BYTES, Region};
use std::collections::BTreeMap;

/// Maximum total size of a map's values in bytes.
const MAX_MAP_BYTES: u64 = 64 << 20;
/// Maximum size of a key in bytes, as in the kernel.
const MAX_KEY_BYTES: u64 = 512;

/// `BPF_F_NO_PREALLOC`.
const BPF_F_NO_PREALLOC: u64 = 1;
const BPF_F_NO_COMMON_LRU: u64 = 1 << 1;
const BPF_F_CLONE: u64 = 1 << 9;
const BPF_F_MMAPABLE: u64 = 1 << 10;
/// Flags without effect on programs: `BPF_F_NUMA_NODE`, `BPF_F_RDONLY` and `BPF_F_WRONLY`.
const IGNORED_FLAGS: u64 = 1 << 2 | 1 << 3 | 1 << 4;
const IGNORED_KEYED_FLAGS: u64 = IGNORED_FLAGS | 1 << 6;

/// Error code `-ENOENT` of helpers.
const ENOENT: i64 = -2;
const E2BIG: i64 = -7;
const EEXIST: i64 = -17;
const EINVAL: i64 = -22;

/// Type of a map. A run has one processor, so a per-CPU map has only one set of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapKind {
    Hash,
    Array,
    /// Hash that removes the least recently used entry when full.
    Lru,
    /// One value for each socket.
    Socket,
}

/// Declaration of a map in an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MapDefinition {
    pub name: String,
    pub kind: MapKind,
    pub key_bytes: usize,
    pub value_bytes: usize,
    pub max_entries: u32,
    /// Offset of the `struct bpf_spin_lock` in a value; `None` without a lock.
    pub lock_offset: Option<usize>,
}

/// Members of a declaration.
#[derive(Default)]
struct MapDeclaration {
    kind: u64,
    key: u64,
    value: u64,
    entries: u64,
    flags: u64,
}

impl MapDefinition {
    /// Reads a variable of the section `.maps`. The variable is a structure of `__uint` and `__type` members
    /// that define the map.
    pub(crate) fn read(btf: &Btf, name: &str, structure: TypeId) -> Result<MapDefinition, ObjectProblem> {
        let mut declared = MapDeclaration::default();
        let mut lock = None;
        let wrong = |why: String| ObjectProblem::Map { map: name.to_owned(), why };
        for member in btf.members(structure)? {
            match btf.name_text(member.name) {
                "type" => declared.kind = declared_number(btf, member.type_id)?,
                "max_entries" => declared.entries = declared_number(btf, member.type_id)?,
                "key_size" => declared.key = declared_number(btf, member.type_id)?,
                "value_size" => declared.value = declared_number(btf, member.type_id)?,
                "key" => declared.key = declared_type_bytes(btf, member.type_id)?,
                "value" => {
                    declared.value = declared_type_bytes(btf, member.type_id)?;
                    lock = spin_lock_offset(btf, member.type_id).map_err(wrong)?;
                }
                "map_flags" => declared.flags = declared_number(btf, member.type_id)?,
                "pinning" | "numa_node" => {}
                other => return Err(wrong(format!("declares {other}, which is not simulated"))),
            }
        }
        let kind = declared.check().map_err(wrong)?;
        if lock.is_some() && !matches!(declared.kind, 1 | 2 | 24) {
            return Err(wrong(
                "values with a spin lock, which hashes, arrays and sk_storage may have".into(),
            ));
        }
        Ok(MapDefinition {
            name: name.to_owned(),
            kind,
            key_bytes: declared.key as usize,
            value_bytes: declared.value as usize,
            max_entries: declared.entries as u32,
            lock_offset: lock,
        })
    }
}

impl MapDeclaration {
    /// Returns the type of map; an error if the declared numbers are invalid for this type.
    fn check(&self) -> Result<MapKind, String> {
        let kind = match self.kind {
            1 | 5 => MapKind::Hash,
            2 | 6 => MapKind::Array,
            9 | 10 => MapKind::Lru,
            24 => MapKind::Socket,
            other => {
                return Err(format!(
                    "type {other} is not simulated (simulated types: hash, array and LRU hash, also per CPU, and sk_storage)"
                ));
            }
        };
        self.check_flags(kind)?;
        if self.value == 0 || self.key == 0 || self.key > MAX_KEY_BYTES {
            return Err(format!(
                "keys of {} bytes (1 to {MAX_KEY_BYTES}), values of {} (1 or more)",
                self.key, self.value
            ));
        }
        if matches!(kind, MapKind::Array | MapKind::Socket) && self.key != 4 {
            return Err(format!("keys of {} bytes, expected 4", self.key));
        }
        if kind != MapKind::Socket && !(1..=u64::from(u32::MAX)).contains(&self.entries) {
            return Err(format!("max_entries = {}", self.entries));
        }
        let bytes = self.value.saturating_add(8).saturating_mul(self.entries.max(1));
        if bytes > MAX_MAP_BYTES {
            return Err(format!("its values have {bytes} bytes, expected at most {MAX_MAP_BYTES}"));
        }
        Ok(kind)
    }

    /// Checks the flags as a kernel does (htab_map_alloc_check(), array_map_alloc_check(),
    /// bpf_local_storage_map_alloc_check()). Maps with `BPF_F_RDONLY_PROG` or `BPF_F_WRONLY_PROG` are not
    /// simulated.
    fn check_flags(&self, kind: MapKind) -> Result<(), String> {
        let (required, allowed) = match kind {
            MapKind::Hash => (0, BPF_F_NO_PREALLOC | IGNORED_KEYED_FLAGS),
            MapKind::Lru => (0, BPF_F_NO_COMMON_LRU | IGNORED_KEYED_FLAGS),
            MapKind::Array => (0, BPF_F_MMAPABLE | IGNORED_FLAGS),
            MapKind::Socket => (BPF_F_NO_PREALLOC, BPF_F_NO_PREALLOC | BPF_F_CLONE),
        };
        match self.flags & !allowed == 0 && self.flags & required == required {
            true => Ok(()),
            false => {
                Err(format!("map_flags {:#x}, expected bits of {allowed:#x}, with {required:#x}", self.flags))
            }
        }
    }
}

/// Returns N for `__uint(name, N)`, declared as a pointer to an array of N elements.
fn declared_number(btf: &Btf, id: TypeId) -> Result<u64, ObjectProblem> {
    if let Type::Pointer(array) = btf.resolve_type(id)?.1
        && let Type::Array { count, .. } = btf.resolve_type(*array)?.1
    {
        return Ok(u64::from(*count));
    }
    Err(crate::btf::btf_error(format!("type {} is not a number of a map (expected __uint)", id.0)))
}

/// Returns the size of T for `__type(name, T)`, declared as a pointer to T.
fn declared_type_bytes(btf: &Btf, id: TypeId) -> Result<u64, ObjectProblem> {
    match btf.resolve_type(id)?.1 {
        Type::Pointer(target) => btf.type_bytes(*target),
        _ => Err(crate::btf::btf_error(format!("type {} is not a type of a map (expected __type)", id.0))),
    }
}

/// Returns the offset of the `struct bpf_spin_lock` in a map's value. A value has at most one lock
/// (btf_parse_fields()).
fn spin_lock_offset(btf: &Btf, pointer: TypeId) -> Result<Option<usize>, String> {
    let Ok((_, &Type::Pointer(value))) = btf.resolve_type(pointer) else { return Ok(None) };
    let Ok(members) = btf.members(value) else { return Ok(None) };
    let lock = btf.find_composite("bpf_spin_lock");
    let mut locks = members.iter().filter(|member| {
        let kind = btf.resolve_type(member.type_id).ok().map(|(kind, _)| kind);
        kind.is_some() && kind == lock
    });
    match (locks.next(), locks.next()) {
        (_, Some(_)) => Err("values with two spin locks".into()),
        (lock, None) => Ok(lock.map(|lock| lock.bit_offset as usize / 8)),
    }
}

/// Map in a run. A memory [`Region`] stores the values, one per slot; this structure assigns keys to slots.
#[derive(Clone, Debug)]
pub(crate) struct Map {
    pub definition: MapDefinition,
    /// Index of the region with the values.
    pub region: usize,
    slots: BTreeMap<Box<[u8]>, u32>,
    free: Vec<u32>,
    /// Keys of an LRU hash, the least recently used first.
    by_use: BTreeMap<u64, Box<[u8]>>,
    last_use: Vec<u64>,
    uses: u64,
}

impl Map {
    /// Creates an empty map, and the region for its values.
    pub(crate) fn new(definition: MapDefinition, region: usize) -> (Map, Region) {
        let bytes = match definition.kind {
            MapKind::Array => definition.max_entries as usize * definition.stride(),
            _ => 0,
        };
        let values = Region {
            name: format!("map {}", definition.name),
            bytes: vec![0; bytes],
            writable: true,
            value_bytes: definition.value_bytes,
            stride: definition.stride(),
            lock_range: definition.lock_offset.map_or(0..0, |lock| lock..lock + LOCK_BYTES),
        };
        let map = Map {
            definition,
            region,
            slots: BTreeMap::new(),
            free: Vec::new(),
            by_use: BTreeMap::new(),
            last_use: Vec::new(),
            uses: 0,
        };
        (map, values)
    }

    /// Returns the slot of a key's value in the region; `None` if the map does not contain the key.
    pub(crate) fn find_slot(&mut self, key: &[u8]) -> Option<u32> {
        if self.definition.kind == MapKind::Array {
            let index = u32::from_le_bytes(*key.first_chunk()?);
            return (index < self.definition.max_entries).then_some(index);
        }
        let slot = *self.slots.get(key)?;
        self.record_use(slot, key);
        Some(slot)
    }

    /// Returns the slot of a key's value, and creates a missing entry. `flags` is 0, `BPF_NOEXIST` (1) or
    /// `BPF_EXIST` (2). The error is an error code for the program.
    pub(crate) fn find_or_insert(&mut self, key: &[u8], flags: u64, values: &mut Region) -> Result<u32, i64> {
        match (self.find_slot(key), flags) {
            (Some(_), 1) => Err(EEXIST),
            (Some(slot), 0 | 2) => Ok(slot),
            (None, 0 | 1) if self.definition.kind == MapKind::Array => Err(E2BIG),
            (None, 2) => Err(ENOENT),
            (None, 0 | 1) => self.insert(key, values),
            _ => Err(EINVAL),
        }
    }

    /// Removes a key.
    pub(crate) fn remove(&mut self, key: &[u8]) -> Result<(), i64> {
        if self.definition.kind == MapKind::Array {
            return Err(EINVAL);
        }
        let slot = self.slots.remove(key).ok_or(ENOENT)?;
        if self.definition.kind == MapKind::Lru {
            self.by_use.remove(&self.last_use[slot as usize]);
        }
        self.free.push(slot);
        Ok(())
    }

    fn insert(&mut self, key: &[u8], values: &mut Region) -> Result<u32, i64> {
        let bounded = self.definition.kind != MapKind::Socket;
        if bounded && self.slots.len() >= self.definition.max_entries as usize {
            let oldest = self.by_use.first_key_value().map(|(_, key)| key.clone()).ok_or(E2BIG)?;
            self.remove(&oldest)?;
        }
        let stride = self.definition.stride();
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None if values.bytes.len() + stride > MAX_MAP_BYTES as usize => return Err(E2BIG),
            None => {
                let slot = (values.bytes.len() / stride) as u32;
                values.bytes.resize(values.bytes.len() + stride, 0);
                slot
            }
        };
        self.slots.insert(key.into(), slot);
        self.record_use(slot, key);
        let start = slot as usize * stride;
        values.bytes[start..start + stride].fill(0);
        Ok(slot)
    }

    /// Records a use of an entry of an LRU hash.
    fn record_use(&mut self, slot: u32, key: &[u8]) {
        if self.definition.kind != MapKind::Lru {
            return;
        }
        let slot = slot as usize;
        if slot >= self.last_use.len() {
            self.last_use.resize(slot + 1, 0);
        }
        let key = self.by_use.remove(&self.last_use[slot]).unwrap_or_else(|| key.into());
        self.uses += 1;
        self.last_use[slot] = self.uses;
        self.by_use.insert(self.uses, key);
    }
}

impl MapDefinition {
    /// Returns the distance between two values in bytes.
    pub(crate) fn stride(&self) -> usize {
        self.value_bytes.next_multiple_of(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // htab_map_alloc_check(), array_map_alloc_check(), bpf_local_storage_map_alloc_check(): flags of each type of map.
    #[test]
    fn each_map_type_accepts_only_its_own_flags() {
        let with = |kind, flags| MapDeclaration { kind, key: 4, value: 8, entries: 1, flags }.check();
        for (kind, flags) in [(1, 0), (1, 1), (9, 2), (2, 1 << 10), (24, 1), (24, 1 | 1 << 9)] {
            assert!(with(kind, flags).is_ok(), "{kind} {flags:#x}");
        }
        for (kind, flags) in [(1, 2), (9, 1), (2, 1), (2, 1 << 7), (1, 1 << 8), (24, 0)] {
            let why = with(kind, flags).expect_err("every kernel rejects this map");
            assert!(why.contains(&format!("map_flags {flags:#x}, expected")), "{why}");
        }
    }

    fn map(kind: MapKind, entries: u32) -> (Map, Region) {
        let definition = MapDefinition {
            name: "m".into(),
            kind,
            key_bytes: 4,
            value_bytes: 6,
            max_entries: entries,
            lock_offset: None,
        };
        Map::new(definition, 0)
    }

    // The kernel's documentation, bpf/map_hash: BPF_NOEXIST (1) and BPF_EXIST (2). A full map accepts no new
    // key. The slot of a removed key is reused.
    #[test]
    fn a_full_hash_map_refuses_new_keys() {
        let (mut map, mut values) = map(MapKind::Hash, 2);
        let place = |map: &mut Map, values: &mut Region, key: u8, flags| {
            map.find_or_insert(&[key, 0, 0, 0], flags, values)
        };
        assert_eq!(place(&mut map, &mut values, 1, 2), Err(ENOENT));
        assert_eq!(place(&mut map, &mut values, 1, 1), Ok(0));
        assert_eq!(place(&mut map, &mut values, 1, 1), Err(EEXIST));
        assert_eq!(place(&mut map, &mut values, 2, 0), Ok(1));
        assert_eq!(values.bytes.len(), 16, "values are aligned");
        assert_eq!(place(&mut map, &mut values, 3, 0), Err(E2BIG));
        assert_eq!(place(&mut map, &mut values, 2, 4), Err(EINVAL));
        values.bytes[0] = 9;
        assert_eq!((map.remove(&[1, 0, 0, 0]), map.remove(&[1, 0, 0, 0])), (Ok(()), Err(ENOENT)));
        assert_eq!((place(&mut map, &mut values, 3, 0), values.bytes[0]), (Ok(0), 0), "the map is empty");
    }

    // A full LRU hash removes the least recently used entry, and a look-up counts as a use.
    #[test]
    fn a_full_lru_hash_evicts_the_least_recently_used_entry() {
        let (mut map, mut values) = map(MapKind::Lru, 2);
        for key in [1, 2] {
            map.find_or_insert(&[key, 0, 0, 0], 0, &mut values).unwrap();
        }
        assert!(map.find_slot(&[1, 0, 0, 0]).is_some());
        map.find_or_insert(&[3, 0, 0, 0], 0, &mut values).unwrap();
        let known = [1, 2, 3].map(|key: u8| map.find_slot(&[key, 0, 0, 0]).is_some());
        assert_eq!((known, values.bytes.len()), ([true, false, true], 16));
    }

    #[test]
    fn an_array_map_has_every_entry_from_the_start() {
        let (mut map, mut values) = map(MapKind::Array, 3);
        assert_eq!((map.find_slot(&[2, 0, 0, 0]), map.find_slot(&[3, 0, 0, 0])), (Some(2), None));
        assert_eq!(map.find_or_insert(&[3, 0, 0, 0], 0, &mut values), Err(E2BIG));
        assert_eq!(map.find_or_insert(&[1, 0, 0, 0], 1, &mut values), Err(EEXIST));
        assert_eq!(map.remove(&[1, 0, 0, 0]), Err(EINVAL));
    }
}
