//! Conversion of an object's types into a form that a kernel accepts. Clang omits sizes and offsets of
//! variables and sections. Variables and sections therefore become plain types of the same length. No program
//! refers to the plain types. Arguments of kernel functions get names.

use super::kernel::{read_u32, trailing_bytes};
use crate::btf::{btf_error, parse_header};
use crate::error::ObjectProblem;

const INT_INFO: u32 = 1 << 24;
const STRUCT_INFO: u32 = 4 << 24;
/// Data word of a one-byte integer type.
const ONE_BYTE_INT_DATA: u32 = 8;
/// Size of the widest integer in bytes.
const MAX_INTEGER_BYTES: u32 = 16;
/// Linkage of an extern function.
const BTF_FUNC_EXTERN: u32 = 2;
const BTF_FUNC_GLOBAL: u32 = 1;

/// Returns the converted section `.BTF`.
pub(super) fn convert_types(section: &[u8]) -> Result<Vec<u8>, ObjectProblem> {
    let (length, mut words) = parse_header(section).map_err(btf_error)?;
    let (Some(offset), Some(bytes)) = (words.next_word(), words.next_word()) else {
        return Err(btf_error("the header is truncated"));
    };
    let start = length as usize + offset as usize;
    let mut out = section.to_vec();
    let types = out
        .get_mut(start..start + bytes as usize)
        .ok_or_else(|| btf_error("its types extend beyond its end"))?;
    let (mut places, mut at) = (vec![0], 0);
    while let Some(info) = read_u32(types, at + 4) {
        places.push(at);
        at += 12 + trailing_bytes(info).map_err(btf_error)?;
    }
    if at != types.len() {
        return Err(btf_error("its types are truncated"));
    }
    let kind = |types: &[u8], place: usize| (read_u32(types, place + 4).unwrap_or(0) >> 24) & 0x1f;
    for &place in &places[1..] {
        match kind(types, place) {
            14 | 17 => convert_to_integer(types, place),
            12 => name_arguments(types, place, &places),
            _ => {}
        }
    }
    let integer =
        places.iter().skip(1).position(|&place| kind(types, place) == 1).map_or(0, |index| index as u32 + 1);
    for &place in &places[1..] {
        if kind(types, place) == 15 {
            convert_to_structure(types, place, integer);
        }
    }
    Ok(out)
}

fn write_u32(types: &mut [u8], at: usize, value: u32) {
    types[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

/// Converts a variable, or a tag of a variable, into an integer.
fn convert_to_integer(types: &mut [u8], place: usize) {
    write_u32(types, place + 4, INT_INFO);
    write_u32(types, place + 8, 1);
    write_u32(types, place + 12, ONE_BYTE_INT_DATA);
}

/// Converts a section into a structure of integers.
fn convert_to_structure(types: &mut [u8], place: usize, integer: u32) {
    let count = read_u32(types, place + 4).unwrap_or(0) & 0xffff;
    write_u32(types, place, 0);
    write_u32(types, place + 4, STRUCT_INFO | count);
    write_u32(types, place + 8, MAX_INTEGER_BYTES * count);
    for number in 0..count {
        let member = place + 12 + 12 * number as usize;
        write_u32(types, member, 0);
        write_u32(types, member + 4, integer);
        write_u32(types, member + 8, 8 * MAX_INTEGER_BYTES * number);
    }
}

/// Adds names to the arguments of a function. A kernel requires names, but externs have none.
fn name_arguments(types: &mut [u8], place: usize, places: &[usize]) {
    let info = read_u32(types, place + 4).unwrap_or(0);
    if info & 0xffff != BTF_FUNC_EXTERN {
        return;
    }
    write_u32(types, place + 4, info & !0xffff | BTF_FUNC_GLOBAL);
    let name = read_u32(types, place).unwrap_or(0);
    let Some(&prototype) = read_u32(types, place + 8).and_then(|id| places.get(id as usize)) else { return };
    let count = read_u32(types, prototype + 4).unwrap_or(0) & 0xffff;
    for argument in (0..count as usize).map(|number| prototype + 12 + 8 * number) {
        if read_u32(types, argument) == Some(0) && read_u32(types, argument + 4) != Some(0) {
            write_u32(types, argument, name);
        }
    }
}
