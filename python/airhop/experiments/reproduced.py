"""What experiments and calculations have in common once they are done: claims checked, files, document."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop.experiments.experiment import Claim, ClaimResult, Mode

if TYPE_CHECKING:
    from airhop.experiments.calculation import Calculation
    from airhop.experiments.experiment import Experiment

ORDER = ("fails", "open", "holds")
"""Words for results as they are listed: what does not hold comes first."""


@dataclass(frozen=True)
class CheckedClaim:
    """A claim, and what became of it."""

    claim: Claim[Any]
    result: ClaimResult

    @property
    def word(self) -> str:
        """Say it in a word: `holds`, `fails` or `open`, when the intervals decide neither way."""
        return self.result.word

    @property
    def reason(self) -> str:
        """Why the claim does not hold, as far as known; empty when it does."""
        return "" if self.result.holds else self.claim.reason

    def to_dict(self) -> dict[str, Any]:
        """Give an entry of the document's `claims`."""
        return {
            "id": self.claim.id,
            "text": self.claim.text,
            "holds": self.result.holds is True,
            "verdict": self.word,
            "measured": self.result.measured,
            "reason": self.reason or None,
        }


def check_claims(claims: Iterable[Claim[Any]], found: object) -> list[CheckedClaim]:
    """Check each claim on what was found; those that do not hold come first, each group in its own order."""
    checked = [CheckedClaim(claim, claim.check(found)) for claim in claims]
    return sorted(checked, key=lambda one: ORDER.index(one.word))


class Reproduced(ABC):
    """An experiment or a calculation that was done in a mode with a seed, its claims checked."""

    experiment: Experiment | Calculation
    mode: Mode
    seed: int
    claims: list[CheckedClaim]
    """Those that do not hold first."""
    files: list[Path]
    """What was written of it, the report first; empty before that."""

    @property
    def holds(self) -> bool:
        """Whether every claim holds."""
        return all(checked.word == "holds" for checked in self.claims)

    def claims_that(self, word: str) -> list[str]:
        """List the ids of the claims of which this is said: "holds", "fails" or "open"."""
        return [checked.claim.id for checked in self.claims if checked.word == word]

    @property
    def command(self) -> str:
        """The line that does it again."""
        mode = "" if self.mode == "default" else f" --{self.mode}"
        return f"airhop reproduce {self.experiment.id}{mode} --seed {self.seed}"

    @property
    @abstractmethod
    def headline(self) -> str:
        """The result in one sentence."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Give one entry of the `experiments` list that `airhop reproduce --json` prints."""
