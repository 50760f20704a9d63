//! Link recovery: the defaults that follow from the link, and what they become.

use crate::fields::{Fields, Val};
use crate::problem::Problems;
use airhop_base::{Rate, Span};
use airhop_radio::arq::{ArqPlan, Group};

/// The times of a radio link that its timeouts depend on.
struct Times {
    rate: Rate,
    /// One way.
    delay: Span,
    /// The largest data frame of the flows that cross the link.
    frame: Span,
}

impl Times {
    fn new(link: &Fields, largest: u32) -> Option<Self> {
        let (rate, delay) = (link.rate("rate")?, link.span("delay")?);
        let overhead = u32::try_from(link.bytes("overhead")?).ok()?;
        Some(Times { rate, delay, frame: rate.time_for(largest + overhead) })
    }

    /// An ACK and both ways.
    fn answer(&self, arq: &Fields) -> Option<Span> {
        let ack = u32::try_from(arq.bytes("ack")?).ok()?;
        Some(self.rate.time_for(ack) + self.delay * 2)
    }

    /// T_o = N t_frame + t_ack + 2 delay + t_frame (schemes.md 4.4.1): the ACK of a whole window may have to wait for a frame that its
    /// end is sending.
    fn timeout(&self, arq: &Fields) -> Option<Span> {
        Some(self.frame * (window(arq) + 1) + self.answer(arq)?)
    }

    /// A timer that is shorter expires before any ACK can come.
    fn least(&self, arq: &Fields) -> Option<Span> {
        Some(self.frame + self.answer(arq)?)
    }
}

/// Frames that may be on their way.
fn window(arq: &Fields) -> u64 {
    if arq.kind == Some("stop-and-wait") { 1 } else { arq.count("window").unwrap_or(1) }
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
    let window = usize::try_from(window(arq)).ok()?;
    let timeout = arq.span("timeout")?;
    let attempts = arq.count("attempts").and_then(|attempts| u32::try_from(attempts).ok());
    let ack_bytes = u32::try_from(arq.bytes("ack")?).ok()?;
    Some(match arq.kind? {
        "selective-repeat" => {
            ArqPlan::SelectiveRepeat { window, srej: arq.flag("srej")?, timeout, attempts, ack_bytes }
        }
        "go-back-n" if arq.word("group")? == "blocks" => {
            ArqPlan::GoBackN { window, group: Group::Blocks, timeout, attempts, ack_bytes }
        }
        _ => ArqPlan::GoBackN { window, group: Group::Sliding, timeout, attempts, ack_bytes },
    })
}
