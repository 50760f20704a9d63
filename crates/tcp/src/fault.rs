//! Failures of policies written by users.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Failure of a policy: its code, which is not part of Airhop, raised an error or returned an invalid value.
///
/// The seams return no errors, because Airhop's own policies do not fail. A failing policy leaves the
/// simulation by unwinding; callers run simulations with such policies inside [`Fault::catch`].
#[derive(Debug)]
pub struct Fault {
    /// The scheme.
    pub scheme: String,
    /// Name of the called method.
    pub method: &'static str,
    /// The error.
    pub cause: Box<dyn Error + Send + Sync>,
}

impl Fault {
    /// Unwinds out of the simulation without calling the panic hook, as the failure is not a defect of
    /// Airhop.
    pub fn raise(self) -> ! {
        resume_unwind(Box::new(self))
    }

    /// Runs `work` and catches a fault. A panic continues to unwind.
    ///
    /// # Errors
    ///
    /// The fault. The values that `work` was changing must not be used afterwards.
    pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Fault> {
        catch_unwind(AssertUnwindSafe(work)).map_err(|panic| match panic.downcast::<Fault>() {
            Ok(fault) => *fault,
            Err(panic) => resume_unwind(panic),
        })
    }
}
