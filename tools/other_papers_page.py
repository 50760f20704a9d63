"""Make docs/papers-on-real-packets.md: Koo 2007 and Cheng 2008 in a kernel, simulated, and as printed.

The kernel's values are rows of emulated.csv and chain.csv in python/airhop/crosscheck/reference (written by
tools/emulated.py), and the simulated values rows of docs/cross-checks.csv. The module simulates nothing.
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

On this page a Linux 6.18 kernel sends over the networks of Koo et al. 2007 and of Cheng and Lin 2008, as on
[Yun 2009 on real packets](yun-on-real-packets.md) over the networks of Yun 2009. `airhop emulate` provides
the links and the agents in real time, and the kernel runs its own Reno or one of Airhop's [BPF
objects](bpf.md). For each row Airhop also simulates the same scenario with [preset](presets.md) `linux`, the
same object and 60 replications. An object needs root ([Rights](real-packets.md#rights)), and the commands of
this page run in the folder of Airhop's sources.

The columns *kernel* and *simulated* contain the goodput of a bulk transfer of 30 s in Mbit/s, with 95 %
intervals. The column *runs* contains the number of runs of the kernel. The column *difference* contains the
kernel's goodput minus the simulated goodput, in per cent of the simulated goodput. The interval of each
difference and of each ratio of two goodputs is computed by the delta method.

## WestwoodVT, WestwoodNR and Reno

The scenario `koo2007-single` is topology (a) of Koo et al. 2007: a wire, a base station, and a wireless link
with random packet losses and without a MAC. The column *losses* contains the packet loss rate of the
wireless link.

```text
sudo .venv/bin/airhop emulate koo2007-single --with bpf_westwood_vt --set wired.air.errors.loss=0.01 \\
  --set flow.ftp.tcp.preset=linux --set duration="60 s" --on m "iperf3 -s -1" --on s "iperf3 -c {m} -t 30"
```

For Reno, `--scheme reno` replaces `--with bpf_westwood_vt`. In the second table the column *printed* contains
the ratio that the paper prints.

"""

KOO_END = """
The ratios measured with the kernel equal the simulated ratios within their intervals, and exceed the ratios
that the paper prints. The paper states neither the rates nor the delays of its links. The scenario therefore
uses the path of the paper that Koo et al. cite for Westwood ([readings](experiments/readings.md)).

## TCP-CL over eight hops

The scenario `cheng2008-chain` is the chain of Cheng and Lin 2008: nine stations with the routing protocol
AODV. With service `nak`, a MAC that drops a segment writes the number of the segment into a TCP option of the
next ACK of the connection, if the header of the ACK has room for the option. This option is a NAK (negative
acknowledgement). The listener of `bpf_tcp_cl`, a BPF program at the sender's interface, reads the NAK. The
kernel then does not reduce the window because of the segment that the NAK names.

```text
sudo .venv/bin/airhop emulate cheng2008-chain --with bpf_tcp_cl --services nak \\
  --set flow.ftp.tcp.preset=linux --set duration="60 s" --on n8 "iperf3 -s -1" --on n0 "iperf3 -c {n8} -t 30"
```

"""

END = """
The last row contains the ratio of the two goodputs. The paper prints a goodput of 1.33 Mbit/s for Reno and of
2.09 Mbit/s for TCP-CL, a ratio of 1.57. In a run of the kernel TCP-CL received about thirty NAKs, which
avoided about twenty window reductions. A simulated sender also receives NAKs from the MAC of its own
station, by a function call; a real sender receives no NAK from its own MAC. The goodput of both schemes is
higher in the kernel than in the simulation: of Reno by 22.5 ± 19.9 %, of TCP-CL by 10.1 ± 2.2 %. The cause of
the second difference is unknown. The first is *open* in the
[cross-checks](cross-checks.md#linux-618-on-the-same-links).

Goodput over AODV depends on the moment at which a route breaks. A packet that the emulator delivers late can
therefore change the goodput of a run by more than 3 %, the limit of a [valid
emulation](real-packets.md#valid-emulations). Three of the four runs of Reno and one of the four runs of
TCP-CL are not valid (column `valid` of `python/airhop/crosscheck/reference/chain.csv`). The table includes
these runs, and its intervals include their scatter. The 99th percentile of the lateness is at most 125 µs in
every run.

## EBSN and RTTN

EBSN (explicit bad state notification) and RTTN (round-trip-time notification) are notices of base stations,
which Kounavis 1996 simulates. EBSN restarts the sender's armed retransmission timer, and RTTN extends this
timer. No interface of a Linux kernel restarts or extends an armed timer:

- A congestion control or a BPF program can set the minimum of the RTO (`TCP_BPF_RTO_MIN`), and so can a
  route (`rto_min`). The kernel applies the new minimum at the next round-trip sample (`tcp_set_rto()`), and
  does not change the armed timer. During a fade the sender receives no ACK and has no sample.
- An ICMP unreachable message about the first unacknowledged segment reverts one backoff of the RTO and
  shortens the armed timer (RFC 6069, `tcp_ld_RTO_revert()`). The kernel processes the message only after a
  timeout, and the message never lengthens the timer.

A minimum of the RTO that is set before the connection begins applies from the first sample on. The gain of
this minimum is the largest possible gain of EBSN. In this experiment the kernel's Reno sent for 60 s over
`kounavis1996-fixed-mobile`, where the mean length of a fade is 4 s. Reno sent twice with each of four seeds,
once with the default minimum and once over a route with `rto_min 4s`. The table contains means over the
seeds; the intervals of the counts are not stored:

| | default | `rto_min 4s` |
| --- | --: | --: |
| goodput, kbit/s | 7.57 ± 1.61 | 7.51 ± 1.47 |
| retransmissions | 60 | 1 |
| timeouts | 0.25 | 0.75 |

The paired difference of the goodputs is -0.06 ± 0.18 kbit/s. A larger minimum of the RTO avoids
retransmissions, but does not increase the goodput.

The next table compares simulated runs of 100 s without notices and with EBSN, 20 runs each, for the paper's
sender and for a Reno of preset `linux`. The intervals of the timeouts are not stored:

| sender | timeouts without notices | goodput without notices, kbit/s | goodput with EBSN, kbit/s |
| --- | --: | --: | --: |
| of the paper | 6.4 | 7.71 ± 0.36 | 8.41 ± 0.32 |
| Reno, preset `linux` | 0.8 | 7.59 ± 0.30 | 6.35 ± 0.57 |

EBSN avoids all timeouts of the paper's sender and increases its goodput by 9 ± 7 %; the paper states a gain
of "over 50%". EBSN reduces the goodput of the Linux sender, by 16 ± 8 %; the cause of the reduction is
unknown. The Linux sender has few timeouts that EBSN could avoid: the window of preset `linux` fills the queue
of 50 packets, and the smoothed round trip is therefore 3.7 s. The RTO is then about as long as a mean fade,
without any notice. The window of the paper's sender is 32 segments, and its smoothed round trip is 1.2 s.

`tools/emulated.py` measures the kernel's goodput in the tables of Koo et al. The runs over eight hops are
four runs for each scheme, with `--seed 1` to `--seed 4`. For Reno, `--scheme reno` replaces `--with
bpf_tcp_cl --services nak`. The runs of the section on EBSN are not stored.
`airhop doctor --cross-check` repeats the simulations of the tables of goodput
([cross-checks](cross-checks.md#linux-618-on-the-same-links)).
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
