//! Congestion controls of Linux as schemes: BPF objects, which `airhop-bpf` executes.

use airhop_bpf::{
    CongestionControl, LoadedCongestionControl, Object, SimulatedMember, simulated_helpers, simulated_kfuncs,
    simulated_members,
};
use airhop_tcp::NameTaken;
use airhop_tcp::kernel_ops::kernel_scheme;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;

/// BPF object with at least one congestion control.
#[pyclass(frozen)]
pub struct BpfObject {
    object: Arc<Object>,
}

#[pymethods]
impl BpfObject {
    /// Reads a BPF object from `data`, the bytes of `file`. Raises ValueError with the file name.
    #[new]
    fn new(file: PathBuf, data: &[u8]) -> PyResult<Self> {
        let file = file.to_string_lossy();
        let object = Object::read(data, &file).map_err(|error| PyValueError::new_err(error.to_string()))?;
        if object.congestion_controls().is_empty() {
            let why = "it has no congestion control; expected a `struct tcp_congestion_ops` in SEC(\".struct_ops\")";
            return Err(PyValueError::new_err(format!("{file}: {why}")));
        }
        Ok(BpfObject { object: Arc::new(object) })
    }

    /// Returns the names of the object's complete congestion controls. If all lack required callbacks,
    /// returns all names.
    #[getter]
    fn names(&self) -> Vec<String> {
        let named = |whole: bool| {
            let controls = self.object.congestion_controls().iter();
            controls
                .filter(|control| !whole || control.missing_callbacks().is_empty())
                .map(|c| c.name.clone())
                .collect()
        };
        let whole: Vec<String> = named(true);
        if whole.is_empty() { named(false) } else { whole }
    }

    /// True if both ends must use the congestion control, because the receiver echoes ECN marks differently
    /// (`TCP_CONG_NEEDS_ECN`, RFC 8257 §3.2).
    fn needs_ecn(&self, name: &str) -> bool {
        self.object.congestion_controls().iter().any(|control| control.name == name && control.needs_ecn())
    }

    /// Adds one of the congestion controls to the catalogue. It replaces a scheme of this name that was added
    /// before. Raises ValueError.
    fn add(&self, name: &str) -> PyResult<()> {
        let wrong = |why: String| PyValueError::new_err(format!("{}: `{name}`: {why}", self.object.name()));
        let known = self.object.congestion_controls();
        let Some(control) = known.iter().find(|control| control.name == name) else {
            return Err(wrong("the object has no such congestion control".to_owned()));
        };
        check(control).map_err(wrong)?;
        let loaded = LoadedCongestionControl::new(&self.object, control)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        let services = self.object.services().iter().take(1).map(|name| service(name));
        let services = services.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
        let (has, needs_ecn, name) = (loaded.callbacks(), control.needs_ecn(), name.to_owned());
        let title = format!("{} of Linux, a BPF object", control.name);
        let scheme = kernel_scheme(
            name.leak(),
            title.leak(),
            has,
            needs_ecn,
            &services,
            Box::new(move || loaded.create_connection()),
        );
        airhop_tcp::add_scheme(scheme).map_err(|NameTaken| {
            wrong(
                "this is a built-in scheme; expected another `name` in its struct tcp_congestion_ops".into(),
            )
        })
    }
}

/// Returns the BPF interface of the simulated kernel: `members`, `callbacks`, `kfuncs` and `helpers`, by
/// their kernel names. A member is a tuple of structure, name, True if programs may write it, and a note on
/// differences from the kernel.
#[pyfunction]
pub fn simulated_kernel(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let member = |m: SimulatedMember| (m.structure, m.name, m.writable, m.note);
    let kernel = PyDict::new(py);
    kernel.set_item("members", simulated_members().into_iter().map(member).collect::<Vec<_>>())?;
    kernel.set_item("callbacks", LoadedCongestionControl::simulated_callbacks())?;
    kernel.set_item("kfuncs", simulated_kfuncs())?;
    let helpers: Vec<&str> = simulated_helpers().into_iter().map(|(_, name)| name).collect();
    kernel.set_item("helpers", helpers)?;
    Ok(kernel)
}

/// Returns the network service with this name, if BPF objects can process its notices.
fn service(name: &str) -> Result<&'static str, String> {
    airhop_scenario::find_service(name).map_err(|why| format!("section airhop.services: {why}"))
}

/// Checks that a kernel would accept the registration of a congestion control.
fn check(control: &CongestionControl) -> Result<(), String> {
    let missing = control.missing_callbacks();
    if !missing.is_empty() {
        return Err(format!("it has no {}, which every kernel requires", missing.join(" and no ")));
    }
    Ok(())
}
