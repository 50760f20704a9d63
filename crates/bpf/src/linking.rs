//! Relocations: the targets of addresses in instructions and in data.

use crate::btf::Btf;
use crate::elf::{self, Elf, Relocation, Symbol};
use crate::error::ObjectProblem;
use crate::kernel::{KCONFIG_OPTIONS, Kfunc, kconfig};
use crate::maps::MapDefinition;
use crate::memory::{AddressSpace, MAX_REGIONS, Region};
use std::collections::BTreeMap;

/// Sections with data of programs.
const DATA_SECTIONS: [&str; 3] = [".rodata", ".data", ".bss"];

/// Resolved symbols of an object.
#[derive(Debug)]
pub(crate) struct SymbolResolver<'a> {
    elf: &'a Elf,
    /// Region of each data section, by the section's index.
    region_of: BTreeMap<usize, usize>,
    /// Offset of each configuration extern in its region.
    externs: BTreeMap<String, u32>,
    extern_region: usize,
    /// Index of each map, by the map's offset in `.maps`.
    map_at: BTreeMap<u64, usize>,
    /// Index of each code section's first instruction in the program.
    pub section_starts: BTreeMap<usize, usize>,
    pub regions: Vec<Region>,
    pub maps: Vec<MapDefinition>,
}

/// Target of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Callee {
    /// Function, as the index of its first instruction.
    Function(usize),
    Kernel(Kfunc),
}

impl<'a> SymbolResolver<'a> {
    /// Assigns regions and offsets to sections, maps and externs.
    pub(crate) fn new(elf: &'a Elf, btf: &Btf) -> Result<SymbolResolver<'a>, ObjectProblem> {
        let mut linking = SymbolResolver {
            elf,
            region_of: BTreeMap::new(),
            externs: BTreeMap::new(),
            extern_region: 0,
            map_at: BTreeMap::new(),
            section_starts: BTreeMap::new(),
            regions: Vec::new(),
            maps: Vec::new(),
        };
        linking.assign_data_regions();
        linking.assign_extern_region(btf)?;
        linking.define_maps(btf)?;
        let mut length = 0;
        for (index, section) in elf.code_sections() {
            linking.section_starts.insert(index, length);
            length += section.bytes.len() / 8;
        }
        linking.relocate_data()?;
        Ok(linking)
    }

    fn assign_data_regions(&mut self) {
        for (index, section) in self.elf.sections.iter().enumerate() {
            let is_data = DATA_SECTIONS.iter().any(|name| section.name.starts_with(name));
            if section.allocated && !section.executable && is_data {
                self.region_of.insert(index, self.regions.len());
                let (name, bytes) = (section.name.clone(), section.bytes.clone());
                self.regions.push(Region::from_section(name, bytes, section.writable));
            }
        }
    }

    /// Assigns a region to the configuration externs. The file has no section for these externs.
    fn assign_extern_region(&mut self, btf: &Btf) -> Result<(), ObjectProblem> {
        let mut bytes = Vec::new();
        let weak: BTreeMap<&str, bool> =
            self.elf.symbols.iter().map(|symbol| (symbol.name.as_str(), symbol.weak)).collect();
        for &variable in btf.section_variables(".kconfig") {
            let (name, kind) = btf.variable(variable)?;
            let size = btf.type_bytes(kind)?;
            let wrong = |why| ObjectProblem::Section { section: ".kconfig".into(), why };
            if !matches!(size, 1 | 2 | 4 | 8) {
                return Err(wrong(format!("{name} has {size} bytes, expected a number")));
            }
            let value = match kconfig(name) {
                Some(value) => value,
                None if weak.get(name).is_some_and(|weak| *weak) => 0,
                None => {
                    return Err(wrong(format!(
                        "{name} is not an option of the simulated kernel (options: {})",
                        KCONFIG_OPTIONS.join(", ")
                    )));
                }
            };
            self.externs.insert(name.to_owned(), bytes.len() as u32);
            bytes.extend_from_slice(&value.to_le_bytes());
        }
        self.extern_region = self.regions.len();
        self.regions.push(Region::from_section(".kconfig".into(), bytes, false));
        Ok(())
    }

    fn define_maps(&mut self, btf: &Btf) -> Result<(), ObjectProblem> {
        if self.elf.section("maps").is_some() {
            let why = "maps in the form of libbpf 0.x: declare them in SEC(\".maps\")".into();
            return Err(ObjectProblem::Section { section: "maps".into(), why });
        }
        let (sections, maps) = (self.regions.len(), btf.section_variables(".maps"));
        if sections + maps.len() > MAX_REGIONS {
            let why = format!(
                "{sections} sections of data and {} maps, expected at most {MAX_REGIONS} of both",
                maps.len()
            );
            return Err(ObjectProblem::Elf(why));
        }
        for &variable in maps {
            let (name, kind) = btf.variable(variable)?;
            let at =
                self.elf.section(".maps").and_then(|(section, _)| self.elf.variable_offset(section, name));
            let missing = || ObjectProblem::Map {
                map: name.to_owned(),
                why: "no symbol of the file has its name".into(),
            };
            self.map_at.insert(at.ok_or_else(missing)?, self.maps.len());
            self.maps.push(MapDefinition::read(btf, name, kind)?);
        }
        Ok(())
    }

    /// Relocates pointers in data that point to other data.
    fn relocate_data(&mut self) -> Result<(), ObjectProblem> {
        let elf = self.elf;
        for (section, region) in self.region_of.clone() {
            for relocation in &elf.sections[section].relocations {
                let wrong = |why| ObjectProblem::Section { section: elf.sections[section].name.clone(), why };
                let word = read_u64(&self.regions[region].bytes, relocation.offset).map_err(wrong)?;
                let address = self.symbol_address(relocation, word as i64).map_err(wrong)?;
                let at = relocation.offset as usize;
                self.regions[region].bytes[at..at + 8].copy_from_slice(&address.to_le_bytes());
            }
        }
        Ok(())
    }

    fn symbol(&self, relocation: &Relocation) -> &'a Symbol {
        &self.elf.symbols[relocation.symbol]
    }

    /// Returns the address of a symbol plus `addend` bytes.
    pub(crate) fn symbol_address(&self, relocation: &Relocation, addend: i64) -> Result<u64, String> {
        if !matches!(relocation.kind, elf::R_BPF_64_64 | elf::R_BPF_64_ABS64) {
            return Err(format!("a relocation of kind {}, expected 1 or 2", relocation.kind));
        }
        let symbol = self.symbol(relocation);
        let Some(section) = symbol.section else {
            let offset = self.externs.get(&symbol.name);
            let region = AddressSpace::Region(self.extern_region);
            return offset.map(|offset| region.address(*offset)).ok_or_else(|| {
                format!("refers to {}, which is neither in the object nor in the simulated kernel's configuration", symbol.name)
            });
        };
        let offset = symbol.value.wrapping_add_signed(addend);
        if let Some(region) = self.region_of.get(&section) {
            return Ok(AddressSpace::Region(*region).address(offset as u32));
        }
        if self.section_starts.contains_key(&section) {
            let at = self.function_start(relocation, addend / 8)?;
            return u32::try_from(at)
                .map(|at| AddressSpace::Code.address(at))
                .map_err(|_| "a function outside of the program".into());
        }
        let name = &self.elf.sections[section].name;
        match (name.as_str(), self.map_at.get(&offset)) {
            (".maps", Some(map)) => Ok(AddressSpace::Map(*map).address(0)),
            _ => Err(format!(
                "refers to {} in section {name}, which contains no data of programs",
                symbol.name
            )),
        }
    }

    /// Returns the index of the instruction at a code symbol plus `addend` instructions.
    pub(crate) fn function_start(&self, relocation: &Relocation, addend: i64) -> Result<usize, String> {
        let symbol = self.symbol(relocation);
        let code = symbol.section.and_then(|section| self.section_starts.get(&section));
        let code = code.ok_or_else(|| format!("{} is not a function of the object", symbol.name))?;
        Ok((*code as u64).wrapping_add(symbol.value / 8).wrapping_add_signed(addend) as usize)
    }

    /// Returns the target of a relocated call. `immediate` is the immediate of the call instruction.
    pub(crate) fn callee(&self, relocation: &Relocation, immediate: i32) -> Result<Callee, String> {
        if relocation.kind != elf::R_BPF_64_32 {
            return Err(format!("a call with a relocation of kind {}, expected 10", relocation.kind));
        }
        let symbol = self.symbol(relocation);
        match symbol.section {
            None => Kfunc::from_name(&symbol.name).map(Callee::Kernel),
            Some(_) => self.function_start(relocation, i64::from(immediate) + 1).map(Callee::Function),
        }
    }
}

/// Returns the 64-bit number at an offset.
pub(crate) fn read_u64(bytes: &[u8], offset: u64) -> Result<u64, String> {
    let at = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)?.first_chunk());
    at.map(|word| u64::from_le_bytes(*word))
        .ok_or_else(|| format!("a relocation at {offset}, of {} bytes", bytes.len()))
}
