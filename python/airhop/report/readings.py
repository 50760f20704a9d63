"""Table of an experiment's claims under each reading (interpretation) of its paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from airhop.experiments.reading import DEFAULT, SILENT, Question, Reading
from airhop.experiments.reproduced import CheckedClaim

RULE = (
    "The text of the paper determines the default reading. Each other reading changes one question; all "
    "other questions keep their default."
)


@dataclass(frozen=True)
class ReadingsTable:
    """Verdicts on the claims of an experiment under each reading (interpretation) of its paper."""

    claims: tuple[CheckedClaim, ...]
    questions: tuple[Question, ...]

    @classmethod
    def of(cls, claims: Sequence[CheckedClaim], questions: Sequence[Question]) -> ReadingsTable | None:
        """Return the table of all claims that were checked under several readings; None if no claims were."""
        if not claims or len(claims[0].judged) < 2:
            return None
        return cls(tuple(claims), tuple(questions))

    @property
    def groups(self) -> list[tuple[str, list[str]]]:
        """Column groups: the subject of each open question, and the names of its readings.

        The default reading comes first.
        """
        judged = {judgement.name for judgement in self.claims[0].judged}
        asked = ((question.about, [one.name for one in question.others]) for question in self.questions)
        kept = [(about, [name for name in names if name in judged]) for about, names in asked]
        return [("", [DEFAULT]), *((about, names) for about, names in kept if names)]

    @property
    def verdicts(self) -> dict[str, list[str]]:
        """Verdicts by claim: one word per reading, in the order of the columns."""
        return {one.claim.id: [judged.result.word for judged in one.judged] for one in self.claims}

    def told(self) -> Iterator[tuple[str, Reading, bool, str]]:
        """Yield each reading with its question, True for the default, and its evidence in the paper."""
        for question in self.questions:
            for reading in (question.default, *question.others):
                rests_on = "" if reading.rests_on == SILENT else reading.rests_on
                yield question.about, reading, reading is question.default, rests_on
