"""Readings: interpretations of unclear points of a paper, and the claims that depend on them.

An experiment has a `Question` for each setting that the paper omits or contradicts. Each answer to a question
is a `Reading`. The default answer follows from the printed text, never from results. Each other answer is
simulated alone, with the default answers to all other questions.
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
"""Basis of an answer if the paper does not mention the subject of the question."""
MARK = "@"
"""Separator of an experiment's id and the name of an answer: `yun2009/fig6@tibet-0.999`."""


@dataclass(frozen=True)
class Reading:
    """Answer to an open question of a paper."""

    name: str
    """Name in one word, such as `tibet-0.999`."""
    text: str
    """Sentence with the assumption."""
    rests_on: str = SILENT
    """Printed words of the paper that support the reading."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """Settings of every curve, by scenario path."""
    schemes: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Parameters by scheme for all curves with this scheme, as in `{"tibet": {"rttmin_factor": 0.999}}`."""
    curves: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Settings by curve and scenario path. All other curves keep the settings of the experiment."""
    scenario: str | Path | None = None
    """Scenario in place of the experiment's own; None for no change."""
    metric: Metric | None = None
    """Metric in place of the experiment's own; None for no change."""
    checks: Mapping[str, Callable[[Any], ClaimResult]] = field(default_factory=dict)
    """Checks by claim, in place of the experiment's own, for a reading that interprets the sentence of a
    claim instead of the runs.
    """

    def __post_init__(self) -> None:
        if not self.name or MARK in self.name or "/" in self.name or any(c.isspace() for c in self.name):
            raise InputError(f"the name of a reading is a word without `{MARK}` and `/`, not {self.name!r}")


@dataclass(frozen=True)
class Question:
    """Open question of a paper, about a setting that is missing or contradictory, with possible answers."""

    about: str
    """Subject of the question, as a noun: `TIBET's decay`."""
    default: Reading
    """Default answer: a description of the experiment's own settings, without changes."""
    others: tuple[Reading, ...]

    def __post_init__(self) -> None:
        if self.default.settings or self.default.schemes or self.default.curves:
            raise InputError(f"{self.about}: the default reading changes nothing")


DEFAULT = "default"
"""Name of the interpretation with the default answer to every question."""


def readings(questions: Iterable[Question]) -> tuple[Reading, ...]:
    """List all answers except the default answers, question by question."""
    return tuple(reading for question in questions for reading in question.others)


class Readable(Protocol):
    """An experiment or a calculation."""

    @property
    def id(self) -> str:
        """Identifier: `yun2009/fig6`."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """Open questions of the paper."""

    def under(self, reading: Reading) -> Self:
        """Return a copy of this object, changed by one answer to an open question."""


Read = TypeVar("Read", bound=Readable)


def otherwise(experiment: Read) -> list[tuple[Reading, Read]]:
    """Return each answer except the defaults, with the experiment that results from the answer."""
    return [(reading, experiment.under(reading)) for reading in readings(experiment.questions)]


def find(name: str, questions: Sequence[Question], of: str) -> Reading | None:
    """Return the answer with this name; None for the default answer.

    Raises InputError if `of` has no answer of this name.
    """
    known = {reading.name: reading for reading in readings(questions)}
    if name in ("", DEFAULT):
        return None
    if name not in known:
        there = f"There are: {', '.join([DEFAULT, *known])}." if known else "Only the default reading exists."
        raise InputError(f"{of} has no reading `{name}`.{did_you_mean(name, known)} {there}")
    return known[name]


@dataclass(frozen=True)
class Judgement:
    """Verdict on a claim under one interpretation of the paper."""

    reading: Reading | None
    """Reading; None for the default."""
    rests_on: str
    result: ClaimResult

    @property
    def name(self) -> str:
        """Name of the interpretation."""
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
    """Return the paper's words that support the default answers.

    A question is omitted if the paper does not mention its subject.
    """
    said = dict.fromkeys(question.default.rests_on for question in questions)
    return " … ".join(words for words in said if words != SILENT) or SILENT


def conclusion(judged: Sequence[Judgement], questions: Sequence[Question]) -> str:
    """State a claim's verdicts under all answers, as in "holds under 3 of 5: it depends on TIBET's decay"."""
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
    """Return the questions on which a claim depends: the claim holds with one answer and fails with another.

    If no single question has both verdicts, return the questions where an answer other than the default
    decides the claim. Return an empty list if no two readings have opposite verdicts.
    """
    by_name: dict[str, Verdict] = {judgement.name: judgement.result.word for judgement in judged}
    if not {"holds", "fails"} <= set(by_name.values()):
        return []  # an open verdict may agree with the other verdicts after more replications
    of_others = {
        question.about: {by_name[one.name] for one in question.others if one.name in by_name}
        for question in questions
    }
    both = [about for about, words in of_others.items() if {"holds", "fails"} <= words | {by_name[DEFAULT]}]
    return both or [about for about, words in of_others.items() if words & {"holds", "fails"}]


def listed(words: Sequence[str]) -> str:
    """Join words by commas, with `and` before the last."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
