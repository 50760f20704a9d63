"""Replays of logs contradict no law, even if hosts send arbitrary datagrams."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from airhop.live import Log
from airhop.verify import verify
from log_files import head, udp, write

S, D = b"\x0a\x00\x00\x01", b"\x0a\x00\x00\x02"
SYN, FIN, RST, ACK = 2, 1, 4, 16
Datagram = tuple[int, int, bytes]
"""Time of entry, ns, its node, and the datagram."""


def tcp(ends: tuple[bytes, bytes], ports: tuple[int, int], said: tuple[int, int, int], payload: int) -> bytes:
    """Return an IPv4 datagram with a TCP segment without checksums.

    `said` has flags, sequence number and ACK.
    """
    flags, seq, ack = said
    options = b"\x02\x04\x05\xb4\x03\x03\x07\x00" if flags & SYN else b""
    offset = (20 + len(options)) // 4 << 4
    segment = struct.pack(">HHIIBBHHH", *ports, seq % 2**32, ack % 2**32, offset, flags, 65_000, 0, 0)
    length = 20 + len(segment) + len(options) + payload
    ip = struct.pack(">BBHHHBBH", 0x45, 0, length, 0, 0, 64, 6, 0) + ends[0] + ends[1]
    return ip + segment + options + bytes(payload)


def connection(draw: Random, ports: tuple[int, int]) -> Iterator[Datagram]:
    """Draw a connection: each side sends, retransmits, acknowledges, closes, and may use false numbers."""
    first = [draw.randrange(2**32), draw.randrange(2**32)]
    sent = [1, 1]
    time = draw.randrange(10**8)

    def says(side: int, flags: int, seq: int, payload: int = 0) -> Datagram:
        ends, mine = ((S, D), ports) if side == 0 else ((D, S), ports[::-1])
        ack = draw.choice([sent[1 - side], draw.randint(1, sent[1 - side])])
        if draw.random() < 0.03:
            ack = draw.choice([0, ack + 5000, draw.randrange(2**32)])
        said = (flags, first[side] + seq, first[1 - side] + ack if flags & ACK else 0)
        return time, side, tcp(ends, mine, said, payload)

    yield says(0, SYN, 0)
    time += draw.randrange(10**7, 10**8)
    yield says(1, SYN | ACK, 0)
    talks = draw.choice([[0], [1], [0, 1]])
    for _ in range(draw.randrange(40)):
        time += draw.choice([0, draw.randrange(10**5), draw.randrange(10**8)])
        side = draw.choice([0, 1])
        payload = draw.choice([1, 100, 1400]) if side in talks and draw.random() < 0.7 else 0
        seq = sent[side]
        if payload and draw.random() < 0.2:
            seq = draw.choice([1, max(1, seq - payload), seq + draw.randrange(3000)])
        yield says(side, ACK, seq, payload)
        sent[side] = max(sent[side], seq + payload)
    for side in draw.choice([[], [0], [0, 1]]):
        time += draw.randrange(10**7)
        yield says(side, draw.choice([FIN | ACK, RST]), sent[side])
        time += draw.randrange(10**7)
        sent[side] += 1
        yield says(1 - side, ACK, sent[1 - side])


def datagrams(draw: Random) -> Iterator[Datagram]:
    """Draw what hosts send: connections, some of the same ports, and UDP."""
    for _ in range(draw.choice([1, 1, 2, 3])):
        yield from connection(draw, (draw.choice([41_000, 41_001]), 80))
    for _ in range(draw.choice([0, 0, 5])):
        ends = draw.choice([(S, D), (D, S)])
        yield draw.randrange(10**9), int(ends[0] == D), udp(*ends, draw.randrange(1400), draw.choice([9, 53]))


def scenario(draw: Random) -> dict[str, Any]:
    """Draw a wire between s and d whose flows real traffic replaces."""
    wire: dict[str, Any] = {
        "name": "air",
        "ends": ["s", "d"],
        "rate": draw.choice(["100 kbit/s", "1 Mbit/s", "20 Mbit/s"]),
        "delay": draw.choice(["0 ms", "10 ms"]),
        "queue": {"kind": draw.choice(["drop-tail", "codel", "fq"]), "packets": draw.choice([2, 50])},
        "errors": {"kind": "bernoulli", "loss": draw.choice([0, 0.1])},
    }
    ends = draw.choice([("s", "d"), ("d", "s")])
    flow = {
        "name": "ftp",
        "from": ends[0],
        "to": ends[1],
        "scheme": draw.choice(["reno", "snoop", "ll-elsn"]),
    }
    warmup = draw.choice(["0 s", "300 ms"])
    return {"name": "made-up", "duration": "3 s", "warmup": warmup, "wired": [wire], "flow": [flow]}


@pytest.mark.parametrize("seed", range(30))
def test_replays_of_arbitrary_datagrams_pass_the_verifier(seed: int, tmp_path: Path) -> None:
    draw = Random(seed)
    entering = sorted(datagrams(draw), key=lambda datagram: datagram[0])
    end = max((time for time, *_ in entering), default=0) + draw.randrange(10**9)
    log = Log(write(tmp_path / "made-up.log", head(scenario(draw)), entering, end=end))
    assert verify(log.scenario, log.replay(trace=True)) == []


def test_an_emulation_that_ends_during_its_warm_up_has_no_measured_values(tmp_path: Path) -> None:
    network = scenario(Random(1)) | {"warmup": "500 ms"}
    entering = [(10**8, 0, tcp((S, D), (41_000, 80), (ACK, 1, 1), 100))]
    log = Log(write(tmp_path / "short.log", head(network), entering, end=4 * 10**8))
    result = log.replay(trace=True)
    assert {flow["goodput_mbps"] for flow in result.document["flows"]} == {None}
    assert sum(flow["sent_segments"] for flow in result.document["flows"]) == 0
    assert verify(log.scenario, result) == []
