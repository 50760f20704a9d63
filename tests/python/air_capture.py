"""Reader of captures of 802.11 frames, written only from the layouts of pcapng, radiotap and IEEE 802.11."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RADIOTAP = 127
KINDS = {
    (1, 8): "block-ack-req",
    (1, 9): "block-ack",
    (1, 11): "rts",
    (1, 12): "cts",
    (1, 13): "ack",
    (2, 0): "data",
    (2, 8): "qos-data",
}
"""Names of frames by type and subtype (IEEE 802.11-2020 Table 9-1)."""
FIELDS = {0: (8, 8), 1: (1, 1), 2: (1, 1), 3: (2, 4), 19: (1, 3), 20: (4, 8), 21: (2, 12), 23: (2, 12)}
"""Alignment and size of radiotap's fields by their bit."""


@dataclass(frozen=True)
class Frame:
    """A captured frame."""

    time_ns: int
    comment: str
    tsft_us: int
    bad_fcs: bool
    """Bad-FCS flag of the radiotap header."""
    fcs_holds: bool
    """True if the last four bytes are the CRC of the other bytes."""
    rate_mbps: float | None
    channel: tuple[int, int]
    """Frequency in MHz, and flags."""
    modes: dict[int, bytes]
    """Fields MCS (19), VHT (21) and HE (23) that are present."""
    reference: int | None
    is_last: bool
    eof: bool
    kind: str
    retry: bool
    more_fragments: bool
    duration_us: int
    receiver: str
    transmitter: str
    sequence: int
    fragment: int
    tid: int | None
    datagrams: tuple[bytes, ...]
    """Packets in a Data frame, each without LLC and SNAP headers; for a fragment, its bytes."""
    start: int
    """Starting sequence number of BlockAckReq and BlockAck."""
    bitmap: int
    bytes: int
    """Length of the MAC frame with its FCS."""


def read(path: Path) -> tuple[list[str], str, list[Frame]]:
    """Return the comments of a capture, the name of its interface, and its frames."""
    comments, name, frames = [], "", []
    for kind, body in _blocks(path.read_bytes()):
        if kind == 0x0A0D0D0A:
            assert struct.unpack_from("<IHHq", body) == (0x1A2B3C4D, 1, 0, -1)
            comments = [value.decode() for code, value in _options(body[16:]) if code == 1]
        elif kind == 1:
            link, reserved, snap = struct.unpack_from("<HHI", body)
            assert (link, reserved, snap) == (RADIOTAP, 0, 0)
            options = dict(_options(body[8:]))
            assert options[9] == b"\x09"
            name = options[2].decode()
        else:
            assert kind == 6
            frames.append(_packet(body))
    return comments, name, frames


def _blocks(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        assert length % 4 == 0
        assert struct.unpack_from("<I", data, at + length - 4) == (length,)
        yield kind, data[at + 8 : at + length - 4]
        at += length
    assert at == len(data)


def _options(body: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(body):
        code, length = struct.unpack_from("<HH", body, at)
        if code == 0:
            return
        yield code, body[at + 4 : at + 4 + length]
        at += 4 + (length + 3) // 4 * 4


def _packet(body: bytes) -> Frame:
    interface, high, low, captured, original = struct.unpack_from("<IIIII", body)
    assert (interface, captured) == (0, original)
    comments = [value for code, value in _options(body[20 + (captured + 3) // 4 * 4 :]) if code == 1]
    data = body[20 : 20 + captured]
    header, length = _radiotap(data)
    ampdu = struct.unpack("<IHBB", header[20]) if 20 in header else None
    assert ampdu is None or ampdu[1] & 0x04, "the last subframe is known"
    flags = header[1][0]
    assert flags & ~0x40 == 0x10, "the FCS is at the end"
    frame = data[length:]
    channel = struct.unpack("<HH", header[3])
    return Frame(
        time_ns=high << 32 | low,
        comment=comments[0].decode() if comments else "",
        tsft_us=struct.unpack("<Q", header[0])[0],
        bad_fcs=bool(flags & 0x40),
        fcs_holds=zlib.crc32(frame[:-4]) == struct.unpack("<I", frame[-4:])[0],
        rate_mbps=header[2][0] / 2 if 2 in header else None,
        channel=(channel[0], channel[1]),
        modes={bit: header[bit] for bit in (19, 21, 23) if bit in header},
        reference=None if ampdu is None else int(ampdu[0]),
        is_last=bool(ampdu and ampdu[1] & 0x08),
        eof=bool(ampdu and ampdu[1] & 0x40),
        bytes=len(frame),
        **_mac(frame[:-4]),
    )


def _radiotap(data: bytes) -> tuple[dict[int, bytes], int]:
    version, pad, length, present = struct.unpack_from("<BBHI", data)
    assert (version, pad, present >> 31) == (0, 0, 0)
    fields, at = {}, 8
    for bit in range(31):
        if present >> bit & 1:
            alignment, size = FIELDS[bit]
            at = (at + alignment - 1) // alignment * alignment
            fields[bit] = data[at : at + size]
            at += size
    assert at == length
    return fields, length


def _mac(frame: bytes) -> dict[str, Any]:
    control, duration = struct.unpack_from("<HH", frame)
    assert control & 0b11 == 0, "version 0"
    assert control >> 8 & ~0b1100 == 0, "no flag but More Fragments and Retry"
    kind = KINDS[control >> 2 & 0b11, control >> 4 & 0xF]
    found: dict[str, Any] = {
        "kind": kind,
        "retry": bool(control & 0x800),
        "more_fragments": bool(control & 0x400),
        "duration_us": duration,
        "receiver": frame[4:10].hex(":"),
        "transmitter": frame[10:16].hex(":"),
        "sequence": -1,
        "fragment": 0,
        "tid": None,
        "datagrams": (),
        "start": -1,
        "bitmap": 0,
    }
    if kind in ("block-ack-req", "block-ack"):
        bar, start = struct.unpack_from("<HH", frame, 16)
        assert bar & 0xFFF == 0x004, "compressed"
        octets = {0: 8, 4: 32}[start & 0xF] if kind == "block-ack" else 0
        assert len(frame) == 20 + octets
        found |= {"tid": bar >> 12, "start": start >> 4, "bitmap": int.from_bytes(frame[20:], "little")}
    elif kind in ("data", "qos-data"):
        (sequence,) = struct.unpack_from("<H", frame, 22)
        tid = struct.unpack_from("<H", frame, 24)[0] if kind == "qos-data" else None
        body = frame[24 if tid is None else 26 :]
        number = sequence & 0xF
        is_part = number > 0 or found["more_fragments"]
        datagrams = (body,) if is_part else tuple(_datagrams(body, bool(tid and tid & 0x80)))
        found |= {"tid": tid if tid is None else tid & 0xF, "sequence": sequence >> 4}
        found |= {"fragment": number, "datagrams": datagrams}
    else:
        assert len(frame) == (16 if kind == "rts" else 10)
        found["transmitter"] = frame[10:16].hex(":") if kind == "rts" else ""
    return found


def _datagrams(body: bytes, is_amsdu: bool) -> Iterator[bytes]:
    at = 0
    while is_amsdu and at < len(body):
        (length,) = struct.unpack_from(">H", body, at + 12)
        yield _datagram(body[at + 14 : at + 14 + length])
        at += (14 + length + 3) // 4 * 4
    if not is_amsdu:
        yield _datagram(body)


def _datagram(msdu: bytes) -> bytes:
    assert msdu[:8] == b"\xaa\xaa\x03\x00\x00\x00\x08\x00", "LLC, SNAP and IPv4"
    assert struct.unpack_from(">H", msdu, 10) == (len(msdu) - 8,)
    return msdu[8:]
