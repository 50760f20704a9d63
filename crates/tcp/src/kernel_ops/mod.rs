//! Congestion controls written for Linux: `struct tcp_congestion_ops` over the sender of preset linux.
//!
//! [`TcpCongestionOps`] is the kernel's interface, with its callbacks and units; [`Sock`] is the view of a connection
//! for such a control. [`KernelControl`] adapts it to the seam [`CongestionControl`](crate::seams::CongestionControl).

mod control;
mod cubictcp;
mod flags;
mod ops;
mod sock;

pub use control::KernelControl;
pub use cubictcp::{CubicTcp, Moment};
pub use ops::{AckSample, CaEvent, CallbackError, Callbacks, RateSample, TcpCongestionOps};
pub use sock::{CaState, INFINITE_SSTHRESH, Identity, Sock};

use crate::notices::IgnoreNotices;
use crate::recovery::Rack;
use crate::seams::Parts;
use crate::{Config, Echo, Preset, ReceiverFeatures, Scheme};

/// Makes the control of one connection.
pub type Make = dyn Fn() -> Box<dyn TcpCongestionOps> + Send + Sync;

/// Returns a scheme for [`add`](crate::add) whose control has the callbacks `has`: RACK-TLP repairs (RFC 8985), and PRR moves the flight during
/// recovery (RFC 9937) unless the control does so itself. One that needs ECN (`TCP_CONG_NEEDS_ECN`) is DCTCP or of its kind: both ends take
/// part in ECN, whatever is configured, the receiver echoes each byte (RFC 8257 §3.2), and queues mark at a step. `services`: what the network
/// does for its flows, unless they say it themselves.
pub fn kernel_scheme(
    name: &'static str,
    title: &'static str,
    has: Callbacks,
    needs_ecn: bool,
    services: &[&'static str],
    make: Box<Make>,
) -> Scheme {
    let marking: &[&str] = if needs_ecn { &["step-marking"] } else { &[] };
    let steers = has.contains(Callbacks::CONG_CONTROL);
    Scheme {
        name,
        title,
        family: "Linux",
        preset: Some(Preset::Linux),
        about: "",
        helps: "",
        cite: "",
        needs: Vec::leak([marking, services].concat()),
        params: &[],
        verified: &[],
        reconstructed: &[],
        features: ReceiverFeatures {
            delivery_rate: true,
            paces: steers,
            linux: true,
            echo: if needs_ecn { Echo::EachByte } else { Echo::AsConfigured },
            ..ReceiverFeatures::SACK
        },
        build: Box::leak(Box::new(move |_: &crate::Params, c: &Config| {
            let ops = make();
            Parts {
                notices: ops.listener().unwrap_or_else(|| Box::new(IgnoreNotices)),
                control: Box::new(KernelControl::new(name, ops, &Config { ecn: c.ecn || needs_ecn, ..*c })),
                recovery: Box::new(Rack::new(&Config { prr: c.prr && !steers, ..*c })),
            }
        })),
    }
}
