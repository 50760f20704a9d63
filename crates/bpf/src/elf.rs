//! ELF: sections, symbols and relocations of a relocatable eBPF object (System V ABI, chapter 4).

use crate::error::ObjectProblem;
use object::Endianness;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, Rel, SectionHeader, Sym};

/// Relocation of a 64-bit constant in an instruction to the address of a symbol (llvm, BPF relocation types).
pub(crate) const R_BPF_64_64: u32 = 1;
/// Relocation of 64-bit data to the address of a symbol.
pub(crate) const R_BPF_64_ABS64: u32 = 2;
/// Relocation of a call to the target function.
pub(crate) const R_BPF_64_32: u32 = 10;

/// Maximum file size in bytes.
const MAX_FILE_BYTES: usize = 16 << 20;
/// Maximum total size of the sections, names and relocations read from a file, in bytes.
const MAX_READ_BYTES: usize = 64 << 20;

/// Number of bytes that may still be read from a file. The file size is no limit, because parts of a file can
/// overlap.
struct ReadBudget(usize);

impl ReadBudget {
    fn consume_bytes(&mut self, bytes: usize) -> Result<(), ObjectProblem> {
        self.0 = self.0.checked_sub(bytes).ok_or_else(|| {
            ObjectProblem::Elf(format!(
                "its sections, names and relocations have more than {MAX_READ_BYTES} bytes"
            ))
        })?;
        Ok(())
    }

    /// Returns a name, with replacement characters for invalid UTF-8.
    fn read_name(&mut self, bytes: &[u8]) -> Result<String, ObjectProblem> {
        self.consume_bytes(bytes.len() + 1)?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }
}

/// A section.
#[derive(Debug)]
pub(crate) struct Section {
    pub name: String,
    /// Content of the section, stored only for loaded sections and type sections.
    pub bytes: Vec<u8>,
    pub executable: bool,
    pub writable: bool,
    /// True if the section is part of the program's memory.
    pub allocated: bool,
    pub relocations: Vec<Relocation>,
}

/// A symbol.
#[derive(Debug)]
pub(crate) struct Symbol {
    pub name: String,
    /// Index of the section; `None` for an extern.
    pub section: Option<usize>,
    pub value: u64,
    pub is_function: bool,
    /// True if the kernel may lack the extern.
    pub weak: bool,
}

/// Relocation: stores the address of a symbol at `offset` of the section.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relocation {
    pub offset: u64,
    pub symbol: usize,
    /// Type of the relocation (`R_BPF_*`).
    pub kind: u32,
}

/// The sections of an object by section index, and the symbols by symbol index.
#[derive(Debug)]
pub(crate) struct Elf {
    pub sections: Vec<Section>,
    pub symbols: Vec<Symbol>,
}

impl Elf {
    /// Parses a file.
    pub(crate) fn read(bytes: &[u8]) -> Result<Elf, ObjectProblem> {
        if bytes.len() > MAX_FILE_BYTES {
            return Err(ObjectProblem::Elf(format!(
                "{} bytes, expected at most {MAX_FILE_BYTES}",
                bytes.len()
            )));
        }
        let damaged = |error: object::Error| ObjectProblem::Elf(error.to_string());
        let header = FileHeader64::<Endianness>::parse(bytes).map_err(damaged)?;
        let endian = header.endian().map_err(damaged)?;
        check_condition("byte order", endian == Endianness::Little, "big-endian", "little-endian")?;
        let machine = header.e_machine(endian);
        check_condition("machine", machine == elf::EM_BPF, machine.0, "247 (eBPF)")?;
        let kind = header.e_type(endian);
        check_condition("type", kind == elf::ET_REL, kind.0, "1 (relocatable)")?;
        let table = header.sections(endian, bytes).map_err(damaged)?;
        let mut allowance = ReadBudget(MAX_READ_BYTES);
        let mut sections = Vec::new();
        for header in table.iter() {
            let name = allowance.read_name(table.section_name(endian, header).map_err(damaged)?)?;
            let flags = header.sh_flags(endian).0;
            let has = |flag: elf::SectionFlags| flags & flag.0 != 0;
            let allocated = has(elf::SHF_ALLOC);
            let bytes = match header.sh_type(endian) {
                _ if !allocated && !name.starts_with(".BTF") => Vec::new(),
                elf::SHT_NOBITS => {
                    let size = usize::try_from(header.sh_size(endian)).unwrap_or(usize::MAX);
                    allowance.consume_bytes(size)?;
                    vec![0; size]
                }
                _ => {
                    let bytes = header.data(endian, bytes).map_err(damaged)?;
                    allowance.consume_bytes(bytes.len())?;
                    bytes.to_vec()
                }
            };
            sections.push(Section {
                name,
                bytes,
                executable: has(elf::SHF_EXECINSTR),
                writable: has(elf::SHF_WRITE),
                allocated,
                relocations: Vec::new(),
            });
        }
        let mut symbols = Vec::new();
        let found = table.symbols(endian, bytes, elf::SHT_SYMTAB).map_err(damaged)?;
        for symbol in found.iter() {
            let section = match symbol.st_shndx(endian) {
                index if index.0 < elf::SHN_LORESERVE => usize::from(index.0),
                _ => 0,
            };
            let Some(its) = sections.get(section) else {
                return Err(ObjectProblem::Elf(format!(
                    "a symbol of section {section}, but there are only {} sections",
                    sections.len()
                )));
            };
            let name = match symbol.st_type() {
                elf::STT_SECTION => allowance.read_name(its.name.as_bytes())?,
                _ => allowance.read_name(symbol.name(endian, found.strings()).map_err(damaged)?)?,
            };
            symbols.push(Symbol {
                name,
                section: (section != 0).then_some(section),
                value: symbol.st_value(endian),
                is_function: symbol.st_type() == elf::STT_FUNC,
                weak: symbol.st_bind() == elf::STB_WEAK,
            });
        }
        for header in table.iter() {
            let Some((relocations, _)) = header.rel(endian, bytes).map_err(damaged)? else { continue };
            let target = header.sh_info(endian) as usize;
            let Some(section) = sections.get_mut(target) else {
                return Err(ObjectProblem::Elf(format!(
                    "relocations of section {target}, which does not exist"
                )));
            };
            allowance.consume_bytes(size_of_val(relocations))?;
            for relocation in relocations {
                let symbol = relocation.r_sym(endian) as usize;
                if symbol >= symbols.len() {
                    return Err(ObjectProblem::Elf(format!(
                        "a relocation to symbol {symbol}, but there are only {} symbols",
                        symbols.len()
                    )));
                }
                let (offset, kind) = (relocation.r_offset(endian), relocation.r_type(endian).0);
                section.relocations.push(Relocation { offset, symbol, kind });
            }
        }
        Ok(Elf { sections, symbols })
    }

    /// Returns the section with this name and its index.
    pub(crate) fn section(&self, name: &str) -> Option<(usize, &Section)> {
        self.sections.iter().enumerate().find(|(_, section)| section.name == name)
    }

    /// Returns the offset of a variable in a section, from the symbol table. Clang omits offsets from the
    /// types.
    pub(crate) fn variable_offset(&self, section: usize, name: &str) -> Option<u64> {
        let is = |symbol: &&Symbol| symbol.section == Some(section) && symbol.name == name;
        self.symbols.iter().find(is).map(|symbol| symbol.value)
    }

    /// Returns the sections with code, and their indices.
    pub(crate) fn code_sections(&self) -> impl Iterator<Item = (usize, &Section)> {
        self.sections
            .iter()
            .enumerate()
            .filter(|(_, section)| section.executable && !section.bytes.is_empty())
    }
}

/// Returns an error with the actual and the expected value if `holds` is false.
fn check_condition(
    what: &str,
    holds: bool,
    found: impl std::fmt::Display,
    expected: &str,
) -> Result<(), ObjectProblem> {
    match holds {
        true => Ok(()),
        false => Err(ObjectProblem::Elf(format!("{what} {found}, expected {expected}"))),
    }
}
