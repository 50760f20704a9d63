#!/usr/bin/env python3
"""Measure goodput and completion times of a kernel over emulated links: emulated.csv and downloads.csv.

The files are in python/airhop/crosscheck/reference. The program needs root or user namespaces, TUN, iperf3
and curl, and an idle machine, because some runs are simultaneous. A run whose packets were too late is
repeated with the next seed.
"""

from __future__ import annotations

import argparse
import csv
import json
import shlex
import statistics
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from airhop import emulate
from airhop.crosscheck.against_kernel import LINKS, SECONDS, KernelPath, emulated
from airhop.crosscheck.check import scenario
from airhop.crosscheck.reference import COMPLETION_S, GOODPUT, parameters
from airhop.live.validity import LIMIT_PERCENT
from airhop.objects import shipped

POINT = ("link", "params", "scheme")
MEASURED = ("lateness_p99_us", "turnaround_p50_us", "turnaround_p90_us")
DOWNLOADS = 10
"""Number of downloads of a run, one after the other, each on a connection without cached metrics."""
SERVE = """
import http.server, socket, sys

class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", sys.argv[1])
        self.end_headers()
        self.wfile.write(bytes(int(sys.argv[1])))

server = http.server.HTTPServer(("", 80), Answer)
server.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, sys.argv[3].encode())
for _ in range(int(sys.argv[2])):
    server.handle_request()
"""


def measure(point: tuple[str, str, str], seed: int, tolerance: float) -> dict[str, object] | None:
    """Return the row of one run; None if it is not valid with this tolerance, per cent."""
    word, params, scheme = point
    link, size = LINKS[word], parameters(params).get("size")
    objects = () if shipped(scheme) is None else scheme
    paced = scheme if "paced" in parameters(params) else None
    commands = _bulk(link, paced) if size is None else _downloads(scheme, 1000 * int(size))
    network = scenario(emulated(*point)).with_({"duration": f"{2 * SECONDS} s"})
    run = emulate(
        network, commands, scheme="bbr" if paced else scheme, with_=objects, seed=seed, tolerance=tolerance
    )
    if run.failures or not run.valid:
        print(f"{point}, seed {seed}: {'; '.join(run.failures or run.why)}", file=sys.stderr)
        return None
    said = run.live["commands"][1]["stdout"]
    took = run.live["turnaround_us"][link.receiver]
    return {
        **dict(zip(POINT, point, strict=True)),
        "seed": seed,
        **(_goodput(said) if size is None else _completion(said)),
        "lateness_p99_us": f"{run.live['lateness_us']['p99']:.0f}",
        "turnaround_p50_us": f"{took['p50']:.0f}",
        "turnaround_p90_us": f"{took['p90']:.0f}",
    }


def _bulk(link: KernelPath, changed_to: str | None) -> dict[str, str]:
    """Return the commands of a bulk transfer.

    If the link marks packets, they enable ECN in the kernel of each node.

    A connection that begins with BBR and changes its congestion control remains paced.
    """
    asks = "sysctl -qw net.ipv4.tcp_ecn=1 && " if link.is_marked else ""
    changes = "" if changed_to is None else f" -C {changed_to}"
    return {
        link.receiver: "iperf3 -s -1",
        link.sender: f"{asks}iperf3 -c {{{link.receiver}}} -t {SECONDS}{changes} -J",
    }


def _goodput(said: str) -> dict[str, str]:
    return {GOODPUT: f"{json.loads(said)['end']['sum_received']['bits_per_second'] / 1e6:.4f}"}


def _downloads(scheme: str, size: int) -> dict[str, str]:
    """Return the commands of a server that sends `size` kB by HTTP, and of a client that downloads them."""
    serve = f"{shlex.quote(sys.executable)} -c {shlex.quote(SERVE)} {size} {DOWNLOADS} {scheme}"
    told = shlex.quote("%{time_total} %{time_connect}\\n")
    ask = f"curl --silent --show-error --fail --output /dev/null --write-out {told} http://{{s}}/"
    return {
        "s": f"sysctl -qw net.ipv4.tcp_no_metrics_save=1 && {serve}",
        "d": f"for i in $(seq {DOWNLOADS}); do {ask}; done",
    }


def _completion(said: str) -> dict[str, str]:
    """Return the completion times without the one-way delay of the request, which the simulation lacks."""
    times = [[float(word) for word in line.split()] for line in said.splitlines()]
    return {COMPLETION_S: f"{statistics.mean(total - connected / 2 for total, connected in times):.4f}"}


def rows(
    points: list[tuple[str, str, str]], runs: int, jobs: int, seed: int, tolerance: float
) -> Iterator[dict[str, object]]:
    """Yield this number of valid runs of each point."""
    valid = partial(measure, tolerance=tolerance)
    with ProcessPoolExecutor(jobs) as pool:
        missing = dict.fromkeys(points, runs)
        first = dict.fromkeys(points, seed)
        while missing:
            asked = [
                (point, first[point] + i)
                for i in range(max(missing.values()))
                for point in missing
                if i < missing[point]
            ]
            for point, tried in asked:
                first[point] = max(first[point], tried + 1)
            for (point, _), row in zip(asked, pool.map(valid, *zip(*asked, strict=True)), strict=True):
                if row is not None:
                    missing[point] -= 1
                    yield row
            missing = {point: left for point, left in missing.items() if left}


def main() -> None:
    """Print the rows as CSV."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "points", nargs="+", help="LINK:PARAMS:SCHEME: 'last-hop:attempts=1;fer=0.01:reno' or rlp::bbr"
    )
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1, help="of the first run; those of the rest follow")
    parser.add_argument("--tolerance", type=float, default=LIMIT_PERCENT, help="of a valid run, per cent")
    given = parser.parse_args()
    points = [(link, params, scheme) for link, params, scheme in (one.split(":") for one in given.points)]
    measured = {COMPLETION_S if "size=" in params else GOODPUT for _, params, _ in points}
    if len(measured) > 1:
        parser.error("downloads and bulk transfers are rows of two files: ask for one or the other")
    made = rows(points, given.runs, given.jobs, given.seed, given.tolerance)
    out = csv.DictWriter(sys.stdout, (*POINT, "seed", *measured, *MEASURED), lineterminator="\n")
    out.writeheader()
    out.writerows(sorted(made, key=lambda row: [str(row[name]) for name in POINT]))


if __name__ == "__main__":
    main()
