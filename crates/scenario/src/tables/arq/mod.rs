//! `arq = { … }`: link-layer recovery of a radio link. Each recovery has an entry in the list, and a file in
//! this folder with its keys and its plan. Defaults that depend on the link are derived here.

mod go_back_n;
mod none;
mod rlp;
mod selective_repeat;
mod stop_and_wait;

use super::rate;
use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::OmittedValue::{Derived, Nothing, Value};
use crate::grammar::key::{Choice, Key, MAX_SPAN_S, ValueKind, Variant, key};
use crate::grammar::problem::Problems;
use airhop_base::Span;
use airhop_radio::arq::{ArqPlan, ArqRules, derived_timeout};
use airhop_radio::link_rate::LinkRate;

/// Declaration of a link recovery.
struct LinkRecovery {
    variant: Variant,
    /// Function that returns the number of frames in the default timeout; `None` if the recovery has no link
    /// ACKs and therefore no timeout.
    window: Option<fn(&Fields) -> Option<u32>>,
    plan: fn(&Fields) -> Option<ArqPlan>,
}

super::kinds! {
    /// List of the link recoveries.
    ARQ, "link recovery", LinkRecovery:
    none, stop_and_wait, go_back_n, selective_repeat, rlp
}

/// Maximum window in frames, as in RLC of UMTS (2047). No link layer has a larger window.
const MAX_WINDOW_FRAMES: u64 = 2047;

const fn timeout_key(derivation: &'static str) -> Key {
    let about = "timeout of the link ACK, from the start of the frame's transmission";
    key("timeout", ValueKind::Span { least_ns: 1_000 }, Derived(derivation), about)
}

const TIMEOUT_KEY: Key = timeout_key(
    "sum of the durations of `window` frames, of one frame in the other direction that the link ACK may have to wait for, and of the \
     link ACK, plus the round-trip propagation delay; each frame has the length of the largest frame of all flows that cross the link",
);

const ATTEMPTS_KEY: Key = key(
    "attempts",
    ValueKind::Count { least: 1, most: 255 },
    Nothing("none; no limit"),
    "attempt limit: maximum number of transmissions of a frame, the first included; after the last transmission the packet is dropped",
);

const ACK_KEY: Key = key(
    "ack",
    ValueKind::Bytes { least: 1, most: 1000 },
    Value(r#""6 B""#),
    "length of a link ACK: an HDLC supervisory frame (ISO/IEC 13239)",
);

const fn window(most: u64, packets: &'static str, about: &'static str) -> Key {
    key("window", ValueKind::Count { least: 1, most }, Value(packets), about)
}

/// Returns the value of the key `window`.
fn window_key(arq: &Fields) -> Option<u32> {
    u32::try_from(arq.count("window")?).ok()
}

/// Keys of the recovery: one for data from the first node of `ends`, one for data from the second.
const ARQ_KEYS: [&str; 2] = ["arq", "arq_back"];

/// Durations that determine the timeouts for data in one direction.
struct TimeoutInputs {
    /// Rates of the data's direction and of the reverse direction. A recorded link counts with its mean rate,
    /// a changing link with its lowest rate.
    pace: [LinkRate; 2],
    /// Sum of the propagation delays of both directions. A changing delay counts with its maximum.
    delays: Span,
    /// Length in bytes of the longest data frame in either direction.
    frame: u32,
}

impl TimeoutInputs {
    /// Computes the durations for data in one direction of a radio link. `largest` is the length in bytes of
    /// the largest IP packet.
    fn new(link: &Fields, direction: usize, largest: u32) -> Option<Self> {
        let overhead = u32::try_from(link.bytes("overhead")?).ok()?;
        let [there, back] = [direction, 1 - direction];
        Some(TimeoutInputs {
            pace: [rate::lowest_rate(link, there)?, rate::lowest_rate(link, back)?],
            delays: rate::longest_delay(link, there)? + rate::longest_delay(link, back)?,
            frame: largest + overhead,
        })
    }

    /// Returns the default timeout of a recovery.
    fn default_timeout(&self, arq: &Fields) -> Option<Span> {
        self.round_trip_delay(arq, frames_in_flight(arq)?, self.frame)
    }

    /// Returns the minimum timeout: one frame, its ACK, and the propagation delays of both directions. With a
    /// shorter timer, no ACK could arrive in time.
    fn min_timeout(&self, arq: &Fields) -> Option<Span> {
        self.round_trip_delay(arq, 1, 0)
    }

    /// Returns the additional duration of a round for each further copy that a receiver requests: one frame
    /// and one NAK.
    fn copy_duration(&self, arq: &Fields) -> Option<Span> {
        let copy =
            self.pace[0].serialisation_time(self.frame) + self.pace[1].serialisation_time(ack_bytes(arq)?);
        Some(copy.min(Span::from_secs(MAX_SPAN_S)))
    }

    /// Returns the time for `frames` frames, the link ACK of the last frame, and the propagation delays of
    /// both directions. The link ACK first waits for a reverse frame of `reverse` bytes. The result is at
    /// most [`MAX_SPAN_S`], the longest duration that a scenario file may contain.
    fn round_trip_delay(&self, arq: &Fields, frames: u32, reverse: u32) -> Option<Span> {
        let pace = self.pace.each_ref();
        let all = derived_timeout(pace, self.delays, frames, self.frame, ack_bytes(arq)?, reverse);
        Some(all.min(Span::from_secs(MAX_SPAN_S)))
    }
}

fn frames_in_flight(arq: &Fields) -> Option<u32> {
    (declared(arq)?.window?)(arq)
}

/// Returns the length of a control frame in bytes.
fn ack_bytes(arq: &Fields) -> Option<u32> {
    u32::try_from(arq.bytes(if arq.may_have_key("ack") { "ack" } else { "nak" })?).ok()
}

/// Sets the recovery of the reverse direction and the timeouts of both directions where the file omits them.
/// `largest` is the length in bytes of the largest IP packet.
pub(super) fn set_defaults(link: &mut Fields, largest: u32) {
    if link.is_absent("arq_back")
        && let Some(arq) = link.table("arq")
    {
        let back = arq.as_default(link.path_of("arq_back"));
        link.set_default("arq_back", Val::Table(back));
    }
    for (direction, key) in ARQ_KEYS.into_iter().enumerate() {
        let Some(times) = TimeoutInputs::new(link, direction, largest) else { return };
        if let Some(Val::Table(arq)) = link.get_mut(key)
            && let Some(timeout) = has_link_acks(arq).then(|| times.default_timeout(arq)).flatten()
        {
            arq.set_default("timeout", Val::Span(timeout));
            if arq.may_have_key("copy")
                && let Some(copy) = times.copy_duration(arq)
            {
                arq.set_default("copy", Val::Span(copy));
            }
        }
    }
}

/// Checks that the timeouts are long enough for an ACK to arrive. Otherwise every frame would be
/// retransmitted again and again.
pub(super) fn check(link: &Fields, largest: u32, problems: &mut Problems) {
    for (direction, key) in ARQ_KEYS.into_iter().enumerate() {
        let recovery = link.table(key).filter(|arq| has_link_acks(arq));
        let (Some(arq), Some(times)) = (recovery, TimeoutInputs::new(link, direction, largest)) else {
            continue;
        };
        let (Some(timeout), Some(least)) = (arq.span("timeout"), times.min_timeout(arq)) else { continue };
        if timeout < least {
            let what = format!(
                "expected at least \"{least}\": the durations of a frame of {largest} B and its overhead and of its ACK, plus \
                 the round-trip propagation delay; got \"{timeout}\""
            );
            problems.add(arq.position_of("timeout"), arq.path_of("timeout"), what);
            return; // the reverse direction may have the same problem, which is reported once
        }
    }
}

fn has_link_acks(arq: &Fields) -> bool {
    declared(arq).is_some_and(|recovery| recovery.window.is_some())
}

/// Returns the plan of the recovery of one direction.
pub(super) fn plan(arq: &Fields) -> Option<ArqPlan> {
    (declared(arq)?.plan)(arq)
}

/// Reads the rules that all recoveries with link ACKs share.
fn rules(arq: &Fields) -> Option<ArqRules> {
    Some(ArqRules {
        window: frames_in_flight(arq)?,
        timeout: arq.span("timeout")?,
        max_attempts: arq.count("attempts").and_then(|attempts| u32::try_from(attempts).ok()),
        ack_bytes: ack_bytes(arq)?,
    })
}
