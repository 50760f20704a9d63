//! Tables of columns: form of a trace outside the simulator.

/// Column of a [`Table`].
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Stream offsets and byte counts.
    U64(Vec<u64>),
    /// Lengths in bytes.
    U32(Vec<u32>),
    /// Times, windows in segments, durations; NaN for a missing value.
    F64(Vec<f64>),
    /// Booleans.
    Bool(Vec<bool>),
    /// Words from a small set: an index for each row, and the words.
    Category(Vec<u32>, Vec<String>),
}

impl Column {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        match self {
            Column::U64(v) => v.len(),
            Column::U32(v) | Column::Category(v, _) => v.len(),
            Column::F64(v) => v.len(),
            Column::Bool(v) => v.len(),
        }
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Table: columns of equal length, in display order.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Name of the table, and of its file.
    pub name: &'static str,
    /// Names and values of the columns.
    pub columns: Vec<(&'static str, Column)>,
}

impl Table {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// Returns the column of this name; `None` without such a column.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|(n, _)| *n == name).map(|(_, column)| column)
    }
}
