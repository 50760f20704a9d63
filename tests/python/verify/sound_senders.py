"""Scenarios in which a sender's flight seems too large but is correct, by the reason."""

from __future__ import annotations

from typing import Any

from sound_links import late

SENDERS: dict[str, dict[str, Any]] = {
    # RFC 9937 §6.1: RecoverFS is the flight before the ACK that reduces the window. An A-MPDU delivers
    # several ACKs at one instant: segments were sent after the first ACK, and a later ACK echoes a mark.
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
    # RFC 6582 §3.2: the beginning of recovery, partial ACKs and further duplicate ACKs at the same instant.
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
    # ns-3's TcpVegas, like Linux, raises ssthresh to three quarters of the window after each decision.
    "ssthresh follows the window": {
        "duration": "2 s",
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11",
                "rate": "2 Mbit/s",
                "stations": {"s": [0, 0], "d": [45, 0]},
            }
        ],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": {"name": "vegas", "form": "ns3", "alpha": 30, "gamma": 0.05},
                "tcp": {"preset": "ns2", "timestamps": True, "undo": False},
            }
        ],
    },
    # Fall and Floyd 1996 §4: a partial ACK reduces the pipe by two segments, although nothing was lost.
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
