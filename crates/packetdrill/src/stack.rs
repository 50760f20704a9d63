//! `Stack` is a TCP implementation under test.

use crate::script::{Call, Segment};

/// A segment that the stack sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// When, in nanoseconds since the beginning of the script.
    pub at: i64,
    /// The segment; its numbers count from the SYNs.
    pub segment: Segment,
}

/// Why a stack does not do as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The stack has no model of it; the reason.
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
    /// The stack has no model of it.
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
    /// The fields of a segment that are compared.
    fn compared(&self) -> Compared;

    /// How much later than the script's tolerance a segment may be, as the stack's timers have ticks; nanoseconds.
    fn tick(&self) -> i64 {
        0
    }

    /// The time now.
    fn now(&self) -> i64;

    /// Waits until `at`; segments sent meanwhile are kept.
    ///
    /// # Errors
    /// The stack failed.
    fn wait_until(&mut self, at: i64) -> Result<(), Refusal>;

    /// A segment of the peer arrives.
    ///
    /// # Errors
    /// The segment asks for something that is not modelled.
    fn deliver(&mut self, segment: &Segment) -> Result<(), Refusal>;

    /// The next segment that the stack sends, `by` that time at the latest.
    ///
    /// # Errors
    /// The stack failed.
    fn next_sent(&mut self, by: i64) -> Result<Option<Sent>, Refusal>;

    /// The application calls the system. Returns whether the result was compared.
    ///
    /// # Errors
    /// The call is not modelled, or its result is another one.
    fn call(&mut self, call: &Call) -> Result<bool, Refusal>;

    /// A shell command sets something.
    ///
    /// # Errors
    /// It asks for something that is not modelled, or fails.
    fn command(&mut self, text: &str) -> Result<(), Refusal>;

    /// A member of `tcp_info` (`tcpi_snd_cwnd`) or a constant; `None`: the stack has no such number.
    fn info(&self, name: &str) -> Option<f64>;

    /// The numbers of `tcp_info` are about to be asked for.
    ///
    /// # Errors
    /// The stack failed.
    fn refresh(&mut self) -> Result<(), Refusal> {
        Ok(())
    }

    /// The script is over. Returns how many results of calls were compared since they began to block.
    ///
    /// # Errors
    /// A call that blocked returned another result.
    fn finish(&mut self) -> Result<usize, Refusal> {
        Ok(0)
    }
}
