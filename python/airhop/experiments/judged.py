"""What experiments and calculations have in common once they are done: verdicts, files, the document."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop.experiments.experiment import Claim, Judgement, Mode

if TYPE_CHECKING:
    from airhop.experiments.calculation import Calculation
    from airhop.experiments.experiment import Experiment

ORDER = ("fails", "open", "holds")
"""Verdicts as they are listed: what does not hold comes first."""


@dataclass(frozen=True)
class Verdict:
    """What became of a claim."""

    claim: Claim[Any]
    judgement: Judgement

    @property
    def word(self) -> str:
        """Say it in a word: `holds`, `fails` or `open`, when the intervals decide neither way."""
        return self.judgement.verdict

    @property
    def reason(self) -> str:
        """Why the claim does not hold, as far as known; empty when it does."""
        return "" if self.judgement.holds else self.claim.reason

    def to_dict(self) -> dict[str, Any]:
        """Give an entry of the document's `claims`."""
        return {
            "id": self.claim.id,
            "text": self.claim.text,
            "holds": self.judgement.holds is True,
            "verdict": self.word,
            "measured": self.judgement.measured,
            "reason": self.reason or None,
        }


def judge(claims: Iterable[Claim[Any]], found: object) -> list[Verdict]:
    """Judge each claim on what was found; those that do not hold come first, each group in its own order."""
    verdicts = [Verdict(claim, claim.judge(found)) for claim in claims]
    return sorted(verdicts, key=lambda verdict: ORDER.index(verdict.word))


class Judged(ABC):
    """An experiment or a calculation that was done in a mode with a seed, and judged."""

    experiment: Experiment | Calculation
    mode: Mode
    seed: int
    verdicts: list[Verdict]
    """Those that do not hold first."""
    files: list[Path]
    """What was written of it, the report first; empty before that."""

    @property
    def holds(self) -> bool:
        """Whether every claim holds."""
        return all(verdict.word == "holds" for verdict in self.verdicts)

    def claims_that(self, word: str) -> list[str]:
        """List the ids of the claims with this verdict: "holds", "fails" or "open"."""
        return [verdict.claim.id for verdict in self.verdicts if verdict.word == word]

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
