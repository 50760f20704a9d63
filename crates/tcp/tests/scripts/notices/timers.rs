//! Notices that change only the retransmission timer (Kounavis 1996 §3, §4), computed by hand with the
//! paper's estimator in ticks of 100 ms.

use crate::common::script::Script;
use crate::common::{MSS, at, sender};
use airhop_base::{FlowId, NodeId, Notice, NoticeKind, Span, Time};
use airhop_tcp::seams::{
    Ack, CongestionControl, Loss, LossClass, NoticePolicy, NoticeReaction, SenderPolicies, Window,
};
use airhop_tcp::{Config, Preset, ReceiverFeatures, RtoConfig, RtoKind, Sender, SenderState};

fn config() -> Config {
    let ms = Span::from_millis;
    let rto = RtoConfig {
        kind: RtoKind::SingleGain,
        min: ms(0),
        max: ms(64_000),
        initial: ms(3000),
        tick: ms(100),
    };
    Config { rto, ..Preset::Ns2.config(MSS) }
}

/// Returns a sender with segments 2 to 4 outstanding since 450 ms, the time of the first sample: a = 4 ticks,
/// v = 2, so the timer expires 12 ticks later.
fn three(scheme: &str) -> Script {
    let mut s = Script::of(scheme, config(), 4);
    assert_eq!(s.sent(), "1 2");
    assert_eq!(s.at(450).ack(2), "3 4");
    assert_eq!((s.rto(), s.due()), (Span::from_millis(1200), Some(1650.0)));
    s
}

/// Notice policy that retransmits every quoted segment, even for a notice about the link.
#[derive(Debug)]
struct Repairs;

impl NoticePolicy for Repairs {
    fn on_notice(&mut self, _: Time, _: &Notice, _: &SenderState) -> NoticeReaction {
        NoticeReaction::Retransmit
    }
}

// A notice may quote a segment that is already acknowledged. If the policy requests its retransmission, the
// sender ignores the request, and leaves the timer unchanged.
#[test]
fn no_policy_retransmits_an_arrived_segment() {
    let config = config();
    let parts = SenderPolicies {
        control: Box::new(AlwaysTwo),
        recovery: airhop_tcp::recovery::reno(&config),
        notices: Box::new(Repairs),
    };
    let sender = Sender::new(FlowId(0), NodeId(0), NodeId(1), &config, ReceiverFeatures::NONE, parts);
    let mut s = Script::by(sender, &config, 4000);
    assert_eq!(s.sent(), "1 2");
    assert_eq!(s.at(450).ack(2), "3");
    let due = s.due();
    assert_eq!((s.at(500).ebsn(1), s.due()), (String::new(), due));
    assert_eq!(s.ebsn(2), "2n");
    assert_ne!(s.due(), due);
}

/// Congestion control with a window of two segments.
#[derive(Debug)]
struct AlwaysTwo;

impl CongestionControl for AlwaysTwo {
    fn on_ack(&mut self, _: &mut Window, _: &Ack, _: &SenderState) {}

    fn on_loss(&mut self, _: &mut Window, _: &Loss, _: &SenderState) -> LossClass {
        LossClass::Undecided
    }
}

fn heard(s: &Script, kind: NoticeKind) -> u64 {
    s.sender.counters().notices[kind.index()]
}

// "Cancel the previous timeout and set a new one based on the existing estimate of round trip time and
// variance", also for "all subsequent packet losses". The notice refers to the link, so the segment that it
// quotes is irrelevant.
#[test]
fn an_ebsn_restarts_the_retransmission_timer() {
    let mut s = three("ebsn");
    let before = (s.window(), s.rto(), s.sender.srtt());
    assert_eq!((s.at(1000).ebsn(2), s.due()), ("".into(), Some(2200.0)));
    assert_eq!((s.at(1100).ebsn(1), s.due()), ("".into(), Some(2300.0)));
    assert_eq!((s.window(), s.rto(), s.sender.srtt()), before);
    assert_eq!((s.cuts(), heard(&s, NoticeKind::Ebsn)), (0, 2));
    assert_eq!(s.expire(), (2300.0, "2t".into()));
}

// Bakshi et al. 1997: the backoff is neither applied nor reset. Therefore the new timer may expire earlier
// than the timer that it replaces.
#[test]
fn an_ebsn_does_not_change_the_backoff() {
    let mut s = three("ebsn");
    assert_eq!(s.expire(), (1650.0, "2t".into()));
    assert_eq!(s.due(), Some(4050.0)); // 24 ticks
    s.at(1700).ebsn(2);
    assert_eq!((s.due(), s.rto()), (Some(2900.0), Span::from_millis(2400)));
    assert_eq!(s.expire(), (2900.0, "2t".into()));
    assert_eq!(s.due(), Some(7700.0)); // the second backoff: 48 ticks
}

// "If timer running": without outstanding data no timer runs. Before the first sample the timeout is the
// initial timeout.
#[test]
fn an_ebsn_starts_no_timer_without_outstanding_data() {
    let mut s = three("ebsn");
    s.at(600).ack(5);
    assert_eq!((s.ebsn(4), s.due()), ("".into(), None));
    let mut s = Script::of("ebsn", config(), 4);
    s.sent();
    s.at(500).ebsn(1);
    assert_eq!(s.due(), Some(3500.0));
}

// RTO = max(a + 4v, a + D + G): the expiry of a running timer is postponed to its start plus this RTO, and
// never advanced.
#[test]
fn an_rttn_postpones_the_retransmission_timer() {
    let mut s = three("rttn");
    let before = (s.window(), s.sender.srtt());
    s.at(500).rttn(7, 500); // 4 + 5 + 1 ticks: less than a + 4v
    assert_eq!((s.due(), s.rto()), (Some(1650.0), Span::from_millis(1200)));
    s.at(510).rttn(7, 6020); // 4 + 60.2 + 1 ticks, as an integer
    assert_eq!((s.due(), s.rto()), (Some(450.0 + 6600.0), Span::from_millis(6600)));
    s.at(700).rttn(7, 2000);
    assert_eq!((s.due(), s.rto()), (Some(7050.0), Span::from_millis(2500)));
    assert_eq!((s.window(), s.sender.srtt(), s.cuts()), (before.0, before.1, 0));
    // The next timer starts with the announcements valid at that time.
    s.at(1000).ack(3);
    assert_eq!(s.due(), Some(3500.0));
}

// Mobile-to-mobile: the newest announcements of all base stations are added; the backoff applies to the sum.
#[test]
fn delays_of_several_base_stations_add_up() {
    let mut s = three("rttn");
    s.at(500).rttn(7, 6000);
    s.at(600).rttn(8, 1000);
    assert_eq!((s.due(), s.rto()), (Some(450.0 + 7500.0), Span::from_millis(7500)));
    s.rttn(7, 2000);
    assert_eq!(s.rto(), Span::from_millis(3500));
    s.at(1000).ack(3);
    assert_eq!(s.expire(), (4500.0, "3t".into()));
    assert_eq!((s.due(), s.rto()), (Some(11_500.0), Span::from_millis(7000)));
    // The expiry is postponed relative to the start of the timer, with the backoff: 450 + 2 (4 + 30 + 10 + 1)
    // ticks.
    s.at(5000).rttn(7, 3000);
    assert_eq!(s.due(), Some(4500.0 + 9000.0));
}

// "Validity V = 60 s", for each announcement separately; afterwards the timeout is the estimator's, which does not
// include announcements.
#[test]
fn an_rttn_expires_after_60_s() {
    let mut s = three("rttn");
    s.at(500).rttn(7, 6000);
    s.at(600).rttn(8, 1000);
    let rto = |ms| s.sender.rto(at(ms)).millis_f64() as u64;
    assert_eq!([rto(60_499), rto(60_500), rto(60_599), rto(60_600)], [7500, 1500, 1500, 1200]);
    s.at(700).ack(5);
    s.at(60_600).rttn(9, 100); // 4 + 1 + 1 ticks; an old announcement would increase them above 12
    assert_eq!(s.rto(), Span::from_millis(1200));
}

#[test]
fn an_rttn_starts_no_timer_and_is_capped() {
    let mut s = three("rttn");
    s.at(600).ack(5);
    assert_eq!((s.rttn(7, 6000), s.due()), ("".into(), None));
    s.rttn(7, 100_000);
    assert_eq!(s.rto(), Span::from_secs(64));
    // Before the first sample: the larger of the initial timeout and D + G.
    let mut s = Script::of("rttn", config(), 4);
    s.sent();
    s.at(500).rttn(7, 2800);
    assert_eq!(s.due(), Some(3000.0));
    s.rttn(7, 5000);
    assert_eq!(s.due(), Some(5100.0));
}

// Arithmetic of the other estimators: RFC 6298 with a granularity of 1 ms, ns-2 with ticks of 10 ms.
#[test]
fn every_rto_estimator_reacts_to_ebsn_and_rttn() {
    let rfc = Preset::Rfc.config(MSS).rto;
    for (rto, first, put_off) in
        [(rfc, 1350.0, 450.0 + 2451.0), (Preset::Ns2.config(MSS).rto, 1350.0, 450.0 + 2460.0)]
    {
        let config = Config { rto: RtoConfig { min: Span::ZERO, ..rto }, ..config() };
        let script = |scheme| {
            let mut s = Script::of(scheme, config, 4);
            s.sent();
            s.at(450).ack(2); // srtt 450, rttvar 225
            s
        };
        let mut s = script("ebsn");
        s.at(460).ebsn(2);
        assert_eq!(s.due(), Some(460.0 + first));
        s.expire();
        s.at(2000).ebsn(2);
        assert_eq!(s.due(), Some(2000.0 + first));
        let mut s = script("rttn");
        s.at(500).rttn(7, 2000);
        assert_eq!(s.due(), Some(put_off));
    }
}

// With any base TCP, each scheme reacts to its own notice and ignores the notices of other schemes; senders
// of other schemes ignore its notice.
#[test]
fn a_scheme_ignores_the_notices_of_other_schemes() {
    for (scheme, given) in [
        ("ebsn", &[("base", 1.0)][..]),
        ("rttn", &[("base", 2.0)]),
        ("tahoe", &[]),
        ("reno", &[]),
        ("ll-elsn", &[]),
    ] {
        let config = config();
        let mut s = Script::by(sender(scheme, given, &config), &config, 4 * u64::from(MSS));
        s.sent();
        s.at(450).ack(2);
        let before = (s.due(), s.window(), s.rto());
        s.at(800);
        if scheme != "ebsn" {
            assert_eq!(s.ebsn(2), "");
        }
        if scheme != "rttn" {
            assert_eq!(s.rttn(7, 9000), "");
        }
        if scheme != "ll-elsn" {
            assert_eq!([s.eln(2), s.ersn(2), s.told(2)], ["", "", ""]);
        }
        assert_eq!((s.due(), s.window(), s.rto()), before, "{scheme}");
    }
}

// The base TCP repairs losses: at three duplicate ACKs Tahoe restarts slow start, Reno and NewReno halve the
// window of 8 1/8 segments, and only NewReno then retransmits the next hole.
#[test]
fn tahoe_reno_and_newreno_repair_losses_as_base_tcp() {
    for scheme in ["ebsn", "rttn"] {
        for (base, window, repairs) in [(0.0, 1.0, false), (1.0, 4.0625, false), (2.0, 4.0625, true)] {
            let config = Config { initial_window: 8.0, initial_ssthresh: 8.0, ..config() };
            let mut s = Script::by(sender(scheme, &[("base", base)], &config), &config, 1_000_000);
            s.sent();
            s.at(450).ack(2);
            s.at(500).acks(2, 3);
            assert_eq!(s.window().0, window, "{scheme} {base}");
            assert_eq!(s.at(900).ack(4).contains("4+"), repairs, "{scheme} {base}");
        }
    }
}
