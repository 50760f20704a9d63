//! Interpreter of BPF instructions (RFC 9669 §4 and §5).

mod atomic;
#[cfg(test)]
mod tests;

use crate::fault::FaultCause;
use crate::instruction::{FRAME_POINTER, Instruction, Op};
use crate::kernel::{Helper, HelperContext};
use crate::memory::{Access, AddressSpace, FRAME_BYTES, MAX_FRAMES};

/// Registers r0 to r10, and a register that is always zero. An index into sixteen entries needs no bounds
/// check.
type Registers = [u64; 16];

/// Caller state, restored when the called function returns.
#[derive(Clone, Copy, Default)]
struct Frame {
    next: usize,
    saved: [u64; 4],
}

/// Runs the program at `entry` with `argument` in r1, for at most `budget` instructions. Returns r0 and the
/// remaining budget, or the failed instruction and the cause.
pub(crate) fn run(
    code: &[Instruction],
    entry: usize,
    argument: u64,
    kernel: &mut HelperContext<'_>,
    budget: u32,
) -> Result<(u64, u32), (usize, FaultCause)> {
    let (result, left) =
        run_function(code, entry, [argument, 0], kernel, 0, budget).map_err(|(at, cause)| match cause {
            // the budget is that of the program, not that of a callback of bpf_loop()
            FaultCause::Endless(_) => (at, FaultCause::Endless(budget)),
            cause => (at, cause),
        })?;
    match kernel.held_lock {
        None => Ok((result, left)),
        Some(_) => Err((
            entry,
            FaultCause::Call { function: "bpf_spin_lock", why: "the lock is never released".into() },
        )),
    }
}

/// Runs a function at call depth `first`, as [`run`] does.
fn run_function(
    code: &[Instruction],
    entry: usize,
    arguments: [u64; 2],
    kernel: &mut HelperContext<'_>,
    first: usize,
    budget: u32,
) -> Result<(u64, u32), (usize, FaultCause)> {
    if first == MAX_FRAMES {
        return Err((entry, FaultCause::TooDeep(MAX_FRAMES)));
    }
    let mut frames = [Frame::default(); MAX_FRAMES];
    let mut depth = first;
    let mut r: Registers = [0; 16];
    [r[1], r[2]] = arguments;
    r[usize::from(FRAME_POINTER)] = enter_frame(kernel, depth);
    let mut next = entry;
    let mut left = budget;
    loop {
        let at = next;
        let instruction = code[at];
        if left == 0 {
            return Err((at, FaultCause::Endless(budget)));
        }
        left -= 1;
        next = at + 1;
        let d = usize::from(instruction.dst & 15);
        let s = usize::from(instruction.src & 15);
        let (dst, src) = (r[d], r[s].wrapping_add(instruction.immediate as u64));
        let (dst32, src32) = (dst as u32, src as u32);
        let offset = instruction.offset as i64 as u64;

        macro_rules! set32 {
            ($value:expr) => {
                r[d] = u64::from($value as u32)
            };
        }
        macro_rules! jump_if {
            ($condition:expr) => {
                if $condition {
                    next = instruction.offset as usize;
                }
            };
        }
        macro_rules! load {
            ($number:ty, $wide:ty) => {{
                let address = src.wrapping_add(offset);
                match kernel.memory.load(address) {
                    Some(bytes) => r[d] = <$number>::from_le_bytes(bytes) as $wide as u64,
                    None => {
                        return Err((
                            at,
                            kernel.memory.access_error(Access::Load, address, size_of::<$number>()).into(),
                        ));
                    }
                }
            }};
        }
        macro_rules! store {
            ($number:ty) => {{
                let address = dst.wrapping_add(offset);
                if kernel.memory.store(address, (src as $number).to_le_bytes()).is_none() {
                    return Err((
                        at,
                        kernel.memory.access_error(Access::Store, address, size_of::<$number>()).into(),
                    ));
                }
            }};
        }

        match instruction.op {
            Op::Add64 => r[d] = dst.wrapping_add(src),
            Op::Sub64 => r[d] = dst.wrapping_sub(src),
            Op::Mul64 => r[d] = dst.wrapping_mul(src),
            // §4.1: division by zero yields zero, and the remainder of a division by zero is the dividend;
            // the smallest number divided by -1 wraps around.
            Op::Div64 => r[d] = dst.checked_div(src).unwrap_or(0),
            Op::DivSigned64 => r[d] = if src == 0 { 0 } else { (dst as i64).wrapping_div(src as i64) as u64 },
            Op::Mod64 => r[d] = dst.checked_rem(src).unwrap_or(dst),
            Op::ModSigned64 => {
                r[d] = if src == 0 { dst } else { (dst as i64).wrapping_rem(src as i64) as u64 }
            }
            Op::Or64 => r[d] = dst | src,
            Op::And64 => r[d] = dst & src,
            Op::Xor64 => r[d] = dst ^ src,
            // §4.1: shift counts are taken modulo the width.
            Op::Left64 => r[d] = dst.wrapping_shl(src32),
            Op::Right64 => r[d] = dst.wrapping_shr(src32),
            Op::Arithmetic64 => r[d] = (dst as i64).wrapping_shr(src32) as u64,
            Op::Neg64 => r[d] = dst.wrapping_neg(),
            Op::Mov64 => r[d] = src,

            // §4.1: 32-bit operations set the upper half to zero.
            Op::Add32 => set32!(dst32.wrapping_add(src32)),
            Op::Sub32 => set32!(dst32.wrapping_sub(src32)),
            Op::Mul32 => set32!(dst32.wrapping_mul(src32)),
            Op::Div32 => set32!(dst32.checked_div(src32).unwrap_or(0)),
            Op::DivSigned32 => set32!(if src32 == 0 { 0 } else { (dst32 as i32).wrapping_div(src32 as i32) }),
            Op::Mod32 => set32!(dst32.checked_rem(src32).unwrap_or(dst32)),
            Op::ModSigned32 => {
                set32!(if src32 == 0 { dst32 as i32 } else { (dst32 as i32).wrapping_rem(src32 as i32) })
            }
            Op::Or32 => set32!(dst32 | src32),
            Op::And32 => set32!(dst32 & src32),
            Op::Xor32 => set32!(dst32 ^ src32),
            Op::Left32 => set32!(dst32.wrapping_shl(src32)),
            Op::Right32 => set32!(dst32.wrapping_shr(src32)),
            Op::Arithmetic32 => set32!((dst32 as i32).wrapping_shr(src32)),
            Op::Neg32 => set32!(dst32.wrapping_neg()),
            Op::Mov32 => set32!(src32),

            Op::Constant => {
                r[d] = src;
                next = at + 2;
            }
            Op::Mov8To64 => r[d] = src as i8 as u64,
            Op::Mov16To64 => r[d] = src as i16 as u64,
            Op::Mov32To64 => r[d] = src as i32 as u64,
            Op::Mov8To32 => set32!(src as i8),
            Op::Mov16To32 => set32!(src as i16),

            Op::Cut16 => r[d] = dst & 0xffff,
            Op::Cut32 => r[d] = dst & 0xffff_ffff,
            Op::Cut64 => {}
            Op::Swap16 => r[d] = u64::from((dst as u16).swap_bytes()),
            Op::Swap32 => r[d] = u64::from(dst32.swap_bytes()),
            Op::Swap64 => r[d] = dst.swap_bytes(),

            Op::Jump => next = instruction.offset as usize,
            Op::JumpEqual64 => jump_if!(dst == src),
            Op::JumpNot64 => jump_if!(dst != src),
            Op::JumpAbove64 => jump_if!(dst > src),
            Op::JumpNotBelow64 => jump_if!(dst >= src),
            Op::JumpBelow64 => jump_if!(dst < src),
            Op::JumpNotAbove64 => jump_if!(dst <= src),
            Op::JumpBits64 => jump_if!(dst & src != 0),
            Op::JumpGreater64 => jump_if!(dst as i64 > src as i64),
            Op::JumpNotLess64 => jump_if!(dst as i64 >= src as i64),
            Op::JumpLess64 => jump_if!((dst as i64) < src as i64),
            Op::JumpNotGreater64 => jump_if!(dst as i64 <= src as i64),
            Op::JumpEqual32 => jump_if!(dst32 == src32),
            Op::JumpNot32 => jump_if!(dst32 != src32),
            Op::JumpAbove32 => jump_if!(dst32 > src32),
            Op::JumpNotBelow32 => jump_if!(dst32 >= src32),
            Op::JumpBelow32 => jump_if!(dst32 < src32),
            Op::JumpNotAbove32 => jump_if!(dst32 <= src32),
            Op::JumpBits32 => jump_if!(dst32 & src32 != 0),
            Op::JumpGreater32 => jump_if!(dst32 as i32 > src32 as i32),
            Op::JumpNotLess32 => jump_if!(dst32 as i32 >= src32 as i32),
            Op::JumpLess32 => jump_if!((dst32 as i32) < src32 as i32),
            Op::JumpNotGreater32 => jump_if!(dst32 as i32 <= src32 as i32),

            Op::Load8 => load!(u8, u64),
            Op::Load16 => load!(u16, u64),
            Op::Load32 => load!(u32, u64),
            Op::Load64 => load!(u64, u64),
            Op::Load8Signed => load!(i8, i64),
            Op::Load16Signed => load!(i16, i64),
            Op::Load32Signed => load!(i32, i64),
            Op::Store8 => store!(u8),
            Op::Store16 => store!(u16),
            Op::Store32 => store!(u32),
            Op::Store64 => store!(u64),
            Op::Atomic32(atomic) => {
                let address = dst.wrapping_add(offset);
                let old = atomic::apply_atomic32(atomic, &mut kernel.memory, address, src32, r[0] as u32)
                    .map_err(|denied| (at, denied.into()))?;
                atomic::store_previous(atomic, &mut r, s, old.into());
            }
            Op::Atomic64(atomic) => {
                let address = dst.wrapping_add(offset);
                let old = atomic::apply_atomic64(atomic, &mut kernel.memory, address, src, r[0])
                    .map_err(|denied| (at, denied.into()))?;
                atomic::store_previous(atomic, &mut r, s, old);
            }

            // §4.3.1: r0 is the result, and r6 to r9 are preserved.
            Op::Call => {
                if depth + 1 == MAX_FRAMES {
                    return Err((at, FaultCause::TooDeep(MAX_FRAMES)));
                }
                frames[depth] = Frame { next, saved: [r[6], r[7], r[8], r[9]] };
                depth += 1;
                r[usize::from(FRAME_POINTER)] = enter_frame(kernel, depth);
                next = instruction.offset as usize;
            }
            Op::CallHelper(Helper::Loop) => {
                (r[0], left) = run_bpf_loop(code, [r[1], r[2], r[3], r[4]], kernel, depth + 1, left)
                    .map_err(|(inner, cause)| {
                        (if matches!(cause, FaultCause::Call { .. }) { at } else { inner }, cause)
                    })?;
            }
            Op::CallHelper(helper) => {
                r[0] = kernel
                    .call_helper(helper, [r[1], r[2], r[3], r[4], r[5]])
                    .map_err(|cause| (at, cause))?;
                left = left.saturating_sub(HELPER_COST);
            }
            Op::CallKfunc(kfunc) => {
                r[0] = kernel.call_kfunc(kfunc, [r[1], r[2], r[3]]).map_err(|cause| (at, cause))?;
            }
            Op::Exit => {
                if depth == first {
                    kernel.memory.active_frames = first;
                    return Ok((r[0], left));
                }
                depth -= 1;
                kernel.memory.active_frames = depth + 1;
                let Frame { next: back, saved } = frames[depth];
                [r[6], r[7], r[8], r[9]] = saved;
                r[usize::from(FRAME_POINTER)] = frame_end(depth);
                next = back;
            }
        }
    }
}

/// Cost of a helper call in instructions. Some helpers copy kilobytes.
const HELPER_COST: u32 = 64;

/// Returns the frame pointer of a function: the end of its stack frame.
fn frame_end(depth: usize) -> u64 {
    AddressSpace::Frame(depth).address(FRAME_BYTES as u32)
}

/// `bpf_loop(count, callback, context, flags)`: calls a function of the program with a counter and a context,
/// until the function returns a value other than 0. Returns the number of calls, or an error code for the
/// program.
fn run_bpf_loop(
    code: &[Instruction],
    [count, callback, context, flags]: [u64; 4],
    kernel: &mut HelperContext<'_>,
    depth: usize,
    mut left: u32,
) -> Result<(u64, u32), (usize, FaultCause)> {
    let Some(entry) = AddressSpace::instruction_index(callback).filter(|&entry| entry < code.len()) else {
        return Err((0, Helper::Loop.call_error(format!("{callback:#x} is not a function of the program"))));
    };
    let count = count as u32;
    if count > BPF_MAX_LOOPS {
        return Ok((E2BIG as u64, left));
    }
    if flags != 0 {
        return Ok((EINVAL as u64, left));
    }
    let mut times = 0;
    while times < count {
        let (stops, rest) = run_function(code, entry, [times.into(), context], kernel, depth, left)?;
        (left, times) = (rest.saturating_sub(1), times + 1);
        if stops != 0 {
            break;
        }
    }
    Ok((times.into(), left))
}

/// `BPF_MAX_LOOPS`.
const BPF_MAX_LOOPS: u32 = 8 << 20;
/// Error code `-E2BIG`.
const E2BIG: i64 = -7;
const EINVAL: i64 = -22;

/// Clears a function's stack frame and returns the frame pointer.
fn enter_frame(kernel: &mut HelperContext<'_>, depth: usize) -> u64 {
    kernel.memory.active_frames = depth + 1;
    kernel.memory.stack[depth * FRAME_BYTES..(depth + 1) * FRAME_BYTES].fill(0);
    frame_end(depth)
}
