"""Experiments: one file per reproduced figure or table, and the machinery they share.

An experiment names a packaged scenario, a grid, the schemes, and the claims of its paper as checks. A package
of yours adds experiments through the entry-point group `airhop.experiments`: each entry point loads an
`Experiment`.
"""

from __future__ import annotations

from airhop.experiments.experiment import (
    Axis,
    Claim,
    Experiment,
    Judgement,
    Metric,
    Mode,
    Replications,
    TimelineChoice,
)
from airhop.experiments.outcome import Outcome, outcomes_in
from airhop.experiments.registered import lookup, registry
from airhop.experiments.reproduction import reproduce

__all__ = [
    "Axis",
    "Claim",
    "Experiment",
    "Judgement",
    "Metric",
    "Mode",
    "Outcome",
    "Replications",
    "TimelineChoice",
    "lookup",
    "outcomes_in",
    "registry",
    "reproduce",
]
