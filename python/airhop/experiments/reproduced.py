"""Common parts of finished experiments and calculations: checked claims, written files, JSON document."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop.experiments.asked import asks
from airhop.experiments.experiment import Claim, ClaimResult, Mode
from airhop.experiments.reading import (
    Judgement,
    Question,
    Reading,
    conclusion,
    default_rests_on,
    depends_on,
    listed,
)

if TYPE_CHECKING:
    from airhop.experiments.calculation import Calculation
    from airhop.experiments.experiment import Experiment

REPRODUCED, BOUND_MET, NOT_REPRODUCED, UNDECIDED = "reproduced", "bound met", "not reproduced", "undecided"
DEPENDS_ON = "depends on "
"""Beginning of the outcome of a claim that depends on open questions; the questions follow."""
MORE_RUNS = "more runs than these: the interval lies on both sides"
"""Missing information if the paper's statement is clear, but the runs are too few."""
ORDER = ("fails", "open", "holds")
"""Order of verdicts in a list: failed claims come first."""


@dataclass(frozen=True)
class CheckedClaim:
    """Claim with its outcome."""

    claim: Claim[Any]
    result: ClaimResult
    judged: tuple[Judgement, ...] = ()
    """Verdict for each reading of the paper, the default first; empty if readings were not requested."""
    conclusion: str = ""
    """Summary of the verdicts for all readings of the paper; empty if readings were not requested."""
    depends_on: tuple[str, ...] = ()
    """Open questions on which the verdict depends."""

    @property
    def word(self) -> str:
        """Verdict as a word: `holds`, `fails`, or `open` if the intervals do not decide."""
        return self.result.word

    @property
    def outcome(self) -> str:
        """Return the outcome of the claim in a few words.

        If the claim holds for one reading and fails for another, the outcome is `depends on NAME`. Otherwise
        the outcome is that for the default reading: `reproduced`, `bound met`, `not reproduced` or
        `undecided`.
        """
        return outcome(self.claim, self.result, self.depends_on)

    @property
    def needs(self) -> str:
        """Return the information that would decide an undecided claim; empty for any other claim."""
        if self.outcome != UNDECIDED:
            return ""
        return self.result.needs or MORE_RUNS

    @property
    def reason(self) -> str:
        """Reason for the failure of a claim, if known; empty for a claim that holds."""
        return self.claim.why(self.result)

    def to_dict(self, experiment: Experiment | None = None) -> dict[str, Any]:
        """Return an entry of the document's `claims`; `experiment` is None for a calculation."""
        return {
            "id": self.claim.id,
            "text": self.claim.text,
            "holds": self.result.holds is True,
            "verdict": self.word,
            "outcome": self.outcome,
            "needs": self.needs or None,
            "asked": asks(self.claim.check, experiment) or None,
            "measured": self.result.measured,
            "reason": self.reason or None,
            **self._readings(),
        }

    def _readings(self) -> dict[str, Any]:
        if not self.judged:
            return {}
        return {
            "own": self.claim.own,
            "because": self.claim.because or None,
            "quote": self.claim.quote or None,
            "readings": [judgement.to_dict() for judgement in self.judged],
            "conclusion": self.conclusion,
        }


def outcome(claim: Claim[Any], result: ClaimResult, depends_on: Sequence[str] = ()) -> str:
    """Return the outcome of a claim, from the default result and the open questions that affect the claim."""
    if depends_on:
        return f"{DEPENDS_ON}{listed(depends_on)}"
    if result.holds is None:
        return UNDECIDED
    if not result.holds:
        return NOT_REPRODUCED
    return BOUND_MET if claim.bound else REPRODUCED


def check_claims(claims: Iterable[Claim[Any]], found: object) -> list[CheckedClaim]:
    """Check each claim against the measured values; return failed claims first, then open claims."""
    checked = [CheckedClaim(claim, claim.check(found)) for claim in claims]
    return sorted(checked, key=lambda one: ORDER.index(one.word))


def under_readings(
    claims: Sequence[CheckedClaim],
    others: Iterable[tuple[Reading, Sequence[CheckedClaim]]],
    questions: Sequence[Question],
) -> list[CheckedClaim]:
    """Add to each claim the verdicts for other interpretations of the paper, and the conclusion."""
    results = [(reading, {one.claim.id: one.result for one in checked}) for reading, checked in others]
    found = []
    for one in claims:
        judged = (
            Judgement(None, default_rests_on(questions), one.result),
            *(Judgement(reading, reading.rests_on, of[one.claim.id]) for reading, of in results),
        )
        found.append(
            replace(
                one,
                judged=judged,
                conclusion=conclusion(judged, questions),
                depends_on=tuple(depends_on(judged, questions)),
            )
        )
    return found


class Reproduced(ABC):
    """Finished experiment or calculation with checked claims, for one mode and one seed."""

    experiment: Experiment | Calculation
    mode: Mode
    seed: int
    claims: list[CheckedClaim]
    """Checked claims; failed claims come first."""
    files: list[Path]
    """Written files, the report first; empty before the files are written."""
    others: Sequence[tuple[Reading, Reproduced]] = ()
    """Results for other readings of the paper; empty if not requested."""

    @property
    def holds(self) -> bool:
        """True if every claim holds."""
        return all(checked.word == "holds" for checked in self.claims)

    def read_otherwise(self, others: Sequence[tuple[Reading, Reproduced]]) -> None:
        """Add to each claim the verdicts for other readings of the paper."""
        self.others = others
        judged = [(reading, outcome.claims) for reading, outcome in others]
        self.claims = under_readings(self.claims, judged, self.experiment.questions)

    @property
    def judged_readings(self) -> list[str]:
        """Names of the interpretations under which claims were checked, the default first.

        Empty if only the default was checked.
        """
        return [judgement.name for judgement in self.claims[0].judged] if self.claims else []

    @property
    def warnings(self) -> list[str]:
        """Warnings about unreliable intervals."""
        return []

    def claims_that(self, word: str) -> list[str]:
        """List the ids of the claims with this verdict: "holds", "fails" or "open"."""
        return [checked.claim.id for checked in self.claims if checked.word == word]

    @property
    def command(self) -> str:
        """Command that repeats the computation."""
        mode = "" if self.mode == "default" else f" --{self.mode}"
        return f"airhop reproduce {self.experiment.id}{mode} --seed {self.seed}"

    @property
    @abstractmethod
    def headline(self) -> str:
        """Result in one sentence."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return one entry of the `experiments` list that `airhop reproduce --json` prints."""
