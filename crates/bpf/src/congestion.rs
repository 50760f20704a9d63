//! Congestion controls of an object: variables of type `struct tcp_congestion_ops`.

use crate::btf::{Btf, Type, TypeId};
use crate::elf::{Elf, Relocation, Section};
use crate::error::ObjectProblem;
use crate::linking::{SymbolResolver, read_u64};
use std::collections::BTreeMap;

/// Sections with `tcp_congestion_ops` variables. Variables in `.struct_ops.link` are registered with a BPF
/// link (libbpf).
const STRUCT_OPS_SECTIONS: [&str; 2] = [".struct_ops", ".struct_ops.link"];
/// Maximum number of variables in one of these sections.
const MAX_VARIABLES: usize = 64;
/// Size of a name in bytes, including the terminating zero (`TCP_CA_NAME_MAX`).
const TCP_CA_NAME_MAX: u64 = 16;
/// `TCP_CONG_NEEDS_ECN`.
const TCP_CONG_NEEDS_ECN: u32 = 2;
/// Flags that a kernel accepts: `TCP_CONG_NEEDS_ECN` and `TCP_CONG_NON_RESTRICTED`.
const ACCEPTED_FLAGS: u32 = TCP_CONG_NEEDS_ECN | 1;

/// Program of an object, identified by the index of its first instruction in the object's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramId(pub(crate) usize);

/// Callback of a congestion control (Linux `struct tcp_congestion_ops`). The signatures omit the first
/// argument, the socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Callback {
    /// `u32 ssthresh()`: returns ssthresh after a loss.
    Ssthresh,
    /// `void cong_avoid(u32 ack, u32 acked)`: increases the window.
    CongAvoid,
    /// `void set_state(u8 new_state)`: called before the sender's state changes.
    SetState,
    /// `void cwnd_event(enum tcp_ca_event ev)`.
    CwndEvent,
    /// `void in_ack_event(u32 flags)`: called for each ACK before processing.
    InAckEvent,
    /// `void pkts_acked(const struct ack_sample *)`: called for an ACK of new data.
    PktsAcked,
    /// `u32 min_tso_segs()`: minimum number of segments of a burst.
    MinTsoSegs,
    /// `void cong_control([u32 ack, int flag,] const struct rate_sample *)`: sets window and pacing rate in
    /// place of the kernel's own rules.
    CongControl,
    /// `u32 undo_cwnd()`: returns the window to restore after a spurious reduction.
    UndoCwnd,
    /// `u32 sndbuf_expand()`: returns the size of the send buffer as a multiple of the window.
    SndbufExpand,
    /// `void init()`.
    Init,
    /// `void release()`.
    Release,
}

impl Callback {
    /// All callbacks.
    pub const ALL: [Callback; 12] = [
        Callback::Ssthresh,
        Callback::CongAvoid,
        Callback::SetState,
        Callback::CwndEvent,
        Callback::InAckEvent,
        Callback::PktsAcked,
        Callback::MinTsoSegs,
        Callback::CongControl,
        Callback::UndoCwnd,
        Callback::SndbufExpand,
        Callback::Init,
        Callback::Release,
    ];

    /// Returns the callback's member name in `struct tcp_congestion_ops`.
    pub fn name(self) -> &'static str {
        match self {
            Callback::Ssthresh => "ssthresh",
            Callback::CongAvoid => "cong_avoid",
            Callback::SetState => "set_state",
            Callback::CwndEvent => "cwnd_event",
            Callback::InAckEvent => "in_ack_event",
            Callback::PktsAcked => "pkts_acked",
            Callback::MinTsoSegs => "min_tso_segs",
            Callback::CongControl => "cong_control",
            Callback::UndoCwnd => "undo_cwnd",
            Callback::SndbufExpand => "sndbuf_expand",
            Callback::Init => "init",
            Callback::Release => "release",
        }
    }
}

/// A congestion control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CongestionControl {
    /// Name of the congestion control, as in the socket option `TCP_CONGESTION`.
    pub name: String,
    /// Name of the variable in the object.
    pub variable: String,
    /// Flags `TCP_CONG_*`.
    pub flags: u32,
    programs: [Option<ProgramId>; Callback::ALL.len()],
    parameters: [usize; Callback::ALL.len()],
}

impl CongestionControl {
    /// Returns the program of a callback; `None` if the congestion control lacks the callback.
    pub fn program(&self, callback: Callback) -> Option<ProgramId> {
        self.programs[callback as usize]
    }

    /// Returns the callback that a program implements; `None` for other programs of the object.
    fn callback(&self, program: ProgramId) -> Option<Callback> {
        Callback::ALL.into_iter().find(|callback| self.program(*callback) == Some(program))
    }

    /// Returns the number of parameters that the object declares for a callback, including the socket.
    /// `cong_control` has two parameters before Linux 6.10, and four since then.
    pub fn parameter_count(&self, callback: Callback) -> usize {
        self.parameters[callback as usize]
    }

    /// True if connections must negotiate ECN (`TCP_CONG_NEEDS_ECN`).
    pub fn needs_ecn(&self) -> bool {
        self.flags & TCP_CONG_NEEDS_ECN != 0
    }

    /// Returns the names of callbacks that the kernel requires and the congestion control lacks.
    pub fn missing_callbacks(&self) -> Vec<&'static str> {
        let lacks = |callback| self.program(callback).is_none();
        let mut missing: Vec<&str> = [Callback::Ssthresh, Callback::UndoCwnd]
            .into_iter()
            .filter(|callback| lacks(*callback))
            .map(Callback::name)
            .collect();
        if lacks(Callback::CongAvoid) && lacks(Callback::CongControl) {
            missing.push("cong_avoid or cong_control");
        }
        missing
    }
}

/// Reads all congestion controls of an object.
pub(crate) fn read_congestion_controls(
    elf: &Elf,
    btf: &Btf,
    linking: &SymbolResolver<'_>,
) -> Result<Vec<CongestionControl>, ObjectProblem> {
    let mut controls = Vec::new();
    for name in STRUCT_OPS_SECTIONS {
        let Some((index, section)) = elf.section(name) else { continue };
        let relocations = section.relocations.iter().map(|r| (r.offset, r)).collect();
        for &variable in btf.section_variables(name).iter().take(MAX_VARIABLES) {
            let (variable, kind) = btf.variable(variable)?;
            let at = elf.variable_offset(index, variable).unwrap_or(u64::MAX);
            let source = StructOpsVariable { variable, kind, at, section, relocations: &relocations };
            let control = source.read_control(btf, linking)?;
            if controls.iter().any(|other: &CongestionControl| other.name == control.name) {
                return Err(source.variable_error(format!(
                    "its name is {:?}, which another congestion control also has",
                    control.name
                )));
            }
            controls.push(control);
        }
    }
    Ok(controls)
}

/// A variable and its section.
struct StructOpsVariable<'a> {
    variable: &'a str,
    kind: TypeId,
    at: u64,
    section: &'a Section,
    relocations: &'a BTreeMap<u64, &'a Relocation>,
}

impl StructOpsVariable<'_> {
    fn variable_error(&self, why: impl Into<String>) -> ObjectProblem {
        ObjectProblem::StructOps { variable: self.variable.to_owned(), why: why.into() }
    }

    fn bytes(&self, offset: u64, length: u64) -> Result<&[u8], ObjectProblem> {
        let start = self.at.saturating_add(offset) as usize;
        let bytes = self.section.bytes.get(start..start.saturating_add(length as usize));
        bytes.ok_or_else(|| self.variable_error("extends beyond its section"))
    }

    fn read_control(
        &self,
        btf: &Btf,
        linking: &SymbolResolver<'_>,
    ) -> Result<CongestionControl, ObjectProblem> {
        let (_, Type::Composite { name: structure, members, .. }) = btf.resolve_type(self.kind)? else {
            return Err(self.variable_error("not a structure, expected struct tcp_congestion_ops"));
        };
        let structure = btf.name_text(*structure);
        if structure.split("___").next() != Some("tcp_congestion_ops") {
            return Err(
                self.variable_error(format!("a struct {structure}, expected struct tcp_congestion_ops"))
            );
        }
        let mut control = CongestionControl {
            name: String::new(),
            variable: self.variable.to_owned(),
            flags: 0,
            programs: [None; Callback::ALL.len()],
            parameters: [0; Callback::ALL.len()],
        };
        for member in members {
            let (name, offset) = (btf.name_text(member.name), u64::from(member.bit_offset / 8));
            match Callback::ALL.into_iter().find(|callback| callback.name() == name) {
                Some(callback) => {
                    let program = self.read_program(offset, linking)?;
                    if let Some(other) = program.and_then(|program| control.callback(program)) {
                        let (name, other) = (callback.name(), other.name());
                        return Err(self.variable_error(format!(
                            "{other} and {name} are one program: a kernel accepts a program for only one member"
                        )));
                    }
                    control.programs[callback as usize] = program;
                    control.parameters[callback as usize] = count_parameters(btf, member.type_id)?;
                }
                None if name == "name" => control.name = self.read_name(offset)?,
                None if name == "flags" => {
                    let flags = self.bytes(offset, 4)?.first_chunk().expect("four bytes");
                    control.flags = u32::from_le_bytes(*flags);
                    if control.flags & !ACCEPTED_FLAGS != 0 {
                        return Err(self.variable_error(format!(
                            "its flags are {:#x}, expected TCP_CONG_NON_RESTRICTED (1), TCP_CONG_NEEDS_ECN (2), or both",
                            control.flags
                        )));
                    }
                }
                None if self.relocations.contains_key(&(self.at.saturating_add(offset))) => {
                    return Err(self.variable_error(format!(
                        "has a program for {name}, which the simulated kernel never calls"
                    )));
                }
                None => {}
            }
        }
        Ok(control)
    }

    /// Returns the function that a member points to.
    fn read_program(
        &self,
        offset: u64,
        linking: &SymbolResolver<'_>,
    ) -> Result<Option<ProgramId>, ObjectProblem> {
        let Some(relocation) = self.relocations.get(&(self.at.saturating_add(offset))) else {
            return Ok(None);
        };
        let addend = read_u64(&self.section.bytes, self.at.saturating_add(offset))
            .map_err(|why| self.variable_error(why))?;
        let function =
            linking.function_start(relocation, addend as i64 / 8).map_err(|why| self.variable_error(why))?;
        Ok(Some(ProgramId(function)))
    }

    fn read_name(&self, offset: u64) -> Result<String, ObjectProblem> {
        let bytes = self.bytes(offset, TCP_CA_NAME_MAX)?;
        let end = bytes
            .iter()
            .position(|&byte| byte == 0)
            .ok_or_else(|| self.variable_error("its name has no terminating zero"))?;
        // Same check as `bpf_obj_name_cpy` in Linux's kernel/bpf/syscall.c.
        let is_taken = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
        let name = String::from_utf8_lossy(&bytes[..end]);
        match end > 0 && bytes[..end].iter().all(is_taken) {
            true => Ok(name.into_owned()),
            false => Err(self
                .variable_error(format!("its name is {name:?}, expected letters, digits, \"_\" or \".\""))),
        }
    }
}

/// Returns the number of parameters of a function pointer; 0 for a `void *`.
fn count_parameters(btf: &Btf, kind: TypeId) -> Result<usize, ObjectProblem> {
    let Type::Pointer(target) = btf.resolve_type(kind)?.1 else { return Ok(0) };
    match btf.resolve_type(*target)?.1 {
        Type::Prototype { parameters } => Ok(*parameters),
        _ => Ok(0),
    }
}
