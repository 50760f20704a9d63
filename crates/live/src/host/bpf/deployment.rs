//! Objects that stay in the kernel after the process: their registration and their listeners are links,
//! pinned in a folder of the BPF file system. Removal of the files ends the links; the kernel frees the object
//! when the last connection that runs the control has closed.

use super::call;
use super::prepared::Prepared;
use airhop_bpf::loading::Loadable;
use nix::sched::{CloneFlags, setns};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::thread;

/// File of the registration in the folder of an object.
pub const CONTROL: &str = "control";
/// Beginning of the names of the listeners' files, which end with a number.
pub const LISTENER: &str = "listener-";
/// ip-sysctl, tcp_congestion_control.
const DEFAULT: &str = "/proc/sys/net/ipv4/tcp_congestion_control";
/// Number of lines of the verifier's log in the verdict on a refused program.
const QUOTED: usize = 8;

/// Acceptance or refusal of a part of an object by the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptance {
    /// Name of the program, or of the structure of callbacks.
    pub part: String,
    /// True if the kernel accepts the part.
    pub accepted: bool,
    /// Lines of the verifier's log, or the error of the kernel.
    pub lines: Vec<String>,
}

impl Acceptance {
    fn new(part: &str, result: Result<Vec<String>, Vec<String>>) -> Self {
        let accepted = result.is_ok();
        let (Ok(lines) | Err(lines)) = result;
        Acceptance { part: part.to_owned(), accepted, lines }
    }
}

/// Registers the congestion control `name` of an object, attaches the object's listeners to the ingress of a
/// device of this thread's network namespace, and pins both in an existing folder.
///
/// # Errors
///
/// Returns a message with the step and the error of the kernel. Links pinned until then stay.
pub fn deploy(object: Loadable, name: &str, folder: &Path, device: Option<u32>) -> Result<(), String> {
    let prepared = Prepared::new(object)?;
    let link = prepared.register(prepared.control(name)?, name)??;
    let pin = |link: &OwnedFd, file: String| {
        let file = folder.join(file);
        call::pin(link, &file).map_err(|error| format!("pinning {}: {error}", file.display()))
    };
    pin(&link, CONTROL.to_owned())?;
    let Some(device) = device else { return Ok(()) };
    for (number, program) in prepared.filters()?.iter().enumerate() {
        let listener = call::attach(program, device)
            .map_err(|error| format!("listening for notices: {error} (needs tcx, Linux 6.6 or newer)"))?;
        pin(&listener, format!("{LISTENER}{number}"))?;
    }
    Ok(())
}

/// Loads all programs of an object and checks the members of the congestion control `name`, without a
/// registration. Nothing of it stays in the kernel.
///
/// # Errors
///
/// Returns an error if the kernel does not accept the types or the maps, or lacks a function.
pub fn dry_run(object: Loadable, name: &str) -> Result<Vec<Acceptance>, String> {
    let prepared = Prepared::new(object)?;
    let control = prepared.control(name)?;
    let callbacks = prepared.callbacks(control)?.into_iter().map(|(place, program)| (Some(place), program));
    let filters = prepared.filter_programs().map(|program| (None, program));
    let (mut verdicts, mut loaded) = (Vec::new(), BTreeMap::new());
    for (place, program) in callbacks.chain(filters) {
        let verdict = match prepared.load(program, place)? {
            Ok(accepted) => {
                loaded.extend(place.map(|place| (place, accepted.program)));
                Ok(vec![accepted.summary])
            }
            Err(refused) if refused.log.is_empty() => Err(vec![refused.error.to_string()]),
            Err(refused) => Err(refused.log[refused.log.len().saturating_sub(QUOTED)..].to_vec()),
        };
        verdicts.push(Acceptance::new(&program.name, verdict));
    }
    if verdicts.iter().all(|verdict| verdict.accepted) {
        let filled = prepared.filled(control, name, &loaded).map(|_| Vec::new()).map_err(|why| vec![why]);
        verdicts.push(Acceptance::new("struct tcp_congestion_ops", filled));
    }
    Ok(verdicts)
}

/// Returns the number of the map whose congestion control a pinned link has registered.
///
/// # Errors
///
/// Returns the error of the kernel, usually because the link does not exist.
pub fn map_of(link: &Path) -> io::Result<u32> {
    const STRUCT_OPS_MAP: usize = 4;
    Ok(call::information(&call::pinned(link)?)?[STRUCT_OPS_MAP])
}

/// Returns the index of the device at which the program of a pinned link listens; 0 if the device is gone.
///
/// # Errors
///
/// Returns the error of the kernel, usually because the link does not exist.
pub fn device_of(link: &Path) -> io::Result<u32> {
    const TCX_DEVICE: usize = 4;
    Ok(call::information(&call::pinned(link)?)?[TCX_DEVICE])
}

/// Returns the kernel's number of references to the congestion control in a map. Each connection has one
/// reference, each network namespace with this default has one, and the link that registers the congestion
/// control has one. `None` if the map was removed.
///
/// # Errors
///
/// Returns the error of the kernel, such as a missing permission.
pub fn references(map: u32) -> io::Result<Option<u32>> {
    const VALUE_BYTES: usize = 3;
    let map = match call::map_by_id(map) {
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) => return Ok(None),
        map => map?,
    };
    let bytes = call::information(&map)?[VALUE_BYTES] as usize;
    // The value begins with the count (struct bpf_struct_ops_common_value).
    let count = call::value(&map, bytes)?.first_chunk().map(|count| u32::from_ne_bytes(*count));
    Ok(Some(count.unwrap_or(0)))
}

/// Returns the congestion control of new connections in a network namespace, a file of /proc/PID/ns, and sets
/// it to `control`, if `control` is not `None`.
///
/// # Errors
///
/// Returns the error of the kernel.
pub fn default_control(namespace: &Path, control: Option<&str>) -> io::Result<String> {
    let namespace = File::open(namespace)?;
    thread::scope(|scope| {
        let job = scope.spawn(|| {
            setns(namespace, CloneFlags::CLONE_NEWNET)?;
            let before = fs::read_to_string(DEFAULT)?.trim().to_owned();
            if let Some(control) = control {
                fs::write(DEFAULT, control)?;
            }
            Ok(before)
        });
        job.join().unwrap_or_else(|_| Err(io::Error::other("the thread in the namespace failed")))
    })
}
