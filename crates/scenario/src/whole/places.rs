//! Positions of a layout's stations without a scenario, for programs that write scenarios.

use crate::grammar::check::check;
use crate::grammar::problem::{Problems, ScenarioError};
use crate::grammar::tree;
use crate::tables::layout;
use crate::tables::layout::PLACEMENT_KEYS;
use airhop_engine::RandomStreams;
use airhop_net::BuildError;
use airhop_net::placement::{Position, draw_placement};

/// Returns the names of a layout's stations and their positions in metres.
///
/// `text` is a JSON object with the keys `layout`, `receive` and `wlan`. `layout` is a table as in
/// `[[wlan]]`. `receive` is the receive range. Random positions are connected within this range. Without
/// `receive`, all stations are in range of each other. `wlan` is the name of a wlan that draws the same
/// positions with this seed and replication. `source` is the name of the scenario in messages.
///
/// # Errors
///
/// Returns a [`ScenarioError`] with all problems of the layout, or if no connected positions are found.
pub fn station_positions(
    text: &str,
    source: &str,
    seed: u64,
    rep: u64,
) -> Result<Vec<(String, Position)>, ScenarioError> {
    let mut problems = Problems::default();
    let Some(document) = tree::from_json(text, &mut problems) else {
        return problems.into_result(source, None);
    };
    let fields = check(&document, &PLACEMENT_KEYS, &mut problems);
    let reach = fields.metres("receive");
    let (Some(table), Some(wlan)) = (fields.table("layout"), fields.text("wlan")) else {
        return problems.into_result(source, None);
    };
    layout::check(table, reach, &mut problems);
    let mut made = if problems.len() == 0 { layout::layout_stations(table) } else { None };
    if let (Some(stations), Some(area)) = (&mut made, layout::layout_area(table)) {
        match draw_placement(wlan, &area, stations.len(), reach, &RandomStreams::new(seed, rep), |_| true) {
            Some(drawn) => stations.iter_mut().zip(drawn).for_each(|((_, place), drawn)| *place = drawn),
            None => {
                let why = BuildError::Disconnected { wlan: wlan.to_string() };
                problems.add(&table.at, "", why.to_string());
            }
        }
    }
    problems.into_result(source, made)
}
