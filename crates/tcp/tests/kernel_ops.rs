//! Congestion controls with Linux's interface: the callbacks that the sender calls, their order, and the
//! effect of their return values.

use crate::common::linux;
use crate::common::script::Script;
use airhop_base::{Flags, FlowId, NodeId, Segment};
use airhop_tcp::kernel_ops::{
    AckSample, CaEvent, CaState, CallbackError, Callbacks, RateSample, Sock, TcpCongestionOps, kernel_scheme,
};
use airhop_tcp::{Config, CwndValidation, Params, PolicyFault, Sender};
use std::sync::{Arc, Mutex};

type Log = Arc<Mutex<Vec<String>>>;

/// Reno (RFC 5681 §3.1) in integer packets, which records each call and the window at that time.
#[derive(Debug)]
struct Reno(Log);

impl Reno {
    fn note(&self, call: String) -> Result<(), CallbackError> {
        self.0.lock().map_err(|_| "the log is lost")?.push(call);
        Ok(())
    }
}

impl TcpCongestionOps for Reno {
    fn callbacks(&self) -> Callbacks {
        [Callbacks::SET_STATE, Callbacks::CWND_EVENT, Callbacks::IN_ACK_EVENT, Callbacks::PKTS_ACKED]
            .into_iter()
            .fold(Callbacks::INIT.union(Callbacks::CONG_AVOID), Callbacks::union)
    }

    fn init(&mut self, _: &mut Sock) -> Result<(), CallbackError> {
        self.note("init".into())
    }

    fn ssthresh(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        self.note(format!("ssthresh at {}", sk.snd_cwnd))?;
        Ok((sk.snd_cwnd / 2).max(2))
    }

    fn cong_avoid(&mut self, sk: &mut Sock, ack: u32, acked: u32) -> Result<(), CallbackError> {
        self.note(format!("cong_avoid {} {acked}", ack / 1000))?;
        if !sk.may_grow_window() {
            return Ok(());
        }
        let slow = acked.min(sk.snd_ssthresh.saturating_sub(sk.snd_cwnd));
        sk.snd_cwnd += slow;
        sk.snd_cwnd_cnt += acked - slow;
        if sk.snd_cwnd_cnt >= sk.snd_cwnd {
            sk.snd_cwnd_cnt -= sk.snd_cwnd;
            sk.snd_cwnd += 1;
        }
        Ok(())
    }

    fn set_state(&mut self, sk: &mut Sock, new: CaState) -> Result<(), CallbackError> {
        self.note(format!("{:?}>{new:?} at {}", sk.ca_state, sk.snd_cwnd))
    }

    fn cwnd_event(&mut self, sk: &mut Sock, event: CaEvent) -> Result<(), CallbackError> {
        self.note(format!("{event:?} at {}", sk.snd_cwnd))
    }

    fn in_ack_event(&mut self, sk: &mut Sock, flags: u32) -> Result<(), CallbackError> {
        self.note(format!("in_ack {flags} at {}", sk.snd_cwnd))
    }

    fn pkts_acked(&mut self, _: &mut Sock, a: &AckSample) -> Result<(), CallbackError> {
        self.note(format!("acked {} {} {}", a.pkts_acked, a.rtt_us, a.in_flight))
    }

    fn undo_cwnd(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        self.note("undo_cwnd".into())?;
        Ok(sk.snd_cwnd.max(sk.prior_cwnd))
    }
}

/// Returns a script of the congestion control built by `make`, with unlimited data to send.
fn script(
    config: &Config,
    has: Callbacks,
    make: impl Fn() -> Box<dyn TcpCongestionOps> + Send + Sync + 'static,
) -> Script {
    script_of(1_000_000_000, config, has, make)
}

/// Returns a script of the congestion control built by `make`, with `bytes` to send.
fn script_of(
    bytes: u64,
    config: &Config,
    has: Callbacks,
    make: impl Fn() -> Box<dyn TcpCongestionOps> + Send + Sync + 'static,
) -> Script {
    let scheme = kernel_scheme("kernel", "A control of Linux", has, false, &[], Box::new(make));
    let parts = (scheme.build)(&Params::defaults(&scheme), config);
    let sender = Sender::new(FlowId(0), NodeId(0), NodeId(1), config, scheme.features, parts);
    Script::by(sender, config, bytes)
}

fn reno(config: &Config) -> (Script, impl FnMut() -> String + use<>) {
    let log = Log::default();
    let own = log.clone();
    let has = Reno(Log::default()).callbacks();
    let s = script(config, has, move || Box::new(Reno(own.clone())));
    (s, move || std::mem::take(&mut *log.lock().expect("no panic held it")).join(", "))
}

// tcp_rcv_synsent_state_process(): the ACK of the SYN is processed before the congestion control is initialised, on the
// slow path.
#[test]
fn the_ack_of_the_syn_precedes_the_init_callback() {
    let (mut s, mut log) = reno(&Config { handshake: true, ..linux(10.0, 5.0) });
    assert_eq!(s.sent(), "SYN");
    s.at(100).syn_ack();
    assert_eq!(log(), "acked 1 100000 0, in_ack 3 at 10, init, TxStart at 10");
}

// RFC 5681 §3.1: slow start grows by the acknowledged segments. No segment was in flight before the first
// segment.
#[test]
fn cong_avoid_receives_the_acknowledged_segments() {
    let (mut s, mut log) = reno(&linux(2.0, 100.0));
    assert_eq!(s.opening(), "1 2");
    assert_eq!(log(), "init, TxStart at 2");
    assert_eq!(s.at(100).ack(3), "3 4 5 6");
    assert_eq!(log(), "acked 2 100000 2000, in_ack 2 at 2, cong_avoid 2 2, TxStart at 4", "all had arrived");
    assert_eq!(s.window(), (4.0, 100.0));
}

// RFC 8985 §6.2 detects the loss, and RFC 9937 reduces window and flight. cong_avoid is called only for
// cumulatively acknowledged data, and only after all data outstanding at the loss is acknowledged. Measured
// on Linux 6.18: the order of the callbacks, and the decrease of snd_cwnd from ACK to ACK.
#[test]
fn fast_recovery_calls_the_callbacks_in_kernel_order() {
    let (mut s, mut log) = reno(&linux(10.0, 5.0));
    s.opening();
    log();
    s.at(100).sack(1, &[(2, 2)]);
    assert_eq!(log(), "acked 0 100000 10000, in_ack 1 at 10, Open>Disorder at 10");
    s.sack(1, &[(2, 3)]);
    log();
    s.sack(1, &[(2, 4)]);
    assert_eq!(log(), "acked 0 100000 10000, in_ack 1 at 10, ssthresh at 10, Disorder>Recovery at 10");
    assert_eq!(s.window(), (5.0, 5.0));
    s.sack(1, &[(2, 6)]);
    log();
    s.sack(1, &[(2, 10)]);
    assert_eq!(
        log(),
        "acked 0 100000 8000, in_ack 1 at 8",
        "7 under way, and half of 3 delivered less 1 repaired"
    );
    s.at(200).ack(13);
    let end = log();
    assert!(end.contains("Recovery>Open at 5, CompleteCwr at 5, cong_avoid"), "{end}");
}

// RFC 5681 §3.1: a timeout reduces the window to one segment and halves ssthresh. A second timeout of the
// same segment does not halve ssthresh again (RFC 6298 §5.5).
#[test]
fn only_the_first_timeout_of_a_segment_halves_ssthresh() {
    let (mut s, mut log) = reno(&linux(10.0, 5.0));
    s.opening();
    log();
    let mut expire = |s: &mut Script| loop {
        s.expire();
        let calls = log();
        if calls.contains("Loss") {
            return calls;
        }
    };
    let first = expire(&mut s);
    assert!(first.starts_with("ssthresh at 10, Loss at 10, Open>Loss at 1"), "{first}");
    assert_eq!(s.window(), (1.0, 5.0));
    let second = expire(&mut s);
    assert!(second.starts_with("Loss>Loss at 1"), "{second}");
}

// RFC 5681 §3.1: a timeout of a segment retransmitted in fast recovery does not reduce ssthresh again. In
// this situation Linux 6.18 calls only set_state.
#[test]
fn a_timeout_in_fast_recovery_does_not_reduce_ssthresh_again() {
    let (mut s, mut log) = reno(&linux(10.0, 20.0));
    s.opening();
    s.at(100).sack(1, &[(2, 4)]);
    assert!(log().ends_with("ssthresh at 10, Open>Recovery at 10"));
    let calls = loop {
        s.expire();
        let calls = log();
        if !calls.is_empty() {
            break calls;
        }
    };
    assert!(calls.starts_with("Recovery>Loss at 1"), "{calls}");
    assert_eq!(s.window(), (1.0, 5.0));
}

// tcp_process_tlp_ack(): a loss that a probe has repaired reduces the window at once, in the state CWR.
#[test]
fn a_loss_repaired_by_a_probe_reduces_the_window_in_cwr() {
    let log = Log::default();
    let own = log.clone();
    let mut s = script_of(5000, &linux(10.0, 5.0), Reno(log.clone()).callbacks(), move || {
        Box::new(Reno(own.clone()))
    });
    s.opening();
    s.at(100).ack(4);
    s.expire();
    s.sender.supply_data(2000);
    s.sent();
    s.after(20).ack(6);
    assert!(!log.lock().expect("no panic held it").join(", ").contains("ssthresh"));
    s.after(20).ack(8);
    let calls = log.lock().expect("no panic held it").join(", ");
    assert!(
        calls.contains("ssthresh at 10, Open>Cwr at 10, CompleteCwr at 5, Cwr>Open at 5, cong_avoid"),
        "{calls}"
    );
}

// tcp_time_to_recover(): a segment that was sent after the start of a recovery, and marked lost and
// retransmitted during this recovery, starts the next recovery as soon as this recovery ends.
#[test]
fn a_loss_during_recovery_begins_the_next_recovery() {
    let (mut s, mut log) = reno(&linux(10.0, 5.0));
    s.opening();
    s.at(100).sack(1, &[(2, 5)]);
    s.after(10).sack(1, &[(2, 10)]);
    s.at(210).sack(1, &[(2, 10), (12, 13)]);
    s.at(240).sack(1, &[(2, 10), (12, 13)]);
    log();
    s.after(10).sack(11, &[(12, 13)]);
    let calls = log();
    assert!(
        calls.contains("Recovery>Open") && calls.contains("Open>Recovery") && !calls.contains("Cwr>"),
        "{calls}"
    );
}

// RFC 3168 §6.1.2: an echoed mark halves the window once per window of data, without a retransmission.
#[test]
fn an_ece_halves_the_window_once_per_window_of_data() {
    let (mut s, mut log) = reno(&Config { ecn: true, ..linux(10.0, 5.0) });
    s.opening();
    log();
    let echo = |n: u64| Segment {
        seq: 1,
        ack: 1 + (n - 1) * 1000,
        window: 1 << 20,
        flags: Flags { ack: true, ece: true, ..Flags::default() },
        ..Segment::default()
    };
    s.at(100).arrives(echo(2));
    assert_eq!(log(), "acked 1 100000 10000, in_ack 7 at 10, ssthresh at 10, Open>Cwr at 10");
    s.arrives(echo(3));
    assert_eq!(log(), "acked 1 100000 9000, in_ack 7 at 10", "the same window of data");
    s.ack(11);
    assert!(!log().contains("Cwr>Open"), "the CWR flag is still to arrive");
    s.at(200).ack(12);
    assert!(log().contains("CompleteCwr at 5, Cwr>Open at 5, cong_avoid 11 1"));
}

// tcp_fastretrans_alert(): the ACK that ends a reduction ends CWR before its own ECE is processed, so a mark
// on the data sent after the reduction halves the window again.
#[test]
fn an_echo_of_the_next_window_of_data() {
    let (mut s, mut log) = reno(&Config { ecn: true, ..linux(10.0, 5.0) });
    s.opening();
    let echo = |n: u64| Segment {
        seq: 1,
        ack: 1 + (n - 1) * 1000,
        window: 1 << 20,
        flags: Flags { ack: true, ece: true, ..Flags::default() },
        ..Segment::default()
    };
    s.at(100).arrives(echo(2));
    s.ack(11);
    log();
    s.at(200).arrives(echo(12));
    assert!(log().contains("CompleteCwr at 5, Cwr>Open at 5, ssthresh at 5, Open>Cwr at 5"));
    assert_eq!(s.window().1, 2.0);
}

// tcp_may_raise_cwnd(): SACKed data causes a call of cong_avoid only after reordering was detected, here by
// four segments.
#[test]
fn sacks_call_cong_avoid_only_after_reordering() {
    let (mut s, mut log) = reno(&linux(10.0, 5.0));
    s.opening();
    s.at(100).sack(1, &[(4, 4)]);
    assert!(!log().contains("cong_avoid"));
    s.ack(2);
    log();
    s.sack(2, &[(5, 5), (4, 4)]);
    assert!(log().contains("cong_avoid"));
}

// RFC 4015 §4: an ACK that echoes a timestamp older than the retransmission (RFC 3522 §3.2) shows that no segment was
// lost. Linux detects this after it has processed the ACK.
#[test]
fn an_eifel_timestamp_undoes_a_spurious_timeout() {
    let (mut s, mut log) = reno(&Config { timestamps: true, ..linux(10.0, 20.0) });
    s.opening();
    while !log().contains("Loss") {
        s.expire();
    }
    s.after(1).echo(2, 0);
    let calls = log();
    let place = |call: &str| calls.find(call).unwrap_or_else(|| panic!("no {call} in {calls}"));
    assert!(place("acked") < place("undo_cwnd") && place("undo_cwnd") < place("Loss>Open"), "{calls}");
    assert!(place("Loss>Open") < place("cong_avoid"), "{calls}");
    assert!(s.window().0 >= 10.0 && s.window().1 == 20.0, "{:?}", s.window());
}

// RFC 5681 §3.1, compared with Airhop's own Reno: without losses the integer windows after each ACK are
// equal, in slow start and in congestion avoidance.
#[test]
fn kernel_reno_has_the_windows_of_airhop_reno() {
    let config = linux(4.0, 20.0);
    let (mut ours, _) = reno(&config);
    let mut own = Script::new("reno", config);
    assert_eq!(ours.opening(), own.opening());
    let mut next = 1;
    for round in 1..=30 {
        let window = own.window().0 as u64;
        ours.at(round * 100);
        own.at(round * 100);
        for _ in 0..window {
            next += 1;
            assert_eq!(ours.ack(next), own.ack(next), "ACK of {next}");
            assert_eq!(ours.window().0, (own.window().0 + 1e-6).floor(), "ACK of {next}");
        }
    }
    assert!(own.window().0 > 40.0);
}

/// Congestion control that doubles its window per round trip, records each event with the window at that time, and sets
/// a window of 100 at CA_EVENT_CWND_RESTART.
#[derive(Debug)]
struct Wakes {
    log: Log,
    has: Callbacks,
}

impl TcpCongestionOps for Wakes {
    fn callbacks(&self) -> Callbacks {
        self.has
    }

    fn ssthresh(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        Ok(sk.snd_cwnd)
    }

    fn undo_cwnd(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        Ok(sk.snd_cwnd)
    }

    fn cong_avoid(&mut self, sk: &mut Sock, _: u32, acked: u32) -> Result<(), CallbackError> {
        sk.snd_cwnd += acked;
        Ok(())
    }

    fn cong_control(&mut self, sk: &mut Sock, _: u32, _: u32, rs: &RateSample) -> Result<(), CallbackError> {
        sk.snd_cwnd += rs.acked_sacked;
        Ok(())
    }

    fn cwnd_event(&mut self, sk: &mut Sock, event: CaEvent) -> Result<(), CallbackError> {
        let call = format!("{event:?} at {} of {}, {}", sk.snd_cwnd, sk.write_seq / 1000, sk.app_limited);
        self.log.lock().map_err(|_| "the log is lost")?.push(call);
        if event == CaEvent::CwndRestart {
            sk.snd_cwnd = 100;
        }
        Ok(())
    }
}

// tcp_slow_start_after_idle_check(), tcp_cwnd_restart(): before the first data after an idle period longer
// than a timeout, the window is halved for each timeout in the period, down to the initial window.
// CA_EVENT_CWND_RESTART is sent before the reduction; the window that the callback leaves determines only
// ssthresh (three quarters). tcp_event_data_sent(): CA_EVENT_TX_START is sent with each transmission while no
// data is in flight, after tcp_rate_check_app_limited(). A congestion control with cong_control gets no
// restart.
#[test]
fn an_idle_period_halves_the_window_per_timeout() {
    let [grows, steers] =
        [Callbacks::CONG_AVOID, Callbacks::CONG_CONTROL].map(|g| g.union(Callbacks::CWND_EVENT));
    for (has, idle, calls, window) in [
        (grows, 150, "TxStart at 16 of 28, 14", (16.0, 20.0)),
        (grows, 300, "CwndRestart at 16 of 14, 14, TxStart at 8 of 28, 14", (8.0, 75.0)),
        (grows, 500, "CwndRestart at 16 of 14, 14, TxStart at 4 of 28, 14", (4.0, 75.0)),
        (grows, 5000, "CwndRestart at 16 of 14, 14, TxStart at 2 of 28, 14", (2.0, 75.0)),
        (steers, 5000, "TxStart at 16 of 28, 14", (16.0, 20.0)),
    ] {
        let log = Log::default();
        let own = log.clone();
        let make = move || Box::new(Wakes { log: own.clone(), has }) as Box<dyn TcpCongestionOps>;
        let mut s = script_of(14_000, &linux(2.0, 20.0), has, make);
        s.opening();
        s.at(20).ack(3);
        s.at(40).ack(7);
        s.at(60).ack(15);
        log.lock().expect("no panic held it").clear();
        s.sender.supply_data(14_000);
        s.after(idle).sent();
        assert_eq!(log.lock().expect("no panic held it").join(", "), calls, "{idle} ms");
        assert_eq!(s.window(), window, "{idle} ms");
    }
}

// Linux sets is_cwnd_limited for its congestion controls regardless of the sender's own window validation
// (RFC 7661 §4.3): a window that is fully used grows.
#[test]
fn a_full_window_grows_under_any_window_validation() {
    for validation in [CwndValidation::Never, CwndValidation::Half, CwndValidation::Full] {
        let (mut s, _) = reno(&Config { cwnd_validation: validation, ..linux(4.0, 2.0) });
        s.opening();
        s.at(100).ack(5);
        assert_eq!(s.window().0, 5.0, "{validation:?}");
    }
}

// A callback that fails ends the run with a fault that names the scheme and the callback.
#[test]
fn a_callback_fault_ends_the_run_with_scheme_and_callback() {
    #[derive(Debug)]
    struct Faulty;
    impl TcpCongestionOps for Faulty {
        fn callbacks(&self) -> Callbacks {
            Callbacks::CONG_AVOID
        }
        fn ssthresh(&mut self, _: &mut Sock) -> Result<u32, CallbackError> {
            Err("out of its map".into())
        }
        fn undo_cwnd(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
            Ok(sk.snd_cwnd)
        }
    }
    let mut s = script(&linux(10.0, 5.0), Callbacks::CONG_AVOID, || Box::new(Faulty));
    s.opening();
    let fault = PolicyFault::catch(|| (0..5).for_each(|_| drop(s.expire()))).expect_err("ssthresh fails");
    assert_eq!((fault.scheme.as_str(), fault.method), ("kernel", "ssthresh"));
    assert_eq!(fault.cause.to_string(), "out of its map");
}
