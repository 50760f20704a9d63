"""The verifier finds nothing in runs that look odd and are sound."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from sound_links import LINKS, UDP, few_attempts, late
from sound_senders import SENDERS

import airhop
from airhop.live.logs import Log
from airhop.verify import verify
from log_files import D, S, head, write

LOSSY_CELL: dict[str, Any] = {
    "wired": [
        {
            "name": "w",
            "ends": ["s", "bs"],
            "rate": "10 Mbit/s",
            "delay": "20 ms",
            "queue": {"kind": "drop-tail", "packets": 10},
        }
    ],
    "wlan": [
        {
            "name": "cell",
            "standard": "802.11b",
            "rate": "2 Mbit/s",
            "stations": {"bs": [0, 0], "d": [30, 0]},
            "attempts": 1,
            "queue": {"kind": "drop-tail", "packets": 6},
            "errors": {"kind": "gilbert-elliott", "p_gb": 0.1, "p_bg": 0.4, "loss_bad": 0.9},
        }
    ],
}


ENDS: dict[str, dict[str, Any]] = {
    # Without a warm-up a datagram that a full queue drops at time 0 counts, too.
    "a datagram is lost in the first instant": {
        "wired": [
            {
                "name": "w",
                "ends": ["s", "d"],
                "rate": "300 kbit/s",
                "delay": "20 ms",
                "queue": {"kind": "drop-tail", "packets": 5},
            }
        ],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": "reno",
                "tcp": {"preset": "ns2", "initial_window": 20},
            },
            {
                "name": "u",
                "from": "s",
                "to": "d",
                "transport": "udp",
                "app": {"kind": "cbr", "rate": "500 kbit/s"},
            },
        ],
    },
    # JTCP leaves two segments at a timeout; the second was sent later than the first, whose timer ran.
    "a timeout lets two segments out": {
        "wired": [
            {
                "name": "w",
                "ends": ["s", "d"],
                "rate": "1 Mbit/s",
                "delay": "20 ms",
                "errors": {"kind": "bernoulli", "loss": 0.2},
            }
        ],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": "jtcp",
                "tcp": {"loss_detection": "rfc6675"},
            }
        ],
    },
    # ns-2's timer forgets its estimate after the fourth timeout in a row: the next sample is the estimate.
    "an estimate begins again": {
        "duration": "60 s",
        "radio": [
            {
                "name": "air",
                "ends": ["s", "d"],
                "rate": "2 Mbit/s",
                "delay": "20 ms",
                "changes": {"kind": "outage", "at": "5 s", "lasts": "40 s"},
            }
        ],
        "flow": [{"name": "f", "from": "s", "to": "d", "scheme": "reno", "tcp": {"preset": "ns2"}}],
    },
    # The timer expires while pacing waits: nothing is sent again just then, and little is in flight.
    "a timeout repeats later": {
        "wired": [
            {
                "name": "w1",
                "ends": ["s", "r"],
                "rate": "256 kbit/s",
                "delay": "10 ms",
                "queue": {"kind": "codel"},
            },
            {"name": "w2", "ends": ["r", "bs"], "rate": "10 Mbit/s", "delay": "0 ms"},
        ],
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11",
                "rate": "2 Mbit/s",
                "stations": {"bs": [0, 0], "d": [30, 0]},
                "retry_delay": "80 ms",
                "errors": {"kind": "gilbert-elliott", "p_gb": 0.05, "p_bg": 0.3},
            }
        ],
        "flow": [
            {"name": "f0", "from": "d", "to": "s", "scheme": "bbr", "tcp": {"preset": "ns2"}},
            {"name": "f1", "from": "d", "to": "s", "scheme": "tcp-cl", "tcp": {"preset": "ns2"}},
        ],
    },
    # Westwood+ chooses ssthresh by its estimate of the bandwidth, at two cuts in a row as it had been before.
    "two cuts return to where it was": {
        **few_attempts(1, loss=0.01),
        "flow": [
            {
                "name": "f",
                "from": "bs",
                "to": "d",
                "scheme": "westwood-plus",
                "tcp": {"preset": "ns2", "dupthresh": 1},
            }
        ],
    },
    # The first segment is lost, and the ACK of the second echoes the SYN: a sample for ns-2's Linux agents.
    "an echo of the SYN": {
        **LOSSY_CELL,
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": "veno",
                "tcp": {"preset": "ns2", "handshake": True, "timestamps": True},
            }
        ],
    },
    # Kounavis 1996 §4: the timeout has what base stations say of fades on top of RFC 6298's.
    "a base station announces a delay": {
        **LOSSY_CELL,
        "flow": [{"name": "f", "from": "s", "to": "d", "scheme": "rttn"}],
    },
    # Bhandarkar 2005: the sender halves when its timer expires, and pacing lets it send only later.
    "a loss is believed while pacing waits": {
        **LOSSY_CELL,
        "flow": [{"name": "f", "from": "s", "to": "d", "scheme": "dcr", "tcp": {"pacing": True}}],
    },
    # RFC 8257 §3.2: as CE changes, a segment that comes twice brings the ACK that was owed, and its own.
    "two ACKs for a segment that came twice": {
        "wired": [
            {
                "name": "w",
                "ends": ["s", "bs"],
                "rate": "2 Mbit/s",
                "delay": "5 ms",
                "queue": {"kind": "red", "packets": 50, "min": 3, "max": 8, "ecn": True},
            }
        ],
        "radio": [
            {
                "name": "air",
                "ends": ["bs", "d"],
                "rate": "2 Mbit/s",
                "delay": "1 ms",
                "arq": {"kind": "stop-and-wait"},
                "changes": {"kind": "outage", "at": "500 ms", "lasts": "100 ms", "every": "1 s"},
            }
        ],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": "dctcp",
                "tcp": {"preset": "rfc", "rto": {"min": "50 ms"}},
            }
        ],
    },
    # LEDBAT++ slows down to two segments now and then; a loss soon after finds the window there.
    "a slowdown before a loss": {
        "wired": [
            {
                "name": "w",
                "ends": ["s", "d"],
                "rate": "2 Mbit/s",
                "delay": "5 ms",
                "queue": {"kind": "drop-tail", "packets": 4},
                "errors": {"kind": "bernoulli", "loss": 0.05},
            }
        ],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": {"name": "ledbat", "form": "ledbat++"},
                "tcp": {"preset": "ns2"},
            }
        ],
    },
    # After a timeout the sender begins again at the first hole, and a notice repairs a segment beyond that.
    "a notice after a timeout": {
        **LOSSY_CELL,
        "flow": [{"name": "f", "from": "s", "to": "d", "scheme": "tcp-cl"}],
    },
    # The receiver names a damaged segment (HACK), and the base station the hole before it (ELN): an ACK has
    # room for one of them.
    "a base station replaces a notice": {
        "wired": [{"name": "w", "ends": ["s", "bs"], "rate": "2 Mbit/s", "delay": "2 ms"}],
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11b",
                "rate": "11 Mbit/s",
                "stations": {"bs": [0, 0], "d": [30, 0]},
                "errors": {
                    "kind": "two-state",
                    "good": "500 ms",
                    "bad": "150 ms",
                    "fer_good": 0.01,
                    "fer_bad": 0.9,
                },
            }
        ],
        "flow": [
            {"name": "f", "from": "d", "to": "s", "scheme": "htcp", "services": ["damaged-frames", "eln"]}
        ],
    },
    # RFC 2883 §4.2: a retransmission joins small segments, and an ACK was lost: part of it is a duplicate.
    "a part of a segment is a duplicate": {
        "wired": [
            {
                "name": "w",
                "ends": ["s", "d"],
                "rate": "2 Mbit/s",
                "delay": "5 ms",
                "errors": {"kind": "bernoulli", "loss": 0.4},
            }
        ],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": "dctcp",
                "app": {"kind": "request-response", "request": "1 B", "response": "1 B", "think": "1 ms"},
                "tcp": {
                    "dsack": True,
                    "sack_recovery": "pipe",
                    "rto": {"initial": "20 ms", "min": "0.8 ms", "max": "50 ms"},
                },
            }
        ],
    },
    # A receiver's host takes its time: segments wait in it, and an ACK says what TCP has by then.
    "a host takes its time": {
        "wired": [
            {
                "name": "w",
                "ends": ["s", "d"],
                "rate": "8 Mbit/s",
                "delay": "5 ms",
                "queue": {"kind": "drop-tail", "packets": 5},
            }
        ],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": "sack",
                "tcp": {"turnaround": {"median": "3 ms", "p90": "9 ms"}},
            }
        ],
    },
    # RFC 6298 §2.4 bounds what samples give; before the first, §2.1 says what the timeout is.
    "the first timeout is below the least": {
        **few_attempts(1, loss=0.3),
        "flow": [
            {
                "name": "f",
                "from": "bs",
                "to": "d",
                "scheme": "newreno",
                "tcp": {"rto": {"initial": "500 ms", "min": "1 s"}},
            }
        ],
    },
    # The clock of timestamps counts milliseconds (RFC 7323 §5.4), however fine that of the timer is.
    "a timer is finer than timestamps": {
        "wired": [{"name": "w", "ends": ["s", "d"], "rate": "2 Mbit/s", "delay": "10 ms"}],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": "newreno",
                "tcp": {"rto": {"tick": "0.2 ms"}, "timestamps": True},
            }
        ],
    },
    # The echo of a timestamp cuts off a fraction of a millisecond, and the timer's clock one of a tick.
    "a timer counts ticks of echoes": {
        "wired": [{"name": "w", "ends": ["s", "d"], "rate": "2 Mbit/s", "delay": "20.3 ms"}],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": "newreno",
                "tcp": {"rto": {"kind": "single-gain", "tick": "1.2 ms", "min": "1 ms"}, "timestamps": True},
            }
        ],
    },
    # A round trip that is shorter than a millisecond is none by the clock of timestamps.
    "timestamps see no round trip": {
        "duration": "3 ms",
        "wired": [{"name": "w", "ends": ["s", "d"], "rate": "1 Gbit/s", "delay": "0 ms"}],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": "newreno",
                "segment": "100 B",
                "tcp": {"receive_window": "100 B", "delayed_ack": False},
            }
        ],
    },
    # A link that keeps the order hands over many ACKs at one instant: those that begin recovery (RFC 6582
    # §3.2), and partial ones after them, which leave the window as wide as the duplicates before made it.
    "recovery begins among ACKs of one instant": {
        "duration": "2 s",
        "radio": [
            {
                "name": "air",
                "ends": ["s", "r"],
                "rate": "10 Mbit/s",
                "delay": "5 ms",
                "arq": {"kind": "selective-repeat", "window": 64},
                "errors": {"kind": "bernoulli", "loss": 0.5, "direction": "r->s"},
            }
        ],
        "wired": [
            {
                "name": "w",
                "ends": ["r", "d"],
                "rate": "2 Mbit/s",
                "delay": "5 ms",
                "queue": {"kind": "drop-tail", "packets": 12},
                "reorder": {"share": 0.03, "by": "20 ms"},
            }
        ],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": "casablanca",
                "segment": "100 B",
                "tcp": {"delayed_ack": False, "initial_ssthresh": 20},
            }
        ],
    },
    # What looks lost was late: a cut that is undone, although the bandwidth allowed more than the window was.
    "a cut to more than the window was": {
        "duration": "2 s",
        "wired": [late(0.1, "20 ms", rate="10 Mbit/s", delay="100 ms")],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": "ideal-bwe",
                "services": ["truth"],
                "tcp": {"undo": True, "initial_ssthresh": 500, "loss_detection": "rfc6675"},
            }
        ],
    },
    # At its most and with the least window a timer expires without a trace, here as an ACK comes.
    "a timer expires as an ACK comes": {
        "wired": [{"name": "w", "ends": ["s", "d"], "rate": "1 Mbit/s", "delay": "1 ms"}],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": "reno",
                "segment": "948 B",
                "tcp": {
                    "rto": {"kind": "rfc6298", "min": "1 ms", "max": "8 ms", "initial": "8 ms"},
                    "delayed_ack": False,
                },
            }
        ],
    },
    # A timeout at its most expires without a trace, and pacing repeats what was lost later.
    "a timeout is at its most, and pacing waits": {
        "wired": [
            {"name": "w1", "ends": ["s", "r"], "delay": "0 ms", "rate": "6 Mbit/s"},
            {"name": "w2", "ends": ["r", "d"], "delay": "100 ms", "rate": "20 kbit/s"},
        ],
        "flow": [
            {
                "name": "f",
                "from": "d",
                "to": "s",
                "scheme": "tibet",
                "tcp": {"rto": {"kind": "linux", "min": "2 ms", "max": "80 ms"}, "pacing": True, "prr": True},
            }
        ],
    },
    # A SYN is no segment, and is sent again.
    "a SYN is sent again": {
        "wired": [{"name": "w", "ends": ["s", "d"], "delay": "20 ms", "rate": "10 Mbit/s"}],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": "dcr",
                "tcp": {"handshake": True, "rto": {"min": "2 ms", "max": "9 ms", "initial": "2 ms"}},
            }
        ],
    },
    # ns-2's timer cuts off fractions of a tick, and the echo those of a millisecond.
    "ns-2 counts fractions of a millisecond": {
        "wired": [{"name": "w", "ends": ["s", "d"], "delay": "3.3 ms", "rate": "3 Mbit/s"}],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": "reno",
                "tcp": {"preset": "ns2", "timestamps": True, "rto": {"tick": "0.3 ms", "min": "4 ms"}},
            }
        ],
    },
    # The first datagram is not over at the end of the run, and does not wait, either.
    "no packet arrives": {
        "wired": [
            {
                "name": "w",
                "ends": ["s", "d"],
                "rate": "1 kbit/s",
                "delay": "5 ms",
                "queue": {"kind": "drop-tail", "packets": 4},
            }
        ],
        "flow": [{"name": "f", "from": "s", "to": "d", "segment": "1500 B", **UDP}],
    },
    "a timeout is at its most": {
        "wired": [
            {
                "name": "w",
                "ends": ["s", "d"],
                "rate": "100 kbit/s",
                "delay": "200 ms",
                "queue": {"kind": "drop-tail", "packets": 5},
            }
        ],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": "reno",
                "tcp": {"preset": "rfc", "rto": {"kind": "rfc6298", "min": "1 s", "max": "1500 ms"}},
            }
        ],
    },
}
SOUND = LINKS | SENDERS | ENDS
"""Scenarios in which something looks odd, by what that is."""


SEEDS = {
    "a packet follows one that is given up": 2,
    "an echo of the SYN": 7,
    "a packet comes back to a station": 55,
    "a base station announces a delay": 4,
    "a loss is believed while pacing waits": 12,
    "a notice after a timeout": 35,
    "a timeout repeats later": 20000860,
    "an estimate of the bandwidth lies above the least window": 43,
}
"""Seeds with which it happens within 10 s, where it does not with the first."""


@pytest.mark.parametrize("what", SOUND)
def test_unusual_but_correct_traces_pass_the_verifier(what: str) -> None:
    scenario = airhop.Scenario.load({"name": "sound", "duration": "10 s", **SOUND[what]})
    assert verify(scenario, airhop.run(scenario, seed=SEEDS.get(what, 1), trace=True)) == []


def test_a_datagram_of_another_protocol_passes_the_verifier(tmp_path: Path) -> None:
    """A real host's datagram may have less behind its IP header than UDP's header has."""
    ospf = struct.pack(">BBHHHBBH", 0x45, 0, 25, 0, 0, 64, 89, 0) + S + D + bytes(5)
    log = Log(write(tmp_path / "log", head(), [(1_000_000, 0, ospf)]))
    replayed = log.replay(trace=True)
    datagrams = replayed.tables["packets"].filter(pl.col("kind") == "datagram")
    assert set(datagrams["bytes"] - datagrams["payload"]) == {25}
    assert verify(log.scenario, replayed) == []
