mod control;
mod full_pipe;
mod model;
mod probe;
mod round_trip;
mod settings;
mod state;

use super::{Asks, Scheme};
use crate::Config;
use crate::notices::Deaf;
use crate::recovery::Rack;
use crate::seams::Parts;
use control::Bbr3;
use settings::{PARAMS, Settings};

pub(super) static SCHEME: Scheme = Scheme {
    name: "bbr3",
    title: "TCP BBR v3",
    family: "rate-based",
    about: "BBR whose model of the path also knows losses. It paces at the rate at which the path delivers, and keeps no more than \
            twice what the path holds in flight. Every two or three seconds, or as often as Reno would, it asks for a quarter more; if \
            more than 2 % of a flight are lost of that, it remembers how much was in flight, and stays 15 % below that until it asks \
            again. Losses at other times bring it down to what was delivered in their round trip, by three tenths at most, until \
            then. Every five seconds it halves what is in flight for 200 ms, to see the path without its own queue.",
    helps: "In short queues, which v1 overflows, and beside Reno and CUBIC, to which it leaves more. Losses of the air below 2 % of a \
            flight cost it little; above that it yields, as v1 does not.",
    cite: "N. Cardwell, I. Swett and J. Beshay (eds), BBR Congestion Control, draft-ietf-ccwg-bbr-06, 2026",
    needs: &[],
    params: PARAMS,
    verified: &[],
    reconstructed: &[],
    asks: Asks { delivery_rate: true, ..Asks::SACK },
    build: &|p, c| Parts {
        control: Box::new(Bbr3::new(Settings::new(p), c)),
        // The window follows the model in recovery too (§5.6.4.4): no PRR beside it.
        recovery: Box::new(Rack::new(&Config { prr: false, ..*c })),
        notices: Box::new(Deaf),
    },
};
