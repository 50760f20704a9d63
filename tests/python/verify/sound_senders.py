"""Senders whose flight looks too large and is sound, by the reason."""

from __future__ import annotations

from typing import Any

from sound_links import late

SENDERS: dict[str, dict[str, Any]] = {
    # RFC 9937 §6.1: RecoverFS is the flight before the ACK that cuts the window. An A-MPDU brings ACKs of one
    # instant: segments left after the first, and a later one has the echo of a mark.
    "segments leave at the instant of the cut": {
        "duration": "100 ms",
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11n",
                "rate": {"mcs": 7},
                "stations": {"s": [0, 0], "d": [10, 0]},
                "queue": {"kind": "codel", "interval": "10 ms", "ecn": True},
            }
        ],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": "newreno",
                "tcp": {"preset": "linux", "ecn": True},
            }
        ],
    },
    # RFC 6582 §3.2: recovery begins, and partial ACKs and further duplicates come at the same instant.
    "duplicates follow on partial ACKs of one instant": {
        "duration": "200 ms",
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11ax",
                "rate": {"mcs": 2, "streams": 2},
                "lifetime": "5 ms",
                "layout": {"kind": "random", "nodes": 5, "width": "100 m", "height": "60 m"},
                "routing": {"kind": "aodv", "buffer": 100000, "repair": True},
            }
        ],
        "flow": [{"name": "f", "from": "n0", "to": "n4", "scheme": "jtcp"}],
    },
    # Fall and Floyd 1996 §4: a partial ACK lowers the pipe by two segments, but nothing was lost here.
    "a pipe counts partial ACKs twice": {
        "wired": [late(0.02, "5 ms", rate="10 Mbit/s", delay="10 ms")],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": "sack",
                "tcp": {"preset": "ns2", "sack_recovery": "pipe", "dupthresh": 1, "delayed_ack": False},
            }
        ],
    },
}
