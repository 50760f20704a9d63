//! Execution of a script's events at their times, and comparison of the stack's behaviour.

use crate::code::{ConditionResult, ScriptVariables, Statement};
use crate::compare::first_difference;
use crate::script::{Action, Call, Event, EventTime, Script, ScriptPosition, Segment, TcpOption};
use crate::stack::{SentSegment, Stack, StackError};
use crate::{Diagnostic, Verdict};
use std::collections::BTreeMap;

/// Default of packetdrill's `--tolerance_usecs`, in nanoseconds.
const DEFAULT_TOLERANCE_NS: i64 = 4_000_000;
/// Maximum wait for a segment with the time `*`, in nanoseconds.
const MAX_WAIT_NS: i64 = 100_000_000_000;

/// Checks a stack against a script.
pub fn run_script(script: &Script, stack: &mut dyn Stack) -> Verdict {
    let microseconds = script.option("tolerance_usecs").and_then(|text| text.parse::<i64>().ok());
    let tolerance = microseconds.map_or(DEFAULT_TOLERANCE_NS, |us| us.saturating_mul(1000));
    let mut player = Player {
        stack,
        tolerance,
        push: script.option("push").is_some(),
        complete: script.option("complete").is_some(),
        anchor: None,
        clocks: BTreeMap::new(),
        memory: ScriptVariables::default(),
        checks: 0,
        skipped: Vec::new(),
    };
    let mut place = ScriptPosition::default();
    let mut ended = Ok(());
    for event in &script.events {
        place = event.position;
        ended = player.event(event);
        if ended.is_err() {
            break;
        }
    }
    let ended = ended
        .and_then(|()| player.check_nothing_is_left().map_err(|refusal| (place, refusal)))
        .and_then(|()| player.stack.finish().map_err(|refusal| (place, refusal)))
        .map(|checks| player.checks += checks);
    player.verdict(ended)
}

/// Result of an event: an error with its place.
type EventResult = Result<(), (ScriptPosition, StackError)>;

struct Player<'a> {
    stack: &'a mut dyn Stack,
    /// Maximum deviation of a segment's time in nanoseconds, early or late.
    tolerance: i64,
    /// True if PSH is also compared (`--push`).
    push: bool,
    /// True if every unexpected segment of the stack is a failure (`--complete`). packetdrill compares only
    /// segments that arrive in place of expected ones.
    complete: bool,
    /// Script time of the previous event; `None` if its time was a range.
    anchor: Option<i64>,
    /// Timestamps sent by the stack, keyed by the script's timestamps.
    clocks: BTreeMap<u32, u32>,
    memory: ScriptVariables,
    checks: usize,
    skipped: Vec<Diagnostic>,
}

impl Player<'_> {
    fn verdict(self, ended: EventResult) -> Verdict {
        let Player { checks, skipped, .. } = self;
        match ended {
            Ok(()) if checks > 0 => Verdict::Pass { checks, until: None, skipped },
            Ok(()) => {
                let unasked = || Diagnostic {
                    position: ScriptPosition::default(),
                    text: "nothing is asked of TCP".into(),
                };
                Verdict::NotApplicable(skipped.into_iter().next().unwrap_or_else(unasked))
            }
            Err((place, StackError::Differs { expected, seen })) => Verdict::Fail { place, expected, seen },
            Err((place, StackError::NotApplicable(text))) => {
                let note = Diagnostic { position: place, text };
                if checks > 0 {
                    Verdict::Pass { checks, until: Some(note), skipped }
                } else {
                    Verdict::NotApplicable(note)
                }
            }
        }
    }

    fn event(&mut self, event: &Event) -> EventResult {
        let (from, to) = self.time_range(event.time);
        let at = |place: ScriptPosition| move |refusal: StackError| (place, refusal);
        if !matches!(event.action, Action::Outbound(_)) {
            self.stack.wait_until(from).map_err(at(event.position))?;
            self.check_nothing_is_left().map_err(at(event.position))?;
        }
        match &event.action {
            Action::Inbound(segment) => self.inject_segment(segment).map_err(at(event.position))?,
            Action::Outbound(segment) => {
                self.expect_segment(segment, from, to).map_err(at(event.position))?
            }
            Action::Call(call) => self.call(call).map_err(at(event.position))?,
            Action::Command(text) => self.stack.run_command(text).map_err(at(event.position))?,
            Action::Code(statements) => self.code(statements)?,
            Action::Foreign(text) => {
                let words: Vec<&str> = text.split_whitespace().take(3).collect();
                let reason = format!("a packet that is not plain TCP: `{}`", words.join(" "));
                return Err((event.position, StackError::NotApplicable(reason)));
            }
        }
        self.anchor = matches!(event.time, EventTime::At(_) | EventTime::After(_)).then_some(from);
        Ok(())
    }

    /// Checks that no unexpected segment was sent. Has an effect only with `--complete`.
    fn check_nothing_is_left(&mut self) -> Result<(), StackError> {
        if !self.complete {
            return Ok(());
        }
        let now = self.stack.now();
        match self.stack.next_sent(now)? {
            Some(SentSegment { time_ns: at, segment }) => {
                let seen = format!("{segment} at {}", seconds(at));
                Err(StackError::Differs { expected: "nothing".into(), seen })
            }
            None => Ok(()),
        }
    }

    /// Returns the earliest and the latest time of an event. A time such as `+0.5` counts from the script
    /// time of the previous event. A range such as `+0.5~+0.6` counts from now, as in packetdrill.
    fn time_range(&self, when: EventTime) -> (i64, i64) {
        let now = self.stack.now();
        let before = self.anchor.unwrap_or(now);
        match when {
            EventTime::Any => (now, now + MAX_WAIT_NS),
            EventTime::At(at) => (at, at),
            EventTime::After(by) => (before + by, before + by),
            EventTime::Between(from, to) => (from, to),
            EventTime::BetweenAfter(from, to) => (now + from, now + to),
        }
    }

    fn inject_segment(&mut self, segment: &Segment) -> Result<(), StackError> {
        let mut segment = segment.clone();
        for option in segment.options.iter_mut().flatten() {
            if let TcpOption::Timestamps(_, echo) = option {
                *echo = self.stack_timestamp(*echo);
            }
        }
        self.stack.deliver(&segment)
    }

    /// Converts a timestamp of the script to a timestamp of the stack. An unknown timestamp is extrapolated
    /// from the preceding known timestamp.
    fn stack_timestamp(&self, script: u32) -> u32 {
        let before = self.clocks.range(..=script).next_back();
        let Some((&known, &stack)) = before.or_else(|| self.clocks.range(script..).next()) else {
            return script;
        };
        stack.wrapping_add(script.wrapping_sub(known))
    }

    fn expect_segment(&mut self, expected: &Segment, from: i64, to: i64) -> Result<(), StackError> {
        let latest = self.tolerance.saturating_add(self.stack.timer_tolerance_ns());
        let (first, last) = (from.saturating_sub(self.tolerance), to.saturating_add(latest));
        let differs = |seen: String| StackError::Differs { expected: expected.to_string(), seen };
        let unknown = |option: &&TcpOption| matches!(option, TcpOption::Other(_));
        if let Some(option) = expected.specified_options().find(unknown) {
            return Err(StackError::unmodelled(format!("the TCP option `{option}`")));
        }
        let Some(sent) = self.next_merged_segment(expected, last)? else {
            return Err(differs(format!("no segment was sent by {}", seconds(last))));
        };
        if let Some(field) =
            first_difference(expected, &sent.segment, self.stack.compared_fields(), self.push)
        {
            return Err(differs(format!("{} at {} (differs: {field})", sent.segment, seconds(sent.time_ns))));
        }
        if sent.time_ns < first || sent.time_ns > last {
            let due =
                if from == to { seconds(from) } else { format!("{} to {}", seconds(from), seconds(to)) };
            let seen = format!("{} at {}, due at {due}", sent.segment, seconds(sent.time_ns));
            return Err(differs(seen));
        }
        if let (Some((script, _)), Some((stack, _))) = (expected.timestamps(), sent.segment.timestamps()) {
            self.clocks.insert(script, stack);
        }
        self.checks += usize::from(!expected.flags.syn);
        Ok(())
    }

    /// Returns the next segment, merged from consecutive segments up to the expected length. A script may
    /// expect several sent segments as one, as segmentation offload passes them to the device.
    fn next_merged_segment(
        &mut self,
        expected: &Segment,
        by: i64,
    ) -> Result<Option<SentSegment>, StackError> {
        let Some(mut sent) = self.stack.next_sent(by)? else { return Ok(None) };
        while sent.segment.seq == expected.seq
            && sent.segment.payload_bytes > 0
            && sent.segment.payload_bytes < expected.payload_bytes
        {
            let Some(next) = self.stack.next_sent(by)? else { break };
            if next.segment.seq != sent.segment.end_seq() || next.segment.payload_bytes == 0 {
                return Ok(Some(SentSegment { time_ns: next.time_ns, ..sent }));
            }
            let whole = &mut sent.segment;
            whole.payload_bytes += next.segment.payload_bytes;
            let flags = &mut whole.flags;
            flags.psh |= next.segment.flags.psh;
            flags.fin |= next.segment.flags.fin;
            sent.time_ns = next.time_ns;
        }
        Ok(Some(sent))
    }

    fn call(&mut self, call: &Call) -> Result<(), StackError> {
        let compared = self.stack.call(call)?;
        self.checks += usize::from(compared);
        Ok(())
    }

    fn code(&mut self, statements: &[Statement]) -> EventResult {
        let stack = &mut *self.stack;
        stack.refresh_tcp_info().map_err(|refusal| (ScriptPosition::default(), refusal))?;
        let names = |name: &str| stack.tcp_info_value(name);
        for statement in statements {
            match statement {
                Statement::Nothing => {}
                Statement::Unknown { place, text } => {
                    self.skipped
                        .push(Diagnostic { position: *place, text: format!("not evaluated: {text}") });
                }
                Statement::Assign { name, value } => {
                    // A variable without a value is reported when it is read.
                    let _ = self.memory.assign(name, value, &names);
                }
                Statement::Assert { place, condition, text } => match self
                    .memory
                    .evaluate_condition(condition, &names)
                {
                    ConditionResult::True => self.checks += 1,
                    ConditionResult::Unknown(name) => {
                        self.skipped
                            .push(Diagnostic { position: *place, text: format!("no counterpart of {name}") });
                    }
                    ConditionResult::False(seen) => {
                        return Err((*place, StackError::Differs { expected: text.clone(), seen }));
                    }
                },
            }
        }
        Ok(())
    }
}

/// Formats a time for messages.
fn seconds(nanos: i64) -> String {
    format!("{:.6} s", nanos as f64 / 1e9)
}
