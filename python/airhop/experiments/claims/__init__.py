"""Common checks of papers' claims, by kind.

- `decisions`: decisions by a confidence interval
- `comparisons`: checks of curves at values of the axis
- `along_axis`: checks of changes along the axis
- `beside`: comparisons with another experiment

Decisions on several statements are in `airhop.experiments.decision`. Ratios are paired: numerator and
denominator had the same channel errors in every replication.
"""

from airhop.experiments.claims.along_axis import (
    along,
    catches_up,
    falls_all_along,
    falls_behind_all_along,
    falls_from,
    growth,
    keeps_most,
    sensitivities_differ,
    steady,
)
from airhop.experiments.claims.beside import (
    each_above_beside,
    each_below_beside,
    falls_behind_beside,
    ratio_of_ratios,
    stands_as_beside,
)
from airhop.experiments.claims.comparisons import (
    ahead_everywhere,
    best_ratio,
    each_above,
    each_below,
    each_within,
    exceeds_everywhere,
    exceeds_somewhere,
    most_stay_above,
    near_best,
    near_each,
    nowhere_exceeds,
    order_at,
    outnumbers,
    within_axis,
)
from airhop.experiments.claims.decisions import (
    Cell,
    above,
    below,
    between,
    differs,
    ends,
    exceeds,
    not_shown,
    within,
)
from airhop.experiments.decision import Decision, at_least, every, most, some

__all__ = [
    "Cell",
    "Decision",
    "above",
    "ahead_everywhere",
    "along",
    "at_least",
    "below",
    "best_ratio",
    "between",
    "catches_up",
    "differs",
    "each_above",
    "each_above_beside",
    "each_below",
    "each_below_beside",
    "each_within",
    "ends",
    "every",
    "exceeds",
    "exceeds_everywhere",
    "exceeds_somewhere",
    "falls_all_along",
    "falls_behind_all_along",
    "falls_behind_beside",
    "falls_from",
    "growth",
    "keeps_most",
    "most",
    "most_stay_above",
    "near_best",
    "near_each",
    "not_shown",
    "nowhere_exceeds",
    "order_at",
    "outnumbers",
    "ratio_of_ratios",
    "sensitivities_differ",
    "some",
    "stands_as_beside",
    "steady",
    "within",
    "within_axis",
]
