//! Runs packetdrill scripts: what a peer and an application do to a TCP, and the segments and state that this TCP must show.
//!
//! [`parse()`] reads a script, a [`Stack`] is a TCP under test, and [`play`] holds the one against the other. There are two stacks:
//! Airhop's own TCP in virtual time ([`Airhop`]), and the kernel of this machine in real time (`Kernel`, on Linux). A script that passes on
//! the kernel states a rule that the kernel follows; compared with Airhop it checks Airhop.

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

pub use airhop::Airhop;
pub use code::{Expression, Operator, Relation, Statement};
pub use cursor::ParseError;
#[cfg(target_os = "linux")]
pub use kernel::Kernel;
pub use parse::parse;
pub use play::play;
pub use settings::{Settings, System};
pub use stack::{Compared, Refusal, Sent, Stack};
pub use variant::Variant;

use script::{Place, Script};
use std::path::Path;

/// Place in a script with a message about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Position in the script.
    pub place: Place,
    /// A sentence, without the place.
    pub text: String,
}

/// Verdict on a stack under a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Agreement with the script, up to its end or up to a feature that the stack does not model.
    Pass {
        /// Segments, results and assertions that were compared, without the handshake.
        checks: usize,
        /// The event at which the comparison ended early, with the reason.
        until: Option<Note>,
        /// Assertions that the stack has no answer to.
        skipped: Vec<Note>,
    },
    /// An event differs.
    Fail {
        /// Position in the script.
        place: Place,
        /// By the script.
        expected: String,
        /// By the stack.
        seen: String,
    },
    /// Nothing could be compared.
    NotApplicable(Note),
}

/// Returns the verdict of Airhop's TCP on the script in `file`, whose text is `text`.
///
/// # Errors
/// The text is no script.
pub fn judge(file: &Path, text: &str) -> Result<Verdict, ParseError> {
    let script: Script = parse(&file.display().to_string(), text)?;
    let folder = file.parent().unwrap_or(Path::new("."));
    Ok(play(&script, &mut Airhop::new(folder)))
}

/// Returns the verdicts of the other senders of Airhop that the script's options `--also` name, by their words.
///
/// # Errors
/// The text is no script, or the option names an unknown sender.
pub fn judge_variants(file: &Path, text: &str) -> Result<Vec<(String, Verdict)>, String> {
    let script: Script = parse(&file.display().to_string(), text).map_err(|error| error.to_string())?;
    let folder = file.parent().unwrap_or(Path::new("."));
    let lists = script.options.iter().filter(|(name, _)| name == "also");
    let words = lists.flat_map(|(_, list)| list.split(','));
    words
        .map(|word| {
            let variant: Variant = word.parse().map_err(|error| format!("{}: {error}", file.display()))?;
            Ok((word.trim().to_owned(), play(&script, &mut Airhop::of(folder, variant))))
        })
        .collect()
}

/// Returns the verdict of this machine's kernel on the script in `file`, whose text is `text`. A script that cannot be tried here does not
/// apply.
///
/// # Errors
/// The text is no script.
pub fn judge_on_kernel(file: &Path, text: &str) -> Result<Verdict, ParseError> {
    let script = parse(&file.display().to_string(), text)?;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    #[cfg(target_os = "linux")]
    return Ok(kernel::judge(&script, folder));
    #[cfg(not(target_os = "linux"))]
    return Ok(Verdict::NotApplicable(Note {
        place: Place::default(),
        text: format!("{}: only Linux has network namespaces", folder.display()),
    }));
}
