"""Figure 10: fairness among the connections of Figure 9, from the runs of Figure 9.

Printed in the paper: Jain's index (its equation 5) of the goodputs of n connections; most schemes "achieve
high fairness index above 0.98". The printed axis is unknown to Airhop's authors. Words of the paper mean:

* "most": more than half of the schemes.
* "gets worse as the number of connections gets increased": a lower index at every step of the axis from two
  connections up.
* "poor", of schemes that are "relatively comparable with each other": less fair than most other schemes at
  every number of connections from two up.

Airhop has three claims of its own. With the most connections Westwood and TIBET are less fair than most other
schemes, with an index below 0.98. Jersey and JTCP are less fair with the most connections than with two.
Westwood and TIBET have more timeouts per segment sent than most other schemes, or than Reno. Quick mode
includes two connections, because the index of one connection is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from airhop.experiments.asked import LAST, Asked, Span, worded
from airhop.experiments.claims import (
    above,
    along,
    below,
    each_above,
    every,
    falls_all_along,
    most,
    most_stay_above,
)
from airhop.experiments.experiment import Claim, ClaimResult, Metric, X
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009 import OWN, PAPER, SCHEMES
from airhop.experiments.yun2009.fig9 import CONNECTIONS
from airhop.experiments.yun2009.fig9 import EXPERIMENT as FIGURE9
from airhop.numerals import half_width_text, interval

FAIRNESS = Metric(
    "jain",
    "Jain's fairness index",
    unit="",
    ticks=(0.98, 0.985, 0.99, 0.995, 1.0),
    digits=3,
    most=1.0,
    printed=False,
)
TIMEOUTS = Metric(
    "1000 * timeouts / sent_segments",
    "Timeouts in a thousand segments",
    "",
    ticks=(0.0, 5.0, 10.0, 15.0, 20.0, 25.0),
    digits=1,
    printed=False,
)
MOST_TIMEOUTS = Metric(
    "most.timeouts",
    "Timeouts of the connection with the most timeouts",
    "",
    ticks=(0.0, 50.0, 100.0, 150.0, 200.0),
    digits=0,
    printed=False,
)
FAIR = 0.98
POOR = ("westwood-plus", "tibet")
ALIKE = (
    "All connections of a scheme share the channel and the collisions, and each recovers from many losses "
    "in a run, so their shares are almost equal over a run."
)
WAITS = (
    "Reno's recovery ends with the first of several losses in a window, and a timeout repairs the others. "
    "TIBET recovers as NewReno, and Westwood with SACK; both avoid these timeouts."
)


def headline(samples: Samples) -> str:
    """Return a sentence on the highest and the lowest index with the most connections."""
    last = samples.xs[-1]
    index = {label: samples.estimate(scheme, last).mean for scheme, label in SCHEMES.items()}
    least, best = min(index, key=index.__getitem__), max(index, key=index.__getitem__)
    return (
        f"With {last:g} connections Jain's index lies between {index[least]:.3f} ({least}) and "
        f"{index[best]:.3f} ({best})."
    )


@worded("{measure} with {schemes} is lower at {last} than at 2 connections")
def gets_worse(samples: Samples, *schemes: str) -> ClaimResult:
    """Check whether each scheme's Jain index is lower with the most connections than with the fewest.

    A single connection does not count.
    """
    first, last = samples.from_x(2)[0], samples.xs[-1]
    ratios = {scheme: along(samples, scheme, first, last) for scheme in schemes}
    parts = [f"{scheme} {interval(ratio, 3)}" for scheme, ratio in ratios.items()]
    measured = f"index at {CONNECTIONS.text(last)} over that at {CONNECTIONS.text(first)}: {', '.join(parts)}"
    return ClaimResult(every(below(ratio, 1.0) for ratio in ratios.values()), measured)


@worded(f"{{measure}} with {{schemes}} is below {FAIR} at {{last}}")
def poor(samples: Samples, *schemes: str) -> ClaimResult:
    """Check whether each scheme's index with the most connections is below the limit of a fair scheme."""
    last = samples.xs[-1]
    found = {scheme: samples.estimate(scheme, last) for scheme in schemes}
    parts = [f"{scheme} {index.mean:.3f} {half_width_text(index, 3)}" for scheme, index in found.items()]
    measured = f"with {CONNECTIONS.text(last)}: {', '.join(parts)}"
    return ClaimResult(every(below(index, FAIR) for index in found.values()), measured)


@worded(
    "at {at}, {measure} with {schemes} is {sign} that of most other schemes",
    {1: "above", -1: "below"},
)
def exceed_most(samples: Samples, schemes: Sequence[str], sign: int, at: Sequence[X]) -> ClaimResult:
    """Check whether each scheme is above (sign 1) or below (sign -1) most other schemes, at each of these x.

    The check uses paired differences, because a ratio to a scheme without timeouts does not exist.
    """
    others = [scheme for scheme in SCHEMES if scheme not in schemes]
    decisions, parts = [], []
    for x, scheme in product(at, schemes):
        leads = {other: samples.difference(scheme, other, x) for other in others}
        beyond = [above(lead, 0.0) if sign > 0 else below(lead, 0.0) for lead in leads.values()]
        decisions.append(most(beyond))
        found = samples.estimate(scheme, x)
        more, less = (sum(one.holds is word for one in beyond) for word in (True, False))
        told = f"{more} of {len(others)}, the reverse for {less}"
        parts.append(f"{scheme} ({found.mean:.3f}) than {told} at {CONNECTIONS.text(x)}")
    return ClaimResult(every(decisions), f"{'more' if sign > 0 else 'less'}: {'; '.join(parts)}")


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "yun-8",
        "Most of the schemes keep Jain's index above 0.98 with every number of connections.",
        Asked(most_stay_above, CONNECTIONS, tuple(SCHEMES), FAIR),
        quote="most of them achieve high fairness index above 0.98 and do not suffer from severe unfairness",
        bound=True,
    ),
    Claim(
        "yun-8-ll-elsn",
        "LL-ELSN's connections share fairly with each other: their index is above 0.98 with every number of "
        "connections.",
        Asked(most_stay_above, CONNECTIONS, (OWN,), FAIR),
        own=True,
        because="The paper infers from the index that LL-ELSN is not aggressive, but connections that are "
        "equally aggressive have an index of 1: `yun-8-friendly` compares LL-ELSN with Reno.",
    ),
    Claim(
        "yun-8-worse",
        "The fairness of Jersey and JTCP gets worse with more connections: their index falls with every step "
        "from two connections up.",
        Asked(falls_all_along, CONNECTIONS, ("jersey", "jtcp"), 2),
        quote="the fairness of TCP-Jersey and JTCP gets worse as the number of connections gets increased",
    ),
    Claim(
        "yun-8-worse-ends",
        "Jersey and JTCP are less fair with ten connections than with two.",
        Asked(gets_worse, "jersey", "jtcp"),
        own=True,
        because="The weakest interpretation of the sentence compares only the most connections with the "
        "fewest.",
    ),
    Claim(
        "yun-8-poor",
        "Westwood and TIBET are poor: with every number of connections from two up their index is lower than "
        "that of most other schemes.",
        Asked(exceed_most, POOR, -1, Span(2)),
        quote="TCP Westwood and TIBET show the poor fairness",
        reason=ALIKE,
    ),
    Claim(
        "yun-8-some",
        "Some connections of Westwood and TIBET suffer from frequent timeouts: with every number of "
        "connections from two up, their connection with the most timeouts has more timeouts than the "
        "corresponding connection of most other schemes.",
        Asked(exceed_most, POOR, 1, Span(2), of=MOST_TIMEOUTS),
        quote="TCP Westwood and TIBET show the poor fairness as some connections suffer severely from "
        "frequent timeouts",
        reason=WAITS,
    ),
    Claim(
        "yun-8-poor-most",
        "With ten connections the index of Westwood and TIBET is lower than that of most other schemes.",
        Asked(exceed_most, POOR, -1, LAST),
        own=True,
        because="The weakest interpretation of the sentence is about the most connections only.",
        reason=ALIKE,
    ),
    Claim(
        "yun-8-poor-strict",
        "Westwood and TIBET are not fair: with ten connections their index is below 0.98.",
        Asked(poor, *POOR),
        own=True,
        because="Most schemes are above 0.98; the paper does not state that the poor schemes are below.",
        reason=ALIKE,
    ),
    Claim(
        "yun-8-timeouts",
        "Connections of Westwood and TIBET suffer from frequent timeouts: with ten connections they have "
        "more timeouts in a thousand segments than most other schemes.",
        Asked(exceed_most, POOR, 1, LAST, of=TIMEOUTS),
        own=True,
        because=(
            "The paper's sentence is about some connections (`yun-8-some`); this claim is about the mean "
            "over all connections of a scheme."
        ),
        reason=WAITS,
    ),
    Claim(
        "yun-8-timeouts-strict",
        "Connections of Westwood and TIBET time out more often than Reno's: with ten connections they have "
        "more timeouts in a thousand segments.",
        Asked(each_above, CONNECTIONS, POOR, "reno", LAST, of=TIMEOUTS),
        own=True,
        because="The paper does not name the scheme whose timeouts are less frequent.",
        reason=WAITS,
    ),
)

EXPERIMENT = replace(
    FIGURE9,
    id="yun2009/fig10",
    title="Fairness against the number of connections, downlink",
    source=f"{PAPER}, Figure 10",
    axis=replace(CONNECTIONS, coarse=(1, 2, 10)),
    metric=FAIRNESS,
    claims=CLAIMS,
    headline=headline,
    also=(TIMEOUTS, MOST_TIMEOUTS),
)
