//! Parameters of a connection, from the settings of a script and the options of both SYNs.

use super::sockets::SocketOptions;
use crate::script::{Segment, TcpOption};
use crate::settings::{OperatingSystem, Settings};
use crate::stack::StackError;
use airhop_base::Span;
use airhop_tcp::{Config, DelayedAck, IdleRestartWindow, LossDetection, Preset, Scheme, find_scheme};

/// Length in bytes of the timestamps option in each segment (RFC 7323 appendix A).
const TIMESTAMP_BYTES: u32 = 12;
/// MSS of an interface with an MTU of 1500 bytes (RFC 9293 §3.7.1).
const OWN_MSS: u32 = 1460;
/// MSS of a peer that announces none (RFC 9293 §3.7.1).
const DEFAULT_MSS: u32 = 536;
/// Maximum number of SACK blocks in an ACK without timestamps (RFC 2018 §3).
const MAX_SACK_BLOCKS: u8 = 4;

/// Options agreed by the SYNs of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NegotiatedOptions {
    /// MSS of the peer in bytes.
    pub(super) mss: u32,
    pub(super) timestamps: bool,
    pub(super) sack: bool,
    /// Window scale of the peer.
    pub(super) window_scale: u8,
    pub(super) ecn: bool,
}

impl NegotiatedOptions {
    /// Returns the options that this side offers, before the peer's SYN.
    pub(super) fn from_settings(settings: &Settings) -> Self {
        NegotiatedOptions {
            mss: OWN_MSS,
            timestamps: settings.is_on("tcp_timestamps"),
            sack: settings.is_on("tcp_sack"),
            window_scale: 0,
            ecn: settings.number("tcp_ecn") == Some(1),
        }
    }

    /// Returns the options agreed with the peer's SYN or SYN-ACK.
    pub(super) fn from_syn(settings: &Settings, syn: &Segment) -> Self {
        let offer = NegotiatedOptions::from_settings(settings);
        let scale = syn.window_scale().filter(|_| settings.is_on("tcp_window_scaling"));
        // RFC 3168 §6.1.1: a SYN requests ECN by ECE and CWR, and a SYN-ACK agrees by ECE alone.
        let asks = syn.flags.ece && (syn.flags.cwr || syn.flags.ack);
        let may = if syn.flags.ack { offer.ecn } else { settings.number("tcp_ecn") != Some(0) };
        NegotiatedOptions {
            mss: syn.mss().map_or(DEFAULT_MSS, u32::from).min(OWN_MSS),
            timestamps: offer.timestamps && syn.timestamps().is_some(),
            sack: offer.sack && syn.permits_sack(),
            window_scale: scale.unwrap_or(0).min(14), // RFC 7323 §2.3
            ecn: asks && may,
        }
    }
}

/// Computes the scheme and the parameters of a connection.
pub(super) fn scheme_and_config(
    settings: &Settings,
    options: &SocketOptions,
    agreed: &NegotiatedOptions,
) -> Result<(&'static Scheme, Config), StackError> {
    let largest = options.max_segment_bytes.unwrap_or(agreed.mss).min(agreed.mss);
    let mss = largest.saturating_sub(if agreed.timestamps { TIMESTAMP_BYTES } else { 0 }).max(1);
    let linux = Preset::Linux.config(mss);
    let preset = settings.variant.map_or(Preset::Linux, |variant| variant.preset);
    let mut config = Config { handshake: true, initial_window: linux.initial_window, ..preset.config(mss) };
    config.timestamps = agreed.timestamps;
    config.nagle = !options.no_delay;
    config.pacing = settings.fair_queue || options.is_paced;
    // The peer's segment announces its initial window.
    config.receive_window = 0;
    config.ecn = agreed.ecn;
    config.dsack = settings.is_on("tcp_dsack");
    config.frto &= settings.is_on("tcp_frto");
    config.tlp &= settings.is_on("tcp_early_retrans");
    if settings.number("tcp_recovery").is_some_and(|bits| bits & 1 == 0) {
        config.loss_detection = LossDetection::Rfc6675;
    }
    if let Some(dupthresh) = settings.number("tcp_reordering") {
        config.dupthresh = dupthresh;
    }
    if !settings.is_on("tcp_slow_start_after_idle") {
        config.idle_restart_window = IdleRestartWindow::Keep;
    }
    if let Some(timeouts) = settings.number("tcp_syn_linear_timeouts") {
        config.linear_syn_timeouts = timeouts;
    }
    if let Some(least) = settings.number("tcp_rto_min_us") {
        config.rto.min = Span::from_micros(least.into());
    }
    if let Some(window) = settings.initial_window {
        config.initial_window = f64::from(window);
    }
    if let Some((detection, recovery)) = settings.variant.and_then(|variant| variant.recovery) {
        (config.loss_detection, config.sack_recovery) = (detection, recovery);
    }
    if !agreed.sack {
        config.sack_blocks = 0;
        config.loss_detection = LossDetection::Duplicates;
        config.tlp = false;
    }
    Ok((scheme(settings, options, agreed)?, config))
}

/// Returns the configuration of the receiver. The receive window never limits the peer, because the socket's
/// memory is not modelled.
pub(super) fn receiver_config(settings: &Settings, config: &Config, agreed: &NegotiatedOptions) -> Config {
    let mut config = Config {
        receive_window: 1 << 30,
        mss: agreed.mss,
        sack_blocks: if agreed.sack { MAX_SACK_BLOCKS } else { 0 },
        ..*config
    };
    if settings.operating_system == OperatingSystem::FreeBsd {
        config.quick_acks = 0;
        config.push = false;
        config.delayed_ack = Some(DelayedAck { segments: 2, timeout: Span::from_millis(40) });
    }
    config
}

fn scheme(
    settings: &Settings,
    options: &SocketOptions,
    agreed: &NegotiatedOptions,
) -> Result<&'static Scheme, StackError> {
    if let Some(variant) = settings.variant {
        return Ok(variant.scheme);
    }
    let chosen = options.congestion_control.as_deref().or_else(|| settings.word("tcp_congestion_control"));
    let name = match chosen.unwrap_or("cubic") {
        "reno" => "newreno",
        "cubic" if !agreed.sack => "newreno",
        name => name,
    };
    let unknown = || StackError::unmodelled(format!("congestion control {name}"));
    find_scheme(name).ok_or_else(unknown)
}

/// Returns an error for Fast Open (RFC 7413), which is not modelled.
pub(super) fn refuse_fast_open(syn: &Segment) -> Result<(), StackError> {
    let is_fast = |option: &TcpOption| matches!(option, TcpOption::Other(text) if text.starts_with("FO"));
    if syn.payload_bytes > 0 || syn.specified_options().any(is_fast) {
        return Err(StackError::unmodelled("TCP Fast Open"));
    }
    Ok(())
}
