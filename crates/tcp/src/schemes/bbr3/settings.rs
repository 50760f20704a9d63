use super::super::{Param, Params};
use airhop_base::Span;

/// Constants that differ between versions of the draft and its implementations. A sweep may vary them.
#[derive(Clone, Copy, Debug)]
pub struct Bbr3Settings {
    /// BBR.LossThresh.
    pub loss_thresh: f64,
    /// BBR.Beta.
    pub beta: f64,
    /// BBR.Headroom.
    pub headroom: f64,
    /// BBR.DrainPacingGain.
    pub drain_gain: f64,
    /// Pacing gain of ProbeBW_DOWN.
    pub down_gain: f64,
    /// Window gain of ProbeBW_UP.
    pub up_cwnd_gain: f64,
    /// BBRStartupFullLossCnt.
    pub startup_losses: u32,
    /// Minimum of BBR.bw_probe_wait.
    pub probe_wait: Span,
    /// BBR.ProbeRTTInterval.
    pub probe_rtt_interval: Span,
}

/// Parameters of the scheme. Section numbers refer to draft-ietf-ccwg-bbr-06.
pub const PARAMS: &[Param] = &[
    Param::with_range("loss_thresh", 0.02, (0.0, 0.9), "largest share of a flight that may be lost in a probe (LossThresh, §2.8)"),
    Param::with_range("beta", 0.7, (0.1, 1.0), "smallest share of a bound after a round trip with losses (Beta, §2.8)"),
    Param::with_range("headroom", 0.15, (0.0, 0.9), "share of inflight_longterm left to other flows (Headroom, §2.8)"),
    Param::with_range("drain_gain", 0.5, (0.05, 1.0), "pacing gain of Drain (§2.5; drafts before -05 and Linux' v3 have 0.35)"),
    Param::with_range("down_gain", 0.9, (0.05, 1.0), "pacing gain of ProbeBW_DOWN (§5.3.3.1; Linux' v3 has 0.91)"),
    Param::with_range("up_cwnd_gain", 2.25, (1.0, 10.0), "cwnd gain of ProbeBW_UP (§5.6.1; 2 in BBR v2)"),
    Param::with_range(
        "startup_losses",
        6.0,
        (1.0, 1e9),
        "separate lost ranges in a round trip that end Startup, if the share loss_thresh of the flight is lost as well (§5.3.1.3)",
    ),
    Param::with_range("probe_wait", 2.0, (0.0, 1000.0), "shortest time between bandwidth probes, s; a random time of up to 1 s is added (§5.3.3.8.3)"),
    Param::with_range("probe_rtt_interval", 5.0, (0.1, 1000.0), "time between ProbeRTT states, s (ProbeRTTInterval, §2.16.2)"),
];

impl Bbr3Settings {
    /// Reads the settings from the scheme's parameters.
    pub fn new(p: &Params) -> Self {
        Bbr3Settings {
            loss_thresh: p.get("loss_thresh"),
            beta: p.get("beta"),
            headroom: p.get("headroom"),
            drain_gain: p.get("drain_gain"),
            down_gain: p.get("down_gain"),
            up_cwnd_gain: p.get("up_cwnd_gain"),
            startup_losses: p.get("startup_losses") as u32,
            probe_wait: Span::from_secs_f64(p.get("probe_wait")),
            probe_rtt_interval: Span::from_secs_f64(p.get("probe_rtt_interval")),
        }
    }
}
