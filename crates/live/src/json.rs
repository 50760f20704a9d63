//! Result of an emulation as JSON: the key `live` of a run document. Names and order of the entries are
//! stable.

use crate::emulation::{CommandOutput, CommandResult, EmulationResult};
use airhop_base::NodeId;
use serde_json::{Map, Value, json};

impl EmulationResult {
    /// Returns the result as JSON. `name` returns the name of a node.
    pub fn to_json(&self, name: impl Fn(NodeId) -> String) -> Value {
        let turnaround: Map<String, Value> = self
            .turnaround
            .iter()
            .filter(|(_, answers)| answers.count > 0)
            .map(|(node, of)| (name(*node), json!({"p50": of.p50_us, "p90": of.p90_us, "count": of.count})))
            .collect();
        let late = &self.lateness;
        let stalls = self.stalls.iter().map(
            |stall| json!({"at_s": stall.expected_at.secs_f64(), "length_ms": stall.delay.millis_f64()}),
        );
        json!({
            "lateness_us": {"p50": late.p50_us, "p99": late.p99_us, "max": late.max_us},
            "turnaround_us": turnaround,
            "valid": self.invalidity_reasons.is_empty(),
            "why": self.invalidity_reasons,
            "commands": self.command_results.iter().map(|ended| command_json(ended, &name)).collect::<Vec<_>>(),
            "stalls": stalls.collect::<Vec<_>>(),
            "lost_to_emulator": self.lost_to_emulator,
            "entered": {"packets": self.admitted.packets, "bytes": self.admitted.bytes},
            "left": {"packets": self.departed.packets, "bytes": self.departed.bytes},
            "real_time": self.real_time_priority.is_ok(),
        })
    }
}

fn command_json(ended: &CommandResult, name: impl Fn(NodeId) -> String) -> Value {
    json!({
        "node": name(ended.node),
        "command": ended.command_line,
        "exit": ended.exit_code,
        "ended_by_airhop": ended.killed,
        "stdout": text(&ended.stdout),
    })
}

/// Returns the output of a program as text. A line states the number of omitted bytes, if any.
fn text(output: &CommandOutput) -> String {
    if output.omitted_bytes == 0 {
        return String::from_utf8_lossy(&output.bytes()).into_owned();
    }
    let [first, last] = [&output.first_bytes, &output.last_bytes].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{first}\n[{} bytes left out]\n{last}", output.omitted_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortened_output_states_the_number_of_omitted_bytes() {
        let (first, last) = (b"first \xC3".to_vec(), b"\xA9 last".to_vec());
        let whole = CommandOutput { first_bytes: first.clone(), omitted_bytes: 0, last_bytes: last.clone() };
        assert_eq!(text(&whole), "first é last");
        assert_eq!(
            text(&CommandOutput { first_bytes: first, omitted_bytes: 9, last_bytes: last }),
            "first \u{FFFD}\n[9 bytes left out]\n\u{FFFD} last"
        );
    }
}
