use super::rfc::{CubicState, Epoch, alpha};
use super::*;
use crate::Preset;

const MSS: u64 = 1000;
/// alpha for a beta of 0.7: 0.9 / 1.7.
const ALPHA: f64 = 9.0 / 17.0;

fn state(srtt_ms: u64) -> SenderState {
    SenderState {
        srtt: Some(Span::from_millis(srtt_ms)),
        ..SenderState::new(&Preset::Rfc.config(MSS as u32))
    }
}

fn cubic(form: CubicVersion, beta: f64, fast_convergence: bool) -> Cubic {
    Cubic::new(form, CubicConstants { beta, c: 0.4, fast_convergence }, SlowStartMethod::Standard)
}

/// Returns an ACK of one segment.
fn ack(ms: u64) -> Ack<'static> {
    Ack::with_acked_bytes(Time::ZERO + Span::from_millis(ms), MSS)
}

/// Reports a loss while `cwnd` segments are in flight.
fn lose(control: &mut Cubic, cwnd: f64, signal: CongestionSignal) -> Window {
    let mut w = Window { cwnd, ssthresh: 2.0 };
    let loss = Loss {
        now: Time::ZERO,
        signal,
        halving_base: Some(cwnd),
        halved_base: cwnd / 2.0,
        halved_cwnd: cwnd / 2.0,
    };
    assert_eq!(control.on_loss(&mut w, &loss, &state(100)), LossClass::Congestion);
    w
}

fn memory(control: &Cubic) -> &CubicState {
    match &control.law {
        CubicVariant::Rfc(law) => &law.state,
        CubicVariant::Linux(_) => panic!("the law of the RFC"),
    }
}

fn is_close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a}, not {b}");
}

// RFC 9438 §4.2, equations 1 and 2: K = cbrt((100 - 50) / 0.4) = 5 s; W(t) = 0.4 (t - 5)^3 + 100.
#[test]
fn the_cubic_window_follows_equations_1_and_2() {
    let epoch = Epoch::new(Time::ZERO, 50.0, Some(100.0), 0.4);
    is_close(epoch.k, 5.0);
    for (t, segments) in [(0.0, 50.0), (1.0, 74.4), (3.0, 96.8), (5.0, 100.0), (7.0, 103.2), (10.0, 150.0)] {
        is_close(epoch.w_cubic(t, 0.4), segments);
    }
    // An epoch begins at its plateau if its window exceeds W_max, or if there is no W_max.
    for w_max in [None, Some(40.0)] {
        let epoch = Epoch::new(Time::ZERO, 50.0, w_max, 0.4);
        is_close(epoch.w_cubic(0.0, 0.4), 50.0);
        is_close(epoch.w_cubic(2.0, 0.4), 53.2);
    }
}

// §4.2 and §4.4: with a beta of 0.5 a loss at 100 leaves 50, and K = 5 s. Half a second later the target is
// the cubic one round trip ahead, W(0.6) = 100 - 0.4 * 4.4^3 = 65.9264. The target exceeds W_est, and is
// below the maximum of 1.5 windows.
#[test]
fn window_growth_targets_the_cubic_one_round_trip_ahead() {
    let mut control = cubic(CubicVersion::Rfc, 0.5, true);
    let mut w = lose(&mut control, 100.0, CongestionSignal::Duplicates);
    is_close(w.cwnd, 50.0);
    let s = state(100);
    control.on_ack(&mut w, &ack(0), &s); // the epoch begins; W(0) = 50 is below W_est
    is_close(w.cwnd, 50.0 + 1.0 / 50.0);
    let cwnd = w.cwnd;
    control.on_ack(&mut w, &ack(500), &s);
    is_close(w.cwnd, cwnd + (65.9264 - cwnd) / cwnd);
    let cwnd = w.cwnd;
    control.on_ack(&mut w, &ack(60_000), &s);
    is_close(w.cwnd, cwnd + 0.5);
}

// §4.3: the window is 7 after a loss at 10. W_est grows by 3 (1 - beta) / (1 + beta) segments per window
// until it reaches 10, then by one segment per window.
#[test]
fn w_est_grows_as_reno_with_the_same_loss_rate() {
    let mut control = cubic(CubicVersion::Rfc, 0.7, true);
    let mut w = lose(&mut control, 10.0, CongestionSignal::Duplicates);
    let s = state(1);
    for _ in 0..1000 {
        let cwnd = w.cwnd;
        control.on_ack(&mut w, &ack(0), &s);
        is_close(w.cwnd - cwnd, if cwnd < 10.0 { ALPHA } else { 1.0 } / cwnd);
    }
    assert!(w.cwnd > 40.0);
    is_close(alpha(0.5), 1.0); // Reno
}

// Segments of an ACK that slow start does not use count for congestion avoidance: here half a segment.
#[test]
fn slow_start_ends_within_one_ack() {
    let mut w = Window { cwnd: 9.5, ssthresh: 10.0 };
    cubic(CubicVersion::Rfc, 0.7, true).on_ack(&mut w, &ack(0), &state(100));
    is_close(w.cwnd, 10.0 + 0.5 / 10.0);
    // Slow start ends after one quarter of the two delivered segments; three quarters count for congestion
    // avoidance.
    let s = SenderState { growth: WindowGrowth::PerByte, ..state(100) };
    let two = Ack { acked_bytes: 2 * MSS, delivered_bytes: 2 * MSS, growth_bytes: 2 * MSS, ..ack(0) };
    let mut w = Window { cwnd: 9.5, ssthresh: 10.0 };
    cubic(CubicVersion::Rfc, 0.7, true).on_ack(&mut w, &two, &s);
    is_close(w.cwnd, 10.0 + 1.5 / 10.0);
}

// §4.7: if the window at the loss is below the last W_max, the new W_max is (1 + beta) / 2 of the window.
#[test]
fn fast_convergence_lowers_w_max() {
    for (on, second) in [(true, 59.5), (false, 70.0)] {
        let mut control = cubic(CubicVersion::Rfc, 0.7, on);
        lose(&mut control, 100.0, CongestionSignal::Duplicates);
        lose(&mut control, 70.0, CongestionSignal::Duplicates);
        is_close(memory(&control).w_max.expect("a loss"), second);
        lose(&mut control, 80.0, CongestionSignal::Duplicates);
        is_close(memory(&control).w_max.expect("a loss"), 80.0);
    }
}

// §4.6: ssthresh is at least 2 segments. The window after a loss is also at least 2 segments, but not the
// window after a mark. §4.8: a timeout reduces ssthresh in the same way, the window is 1, and the next epoch
// starts at its plateau. A repeated timeout of the same segment does not change ssthresh (RFC 5681 §3.1).
#[test]
fn losses_marks_and_timeouts_set_ssthresh_and_window() {
    let left = |cwnd, signal| lose(&mut cubic(CubicVersion::Rfc, 0.7, true), cwnd, signal);
    assert_eq!(left(2.0, CongestionSignal::Duplicates), Window { cwnd: 2.0, ssthresh: 2.0 });
    assert_eq!(left(2.0, CongestionSignal::Echo), Window { cwnd: 1.4, ssthresh: 2.0 });
    assert_eq!(left(20.0, CongestionSignal::Timeout), Window { cwnd: 1.0, ssthresh: 14.0 });
    let mut control = cubic(CubicVersion::Rfc, 0.7, true);
    let mut w = lose(&mut control, 20.0, CongestionSignal::Timeout);
    let again = Loss {
        now: Time::ZERO,
        signal: CongestionSignal::Timeout,
        halving_base: None,
        halved_base: 14.0,
        halved_cwnd: 14.0,
    };
    control.on_loss(&mut w, &again, &state(100));
    assert_eq!(w, Window { cwnd: 1.0, ssthresh: 14.0 });
    for _ in 0..14 {
        control.on_ack(&mut w, &ack(0), &state(100));
    }
    let epoch = memory(&control).epoch.expect("past ssthresh");
    is_close(epoch.k, 0.0);
    is_close(epoch.plateau, 14.0);
}

// §4.1.2: cwnd_prior is the window at the most recent setting of ssthresh. A repeated timeout does not set
// ssthresh, so cwnd_prior stays and W_est continues to grow with alpha.
#[test]
fn a_repeated_timeout_does_not_set_cwnd_prior() {
    let mut control = cubic(CubicVersion::Rfc, 0.7, true);
    let mut w = lose(&mut control, 20.0, CongestionSignal::Timeout);
    let again = Loss {
        now: Time::ZERO,
        signal: CongestionSignal::Timeout,
        halving_base: None,
        halved_base: 14.0,
        halved_cwnd: 14.0,
    };
    control.on_loss(&mut w, &again, &state(1));
    w.cwnd = 14.0;
    control.on_ack(&mut w, &ack(0), &state(1));
    is_close(w.cwnd, 14.0 + ALPHA / 14.0);
}

// §4.9.2: a spurious loss restores the whole state before the loss, because the later timeout belonged to the
// same window of data. The Linux version restores only the window.
#[test]
fn a_spurious_loss_restores_the_cubic_state() {
    let s = SenderState { una: 1, sent_end: 90_001, ..state(100) };
    for form in [CubicVersion::Rfc, CubicVersion::Linux] {
        let mut control = cubic(form, 0.7, true);
        let mut w = lose(&mut control, 100.0, CongestionSignal::Duplicates);
        control.on_ack(&mut w, &ack(0), &s);
        let before = w;
        let loss = |signal| Loss {
            now: Time::ZERO,
            signal,
            halving_base: Some(70.0),
            halved_base: 35.0,
            halved_cwnd: 35.0,
        };
        control.on_loss(&mut w, &loss(CongestionSignal::Duplicates), &s);
        control.on_loss(&mut w, &loss(CongestionSignal::Timeout), &s);
        control.on_spurious_reduction(&mut w, &before, &s);
        assert_eq!(w, before);
        if form == CubicVersion::Rfc {
            assert!(memory(&control).epoch.is_some());
            assert_eq!(memory(&control).w_max, Some(100.0));
        }
    }
}

/// Processes ACKs of one segment, one every `every` ms, and returns the numbers, from 1, of the ACKs that
/// increase the window.
fn openings(control: &mut Cubic, mut w: Window, every: u64, acks: u64) -> Vec<u64> {
    let opens = |n: &u64| {
        let before = w.cwnd;
        control.on_ack(&mut w, &ack(every * n), &state(60));
        assert!(w.cwnd == before || w.cwnd == before + 1.0);
        w.cwnd > before
    };
    (1..=acks).filter(opens).collect()
}

// Linux, while W_max is unknown: any window grows by one twentieth per round trip, i.e. by one segment per 20
// ACKs.
#[test]
fn linux_cubic_without_w_max_grows_by_a_twentieth() {
    let mut control = cubic(CubicVersion::Linux, 0.7, true);
    let window = Window { cwnd: 154.0, ssthresh: 154.0 };
    assert_eq!(openings(&mut control, window, 1, 60), [20, 40, 60]);
}

// Linux' target is an integer. A loss at 100 leaves 70 (717/1024), and K is the cube root of 30 / 0.4, 4.216
// s. The cubic starts at 70.02, so the target is 71, and the window grows by one segment per 70 delivered.
// Half a second later the cubic is at 79.4 and the target at 80. The target is 9 segments above the window of
// 71, so the window grows by one segment per 7 delivered.
#[test]
fn the_linux_cubic_target_is_a_whole_number_of_segments() {
    let mut control = cubic(CubicVersion::Linux, 0.7, true);
    let mut w = lose(&mut control, 100.0, CongestionSignal::Duplicates);
    assert_eq!(w.cwnd, 70.0);
    for n in 1..=70 {
        assert_eq!(w.cwnd, 70.0, "{n}");
        control.on_ack(&mut w, &ack(0), &state(60));
    }
    assert_eq!(w.cwnd, 71.0);
    for n in 1..=7 {
        assert_eq!(w.cwnd, 71.0, "{n}");
        control.on_ack(&mut w, &ack(500), &state(60));
    }
    assert_eq!(w.cwnd, 72.0);
}

// Linux' W_est grows by one segment once the delivered segments exceed 15/8 of the window, rounded down. With
// a window of 5 (9.4) W_est grows at the tenth segment. With a window of 6 (11.25) and one segment left over,
// W_est grows at the eleventh. Data delivered between two computations counts for at most one segment. Linux
// computes W_est only if the window has changed or 1/32 s has passed, so not for every ACK.
#[test]
fn linux_w_est_grows_by_whole_segments() {
    let window = Window { cwnd: 5.0, ssthresh: 5.0 };
    assert_eq!(openings(&mut cubic(CubicVersion::Linux, 0.7, true), window, 40, 25), [10, 21]);
    assert_eq!(openings(&mut cubic(CubicVersion::Linux, 0.7, true), window, 1, 25), [20]);
}

// Linux: a timeout resets the plateau and the minimum RTT. ssthresh does not change if the present recovery
// has already reduced the window (tcp_enter_loss()).
#[test]
fn a_timeout_resets_w_max_and_minimum_rtt_in_linux() {
    let mut control = cubic(CubicVersion::Linux, 0.7, true);
    assert_eq!(
        lose(&mut control, 158.0, CongestionSignal::Duplicates),
        Window { cwnd: 110.0, ssthresh: 110.0 }
    );
    let mut w = Window { cwnd: 110.0, ssthresh: 110.0 };
    let kept = Loss {
        now: Time::ZERO,
        signal: CongestionSignal::Timeout,
        halving_base: None,
        halved_base: 110.0,
        halved_cwnd: 110.0,
    };
    control.least_rtt = Some(Span::from_millis(60));
    control.on_loss(&mut w, &kept, &state(100));
    assert_eq!(w, Window { cwnd: 1.0, ssthresh: 110.0 });
    assert_eq!(control.least_rtt, None);
    let window = Window { cwnd: 110.0, ssthresh: 110.0 };
    assert_eq!(openings(&mut control, window, 1, 40), [20, 40], "no plateau at 158");
}

// Linux ignores the RTT samples of the first second after a recovery.
#[test]
fn linux_discards_rtt_samples_after_a_recovery() {
    let mut control = cubic(CubicVersion::Linux, 0.7, true);
    let mut w = lose(&mut control, 100.0, CongestionSignal::Duplicates);
    for (ms, segment, least) in [(0, 0, 50), (999, 1, 50), (1000, 2, 40)] {
        let at = Time::ZERO + Span::from_millis(ms);
        let s = SenderState { una: 1 + (segment + 1) * MSS, ..state(60) };
        let (now, rtt) = if ms == 0 { (at + Span::from_millis(50), 50) } else { (at, 40) };
        let a = Ack { now, newest_rtt: Some(Span::from_millis(rtt)), ..ack(ms) };
        control.observe_ack(&a, &s);
        assert_eq!(control.least_rtt, Some(Span::from_millis(least)), "{ms}");
        control.on_ack(&mut w, &ack(0), &s); // congestion avoidance begins at 0
    }
}

// RFC 9438 §5.8: "t MUST NOT include these periods", in which the application has no data. Linux counts such
// a period from the last transmission (cubictcp_cwnd_event()). After an idle minute within an epoch, the next
// ACKs increase the window as if the minute had not passed.
#[test]
fn the_cubic_epoch_excludes_idle_periods() {
    for form in [CubicVersion::Rfc, CubicVersion::Linux] {
        let grown = |pause: u64| {
            let mut control = cubic(form, 0.7, true);
            let mut w = lose(&mut control, 100.0, CongestionSignal::Duplicates);
            let (busy, idle) = (
                SenderState { una: 1, sent_end: 90_001, ..state(100) },
                SenderState { una: 90_001, sent_end: 90_001, ..state(100) },
            );
            let sends = |control: &mut Cubic, ms| {
                let next =
                    NextSegment { start: 90_001, end: 91_001, cause: crate::seams::TransmissionCause::New };
                control.on_sent(Time::ZERO + Span::from_millis(ms), &next);
            };
            control.observe_ack(&ack(0), &busy);
            control.on_ack(&mut w, &ack(0), &busy);
            sends(&mut control, 500);
            control.observe_ack(&ack(500), &idle);
            control.on_ack(&mut w, &ack(500), &idle);
            sends(&mut control, 500 + pause);
            for n in 0..100 {
                let a = ack(600 + pause + 10 * n);
                control.observe_ack(&a, &busy);
                control.on_ack(&mut w, &a, &busy);
            }
            w.cwnd
        };
        assert_eq!(grown(60_000), grown(0), "{form:?}");
    }
}
