"""Writer of logs, written only from the documentation of format 2, with zlib's CRC-32."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from airhop import Scenario, _core

S, D = (b"\x0a\x00\x00\x01", b"\x0a\x00\x00\x04")
"""Addresses of the first and the last node of `last-hop`."""


def head(scenario: Any = None, **changes: Any) -> dict[str, Any]:
    """Return the head of a log of one second of last-hop, from s to d, with these changes."""
    if scenario is None:
        scenario = Scenario.load("last-hop").with_({"duration": "1 s"}).to_dict()
    doors = [{"node": node, "device": None} for node in ("s", "d")]
    made = {"airhop": _core.__version__, "scenario": scenario, "files": {}, "with": [], "seed": 1, "rep": 0}
    return {**made, "doors": doors, "headers_only": False, **changes}


def write(
    path: Path,
    head: dict[str, Any],
    datagrams: Iterable[tuple[int, int, bytes]] = (),
    *,
    end: int = 10**9,
    version: int = 2,
) -> Path:
    """Write a log of datagrams, each with its time in ns and its node."""
    made = bytearray(b"AIRHOPLG")
    made += struct.pack("<HB", version, 0)
    summed = 0

    def part(data: bytes) -> bytes:
        nonlocal summed
        summed = zlib.crc32(data, summed)
        return data + (struct.pack("<I", summed) if version > 1 else b"")

    text = json.dumps(head).encode()
    made = bytearray(part(bytes(made) + struct.pack("<I", len(text)) + text))
    for time, node, datagram in datagrams:
        made += part(struct.pack("<BQHII", 1, time, node, len(datagram), len(datagram)))
        made += part(datagram)
    made += part(struct.pack("<BQ", 2, end))
    path.write_bytes(made)
    return path


def udp(source: bytes, destination: bytes, payload: int, port: int = 9) -> bytes:
    """Make an IPv4 datagram of UDP, without checksums."""
    length = 28 + payload
    ip = struct.pack(">BBHHHBBH", 0x45, 0, length, 0, 0, 64, 17, 0) + source + destination
    return ip + struct.pack(">HHHH", port, port, 8 + payload, 0) + bytes(payload)
