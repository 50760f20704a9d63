//! Congestion controls of Linux as schemes: BPF objects, run by `airhop-bpf`.

use airhop_bpf::{CongestionControl, Loaded, Object};
use airhop_tcp::NameTaken;
use airhop_tcp::kernel_ops::kernel_scheme;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// An object that was read and checked.
#[pyclass(frozen)]
pub struct BpfObject {
    object: Arc<Object>,
}

#[pymethods]
impl BpfObject {
    /// Reads the bytes of `file`. Raises ValueError, whose text names the file first.
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

    /// Names of its congestion controls.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.object.congestion_controls().iter().map(|control| control.name.clone()).collect()
    }

    /// Whether both ends of a connection have to have it: its receiver echoes marks, too (`TCP_CONG_NEEDS_ECN`, RFC 8257 §3.2).
    fn needs_ecn(&self, name: &str) -> bool {
        self.object.congestion_controls().iter().any(|control| control.name == name && control.needs_ecn())
    }

    /// Adds one of them to the catalogue. It replaces one that was added before under its name. Raises ValueError.
    fn add(&self, name: &str) -> PyResult<()> {
        let wrong = |why: String| PyValueError::new_err(format!("{}: `{name}`: {why}", self.object.name()));
        let known = self.object.congestion_controls();
        let Some(control) = known.iter().find(|control| control.name == name) else {
            return Err(wrong("the object has no such congestion control".to_owned()));
        };
        check(control).map_err(wrong)?;
        let loaded =
            Loaded::new(&self.object, control).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let (has, needs_ecn, name) = (loaded.callbacks(), control.needs_ecn(), name.to_owned());
        let title = format!("{} of Linux, a BPF object", control.name);
        let scheme =
            kernel_scheme(name.leak(), title.leak(), has, needs_ecn, Box::new(move || loaded.connect()));
        airhop_tcp::add(scheme).map_err(|NameTaken| {
            wrong(
                "this is a built-in scheme; expected another `name` in its struct tcp_congestion_ops".into(),
            )
        })
    }
}

/// What a kernel would not register.
fn check(control: &CongestionControl) -> Result<(), String> {
    let missing = control.missing();
    if !missing.is_empty() {
        return Err(format!("it has no {}, without which no kernel takes it", missing.join(" and no ")));
    }
    Ok(())
}
