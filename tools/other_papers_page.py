"""Make docs/papers-on-real-packets.md: Koo 2007 and Cheng 2008 in a kernel, simulated, and as printed.

The kernel's runs are rows of emulated.csv and chain.csv in python/airhop/crosscheck/reference
(tools/emulated.py), the simulated ones rows of docs/cross-checks.csv. The module runs nothing.
"""

from collections.abc import Iterator, Mapping

from airhop.crosscheck.against_kernel import check_id
from airhop.crosscheck.reference import points
from airhop.crosscheck.words import percent
from airhop.stats import Estimate
from airhop.terminal import mean_pm
from blocks import table
from kernel_tables import over, simulated

PAGE = "papers-on-real-packets.md"
Point = tuple[str, ...]
KOO = {"Reno": "reno", "WestwoodNR": "bpf_westwood_nr", "WestwoodVT": "bpf_westwood_vt"}
RATES = ("0.01", "0.02")
PRINTED = {
    ("0.01", "WestwoodNR"): 1.03,
    ("0.02", "WestwoodNR"): 1.11,
    ("0.01", "Reno"): 1.21,
    ("0.02", "Reno"): 1.54,
}
"""Gains of WestwoodVT in the text of Koo et al. 2007, by error rate and other scheme."""
CHAIN: Mapping[str, Point] = {
    "Reno": ("chain", "", "reno"),
    "TCP-CL": ("chain", "services=nak", "bpf_tcp_cl"),
}

HEAD = """# Koo 2007 and Cheng 2008 on real packets

As on [Yun 2009 on real packets](yun-on-real-packets.md), a Linux 6.18 kernel sends over the links of two
other papers: `airhop emulate` provides the links and the agents, and the kernel runs its own Reno or one
of Airhop's [BPF objects](bpf.md). Each row also has the simulation of the same scenario with preset
`linux`, the same object and 60 replications. Bulk transfers of 30 s, goodput in Mbit/s, with 95 %
intervals; the interval of a ratio is computed by the delta method.

## WestwoodVT, WestwoodNR and Reno

Topology (a) of Koo et al. 2007 (`koo2007-single`): a wire, a base station, and a wireless link with random
losses and without a MAC.

```text
airhop emulate koo2007-single --with bpf_westwood_vt --set wired.air.errors.loss=0.01 --set duration="30 s" \\
  --set flow.ftp.tcp.preset=linux --on m "iperf3 -s -1" --on s "iperf3 -c {m} -t 20"
```

"""

KOO_END = """
The kernel's gains equal the simulated ones within their intervals, and exceed the printed ones. The paper
prints neither rates nor delays: the path is that of its source for Westwood
([readings](experiments/readings.md)).

## TCP-CL over eight hops

The chain of Cheng and Lin 2008 (`cheng2008-chain`): nine stations, AODV, and a MAC that writes the number
of a dropped segment into the next ACK of the connection (service `nak`). The listener of `bpf_tcp_cl` reads
the numbers from the options of ACKs, as far as their headers have room, and the loss of such a segment
causes no window reduction.

```text
airhop emulate cheng2008-chain --with bpf_tcp_cl --services nak --set duration="30 s" \\
  --set flow.ftp.tcp.preset=linux --on n8 "iperf3 -s -1" --on n0 "iperf3 -c {n8} -t 20"
```

"""

END = """
The paper prints 1.33 Mbit/s for Reno and 2.09 Mbit/s for TCP-CL, a ratio of 1.57. A run of the kernel
received some thirty NAKs, which avoided some twenty window reductions. Real senders get no NAK from their
own MAC, which simulated senders get by a call. The cause of the difference of 10 % from the simulated
TCP-CL is not isolated.

Goodput over AODV depends on the moment at which a route breaks. The lateness of packets therefore moves
single runs of Reno by more than the 3 % that make a run [valid](real-packets.md#is-it-valid), in both
directions: the table includes runs that are not valid (column `valid` of `chain.csv`), whose packets were
late by at most 125 µs (99th percentile), and its intervals contain this scatter.

## EBSN and RTTN

EBSN restarts the sender's armed retransmission timer, and RTTN extends it. No interface of a kernel does
this:

- A control or a BPF program may set the minimum of the RTO (`TCP_BPF_RTO_MIN`), and a route has `rto_min`.
  The kernel computes the RTO from the minimum at the next round-trip sample (`tcp_set_rto()`), and does not
  move the armed timer. During a fade no sample arrives.
- An ICMP unreachable message about the first unacknowledged segment takes back one backoff of the RTO and
  shortens the armed timer (RFC 6069, `tcp_ld_RTO_revert()`). It requires a timeout that has occurred, and
  never lengthens a timer.

A minimum that is raised in advance acts, and shows the remaining gain. Over `kounavis1996-fixed-mobile`,
with fades of 4 s in the mean, the kernel's Reno sent for 60 s, twice with each of four seeds: with the
default minimum, and over a route with `rto_min 4s`.

| | default | `rto_min 4s` |
| --- | --: | --: |
| goodput, kbit/s | 7.57 ± 1.61 | 7.51 ± 1.47 |
| retransmissions | 60 | 1 |
| timeouts | 0.25 | 0.75 |

The paired difference of the goodputs is -0.06 ± 0.18 kbit/s. A raised minimum avoids the retransmissions,
and has no gain in goodput. The simulation has the same result. In 100 s the paper's sender has 6.4 timeouts
without notices and none with EBSN, whose goodput is 9 % higher (8.41 ± 0.32 against 7.71 ± 0.36 kbit/s, 20
runs); a Reno of preset `linux` has 0.8 timeouts without notices, and EBSN has no gain (6.35 ± 0.57 against
7.59 ± 0.30 kbit/s). The window of preset `linux` fills the queue of 50
packets, so its smoothed round trip is 3.7 s; that of the paper's sender, whose window is 32 segments, is
1.2 s. A Linux sender therefore has, without any notice, an RTO of about a mean fade.
The paper states a gain of "over 50%".

`tools/emulated.py` produces the rows of Koo's tables. The runs over eight hops are runs of the command above
with different seeds, four for each scheme; EBSN's runs are not stored. `airhop doctor --cross-check` runs the
simulated rows of the tables of goodput ([cross-checks](cross-checks.md#linux-618-on-the-same-links)).
"""


def page() -> str:
    """Write the page."""
    kernel = {**points("emulated"), **points("chain")}
    ours = simulated()
    return "".join((HEAD, _koo(kernel, ours), "\n", _gains(kernel, ours), KOO_END, _chain(kernel, ours), END))


def _koo_point(rate: str, scheme: str) -> Point:
    return "koo", f"loss={rate}", KOO[scheme]


def _line(point: Point, kernel: Mapping[Point, Estimate], ours: Mapping[str, Estimate]) -> tuple[str, ...]:
    theirs, mine = kernel[point], ours[check_id(*point)]
    return str(theirs.n), mean_pm(theirs), mean_pm(mine), over(theirs, mine).difference


def _koo(kernel: Mapping[Point, Estimate], ours: Mapping[str, Estimate]) -> str:
    rows = (
        (percent(rate), scheme, *_line(_koo_point(rate, scheme), kernel, ours))
        for rate in RATES
        for scheme in KOO
    )
    return table(("losses", "scheme", "runs", "kernel", "simulated", "difference"), rows, left=2)


def _gains(kernel: Mapping[Point, Estimate], ours: Mapping[str, Estimate]) -> str:
    def rows() -> Iterator[tuple[str, ...]]:
        for (rate, other), printed in PRINTED.items():
            pair = [_koo_point(rate, scheme) for scheme in ("WestwoodVT", other)]
            found = (
                over(*(kernel[point] for point in pair)),
                over(*(ours[check_id(*point)] for point in pair)),
            )
            yield percent(rate), other, *map(str, found), f"{printed:.2f}"

    return table(("losses", "WestwoodVT over", "kernel", "simulated", "printed"), rows(), left=2)


def _chain(kernel: Mapping[Point, Estimate], ours: Mapping[str, Estimate]) -> str:
    rows = [(scheme, *_line(point, kernel, ours)) for scheme, point in CHAIN.items()]
    pair = [CHAIN[scheme] for scheme in ("TCP-CL", "Reno")]
    found = over(*(kernel[point] for point in pair)), over(*(ours[check_id(*point)] for point in pair))
    rows.append(("TCP-CL over Reno", "", *map(str, found), ""))
    return table(("scheme", "runs", "kernel", "simulated", "difference"), rows, left=1)
