//! Both ends in hostile hands: random scripts, those that the fuzzer found worth keeping (docs/fuzzing.md), and one for each law that
//! it found broken.

use crate::hostile;
use crate::hostile::script::{self, Answer, Data, Event, Hint, Place, Setup};
use airhop_base::{Flags, NodeId, NoticeKind, Span, Time, Timestamps};
use airhop_tcp::{Config, Notices, Params, Preset, SCHEMES};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::fs;

/// Inputs that together reach all that the fuzzer has reached.
const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/tcp");
/// Number of random scripts per scheme.
const SCRIPTS: u32 = 60;

fn run(bytes: &[u8]) {
    let (setup, events) = script::read(bytes);
    hostile::run(&setup, &events);
}

#[test]
fn no_script_breaks_a_law() {
    for (i, scheme) in SCHEMES.iter().enumerate() {
        let config =
            ProptestConfig { cases: SCRIPTS, failure_persistence: None, ..ProptestConfig::default() };
        let bytes = prop::collection::vec(any::<u8>(), 0..600);
        let verdict = TestRunner::new(config).run(&bytes, |mut bytes| {
            bytes.insert(0, i as u8);
            run(&bytes);
            Ok(())
        });
        verdict.unwrap_or_else(|e| panic!("{}: {e}", scheme.name));
    }
}

#[test]
fn seeds_break_no_law() {
    let seeds = fs::read_dir(SEEDS).expect("the seeds of the fuzzer");
    for seed in seeds {
        let path = seed.expect("a file").path();
        println!("{}", path.display()); // shown if it fails
        run(&fs::read(&path).expect("a readable file"));
    }
}

fn setup(scheme: &str, config: Config) -> Setup {
    let scheme = airhop_tcp::find(scheme).expect("a known scheme");
    Setup { scheme, params: Params::defaults(scheme), config }
}

/// An ACK of all before `ack`.
fn answer(flags: Flags, ack: Place) -> Event {
    let timestamps = Some(Timestamps { value: 0, echo: 0 });
    Event::Answer(Answer {
        flags,
        len: 0,
        ack,
        window: 1 << 20,
        sack: Vec::new(),
        timestamps,
        eln: None,
        arrival: None,
        naks: Vec::new(),
    })
}

const ACK: Flags = Flags { syn: false, ack: true, fin: false, psh: false, ece: false, cwr: false };

// RFC 9293 §3.10.7.3: in SYN-SENT "if SEG.ACK =< ISS" it is dropped. A SYN-ACK that acknowledges nothing opened the
// connection, and the SYN was then retransmitted as data, as a segment that begins before the first byte.
#[test]
fn a_syn_ack_that_does_not_acknowledge_the_syn_opens_nothing() {
    let events = [
        Event::Supply(3000),
        answer(Flags { syn: true, ..ACK }, Place::Byte(0)),
        Event::Wait(Span::from_secs(3)),
    ];
    hostile::run(&setup("tahoe", Preset::Rfc.config(1000)), &events);
}

// The same: "if the SYN bit is not set … drop the segment". An ACK without a SYN acknowledged the SYN, stopped its
// timer and left the connection closed for ever.
#[test]
fn an_ack_without_syn_does_not_acknowledge_the_syn() {
    let events = [Event::Supply(3000), answer(ACK, Place::Byte(1)), Event::Wait(Span::from_secs(3))];
    hostile::run(&setup("newreno", Preset::Rfc.config(1000)), &events);
}

// A receiver may claim that data arrived before it was sent: the delay is then zero, not negative.
#[test]
fn data_that_arrived_before_it_was_sent_was_not_delayed() {
    let mut lie = answer(ACK, Place::Una(1, 0));
    if let Event::Answer(answer) = &mut lie {
        answer.arrival = Some((Place::Byte(1), Time::ZERO));
    }
    let events = [Event::Wait(Span::from_secs(1)), Event::Supply(3000), lie];
    hostile::run(&setup("ledbat", Preset::Ns2.config(1000)), &events);
}

// RFC 8985 §7.4: an ACK behind a probe, without a D-SACK, shows that the probed segment was lost. A bug undid that
// reduction (RFC 3708) when another segment, retransmitted on a notice, had arrived twice.
#[test]
fn a_loss_that_a_probe_repaired_is_not_undone() {
    let (arrives, back) = (
        |nth| Event::Carry { nth, fate: Data::Arrives },
        || Event::CarryBack { nth: 0, eln: None, nak: None, again: false },
    );
    let config = Config { handshake: false, notices: Notices::Eln, ..Preset::Linux.config(1000) };
    let events = [
        vec![Event::Supply(5000), Event::Wait(Span::from_millis(10))],
        vec![arrives(0), arrives(0), arrives(0), arrives(0), Event::Carry { nth: 0, fate: Data::Lost }],
        // The probe repeats the last.
        vec![back(), Event::Wait(Span::from_millis(100))],
        vec![Event::Supply(3000), back(), back(), back()],
        vec![arrives(0), back(), arrives(0), back()],
        // The loss is now detected, and the window reduced. The next retransmission is needless.
        vec![Event::Notice(Hint {
            kind: NoticeKind::Eln,
            about: Place::Una(0, 0),
            delay: Span::ZERO,
            origin: NodeId(1),
        })],
        vec![arrives(0), arrives(1), back(), back()],
    ];
    hostile::run(&setup("newreno", config), &events.concat());
}
