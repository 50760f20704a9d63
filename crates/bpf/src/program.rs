//! Decoded, linked and checked code of an object.

use crate::btf::{Btf, LineInfo, NameOffset};
use crate::elf::{Elf, Relocation, Symbol};
use crate::error::ObjectProblem;
use crate::fault::InstructionLocation;
use crate::instruction::{CALL, EncodedInstruction, Instruction, LOAD_CONSTANT, Op, ZERO_REGISTER};
use crate::kernel::Helper;
use crate::linking::{Callee, SymbolResolver};
use std::collections::BTreeMap;

/// Maximum number of instructions of an object, as in the kernel.
const MAX_INSTRUCTIONS: usize = 1_000_000;

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub name: String,
    /// Index of the section.
    pub section: usize,
    pub start: usize,
    pub end: usize,
}

/// Functions, and the source lines of their instructions.
#[derive(Clone, Debug, Default)]
pub(crate) struct FunctionTable {
    /// Functions in the order of their start.
    pub functions: Vec<Function>,
    /// First instruction, file and line of each line record, in the order of instructions.
    pub lines: Vec<(usize, NameOffset, u32)>,
}

impl FunctionTable {
    /// Reads symbols and line information.
    pub(crate) fn new(
        elf: &Elf,
        linking: &SymbolResolver<'_>,
        lines: &[LineInfo],
        btf: &Btf,
    ) -> Result<FunctionTable, ObjectProblem> {
        let mut functions = Vec::new();
        let mut named: BTreeMap<usize, Vec<&Symbol>> = BTreeMap::new();
        for symbol in elf.symbols.iter().filter(|symbol| symbol.is_function && !symbol.name.is_empty()) {
            named.entry(symbol.section.unwrap_or(0)).or_default().push(symbol);
        }
        for (index, section) in elf.code_sections() {
            let (code, length) = (linking.section_starts[&index], section.bytes.len() / 8);
            if section.bytes.len() % 8 != 0 || code + length > MAX_INSTRUCTIONS {
                let why = format!(
                    "{} bytes of instructions, expected eight for each of at most {MAX_INSTRUCTIONS}",
                    section.bytes.len()
                );
                return Err(ObjectProblem::Section { section: section.name.clone(), why });
            }
            let name =
                if section.name.is_empty() { "code without a name".into() } else { section.name.clone() };
            let whole = Function { name, section: index, start: code, end: code + length };
            let within =
                named.get(&index).into_iter().flatten().filter(|symbol| symbol.value / 8 < length as u64);
            let mut found: Vec<Function> = within
                .map(|symbol| Function {
                    name: symbol.name.clone(),
                    start: code + (symbol.value / 8) as usize,
                    ..whole.clone()
                })
                .collect();
            found.push(whole);
            found.sort_by_key(|function| function.start);
            found.dedup_by_key(|function| function.start);
            for i in 1..found.len() {
                found[i - 1].end = found[i].start;
            }
            functions.extend(found);
        }
        let mut listing = FunctionTable { functions, lines: Vec::new() };
        let sections: BTreeMap<&str, usize> =
            elf.code_sections().map(|(index, s)| (s.name.as_str(), linking.section_starts[&index])).collect();
        for line in lines {
            if let Some(code) = sections.get(btf.name_text(line.section)) {
                listing.lines.push((code + line.offset as usize / 8, line.file, line.line));
            }
        }
        listing.lines.sort_by_key(|(instruction, ..)| *instruction);
        Ok(listing)
    }

    /// True if an instruction is the first of a function.
    pub(crate) fn is_function_start(&self, instruction: usize) -> bool {
        self.functions.binary_search_by_key(&instruction, |function| function.start).is_ok()
    }

    /// Returns the function that contains an instruction.
    pub(crate) fn function_at(&self, instruction: usize) -> &Function {
        let after = self.functions.partition_point(|function| function.start <= instruction);
        &self.functions[after - 1]
    }

    /// Returns the place of an instruction, for messages.
    pub(crate) fn instruction_location(&self, instruction: usize, btf: &Btf) -> InstructionLocation {
        let function = self.function_at(instruction);
        let after = self.lines.partition_point(|(start, ..)| *start <= instruction);
        let line = self.lines[..after].last().filter(|(start, ..)| *start >= function.start);
        InstructionLocation {
            function: function.name.clone(),
            instruction: instruction - function.start,
            line: line.map(|(_, file, line)| (btf.name_text(*file).to_owned(), *line)),
        }
    }
}

/// Decodes and links the code of all sections. `None` stands for the second half of a 64-bit constant. The
/// error contains the index of the instruction.
pub(crate) fn decode(
    elf: &Elf,
    linking: &SymbolResolver<'_>,
) -> Result<Vec<Option<Instruction>>, (usize, String)> {
    let mut code = Vec::new();
    for (_, section) in elf.code_sections() {
        let relocations: BTreeMap<u64, &Relocation> =
            section.relocations.iter().map(|r| (r.offset, r)).collect();
        let mut encoded = section
            .bytes
            .chunks_exact(8)
            .map(|bytes| EncodedInstruction::new(*bytes.first_chunk().expect("eight bytes")));
        let start = code.len();
        while let Some(instruction) = encoded.next() {
            let at = code.len();
            let relocation = relocations.get(&((at - start) as u64 * 8)).copied();
            let decoded = match instruction.opcode {
                LOAD_CONSTANT => {
                    let second = encoded.next();
                    decode_constant(instruction, second, relocation, linking)
                }
                CALL => decode_call(instruction, at, relocation, linking),
                _ if relocation.is_some() => {
                    Err("a relocation of an instruction that is neither a call nor a 64-bit constant".into())
                }
                _ => instruction.decode(at),
            };
            code.push(Some(decoded.map_err(|why| (at, why))?));
            if instruction.opcode == LOAD_CONSTANT {
                code.push(None);
            }
        }
    }
    Ok(code)
}

/// Decodes a 64-bit constant (RFC 9669 §5.4): a number, or a relocated address.
fn decode_constant(
    first: EncodedInstruction,
    second: Option<EncodedInstruction>,
    relocation: Option<&Relocation>,
    linking: &SymbolResolver<'_>,
) -> Result<Instruction, String> {
    let Some(second) = second.filter(|second| second.opcode == 0) else {
        return Err("the second half of a 64-bit constant is missing".into());
    };
    let number = u64::from(first.immediate as u32) | u64::from(second.immediate as u32) << 32;
    let number = match relocation {
        Some(relocation) => linking.symbol_address(relocation, first.immediate.into())?,
        None if first.src == 0 => number,
        None => {
            return Err(format!(
                "a 64-bit constant of kind {} (RFC 9669 §5.4) without a relocation",
                first.src
            ));
        }
    };
    match first.dst {
        0..=9 => Ok(Instruction {
            op: Op::Constant,
            dst: first.dst,
            src: ZERO_REGISTER,
            offset: 0,
            immediate: number as i64,
        }),
        register => Err(format!("a 64-bit constant for r{register}")),
    }
}

/// Decodes a call of a helper by number, of a function of the object, or of a kernel function by name (RFC
/// 9669 §4.3.1).
fn decode_call(
    encoded: EncodedInstruction,
    at: usize,
    relocation: Option<&Relocation>,
    linking: &SymbolResolver<'_>,
) -> Result<Instruction, String> {
    let distance =
        |immediate: i32| usize::try_from(at as i64 + 1 + i64::from(immediate)).unwrap_or(usize::MAX);
    let callee = match (encoded.src, relocation) {
        (0, None) => {
            let op = Op::CallHelper(Helper::from_number(encoded.immediate)?);
            return Ok(Instruction { op, dst: 0, src: ZERO_REGISTER, offset: 0, immediate: 0 });
        }
        (1, None) => Callee::Function(distance(encoded.immediate)),
        (1, Some(relocation)) => linking.callee(relocation, encoded.immediate)?,
        (kind, _) => return Err(format!("a call of kind {kind} (RFC 9669 §4.3.1)")),
    };
    let (op, offset) = match callee {
        Callee::Function(start) => {
            (Op::Call, i32::try_from(start).map_err(|_| "a call outside of the program")?)
        }
        Callee::Kernel(kfunc) => (Op::CallKfunc(kfunc), 0),
    };
    Ok(Instruction { op, dst: 0, src: ZERO_REGISTER, offset, immediate: 0 })
}
