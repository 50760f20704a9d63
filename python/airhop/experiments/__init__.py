"""Experiments, one file per reproduced figure or table, and their common modules.

An `Experiment` defines a packaged scenario, a grid, the curves, and the claims of a paper as checks. A
`Calculation` computes values without a study. Other packages register experiments in the entry-point group
`airhop.experiments`: each entry point loads an `Experiment` or a `Calculation`.
"""

from __future__ import annotations

from airhop.experiments.calculation import Calculated, Calculation, TextTable, Value, Values, exact
from airhop.experiments.experiment import (
    Claim,
    ClaimResult,
    Curve,
    Experiment,
    Metric,
    Mode,
    Picture,
    PlottedAxis,
    Replications,
    TimelineChoice,
)
from airhop.experiments.outcome import Outcome, outcomes_in
from airhop.experiments.reading import Question, Reading
from airhop.experiments.registered import lookup, read_so, registry
from airhop.experiments.reproduced import CheckedClaim, Reproduced

__all__ = [
    "Calculated",
    "Calculation",
    "CheckedClaim",
    "Claim",
    "ClaimResult",
    "Curve",
    "Experiment",
    "Metric",
    "Mode",
    "Outcome",
    "Picture",
    "PlottedAxis",
    "Question",
    "Reading",
    "Replications",
    "Reproduced",
    "TextTable",
    "TimelineChoice",
    "Value",
    "Values",
    "exact",
    "lookup",
    "outcomes_in",
    "read_so",
    "registry",
]
