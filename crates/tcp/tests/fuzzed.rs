//! A sender and a receiver with hostile input: random scripts, scripts found by the fuzzer (docs/fuzzing.md),
//! and a script for each error that the fuzzer found.

use crate::hostile;
use crate::hostile::script::{self, Answer, Data, Event, Hint, Place, Setup};
use airhop_base::{Flags, NodeId, NoticeKind, Span, Time, Timestamps};
use airhop_tcp::{Config, NoticeHandling, Params, Preset, SCHEMES};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::fs;

/// Inputs that together reach all code that the fuzzer has reached.
const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/tcp");
/// Number of random scripts per scheme.
const SCRIPTS: u32 = 60;

fn run(bytes: &[u8]) {
    let (setup, events) = script::read(bytes);
    hostile::run(&setup, &events);
}

#[test]
fn random_scripts_violate_no_sender_law() {
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
fn fuzzer_seeds_violate_no_sender_law() {
    let seeds = fs::read_dir(SEEDS).expect("the seeds of the fuzzer");
    for seed in seeds {
        let path = seed.expect("a file").path();
        println!("{}", path.display()); // shown if the test fails
        run(&fs::read(&path).expect("a readable file"));
    }
}

fn setup(scheme: &str, config: Config) -> Setup {
    let scheme = airhop_tcp::find_scheme(scheme).expect("a known scheme");
    Setup { scheme, params: Params::defaults(scheme), config }
}

/// Returns an ACK of all data below `ack`.
fn answer(flags: Flags, ack: Place) -> Event {
    let timestamps = Some(Timestamps { tsval: 0, tsecr: 0 });
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

// RFC 9293 §3.10.7.3: in SYN-SENT "if SEG.ACK =< ISS" the segment is dropped. Without this check, a SYN-ACK
// with too small an acknowledgement number opened the connection. The SYN was then retransmitted as data that
// starts before the first byte.
#[test]
fn a_syn_ack_without_ack_of_the_syn_opens_no_connection() {
    let events = [
        Event::Supply(3000),
        answer(Flags { syn: true, ..ACK }, Place::Byte(0)),
        Event::Wait(Span::from_secs(3)),
    ];
    hostile::run(&setup("tahoe", Preset::Rfc.config(1000)), &events);
}

// RFC 9293 §3.10.7.3: "if the SYN bit is not set … drop the segment". Without this check, an ACK without a
// SYN acknowledged the SYN, stopped its timer and left the connection closed forever.
#[test]
fn an_ack_without_syn_does_not_acknowledge_the_syn() {
    let events = [Event::Supply(3000), answer(ACK, Place::Byte(1)), Event::Wait(Span::from_secs(3))];
    hostile::run(&setup("newreno", Preset::Rfc.config(1000)), &events);
}

// A receiver may report an arrival time before the transmission time: the delay is then zero, not negative.
#[test]
fn data_reported_before_its_transmission_has_delay_zero() {
    let mut lie = answer(ACK, Place::Una(1, 0));
    if let Event::Answer(answer) = &mut lie {
        answer.arrival = Some((Place::Byte(1), Time::ZERO));
    }
    let events = [Event::Wait(Span::from_secs(1)), Event::Supply(3000), lie];
    hostile::run(&setup("ledbat", Preset::Ns2.config(1000)), &events);
}

// RFC 8985 §7.4: an ACK beyond a probe, without a D-SACK, shows that the probed segment was lost. Because of
// a bug, that reduction was undone (RFC 3708) when another segment, retransmitted after a notice, had arrived
// twice.
#[test]
fn a_loss_repaired_by_a_probe_is_not_undone() {
    let (arrives, back) = (
        |nth| Event::Carry { nth, fate: Data::Arrives },
        || Event::CarryBack { nth: 0, eln: None, nak: None, again: false },
    );
    let config =
        Config { handshake: false, notice_reaction: NoticeHandling::Eln, ..Preset::Linux.config(1000) };
    let events = [
        vec![Event::Supply(5000), Event::Wait(Span::from_millis(10))],
        vec![arrives(0), arrives(0), arrives(0), arrives(0), Event::Carry { nth: 0, fate: Data::Lost }],
        // The probe retransmits the last segment.
        vec![back(), Event::Wait(Span::from_millis(100))],
        vec![Event::Supply(3000), back(), back(), back()],
        vec![arrives(0), back(), arrives(0), back()],
        // The sender now detects the loss, and reduces the window. The next retransmission is spurious.
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

/// Script found by the fuzzer, in hexadecimal: a recovery of LL-ELSN that ends with an unlimited ssthresh
/// leaves the window unchanged.
#[test]
fn an_unlimited_ssthresh_does_not_become_the_window() {
    const SCRIPT: &str = concat!(
        "2ff16608392bad58c989586afdbb243b4b622e951bd857fa26228edd153896c708746043fbc1079bda3548a781fe3457433993e65e01d503d3a6e8eb",
        "31c9a682f66e3e98b3c314c6d34fa3985ce20eb87517841ede4867556f36e8f6e5351567f39cba4974708aa36aa59b23d01b7ab840a823218eb01fbf",
        "bc5e0c83be7d0d7d57e73a0e6928491cf4bfca981e68462f5adec749d7cbe58d06c6ddf1e3b32543bc667906915df670e3111d0721c51fbec600745e",
        "f3a6cbc9ae37b0267f38e469acb6ef58756d478b72446adf54962071484ce7b3737ec074ffff89dde21c69462b3decc735977c24e539a9b5a11abfae",
        "012dc92215aae2db6b69351541a451ff3d4b0e0d020a3c8d4a5519d54f9a4a89dceafd532cf305e12d7bc058e9bde44899e7d49848448f6f43efa910",
        "d1193c197ca62fa194a1cf8e53ad58e7296b95f62ab37b51e7f3c94c0302f0052fbb32a60213d56abe8d95071948c0026a5d7f0d0bc55ba4ba08a731",
        "3537dafaf6970225",
    );
    let scheme =
        SCHEMES.iter().position(|scheme| scheme.name == "ll-elsn").expect("a scheme of the catalogue");
    let byte = |at: usize| u8::from_str_radix(&SCRIPT[at..at + 2], 16).expect("two digits");
    let bytes: Vec<u8> =
        std::iter::once(scheme as u8).chain((0..SCRIPT.len()).step_by(2).map(byte)).collect();
    run(&bytes);
}
