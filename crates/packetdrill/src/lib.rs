//! Runner for packetdrill scripts. A script defines the actions of a peer and an application, and the
//! expected segments and state of a TCP.
//!
//! [`parse()`] reads a script, a [`Stack`] is a TCP under test, and [`run_script`] compares the stack with the
//! script. There are two stacks: Airhop's own TCP in virtual time ([`AirhopStack`]), and the kernel of this
//! machine in real time (`KernelStack`, on Linux). A script that passes on the kernel describes real kernel
//! behaviour. The same script then tests Airhop.

mod airhop;
mod code;
mod compare;
mod cursor;
#[cfg(target_os = "linux")]
mod kernel;
mod parse;
mod play;
pub mod script;
mod settings;
mod stack;
mod variant;

pub use airhop::AirhopStack;
pub use code::{Expression, Operator, Relation, Statement};
pub use cursor::ParseError;
#[cfg(target_os = "linux")]
pub use kernel::KernelStack;
pub use parse::parse;
pub use play::run_script;
pub use settings::{OperatingSystem, Settings};
pub use stack::{ComparedFields, SentSegment, Stack, StackError};
pub use variant::Variant;

use script::{Script, ScriptPosition};
use std::path::Path;

/// Message about a place in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Position in the script.
    pub position: ScriptPosition,
    /// Message text without the place.
    pub text: String,
}

/// Verdict on a stack for a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The stack agrees with the script up to its end, or up to a feature that the stack does not model.
    Pass {
        /// Number of compared segments, results and assertions, excluding the handshake.
        checks: usize,
        /// Event at which the comparison stopped early, with the reason; `None` if the whole script was
        /// compared.
        until: Option<Diagnostic>,
        /// Assertions that were skipped because the stack has no such value.
        skipped: Vec<Diagnostic>,
    },
    /// An event differs.
    Fail {
        /// Position in the script.
        place: ScriptPosition,
        /// Expectation of the script.
        expected: String,
        /// Behaviour of the stack.
        seen: String,
    },
    /// Not applicable: no event could be compared.
    NotApplicable(Diagnostic),
}

/// Returns the verdict on Airhop's TCP for the script in `file` with the text `text`.
///
/// # Errors
///
/// Returns an error if the text is not a script.
pub fn check_script(file: &Path, text: &str) -> Result<Verdict, ParseError> {
    let script: Script = parse(&file.display().to_string(), text)?;
    let folder = file.parent().unwrap_or(Path::new("."));
    Ok(run_script(&script, &mut AirhopStack::new(folder)))
}

/// Tests the additional senders that the script's `--also` options name. Returns the option's word and the
/// verdict for each sender.
///
/// # Errors
///
/// Returns an error if the text is not a script, or if an option names an unknown sender.
pub fn check_variants(file: &Path, text: &str) -> Result<Vec<(String, Verdict)>, String> {
    let script: Script = parse(&file.display().to_string(), text).map_err(|error| error.to_string())?;
    let folder = file.parent().unwrap_or(Path::new("."));
    let lists = script.options.iter().filter(|(name, _)| name == "also");
    let words = lists.flat_map(|(_, list)| list.split(','));
    words
        .map(|word| {
            let variant: Variant = word.parse().map_err(|error| format!("{}: {error}", file.display()))?;
            Ok((word.trim().to_owned(), run_script(&script, &mut AirhopStack::with_variant(folder, variant))))
        })
        .collect()
}

/// Tests this machine's kernel against the script `text`. `file` is the script's path. If the script cannot
/// run on this machine, the verdict is "not applicable".
///
/// # Errors
///
/// Returns an error if the text is not a script.
pub fn check_on_kernel(file: &Path, text: &str) -> Result<Verdict, ParseError> {
    let script = parse(&file.display().to_string(), text)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    #[cfg(target_os = "linux")]
    return Ok(kernel::check_script(&script, folder));
    #[cfg(not(target_os = "linux"))]
    return Ok(Verdict::NotApplicable(Diagnostic {
        place: ScriptPosition::default(),
        text: format!("{}: only Linux has network namespaces", folder.display()),
    }));
}
