//! Cells of 802.11n, ac and ax: keys, messages and rates.

mod air_capture;
mod keys;
mod rates;

use airhop_scenario::{Overrides, Scenario};

/// Scenario with an access point, a station, and a flow of datagrams in the uplink.
const CELL: &str = r#"
name = "cell"
duration = "2 s"
[[wlan]]
name = "cell"
standard = "802.11ac"
rate = { mcs = 7 }
stations = { ap = [0, 0], sta = [1, 0] }
[[flow]]
name = "up"
from = "sta"
to = "ap"
transport = "udp"
segment = "1472 B"
app = { kind = "cbr", rate = "1 Mbit/s" }
"#;

/// Reads [`CELL`] with these changes.
fn read(sets: &[(&str, &str)]) -> Result<Scenario, String> {
    let sets = sets.iter().map(|(path, value)| (path.to_string(), value.to_string())).collect();
    let refusal = |error: airhop_scenario::ScenarioError| error.to_string();
    Scenario::parse(CELL, "cell.toml", &Overrides { settings: sets, scheme: None }).map_err(refusal)
}

fn good(sets: &[(&str, &str)]) -> Scenario {
    read(sets).unwrap_or_else(|refusal| panic!("{sets:?}\n{refusal}"))
}
