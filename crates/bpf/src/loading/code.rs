//! Programs for a loader. A program is a function with all called functions, as one block of code with
//! `.BTF.ext` records.

use super::MapIndices;
use crate::btf::{Btf, for_each_record};
use crate::elf::{self, Elf, Relocation};
use crate::error::ObjectProblem;
use crate::object::is_filter;
use std::collections::{BTreeMap, BTreeSet};

/// Size of an instruction in bytes.
const INSTRUCTION_BYTES: usize = 8;
/// Opcode of a 64-bit immediate load (`BPF_LD | BPF_IMM | BPF_DW`).
const LOAD_IMMEDIATE: u8 = 0x18;
const CALL: u8 = 0x85;
/// Source register of a call to a function of the program (`BPF_PSEUDO_CALL`).
const BPF_PSEUDO_CALL: u8 = 1;
const BPF_PSEUDO_KFUNC_CALL: u8 = 2;
/// Source register of an immediate load of a map (`BPF_PSEUDO_MAP_FD`).
const BPF_PSEUDO_MAP_FD: u8 = 1;
const BPF_PSEUDO_MAP_VALUE: u8 = 2;
const BPF_PSEUDO_FUNC: u8 = 4;
/// Number of the function table in `.BTF.ext`.
const FUNCTION_TABLE: usize = 0;
const LINE_TABLE: usize = 1;
const RELOCATION_TABLE: usize = 2;
/// Maximum number of instructions of a program, as in a kernel.
const MAX_INSTRUCTIONS: usize = 1_000_000;

/// Purpose of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramKind {
    /// Callback of a congestion control.
    Callback,
    /// Program that processes packets.
    Filter,
}

/// A program for the loader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadableProgram {
    /// Name of the first function.
    pub name: String,
    /// Purpose of the program.
    pub kind: ProgramKind,
    /// Instructions. Fields that a [`LoadTimeValue`] sets are zero.
    pub code: Vec<u8>,
    /// Values that the loader fills in, each with the index of its instruction.
    pub load_time_values: Vec<(usize, LoadTimeValue)>,
    /// `struct bpf_func_info`: first instruction, type.
    pub func_info: Vec<[u32; 2]>,
    /// `struct bpf_line_info`: instruction, file, text, line and column.
    pub line_info: Vec<[u32; 4]>,
    /// `struct bpf_core_relo`: byte offset of the instruction, type, path, kind. The kernel applies these
    /// relocations.
    pub core_relocations: Vec<[u32; 4]>,
}

/// Value that a loader writes into an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadTimeValue {
    /// File descriptor of a map. The number is the map's index in [`super::LoadableObject::maps`].
    Map(usize),
    /// Type number of the kernel function with this name.
    Kernel(String),
}

/// Function: section, offset in the section, and number of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Function {
    section: usize,
    start: usize,
    end: usize,
}

/// Builder of programs.
pub(super) struct ProgramBuilder<'a> {
    elf: &'a Elf,
    btf: &'a Btf,
    places: &'a MapIndices,
    extra: Option<&'a [u8]>,
    names: BTreeMap<Function, &'a str>,
    known: BTreeMap<Function, usize>,
    pub programs: Vec<LoadableProgram>,
}

impl<'a> ProgramBuilder<'a> {
    pub(super) fn new(elf: &'a Elf, btf: &'a Btf, places: &'a MapIndices) -> Result<Self, ObjectProblem> {
        let extra = elf.section(".BTF.ext").map(|(_, section)| section.bytes.as_slice());
        let mut names = BTreeMap::new();
        for (section, of) in elf.code_sections() {
            let is_here = |symbol: &&elf::Symbol| symbol.section == Some(section) && symbol.is_function;
            let mut starts: Vec<_> = elf
                .symbols
                .iter()
                .filter(is_here)
                .map(|symbol| (symbol.value, symbol.name.as_str()))
                .collect();
            starts.sort_unstable();
            starts.dedup_by_key(|(start, _)| *start);
            let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([of.bytes.len() as u64]);
            for ((start, name), end) in starts.iter().zip(ends) {
                let (start, end) = (*start as usize / INSTRUCTION_BYTES, end as usize / INSTRUCTION_BYTES);
                if start >= end || end * INSTRUCTION_BYTES > of.bytes.len() {
                    return Err(ObjectProblem::Elf(format!(
                        "the function {name} extends beyond its section"
                    )));
                }
                names.insert(Function { section, start, end }, *name);
            }
        }
        Ok(ProgramBuilder { elf, btf, places, extra, names, known: BTreeMap::new(), programs: Vec::new() })
    }

    /// Adds the program that a callback's function pointer refers to. Returns the index of the program.
    pub(super) fn add_callback(&mut self, relocation: &Relocation) -> Result<usize, ObjectProblem> {
        let symbol = &self.elf.symbols[relocation.symbol];
        let function = symbol
            .section
            .and_then(|section| self.function_at(section, symbol.value as usize / INSTRUCTION_BYTES));
        let missing =
            || ObjectProblem::Elf(format!("the callback {} is not a function of the object", symbol.name));
        self.add_program(function.ok_or_else(missing)?, ProgramKind::Callback)
    }

    /// Adds all programs that process packets.
    pub(super) fn add_filters(&mut self) -> Result<(), ObjectProblem> {
        let filters: Vec<_> = self
            .names
            .keys()
            .copied()
            .filter(|function| is_filter(&self.elf.sections[function.section].name))
            .collect();
        filters.into_iter().try_for_each(|function| self.add_program(function, ProgramKind::Filter).map(drop))
    }

    fn function_at(&self, section: usize, start: usize) -> Option<Function> {
        self.names.keys().copied().find(|function| function.section == section && function.start == start)
    }

    fn add_program(&mut self, first: Function, kind: ProgramKind) -> Result<usize, ObjectProblem> {
        if let Some(place) = self.known.get(&first) {
            return Ok(*place);
        }
        let program = self.build_program(first, kind)?;
        self.known.insert(first, self.programs.len());
        self.programs.push(program);
        Ok(self.programs.len() - 1)
    }

    /// Returns a program that consists of a function and all functions reached by its calls.
    fn build_program(&self, first: Function, kind: ProgramKind) -> Result<LoadableProgram, ObjectProblem> {
        let name = self.names[&first].to_owned();
        let mut program = LoadableProgram {
            name,
            kind,
            code: Vec::new(),
            load_time_values: Vec::new(),
            func_info: Vec::new(),
            line_info: Vec::new(),
            core_relocations: Vec::new(),
        };
        let (mut order, mut placed, mut calls) = (vec![first], BTreeMap::new(), Vec::new());
        let mut next = 0;
        while let Some(&function) = order.get(next) {
            next += 1;
            let base = program.code.len() / INSTRUCTION_BYTES;
            placed.insert(function, base);
            let bytes = &self.elf.sections[function.section].bytes;
            program.code.extend_from_slice(
                &bytes[function.start * INSTRUCTION_BYTES..function.end * INSTRUCTION_BYTES],
            );
            if program.code.len() / INSTRUCTION_BYTES > MAX_INSTRUCTIONS {
                return Err(ObjectProblem::Elf(format!(
                    "{} has more than {MAX_INSTRUCTIONS} instructions",
                    program.name
                )));
            }
            for (at, callee) in self.relocate_function(function, base, &mut program)? {
                if !order.contains(&callee) {
                    order.push(callee);
                }
                calls.push((at, callee));
            }
        }
        for (at, callee) in calls {
            set_immediate(&mut program.code, at, placed[&callee] as i32 - at as i32 - 1);
        }
        self.add_btf_ext_records(&placed, &mut program)?;
        Ok(program)
    }

    /// Applies the known relocations of a function that begins at instruction `base`. Returns the calls in
    /// the function.
    fn relocate_function(
        &self,
        function: Function,
        base: usize,
        program: &mut LoadableProgram,
    ) -> Result<Vec<(usize, Function)>, ObjectProblem> {
        let section = &self.elf.sections[function.section];
        let wrong = |why: String| ObjectProblem::Section { section: section.name.clone(), why };
        let (mut calls, mut linked) = (Vec::new(), BTreeSet::new());
        let inside = |relocation: &&Relocation| {
            (function.start..function.end).contains(&(relocation.offset as usize / INSTRUCTION_BYTES))
        };
        for relocation in section.relocations.iter().filter(inside) {
            let at = relocation.offset as usize / INSTRUCTION_BYTES - function.start + base;
            linked.insert(at);
            let symbol = &self.elf.symbols[relocation.symbol];
            let (code, immediate) = (program.code[at * INSTRUCTION_BYTES], immediate(&program.code, at));
            match (relocation.kind, symbol.section) {
                (elf::R_BPF_64_32, None) if code == CALL => {
                    set_source(&mut program.code, at, BPF_PSEUDO_KFUNC_CALL);
                    set_immediate(&mut program.code, at, 0);
                    program.load_time_values.push((at, LoadTimeValue::Kernel(symbol.name.clone())));
                }
                (elf::R_BPF_64_32, Some(of)) if code == CALL => {
                    let start =
                        (symbol.value as i64 / INSTRUCTION_BYTES as i64 + i64::from(immediate) + 1) as usize;
                    let callee = self
                        .function_at(of, start)
                        .ok_or_else(|| wrong(format!("calls {}, which is not a function", symbol.name)))?;
                    set_source(&mut program.code, at, BPF_PSEUDO_CALL);
                    calls.push((at, callee));
                }
                (elf::R_BPF_64_64, Some(of)) if code == LOAD_IMMEDIATE => {
                    let offset = symbol.value.wrapping_add_signed(immediate.into());
                    if let Some(callee) = self.function_at(of, offset as usize / INSTRUCTION_BYTES) {
                        set_source(&mut program.code, at, BPF_PSEUDO_FUNC);
                        set_immediate(&mut program.code, at + 1, 0);
                        calls.push((at, callee));
                        continue;
                    }
                    let place = self.places.map_location(of, offset);
                    let (map, value) = place.ok_or_else(|| {
                        wrong(format!("refers to {}, which is not data of the object", symbol.name))
                    })?;
                    set_source(
                        &mut program.code,
                        at,
                        if value.is_some() { BPF_PSEUDO_MAP_VALUE } else { BPF_PSEUDO_MAP_FD },
                    );
                    set_immediate(&mut program.code, at, 0);
                    set_immediate(&mut program.code, at + 1, value.unwrap_or(0) as i32);
                    program.load_time_values.push((at, LoadTimeValue::Map(map)));
                }
                (elf::R_BPF_64_64, None) if code == LOAD_IMMEDIATE => {
                    let (map, at_byte) = self.places.kconfig_location(&symbol.name).ok_or_else(|| {
                        wrong(format!("refers to {}, which Airhop cannot load into a kernel", symbol.name))
                    })?;
                    set_source(&mut program.code, at, BPF_PSEUDO_MAP_VALUE);
                    set_immediate(&mut program.code, at, 0);
                    set_immediate(&mut program.code, at + 1, at_byte as i32);
                    program.load_time_values.push((at, LoadTimeValue::Map(map)));
                }
                _ => {
                    return Err(wrong(format!(
                        "refers to {}, which Airhop cannot load into a kernel",
                        symbol.name
                    )));
                }
            }
        }
        // A call within a section may have no relocation, because its offset is relative.
        for at in (base..program.code.len() / INSTRUCTION_BYTES).filter(|at| !linked.contains(at)) {
            let instruction = &program.code[at * INSTRUCTION_BYTES..];
            if instruction[0] == CALL && instruction[1] >> 4 == BPF_PSEUDO_CALL {
                let start = (function.start + at - base) as i64 + i64::from(immediate(&program.code, at)) + 1;
                let callee = self.function_at(function.section, start as usize);
                calls.push((at, callee.ok_or_else(|| wrong("calls into the middle of a function".into()))?));
            }
        }
        Ok(calls)
    }

    /// Adds the entries of `.BTF.ext` for the functions of a program.
    fn add_btf_ext_records(
        &self,
        placed: &BTreeMap<Function, usize>,
        program: &mut LoadableProgram,
    ) -> Result<(), ObjectProblem> {
        let Some(extra) = self.extra else { return Ok(()) };
        // Returns the index in the program of the instruction at an offset of a section.
        let moved = |section: u32, offset: u32| {
            let at = offset as usize / INSTRUCTION_BYTES;
            let is = |function: &&Function| {
                self.btf.name_equals(section, &self.elf.sections[function.section].name)
                    && (function.start..function.end).contains(&at)
            };
            let function = placed.keys().find(is)?;
            Some((placed[function] + at - function.start) as u32)
        };
        for_each_record(extra, FUNCTION_TABLE, |section, record| {
            if let (&[_, of, ..], Some(at)) = (record, moved(section, record[0])) {
                program.func_info.push([at, of]);
            }
            Ok(())
        })?;
        for_each_record(extra, LINE_TABLE, |section, record| {
            if let (&[_, file, text, line, ..], Some(at)) = (record, moved(section, record[0])) {
                program.line_info.push([at, file, text, line]);
            }
            Ok(())
        })?;
        for_each_record(extra, RELOCATION_TABLE, |section, record| {
            if let (&[_, of, path, kind, ..], Some(at)) = (record, moved(section, record[0])) {
                program.core_relocations.push([at * INSTRUCTION_BYTES as u32, of, path, kind]);
            }
            Ok(())
        })?;
        program.func_info.sort_unstable();
        program.line_info.sort_unstable_by_key(|line| line[0]);
        program.line_info.dedup_by_key(|line| line[0]);
        Ok(())
    }
}

fn immediate(code: &[u8], at: usize) -> i32 {
    code[at * INSTRUCTION_BYTES + 4..].first_chunk().map_or(0, |bytes| i32::from_le_bytes(*bytes))
}

fn set_immediate(code: &mut [u8], at: usize, value: i32) {
    if let Some(bytes) = code.get_mut(at * INSTRUCTION_BYTES + 4..at * INSTRUCTION_BYTES + 8) {
        bytes.copy_from_slice(&value.to_le_bytes());
    }
}

fn set_source(code: &mut [u8], at: usize, source: u8) {
    code[at * INSTRUCTION_BYTES + 1] = code[at * INSTRUCTION_BYTES + 1] & 0x0f | source << 4;
}
