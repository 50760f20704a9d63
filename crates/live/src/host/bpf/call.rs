//! bpf(2), command by command. Only this file and `host::sys` contain unsafe code. The system call is unsafe
//! because its attributes point to memory of the caller.
#![allow(unsafe_code)]

use airhop_bpf::loading::{LoadableMap, LoadableProgram};
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// `BPF_MAP_CREATE` (linux/bpf.h, `enum bpf_cmd`).
const BPF_MAP_CREATE: u32 = 0;
const BPF_MAP_LOOKUP_ELEM: u32 = 1;
const BPF_MAP_UPDATE_ELEM: u32 = 2;
const BPF_PROG_LOAD: u32 = 5;
const BPF_OBJ_PIN: u32 = 6;
const BPF_OBJ_GET: u32 = 7;
const BPF_MAP_GET_FD_BY_ID: u32 = 14;
const BPF_OBJ_GET_INFO_BY_FD: u32 = 15;
const BPF_BTF_LOAD: u32 = 18;
const BPF_MAP_FREEZE: u32 = 22;
const BPF_LINK_CREATE: u32 = 28;
/// Maximum length of a name in bytes, including the terminating zero. Names consist of letters, digits, dots
/// and underscores.
const BPF_OBJ_NAME_LEN: usize = 16;
/// Buffer size in bytes for the verifier's statistics of an accepted program.
const SUMMARY_BYTES: usize = 1 << 12;
const LOG_BYTES: usize = 1 << 20;
/// Level of the verifier's log: all instructions.
const VERBOSE_LOG_LEVEL: u32 = 1;
const STATISTICS_LOG_LEVEL: u32 = 4;
/// Start of the log line with the number of processed instructions.
const PROCESSED_PREFIX: &str = "processed ";

/// Program that the kernel has accepted, with a summary from the verifier.
#[derive(Debug)]
pub struct AcceptedProgram {
    /// The program.
    pub program: OwnedFd,
    /// Line of the verifier's log with the number of processed instructions.
    pub summary: String,
}

/// Refusal of a program by the kernel.
#[derive(Debug)]
pub struct RefusedProgram {
    /// Error of the system call.
    pub error: io::Error,
    /// Lines of the verifier's log; empty if the verifier was not called.
    pub log: Vec<String>,
}

/// Attributes of a command (`union bpf_attr`): numbers at their offsets, and zeros elsewhere.
struct BpfAttributes([u8; 152]);

impl BpfAttributes {
    fn new() -> Self {
        BpfAttributes([0; 152])
    }

    fn with_u32(mut self, at: usize, value: u32) -> Self {
        self.0[at..at + 4].copy_from_slice(&value.to_ne_bytes());
        self
    }

    fn with_fd(self, at: usize, descriptor: &OwnedFd) -> Self {
        self.with_u32(at, descriptor.as_raw_fd() as u32)
    }

    /// Sets an address for the kernel to read from or write to. The memory must stay valid until the call
    /// returns.
    fn with_address<T>(mut self, at: usize, memory: *const T) -> Self {
        self.0[at..at + 8].copy_from_slice(&(memory as u64).to_ne_bytes());
        self
    }

    fn with_name(mut self, at: usize, name: &str) -> Self {
        let plain = name.bytes().map(|byte| if byte.is_ascii_alphanumeric() { byte } else { b'_' });
        for (to, from) in self.0[at..at + BPF_OBJ_NAME_LEN - 1].iter_mut().zip(plain) {
            *to = from;
        }
        self
    }

    fn call_bpf(mut self, command: u32) -> io::Result<RawFd> {
        // SAFETY: the kernel reads as many bytes as the array has. Every address in the array points to
        // memory that the calling function owns, and the length of the memory is also in the array.
        let result = unsafe { libc::syscall(libc::SYS_bpf, command, self.0.as_mut_ptr(), self.0.len()) };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result as RawFd) }
    }

    fn call_for_fd(self, command: u32) -> io::Result<OwnedFd> {
        let descriptor = self.call_bpf(command)?;
        // SAFETY: these commands return a new descriptor without any other owner.
        Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
    }
}

/// Loads the types of an object into the kernel.
///
/// # Errors
/// Returns an error if the kernel rejects the types, or if the user may not use bpf(2).
pub fn load_types(types: &[u8]) -> io::Result<OwnedFd> {
    BpfAttributes::new()
        .with_address(0, types.as_ptr())
        .with_u32(16, types.len() as u32)
        .call_for_fd(BPF_BTF_LOAD)
}

/// Creates a map with its initial contents.
///
/// # Errors
/// Returns the error of the kernel.
pub fn create_map(map: &LoadableMap, types: &OwnedFd) -> io::Result<OwnedFd> {
    let mut attributes = BpfAttributes::new()
        .with_u32(0, map.kind)
        .with_u32(4, map.key_bytes)
        .with_u32(8, map.value_bytes)
        .with_u32(12, map.max_entries)
        .with_u32(16, map.flags)
        .with_name(28, &map.name);
    if let Some([key, value]) = map.key_value_types {
        attributes = attributes.with_fd(48, types).with_u32(52, key).with_u32(56, value);
    }
    let made = attributes.call_for_fd(BPF_MAP_CREATE)?;
    if let Some(content) = &map.content {
        update_map(&made, &[0; 4], content)?;
        if map.is_read_only() {
            BpfAttributes::new().with_fd(0, &made).call_bpf(BPF_MAP_FREEZE)?;
        }
    }
    Ok(made)
}

/// Creates a struct_ops map. The kernel returns a BPF link when the map is registered.
///
/// # Errors
///
/// Returns the error of the kernel. Kernels before Linux 6.4 have no struct_ops links.
pub fn create_struct_ops(
    name: &str,
    value_type: u32,
    value_bytes: u32,
    types: &OwnedFd,
) -> io::Result<OwnedFd> {
    const BPF_MAP_TYPE_STRUCT_OPS: u32 = 26;
    const BPF_F_LINK: u32 = 1 << 13;
    let attributes = BpfAttributes::new()
        .with_u32(0, BPF_MAP_TYPE_STRUCT_OPS)
        .with_u32(4, 4)
        .with_u32(8, value_bytes)
        .with_u32(12, 1);
    attributes
        .with_u32(16, BPF_F_LINK)
        .with_name(28, name)
        .with_fd(48, types)
        .with_u32(60, value_type)
        .call_for_fd(BPF_MAP_CREATE)
}

/// Sets the value of a key in a map. Key and value must have the lengths that the map declares.
///
/// # Errors
///
/// Returns the error of the kernel. For a struct_ops map the usual cause is an invalid member.
pub fn update_map(map: &OwnedFd, key: &[u8], value: &[u8]) -> io::Result<()> {
    let attributes =
        BpfAttributes::new().with_fd(0, map).with_address(8, key.as_ptr()).with_address(16, value.as_ptr());
    attributes.call_bpf(BPF_MAP_UPDATE_ELEM).map(drop)
}

/// Returns the value of a map with a single entry of `bytes` bytes.
///
/// # Errors
///
/// Returns the error of the kernel.
pub fn read_map_value(map: &OwnedFd, bytes: usize) -> io::Result<Vec<u8>> {
    let (key, mut value) = ([0u8; 4], vec![0u8; bytes]);
    let attributes = BpfAttributes::new()
        .with_fd(0, map)
        .with_address(8, key.as_ptr())
        .with_address(16, value.as_mut_ptr());
    attributes.call_bpf(BPF_MAP_LOOKUP_ELEM)?;
    Ok(value)
}

/// Loads a program with complete instructions. For a callback, `attach` is the type number of the callback
/// structure and the index of the member. For a packet program, `attach` is `None`.
///
/// # Errors
///
/// Returns the error of the kernel and the verifier's log.
pub fn load_program(
    program: &LoadableProgram,
    code: &[u8],
    license: &str,
    types: &OwnedFd,
    attach: Option<(u32, u32)>,
) -> Result<AcceptedProgram, RefusedProgram> {
    const BPF_PROG_TYPE_SCHED_CLS: u32 = 3;
    const BPF_PROG_TYPE_STRUCT_OPS: u32 = 27;
    let license = [license.as_bytes(), &[0]].concat();
    let load = |level: u32, log: &mut [u8]| {
        let (kind, (structure, member)) = (
            if attach.is_some() { BPF_PROG_TYPE_STRUCT_OPS } else { BPF_PROG_TYPE_SCHED_CLS },
            attach.unwrap_or_default(),
        );
        BpfAttributes::new()
            .with_u32(0, kind)
            .with_u32(4, (code.len() / 8) as u32)
            .with_address(8, code.as_ptr())
            .with_address(16, license.as_ptr())
            .with_u32(24, level)
            .with_u32(28, log.len() as u32)
            .with_address(32, log.as_mut_ptr())
            .with_name(48, &program.name)
            .with_u32(68, member)
            .with_fd(72, types)
            .with_u32(76, 8)
            .with_address(80, program.func_info.as_ptr())
            .with_u32(88, program.func_info.len() as u32)
            .with_u32(92, 16)
            .with_address(96, program.line_info.as_ptr())
            .with_u32(104, program.line_info.len() as u32)
            .with_u32(108, structure)
            .with_u32(116, program.core_relocations.len() as u32)
            .with_address(128, program.core_relocations.as_ptr())
            .with_u32(136, 16)
            .call_for_fd(BPF_PROG_LOAD)
    };
    let mut last = None;
    for (level, bytes) in [(STATISTICS_LOG_LEVEL, SUMMARY_BYTES), (VERBOSE_LOG_LEVEL, LOG_BYTES)] {
        let mut log = vec![0u8; bytes];
        match load(level, &mut log) {
            Ok(program) => {
                let summary = lines(&log).into_iter().find(|line| line.starts_with(PROCESSED_PREFIX));
                return Ok(AcceptedProgram { program, summary: summary.unwrap_or_default() });
            }
            Err(error) => last = Some((error, lines(&log))),
        }
    }
    let (error, mut log) = last.expect("two attempts");
    log.retain(|line| !line.starts_with(PROCESSED_PREFIX));
    Err(RefusedProgram { error, log })
}

/// Returns the lines of a zero-terminated text.
fn lines(log: &[u8]) -> Vec<String> {
    let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
    String::from_utf8_lossy(&log[..end]).lines().map(str::to_owned).collect()
}

/// Registers the callback structure in a struct_ops map. The registration lasts as long as the returned link
/// is open.
///
/// # Errors
///
/// Returns the error of the kernel: `EEXIST` if a congestion control with this name is already registered.
pub fn register_struct_ops(map: &OwnedFd) -> io::Result<OwnedFd> {
    const BPF_STRUCT_OPS: u32 = 44;
    BpfAttributes::new().with_fd(0, map).with_u32(8, BPF_STRUCT_OPS).call_for_fd(BPF_LINK_CREATE)
}

/// Attaches a program to the ingress of a device in this thread's network namespace. The program stays
/// attached as long as the returned link is open.
///
/// # Errors
///
/// Returns the error of the kernel. Kernels before Linux 6.6 have no tcx links.
pub fn attach_tcx(program: &OwnedFd, device: u32) -> io::Result<OwnedFd> {
    const BPF_TCX_INGRESS: u32 = 46;
    BpfAttributes::new()
        .with_fd(0, program)
        .with_u32(4, device)
        .with_u32(8, BPF_TCX_INGRESS)
        .call_for_fd(BPF_LINK_CREATE)
}

/// Pins a link in the BPF file system. The link then stays open until the file is removed.
///
/// # Errors
///
/// Returns the error of the kernel.
pub fn pin_link(link: &OwnedFd, file: &Path) -> io::Result<()> {
    let path = CString::new(file.as_os_str().as_bytes())?;
    BpfAttributes::new().with_address(0, path.as_ptr()).with_fd(8, link).call_bpf(BPF_OBJ_PIN).map(drop)
}

/// Opens a pinned link.
///
/// # Errors
///
/// Returns the error of the kernel.
pub fn open_pinned_link(file: &Path) -> io::Result<OwnedFd> {
    let path = CString::new(file.as_os_str().as_bytes())?;
    BpfAttributes::new().with_address(0, path.as_ptr()).call_for_fd(BPF_OBJ_GET)
}

/// Opens the kernel's map with this id.
///
/// # Errors
///
/// Returns the error of the kernel: `ENOENT` if the kernel has no such map.
pub fn open_map_by_id(id: u32) -> io::Result<OwnedFd> {
    BpfAttributes::new().with_u32(0, id).call_for_fd(BPF_MAP_GET_FD_BY_ID)
}

/// Returns the kernel's description of a link or a map (`struct bpf_link_info`, `struct bpf_map_info`).
///
/// # Errors
///
/// Returns the error of the kernel.
pub fn object_info(object: &OwnedFd) -> io::Result<[u32; 16]> {
    let mut words = [0u32; 16];
    let attributes = BpfAttributes::new().with_fd(0, object).with_u32(4, size_of_val(&words) as u32);
    attributes.with_address(8, words.as_mut_ptr()).call_bpf(BPF_OBJ_GET_INFO_BY_FD)?;
    Ok(words)
}
