//! Link recovery: the defaults that follow from the link, and what they become.

use crate::fields::{Fields, Val};
use crate::keys::MAX_SPAN_S;
use crate::pace;
use crate::problem::Problems;
use airhop_base::{Rate, Span};
use airhop_radio::arq::{ArqPlan, ArqRules, Group, derived_timeout};

/// What timeouts depend on.
struct Times {
    /// The mean, if it is that of a recorded link; the lowest, if it changes.
    rate: Rate,
    /// One way; the longest, if it changes.
    delay: Span,
    /// The largest data frame, either way, bytes.
    frame: u32,
}

impl Times {
    /// Those of a radio link whose largest IP datagram has `largest` bytes.
    fn new(link: &Fields, largest: u32) -> Option<Self> {
        let overhead = u32::try_from(link.bytes("overhead")?).ok()?;
        Some(Times {
            rate: pace::lowest_rate(link)?,
            delay: pace::longest_delay(link)?,
            frame: largest + overhead,
        })
    }

    /// The timeout of a recovery that the file gives none.
    fn timeout(&self, arq: &Fields) -> Option<Span> {
        self.way_there_and_back(arq, window(arq)?, self.frame)
    }

    /// A frame, its ACK, and both ways: a timer that is shorter expires before any ACK can come.
    fn least(&self, arq: &Fields) -> Option<Span> {
        self.way_there_and_back(arq, 1, 0)
    }

    /// So many frames, the ACK of the last behind a frame of `reverse` bytes, and both ways; no longer than any run, as the effective
    /// scenario has it for a file that reads back.
    fn way_there_and_back(&self, arq: &Fields, frames: u32, reverse: u32) -> Option<Span> {
        let all = derived_timeout(self.rate, self.delay, frames, self.frame, ack_bytes(arq)?, reverse);
        Some(all.min(Span::from_secs(MAX_SPAN_S)))
    }
}

/// Frames that may be on their way.
fn window(arq: &Fields) -> Option<u32> {
    match arq.kind? {
        "stop-and-wait" => Some(1),
        "go-back-n" | "selective-repeat" => u32::try_from(arq.count("window")?).ok(),
        _ => None,
    }
}

fn ack_bytes(arq: &Fields) -> Option<u32> {
    u32::try_from(arq.bytes("ack")?).ok()
}

/// Fills the timeouts of a radio link whose largest IP datagram has `largest` bytes, and the recovery of the way back.
pub(crate) fn fill(link: &mut Fields, largest: u32) {
    let Some(times) = Times::new(link, largest) else { return };
    for key in ["arq", "arq_back"] {
        if let Some(Val::Table(arq)) = link.get_mut(key)
            && let Some(timeout) = recovers(arq).then(|| times.timeout(arq)).flatten()
        {
            arq.fill("timeout", Val::Span(timeout));
        }
    }
    if link.lacks("arq_back")
        && let Some(arq) = link.table("arq")
    {
        let back = arq.as_default(link.path_of("arq_back"));
        link.fill("arq_back", Val::Table(back));
    }
}

/// Refuses timeouts that no ACK can be in time for: every frame would go again and again.
pub(crate) fn check(link: &Fields, largest: u32, problems: &mut Problems) {
    let Some(times) = Times::new(link, largest) else { return };
    for arq in ["arq", "arq_back"].into_iter().filter_map(|key| link.table(key)).filter(|arq| recovers(arq)) {
        let (Some(timeout), Some(least)) = (arq.span("timeout"), times.least(arq)) else { continue };
        if timeout < least {
            let what = format!(
                "expected at least \"{least}\", which a frame of {largest} B and its overhead, its ACK and the way there and back take, \
                 got \"{timeout}\""
            );
            problems.add(arq.at("timeout"), arq.path_of("timeout"), what);
        }
    }
}

fn recovers(arq: &Fields) -> bool {
    arq.kind != Some("none")
}

/// The plan of one direction's recovery.
pub(crate) fn plan(arq: &Fields) -> Option<ArqPlan> {
    if !recovers(arq) {
        return Some(ArqPlan::None);
    }
    let rules = ArqRules {
        window: window(arq)?,
        timeout: arq.span("timeout")?,
        attempts: arq.count("attempts").and_then(|attempts| u32::try_from(attempts).ok()),
        ack_bytes: ack_bytes(arq)?,
    };
    Some(match arq.kind? {
        "selective-repeat" => ArqPlan::SelectiveRepeat { srej: arq.flag("srej")?, rules },
        "stop-and-wait" => ArqPlan::GoBackN { group: Group::Sliding, rules },
        "go-back-n" => ArqPlan::GoBackN { group: group(arq)?, rules },
        _ => return None,
    })
}

fn group(arq: &Fields) -> Option<Group> {
    match arq.word("group")? {
        "sliding" => Some(Group::Sliding),
        "blocks" => Some(Group::Blocks),
        _ => None,
    }
}
