//! Policies that cannot go on.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Failure of a policy: its code, which is not Airhop's, raised an error or asked for the impossible.
///
/// The seams have no room for errors, because the policies of Airhop make none. A policy that runs the code of others
/// leaves the simulation by unwinding; whoever runs one with such policies does it inside [`Fault::catch`].
#[derive(Debug)]
pub struct Fault {
    /// The scheme.
    pub scheme: String,
    /// The method that was called.
    pub method: &'static str,
    /// The error.
    pub cause: Box<dyn Error + Send + Sync>,
}

impl Fault {
    /// Unwinds out of the simulation, without a panic hook: a fault of the scheme is no defect of Airhop.
    pub fn raise(self) -> ! {
        resume_unwind(Box::new(self))
    }

    /// Runs `work` up to a fault. A panic continues.
    ///
    /// # Errors
    /// The fault. What `work` was changing is then in no state to go on with.
    pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Fault> {
        catch_unwind(AssertUnwindSafe(work)).map_err(|panic| match panic.downcast::<Fault>() {
            Ok(fault) => *fault,
            Err(panic) => resume_unwind(panic),
        })
    }
}
