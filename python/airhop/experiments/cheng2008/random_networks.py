"""Common parts of the tables of random networks: 20 nodes in 100 m × 100 m, two to nine connections.

Printed: the region, the number of nodes, the ranges, and random source and destination of each connection. So
any pair is possible. The tables of two and of three hops therefore contain the connections whose shortest
path has two or three hops.

Inferred: a printed number is the sum over these connections, because nine times the 5.96 Mbit/s of the last
table would exceed the channel's capacity. The sum is averaged over the networks with such connections. The
channel has no errors, because errors would make the printed 14.82 Mbit/s impossible. Networks are connected,
and no two connections have the same ends. Each of 20 replications has one topology, equal for all schemes.
Intervals refer to the mean over topologies. Topologies differ so much that 50 s per topology suffice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from airhop.experiments.asked import ALL_X, Asked
from airhop.experiments.cheng2008 import CURVES, OTHERS, PAPER, SCHEMES, gain, number_claims, rows
from airhop.experiments.cheng2008.readings import CLEAN_CHANNEL, DRAWN, TCP_W, below_tcp
from airhop.experiments.claims import ahead_everywhere, falls_all_along
from airhop.experiments.experiment import Claim, Experiment, Metric, PlottedAxis, Replications
from airhop.experiments.printed import Printed
from airhop.experiments.reading import Question, Reading
from airhop.experiments.samples import Samples

CONNECTIONS_AXIS = PlottedAxis(
    key="connections",
    name="n",
    paths=("copies",),
    label="Connections",
    full=tuple(range(2, 10)),
    coarse=(2, 9),
    ticks=tuple(range(2, 10)),
)
SHARED = (
    "With the carrier sense range of the slides nearly all stations sense each other, so all connections "
    "share one channel, and connections over few hops get most of it. Few stations are hidden from each "
    "other, "
    "so the MAC discards few frames that TCP-CL could report to its sender. The slides do not explain why "
    "their total goodput falls as connections are added."
)
"""Reason of the deviations in random networks, and of the equal results of schemes."""
REPLICATIONS = Replications(quick=3, full=20, batch=20, most=40)
OF_A_LENGTH = replace(REPLICATIONS, quick=5, most=100)
"""Numbers of replications for the tables of two and three hops. With two connections, only three in five
networks have a connection over two hops, and one in three has a connection over three hops.
"""
PAIRS = "flow.ftp*.between"
ANY_PAIR = {"wlan": "field"}
JAIN = Metric("jain", "Jain's fairness index", "", (0.2, 0.4, 0.6, 0.8, 1.0), most=1.0, printed=False)


def headline(samples: Samples) -> str:
    """Return a sentence on TCP-CL's gains with the fewest and with the most connections."""
    first, last = samples.xs[0], samples.xs[-1]
    return (
        f"Together TCP-CL's connections deliver {gain(samples, first)} against Reno's with {first:g} "
        f"connections, and {gain(samples, last)} with {last:g}."
    )


def goodput(ticks: Sequence[float], hops: int | None = None) -> Metric:
    """Return the goodput metric of all connections, or of the connections over `hops` hops."""
    name, label = (f"hops.{hops}.goodput_mbps", f" over {hops} hops") if hops else ("goodput_mbps", "")
    return Metric(name, f"Total goodput{label}", "Mbit/s", tuple(ticks), printed=False)


def by_length(table: int, words: str, hops: int, ticks: Sequence[float], published: Printed) -> Experiment:
    """Return the experiment of a table; `words` is the number of hops as in the caption."""
    only = Reading(
        f"{words.replace(' ', '-')}-only",
        f"Only pairs of stations {words} apart are drawn, and all connections are measured.",
        f"TCP goodput comparison ({words})",
        {PAIRS: ANY_PAIR | {"hops": hops}},
        metric=goodput(ticks),
    )
    drawn = Reading(
        "any-pair",
        f"Pairs are drawn from all stations; only connections of exactly {words} are measured.",
        DRAWN,
    )
    question = Question("the choice of connections", drawn, (only,))
    made = experiment(table, words, goodput(ticks, hops), published, questions=(question,))
    return replace(made, replications=OF_A_LENGTH)


def experiment(
    table: int,
    title: str,
    metric: Metric,
    published: Printed,
    more: Sequence[Claim[Samples]] = (),
    questions: Sequence[Question] = (),
    **reasons: str,
) -> Experiment:
    """Return the experiment of a table; `reasons` of failures are by the last part of a claim's id."""
    prefix = f"cheng-t{table}"
    ends = ("ahead", "falls", "reno", "cl", "guesses", "ratios")
    reasons = dict.fromkeys(ends, SHARED) | reasons
    return Experiment(
        id=f"cheng2008/table{table}",
        title=f"Goodput of connections in random networks, {title}",
        source=f'{PAPER}, "TCP goodput comparison ({title})"',
        scenario="cheng2008-random",
        settings={"duration": "50 s", PAIRS: ANY_PAIR},
        curves=CURVES,
        baseline="reno",
        axis=CONNECTIONS_AXIS,
        metric=metric,
        also=(JAIN,),
        replications=REPLICATIONS,
        claims=(
            Claim(
                f"{prefix}-ahead",
                "TCP-CL delivers more than each other scheme, with any number of connections.",
                Asked(ahead_everywhere, CONNECTIONS_AXIS, "tcp-cl", OTHERS),
                quote=rows(published),
                reason=reasons.get("ahead", ""),
            ),
            Claim(
                f"{prefix}-falls",
                "With every scheme the total goodput falls with each further connection.",
                Asked(falls_all_along, CONNECTIONS_AXIS, tuple(SCHEMES)),
                quote=rows(published),
                reason=reasons.get("falls", ""),
            ),
            *number_claims(table, CONNECTIONS_AXIS, published, ALL_X, **reasons),
            *more,
        ),
        headline=headline,
        published=published,
        questions=(*questions, *below_tcp("ftp*"), CLEAN_CHANNEL, TCP_W),
    )
