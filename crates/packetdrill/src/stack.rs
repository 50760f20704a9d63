//! `Stack`: TCP implementation under test.

use crate::script::{Call, Segment};

/// A segment that the stack sent.
#[derive(Clone, Debug, PartialEq)]
pub struct SentSegment {
    /// Time since the beginning of the script, nanoseconds.
    pub time_ns: i64,
    /// The segment, with numbers relative to the SYNs.
    pub segment: Segment,
}

/// Reason why a stack rejects an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StackError {
    /// The stack does not model the action, for this reason.
    NotApplicable(String),
    /// The result differs from the script's expectation.
    Differs {
        /// Expectation of the script.
        expected: String,
        /// Behaviour of the stack.
        seen: String,
    },
}

impl StackError {
    /// Creates an error for a feature that the stack does not model.
    pub(crate) fn unmodelled(reason: impl Into<String>) -> Self {
        StackError::NotApplicable(reason.into())
    }
}

/// Fields that are compared in the segments of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComparedFields {
    /// True if the window field is compared.
    pub window: bool,
    /// True if MSS, window scale and SACK-permitted are compared in SYNs.
    pub syn_options: bool,
}

/// TCP implementation under test. All times are nanoseconds since the start of the script.
pub trait Stack {
    /// Returns the fields of a segment that are compared.
    fn compared_fields(&self) -> ComparedFields;

    /// Returns the additional tolerance for a segment's time, nanoseconds, for timers with ticks.
    fn timer_tolerance_ns(&self) -> i64 {
        0
    }

    /// Returns the current time.
    fn now(&self) -> i64;

    /// Waits until `at`, and stores the segments that the stack sends.
    ///
    /// # Errors
    ///
    /// Returns an error if the stack failed.
    fn wait_until(&mut self, at: i64) -> Result<(), StackError>;

    /// Delivers a segment of the peer.
    ///
    /// # Errors
    ///
    /// Returns an error if the segment needs a feature that is not modelled.
    fn deliver(&mut self, segment: &Segment) -> Result<(), StackError>;

    /// Returns the next segment that the stack sends; `None` if the stack sends none by `by`.
    ///
    /// # Errors
    ///
    /// Returns an error if the stack failed.
    fn next_sent(&mut self, by: i64) -> Result<Option<SentSegment>, StackError>;

    /// Makes a system call of the application. Returns true if the result was compared.
    ///
    /// # Errors
    ///
    /// Returns an error if the call is not modelled, or if its result differs.
    fn call(&mut self, call: &Call) -> Result<bool, StackError>;

    /// Applies a shell command.
    ///
    /// # Errors
    ///
    /// Returns an error if the command fails or needs a feature that is not modelled.
    fn run_command(&mut self, text: &str) -> Result<(), StackError>;

    /// Returns a `tcp_info` member such as `tcpi_snd_cwnd`, or a constant; `None` if the stack has no such
    /// value.
    fn tcp_info_value(&self, name: &str) -> Option<f64>;

    /// Updates the values of `tcp_info`.
    ///
    /// # Errors
    ///
    /// Returns an error if the stack failed.
    fn refresh_tcp_info(&mut self) -> Result<(), StackError> {
        Ok(())
    }

    /// Ends the script. Returns the number of blocked calls with a compared result.
    ///
    /// # Errors
    ///
    /// Returns an error if the result of a blocked call differs.
    fn finish(&mut self) -> Result<usize, StackError> {
        Ok(0)
    }
}
