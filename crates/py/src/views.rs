//! Arguments of the methods of a scheme written in Python.
//!
//! Every flow has one object of each kind. The object is updated before each call. Python code can also
//! create such objects, to test a scheme without a simulation.

use airhop_base::{Span, Time};
use airhop_tcp::SenderState;
use airhop_tcp::estimators::RateSample;
use airhop_tcp::seams::{self, CongestionSignal, RepairKind};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Largest window that a scheme or a scenario file may set, in segments. A window may still grow beyond this
/// value.
const MANY: f64 = 1e6;

/// Congestion window in segments, as in the papers. A scheme may change the window.
#[pyclass(module = "airhop._core")]
#[derive(Default)]
pub struct Window {
    cwnd: f64,
    ssthresh: f64,
    most: f64,
}

impl Window {
    /// Copies the window `w` of a sender with the state `s`.
    pub(crate) fn copy_from(&mut self, w: &seams::Window, s: &SenderState) {
        // Slow start adds a segment per ACK, and appropriate byte counting at most two segments (RFC 3465
        // §2.2).
        *self = Window { cwnd: w.cwnd, ssthresh: w.ssthresh, most: MANY.max(2.0 * segments(s.una, s)) };
    }

    /// Returns the window as the scheme has left it.
    pub(crate) fn get(&self) -> seams::Window {
        seams::Window { cwnd: self.cwnd, ssthresh: self.ssthresh }
    }
}

/// Checks a window that a scheme has set, in segments. The minimum is the loss window of one segment (RFC
/// 5681 §3.1). A smaller window would stop the sender forever.
fn checked(name: &str, segments: f64) -> PyResult<f64> {
    match segments >= 0.0 {
        true => Ok(segments.max(1.0)),
        false => Err(PyValueError::new_err(format!("{name} = {segments}: expected segments, 0 or more"))),
    }
}

#[pymethods]
impl Window {
    #[new]
    #[pyo3(signature = (cwnd, ssthresh = f64::INFINITY))]
    fn new(cwnd: f64, ssthresh: f64) -> PyResult<Self> {
        let mut window = Window { cwnd: 1.0, ssthresh: 1.0, most: MANY };
        window.set_cwnd(cwnd)?;
        window.set_ssthresh(ssthresh)?;
        Ok(window)
    }

    /// Congestion window in segments. A value below one is set to one.
    #[getter]
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    #[setter]
    fn set_cwnd(&mut self, segments: f64) -> PyResult<()> {
        let cwnd = checked("cwnd", segments)?;
        if cwnd > self.most {
            return Err(PyValueError::new_err(format!(
                "cwnd = {segments:e}: expected at most {} segments, a million or two for each that was acknowledged",
                self.most
            )));
        }
        self.cwnd = cwnd;
        Ok(())
    }

    /// Slow-start threshold in segments; infinity if there is no threshold. A value below one is set to one.
    #[getter]
    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    #[setter]
    fn set_ssthresh(&mut self, segments: f64) -> PyResult<()> {
        self.ssthresh = checked("ssthresh", segments)?;
        Ok(())
    }

    /// True while the congestion window is below the threshold (RFC 5681 §3.1).
    #[getter]
    fn in_slow_start(&self) -> bool {
        self.get().in_slow_start()
    }

    fn __repr__(&self) -> String {
        format!("Window(cwnd={}, ssthresh={})", self.cwnd, self.ssthresh)
    }
}

/// ACK of new data, outside loss recovery.
#[pyclass(module = "airhop._core", get_all)]
#[derive(Default)]
pub struct Ack {
    /// Arrival time of the ACK, simulated seconds.
    now: f64,
    /// Newly acknowledged bytes.
    acked: u64,
    /// Round-trip sample, seconds; None if Karn's rule excludes it.
    rtt: Option<f64>,
}

impl Ack {
    pub(crate) fn copy_from(&mut self, a: &seams::Ack) {
        *self = Ack { now: a.now.secs_f64(), acked: a.acked_bytes, rtt: a.timer_rtt.map(Span::secs_f64) };
    }
}

#[pymethods]
impl Ack {
    #[new]
    #[pyo3(signature = (now, acked, rtt = None))]
    fn new(now: f64, acked: u64, rtt: Option<f64>) -> Self {
        Ack { now, acked, rtt }
    }

    fn __repr__(&self) -> String {
        format!("Ack(now={}, acked={}, rtt={})", self.now, self.acked, or_none(self.rtt))
    }
}

/// Loss that counts as congestion.
#[pyclass(module = "airhop._core", get_all)]
#[derive(Default)]
pub struct Loss {
    /// Time of detection, simulated seconds.
    now: f64,
    /// Signal by which the loss was detected: "duplicates", "timeout" or "echo". Duplicates are duplicate
    /// ACKs, or SACK blocks above a hole. An echo is no loss but the echo of an ECN mark (RFC 3168).
    signal: &'static str,
    /// Half of the flight size or of the window in segments, depending on the scenario. The minimum is 2 (RFC
    /// 5681 §3.1 (4)).
    half: f64,
    /// Window after the reduction in segments. Equals `half`, except with ns-2's rules: there the minimum of
    /// 2 applies only to ssthresh.
    window: f64,
}

const DUPLICATES: &str = "duplicates";
const TIMEOUT: &str = "timeout";
const ECHO: &str = "echo";

impl Loss {
    pub(crate) fn copy_from(&mut self, l: &seams::Loss) {
        let signal = match l.signal {
            CongestionSignal::Duplicates => DUPLICATES,
            CongestionSignal::Timeout => TIMEOUT,
            CongestionSignal::Echo => ECHO,
        };
        *self = Loss { now: l.now.secs_f64(), signal, half: l.halved_base, window: l.halved_cwnd };
    }
}

#[pymethods]
impl Loss {
    #[new]
    #[pyo3(signature = (now, signal, half, window = None))]
    fn new(now: f64, signal: &str, half: f64, window: Option<f64>) -> PyResult<Self> {
        let Some(signal) = [DUPLICATES, TIMEOUT, ECHO].into_iter().find(|known| *known == signal) else {
            let what = format!("signal = {signal:?}: expected {DUPLICATES:?}, {TIMEOUT:?} or {ECHO:?}");
            return Err(PyValueError::new_err(what));
        };
        Ok(Loss { now, signal, half, window: window.unwrap_or(half) })
    }

    fn __repr__(&self) -> String {
        let Loss { now, signal, half, window } = self;
        format!("Loss(now={now}, signal={signal:?}, half={half}, window={window})")
    }
}

/// Delivery report of an ACK of new data or of a duplicate ACK, also during loss recovery.
#[pyclass(module = "airhop._core", get_all)]
#[derive(Default)]
pub struct Delivery {
    /// Arrival time of the ACK, simulated seconds.
    now: f64,
    /// Bytes that this ACK reports as arrived for the first time, cumulatively or by SACK.
    delivered: u64,
    /// Total number of bytes reported as arrived so far.
    total: u64,
    /// Delivery rate, bytes per second (draft-cheng-iccrg-delivery-rate-estimation); None if the sample is
    /// not valid.
    rate: Option<f64>,
    /// Value of `total` when the sampled segment was sent; None without a sample. A round trip has passed
    /// when `prior` exceeds the `total` at the start of the last round trip.
    prior: Option<u64>,
    /// True if the application limited the rate: the sender had less data than the path could carry.
    limited: bool,
    /// Round-trip time in seconds of the newest reported segment that was sent only once; None if no segment
    /// qualifies.
    rtt: Option<f64>,
    /// Bytes that this ACK newly marks as lost.
    lost: u64,
    /// Bytes in flight after the ACK, before further segments are sent.
    in_flight: u64,
    /// True during loss recovery.
    in_recovery: bool,
}

impl Delivery {
    pub(crate) fn copy_from(&mut self, d: &seams::Delivery) {
        let sample = d.arrivals.rate.as_ref();
        *self = Delivery {
            now: d.now.secs_f64(),
            delivered: d.arrivals.newly_delivered_bytes,
            total: d.arrivals.total_delivered_bytes,
            rate: sample.map(RateSample::bytes_per_second),
            prior: sample.map(|sample| sample.prior_delivered_bytes),
            limited: sample.is_some_and(|sample| sample.is_app_limited),
            rtt: d.arrivals.rtt.map(Span::secs_f64),
            lost: d.lost_bytes,
            in_flight: d.in_flight,
            in_recovery: d.repair_kind != RepairKind::Nothing,
        };
    }
}

#[pymethods]
impl Delivery {
    #[new]
    #[pyo3(signature = (now, delivered, total, rate = None, prior = None, *, limited = false, rtt = None, lost = 0, in_flight = 0, in_recovery = false))]
    #[allow(clippy::too_many_arguments)] // one for each attribute
    fn new(
        now: f64,
        delivered: u64,
        total: u64,
        rate: Option<f64>,
        prior: Option<u64>,
        limited: bool,
        rtt: Option<f64>,
        lost: u64,
        in_flight: u64,
        in_recovery: bool,
    ) -> Self {
        Delivery { now, delivered, total, rate, prior, limited, rtt, lost, in_flight, in_recovery }
    }

    fn __repr__(&self) -> String {
        let Delivery { now, delivered, total, .. } = self;
        format!("Delivery(now={now}, delivered={delivered}, total={total}, rate={})", or_none(self.rate))
    }
}

/// Notice about a missing segment or about a wireless link.
#[pyclass(module = "airhop._core", get_all)]
pub struct Notice {
    /// Arrival time of the notice, simulated seconds.
    now: f64,
    /// Kind of the notice: "eln", "ersn", "ebsn", "rttn" or "nak".
    kind: String,
    /// First byte of the segment that the notice concerns.
    start: u64,
    /// Byte after the end of this segment.
    end: u64,
    /// Expected additional delay of an RTTN in seconds; 0 in other notices.
    delay: f64,
}

impl Notice {
    pub(crate) fn of(now: Time, n: &airhop_base::Notice) -> Self {
        Notice {
            now: now.secs_f64(),
            kind: n.kind.name().to_string(),
            start: n.seq,
            end: n.end(),
            delay: n.additional_delay.secs_f64(),
        }
    }
}

#[pymethods]
impl Notice {
    #[new]
    #[pyo3(signature = (now, kind, start = 1, end = 1001, delay = 0.0))]
    fn new(now: f64, kind: String, start: u64, end: u64, delay: f64) -> Self {
        Notice { now, kind, start, end, delay }
    }

    fn __repr__(&self) -> String {
        format!("Notice(now={}, kind={:?}, start={}, end={})", self.now, self.kind, self.start, self.end)
    }
}

/// State of the sender of a flow.
#[pyclass(module = "airhop._core", get_all)]
#[derive(Default)]
pub struct Flow {
    /// Payload of a full segment, bytes.
    segment: u64,
    /// Bytes acknowledged so far.
    acked: u64,
    /// Sent but unacknowledged data in segments.
    flight: f64,
    /// Smoothed round-trip time, seconds; None before the first sample.
    srtt: Option<f64>,
}

impl Flow {
    pub(crate) fn copy_from(&mut self, s: &SenderState) {
        *self = Flow {
            segment: s.mss,
            acked: s.una.saturating_sub(1),
            flight: segments(s.nxt - s.una, s),
            srtt: s.srtt.map(Span::secs_f64),
        };
    }
}

#[pymethods]
impl Flow {
    #[new]
    #[pyo3(signature = (segment = 1000, acked = 0, flight = 0.0, srtt = None))]
    fn new(segment: u64, acked: u64, flight: f64, srtt: Option<f64>) -> Self {
        Flow { segment, acked, flight, srtt }
    }

    fn __repr__(&self) -> String {
        let Flow { segment, acked, flight, srtt } = self;
        format!("Flow(segment={segment}, acked={acked}, flight={flight}, srtt={})", or_none(*srtt))
    }
}

fn segments(bytes: u64, s: &SenderState) -> f64 {
    bytes as f64 / s.mss as f64
}

fn or_none(value: Option<f64>) -> String {
    value.map_or("None".to_string(), |x| x.to_string())
}
