//! Instruction set (RFC 9669). Each instruction is decoded once, into sixteen bytes.

use crate::kernel::{Helper, Kfunc};

/// Register that is always zero. Instructions without a source register read this register.
pub(crate) const ZERO_REGISTER: u8 = 11;
/// Index of the read-only frame pointer.
pub(crate) const FRAME_POINTER: u8 = 10;

/// Operation of an instruction. The second operand `S` is the source register plus the immediate. At least
/// one of the two is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
pub(crate) enum Op {
    // RFC 9669 §4.1: dst = dst OP S.
    Add64, Sub64, Mul64, Div64, DivSigned64, Mod64, ModSigned64, Or64, And64, Xor64, Left64, Right64, Arithmetic64, Neg64, Mov64,
    Add32, Sub32, Mul32, Div32, DivSigned32, Mod32, ModSigned32, Or32, And32, Xor32, Left32, Right32, Arithmetic32, Neg32, Mov32,
    /// 64-bit constant; the next instruction is its second half (§5.4).
    Constant,
    // Moves that extend the sign.
    Mov8To64, Mov16To64, Mov32To64, Mov8To32, Mov16To32,
    // RFC 9669 §4.2. On little-endian machines "to little-endian" truncates.
    Cut16, Cut32, Cut64, Swap16, Swap32, Swap64,
    // RFC 9669 §4.3: jump to `offset` if dst OP S.
    Jump,
    JumpEqual64, JumpNot64, JumpAbove64, JumpNotBelow64, JumpBelow64, JumpNotAbove64, JumpBits64,
    JumpGreater64, JumpNotLess64, JumpLess64, JumpNotGreater64,
    JumpEqual32, JumpNot32, JumpAbove32, JumpNotBelow32, JumpBelow32, JumpNotAbove32, JumpBits32,
    JumpGreater32, JumpNotLess32, JumpLess32, JumpNotGreater32,
    /// Call of the function at `offset` (§4.3.2).
    Call,
    CallHelper(Helper), CallKfunc(Kfunc),
    Exit,
    // RFC 9669 §5.1, §5.2: dst = *(src + offset), sign-extended or zero-extended.
    Load8, Load16, Load32, Load64, Load8Signed, Load16Signed, Load32Signed,
    // Store: *(dst + offset) = S.
    Store8, Store16, Store32, Store64,
    // RFC 9669 §5.3: atomic operation on *(dst + offset) and src.
    Atomic32(AtomicOp), Atomic64(AtomicOp),
}

impl Op {
    /// True if the operation may continue at the instruction `offset` of the same function.
    pub(crate) fn is_jump(self) -> bool {
        use Op::*;
        matches!(
            self,
            Jump | JumpEqual64
                | JumpNot64
                | JumpAbove64
                | JumpNotBelow64
                | JumpBelow64
                | JumpNotAbove64
                | JumpBits64
                | JumpGreater64
                | JumpNotLess64
                | JumpLess64
                | JumpNotGreater64
                | JumpEqual32
                | JumpNot32
                | JumpAbove32
                | JumpNotBelow32
                | JumpBelow32
                | JumpNotAbove32
                | JumpBits32
                | JumpGreater32
                | JumpNotLess32
                | JumpLess32
                | JumpNotGreater32
        )
    }
}

/// Effect of an atomic instruction on memory (RFC 9669 §5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
pub(crate) enum AtomicOp { Add, Or, And, Xor, FetchAdd, FetchOr, FetchAnd, FetchXor, Exchange, CompareExchange }

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    /// Sign-extended constant, or an address.
    pub immediate: i64,
    /// Address offset in bytes for memory accesses; index of the target instruction for jumps and calls.
    pub offset: i32,
    pub op: Op,
    pub dst: u8,
    pub src: u8,
}

const _: () = assert!(size_of::<Instruction>() == 16);

/// The eight bytes of an instruction (RFC 9669 §3.1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct EncodedInstruction {
    pub opcode: u8,
    pub dst: u8,
    pub src: u8,
    pub offset: i16,
    pub immediate: i32,
}

/// `BPF_LD | BPF_IMM | BPF_DW`: a 64-bit constant, in two instructions (RFC 9669 §5.4).
pub(crate) const LOAD_CONSTANT: u8 = 0x18;
/// `BPF_JMP | BPF_CALL`.
pub(crate) const CALL: u8 = 0x85;

impl EncodedInstruction {
    /// Splits the bytes into fields.
    pub(crate) fn new(bytes: [u8; 8]) -> EncodedInstruction {
        let [opcode, registers, ..] = bytes;
        let offset = i16::from_le_bytes([bytes[2], bytes[3]]);
        let immediate = i32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
        EncodedInstruction { opcode, dst: registers & 0xf, src: registers >> 4, offset, immediate }
    }

    /// Decodes arithmetic, jumps, loads and stores. Calls and 64-bit constants need the object's relocations
    /// instead. `at` is the index of the instruction. Jumps are relative to this index.
    pub(crate) fn decode(self, at: usize) -> Result<Instruction, String> {
        let instruction = match self.opcode & 7 {
            0 | 1 => self.decode_load(),
            2 | 3 => self.decode_store(),
            4 | 7 => self.decode_arithmetic(),
            _ => self.decode_jump(at),
        }?;
        self.check_registers(&instruction)?;
        Ok(instruction)
    }

    /// Checks that the registers exist, and that the destination may be written.
    fn check_registers(self, instruction: &Instruction) -> Result<(), String> {
        let register = self.dst.max(self.src);
        if register > FRAME_POINTER {
            return Err(format!("register r{register}, expected r0 to r10"));
        }
        let writes = !matches!(self.opcode & 7, 2 | 3 | 5 | 6);
        let fetches = matches!(instruction.op, Op::Atomic32(_) | Op::Atomic64(_)) && self.immediate & 1 == 1;
        if (writes && self.dst == FRAME_POINTER) || (fetches && self.src == FRAME_POINTER) {
            return Err("writes r10, the frame pointer, which is read-only".into());
        }
        Ok(())
    }

    fn unknown_opcode(self) -> String {
        let EncodedInstruction { opcode, offset, immediate, .. } = self;
        format!(
            "unknown instruction: opcode {opcode:#04x}, offset {offset}, immediate {immediate:#x} (RFC 9669)"
        )
    }

    fn decode_arithmetic(self) -> Result<Instruction, String> {
        let wide = self.opcode & 7 == 7;
        let from_register = self.opcode & 8 != 0;
        let operation = self.opcode >> 4;
        if operation == 0xd {
            return self.decode_byte_order(wide, from_register);
        }
        let bits = if wide { 64 } else { 32 };
        if !from_register {
            match operation {
                0x3 | 0x9 if self.immediate == 0 => return Err("divides by the constant 0".into()),
                0x6 | 0x7 | 0xc if !(0..bits).contains(&self.immediate) => {
                    return Err(format!("shifts {bits} bits by {}", self.immediate));
                }
                _ => {}
            }
        }
        let op = match (operation, self.offset, wide) {
            (0x0, 0, true) => Op::Add64,
            (0x1, 0, true) => Op::Sub64,
            (0x2, 0, true) => Op::Mul64,
            (0x3, 0, true) => Op::Div64,
            (0x3, 1, true) => Op::DivSigned64,
            (0x4, 0, true) => Op::Or64,
            (0x5, 0, true) => Op::And64,
            (0x6, 0, true) => Op::Left64,
            (0x7, 0, true) => Op::Right64,
            (0x8, 0, true) => Op::Neg64,
            (0x9, 0, true) => Op::Mod64,
            (0x9, 1, true) => Op::ModSigned64,
            (0xa, 0, true) => Op::Xor64,
            (0xb, 0, true) => Op::Mov64,
            (0xb, 8, true) if from_register => Op::Mov8To64,
            (0xb, 16, true) if from_register => Op::Mov16To64,
            (0xb, 32, true) if from_register => Op::Mov32To64,
            (0xc, 0, true) => Op::Arithmetic64,
            (0x0, 0, false) => Op::Add32,
            (0x1, 0, false) => Op::Sub32,
            (0x2, 0, false) => Op::Mul32,
            (0x3, 0, false) => Op::Div32,
            (0x3, 1, false) => Op::DivSigned32,
            (0x4, 0, false) => Op::Or32,
            (0x5, 0, false) => Op::And32,
            (0x6, 0, false) => Op::Left32,
            (0x7, 0, false) => Op::Right32,
            (0x8, 0, false) => Op::Neg32,
            (0x9, 0, false) => Op::Mod32,
            (0x9, 1, false) => Op::ModSigned32,
            (0xa, 0, false) => Op::Xor32,
            (0xb, 0, false) => Op::Mov32,
            (0xb, 8, false) if from_register => Op::Mov8To32,
            (0xb, 16, false) if from_register => Op::Mov16To32,
            (0xc, 0, false) => Op::Arithmetic32,
            _ => return Err(self.unknown_opcode()),
        };
        let (src, immediate) = self.operand(from_register);
        Ok(Instruction { op, dst: self.dst, src, offset: 0, immediate })
    }

    /// Returns the second operand: a register or a constant.
    fn operand(self, from_register: bool) -> (u8, i64) {
        if from_register { (self.src, 0) } else { (ZERO_REGISTER, i64::from(self.immediate)) }
    }

    /// Decodes a byte-order instruction (RFC 9669 §4.2).
    fn decode_byte_order(self, wide: bool, to_big: bool) -> Result<Instruction, String> {
        let op = match (self.immediate, wide || to_big) {
            _ if wide && to_big => return Err(self.unknown_opcode()),
            (16, true) => Op::Swap16,
            (32, true) => Op::Swap32,
            (64, true) => Op::Swap64,
            (16, false) => Op::Cut16,
            (32, false) => Op::Cut32,
            (64, false) => Op::Cut64,
            _ => return Err(self.unknown_opcode()),
        };
        Ok(Instruction { op, dst: self.dst, src: ZERO_REGISTER, offset: 0, immediate: 0 })
    }

    fn decode_jump(self, at: usize) -> Result<Instruction, String> {
        let wide = self.opcode & 7 == 5;
        let from_register = self.opcode & 8 != 0;
        let op = match (self.opcode >> 4, wide) {
            (0x0, _) if !from_register => Op::Jump,
            (0x9, true) if !from_register => Op::Exit,
            (0x1, true) => Op::JumpEqual64,
            (0x2, true) => Op::JumpAbove64,
            (0x3, true) => Op::JumpNotBelow64,
            (0x4, true) => Op::JumpBits64,
            (0x5, true) => Op::JumpNot64,
            (0x6, true) => Op::JumpGreater64,
            (0x7, true) => Op::JumpNotLess64,
            (0xa, true) => Op::JumpBelow64,
            (0xb, true) => Op::JumpNotAbove64,
            (0xc, true) => Op::JumpLess64,
            (0xd, true) => Op::JumpNotGreater64,
            (0x1, false) => Op::JumpEqual32,
            (0x2, false) => Op::JumpAbove32,
            (0x3, false) => Op::JumpNotBelow32,
            (0x4, false) => Op::JumpBits32,
            (0x5, false) => Op::JumpNot32,
            (0x6, false) => Op::JumpGreater32,
            (0x7, false) => Op::JumpNotLess32,
            (0xa, false) => Op::JumpBelow32,
            (0xb, false) => Op::JumpNotAbove32,
            (0xc, false) => Op::JumpLess32,
            (0xd, false) => Op::JumpNotGreater32,
            _ => return Err(self.unknown_opcode()),
        };
        // §4.3: the 32-bit class contains the long jump, whose distance is the immediate.
        let distance =
            if op == Op::Jump && !wide { i64::from(self.immediate) } else { i64::from(self.offset) };
        let target = i32::try_from(at as i64 + 1 + distance).map_err(|_| self.unknown_opcode())?;
        let (src, immediate) =
            if matches!(op, Op::Jump | Op::Exit) { (ZERO_REGISTER, 0) } else { self.operand(from_register) };
        Ok(Instruction { op, dst: self.dst, src, offset: target, immediate })
    }

    fn decode_load(self) -> Result<Instruction, String> {
        let op = match self.opcode {
            0x71 => Op::Load8,
            0x69 => Op::Load16,
            0x61 => Op::Load32,
            0x79 => Op::Load64,
            0x91 => Op::Load8Signed,
            0x89 => Op::Load16Signed,
            0x81 => Op::Load32Signed,
            0x20 | 0x28 | 0x30 | 0x40 | 0x48 | 0x50 => {
                return Err(
                    "reads a packet as classic BPF did, which is not supported (RFC 9669 §5.5)".into()
                );
            }
            _ => return Err(self.unknown_opcode()),
        };
        Ok(Instruction { op, dst: self.dst, src: self.src, offset: i32::from(self.offset), immediate: 0 })
    }

    fn decode_store(self) -> Result<Instruction, String> {
        let from_register = self.opcode & 7 == 3;
        let op = match self.opcode {
            0x72 | 0x73 => Op::Store8,
            0x6a | 0x6b => Op::Store16,
            0x62 | 0x63 => Op::Store32,
            0x7a | 0x7b => Op::Store64,
            0xc3 => Op::Atomic32(self.decode_atomic()?),
            0xdb => Op::Atomic64(self.decode_atomic()?),
            _ => return Err(self.unknown_opcode()),
        };
        let (src, immediate) = self.operand(from_register);
        Ok(Instruction { op, dst: self.dst, src, offset: i32::from(self.offset), immediate })
    }

    /// Decodes an atomic operation (RFC 9669 §5.3).
    fn decode_atomic(self) -> Result<AtomicOp, String> {
        Ok(match self.immediate {
            0x00 => AtomicOp::Add,
            0x40 => AtomicOp::Or,
            0x50 => AtomicOp::And,
            0xa0 => AtomicOp::Xor,
            0x01 => AtomicOp::FetchAdd,
            0x41 => AtomicOp::FetchOr,
            0x51 => AtomicOp::FetchAnd,
            0xa1 => AtomicOp::FetchXor,
            0xe1 => AtomicOp::Exchange,
            0xf1 => AtomicOp::CompareExchange,
            _ => return Err(self.unknown_opcode()),
        })
    }
}
