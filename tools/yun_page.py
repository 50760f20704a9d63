"""Make docs/yun-on-real-packets.md: Yun 2009's schemes in a kernel, simulated, and as printed.

The kernel's values are rows of python/airhop/crosscheck/reference/emulated.csv (written by
tools/emulated.py), and the simulated values rows of docs/cross-checks.csv. The module simulates nothing.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from airhop.crosscheck.against_kernel import check_id
from airhop.crosscheck.reference import points
from airhop.crosscheck.words import percent
from airhop.stats import Estimate
from airhop.terminal import mean_pm
from blocks import table
from kernel_tables import over, simulated

PAGE = "yun-on-real-packets.md"
SCHEMES = {
    "Reno": ("", "reno"),
    "Snoop": (";services=snoop", "reno"),
    "ELN": (";services=eln", "bpf_eln"),
    "LL-ELSN": (";services=ll-elsn", "bpf_eln"),
}
"""Services of the links, as at the end of the column `params`, and congestion control of the kernel, by
scheme.
"""
WAYS = {"down": "Downlink", "up": "Uplink"}
RATES = ("0.003", "0.01", "0.03")

HEAD = """# Yun 2009 on real packets

In Yun 2009 the link layer notifies a TCP sender of wireless losses, and ns-2 simulates the network. On this
page the sender is a Linux 6.18 kernel, and `airhop emulate` provides the network in real time. The links are
the links of Figures 5 and 8: three wires of 10 Mbit/s and 10 ms, then an 802.11b cell of 11 Mbit/s that sends
each frame once.
The agents send the notices of LL-ELSN and ELN in the form of §3.1. The kernel runs its own Reno, or Airhop's
object `bpf_eln`, which receives the notices. Each row of the tables also contains a simulation of the same
scenario, with preset `linux`, the same object and 60 replications.

```text
airhop emulate yun2009-downlink --with bpf_eln --services ll-elsn --set duration="30 s" \\
  --set 'flow.ftp*.tcp.preset=linux' --on d1 "iperf3 -s -1" --on s1 "iperf3 -c {d1} -t 20"
```

The columns *kernel* and *simulated* contain the goodput of a bulk transfer of 30 s in Mbit/s, with 95 %
intervals. The column *difference* contains the kernel's goodput minus the simulated goodput, in per cent of
the simulated goodput. The columns *kernel × Reno* and *simulated × Reno* contain the ratio of the scheme's
goodput to Reno's goodput at the same frame error rate (FER), with its interval by the delta method.

"""

PRINTED = """
## Comparison with the paper

Yun 2009 prints curves and no tables. The following table therefore checks statements of the paper, each as a
ratio of two goodputs with a bound. A statement is *met* if the interval of the ratio lies on the stated side
of the bound at one or more of the three frame error rates. It is *not met* if the intervals at all three
rates lie on the other side, and otherwise *open*.

"""

END = """ The paper's sender is ns-2's Reno (NewReno with Snoop), which has no SACK. A kernel's sender has
SACK, RACK and tail loss probes, and repairs several losses in a round trip. The goodput of the kernel's Reno
is therefore higher than in the paper; the difference is larger with Snoop.

In the downlink the goodput of ELN is below the goodput of LL-ELSN because of losses that no duplicate ACK
reports. If a segment is sent and lost during a recovery, SACK detects the loss and the recovery repairs it.
The kernel, however, keeps the segment marked lost, and the ACK that ends the recovery begins the next
recovery (`tcp_time_to_recover()`). This ACK is not a duplicate, and the base station therefore does not set
its ELN bit. The kernel then reduces the window. At 1 % FER such a reduction occurs in one of seven
recoveries. LL-ELSN's notice names the segment when the link layer discards it. In the uplink the base station
detects the gap before the receiver.

`tools/emulated.py` measures the values of the kernel, and `airhop doctor --cross-check` measures the
simulated values ([cross-checks](cross-checks.md#linux-618-on-the-same-links)).
"""

Cell = tuple[str, str, str]
"""Direction, FER, scheme."""


@dataclass(frozen=True)
class Words:
    """Statement of the paper: at some point, a ratio is above (or below) a bound."""

    quote: str
    told: str
    above: Callable[[str], tuple[Cell, Cell]]
    bound: float
    is_less: bool = False


STATEMENTS = (
    Words(
        "more than 400% of TCP-Reno",
        "LL-ELSN over Reno, downlink, more than 4",
        lambda fer: (("down", fer, "LL-ELSN"), ("down", fer, "Reno")),
        4.0,
    ),
    Words(
        "and 150% of Snoop",
        "LL-ELSN over Snoop, downlink, more than 1.5",
        lambda fer: (("down", fer, "LL-ELSN"), ("down", fer, "Snoop")),
        1.5,
    ),
    Words(
        "Snoop shows the second best performance due to its local retransmission at BS.",
        "Snoop over ELN, downlink, more than 1",
        lambda fer: (("down", fer, "Snoop"), ("down", fer, "ELN")),
        1.0,
    ),
    Words(
        "Snoop is much worse than in downlink communication due to its slow retransmission",
        "Snoop uplink over Snoop downlink, less than 1",
        lambda fer: (("up", fer, "Snoop"), ("down", fer, "Snoop")),
        1.0,
        is_less=True,
    ),
    Words(
        "LL-ELSN shows the best performance because LL-ELSN has negligible ELN delay in uplink communication",
        "LL-ELSN over ELN, uplink, more than 1",
        lambda fer: (("up", fer, "LL-ELSN"), ("up", fer, "ELN")),
        1.0,
    ),
)


def page() -> str:
    """Write the page."""
    kernel, ours = _kernel(), _simulated()
    ways = [f"## {title}\n\n{_goodputs(way, kernel, ours)}" for way, title in WAYS.items()]
    return "".join((HEAD, "\n".join(ways), PRINTED, _statements(kernel, ours), END))


def _cells() -> Iterable[Cell]:
    return ((way, fer, scheme) for way in WAYS for fer in RATES for scheme in SCHEMES)


def _point(cell: Cell) -> tuple[str, str, str]:
    way, fer, scheme = cell
    service, control = SCHEMES[scheme]
    return way, f"fer={fer}{service}", control


def _kernel() -> Mapping[Cell, Estimate]:
    measured = points("emulated")
    return {cell: measured[_point(cell)] for cell in _cells()}


def _simulated() -> Mapping[Cell, Estimate]:
    ours = simulated()
    return {cell: ours[check_id(*_point(cell))] for cell in _cells()}


def _goodputs(way: str, kernel: Mapping[Cell, Estimate], ours: Mapping[Cell, Estimate]) -> str:
    def line(fer: str, scheme: str) -> tuple[str, ...]:
        cell, reno = (way, fer, scheme), (way, fer, "Reno")
        gains = [str(over(each[cell], each[reno])) if scheme != "Reno" else "1" for each in (kernel, ours)]
        theirs, mine = kernel[cell], ours[cell]
        return percent(fer), scheme, mean_pm(theirs), mean_pm(mine), over(theirs, mine).difference, *gains

    head = ("FER", "scheme", "kernel", "simulated", "difference", "kernel × Reno", "simulated × Reno")
    return table(head, (line(fer, scheme) for fer in RATES for scheme in SCHEMES), left=2)


def _statements(kernel: Mapping[Cell, Estimate], ours: Mapping[Cell, Estimate]) -> str:
    def line(words: Words) -> tuple[str, ...]:
        return f"“{words.quote}”", words.told, _found(words, kernel), _found(words, ours)

    return table(("Yun 2009", "check", "kernel", "simulated"), map(line, STATEMENTS), left=4)


def _found(words: Words, measured: Mapping[Cell, Estimate]) -> str:
    shares = {fer: over(*(measured[cell] for cell in words.above(fer))) for fer in RATES}
    sign = -1 if words.is_less else 1
    best = max(shares, key=lambda fer: sign * shares[fer].value)
    share = shares[best]
    verdict = "open"
    if sign * (share.value - words.bound) > share.half_width:
        verdict = "met"
    elif all(sign * (words.bound - each.value) > each.half_width for each in shares.values()):
        verdict = "not met"
    return f"{verdict}: {share} at {percent(best)}"
