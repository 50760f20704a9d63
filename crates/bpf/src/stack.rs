//! Static checks of a program's straight-line code: stack use of functions, and alignment of atomic
//! operations.

use crate::instruction::{FRAME_POINTER, Instruction, Op};
use crate::kernel::Helper;
use crate::memory::{FRAME_BYTES, MAX_FRAMES};
use crate::program::FunctionTable;
use std::collections::{BTreeMap, BTreeSet};

/// Unit in bytes to which frame sizes are rounded up, as for JIT-compiled code (Linux, kernel/bpf/verifier.c,
/// round_up_stack_depth()).
const FRAME_GRANULE_BYTES: i64 = 16;

/// Target of a pointer in a register, and the pointer's offset from the target. Targets are aligned to eight
/// bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pointer {
    /// End of the function's stack frame.
    Frame(i64),
    /// Value of a map, or data.
    Value(i64),
}

type Registers = [Option<Pointer>; 16];

const INITIAL_REGISTERS: Registers = {
    let mut registers = [None; 16];
    registers[FRAME_POINTER as usize] = Some(Pointer::Frame(0));
    registers
};

/// Returns the functions that a program can run, as indices of their first instructions. Callbacks of
/// bpf_loop() are included.
pub(crate) fn reachable_functions(
    code: &[Instruction],
    listing: &FunctionTable,
    entry: usize,
) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut left = vec![entry];
    while let Some(start) = left.pop() {
        if found.insert(start) {
            left.extend(callees(code, listing, start));
        }
    }
    found
}

/// Returns the functions that a function calls, or passes to bpf_loop().
fn callees(code: &[Instruction], listing: &FunctionTable, start: usize) -> BTreeSet<usize> {
    let function = listing.function_at(start);
    let called = |instruction: &Instruction| match instruction.op {
        Op::Call => Some(instruction.offset as usize),
        Op::Constant => crate::memory::AddressSpace::instruction_index(instruction.immediate as u64),
        _ => None,
    };
    let body = &code[function.start..function.end];
    body.iter().filter_map(called).filter(|&callee| listing.is_function_start(callee)).collect()
}

/// Checks the stack use of a program and all functions that it calls. Nested stack frames may have at most
/// 512 bytes in total and a depth of eight. The error contains the index of an instruction.
pub(crate) fn check_stack_use(
    code: &[Instruction],
    listing: &FunctionTable,
    entry: usize,
) -> Result<(), (usize, String)> {
    let mut chains = CallChains { code, listing, worst: BTreeMap::new(), open: BTreeSet::new() };
    chains.visit(entry)?;
    let (mut at, mut names) = (Some(entry), Vec::new());
    let chain = chains.worst[&entry];
    while let Some(start) = at {
        names.push(listing.function_at(start).name.as_str());
        at = chains.worst[&start].next;
    }
    if chain.bytes > FRAME_BYTES as i64 || chain.frames > MAX_FRAMES {
        let CallChain { bytes, frames, .. } = chain;
        let names = names.join(" calls ");
        return Err((
            entry,
            format!(
                "{bytes} bytes of stack in {frames} functions ({names}), expected at most {FRAME_BYTES} bytes and {MAX_FRAMES} functions"
            ),
        ));
    }
    Ok(())
}

/// Worst chain of calls from a function, by stack use.
#[derive(Clone, Copy, Debug)]
struct CallChain {
    bytes: i64,
    frames: usize,
    next: Option<usize>,
}

struct CallChains<'a> {
    code: &'a [Instruction],
    listing: &'a FunctionTable,
    worst: BTreeMap<usize, CallChain>,
    /// Functions on the current chain of calls. A call of a function in this set is a recursion.
    open: BTreeSet<usize>,
}

impl CallChains<'_> {
    fn visit(&mut self, start: usize) -> Result<(), (usize, String)> {
        if self.worst.contains_key(&start) {
            return Ok(());
        }
        let function = self.listing.function_at(start);
        if !self.open.insert(start) || self.open.len() > MAX_FRAMES {
            let name = &function.name;
            return Err((
                start,
                format!("calls are nested deeper than {MAX_FRAMES} functions, {name} among them"),
            ));
        }
        let mut chain = CallChain { bytes: 0, frames: 0, next: None };
        for callee in callees(self.code, self.listing, start) {
            self.visit(callee)?;
            let below = self.worst[&callee];
            chain.frames = chain.frames.max(below.frames);
            if chain.next.is_none() || below.bytes > chain.bytes {
                (chain.bytes, chain.next) = (below.bytes, Some(callee));
            }
        }
        chain.bytes += frame_bytes(self.code, function.start, function.end)?;
        chain.frames += 1;
        self.open.remove(&start);
        self.worst.insert(start, chain);
        Ok(())
    }
}

/// Returns the size of a function's stack frame in bytes.
fn frame_bytes(code: &[Instruction], start: usize, end: usize) -> Result<i64, (usize, String)> {
    let targets: BTreeSet<usize> =
        code[start..end].iter().filter(|i| i.op.is_jump()).map(|i| i.offset as usize).collect();
    let mut registers = INITIAL_REGISTERS;
    let mut deepest = 0;
    for (at, instruction) in code.iter().enumerate().take(end).skip(start) {
        if targets.contains(&at) {
            registers = INITIAL_REGISTERS;
        }
        if let Some((register, bytes)) = access_operands(instruction)
            && let Some(pointer) = registers[usize::from(register & 15)]
        {
            deepest = deepest.max(check_access(instruction, pointer, bytes).map_err(|why| (at, why))?);
        }
        update_registers(instruction, &mut registers);
        if let Some(Pointer::Frame(from)) = registers[usize::from(instruction.dst & 15)] {
            deepest = deepest.max(-from);
        }
    }
    Ok(deepest.div_euclid(FRAME_GRANULE_BYTES) * FRAME_GRANULE_BYTES
        + if deepest % FRAME_GRANULE_BYTES == 0 { 0 } else { FRAME_GRANULE_BYTES })
}

/// Returns the address register and the size of a load or store; `None` for other instructions.
fn access_operands(instruction: &Instruction) -> Option<(u8, i64)> {
    Some(match instruction.op {
        Op::Load8 | Op::Load8Signed => (instruction.src, 1),
        Op::Load16 | Op::Load16Signed => (instruction.src, 2),
        Op::Load32 | Op::Load32Signed => (instruction.src, 4),
        Op::Load64 => (instruction.src, 8),
        Op::Store8 => (instruction.dst, 1),
        Op::Store16 => (instruction.dst, 2),
        Op::Store32 | Op::Atomic32(_) => (instruction.dst, 4),
        Op::Store64 | Op::Atomic64(_) => (instruction.dst, 8),
        _ => return None,
    })
}

/// Checks an access, and returns its depth in the stack frame.
fn check_access(instruction: &Instruction, pointer: Pointer, bytes: i64) -> Result<i64, String> {
    let (Pointer::Frame(from) | Pointer::Value(from)) = pointer;
    let at = from.wrapping_add(instruction.offset.into());
    if matches!(instruction.op, Op::Atomic32(_) | Op::Atomic64(_)) && at % bytes != 0 {
        return Err(format!(
            "an atomic operation on {bytes} bytes at {at:+}, which is not a multiple of {bytes}"
        ));
    }
    let Pointer::Frame(_) = pointer else { return Ok(0) };
    if !(-(FRAME_BYTES as i64)..=-bytes).contains(&at) {
        let size = FRAME_BYTES;
        return Err(format!("{bytes} bytes at r10 {at:+}, outside the {size} bytes of a function's stack"));
    }
    Ok(-at)
}

/// Updates the known targets of the registers after an instruction.
fn update_registers(instruction: &Instruction, registers: &mut Registers) {
    let by = instruction.immediate;
    let moved = |pointer: Option<Pointer>, by: i64| match pointer? {
        Pointer::Frame(from) => from.checked_add(by).map(Pointer::Frame),
        Pointer::Value(from) => from.checked_add(by).map(Pointer::Value),
    };
    let (d, s) = (usize::from(instruction.dst & 15), usize::from(instruction.src & 15));
    let is_immediate = instruction.src == crate::instruction::ZERO_REGISTER;
    registers[d] = match instruction.op {
        Op::Mov64 if !is_immediate => registers[s],
        Op::Add64 if is_immediate => moved(registers[d], by),
        Op::Sub64 if is_immediate => moved(registers[d], by.wrapping_neg()),
        Op::Constant => {
            crate::memory::AddressSpace::data_offset(by as u64).map(|at| Pointer::Value(at as i64))
        }
        Op::CallHelper(helper) => {
            registers[1..6].fill(None);
            let value = matches!(helper, Helper::MapLookup | Helper::StorageGet);
            registers[0] = value.then_some(Pointer::Value(0));
            return;
        }
        Op::Call | Op::CallKfunc(_) => {
            registers[..6].fill(None);
            return;
        }
        Op::Store8 | Op::Store16 | Op::Store32 | Op::Store64 => return,
        Op::Atomic32(_) | Op::Atomic64(_) => {
            (registers[s], registers[0]) = (None, None);
            return;
        }
        op if op.is_jump() || op == Op::Exit => return,
        _ => None,
    };
    registers[usize::from(FRAME_POINTER)] = Some(Pointer::Frame(0));
}
