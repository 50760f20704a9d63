"""Yun's Figure 10 with today's senders: fairness among senders of a kind, in runs of `airhop/today/flows`."""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.asked import Asked, worded
from airhop.experiments.claims import every, most_stay_above
from airhop.experiments.experiment import Claim, ClaimResult
from airhop.experiments.samples import Samples
from airhop.experiments.today import LABELS, SENDERS, SOURCE
from airhop.experiments.today.flows import CONNECTIONS, JAIN
from airhop.experiments.today.flows import EXPERIMENT as FLOWS

FAIR = 0.95
"""Minimum Jain index of a fair scheme in runs of 60 s (0.98 in Yun's runs of 200 s)."""


def headline(samples: Samples) -> str:
    """Return a sentence on the highest and the lowest index with the most connections."""
    last = samples.xs[-1]
    index = {LABELS[s.name]: samples.estimate(s.name, last).mean for s in SENDERS}
    least, best = min(index, key=index.__getitem__), max(index, key=index.__getitem__)
    return (
        f"With {last:g} connections Jain's index lies between {index[least]:.3f} ({least}) and "
        f"{index[best]:.3f} ({best})."
    )


@worded(f"{{measure}} with {{curves}} is above {FAIR} at {{every}}")
def all_stay_above(samples: Samples, *curves: str) -> ClaimResult:
    """Check whether each curve's Jain index is above the limit of a fair scheme, at every point."""
    found = [most_stay_above(samples, CONNECTIONS, (curve,), FAIR) for curve in curves]
    return ClaimResult(every(one.decision for one in found), "; ".join(one.measured for one in found))


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "fairness-told",
        "LL-ELSN is fair to its own kind: Jain's index is above 0.95 with every number of connections.",
        Asked(all_stay_above, "ll-elsn"),
    ),
    Claim(
        "fairness-bbr",
        "BBR is fair to its own kind, over link ARQ and without: Jain's index is above 0.95 with every "
        "number of connections.",
        Asked(all_stay_above, "bbr", "bbr-arq"),
    ),
    Claim(
        "fairness-told-nothing",
        "BBRv3 and Copa are fair to their own kind, over link ARQ and without: Jain's index is above 0.95 "
        "with every number of connections.",
        Asked(all_stay_above, "bbr3", "bbr3-arq", "copa", "copa-arq"),
        reason="Copa keeps a shared queue full. A connection that times out restarts with one segment in "
        "this queue and times out again, while others keep their windows.",
    ),
    Claim(
        "fairness-cubic",
        "CUBIC is fair to its own kind, over link ARQ and without: Jain's index is above 0.95 with every "
        "number of connections.",
        Asked(all_stay_above, "cubic", "cubic-arq"),
    ),
)


EXPERIMENT = replace(
    FLOWS,
    id="airhop/today/fairness",
    title="Fairness of today's senders within their kind",
    source=f"{SOURCE}, Figure 10",
    metric=JAIN,
    claims=CLAIMS,
    headline=headline,
)
