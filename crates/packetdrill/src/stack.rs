//! `Stack` is a TCP implementation under test.

use crate::script::{Call, Segment};

/// A segment that the stack sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// Time, in nanoseconds since the beginning of the script.
    pub at: i64,
    /// The segment; its numbers count from the SYNs.
    pub segment: Segment,
}

/// Reason for which a stack refuses an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Reason why the stack has no model of it.
    NotApplicable(String),
    /// The result is another one than the script expects.
    Differs {
        /// By the script.
        expected: String,
        /// By the stack.
        seen: String,
    },
}

impl Refusal {
    /// Creates a refusal of a feature that the stack does not model.
    pub(crate) fn unmodelled(reason: impl Into<String>) -> Self {
        Refusal::NotApplicable(reason.into())
    }
}

/// The fields of a segment that a stack has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The window field.
    pub window: bool,
    /// MSS, window scale and SACK-permitted of SYNs.
    pub syn_options: bool,
}

/// A TCP under test. Times are nanoseconds since the beginning of the script.
pub trait Stack {
    /// Returns the fields of a segment that are compared.
    fn compared(&self) -> Compared;

    /// Returns the additional tolerance of a segment's time, as the stack's timers have ticks; nanoseconds.
    fn tick(&self) -> i64 {
        0
    }

    /// Returns the time now.
    fn now(&self) -> i64;

    /// Waits until `at`; segments sent meanwhile are kept.
    ///
    /// # Errors
    /// The stack failed.
    fn wait_until(&mut self, at: i64) -> Result<(), Refusal>;

    /// Delivers a segment of the peer.
    ///
    /// # Errors
    /// The segment asks for something that is not modelled.
    fn deliver(&mut self, segment: &Segment) -> Result<(), Refusal>;

    /// Returns the next segment that the stack sends, `by` that time at the latest.
    ///
    /// # Errors
    /// The stack failed.
    fn next_sent(&mut self, by: i64) -> Result<Option<Sent>, Refusal>;

    /// Makes a system call of the application. Returns whether the result was compared.
    ///
    /// # Errors
    /// The call is not modelled, or its result is another one.
    fn call(&mut self, call: &Call) -> Result<bool, Refusal>;

    /// Applies a shell command.
    ///
    /// # Errors
    /// It asks for something that is not modelled, or fails.
    fn command(&mut self, text: &str) -> Result<(), Refusal>;

    /// Returns a member of `tcp_info` (`tcpi_snd_cwnd`) or a constant; `None`: the stack has no such number.
    fn info(&self, name: &str) -> Option<f64>;

    /// Refreshes the numbers of `tcp_info`.
    ///
    /// # Errors
    /// The stack failed.
    fn refresh(&mut self) -> Result<(), Refusal> {
        Ok(())
    }

    /// Ends the script. Returns the number of results of calls that were compared since they began to block.
    ///
    /// # Errors
    /// A call that blocked returned another result.
    fn finish(&mut self) -> Result<usize, Refusal> {
        Ok(0)
    }
}
