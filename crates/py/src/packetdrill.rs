//! Execution of packetdrill scripts, and verdicts on them.

use airhop_packetdrill::{Diagnostic, Verdict, judge, judge_on_kernel};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Runs a packetdrill script and returns the verdict as JSON: `verdict` ("pass", "fail", "not-applicable" or
/// "unreadable"), `line`, `column`, `reason`, `expected`, `seen`, `checks`, `skipped`. `text` is the script,
/// and `path` its file for messages. `kernel`: True to test this machine's kernel, False to test Airhop's
/// TCP.
#[pyfunction]
pub fn packetdrill(py: Python<'_>, path: PathBuf, text: &str, kernel: bool) -> String {
    let judge = if kernel { judge_on_kernel } else { judge };
    py.detach(|| verdict_value(judge(&path, text).map_err(|error| (error.place, error.message)))).to_string()
}

fn verdict_value(verdict: Result<Verdict, (airhop_packetdrill::script::Place, String)>) -> Value {
    let note = |note: &Diagnostic| json!({"line": note.place.line, "column": note.place.column, "reason": note.text});
    match verdict {
        Ok(Verdict::Pass { checks, until, skipped }) => {
            let mut pass = json!({"verdict": "pass", "checks": checks});
            if let Some(Diagnostic { place, text }) = until {
                (pass["line"], pass["column"], pass["reason"]) =
                    (json!(place.line), json!(place.column), json!(text));
            }
            pass["skipped"] = skipped.iter().map(note).collect();
            pass
        }
        Ok(Verdict::Fail { place, expected, seen }) => json!({
            "verdict": "fail", "line": place.line, "column": place.column, "expected": expected, "seen": seen,
        }),
        Ok(Verdict::NotApplicable(why)) => {
            let mut told = note(&why);
            told["verdict"] = json!("not-applicable");
            told
        }
        Err((place, message)) => json!({
            "verdict": "unreadable", "line": place.line, "column": place.column, "reason": message,
        }),
    }
}
