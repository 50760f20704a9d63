"""Conversion of events of a real link layer into notices to TCP senders (LL-ELSN, Yun 2009 §3.1).

A driver or hostapd writes lines into a socket. A line has the kind of the event and a station. For `failed`,
`discarded` and `delivered`, a line also has the first bytes of a datagram. `airhop._core.LinkEvents` parses
the line. In a file of events, each line begins with the time in seconds.
"""

from __future__ import annotations

import ipaddress
import math
import selectors
import socket
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from airhop import _core
from airhop.errors import InputError, PrivilegeError, shortened

LONGEST_LINE = 4096
"""Maximum length in bytes of a line from the socket. An event has fewer than 400."""
HEAD = "# events of a link layer: time in s, kind, station, first bytes of the datagram\n"
IPV6_HDRINCL = 36
"""Socket option: written datagrams contain the IPv6 header (include/uapi/linux/in6.h)."""

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class Notice:
    """Notice to the sender of a segment."""

    kind: str
    """`ersn` or `eln`."""
    source: str
    """Address and port of the segment's sender, to which the notice is sent."""
    destination: str
    seq: int
    """First sequence number of the segment."""
    length: int
    """Payload of the segment in bytes."""
    datagram: bytes

    @property
    def address(self) -> str:
        """Address to which the notice is sent."""
        return self.source.rpartition(":")[0].strip("[]")

    def __str__(self) -> str:
        segment = f"segment {self.seq} of {self.length} bytes"
        return f"{self.kind} to {self.source} about {segment} to {self.destination}"


def parse_prefix(text: str) -> Network:
    """Parse an address or prefix, such as 10.0.0.1 or fd00::/64; raises InputError."""
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        message = f"`{shortened(text)}` is no address: expected an address (10.0.0.1) or prefix (10.0.0.0/8)"
        raise InputError(message) from None


@dataclass
class Notifier:
    """Converter of link-layer events into notices, sent to senders that listen for notices."""

    to: list[Network]
    send: Callable[[Notice], None]
    counts: Counter[str] = field(default_factory=Counter)
    """Counts: `events`, notices sent by kind, notices `withheld` from senders outside of `to`, notices
    `unsent` because the system has no route, and lines that are `no event`.
    """
    events: _core.LinkEvents = field(default_factory=_core.LinkEvents)

    def hear(self, line: str) -> None:
        """Process an event, and send the resulting notices; raises InputError if the line is no event."""
        try:
            rows = self.events.hear(line)
        except ValueError as error:
            self.counts["no event"] += 1
            raise InputError(str(error)) from None
        self.counts["events"] += 1
        for notice in (Notice(*row) for row in rows):
            self.counts[self._sent(notice)] += 1

    def _sent(self, notice: Notice) -> str:
        address = ipaddress.ip_address(notice.address)
        if not any(address in prefix for prefix in self.to):
            return "withheld"
        try:
            self.send(notice)
        except OSError:
            return "unsent"
        return notice.kind


def sender() -> Callable[[Notice], None]:
    """Return a function that sends datagrams with their IP headers; raises PrivilegeError."""
    try:
        four = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    except PermissionError:
        raise PrivilegeError(
            "a notice has the address of another host as its source, which only root (CAP_NET_RAW) may send"
        ) from None
    try:
        six = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_RAW)
        six.setsockopt(socket.IPPROTO_IPV6, IPV6_HDRINCL, 1)
    except OSError:  # the machine lacks IPv6
        six = four

    def send(notice: Notice) -> None:
        kind = six if ":" in notice.address else four
        kind.sendto(notice.datagram, (notice.address, 0))

    return send


def from_socket(path: Path) -> Iterator[str]:
    """Yield the lines that programs write into a stream socket at `path`; this iterator never ends.

    Raises InputError if another program uses the socket, or if `path` is no socket.
    """
    _remove_left(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server, selectors.DefaultSelector() as ready:
        server.bind(str(path))
        try:
            server.listen()
            ready.register(server, selectors.EVENT_READ)
            yield from _lines(server, ready)
        finally:
            path.unlink(missing_ok=True)


def _remove_left(path: Path) -> None:
    """Remove the socket file of a killed program."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise InputError(f"{path} is no socket: expected a name that is not in use")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        try:
            client.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
        else:
            raise InputError(f"another program listens at {path}: choose another --socket")


def _lines(server: socket.socket, ready: selectors.BaseSelector) -> Iterator[str]:
    rests: dict[socket.socket, bytes] = {}
    while True:
        for key, _ in ready.select():
            if key.fileobj is server:
                client, _ = server.accept()
                rests[client] = b""
                ready.register(client, selectors.EVENT_READ)
                continue
            client = key.fileobj  # type: ignore[assignment]
            data = _received(client)
            *lines, rest = (rests[client] + data).split(b"\n")
            ended = not data or len(rest) > LONGEST_LINE
            if ended:
                ready.unregister(client)
                client.close()
                del rests[client]
                lines.append(rest[: LONGEST_LINE if rest else 0])
            else:
                rests[client] = rest
            yield from (line.decode("ascii", "replace") for line in lines if line.strip())


def _received(client: socket.socket) -> bytes:
    with suppress(ConnectionError):
        return client.recv(65536)
    return b""


def recorded(lines: Iterable[str], path: Path) -> Iterator[str]:
    """Yield lines, and write each line with the current time into a new file for `from_file`."""
    with path.open("x", encoding="ascii", errors="replace", buffering=1) as file:
        file.write(HEAD)
        start = time.monotonic()
        for line in lines:
            file.write(f"{time.monotonic() - start:.6f} {line.strip()}\n")
            yield line


def from_file(path: Path, *, at_their_times: bool) -> Iterator[str]:
    """Yield the events of a file, in real time or without waiting; raises InputError for an invalid line."""
    start = time.monotonic()
    before = 0.0
    with path.open(encoding="ascii", errors="replace") as file:
        for number, text in enumerate(file, start=1):
            if not text.strip() or text.startswith("#"):
                continue
            first, _, event = text.strip().partition(" ")
            due = _seconds(first)
            if due is None or due < before:
                raise InputError(
                    f"{path}, line {number}: `{shortened(first)}` is no time: expected seconds since the"
                    " beginning, in ascending order"
                )
            before = due
            if at_their_times:
                time.sleep(max(0.0, start + due - time.monotonic()))
            yield event


def _seconds(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if seconds >= 0 and math.isfinite(seconds) else None
