"""Figure 10: fairness among the connections of Figure 9, in the very same runs.

Printed in the paper: Jain's index (its equation 5) of the goodputs of n connections; most schemes "achieve
high fairness index above 0.98". The printed axis is not known to us. Most is read as more than half of the
schemes; "gets worse as the number of connections gets increased" as a lower index with the most connections
than with the fewest that can be unfair; "poor" as below the 0.98 of the others with the most connections; and
"frequent timeouts" as more timeouts for each segment sent than Reno has there.
"""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.claims import along, below, each_above, every, most_stay_above
from airhop.experiments.experiment import Claim, ClaimResult, Metric
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009 import PAPER, SCHEMES
from airhop.experiments.yun2009.fig9 import CONNECTIONS
from airhop.experiments.yun2009.fig9 import EXPERIMENT as FIGURE9
from airhop.numerals import interval, plus_minus

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
FAIR = 0.98


def headline(samples: Samples) -> str:
    """Say how fair the fairest and the least fair are with the most connections."""
    last = samples.xs[-1]
    index = {label: samples.estimate(scheme, last).mean for scheme, label in SCHEMES.items()}
    least, best = min(index, key=index.__getitem__), max(index, key=index.__getitem__)
    return (
        f"With {last:g} connections Jain's index lies between {index[least]:.3f} ({least}) and "
        f"{index[best]:.3f} ({best})."
    )


def gets_worse(samples: Samples, *schemes: str) -> ClaimResult:
    """Judge whether each scheme's index is lower with the most connections than with the fewest above one."""
    first, last = samples.from_x(2)[0], samples.xs[-1]
    ratios = {scheme: along(samples, scheme, first, last) for scheme in schemes}
    parts = [f"{scheme} {interval(ratio, 3)}" for scheme, ratio in ratios.items()]
    measured = f"index at {CONNECTIONS.text(last)} over that at {CONNECTIONS.text(first)}: {', '.join(parts)}"
    return ClaimResult(every(below(ratio, 1.0) for ratio in ratios.values()), measured)


def poor(samples: Samples, *schemes: str) -> ClaimResult:
    """Judge whether each scheme's index is below that of a fair one with the most connections."""
    last = samples.xs[-1]
    found = {scheme: samples.estimate(scheme, last) for scheme in schemes}
    parts = [f"{scheme} {index.mean:.3f} {plus_minus(index, 3)}" for scheme, index in found.items()]
    measured = f"with {CONNECTIONS.text(last)}: {', '.join(parts)}"
    return ClaimResult(every(below(index, FAIR) for index in found.values()), measured)


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "yun-8",
        "Most of the schemes keep Jain's index above 0.98 with every number of connections.",
        lambda s: most_stay_above(s, CONNECTIONS, tuple(SCHEMES), FAIR),
    ),
    Claim(
        "yun-8-ll-elsn",
        "LL-ELSN does not win by aggressive behavior: its index is above 0.98 with every number of "
        "connections.",
        lambda s: most_stay_above(s, CONNECTIONS, ("ll-elsn",), FAIR),
    ),
    Claim(
        "yun-8-worse",
        "The fairness of Jersey and JTCP gets worse with more connections.",
        lambda s: gets_worse(s, "jersey", "jtcp"),
    ),
    Claim(
        "yun-8-poor",
        "Westwood and TIBET are poor: with the most connections their index is below 0.98.",
        lambda s: poor(s, "westwood-plus", "tibet"),
        reason="In 200 s each of ten connections repairs more than 500 losses, of the same channel and the "
        "same collisions, and their timeouts are spread evenly: from 96 to 132 for those of TIBET. What "
        "they deliver differs by a sixth (TIBET) or a quarter (Westwood) from the least to the most.",
    ),
    Claim(
        "yun-8-timeouts",
        "Connections of Westwood and TIBET suffer from frequent timeouts: with the most connections they "
        "have more of them in a thousand segments than those of Reno.",
        lambda s: each_above(
            s.also[TIMEOUTS.name], CONNECTIONS, ("westwood-plus", "tibet"), "reno", s.xs[-1:]
        ),
        reason="Timeouts are frequent with all who have small windows, with Reno most: its recovery ends "
        "with the first of several losses in a window. TIBET repairs as NewReno does and Westwood with "
        "SACK; with NewReno's recovery Westwood has fewer timeouts than Reno, too.",
    ),
)

EXPERIMENT = replace(
    FIGURE9,
    id="yun2009/fig10",
    title="Fairness against the number of connections, downlink",
    source=f"{PAPER}, Figure 10",
    metric=FAIRNESS,
    claims=CLAIMS,
    headline=headline,
    also=(TIMEOUTS,),
)
