//! `AirhopStack`: Airhop's TCP as a stack under test, in virtual time.
//!
//! The stack has one connection at a time, from the handshake to the FINs. Sender and receiver are on one
//! host. Resets and TIME-WAIT are not modelled.

mod closing;
mod configure;
mod connection;
mod conversion;
mod info;
mod sockets;

use crate::script::{Call, Segment};
use crate::settings::Settings;
use crate::stack::{ComparedFields, SentSegment, Stack, StackError};
use crate::variant::Variant;
use airhop_base::Time;
use connection::Connection;
use sockets::Sockets;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// Clock value at the start of a script, in nanoseconds. A clock of zero would produce a zero timestamp,
/// which means "no timestamp".
const EPOCH_NS: u64 = 1_000_000_000;
/// Maximum number of timer expiries without a segment. The sender is then assumed to stay silent.
const MAX_SILENT_TIMEOUTS: usize = 10_000;

/// Airhop's TCP.
#[derive(Debug)]
pub struct AirhopStack {
    folder: PathBuf,
    settings: Settings,
    sockets: Sockets,
    connection: Option<Connection>,
    now: i64,
    sent: VecDeque<SentSegment>,
    /// Blocked calls, each with its return time.
    blocked: VecDeque<(i64, Call)>,
    /// Number of blocked calls with a compared result.
    returned: usize,
}

impl AirhopStack {
    /// Creates a host without connections. `folder` contains the scripts that shell commands run.
    pub fn new(folder: &Path) -> Self {
        AirhopStack {
            folder: folder.to_owned(),
            settings: Settings::default(),
            sockets: Sockets::default(),
            connection: None,
            now: 0,
            sent: VecDeque::new(),
            blocked: VecDeque::new(),
            returned: 0,
        }
    }

    /// Creates a stack with the sender `variant` in place of the Linux sender.
    pub fn with_variant(folder: &Path, variant: Variant) -> Self {
        AirhopStack { settings: Settings::with_variant(variant), ..AirhopStack::new(folder) }
    }

    fn collect_sent_segments(&mut self) {
        let now = time(self.now);
        if let Some(connection) = &mut self.connection {
            let at = self.now;
            self.sent.extend(connection.transmit(now).map(|segment| SentSegment { time_ns: at, segment }));
        }
    }

    /// Runs the timers that expire before `until`. If `inclusive`, timers that expire at `until` also run. If
    /// `stop`, stops as soon as a segment was sent.
    fn run_timers(&mut self, until: i64, inclusive: bool, stop: bool) {
        for _ in 0..MAX_SILENT_TIMEOUTS {
            let due = self.connection.as_ref().and_then(Connection::deadline).map(nanos);
            let Some(due) = due.filter(|&due| due < until || (inclusive && due == until)) else { break };
            self.now = self.now.max(due);
            let now = time(self.now);
            if let Some(connection) = &mut self.connection {
                connection.on_timeout(now);
            }
            self.collect_sent_segments();
            if stop && !self.sent.is_empty() {
                return;
            }
        }
        self.now = self.now.max(until);
    }

    /// Returns the connection; an error if none exists.
    fn require_connection(&mut self) -> Result<&mut Connection, StackError> {
        self.connection.as_mut().ok_or_else(no_connection_error)
    }

    fn accept_connection(&mut self, syn: &Segment) -> Result<(), StackError> {
        let Some(options) = self.sockets.listener_options() else {
            return Err(StackError::unmodelled("a SYN to a socket that does not listen"));
        };
        if self.connection.is_some() {
            return Err(StackError::unmodelled("a SYN during a connection"));
        }
        let connection = Connection::accept(&self.settings, options, syn, time(self.now))?;
        self.connection = Some(connection);
        Ok(())
    }

    /// Opens a connection as the application of `socket`.
    fn connect(&mut self, socket: i64) -> Result<(), StackError> {
        if self.connection.is_some() {
            return Err(StackError::unmodelled("a second connection"));
        }
        let options = self.sockets.options(socket);
        self.connection = Some(Connection::connect(&self.settings, options, time(self.now))?);
        self.collect_sent_segments();
        Ok(())
    }
}

impl Stack for AirhopStack {
    fn compared_fields(&self) -> ComparedFields {
        // The receiver's memory is not modelled.
        ComparedFields { window: false, syn_options: false }
    }

    fn now(&self) -> i64 {
        self.now
    }

    fn wait_until(&mut self, at: i64) -> Result<(), StackError> {
        while self.blocked.front().is_some_and(|(end, _)| *end < at) {
            let Some((end, call)) = self.blocked.pop_front() else { break };
            self.run_timers(end, false, false);
            self.returned += usize::from(sockets::execute_call(self, &call)?);
        }
        self.run_timers(at, false, false);
        Ok(())
    }

    fn deliver(&mut self, segment: &Segment) -> Result<(), StackError> {
        if segment.flags.rst {
            return Err(StackError::unmodelled(format!("an inbound segment with {}", segment.flags)));
        }
        if segment.flags.urg || segment.flags.accurate_ecn {
            return Err(StackError::unmodelled("urgent data, or AccECN"));
        }
        let now = time(self.now);
        if segment.flags.syn && !segment.flags.ack {
            self.accept_connection(segment)?;
        } else {
            let options = self.sockets.connected_options();
            let connection = self.connection.as_mut().ok_or_else(no_connection_error)?;
            if connection.awaits_syn_ack() && segment.flags.syn {
                connection.negotiate(&self.settings, &options, segment)?;
            }
            connection.on_segment(segment, now)?;
        }
        self.collect_sent_segments();
        Ok(())
    }

    fn next_sent(&mut self, by: i64) -> Result<Option<SentSegment>, StackError> {
        if self.sent.is_empty() {
            let before = self.now;
            self.run_timers(by, true, true);
            if self.sent.is_empty() {
                self.now = before;
            }
        }
        match &self.connection {
            Some(connection) if connection.exceeds_window() => {
                Err(StackError::unmodelled("a window that shrinks"))
            }
            _ => Ok(self.sent.pop_front()),
        }
    }

    fn call(&mut self, call: &Call) -> Result<bool, StackError> {
        match call.blocking_ns {
            Some(by) if call.is_read() => {
                let returning = Call { blocking_ns: None, ..call.clone() };
                self.blocked.push_back((self.now.saturating_add(by), returning));
                Ok(false)
            }
            _ => sockets::execute_call(self, call),
        }
    }

    fn finish(&mut self) -> Result<usize, StackError> {
        let last = self.blocked.back().map_or(self.now, |(end, _)| *end);
        self.wait_until(last + 1)?;
        Ok(self.returned)
    }

    fn run_command(&mut self, text: &str) -> Result<(), StackError> {
        self.settings.apply_command(text, &self.folder).map_err(StackError::NotApplicable)
    }

    fn tcp_info_value(&self, name: &str) -> Option<f64> {
        let connection = self.connection.as_ref()?;
        info::tcp_info_value(connection, name, time(self.now))
    }
}

fn no_connection_error() -> StackError {
    StackError::unmodelled("a segment or a call outside of a connection")
}

/// Converts a time of the script into a time of the simulation.
fn time(nanos: i64) -> Time {
    Time::from_nanos(EPOCH_NS.saturating_add_signed(nanos))
}

/// Converts a time of the simulation into a time of the script.
fn nanos(time: Time) -> i64 {
    i64::try_from(time.nanos()).unwrap_or(i64::MAX) - EPOCH_NS as i64
}
