"""Downloads by curl from a Linux kernel over an emulated wire, and simulations of these downloads."""

from __future__ import annotations

import shlex
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from airhop.crosscheck.worlds import Document

SECONDS = 60
"""Duration of a simulation in seconds."""
REQUEST = "80 B"
"""Size of curl's request without the usual headers."""


@dataclass(frozen=True)
class Loading:
    """Series of downloads of a response or of a page, one after the other."""

    title: str
    scheme: Literal["reno", "cubic", "bbr"]
    kb: int | None = None
    """Size of the response in kB; None for a download of the page."""
    is_reused: bool = False
    """True if all requests use the same connection."""
    loss: float = 0.0
    packets: int = 1000
    """Queue capacity in packets."""

    @property
    def is_page(self) -> bool:
        """True if the download is the page."""
        return self.kb is None


LOADINGS: Mapping[str, Loading] = {
    "10 kB": Loading("10 kB", "cubic", 10),
    "30 kB": Loading("30 kB", "cubic", 30),
    "100 kB": Loading("100 kB", "cubic", 100),
    "300 kB": Loading("300 kB", "cubic", 300),
    "30 kB reused": Loading("30 kB, one connection", "cubic", 30, is_reused=True),
    "30 kB bbr": Loading("30 kB", "bbr", 30),
    "30 kB loss": Loading("30 kB, loss 2 %", "cubic", 30, loss=0.02),
    "page": Loading("page", "cubic"),
    "page bbr": Loading("page", "bbr"),
    "page short queue": Loading("page, queue of 100 packets", "cubic", packets=100),
    "page short queue reno": Loading("page, queue of 100 packets", "reno", packets=100),
}
"""Series of downloads by name."""


def simulated(name: str) -> Document:
    """Return the scenario of a series with simulated hosts, over a wire of 10 Mbit/s and 20 ms each way.

    Only BBR is paced, because a kernel's Reno and CUBIC are not paced without the queueing discipline fq.
    """
    loading = LOADINGS[name]
    app: dict[str, Any] = {"request": REQUEST, "think": "20 ms"}
    if loading.is_page:
        app |= {"kind": "web", "page": str(_page())}
    else:
        connections = "reused" if loading.is_reused else "new"
        app |= {"kind": "request-response", "response": f"{loading.kb} kB", "connections": connections}
    return {
        "name": "curl",
        "duration": f"{SECONDS} s",
        "wired": [
            {
                "name": "w",
                "ends": ["s", "d"],
                "rate": "10 Mbit/s",
                "delay": "20 ms",
                "queue": {"kind": "drop-tail", "packets": loading.packets},
                "errors": {"kind": "bernoulli", "loss": loading.loss},
            }
        ],
        "flow": [
            {
                "name": "f",
                "from": "s",
                "to": "d",
                "scheme": loading.scheme,
                "segment": "1448 B",
                "app": app,
                "tcp": {"preset": "linux", "pacing": False},
            }
        ],
    }


# ---- by curl -----------------------------------------------------------------------------------------------

SERVE = """
import socket, threading

def answer(connection):
    asked, close = b"", False
    while not close and (part := connection.recv(65536)):
        asked += part
        while b"\\r\\n\\r\\n" in asked:
            request, _, asked = asked.partition(b"\\r\\n\\r\\n")
            size, close = int(request.split()[1][1:]), b"Connection: close" in request
            head = b"HTTP/1.1 200 OK\\r\\nContent-Length: %08d\\r\\n\\r\\n"
            rest = size - len(head % 0)
            connection.sendall(head % rest + bytes(rest))
    connection.close()

server = socket.create_server(("", 80), backlog=64)
while True:
    try:
        connection, _ = server.accept()
    except TimeoutError:
        if threading.active_count() == 1:
            break
        continue
    server.settimeout(5)
    threading.Thread(target=answer, args=(connection,)).start()
"""
"""Server program. The response to `GET /N` has N bytes, including headers. The program ends 5 s after the
last connection.
"""

ASK = "curl --http1.1 --silent --show-error --fail --header User-Agent: --header Accept:"


def commands(name: str, count: int) -> dict[str, str]:
    """Return the commands of the server at node s, and of curl at node d for `count` downloads.

    The kernel does not reuse metrics of earlier connections. curl loads a page over at most six connections.
    """
    loading = LOADINGS[name]
    serve = f"{shlex.quote(sys.executable)} -c {shlex.quote(SERVE)}"
    return {"s": f"sysctl -qw net.ipv4.tcp_no_metrics_save=1 && {serve}", "d": _loads(loading, count)}


def _loads(loading: Loading, count: int) -> str:
    if loading.is_page:
        urls = " ".join(map(_url, page_bytes()))
        parallel = "--parallel --parallel-immediate --parallel-max 6 --verbose --trace-time"
        first_and_last = "grep -e Trying -e 'left intact' | sed -n '1p;$p'"
        return f"for i in $(seq {count}); do {ASK} {parallel} {urls} 2>&1 | {first_and_last}; done"
    url, timed = _url(1000 * (loading.kb or 0)), r"--write-out '%{time_total}\n'"
    if loading.is_reused:
        return f"{ASK} {timed} {' '.join([url] * (count + 1))}"
    return f"for i in $(seq {count}); do {ASK} --header 'Connection: close' {timed} {url}; done"


def _url(size: int) -> str:
    return f"--output /dev/null http://{{s}}/{size}"


def completions_ms(name: str, said: str) -> list[float]:
    """Read the completion times in milliseconds from the output of curl.

    The first request of a reused connection is omitted.
    """
    loading = LOADINGS[name]
    if loading.is_page:
        times = [datetime.strptime(line.split()[0], "%H:%M:%S.%f") for line in said.splitlines()]
        spans = [end - begin for begin, end in list(pairwise(times))[::2]]
        return [(span % timedelta(days=1)) / timedelta(milliseconds=1) for span in spans]
    times_ms = [1000 * float(line) for line in said.splitlines()]
    return times_ms[1:] if loading.is_reused else times_ms


@cache
def page_bytes() -> list[int]:
    """Return the sizes of the page's objects in bytes."""
    objects = tomllib.loads(_page().read_text(encoding="utf-8"))["object"]
    return [1000 * int(one["size"].removesuffix(" kB")) for one in objects]


def _page() -> Path:
    return Path(str(resources.files(__package__) / "reference" / "page.toml"))
