//! Static checks of a program: jumps stay within the function, and stack accesses within the stack frame.

use crate::instruction::{FRAME_POINTER, Instruction, Op};
use crate::memory::FRAME_BYTES;
use crate::program::{Function, FunctionTable};

/// Checks all functions. A jump into a 64-bit constant is an error. The error contains the index of the
/// instruction.
pub(crate) fn check_functions(
    code: &[Option<Instruction>],
    listing: &FunctionTable,
) -> Result<Vec<Instruction>, (usize, String)> {
    for function in &listing.functions {
        for at in function.start..function.end {
            let Some(instruction) = &code[at] else { continue };
            if instruction.op == Op::Call && !listing.is_function_start(instruction.offset as usize) {
                return Err((at, "calls an address that is not the start of a function".into()));
            }
            check_jump(code, function, instruction).map_err(|why| (at, why))?;
            check_stack(instruction).map_err(|why| (at, why))?;
        }
        let last = function.end - 1;
        if !matches!(code[last], Some(Instruction { op: Op::Exit | Op::Jump, .. })) {
            return Err((last, "the function's last instruction is neither an exit nor a jump".into()));
        }
    }
    const SECOND_HALF_FILLER: Instruction =
        Instruction { op: Op::Exit, dst: 0, src: 0, offset: 0, immediate: 0 };
    Ok(code.iter().map(|instruction| instruction.unwrap_or(SECOND_HALF_FILLER)).collect())
}

/// Checks that a jump stays in its function and leads to the start of an instruction.
fn check_jump(
    code: &[Option<Instruction>],
    function: &Function,
    instruction: &Instruction,
) -> Result<(), String> {
    if !instruction.op.is_jump() {
        return Ok(());
    }
    let target = usize::try_from(instruction.offset).unwrap_or(usize::MAX);
    if !(function.start..function.end).contains(&target) {
        return Err("jumps out of its function".into());
    }
    match code[target] {
        Some(_) => Ok(()),
        None => Err("jumps into a 64-bit constant".into()),
    }
}

/// Checks that accesses through the frame pointer stay in the function's stack frame.
fn check_stack(instruction: &Instruction) -> Result<(), String> {
    let (register, bytes) = match instruction.op {
        Op::Load8 | Op::Load8Signed => (instruction.src, 1),
        Op::Load16 | Op::Load16Signed => (instruction.src, 2),
        Op::Load32 | Op::Load32Signed => (instruction.src, 4),
        Op::Load64 => (instruction.src, 8),
        Op::Store8 => (instruction.dst, 1),
        Op::Store16 => (instruction.dst, 2),
        Op::Store32 | Op::Atomic32(_) => (instruction.dst, 4),
        Op::Store64 | Op::Atomic64(_) => (instruction.dst, 8),
        _ => return Ok(()),
    };
    let offset = instruction.offset;
    if register == FRAME_POINTER && !(-(FRAME_BYTES as i32)..=-bytes).contains(&offset) {
        return Err(format!(
            "{bytes} bytes at r10 {offset:+}, outside the {FRAME_BYTES} bytes of a function's stack"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::ZERO_REGISTER;

    /// Checks the code of two functions. The first begins at 0, the second at `second`.
    fn refusal(code: &[Option<Instruction>], second: usize) -> Result<(), (usize, String)> {
        let function = |start, end| Function { name: "f".into(), section: 1, start, end };
        let functions = vec![function(0, second), function(second, code.len())];
        check_functions(code, &FunctionTable { functions, ..FunctionTable::default() }).map(|_| ())
    }

    fn op(op: Op, offset: i32) -> Option<Instruction> {
        Some(Instruction { op, dst: 1, src: ZERO_REGISTER, offset, immediate: 0 })
    }

    // A program that the kernel's verifier accepts stays within its functions on every path.
    #[test]
    fn a_jump_or_call_out_of_the_function_is_refused() {
        let exit = op(Op::Exit, 0);
        let refused = |code: &[Option<Instruction>], why: &str| {
            let (at, text) = refusal(code, code.len() - 1).expect_err(why);
            assert!(at == 0 && text.contains(why), "{at}: {text}");
        };
        assert_eq!(refusal(&[op(Op::JumpNot64, 1), exit, exit], 2), Ok(()));
        refused(&[op(Op::JumpNot64, 2), exit, exit], "jumps out of its function");
        refused(&[op(Op::Jump, -1), exit, exit], "jumps out of its function");
        refused(&[op(Op::Jump, 2), op(Op::Constant, 0), None, exit, exit], "jumps into a 64-bit constant");
        refused(&[op(Op::Call, 1), exit, exit], "calls an address that is not the start of a function");
        assert_eq!(refusal(&[op(Op::Call, 2), exit, exit], 2), Ok(()));
        refused(&[op(Op::Mov64, 0), exit], "neither an exit nor a jump");
        assert_eq!(refusal(&[op(Op::Constant, 0), None, exit], 2).expect_err("no exit at the end").0, 1);
    }

    // A function may access 512 bytes below the frame pointer, and no byte above.
    #[test]
    fn the_stack_is_512_bytes_below_the_frame_pointer() {
        let exit = op(Op::Exit, 0);
        let store = |op, offset| {
            let store = Instruction { op, dst: FRAME_POINTER, src: ZERO_REGISTER, offset, immediate: 0 };
            refusal(&[Some(store), exit, exit], 2).is_ok()
        };
        assert!(store(Op::Store64, -512) && store(Op::Store64, -8) && store(Op::Store8, -1));
        assert!(!store(Op::Store64, -513) && !store(Op::Store64, -7) && !store(Op::Store8, 0));
    }
}
