//! bpf(2), command by command. This file and `host::sys` contain the only unsafe code: the system call, whose
//! attributes refer to memory of the caller.
#![allow(unsafe_code)]

use airhop_bpf::loading::{LoadMap, LoadProgram};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// Commands (linux/bpf.h, `enum bpf_cmd`).
const MAP_CREATE: u32 = 0;
const MAP_LOOKUP: u32 = 1;
const MAP_UPDATE: u32 = 2;
const PROGRAM_LOAD: u32 = 5;
const TYPES_LOAD: u32 = 18;
const MAP_FREEZE: u32 = 22;
const LINK_CREATE: u32 = 28;
/// Maximum length of a name with its terminating zero: 15 characters of letters, digits, dots and
/// underscores.
const NAME: usize = 16;
/// Maximum number of bytes kept of the verifier's log.
const VERDICT: usize = 1 << 20;
/// Verbosity of the verifier's log: each instruction.
const VERBOSE: u32 = 1;

/// `union bpf_attr`: numbers at their offsets, zeros elsewhere.
struct Attributes([u8; 152]);

impl Attributes {
    fn new() -> Self {
        Attributes([0; 152])
    }

    fn with(mut self, at: usize, value: u32) -> Self {
        self.0[at..at + 4].copy_from_slice(&value.to_ne_bytes());
        self
    }

    fn fd(self, at: usize, descriptor: &OwnedFd) -> Self {
        self.with(at, descriptor.as_raw_fd() as u32)
    }

    /// Sets an address that the kernel reads from or writes to. The memory must stay valid until the call
    /// returns.
    fn address<T>(mut self, at: usize, memory: *const T) -> Self {
        self.0[at..at + 8].copy_from_slice(&(memory as u64).to_ne_bytes());
        self
    }

    fn name(mut self, at: usize, name: &str) -> Self {
        let plain = name.bytes().map(|byte| if byte.is_ascii_alphanumeric() { byte } else { b'_' });
        for (to, from) in self.0[at..at + NAME - 1].iter_mut().zip(plain) {
            *to = from;
        }
        self
    }

    fn call(mut self, command: u32) -> io::Result<RawFd> {
        // SAFETY: the kernel reads as many bytes as the array has. Every address in the array points to
        // memory that the calling function owns, with its length stored next to the address.
        let result = unsafe { libc::syscall(libc::SYS_bpf, command, self.0.as_mut_ptr(), self.0.len()) };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result as RawFd) }
    }

    fn descriptor(self, command: u32) -> io::Result<OwnedFd> {
        let descriptor = self.call(command)?;
        // SAFETY: these commands return a new descriptor without any other owner.
        Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
    }
}

/// Loads the types of an object into the kernel.
///
/// # Errors
/// Returns an error if the kernel rejects the types, or if the user lacks the permission.
pub fn load_types(types: &[u8]) -> io::Result<OwnedFd> {
    Attributes::new().address(0, types.as_ptr()).with(16, types.len() as u32).descriptor(TYPES_LOAD)
}

/// Creates a map with its initial contents.
///
/// # Errors
/// Returns the error of the kernel.
pub fn create_map(map: &LoadMap, types: &OwnedFd) -> io::Result<OwnedFd> {
    let mut attributes = Attributes::new()
        .with(0, map.kind)
        .with(4, map.key_bytes)
        .with(8, map.value_bytes)
        .with(12, map.entries)
        .with(16, map.flags)
        .name(28, &map.name);
    if let Some([key, value]) = map.types {
        attributes = attributes.fd(48, types).with(52, key).with(56, value);
    }
    let made = attributes.descriptor(MAP_CREATE)?;
    if let Some(content) = &map.content {
        update(&made, &[0; 4], content)?;
        if map.is_read_only() {
            Attributes::new().fd(0, &made).call(MAP_FREEZE)?;
        }
    }
    Ok(made)
}

/// Creates the map for a structure of callbacks, which a link can register.
///
/// # Errors
///
/// Returns the error of the kernel, such as that of a kernel before Linux 6.4, which lacks these links.
pub fn create_struct_ops(
    name: &str,
    value_type: u32,
    value_bytes: u32,
    types: &OwnedFd,
) -> io::Result<OwnedFd> {
    const STRUCT_OPS: u32 = 26;
    const BY_LINK: u32 = 1 << 13;
    let attributes = Attributes::new().with(0, STRUCT_OPS).with(4, 4).with(8, value_bytes).with(12, 1);
    attributes.with(16, BY_LINK).name(28, name).fd(48, types).with(60, value_type).descriptor(MAP_CREATE)
}

/// Sets the value of a key in a map; key and value have the map's lengths.
///
/// # Errors
///
/// Returns the error of the kernel. For a structure of callbacks the usual reason is an invalid member.
pub fn update(map: &OwnedFd, key: &[u8], value: &[u8]) -> io::Result<()> {
    let attributes = Attributes::new().fd(0, map).address(8, key.as_ptr()).address(16, value.as_ptr());
    attributes.call(MAP_UPDATE).map(drop)
}

/// Returns the only value, of `bytes` bytes, of a map with one entry.
///
/// # Errors
///
/// Returns the error of the kernel.
pub fn value(map: &OwnedFd, bytes: usize) -> io::Result<Vec<u8>> {
    let (key, mut value) = ([0u8; 4], vec![0u8; bytes]);
    let attributes = Attributes::new().fd(0, map).address(8, key.as_ptr()).address(16, value.as_mut_ptr());
    attributes.call(MAP_LOOKUP)?;
    Ok(value)
}

/// Loads a program whose instructions are complete. `attach` is the program's structure of callbacks and the
/// index of the member; a program without `attach` processes packets.
///
/// # Errors
///
/// Returns the last lines of the verifier's log, or the reason why the verifier was not called.
pub fn load_program(
    program: &LoadProgram,
    code: &[u8],
    license: &str,
    types: &OwnedFd,
    attach: Option<(u32, u32)>,
) -> Result<OwnedFd, String> {
    const FILTER: u32 = 3;
    const STRUCT_OPS: u32 = 27;
    let license = [license.as_bytes(), &[0]].concat();
    let attributes = || {
        let (kind, (structure, member)) =
            (if attach.is_some() { STRUCT_OPS } else { FILTER }, attach.unwrap_or_default());
        Attributes::new()
            .with(0, kind)
            .with(4, (code.len() / 8) as u32)
            .address(8, code.as_ptr())
            .address(16, license.as_ptr())
            .name(48, &program.name)
            .with(68, member)
            .fd(72, types)
            .with(76, 8)
            .address(80, program.functions.as_ptr())
            .with(88, program.functions.len() as u32)
            .with(92, 16)
            .address(96, program.lines.as_ptr())
            .with(104, program.lines.len() as u32)
            .with(108, structure)
            .with(116, program.relocations.len() as u32)
            .address(128, program.relocations.as_ptr())
            .with(136, 16)
    };
    let refused = match attributes().descriptor(PROGRAM_LOAD) {
        Ok(loaded) => return Ok(loaded),
        Err(error) => error,
    };
    let mut verdict = vec![0u8; VERDICT];
    let told = attributes().with(24, VERBOSE).with(28, VERDICT as u32).address(32, verdict.as_mut_ptr());
    match told.descriptor(PROGRAM_LOAD) {
        Ok(loaded) => Ok(loaded),
        Err(_) => {
            let end = verdict.iter().position(|&byte| byte == 0).unwrap_or(VERDICT);
            let text = String::from_utf8_lossy(&verdict[..end]).into_owned();
            let lines: Vec<_> = text.lines().filter(|line| !line.starts_with("processed ")).collect();
            let last = lines[lines.len().saturating_sub(3)..].join("; ");
            Err(if last.is_empty() { refused.to_string() } else { format!("{refused}: {last}") })
        }
    }
}

/// Registers the structure of callbacks in a map, as long as the link is open.
///
/// # Errors
///
/// Returns the error of the kernel: `EEXIST` if a congestion control of that name is registered already.
pub fn register(map: &OwnedFd) -> io::Result<OwnedFd> {
    const STRUCT_OPS: u32 = 44;
    Attributes::new().fd(0, map).with(8, STRUCT_OPS).descriptor(LINK_CREATE)
}

/// Attaches a program to the ingress of a device of this thread's network namespace, as long as the link is
/// open.
///
/// # Errors
///
/// Returns the error of the kernel, such as that of a kernel before Linux 6.6, which lacks these links (tcx).
pub fn attach(program: &OwnedFd, device: u32) -> io::Result<OwnedFd> {
    const TCX_INGRESS: u32 = 46;
    Attributes::new().fd(0, program).with(4, device).with(8, TCX_INGRESS).descriptor(LINK_CREATE)
}
