//! Deployed objects that stay in the kernel after the process has ended. The registration of the congestion
//! control and each attachment of a listener program are BPF links, pinned as files in the BPF file system. A
//! link ends when its file is removed. The kernel frees the object when the last connection with the
//! congestion control has closed.

use super::call;
use super::prepared::PreparedObject;
use airhop_bpf::loading::LoadableObject;
use nix::sched::{CloneFlags, setns};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::thread;

/// Name of the pinned registration's file in an object's folder.
pub const CONTROL_FILE: &str = "control";
/// Prefix of the file names of pinned listeners. A number follows.
pub const LISTENER_PREFIX: &str = "listener-";
/// File with the default congestion control (ip-sysctl, tcp_congestion_control).
const DEFAULT_CONTROL_FILE: &str = "/proc/sys/net/ipv4/tcp_congestion_control";
/// Number of verifier log lines that are quoted for a refused program.
const MAX_QUOTED_LINES: usize = 8;

/// Verdict of the kernel on one part of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelVerdict {
    /// Name of the program or of the callback structure.
    pub part: String,
    /// True if the kernel accepts the part.
    pub accepted: bool,
    /// Lines of the verifier's log, or the error of the kernel.
    pub log_lines: Vec<String>,
}

impl KernelVerdict {
    fn new(part: &str, result: Result<Vec<String>, Vec<String>>) -> Self {
        let accepted = result.is_ok();
        let (Ok(lines) | Err(lines)) = result;
        KernelVerdict { part: part.to_owned(), accepted, log_lines: lines }
    }
}

/// Registers the congestion control `name` of an object. Attaches the object's listeners to the ingress of a
/// device in this thread's network namespace. Pins the links in the existing folder `folder`.
///
/// # Errors
///
/// Returns a message with the failed step and the error of the kernel. Links that are already pinned stay.
pub fn deploy(object: LoadableObject, name: &str, folder: &Path, device: Option<u32>) -> Result<(), String> {
    let prepared = PreparedObject::new(object)?;
    let link = prepared.register(prepared.find_control(name)?, name)??;
    let pin = |link: &OwnedFd, file: String| {
        let file = folder.join(file);
        call::pin_link(link, &file).map_err(|error| format!("pinning {}: {error}", file.display()))
    };
    pin(&link, CONTROL_FILE.to_owned())?;
    let Some(device) = device else { return Ok(()) };
    for (number, program) in prepared.load_filters()?.iter().enumerate() {
        let listener = call::attach_tcx(program, device)
            .map_err(|error| format!("listening for notices: {error} (needs tcx, Linux 6.6 or newer)"))?;
        pin(&listener, format!("{LISTENER_PREFIX}{number}"))?;
    }
    Ok(())
}

/// Loads all programs of an object and checks the members of the congestion control `name`, without
/// registration. Nothing stays in the kernel.
///
/// # Errors
///
/// Returns an error if the kernel does not accept the types or maps, or does not have a function that a
/// program calls.
pub fn dry_run(object: LoadableObject, name: &str) -> Result<Vec<KernelVerdict>, String> {
    let prepared = PreparedObject::new(object)?;
    let control = prepared.find_control(name)?;
    let callbacks = prepared.callbacks(control)?.into_iter().map(|(place, program)| (Some(place), program));
    let filters = prepared.filter_programs().map(|program| (None, program));
    let (mut verdicts, mut loaded) = (Vec::new(), BTreeMap::new());
    for (place, program) in callbacks.chain(filters) {
        let verdict = match prepared.load_program(program, place)? {
            Ok(accepted) => {
                loaded.extend(place.map(|place| (place, accepted.program)));
                Ok(vec![accepted.summary])
            }
            Err(refused) if refused.log.is_empty() => Err(vec![refused.error.to_string()]),
            Err(refused) => Err(refused.log[refused.log.len().saturating_sub(MAX_QUOTED_LINES)..].to_vec()),
        };
        verdicts.push(KernelVerdict::new(&program.name, verdict));
    }
    if verdicts.iter().all(|verdict| verdict.accepted) {
        let filled = prepared
            .create_struct_ops_map(control, name, &loaded)
            .map(|_| Vec::new())
            .map_err(|why| vec![why]);
        verdicts.push(KernelVerdict::new("struct tcp_congestion_ops", filled));
    }
    Ok(verdicts)
}

/// Returns the id of the struct_ops map that a pinned link has registered.
///
/// # Errors
///
/// Returns the error of the kernel, usually because the link does not exist.
pub fn linked_map_id(link: &Path) -> io::Result<u32> {
    const MAP_ID_WORD: usize = 4;
    Ok(call::object_info(&call::open_pinned_link(link)?)?[MAP_ID_WORD])
}

/// Returns the index of the device with the program of a pinned link; 0 if the device is gone.
///
/// # Errors
///
/// Returns the error of the kernel, usually because the link does not exist.
pub fn linked_device_index(link: &Path) -> io::Result<u32> {
    const DEVICE_INDEX_WORD: usize = 4;
    Ok(call::object_info(&call::open_pinned_link(link)?)?[DEVICE_INDEX_WORD])
}

/// Returns the kernel's reference count of the congestion control in a map; `None` if the map was removed.
/// References come from each connection, from each network namespace with this default, and from the link of
/// the registration.
///
/// # Errors
///
/// Returns the error of the kernel, for example if the user may not use bpf(2).
pub fn reference_count(map: u32) -> io::Result<Option<u32>> {
    const VALUE_SIZE_WORD: usize = 3;
    let map = match call::open_map_by_id(map) {
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) => return Ok(None),
        map => map?,
    };
    let bytes = call::object_info(&map)?[VALUE_SIZE_WORD] as usize;
    // The value begins with the number of references (struct bpf_struct_ops_common_value).
    let count = call::read_map_value(&map, bytes)?.first_chunk().map(|count| u32::from_ne_bytes(*count));
    Ok(Some(count.unwrap_or(0)))
}

/// Returns the default congestion control of a network namespace. If `control` is `Some`, also sets the
/// default. `namespace` is a file in /proc/PID/ns.
///
/// # Errors
///
/// Returns the error of the kernel.
pub fn swap_default_control(namespace: &Path, control: Option<&str>) -> io::Result<String> {
    let namespace = File::open(namespace)?;
    thread::scope(|scope| {
        let job = scope.spawn(|| {
            setns(namespace, CloneFlags::CLONE_NEWNET)?;
            let before = fs::read_to_string(DEFAULT_CONTROL_FILE)?.trim().to_owned();
            if let Some(control) = control {
                fs::write(DEFAULT_CONTROL_FILE, control)?;
            }
            Ok(before)
        });
        job.join().unwrap_or_else(|_| Err(io::Error::other("the thread in the namespace failed")))
    })
}
