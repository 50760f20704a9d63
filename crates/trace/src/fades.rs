//! The table `fades`.

use crate::columns::{Column, Table};
use crate::tables::PlaceNames;
use airhop_base::Time;

/// `fades`: bad periods of directed links with a channel state that changes over time (not per packet).
#[derive(Default)]
pub(crate) struct FadeTableBuilder {
    place: Vec<u32>,
    begin: Vec<f64>,
    end: Vec<f64>,
}

impl FadeTableBuilder {
    pub fn push(&mut self, place: u32, [begin, end]: [Time; 2]) {
        self.place.push(place);
        self.begin.push(begin.secs_f64());
        self.end.push(end.secs_f64());
    }

    pub fn into_table(self, places: &PlaceNames) -> Table {
        let columns = vec![
            ("place", places.column(self.place)),
            ("begin_s", Column::F64(self.begin)),
            ("end_s", Column::F64(self.end)),
        ];
        Table { name: "fades", columns }
    }
}
