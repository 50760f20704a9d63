"""Check of a simulation against a quantity that is known from a law or a measurement."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from airhop.crosscheck.quantity import Quantity
from airhop.crosscheck.worlds import Document
from airhop.objects import shipped
from airhop.plugins import load
from airhop.progress import SILENT, Reporter
from airhop.scenario import Scenario
from airhop.simulate import Job, run_many
from airhop.stats import Estimate, estimate, ratio

Verdict = Literal["within", "explained", "open", "beyond"]

EXPLAINED_WITHIN = 0.05
"""Maximum deviation from the difference that a reason explains, as a share of the peer's value."""


@dataclass(frozen=True)
class Reason:
    """Cause of differences beyond the bound: name, explanation in Markdown, and optionally a page."""

    name: str
    why: str
    page: str = ""
    """Path below docs/, with an anchor."""


@dataclass(frozen=True)
class Check:
    """Comparison of a simulated quantity with the value of a peer.

    Attributes
    ----------
    id
        Unique name: the source, then the run.
    source
        Key of `airhop.crosscheck.SOURCES`.
    scenario
        Description of the simulation.
    quantity
        Compared quantity.
    document
        Scenario document.
    theirs
        Value of the peer: of the law, or mean of the runs of the other simulator or of the kernel.
    bound
        Maximum difference with the verdict `within`, as a share of `theirs`.
    reps
        Replications of a full check.
    is_quick
        True if `--quick` includes the check.
    reason
        Known cause of a difference beyond the bound.
    deviation
        Difference that the reason explains, as a share of `theirs`.
    over
        Scenario document of the denominator if the quantity is a ratio of paired runs; otherwise None.
    runs
        Values of the peer's runs by seed, if the simulation with the same seed loses the same packets. The
        quantity is then the ratio of the simulated to the peer's mean over these seeds. Otherwise None.
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
    over: Document | None = None
    runs: Mapping[int, float] | None = None


@dataclass(frozen=True)
class Row:
    """Result of a check: `ours` is the mean over Airhop's replications, or the ratio of two means."""

    check: Check
    ours: Estimate

    @property
    def difference(self) -> float:
        """Difference of `ours` from `theirs`, as a share of `theirs`."""
        return self.ours.mean / self.check.theirs.mean - 1.0

    @property
    def verdict(self) -> Verdict:
        """Verdict on the difference.

        `within`: at most the bound. `explained`: at most `EXPLAINED_WITHIN` from the deviation that a named
        reason explains. `open`: neither, but the 95 % interval of the difference contains a value that is
        within or explained. `beyond`: every other difference.
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
        """Known reason of the difference; None if the verdict is not "explained"."""
        return self.check.reason if self.verdict == "explained" else None

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain data for JSON."""
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
    """Simulate every check on all cores. Checks with the same run share one simulation.

    Raises
    ------
    Interrupted
        After Ctrl-C; the results of finished runs are dropped.
    """
    jobs = [_jobs(check, seed) for check in checks]
    distinct = list(dict.fromkeys(job for of_check in jobs for one in of_check for job in one))
    with reporter.task("cross-check", len(distinct)) as task:
        results = run_many(distinct, on_done=lambda _index, _result: task.advance())
    documents = {job: result.document for job, result in zip(distinct, results, strict=True)}
    rows = []
    for check, of_check in zip(checks, jobs, strict=True):
        values = [[check.quantity.read(documents[job]) for job in one] for one in of_check]
        peer = [] if check.runs is None else [list(check.runs.values())]
        rows.append(Row(check, _ours(*values, *peer)))
    return rows


def _jobs(check: Check, seed: int) -> list[list[Job]]:
    """Return the runs of a check: replications of its documents, or a run for each seed of the peer."""
    if check.runs is not None:
        loaded = scenario(check.document)
        return [[Job(loaded, of_peer, 0) for of_peer in check.runs]]
    documents = [scenario(document) for document in (check.document, check.over) if document]
    return [[Job(loaded, seed, rep) for rep in range(check.reps)] for loaded in documents]


def _ours(values: Sequence[float], over: Sequence[float] | None = None) -> Estimate:
    """Return the mean of replications, or the ratio of paired replications.

    The half-width of a ratio is the larger distance from the ratio to an end of Fieller's interval.
    """
    if over is None:
        return estimate(values)
    found = ratio(values, over)
    if found.low is None or found.high is None:
        return Estimate(found.value, None, found.n)
    return Estimate(found.value, max(found.high - found.value, found.value - found.low), found.n)


def scenario(document: Document) -> Scenario:
    """Load the scenario of a check, and the packaged BPF objects of the scenario's flows."""
    for flow in document["flow"]:
        if isinstance(flow.get("scheme"), str) and shipped(flow["scheme"]) is not None:
            load(flow["scheme"])
    return Scenario.load(document)


def _plain(value: Estimate) -> dict[str, Any]:
    return {"mean": value.mean, "half_width": value.half_width, "n": value.n}
