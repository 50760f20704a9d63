//! Tests of each class of instructions against RFC 9669, with hand-assembled code.

use super::*;
use crate::instruction::EncodedInstruction;
use crate::kernel::Printer;
use crate::memory::{GuardedBytes, Memory, READ, Region};
use airhop_base::SplitMix64;

/// An instruction as `opcode dst, src, offset, immediate`.
type Line = (u8, u8, u8, i16, i32);

/// Maximum number of instructions of a run.
const BUDGET: u32 = 1_000_000;
const EXIT: Line = (0x95, 0, 0, 0, 0);

/// Runs instructions with two numbers in r1 and r2, and with r3 pointing to a writable region of sixteen
/// bytes with the values 0 to 15.
fn run_lines(lines: &[Line], first: u64, second: u64) -> Result<u64, (usize, FaultCause)> {
    let mut code: Vec<Instruction> = Vec::new();
    let place =
        |number: u64, dst| Instruction { op: Op::Mov64, dst, src: 11, offset: 0, immediate: number as i64 };
    code.extend([place(first, 1), place(second, 2), place(AddressSpace::Region(0).address(0), 3)]);
    for &(opcode, dst, src, offset, immediate) in lines {
        let encoded = EncodedInstruction { opcode, dst, src, offset, immediate };
        code.push(encoded.decode(code.len()).unwrap());
    }
    run_code(&code)
}

fn run_code(code: &[Instruction]) -> Result<u64, (usize, FaultCause)> {
    let (mut stack, mut bytes, rights) = ([0xff; FRAME_BYTES * MAX_FRAMES], [0; 8], [READ; 8]);
    let mut regions = [Region::from_section("test".into(), (0..16).collect(), true)];
    let memory = Memory {
        stack: &mut stack,
        context: GuardedBytes { bytes: &mut bytes, rights: &rights },
        socket: None,
        sample: None,
        packet: &[],
        regions: &mut regions,
        first_map_region: 1,
        active_frames: 0,
    };
    let (mut random, mut scratch) = (SplitMix64::new(0), Vec::new());
    let printer = Printer { object: "test", printed_lines: &mut 0 };
    let (maps, random, scratch) = (&mut [][..], &mut random, &mut scratch);
    let mut kernel = HelperContext { memory, maps, random, now_ns: 0, scratch, held_lock: None, printer };
    run(code, 0, AddressSpace::Context.address(0), &mut kernel, BUDGET).map(|(result, _)| result)
}

/// Returns the result of an arithmetic instruction on r1 and r2. Checks both forms, `r1 OP= r2` and, if the
/// operand fits, `r1 OP= immediate`.
fn arithmetic(opcode: u8, offset: i16, first: u64, second: u64) -> u64 {
    let with = |line: Line| run_lines(&[line, (0xbf, 0, 1, 0, 0), EXIT], first, second).unwrap();
    let by_register = with((opcode | 8, 1, 2, offset, 0));
    let immediate = second as i32;
    let divides_by_zero = immediate == 0 && matches!(opcode >> 4, 3 | 9);
    if immediate as i64 as u64 == second && !divides_by_zero {
        assert_eq!(
            with((opcode, 1, 0, offset, immediate)),
            by_register,
            "opcode {opcode:#x} with {immediate}"
        );
    }
    by_register
}

// RFC 9669 §4.1, table 3: the 64-bit operations; immediates are sign-extended.
#[test]
fn alu64_operations_match_rfc_9669() {
    let minus = |n: i64| (-n) as u64;
    let cases = [
        (0x07, 0, 7, 5, 12),
        (0x07, 0, u64::MAX, 2, 1),
        (0x17, 0, 3, 5, minus(2)),
        (0x27, 0, 1 << 40, 1 << 30, 0),
        (0x27, 0, 3, minus(4), minus(12)),
        (0x37, 0, minus(1), 2, u64::MAX / 2),
        (0x37, 0, 17, 5, 3),
        (0x37, 1, minus(17), 5, minus(3)),
        (0x37, 1, i64::MIN as u64, minus(1), i64::MIN as u64),
        (0x97, 0, 17, 5, 2),
        (0x97, 1, minus(17), 5, minus(2)),
        (0x97, 1, i64::MIN as u64, minus(1), 0),
        (0x47, 0, 0b1100, 0b1010, 0b1110),
        (0x57, 0, 0b1100, 0b1010, 0b1000),
        (0xa7, 0, 0b1100, 0b1010, 0b0110),
        (0x67, 0, 3, 33, 3 << 33),
        (0x77, 0, minus(1), 63, 1),
        (0xc7, 0, minus(16), 2, minus(4)),
        (0xb7, 0, 1, minus(7), minus(7)),
    ];
    for (opcode, offset, first, second, result) in cases {
        assert_eq!(
            arithmetic(opcode, offset, first, second),
            result,
            "{opcode:#x}, {offset}: {first:#x}, {second:#x}"
        );
    }
    assert_eq!(run_lines(&[(0x87, 1, 0, 0, 0), (0xbf, 0, 1, 0, 0), EXIT], 5, 0).unwrap(), minus(5));
}

// §4.1: the 32-bit operations use the lower halves and set the upper half to zero.
#[test]
fn alu32_operations_clear_the_upper_half() {
    let (high, minus) = (0xdead_beef_0000_0000, |n: i32| u64::from((-n) as u32));
    let cases = [
        (0x04, 0, high | 0xffff_ffff, 2, 1),
        (0x14, 0, high | 3, 5, minus(2)),
        (0x24, 0, high | 0x8000_0001, 2, 2),
        (0x34, 0, high | 17, 5, 3),
        (0x34, 1, minus(17), 5, minus(3)),
        (0x34, 1, 0x8000_0000, u64::MAX, 0x8000_0000),
        (0x94, 0, high | 17, 5, 2),
        (0x94, 1, minus(17), 5, minus(2)),
        (0x94, 1, 0x8000_0000, u64::MAX, 0),
        (0x44, 0, high | 0b1100, 0b1010, 0b1110),
        (0x54, 0, high | 0b1100, u64::MAX, 0b1100),
        (0xa4, 0, high | 0b1100, 0b1010, 0b0110),
        (0x64, 0, high | 3, 31, 0x8000_0000),
        (0x74, 0, high | 0x8000_0000, 31, 1),
        (0xc4, 0, minus(16), 2, minus(4)),
        (0xb4, 0, 1, u64::MAX, 0xffff_ffff),
    ];
    for (opcode, offset, first, second, result) in cases {
        assert_eq!(
            arithmetic(opcode, offset, first, second),
            result,
            "{opcode:#x}, {offset}: {first:#x}, {second:#x}"
        );
    }
    assert_eq!(run_lines(&[(0x84, 1, 0, 0, 0), (0xbf, 0, 1, 0, 0), EXIT], 5, 0).unwrap(), minus(5));
}

// §4.1: "If BPF program execution would result in division by zero, the destination register is instead set to zero. If [it] would result in
// modulo by zero, for ALU64 the value of the destination register is unchanged whereas for ALU the upper 32 bits … are zeroed."
#[test]
fn division_by_zero_yields_zero() {
    let value = 0xdead_beef_0000_0007;
    for offset in [0, 1] {
        assert_eq!(arithmetic(0x37, offset, value, 0), 0);
        assert_eq!(arithmetic(0x34, offset, value, 0), 0);
        assert_eq!(arithmetic(0x97, offset, value, 0), value);
        assert_eq!(arithmetic(0x94, offset, value, 0), 7);
    }
}

// §4.1: "Shift operations use a mask of 0x3F (63) for 64-bit operations and 0x1F (31) for 32-bit operations."
#[test]
fn a_shift_count_is_masked_to_the_register_width() {
    assert_eq!(run_lines(&[(0x6f, 1, 2, 0, 0), (0xbf, 0, 1, 0, 0), EXIT], 1, 65).unwrap(), 2);
    assert_eq!(run_lines(&[(0x6c, 1, 2, 0, 0), (0xbf, 0, 1, 0, 0), EXIT], 1, 33).unwrap(), 2);
}

// §4.1: MOVSX extends 8 and 16 bits to 32, and 8, 16 and 32 bits to 64.
#[test]
fn movsx_extends_the_sign() {
    let moved = |opcode, bits, value| run_lines(&[(opcode, 0, 1, bits, 0), EXIT], value, 0).unwrap();
    assert_eq!(moved(0xbf, 8, 0x1280), 0xffff_ffff_ffff_ff80);
    assert_eq!(moved(0xbf, 16, 0x1_8000), 0xffff_ffff_ffff_8000);
    assert_eq!(moved(0xbf, 32, 0x1_8000_0000), 0xffff_ffff_8000_0000);
    assert_eq!(moved(0xbc, 8, 0x1280), 0xffff_ff80);
    assert_eq!(moved(0xbc, 16, 0x1_8000), 0xffff_8000);
}

// §4.2: conversions to little-endian and to big-endian, and byte swaps, which do not depend on the machine.
#[test]
fn byte_swaps_match_rfc_9669() {
    let value = 0x1122_3344_5566_7788;
    let turned =
        |opcode, bits| run_lines(&[(opcode, 1, 0, 0, bits), (0xbf, 0, 1, 0, 0), EXIT], value, 0).unwrap();
    assert_eq!([turned(0xd4, 16), turned(0xd4, 32), turned(0xd4, 64)], [0x7788, 0x5566_7788, value]);
    for opcode in [0xdc, 0xd7] {
        assert_eq!([turned(opcode, 16), turned(opcode, 32)], [0x8877, 0x8877_6655]);
        assert_eq!(turned(opcode, 64), 0x8877_6655_4433_2211);
    }
}

// §4.3, table 5. `-1` is the largest unsigned number, and as a signed number less than 1. 32-bit comparisons
// use the lower halves only.
#[test]
fn jumps_match_rfc_9669() {
    let minus_one = u64::MAX;
    let taken = |opcode, first, second| {
        let lines = [(opcode, 1, 2, 2, 0), (0xb7, 0, 0, 0, 0), EXIT, (0xb7, 0, 0, 0, 1), EXIT];
        run_lines(&lines, first, second).unwrap() == 1
    };
    // Each operation, and whether it jumps for (1, 1), (-1, 1) and (1, -1).
    let table = [
        (0x10, [true, false, false]),
        (0x20, [false, true, false]),
        (0x30, [true, true, false]),
        (0x40, [true, true, true]),
        (0x50, [false, true, true]),
        (0x60, [false, false, true]),
        (0x70, [true, false, true]),
        (0xa0, [false, false, true]),
        (0xb0, [true, false, true]),
        (0xc0, [false, true, false]),
        (0xd0, [true, true, false]),
    ];
    for (operation, expected) in table {
        for class in [5, 6] {
            let opcode = operation | 8 | class;
            let is = [taken(opcode, 1, 1), taken(opcode, minus_one, 1), taken(opcode, 1, minus_one)];
            assert_eq!(is, expected, "{opcode:#x}");
        }
        let upper = 1 << 32 | 1;
        assert_eq!(
            taken(operation | 8 | 6, upper, 1),
            taken(operation | 8 | 6, 1, 1),
            "only lower halves: {operation:#x}"
        );
    }
    assert!(!taken(0x4d, 0b10, 0b01), "no common bit");
    assert!(
        taken(0x05, 0, 0) && run_lines(&[(0x06, 0, 0, 0, 1), EXIT, (0xb7, 0, 0, 0, 9), EXIT], 0, 0) == Ok(9)
    );
    assert_eq!(
        run_lines(&[(0x55, 1, 0, 1, -1), EXIT, (0xb7, 0, 0, 0, 9), EXIT], minus_one, 0),
        Ok(0),
        "immediates have a sign"
    );
}

// §5.1, §5.2: zero-extended and sign-extended loads, stores of a register and of a constant.
#[test]
fn loads_and_stores_match_rfc_9669() {
    let loaded = |opcode, offset| run_lines(&[(opcode, 0, 3, offset, 0), EXIT], 0, 0).unwrap();
    assert_eq!([loaded(0x71, 3), loaded(0x69, 2), loaded(0x61, 4)], [3, 0x0302, 0x0706_0504]);
    assert_eq!(loaded(0x79, 8), 0x0f0e_0d0c_0b0a_0908);
    let stored =
        |store: Line, load| run_lines(&[store, (load, 0, 3, 1, 0), EXIT], 0, 0x8877_6655_8483_8281).unwrap();
    assert_eq!(stored((0x73, 3, 2, 1, 0), 0x79), 0x0807_0605_0403_0281);
    assert_eq!(stored((0x6b, 3, 2, 1, 0), 0x79), 0x0807_0605_0403_8281);
    assert_eq!(stored((0x63, 3, 2, 1, 0), 0x79), 0x0807_0605_8483_8281);
    assert_eq!(stored((0x7b, 3, 2, 1, 0), 0x79), 0x8877_6655_8483_8281);
    assert_eq!(stored((0x72, 3, 0, 1, -2), 0x79), 0x0807_0605_0403_02fe);
    assert_eq!(stored((0x7a, 3, 0, 1, -2), 0x79), -2_i64 as u64);
    assert_eq!(stored((0x73, 3, 2, 1, 0), 0x91), 0xffff_ffff_ffff_ff81);
    assert_eq!(stored((0x6b, 3, 2, 1, 0), 0x89), 0xffff_ffff_ffff_8281);
    assert_eq!(stored((0x63, 3, 2, 1, 0), 0x81), 0xffff_ffff_8483_8281);
}

// §5.3, table 13: memory after the operation and, with FETCH, the fetched value. The operand is the word
// 0x0b0a0908, or the 64 bits at +8.
#[test]
fn atomic_operations_match_rfc_9669() {
    let old = 0x0f0e_0d0c_0b0a_0908_u64;
    let modified =
        |opcode, imm| run_lines(&[(opcode, 3, 2, 8, imm), (0x79, 0, 3, 8, 0), EXIT], 0, 0xf0).unwrap();
    let learnt =
        |opcode, imm| run_lines(&[(opcode, 3, 2, 8, imm), (0xbf, 0, 2, 0, 0), EXIT], 0, 0xf0).unwrap();
    for (operation, new) in [(0x00, old + 0xf0), (0x40, old | 0xf0), (0x50, old & 0xf0), (0xa0, old ^ 0xf0)] {
        assert_eq!([modified(0xdb, operation), modified(0xdb, operation | 1)], [new, new], "{operation:#x}");
        assert_eq!([learnt(0xdb, operation), learnt(0xdb, operation | 1)], [0xf0, old], "{operation:#x}");
        let new = old & !0xffff_ffff | new & 0xffff_ffff;
        assert_eq!([modified(0xc3, operation), modified(0xc3, operation | 1)], [new, new], "{operation:#x}");
        assert_eq!(learnt(0xc3, operation | 1), old & 0xffff_ffff);
    }
    assert_eq!([modified(0xdb, 0xe1), learnt(0xdb, 0xe1)], [0xf0, old]);
    // Memory is compared with r0: first with 0, which differs from memory, then with the value in memory.
    let compared = |r0: Line, last| run_lines(&[r0, (0xdb, 3, 2, 8, 0xf1), last, EXIT], 0, 0xf0).unwrap();
    let (memory, keep) = ((0x79, 0, 3, 8, 0), (0xbf, 0, 0, 0, 0));
    assert_eq!([compared((0xb7, 0, 0, 0, 0), memory), compared((0xb7, 0, 0, 0, 0), keep)], [old, old]);
    assert_eq!([compared(memory, memory), compared(memory, keep)], [0xf0, old]);
}

// §4.3.1 and the kernel's limits: each function has its own r6 to r9 and its own stack frame, which is
// cleared at the call.
#[test]
fn a_call_preserves_r6_to_r9_and_clears_its_stack_frame() {
    let decode = |at: usize, (opcode, dst, src, offset, immediate): Line| {
        EncodedInstruction { opcode, dst, src, offset, immediate }.decode(at).unwrap()
    };
    let call = |target| Instruction { op: Op::Call, dst: 0, src: 11, offset: target, immediate: 0 };
    let code = [
        decode(0, (0xb7, 6, 0, 0, 7)),
        decode(1, (0x7a, 10, 0, -8, 30)),
        call(6),
        decode(3, (0x79, 1, 10, -8, 0)),
        decode(4, (0x0f, 0, 6, 0, 0)),
        decode(5, (0x05, 0, 0, 4, 0)),
        decode(6, (0x79, 0, 10, -8, 0)),
        decode(7, (0xb7, 6, 0, 0, 100)),
        decode(8, (0x7a, 10, 0, -8, 500)),
        decode(9, EXIT),
        decode(10, (0x0f, 0, 1, 0, 0)),
        decode(11, EXIT),
    ];
    assert_eq!(run_code(&code), Ok(37));
}

#[test]
fn an_endless_program_is_stopped() {
    assert_eq!(run_lines(&[(0x05, 0, 0, -1, 0)], 0, 0), Err((3, FaultCause::Endless(BUDGET))));
    let call = Instruction { op: Op::Call, dst: 0, src: 11, offset: 0, immediate: 0 };
    assert_eq!(run_code(&[call]), Err((0, FaultCause::TooDeep(MAX_FRAMES))));
    // The callback of a bpf_loop() uses the budget of its caller.
    let op = |op, dst, immediate| Instruction { op, dst, src: 11, offset: 6, immediate };
    let looping = [
        op(Op::Mov64, 1, 3),
        op(Op::Mov64, 2, AddressSpace::Code.address(6) as i64),
        op(Op::Mov64, 3, 0),
        op(Op::Mov64, 4, 0),
        op(Op::CallHelper(Helper::Loop), 0, 0),
        op(Op::Exit, 0, 0),
        op(Op::Jump, 0, 0),
    ];
    assert_eq!(run_code(&looping), Err((6, FaultCause::Endless(BUDGET))));
}

// Bytes before or after a region do not belong to it. Neither zero nor an unmapped address is valid.
#[test]
fn access_outside_a_memory_region_is_refused() {
    let fault = |line, first| match run_lines(&[line, EXIT], first, 0) {
        Err((3, FaultCause::Memory(denied))) => denied.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(fault((0x79, 0, 3, 9, 0), 0), "load of 8 bytes at test +9, outside its 16 bytes");
    assert_eq!(fault((0x71, 0, 3, -1, 0), 0), "load of 1 bytes at test -1, outside its 16 bytes");
    assert_eq!(fault((0x62, 1, 0, 8, 0), 0), "store of 4 bytes at 0x8, a null pointer");
    assert_eq!(
        fault((0xdb, 1, 1, 0, 0), 1 << 63),
        "load of 8 bytes at 0x8000000000000000, which is not an address of the program"
    );
    let context = AddressSpace::Context.address(0);
    assert_eq!(fault((0x7b, 1, 2, 0, 0), context), "store of 8 bytes at the context +0, which is read-only");
}

// RFC 9669 §3.1: an undefined instruction is rejected before the program runs.
#[test]
fn an_undefined_instruction_is_refused() {
    let refused = |opcode, dst, src, offset, immediate| {
        EncodedInstruction { opcode, dst, src, offset, immediate }.decode(0).expect_err("not an instruction")
    };
    assert!(refused(0xf7, 0, 0, 0, 0).contains("unknown instruction: opcode 0xf7"));
    assert!(refused(0x3f, 0, 1, 2, 0).contains("unknown"), "a division is signed or not");
    assert!(refused(0xdb, 1, 2, 0, 0x31).contains("unknown"), "an atomic operation that is not in the table");
    assert!(refused(0xb7, 10, 0, 0, 0).contains("frame pointer"));
    assert!(refused(0xdb, 1, 10, 0, 1).contains("frame pointer"), "the value that a fetch writes");
    assert!(refused(0xbf, 11, 0, 0, 0).contains("r11"));
    assert!(refused(0x37, 1, 0, 0, 0).contains("constant 0"));
    assert!(refused(0x67, 1, 0, 0, 64).contains("shifts 64 bits by 64"));
    assert!(refused(0x20, 0, 0, 0, 0).contains("classic BPF"));
}
