//! Controls of Linux's interface that go by marks: what a connection tells them of ECN, and what their answers do.

use crate::common::linux;
use crate::common::script::Script;
use airhop_base::{Ecn, Flags, FlowId, NodeId, Segment};
use airhop_tcp::kernel_ops::{CaState, CallbackError, Callbacks, Sock, TcpCongestionOps, kernel_scheme};
use airhop_tcp::{Config, Params, Sender};
use std::sync::{Arc, Mutex};

/// What the socket said at each ACK: `delivered`, `delivered_ce`, `ecn_flags`, and `snd_cwnd`.
type Told = Arc<Mutex<Vec<([u32; 3], u32)>>>;

/// A mark costs one segment; a loss leaves three, as `set_state` has it.
#[derive(Debug)]
struct Heeds(Told);

impl TcpCongestionOps for Heeds {
    fn has(&self) -> Callbacks {
        Callbacks::IN_ACK_EVENT.and(Callbacks::SET_STATE)
    }

    fn ssthresh(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        Ok(sk.snd_cwnd - 1)
    }

    fn set_state(&mut self, sk: &mut Sock, new: CaState) -> Result<(), CallbackError> {
        if new == CaState::Recovery {
            sk.snd_ssthresh = 3;
        }
        Ok(())
    }

    fn in_ack_event(&mut self, sk: &mut Sock, _: u32) -> Result<(), CallbackError> {
        let told = [sk.delivered, sk.delivered_ce, sk.ecn_flags.into()];
        self.0.lock().map_err(|_| "the log is lost")?.push((told, sk.snd_cwnd));
        Ok(())
    }

    fn undo_cwnd(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        Ok(sk.snd_cwnd)
    }
}

/// A sender with the window 10, beyond slow start.
fn script(ecn: bool, needs_ecn: bool) -> (Script, Told) {
    let told = Told::default();
    let own = told.clone();
    let config = Config { ecn, ..linux(10.0, 5.0) };
    let make = Box::new(move || Box::new(Heeds(own.clone())) as Box<dyn TcpCongestionOps>);
    let has = Heeds(Told::default()).has();
    let scheme = kernel_scheme("heeds", "A control that goes by marks", has, needs_ecn, &[], make);
    let parts = (scheme.build)(&Params::defaults(&scheme), &config);
    let sender = Sender::new(FlowId(0), NodeId(0), NodeId(1), &config, scheme.features, parts);
    (Script::by(sender, &config, 1_000_000_000), told)
}

fn ack(n: u64, ece: bool) -> Segment {
    let flags = Flags { ack: true, ece, ..Flags::default() };
    Segment { seq: 1, ack: 1 + (n - 1) * 1000, window: 1 << 20, flags, ..Segment::default() }
}

// Linux, tcp_count_delivered(): what an ACK with ECE shows to have arrived counts in delivered_ce, too; TCP_ECN_OK is set where both ends take
// part. A control that needs ECN has it whatever is configured, and others as configured.
#[test]
fn marks_are_told() {
    for (ecn, needs_ecn) in [(true, false), (false, true), (false, false)] {
        let (mut s, told) = script(ecn, needs_ecn);
        let sent = s.packets();
        let uses = ecn || needs_ecn;
        assert!(sent.iter().all(|p| p.ecn == if uses { Ecn::Ect0 } else { Ecn::NotEct }), "{sent:?}");
        s.at(100).arrives(ack(3, false));
        s.arrives(ack(4, true));
        s.arrives(ack(6, true));
        s.arrives(ack(7, false));
        let flags = u32::from(uses);
        let reduced = 3 * flags; // TCP_ECN_QUEUE_CWR beside it, until new data tell the receiver
        let expected = [[2, 0, flags], [3, 1, flags], [5, 3, reduced], [6, 3, reduced]];
        let told = told.lock().expect("no panic held it");
        assert_eq!(told.iter().map(|(marks, _)| *marks).collect::<Vec<_>>(), expected);
        assert_eq!(
            s.window().1,
            if uses { 9.0 } else { 5.0 },
            "one reduction, where the connection takes part"
        );
    }
}

// Linux, tcp_cwnd_reduction(): the window comes down to what ssthresh is when ACKs come, and a control may still lower it as the state changes
// (RFC 8257 §3.5 is done so), also where a reduction for a mark is under way.
#[test]
fn a_threshold_set_with_the_state_counts() {
    for marked in [false, true] {
        let (mut s, told) = script(true, false);
        s.packets();
        s.at(100).arrives(ack(2, marked));
        (3..=11).for_each(|n| drop(s.sack(2, &[(3, n)])));
        assert_eq!(s.window(), (3.0, 3.0), "after a mark: {marked}");
        // The repair and what PRR let out: near three segments, where half of that way to nine would be six.
        let (_, flight) = *told.lock().expect("no panic held it").last().expect("an ACK");
        assert!(flight <= 5, "{flight} in the network, after a mark: {marked}");
    }
}
