//! Layouts of stations, and flows between stations that are drawn.

use super::{Choice, Key, Kind, Variant, Without, key};
use Without::{Nothing, Required, Value};

/// IEEE 802.11-2016 §9.4.1.8: association ids end at 2007; the access point comes on top.
pub(crate) const MAX_STATIONS: u64 = 2008;

const PREFIX: Key = key(
    "prefix",
    Kind::Name,
    Value(r#""n""#),
    "how the names of the stations begin; numbers from 0 follow. Layouts with the same prefix share nodes",
);
const NODES: Key = key("nodes", Kind::Count { least: 2, most: MAX_STATIONS }, Required, "how many stations");
const SPACING: Key = key("spacing", Kind::Metres, Required, "from each station to the next");

static LAYOUT: Choice = Choice {
    what: "layout",
    variants: &[
        Variant {
            kind: "chain",
            about: "a line of stations from [0, 0] along x: n0, n1, …",
            keys: &[NODES, SPACING, PREFIX],
        },
        Variant {
            kind: "grid",
            about: "rows along x, one above the other along y, numbered row by row from [0, 0]",
            keys: &[
                key("columns", Kind::Count { least: 1, most: MAX_STATIONS }, Required, "stations in a row"),
                key("rows", Kind::Count { least: 1, most: MAX_STATIONS }, Required, "stations in a column"),
                SPACING,
                PREFIX,
            ],
        },
        Variant {
            kind: "cross",
            about: "two chains that share their middle: with arms of 2, n0 to n4 along x from [0, 0] with n2 in the middle, then n5 to n8 across it along y, the middle left out",
            keys: &[
                key(
                    "arm",
                    Kind::Count { least: 1, most: (MAX_STATIONS - 1) / 4 },
                    Required,
                    "stations of each of the four arms, the middle left out",
                ),
                SPACING,
                PREFIX,
            ],
        },
        Variant {
            kind: "random",
            about: "places drawn for each seed and replication, each place of a rectangle as likely as any other; the same for every scheme (stream `<wlan>.layout`; at most 10000 draws of all of them until they are as asked for)",
            keys: &[
                NODES,
                key("width", Kind::Metres, Required, "the rectangle's extent in x, from 0"),
                key("height", Kind::Metres, Required, "its extent in y, from 0"),
                key(
                    "connected",
                    Kind::Flag,
                    Value("true"),
                    "only places from each of which frames find a way to each other",
                ),
                PREFIX,
            ],
        },
    ],
};

/// In place of the positions of stations.
pub(crate) const LAYOUT_KEY: Key = key(
    "layout",
    Kind::Choice(&LAYOUT),
    Nothing("`stations` says where each is"),
    "places stations by a rule, in place of `stations`",
);

/// What [`crate::places()`] is told.
pub(crate) static PLACED: [Key; 3] = [
    Key { without: Required, ..LAYOUT_KEY },
    key(
        "receive",
        Kind::Metres,
        Nothing("all stations hear each other"),
        "frames can be received up to here",
    ),
    key("wlan", Kind::Name, Required, "the wlan that would draw the same places"),
];

/// `flow.between`.
pub(super) static BETWEEN: [Key; 2] = [
    key("wlan", Kind::Name, Required, "the wlan whose stations they are"),
    key(
        "hops",
        Kind::Count { least: 1, most: MAX_STATIONS - 1 },
        Nothing("any number"),
        "transmissions on the shortest way from one to the other in this wlan",
    ),
];
