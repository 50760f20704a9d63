//! Atomic operations (RFC 9669 §5.3). A run has one processor, so nothing interrupts an operation.

use super::Registers;
use crate::instruction::AtomicOp;
use crate::memory::{Access, AccessError, Memory};

/// Computes the value in memory after the instruction.
macro_rules! updated {
    ($atomic:expr, $old:expr, $operand:expr, $expected:expr) => {
        match $atomic {
            AtomicOp::Add | AtomicOp::FetchAdd => $old.wrapping_add($operand),
            AtomicOp::Or | AtomicOp::FetchOr => $old | $operand,
            AtomicOp::And | AtomicOp::FetchAnd => $old & $operand,
            AtomicOp::Xor | AtomicOp::FetchXor => $old ^ $operand,
            AtomicOp::Exchange => $operand,
            AtomicOp::CompareExchange if $old == $expected => $operand,
            AtomicOp::CompareExchange => $old,
        }
    };
}

/// Returns an error if the address is not a multiple of the word's size, as in every kernel.
fn check_alignment(address: u64, bytes: usize) -> Result<(), AccessError> {
    match address % bytes as u64 {
        0 => Ok(()),
        _ => {
            let at = format!("at {address:#x}, which is not a multiple of {bytes}: atomics are aligned");
            Err(AccessError { access: Access::Store, bytes, description: at })
        }
    }
}

/// Applies the operation to a 64-bit word; returns the previous value.
pub(super) fn apply_atomic64(
    atomic: AtomicOp,
    memory: &mut Memory<'_>,
    address: u64,
    operand: u64,
    expected: u64,
) -> Result<u64, AccessError> {
    check_alignment(address, 8)?;
    let old = u64::from_le_bytes(
        memory.load(address).ok_or_else(|| memory.access_error(Access::Load, address, 8))?,
    );
    let new = updated!(atomic, old, operand, expected);
    memory.store(address, new.to_le_bytes()).ok_or_else(|| memory.access_error(Access::Store, address, 8))?;
    Ok(old)
}

/// Applies the operation to a 32-bit word; returns the previous value.
pub(super) fn apply_atomic32(
    atomic: AtomicOp,
    memory: &mut Memory<'_>,
    address: u64,
    operand: u32,
    expected: u32,
) -> Result<u32, AccessError> {
    check_alignment(address, 4)?;
    let old = u32::from_le_bytes(
        memory.load(address).ok_or_else(|| memory.access_error(Access::Load, address, 4))?,
    );
    let new = updated!(atomic, old, operand, expected);
    memory.store(address, new.to_le_bytes()).ok_or_else(|| memory.access_error(Access::Store, address, 4))?;
    Ok(old)
}

/// Stores the previous value of the word in the result register.
pub(super) fn store_previous(atomic: AtomicOp, registers: &mut Registers, src: usize, old: u64) {
    match atomic {
        AtomicOp::Add | AtomicOp::Or | AtomicOp::And | AtomicOp::Xor => {}
        AtomicOp::CompareExchange => registers[0] = old,
        _ => registers[src] = old,
    }
}
