//! The table `links`.

use crate::columns::{Column, Table};
use crate::tables::PlaceNames;
use airhop_base::{Rate, Span, Time};

/// `links`: rate and delay of directed links that change, one row per change. The rate is 0 while the link
/// sends nothing.
#[derive(Default)]
pub(crate) struct LinkTableBuilder {
    time: Vec<f64>,
    place: Vec<u32>,
    rate: Vec<f64>,
    delay: Vec<f64>,
}

impl LinkTableBuilder {
    pub fn push(&mut self, from: Time, place: u32, rate: Option<Rate>, delay: Span) {
        self.time.push(from.secs_f64());
        self.place.push(place);
        self.rate.push(rate.map_or(0.0, |rate| rate.bps() as f64 / 1e6));
        self.delay.push(delay.millis_f64());
    }

    /// Returns the table; `None` if no link changes in the run.
    pub fn into_table(self, places: &PlaceNames) -> Option<Table> {
        if self.time.is_empty() {
            return None;
        }
        let columns = vec![
            ("time_s", Column::F64(self.time)),
            ("place", places.column(self.place)),
            ("rate_mbps", Column::F64(self.rate)),
            ("delay_ms", Column::F64(self.delay)),
        ];
        Some(Table { name: "links", columns })
    }
}
