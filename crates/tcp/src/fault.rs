//! Failures of user-written policies.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Failure of a user-written policy: the code raised an error or returned an invalid value.
///
/// Methods of policies return no errors, because Airhop's own policies do not fail. A failing policy unwinds
/// out of the simulation. Callers run simulations with user-written policies inside [`PolicyFault::catch`].
#[derive(Debug)]
pub struct PolicyFault {
    /// Name of the scheme.
    pub scheme: String,
    /// Name of the called method.
    pub method: &'static str,
    /// Error that the policy raised.
    pub cause: Box<dyn Error + Send + Sync>,
}

impl PolicyFault {
    /// Unwinds out of the simulation. The panic hook is not called, because the failure is not a defect of
    /// Airhop.
    pub fn raise(self) -> ! {
        resume_unwind(Box::new(self))
    }

    /// Runs `work` and catches a fault. Other panics continue to unwind.
    ///
    /// # Errors
    ///
    /// Returns the fault. Values that `work` was changing are inconsistent and must not be used afterwards.
    pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, PolicyFault> {
        catch_unwind(AssertUnwindSafe(work)).map_err(|panic| match panic.downcast::<PolicyFault>() {
            Ok(fault) => *fault,
            Err(panic) => resume_unwind(panic),
        })
    }
}
