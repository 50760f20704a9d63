//! BPF objects that stay in the kernel of this machine after the process has ended: `airhop deploy`.

use airhop_bpf::loading::{LoadableCongestionControl, LoadableObject, MemberValue, ProgramKind};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use std::path::PathBuf;

/// BPF object that is ready to be loaded into a kernel.
#[pyclass(frozen)]
pub struct KernelObject {
    object: LoadableObject,
}

#[pymethods]
impl KernelObject {
    /// Read a BPF object from `data`, the bytes of `file`. Raises ValueError with the file name.
    #[new]
    fn new(file: PathBuf, data: &[u8]) -> PyResult<Self> {
        let file = file.to_string_lossy();
        let object =
            LoadableObject::read(data, &file).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(KernelObject { object })
    }

    /// Return the names of the object's congestion controls.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.object.congestion_controls.iter().map(|control| control.name.as_str()).collect()
    }

    /// Return the names of the callbacks of all congestion controls.
    #[getter]
    fn callbacks(&self) -> Vec<&str> {
        self.programs(ProgramKind::Callback)
    }

    /// Return the names of the object's packet-processing programs.
    #[getter]
    fn listeners(&self) -> Vec<&str> {
        self.programs(ProgramKind::Filter)
    }

    /// True if every network namespace may use the congestion control as its default
    /// (TCP_CONG_NON_RESTRICTED). Otherwise only the machine's initial namespace may.
    fn is_unrestricted(&self, name: &str) -> bool {
        const NON_RESTRICTED: u8 = 1;
        let flags = |control: &LoadableCongestionControl| {
            let flags = control.members.iter().find(|(member, _)| member == "flags");
            matches!(flags, Some((_, MemberValue::Bytes(bytes))) if bytes.first().is_some_and(|low| low & NON_RESTRICTED != 0))
        };
        self.object.congestion_controls.iter().any(|control| control.name == name && flags(control))
    }

    /// Register a congestion control, attach the listener programs to a device, and pin the links in an
    /// existing folder. Device 0 means no device. Raises OSError.
    fn deploy(&self, py: Python<'_>, name: &str, folder: PathBuf, device: u32) -> PyResult<()> {
        let object = self.object.clone();
        py.detach(|| kernel::deploy(object, name, &folder, device)).map_err(PyOSError::new_err)
    }

    /// Load all programs without registering the congestion control. Return a tuple for each program: name,
    /// True if the kernel accepts it, and lines of the verifier log. Raises OSError.
    fn dry_run(&self, py: Python<'_>, name: &str) -> PyResult<Vec<(String, bool, Vec<String>)>> {
        let object = self.object.clone();
        py.detach(|| kernel::dry_run(object, name)).map_err(PyOSError::new_err)
    }
}

impl KernelObject {
    fn programs(&self, kind: ProgramKind) -> Vec<&str> {
        let programs = self.object.programs.iter().filter(|program| program.kind == kind);
        programs.map(|program| program.name.as_str()).collect()
    }
}

/// Return the id of the struct_ops map behind a pinned link. Raises OSError.
#[pyfunction]
pub fn deployed_map(link: PathBuf) -> PyResult<u32> {
    kernel::linked_map_id(&link).map_err(|error| failed(&error))
}

/// Return the index of the device to which a pinned link is attached; 0 if the device is gone. Raises
/// OSError.
#[pyfunction]
pub fn deployed_device(link: PathBuf) -> PyResult<u32> {
    kernel::linked_device_index(&link).map_err(|error| failed(&error))
}

/// Return the kernel's reference count for the congestion control in a map; None if the map is gone. Raises
/// OSError.
#[pyfunction]
pub fn map_references(number: u32) -> PyResult<Option<u32>> {
    kernel::reference_count(number).map_err(|error| failed(&error))
}

/// Return the default congestion control of a network namespace. If `control` is given, set it as the default
/// first. Raises OSError.
#[pyfunction]
pub fn default_control(namespace: PathBuf, control: Option<&str>) -> PyResult<String> {
    kernel::swap_default_control(&namespace, control).map_err(|error| failed(&error))
}

/// Convert an error of the kernel to an OSError, whose subclass depends on the error number.
fn failed(error: &std::io::Error) -> PyErr {
    match error.raw_os_error() {
        Some(number) => PyOSError::new_err((number, text(error))),
        None => PyOSError::new_err(error.to_string()),
    }
}

/// Return the text of an error without Rust's suffix for the error number.
fn text(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

#[cfg(target_os = "linux")]
mod kernel {
    use airhop_bpf::loading::LoadableObject;
    use airhop_live::host::bpf::deployment::{self, KernelVerdict};
    pub(super) use airhop_live::host::bpf::deployment::{
        linked_device_index, linked_map_id, reference_count, swap_default_control,
    };
    use std::path::Path;

    pub(super) fn deploy(
        object: LoadableObject,
        name: &str,
        folder: &Path,
        device: u32,
    ) -> Result<(), String> {
        deployment::deploy(object, name, folder, (device != 0).then_some(device))
    }

    pub(super) fn dry_run(
        object: LoadableObject,
        name: &str,
    ) -> Result<Vec<(String, bool, Vec<String>)>, String> {
        let row = |KernelVerdict { part, accepted, log_lines: lines }| (part, accepted, lines);
        Ok(deployment::dry_run(object, name)?.into_iter().map(row).collect())
    }
}

/// Stubs for systems without BPF. `airhop.live.deployment` raises an error before any call of this module.
#[cfg(not(target_os = "linux"))]
mod kernel {
    use airhop_bpf::loading::LoadableObject;
    use std::io;
    use std::path::Path;

    const MISSING: &str = "only Linux has BPF struct_ops";

    pub(super) fn deploy(_: LoadableObject, _: &str, _: &Path, _: u32) -> Result<(), String> {
        Err(MISSING.into())
    }

    pub(super) fn dry_run(_: LoadableObject, _: &str) -> Result<Vec<(String, bool, Vec<String>)>, String> {
        Err(MISSING.into())
    }

    pub(super) fn map_of(_: &Path) -> io::Result<u32> {
        Err(io::Error::other(MISSING))
    }

    pub(super) fn device_of(_: &Path) -> io::Result<u32> {
        Err(io::Error::other(MISSING))
    }

    pub(super) fn references(_: u32) -> io::Result<Option<u32>> {
        Err(io::Error::other(MISSING))
    }

    pub(super) fn default_control(_: &Path, _: Option<&str>) -> io::Result<String> {
        Err(io::Error::other(MISSING))
    }
}
