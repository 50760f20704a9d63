"""The verifier finds nothing in correct runs with unusual behaviour."""

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
    # Without a warm-up a datagram that a full queue drops at time 0 also counts.
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
    # JTCP has two segments in flight at a timeout; the second was sent later than the first, whose timer ran.
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
    # ns-2's timer discards SRTT after four successive timeouts, so that the next sample is the new SRTT.
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
    # The timer expires while pacing waits: nothing is retransmitted at that instant, and the flight is small.
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
    # Westwood+ sets ssthresh by its bandwidth estimate, at two successive reductions to the former value.
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
    # Kounavis 1996 §4: the timeout is RFC 6298's plus the delays that base stations announce for fades.
    "a base station announces a delay": {
        **LOSSY_CELL,
        "flow": [{"name": "f", "from": "s", "to": "d", "scheme": "rttn"}],
    },
    # Bhandarkar 2005: the sender halves its window when its timer expires, and pacing delays the segment.
    "a loss is believed while pacing waits": {
        **LOSSY_CELL,
        "flow": [{"name": "f", "from": "s", "to": "d", "scheme": "dcr", "tcp": {"pacing": True}}],
    },
    # RFC 8257 §3.2: at a change of CE, a duplicate segment causes the pending ACK, and its own.
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
    # LEDBAT++ periodically slows down to two segments; a loss soon after occurs at this window.
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
    # After a timeout the sender restarts at the first hole, and a notice repairs a segment beyond it.
    "a notice after a timeout": {
        **LOSSY_CELL,
        "flow": [{"name": "f", "from": "s", "to": "d", "scheme": "tcp-cl"}],
    },
    # The receiver names a damaged segment (HACK), and the base station the hole before it (ELN): an ACK has
    # room for only one of the two.
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
    # A receiver's host has a processing time: segments wait, and an ACK reports the data that TCP has
    # processed.
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
    # RFC 6298 §2.4 bounds timeouts from samples; before the first sample, §2.1 defines the timeout.
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
    # The clock of timestamps counts milliseconds (RFC 7323 §5.4), for any resolution of the timer's clock.
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
    # The echo of a timestamp drops the fraction of a millisecond, and the timer's clock the fraction of a
    # tick.
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
    # A round trip shorter than a millisecond is 0 by the clock of timestamps.
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
    # An in-order link delivers many ACKs at one instant: ACKs that begin recovery (RFC 6582 §3.2), and then
    # partial ACKs, which keep the window that the duplicate ACKs had inflated.
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
    # A spurious reduction to a bandwidth estimate above the former window is undone.
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
    # With maximum RTO and minimum window an expiry leaves no record; here an ACK arrives at that instant.
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
    # An expiry of the maximum RTO leaves no record, and pacing delays the retransmission.
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
    # A SYN does not count as a segment, and is retransmitted.
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
    # ns-2's timer drops fractions of a tick, and the echo fractions of a millisecond.
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
    # At the end of the run, the first datagram is neither transmitted completely nor in the queue.
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
"""Scenarios with unusual behaviour, by the behaviour."""


SEEDS = {
    "a packet follows one that is given up": 2,
    "an echo of the SYN": 7,
    "a packet comes back to a station": 55,
    "a base station announces a delay": 4,
    "a loss is believed while pacing waits": 12,
    "a notice after a timeout": 35,
    "a timeout repeats later": 20000860,
    "an estimate of the bandwidth lies above the least window": 43,
    "a station responds to one of two RTS": 22,
}
"""Seeds for scenarios that do not show the behaviour within 10 s with the first seed."""


@pytest.mark.parametrize("what", SOUND)
def test_unusual_but_correct_traces_pass_the_verifier(what: str) -> None:
    scenario = airhop.Scenario.load({"name": "sound", "duration": "10 s", **SOUND[what]})
    assert verify(scenario, airhop.run(scenario, seed=SEEDS.get(what, 1), trace=True)) == []


def test_a_datagram_of_another_protocol_passes_the_verifier(tmp_path: Path) -> None:
    """A real host's datagram may have fewer bytes after its IP header than a UDP header."""
    ospf = struct.pack(">BBHHHBBH", 0x45, 0, 25, 0, 0, 64, 89, 0) + S + D + bytes(5)
    log = Log(write(tmp_path / "log", head(), [(1_000_000, 0, ospf)]))
    replayed = log.replay(trace=True)
    datagrams = replayed.tables["packets"].filter(pl.col("kind") == "datagram")
    assert set(datagrams["bytes"] - datagrams["payload"]) == {25}
    assert verify(log.scenario, replayed) == []
