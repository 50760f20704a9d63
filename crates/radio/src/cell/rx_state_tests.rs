//! Tests of the reception of overlapping signals, signal by signal.
use super::*;
use crate::cell::RadioRange;

/// Returns the capture rule of a receiver with a capture ratio of 10 dB.
fn capture(receiving: InterferenceRule) -> CaptureRule {
    CaptureRule { ratio: RadioRange::DEFAULT_CAPTURE_RATIO, interference_rule: receiving }
}

/// Start and end of a signal, µs; its power; true if its sender is within receive range.
type Sent = (u64, u64, f64, bool);

/// Returns the outcome of each signal at a receiver without earlier signals: true if the signal was received,
/// false if the receiver locked on it and lost it, `None` if the receiver never locked on it.
fn fates(receiving: InterferenceRule, sent: &[Sent]) -> Vec<Option<bool>> {
    let capture = capture(receiving);
    let at = |us| Time::ZERO + Span::from_micros(us);
    let mut events: Vec<(u64, bool, usize)> = Vec::new();
    for (i, &(start, end, ..)) in sent.iter().enumerate() {
        events.extend([(start, true, i), (end, false, i)]);
    }
    events.sort_unstable();
    let mut receiver = RxState::default();
    let mut fates = vec![None; sent.len()];
    for (_, begins, i) in events {
        let (start, _, power, decodes) = sent[i];
        let slot = i as AirSlot;
        if begins {
            receiver.add_signal(Signal { slot, start: at(start), power, is_decodable: decodes }, &capture);
        } else {
            fates[i] = receiver.remove_signal(slot, power, &capture).map(|lock| !lock.collided);
        }
    }
    assert!(receiver.is_idle() && receiver.energy == 0.0, "the power of silence is exactly zero");
    fates
}

const OK: Option<bool> = Some(true);
const SPOILED: Option<bool> = Some(false);

/// Powers of interference are summed: two signals of −12 dB are −9 dB. IEEE 802.11 requires a minimum ratio
/// of signal to interference and noise; so do Yans, Lacage and Henderson 2006. ns-2 compares each signal
/// separately.
#[test]
fn interference_powers_are_summed() {
    let frame = (0, 100, 16.0, true);
    let [one, other] = [(10, 90, 1.0, false), (20, 80, 1.0, false)];
    for receiving in [InterferenceRule::Sinr, InterferenceRule::Lock] {
        assert_eq!(fates(receiving, &[frame, one])[0], OK);
        assert_eq!(fates(receiving, &[frame, other])[0], OK);
    }
    assert_eq!(fates(InterferenceRule::Sinr, &[frame, one, other])[0], SPOILED);
    assert_eq!(fates(InterferenceRule::Lock, &[frame, one, other])[0], OK);
    // Signals that do not overlap each other are not summed. An earlier signal interferes as a later one
    // does.
    assert_eq!(fates(InterferenceRule::Sinr, &[frame, (10, 50, 1.0, false), (50, 80, 1.0, false)])[0], OK);
    assert_eq!(
        fates(InterferenceRule::Sinr, &[(5, 100, 16.0, true), (0, 90, 1.0, false), (20, 80, 1.0, false)])[0],
        SPOILED
    );
}

/// A signal from beyond the receive range keeps a receiver from later frames only with the lock rule. A
/// receiver locked on a decodable signal stays locked until the signal's end.
#[test]
fn a_stronger_frame_replaces_an_undecodable_signal() {
    let frame = (10, 90, 16.0, true);
    for (first, by_sum) in
        [((0, 100, 1.0, false), OK), ((0, 100, 1.0, true), None), ((0, 100, 2.0, false), None)]
    {
        assert_eq!(fates(InterferenceRule::Sinr, &[first, frame])[1], by_sum, "after {first:?}");
        assert_eq!(fates(InterferenceRule::Lock, &[first, frame])[1], None, "after {first:?}");
    }
    // The receiver locks even on an undecodable signal that arrives alone, so that EIFS follows the signal.
    assert_eq!(fates(InterferenceRule::Sinr, &[(0, 100, 1.0, false)]), [OK]);
}

/// Of two signals that begin at the same time the receiver locks on the stronger, in either order of their
/// events.
#[test]
fn a_receiver_locks_on_the_strongest_simultaneous_signal() {
    let (strong, weak) = ((0, 100, 16.0, true), (0, 100, 1.0, true));
    assert_eq!(fates(InterferenceRule::Sinr, &[strong, weak]), [OK, None]);
    assert_eq!(fates(InterferenceRule::Sinr, &[weak, strong]), [None, OK]);
    assert_eq!(fates(InterferenceRule::Sinr, &[weak, weak]), [SPOILED, None]);
}
