//! Congestion controls written for Linux: the interface `struct tcp_congestion_ops` for a sender with the
//! preset linux.
//!
//! [`TcpCongestionOps`] is the kernel's interface with its callbacks and units. [`Sock`] contains the
//! connection fields that a congestion control may read and write. [`KernelControl`] adapts the interface to
//! the policy trait [`CongestionControl`](crate::seams::CongestionControl).

mod control;
mod cubictcp;
mod flags;
mod ops;
mod samples;
mod sock;

pub use control::KernelControl;
pub use cubictcp::{CubicTcp, SockSnapshot};
pub use ops::{CaEvent, CallbackError, Callbacks, TcpCongestionOps};
pub use samples::{AckSample, RateSample};
pub use sock::{CaState, ConnectionIdentity, INFINITE_SSTHRESH, Sock};

use crate::notices::IgnoreNotices;
use crate::recovery::RackRecovery;
use crate::seams::SenderPolicies;
use crate::{Config, EchoMode, Preset, ReceiverFeatures, Scheme};

/// Constructor of the congestion control of one connection.
pub type OpsConstructor = dyn Fn() -> Box<dyn TcpCongestionOps> + Send + Sync;

/// Returns a scheme for [`add_scheme`](crate::add_scheme) with a Linux congestion control that has the callbacks `has`.
/// `services` are the default network services for flows of the scheme.
///
/// Loss recovery is RACK-TLP (RFC 8985). PRR limits the flight during recovery (RFC 9937), unless the
/// congestion control sets the window itself. With `needs_ecn` (`TCP_CONG_NEEDS_ECN`), the scheme runs like
/// DCTCP: both endpoints use ECN in any configuration, the receiver echoes marks byte by byte (RFC 8257
/// §3.2), and queues mark above a step threshold.
pub fn kernel_scheme(
    name: &'static str,
    title: &'static str,
    has: Callbacks,
    needs_ecn: bool,
    services: &[&'static str],
    make: Box<OpsConstructor>,
) -> Scheme {
    let marking: &[&str] = if needs_ecn { &["step-marking"] } else { &[] };
    let steers = has.contains(Callbacks::CONG_CONTROL);
    Scheme {
        name,
        title,
        family: "Linux",
        preset: Some(Preset::Linux),
        about: "",
        applicability: "",
        citation: "",
        network_requirements: Vec::leak([marking, services].concat()),
        params: &[],
        verified_rules: &[],
        reconstructed_rules: &[],
        features: ReceiverFeatures {
            delivery_rate: true,
            paces: steers,
            needs_linux_state: true,
            echo_mode: if needs_ecn { EchoMode::EachByte } else { EchoMode::AsConfigured },
            ..ReceiverFeatures::SACK
        },
        build: Box::leak(Box::new(move |_: &crate::Params, c: &Config| {
            let ops = make();
            SenderPolicies {
                notices: ops.notice_policy().unwrap_or_else(|| Box::new(IgnoreNotices)),
                control: Box::new(KernelControl::new(name, ops, &Config { ecn: c.ecn || needs_ecn, ..*c })),
                recovery: Box::new(RackRecovery::new(&Config { prr: c.prr && !steers, ..*c })),
            }
        })),
    }
}
