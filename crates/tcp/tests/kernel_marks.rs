//! Congestion controls of Linux's interface that use marks: their view of ECN, and the effect of their return
//! values.

use crate::common::linux;
use crate::common::script::Script;
use airhop_base::{Ecn, Flags, FlowId, NodeId, Segment};
use airhop_tcp::kernel_ops::{CaState, CallbackError, Callbacks, Sock, TcpCongestionOps, kernel_scheme};
use airhop_tcp::{Config, Params, Sender};
use std::sync::{Arc, Mutex};

/// Members of the socket at each ACK: `delivered`, `delivered_ce`, `ecn_flags`, and `snd_cwnd`.
type Told = Arc<Mutex<Vec<([u32; 3], u32)>>>;

/// Congestion control whose window decreases by one segment for a mark; after a loss, `set_state` sets the
/// window to three segments.
#[derive(Debug)]
struct Heeds(Told);

impl TcpCongestionOps for Heeds {
    fn callbacks(&self) -> Callbacks {
        Callbacks::IN_ACK_EVENT.union(Callbacks::SET_STATE)
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

/// Returns a sender with a window of 10, above slow start.
fn script(ecn: bool, needs_ecn: bool) -> (Script, Told) {
    let told = Told::default();
    let own = told.clone();
    let config = Config { ecn, ..linux(10.0, 5.0) };
    let make = Box::new(move || Box::new(Heeds(own.clone())) as Box<dyn TcpCongestionOps>);
    let has = Heeds(Told::default()).callbacks();
    let scheme = kernel_scheme("heeds", "A control that goes by marks", has, needs_ecn, &[], make);
    let parts = (scheme.build)(&Params::defaults(&scheme), &config);
    let sender = Sender::new(FlowId(0), NodeId(0), NodeId(1), &config, scheme.features, parts);
    (Script::by(sender, &config, 1_000_000_000), told)
}

fn ack(n: u64, ece: bool) -> Segment {
    let flags = Flags { ack: true, ece, ..Flags::default() };
    Segment { seq: 1, ack: 1 + (n - 1) * 1000, window: 1 << 20, flags, ..Segment::default() }
}

// Linux, tcp_count_delivered(): segments delivered by an ACK with ECE also count in delivered_ce; TCP_ECN_OK
// is set if both ends use ECN. A congestion control that requires ECN uses it with any configuration; other
// controls use it if the configuration enables it.
#[test]
fn ece_marks_reach_the_kernel_callbacks() {
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
        let reduced = 3 * flags; // also TCP_ECN_QUEUE_CWR, until new data carry CWR
        let expected = [[2, 0, flags], [3, 1, flags], [5, 3, reduced], [6, 3, reduced]];
        let told = told.lock().expect("no panic held it");
        assert_eq!(told.iter().map(|(marks, _)| *marks).collect::<Vec<_>>(), expected);
        assert_eq!(s.window().1, if uses { 9.0 } else { 5.0 }, "one reduction, if the connection uses ECN");
    }
}

// Linux, tcp_cwnd_reduction(): the window decreases to ssthresh as ACKs arrive. A congestion control may
// decrease ssthresh further at a change of state (as for RFC 8257 §3.5), even during a reduction for a mark.
#[test]
fn an_ssthresh_set_at_a_state_change_applies() {
    for marked in [false, true] {
        let (mut s, told) = script(true, false);
        s.packets();
        s.at(100).arrives(ack(2, marked));
        (3..=11).for_each(|n| drop(s.sack(2, &[(3, n)])));
        assert_eq!(s.window(), (3.0, 3.0), "after a mark: {marked}");
        // The retransmission and the segments released by PRR are about three segments. If the flight were
        // reduced to half of nine, they would be six.
        let (_, flight) = *told.lock().expect("no panic held it").last().expect("an ACK");
        assert!(flight <= 5, "{flight} in the network, after a mark: {marked}");
    }
}
