//! Execution of packetdrill scripts, and verdicts on them.

use airhop_packetdrill::{Diagnostic, Verdict, check_on_kernel, check_script};
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Runs a packetdrill script and returns the verdict as JSON: `verdict` ("pass", "fail", "not-applicable" or
/// "unreadable"), `line`, `column`, `reason`, `expected`, `seen`, `checks`, `skipped`. `text` is the script,
/// and `path` its file for messages. `kernel`: True to test this machine's kernel, False to test Airhop's
/// TCP.
#[pyfunction]
pub fn packetdrill(py: Python<'_>, path: PathBuf, text: &str, kernel: bool) -> String {
    let judge = if kernel { check_on_kernel } else { check_script };
    py.detach(|| verdict_value(judge(&path, text).map_err(|error| (error.position, error.message))))
        .to_string()
}

fn verdict_value(verdict: Result<Verdict, (airhop_packetdrill::script::ScriptPosition, String)>) -> Value {
    let note = |note: &Diagnostic| json!({"line": note.position.line, "column": note.position.column, "reason": note.text});
    match verdict {
        Ok(Verdict::Pass { checks, until, skipped }) => {
            let mut pass = json!({"verdict": "pass", "checks": checks});
            if let Some(Diagnostic { position: place, text }) = until {
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
