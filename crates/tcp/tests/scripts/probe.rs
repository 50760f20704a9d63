//! When a tail loss probe goes out (RFC 8985 §7), given these ACKs at these times.

use crate::common::linux;
use crate::common::script::Script;
use airhop_tcp::Config;

// RFC 8985 §7.2: PTO is 2 · SRTT where "SRTT is available", and the handshake makes it so (RFC 6298 §2.2); 2 ms more (Linux). Of five segments
// that all are lost, the last goes out again after two round trips, not after a second.
#[test]
fn the_first_probe_knows_the_round_trip_of_the_handshake() {
    let mut s = Script::of("reno", Config { handshake: true, ..linux(10.0, f64::INFINITY) }, 5);
    assert_eq!(s.sent(), "SYN");
    assert_eq!(s.at(50).syn_ack(), "ACK 1 2 3 4 5");
    assert_eq!(s.expire(), (152.0, "5p".into()));
}
