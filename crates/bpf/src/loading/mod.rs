//! Contents of an object for a loader (bpf(2)): types, maps, instructions with unresolved relocations, and
//! members of the congestion controls. The module reads nothing of the running kernel except the types.

mod code;
mod kernel;
mod types;

pub use code::{LoadTimeValue, LoadableProgram, ProgramKind};
pub use kernel::{KernelTypes, StructOps};

use crate::btf::{self, Btf, Type, TypeId};
use crate::elf::{Elf, Section};
use crate::error::{ObjectError, ObjectProblem};
use crate::kernel::KCONFIG_OPTIONS;
use code::ProgramBuilder;
use std::collections::BTreeMap;

/// `BPF_MAP_TYPE_ARRAY`.
const BPF_MAP_TYPE_ARRAY: u32 = 2;
const BPF_F_RDONLY_PROG: u32 = 1 << 7;
/// Sections with congestion controls.
const STRUCT_OPS_SECTIONS: [&str; 2] = [".struct_ops", ".struct_ops.link"];
/// Sections with data.
const DATA_SECTIONS: [&str; 3] = [".rodata", ".data", ".bss"];
/// Name of the section for kernel-configuration options. No file contains the section. A map of this name
/// replaces the section, with eight bytes per option.
const KCONFIG_SECTION: &str = ".kconfig";

/// Object that is ready to be loaded into a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadableObject {
    /// Text of the section `license`.
    pub license: String,
    /// Types in a form that a kernel accepts.
    pub btf_types: Vec<u8>,
    /// Maps of the object, and a map for each data section.
    pub maps: Vec<LoadableMap>,
    /// Programs of the congestion controls, and programs that process packets.
    pub programs: Vec<LoadableProgram>,
    /// Congestion controls.
    pub congestion_controls: Vec<LoadableCongestionControl>,
}

/// Map that the loader creates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadableMap {
    /// Name of the variable or of the section.
    pub name: String,
    /// Map type `BPF_MAP_TYPE_*`.
    pub kind: u32,
    /// Size of a key in bytes.
    pub key_bytes: u32,
    /// Size of a value in bytes.
    pub value_bytes: u32,
    /// Maximum number of entries.
    pub max_entries: u32,
    /// `BPF_F_*`.
    pub flags: u32,
    /// Types of key and value, if the object declares key and value types.
    pub key_value_types: Option<[u32; 2]>,
    /// Content of a data section; `None` for a map that the object declares.
    pub content: Option<Vec<u8>>,
    /// Offsets of the variables in a data section.
    pub variable_offsets: BTreeMap<String, u32>,
}

impl LoadableMap {
    /// True if programs only read the map.
    pub fn is_read_only(&self) -> bool {
        self.flags & BPF_F_RDONLY_PROG != 0
    }
}

/// Congestion control that the loader registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadableCongestionControl {
    /// Name by which sockets select the congestion control.
    pub name: String,
    /// Name of the variable.
    pub variable: String,
    /// Members by name. A callback is the index of the program in [`LoadableObject::programs`]; other members are
    /// bytes.
    pub members: Vec<(String, MemberValue)>,
}

/// Value of a member of a congestion control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemberValue {
    /// Bytes of a number or a text.
    Bytes(Vec<u8>),
    /// Callback, as the program's index in [`LoadableObject::programs`].
    Program(usize),
}

impl LoadableObject {
    /// Parses an object from the bytes of a file; errors contain `name`.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes are not a BPF object, or if the loader does not support an extern or a
    /// pointer in the object's data.
    pub fn read(bytes: &[u8], name: &str) -> Result<LoadableObject, ObjectError> {
        let build = || {
            let elf = Elf::read(bytes)?;
            let (_, section) = elf.section(".BTF").ok_or_else(|| btf::btf_error("there is none"))?;
            let btf = Btf::read(&section.bytes)?;
            let mut places = MapIndices::new(&elf, &btf)?;
            let maps = std::mem::take(&mut places.maps);
            let mut code = ProgramBuilder::new(&elf, &btf, &places)?;
            let mut controls = Vec::new();
            for name in STRUCT_OPS_SECTIONS {
                let Some((index, section)) = elf.section(name) else { continue };
                for &variable in btf.section_variables(name) {
                    controls.push(read_control(&elf, &btf, (index, section), variable, &mut code)?);
                }
            }
            code.add_filters()?;
            let types = types::convert_types(&section.bytes)?;
            let license = crate::object::read_license(&elf);
            Ok(LoadableObject {
                license,
                btf_types: types,
                maps,
                programs: code.programs,
                congestion_controls: controls,
            })
        };
        build().map_err(|problem| ObjectError { file: name.to_owned(), problem })
    }

    /// Sets the kernel-configuration options that programs read. `value` returns the value for an option's
    /// name. A missing option is 0.
    pub fn set_kconfig_values(&mut self, value: impl Fn(&str) -> Option<u64>) {
        for map in self.maps.iter_mut().filter(|map| map.name == KCONFIG_SECTION) {
            let Some(content) = &mut map.content else { continue };
            for (name, at) in &map.variable_offsets {
                let place = content.get_mut(*at as usize..).and_then(|rest| rest.first_chunk_mut());
                if let Some(place) = place {
                    *place = value(name).unwrap_or(0).to_ne_bytes();
                }
            }
        }
    }
}

/// Map indices of an object's data sections and declared maps.
pub(crate) struct MapIndices {
    maps: Vec<LoadableMap>,
    /// Index of the map for each data section, by the section's index.
    data: BTreeMap<usize, usize>,
    /// Index of each map, by the map's offset in `.maps`.
    map_at: BTreeMap<u64, usize>,
    /// Index of the section `.maps`.
    section: Option<usize>,
    /// Map of the kernel configuration and offset of each option in the map; `None` if no program reads an
    /// option.
    configuration: Option<(usize, BTreeMap<String, u32>)>,
}

impl MapIndices {
    fn new(elf: &Elf, btf: &Btf) -> Result<MapIndices, ObjectProblem> {
        let mut places = MapIndices {
            maps: Vec::new(),
            data: BTreeMap::new(),
            map_at: BTreeMap::new(),
            section: None,
            configuration: None,
        };
        for (index, section) in elf.sections.iter().enumerate() {
            let is_data = DATA_SECTIONS.iter().any(|name| section.name.starts_with(name));
            if section.allocated && !section.executable && is_data && !section.bytes.is_empty() {
                places.data.insert(index, places.maps.len());
                places.maps.push(data_map(elf, index, section)?);
            }
        }
        if !btf.section_variables(KCONFIG_SECTION).is_empty() {
            let map = kconfig_map(elf, btf)?;
            places.configuration = Some((places.maps.len(), map.variable_offsets.clone()));
            places.maps.push(map);
        }
        if let Some((section, _)) = elf.section(".maps") {
            places.section = Some(section);
            for &variable in btf.section_variables(".maps") {
                let (name, kind) = btf.variable(variable)?;
                let wrong = |why: String| ObjectProblem::Map { map: name.to_owned(), why };
                let at = elf.variable_offset(section, name).ok_or_else(|| wrong("has no symbol".into()))?;
                places.map_at.insert(at, places.maps.len());
                places.maps.push(declared_map(btf, name, kind)?);
            }
        }
        Ok(places)
    }

    /// Returns the map that contains a kernel-configuration option, and the byte offset in the map.
    pub(crate) fn kconfig_location(&self, name: &str) -> Option<(usize, u32)> {
        let (map, variables) = self.configuration.as_ref()?;
        Some((*map, *variables.get(name)?))
    }

    /// Returns the map for an address in a section. For a data section, also returns the byte offset in the
    /// map.
    pub(crate) fn map_location(&self, section: usize, offset: u64) -> Option<(usize, Option<u32>)> {
        match self.data.get(&section) {
            Some(map) => Some((*map, Some(u32::try_from(offset).ok()?))),
            None if self.section == Some(section) => Some((*self.map_at.get(&offset)?, None)),
            None => None,
        }
    }
}

/// Returns the map of the options that programs read (`extern … __kconfig`). All values are zero until the
/// kernel's options are set.
fn kconfig_map(elf: &Elf, btf: &Btf) -> Result<LoadableMap, ObjectProblem> {
    let mut variables = BTreeMap::new();
    for &variable in btf.section_variables(KCONFIG_SECTION) {
        let (name, kind) = btf.variable(variable)?;
        let wrong = |why: String| ObjectProblem::Section { section: KCONFIG_SECTION.into(), why };
        if !matches!(btf.type_bytes(kind)?, 1 | 2 | 4 | 8) {
            return Err(wrong(format!("{name} is not a number")));
        }
        let is_weak = elf.symbols.iter().any(|symbol| symbol.name == name && symbol.weak);
        if !KCONFIG_OPTIONS.contains(&name) && !is_weak {
            let known = KCONFIG_OPTIONS.join(", ");
            return Err(wrong(format!(
                "refers to {name}, which is not a known option of a kernel (known: {known})"
            )));
        }
        variables.insert(name.to_owned(), 8 * variables.len() as u32);
    }
    let bytes = 8 * variables.len();
    Ok(LoadableMap {
        name: KCONFIG_SECTION.to_owned(),
        kind: BPF_MAP_TYPE_ARRAY,
        key_bytes: 4,
        value_bytes: bytes as u32,
        max_entries: 1,
        flags: BPF_F_RDONLY_PROG,
        key_value_types: None,
        content: Some(vec![0; bytes]),
        variable_offsets: variables,
    })
}

fn data_map(elf: &Elf, index: usize, section: &Section) -> Result<LoadableMap, ObjectProblem> {
    if !section.relocations.is_empty() {
        let why =
            "contains pointers, expected data without pointers, because no kernel initialises them".into();
        return Err(ObjectProblem::Section { section: section.name.clone(), why });
    }
    let is_here = |symbol: &&crate::elf::Symbol| symbol.section == Some(index) && !symbol.is_function;
    let variables = elf.symbols.iter().filter(is_here);
    Ok(LoadableMap {
        name: section.name.clone(),
        kind: BPF_MAP_TYPE_ARRAY,
        key_bytes: 4,
        value_bytes: section.bytes.len() as u32,
        max_entries: 1,
        flags: if section.writable { 0 } else { BPF_F_RDONLY_PROG },
        key_value_types: None,
        content: Some(section.bytes.clone()),
        variable_offsets: variables.map(|symbol| (symbol.name.clone(), symbol.value as u32)).collect(),
    })
}

/// Returns a map as declared by `__uint` and `__type`.
fn declared_map(btf: &Btf, name: &str, structure: TypeId) -> Result<LoadableMap, ObjectProblem> {
    let mut map = LoadableMap {
        name: name.to_owned(),
        kind: 0,
        key_bytes: 0,
        value_bytes: 0,
        max_entries: 0,
        flags: 0,
        key_value_types: None,
        content: None,
        variable_offsets: BTreeMap::new(),
    };
    let mut types = [None, None];
    for member in btf.members(structure)? {
        let (_, Type::Pointer(target)) = btf.resolve_type(member.type_id)? else { continue };
        let number = || match btf.resolve_type(*target) {
            Ok((_, Type::Array { count, .. })) => *count,
            _ => 0,
        };
        match btf.name_text(member.name) {
            "type" => map.kind = number(),
            "max_entries" => map.max_entries = number(),
            "map_flags" => map.flags = number(),
            "key_size" => map.key_bytes = number(),
            "value_size" => map.value_bytes = number(),
            "key" => (map.key_bytes, types[0]) = (btf.type_bytes(*target)? as u32, Some(target.0)),
            "value" => (map.value_bytes, types[1]) = (btf.type_bytes(*target)? as u32, Some(target.0)),
            other => {
                let why = format!("declares {other}, which Airhop cannot load into a kernel");
                return Err(ObjectProblem::Map { map: name.to_owned(), why });
            }
        }
    }
    if let [Some(key), Some(value)] = types {
        map.key_value_types = Some([key, value]);
    }
    Ok(map)
}

/// Returns the name and the members of a variable `struct tcp_congestion_ops`.
fn read_control(
    elf: &Elf,
    btf: &Btf,
    (index, section): (usize, &Section),
    variable: TypeId,
    code: &mut ProgramBuilder<'_>,
) -> Result<LoadableCongestionControl, ObjectProblem> {
    let (variable, kind) = btf.variable(variable)?;
    let wrong = |why: &str| ObjectProblem::StructOps { variable: variable.to_owned(), why: why.to_owned() };
    let at = elf.variable_offset(index, variable).ok_or_else(|| wrong("has no symbol"))?;
    let mut control =
        LoadableCongestionControl { name: String::new(), variable: variable.to_owned(), members: Vec::new() };
    for member in btf.members(kind)? {
        let (name, start) =
            (btf.name_text(member.name).to_owned(), at.saturating_add(u64::from(member.bit_offset / 8)));
        let value = match section.relocations.iter().find(|relocation| relocation.offset == start) {
            Some(relocation) => MemberValue::Program(code.add_callback(relocation)?),
            None => {
                let bytes = section
                    .bytes
                    .get(start as usize..)
                    .and_then(|rest| rest.get(..btf.type_bytes(member.type_id).ok()? as usize));
                MemberValue::Bytes(bytes.ok_or_else(|| wrong("extends beyond its section"))?.to_vec())
            }
        };
        if let ("name", MemberValue::Bytes(bytes)) = (name.as_str(), &value) {
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            control.name = String::from_utf8_lossy(&bytes[..end]).into_owned();
        }
        control.members.push((name, value));
    }
    Ok(control)
}
