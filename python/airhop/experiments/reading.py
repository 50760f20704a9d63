"""Readings: interpretations of a paper's open points, and the claims that depend on them.

An experiment has a `Question` for each setting that its paper omits or contradicts. The default answer
follows from the printed text, never from results. Each other answer is run alone, with the default answers to
all other questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeVar

from airhop.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from airhop.experiments.experiment import ClaimResult, Metric

Verdict = Literal["holds", "fails", "open"]

SILENT = "silent"
"""Basis of a reading if the paper does not mention the subject."""
MARK = "@"
"""Separator of an experiment's id and a reading's name: `yun2009/fig6@tibet-0.999`."""


@dataclass(frozen=True)
class Reading:
    """Reading of an open question of a paper."""

    name: str
    """Name, a word: `tibet-0.999`."""
    text: str
    """Assumption, a sentence."""
    rests_on: str = SILENT
    """Printed words of the paper that support the reading."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """Scenario paths with fixed values for every curve."""
    schemes: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Parameters by scheme, for every curve of that scheme: `{"tibet": {"rttmin_factor": 0.999}}`."""
    curves: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Scenario paths and values by curve, for this curve only; other curves keep the settings of the
    experiment."""
    scenario: str | Path | None = None
    """Another network; None keeps the experiment's."""
    metric: Metric | None = None
    """Another measure; None keeps the experiment's."""
    checks: Mapping[str, Callable[[Any], ClaimResult]] = field(default_factory=dict)
    """Checks by claim, if the claim's sentence has another interpretation for the same runs."""

    def __post_init__(self) -> None:
        if not self.name or MARK in self.name or "/" in self.name or any(c.isspace() for c in self.name):
            raise InputError(f"the name of a reading is a word without `{MARK}` and `/`, not {self.name!r}")


@dataclass(frozen=True)
class Question:
    """Open question of a paper, with its default and other answers."""

    about: str
    """Subject of the question, as a noun: `TIBET's decay`."""
    default: Reading
    """Default answer, which describes the settings of the experiment and changes nothing."""
    others: tuple[Reading, ...]

    def __post_init__(self) -> None:
        if self.default.settings or self.default.schemes or self.default.curves:
            raise InputError(f"{self.about}: the default reading changes nothing")


DEFAULT = "default"
"""Name of the reading in which every question has its default answer."""


def readings(questions: Iterable[Question]) -> tuple[Reading, ...]:
    """List the readings other than the default, question by question."""
    return tuple(reading for question in questions for reading in question.others)


class Readable(Protocol):
    """An experiment or a calculation."""

    @property
    def id(self) -> str:
        """Identifier: `yun2009/fig6`."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """Open questions of its paper."""

    def under(self, reading: Reading) -> Self:
        """Return this object under another reading."""


Read = TypeVar("Read", bound=Readable)


def otherwise(experiment: Read) -> list[tuple[Reading, Read]]:
    """Return an experiment under each reading except the default."""
    return [(reading, experiment.under(reading)) for reading in readings(experiment.questions)]


def find(name: str, questions: Sequence[Question], of: str) -> Reading | None:
    """Find a reading by its name; None is the default. Raises InputError if `of` has no such reading."""
    known = {reading.name: reading for reading in readings(questions)}
    if name in ("", DEFAULT):
        return None
    if name not in known:
        there = f"There are: {', '.join([DEFAULT, *known])}." if known else "Only the default reading exists."
        raise InputError(f"{of} has no reading `{name}`.{did_you_mean(name, known)} {there}")
    return known[name]


@dataclass(frozen=True)
class Judgement:
    """Outcome of a claim under a reading."""

    reading: Reading | None
    """Reading; None is the default."""
    rests_on: str
    result: ClaimResult

    @property
    def name(self) -> str:
        """Name of the reading."""
        return self.reading.name if self.reading else DEFAULT

    def to_dict(self) -> dict[str, object]:
        """Return an entry of a claim's `readings` (documented with `airhop reproduce --json`)."""
        return {
            "name": self.name,
            "rests_on": self.rests_on,
            "default": self.reading is None,
            "verdict": self.result.word,
            "measured": self.result.measured,
        }


def default_rests_on(questions: Sequence[Question]) -> str:
    """Return the printed words that support the defaults, for questions that the paper mentions."""
    said = dict.fromkeys(question.default.rests_on for question in questions)
    return " … ".join(words for words in said if words != SILENT) or SILENT


def conclusion(judged: Sequence[Judgement], questions: Sequence[Question]) -> str:
    """State a claim's verdicts under all readings: "holds under 3 of 5: it depends on TIBET's decay"."""
    words = [judgement.result.word for judgement in judged]
    if len(words) == 1:
        return {"holds": "holds", "fails": "fails", "open": "is open"}[words[0]] + " under the only reading"
    if set(words) == {"holds"}:
        return "holds under every reading"
    if set(words) == {"fails"}:
        return "fails under every checked reading"
    if set(words) == {"open"}:
        return "is open under every reading"
    told = f"holds under {words.count('holds') or 'none'} of {len(words)}"
    told += f", open under {words.count('open')}" if "open" in words else ""
    sources = depends_on(judged, questions)
    return f"{told}: it depends on {listed(sources)}" if sources else told


def depends_on(judged: Sequence[Judgement], questions: Sequence[Question]) -> list[str]:
    """Return the questions with an answer under which the claim holds and another under which it fails.

    If there are no such questions, return the questions with another answer than the default under which the
    claim is not open. Return an empty list unless the claim holds under one reading and fails under another.
    """
    by_name: dict[str, Verdict] = {judgement.name: judgement.result.word for judgement in judged}
    if not {"holds", "fails"} <= set(by_name.values()):
        return []  # an open verdict may later agree with the others
    of_others = {
        question.about: {by_name[one.name] for one in question.others if one.name in by_name}
        for question in questions
    }
    both = [about for about, words in of_others.items() if {"holds", "fails"} <= words | {by_name[DEFAULT]}]
    return both or [about for about, words in of_others.items() if words & {"holds", "fails"}]


def listed(words: Sequence[str]) -> str:
    """Join words by commas, with `and` before the last."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
