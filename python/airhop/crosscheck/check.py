"""A quantity that is known from elsewhere, the simulation that should give it, and how the two compare."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from airhop.crosscheck.quantity import Quantity
from airhop.crosscheck.worlds import Document
from airhop.objects import shipped
from airhop.plugins import load
from airhop.progress import SILENT, Reporter
from airhop.scenario import Scenario
from airhop.simulate import Job, run_many
from airhop.stats import Estimate, estimate

Verdict = Literal["within", "explained", "open", "beyond"]

EXPLAINED_WITHIN = 0.05
"""How far from the difference that a reason is about another may be, as a share of their value."""


@dataclass(frozen=True)
class Reason:
    """Why numbers are beyond their bound: a name, a sentence or two, and the page that shows it, if any."""

    name: str
    why: str
    page: str = ""
    """Below docs/."""


@dataclass(frozen=True)
class Check:
    """One comparison.

    Attributes
    ----------
    id
        Names it: the source, then what was run.
    source
        Key of `airhop.crosscheck.SOURCES`.
    scenario
        What is simulated, in words.
    quantity
        What is compared.
    document
        The scenario.
    theirs
        The value of the law, or the mean of their runs.
    bound
        Largest difference of ours, as a share of theirs.
    reps
        Replications of a full check.
    is_quick
        Whether a quick check has it, too.
    reason
        Why the difference is beyond the bound, where that is known.
    deviation
        The difference that the reason is about, as a share of theirs.
    """

    id: str
    source: str
    scenario: str
    quantity: Quantity
    document: Document
    theirs: Estimate
    bound: float
    reps: int
    is_quick: bool
    reason: Reason | None = None
    deviation: float = 0.0


@dataclass(frozen=True)
class Row:
    """A check that was made: `ours` is the mean of our replications."""

    check: Check
    ours: Estimate

    @property
    def difference(self) -> float:
        """Ours less theirs, as a share of theirs."""
        return self.ours.mean / self.check.theirs.mean - 1.0

    @property
    def verdict(self) -> Verdict:
        """Judge the difference.

        It is `within` its bound; beyond it but where a named reason puts it, `explained`; `open` when it is
        neither, but the 95 % interval of the difference of both means holds values that are; or `beyond`.
        """
        check, off = self.check, self.difference
        excess = abs(off) - check.bound
        if excess <= 0.0:
            return "within"
        if check.reason is not None:
            excess = min(excess, abs(off - check.deviation) - EXPLAINED_WITHIN)
        if excess <= 0.0:
            return "explained"
        theirs = (1.0 + off) * (check.theirs.half_width or 0.0)
        half = math.hypot(self.ours.half_width or 0.0, theirs)
        return "open" if excess * check.theirs.mean <= half else "beyond"

    @property
    def reason(self) -> Reason | None:
        """The named reason, if it is what explains the difference."""
        return self.check.reason if self.verdict == "explained" else None

    def to_dict(self) -> dict[str, Any]:
        """Give the row as plain data for JSON."""
        check, why = self.check, self.reason
        return {
            "id": check.id,
            "source": check.source,
            "scenario": check.scenario,
            "quantity": check.quantity.name,
            "unit": check.quantity.unit,
            "ours": _plain(self.ours),
            "theirs": _plain(check.theirs),
            "difference_percent": 100.0 * self.difference,
            "bound_percent": 100.0 * check.bound,
            "verdict": self.verdict,
            "reason": why and {"name": why.name, "why": why.why},
        }


def measure(checks: Sequence[Check], *, seed: int = 1, reporter: Reporter = SILENT) -> list[Row]:
    """Simulate every check on all cores; what several checks share is simulated once.

    Raises
    ------
    Interrupted
        Ctrl-C came; nothing is kept.
    """
    jobs = [
        [Job(loaded, seed, rep) for rep in range(check.reps)]
        for check, loaded in zip(checks, (scenario(check.document) for check in checks), strict=True)
    ]
    distinct = list(dict.fromkeys(job for of_check in jobs for job in of_check))
    with reporter.task("cross-check", len(distinct)) as task:
        results = run_many(distinct, on_done=lambda _index, _result: task.advance())
    documents = {job: result.document for job, result in zip(distinct, results, strict=True)}
    return [
        Row(check, estimate([check.quantity.read(documents[job]) for job in of_check]))
        for check, of_check in zip(checks, jobs, strict=True)
    ]


def scenario(document: Document) -> Scenario:
    """Load a check's scenario, and the objects that come with Airhop and that its flows name."""
    for flow in document["flow"]:
        if isinstance(flow.get("scheme"), str) and shipped(flow["scheme"]) is not None:
            load(flow["scheme"])
    return Scenario.load(document)


def _plain(value: Estimate) -> dict[str, Any]:
    return {"mean": value.mean, "half_width": value.half_width, "n": value.n}
