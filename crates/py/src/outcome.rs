//! `Outcome`: results of a run for Python.

use airhop_trace::Column;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::BTreeMap;

/// Trace column: name, dtype, little-endian values, and the words of a category.
type PyColumn<'py> = (&'static str, &'static str, Bound<'py, PyBytes>, Option<Vec<String>>);

/// Outcome of one run.
#[pyclass(frozen, module = "airhop._core")]
pub struct Outcome {
    pub(crate) inner: airhop_scenario::RunOutcome,
}

#[pymethods]
impl Outcome {
    /// Returns the run document.
    fn json(&self) -> &str {
        &self.inner.document
    }

    /// Returns the trace tables by name; empty if no trace was recorded. A column has the name, dtype ("u64",
    /// "u32", "f64", "bool", "category") and raw little-endian bytes. A category column also has its words.
    fn tables<'py>(&self, py: Python<'py>) -> BTreeMap<&'static str, Vec<PyColumn<'py>>> {
        let tables = self.inner.tables.iter();
        tables
            .map(|table| {
                let columns = table.columns.iter().map(|(name, column)| as_bytes(py, name, column));
                (table.name, columns.collect())
            })
            .collect()
    }
}

fn as_bytes<'py>(py: Python<'py>, name: &'static str, column: &Column) -> PyColumn<'py> {
    let (dtype, bytes, words) = match column {
        Column::U64(v) => ("u64", v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>(), None),
        Column::U32(v) => ("u32", v.iter().flat_map(|x| x.to_le_bytes()).collect(), None),
        Column::F64(v) => ("f64", v.iter().flat_map(|x| x.to_le_bytes()).collect(), None),
        Column::Bool(v) => ("bool", v.iter().map(|&x| u8::from(x)).collect(), None),
        Column::Category(codes, words) => {
            ("category", codes.iter().flat_map(|x| x.to_le_bytes()).collect(), Some(words.clone()))
        }
    };
    (name, dtype, PyBytes::new(py, &bytes), words)
}
