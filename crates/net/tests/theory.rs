//! The square-root law of TCP's window.

use crate::common::{hosts, run};
use airhop_base::Span;
use airhop_net::apps::BulkPlan;
use airhop_net::links::Links;
use airhop_net::plan::Plan;
use airhop_radio::errors::ErrorPlan;
use airhop_tcp::{Preset, SackRecovery};
use std::sync::Arc;

/// Returns a plan with a link without a rate limit, a round trip of 100 ms and independent losses of data
/// packets.
fn lossy(loss: f64) -> Plan {
    let mut config = Preset::Rfc.config(1000);
    config.delayed_ack = None;
    config.sack_recovery = SackRecovery::Rfc6675;
    Plan {
        links: Links {
            wired: vec![hosts::wire(1000, Span::from_millis(50), 1_000_000, ErrorPlan::Loss(loss))],
            ..Links::default()
        },
        ..hosts::hosts(Span::from_secs(2000), hosts::tcp("sack", config), Arc::new(BulkPlan))
    }
}

#[test]
fn goodput_follows_the_inverse_root_of_the_loss_rate() {
    // With independent losses of probability p, an ACK per segment and a halving per loss, the mean window of
    // additive increase is 1.31 / sqrt(p) segments for small p (Ott, Kemperman and Mathis 1996). Two effects
    // reduce the mean by a few per cent, more for larger p: a recovery takes about a round trip per loss
    // event, and a few events (a fraction p W) have two losses.
    for (p, low, high) in [(1e-3, 0.95, 1.03), (1e-4, 0.95, 1.03)] {
        let goodput = run(&lossy(p), 1).flows[0].goodput_mbps;
        let law = 1.31 / f64::sqrt(p) * 8000.0 / 0.1 / 1e6;
        let ratio = goodput / law;
        println!("p = {p}: {goodput:.3} Mbit/s, law {law:.3}, ratio {ratio:.3}");
        assert!((low..high).contains(&ratio), "p = {p}: {goodput:.3} Mbit/s is {ratio:.3} of the law");
    }
}
