//! Events of a real link layer: `airhop notify`.

use airhop_live::link_events::LinkNotice;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::net::SocketAddr;

/// Notice: kind, source and destination of the segment, first sequence number, length in bytes, and the
/// notice datagram.
type Row<'py> = (&'static str, String, String, u32, u32, Bound<'py, PyBytes>);

/// Events of a real link layer, and the notices to senders that these events cause.
#[pyclass]
#[derive(Default)]
pub struct LinkEvents {
    events: airhop_live::link_events::SegmentsInService,
}

#[pymethods]
impl LinkEvents {
    #[new]
    fn new() -> Self {
        LinkEvents::default()
    }

    /// Return the notices that an event line causes. Raises ValueError.
    fn hear<'py>(&mut self, py: Python<'py>, line: &str) -> PyResult<Vec<Row<'py>>> {
        let notices =
            self.events.handle_line(line).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(notices.iter().map(|notice| row(py, notice)).collect())
    }
}

fn row<'py>(py: Python<'py>, notice: &LinkNotice) -> Row<'py> {
    let about = &notice.segment;
    let end = |address, port| SocketAddr::new(address, port).to_string();
    let [from, to] = about.ports;
    let (source, destination) = (end(about.source, from), end(about.destination, to));
    let length = about.end.wrapping_sub(about.seq);
    (notice.kind.name(), source, destination, about.seq, length, PyBytes::new(py, &notice.datagram))
}
