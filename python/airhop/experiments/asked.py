"""Checks of claims as data: a check function, arguments, and a sentence about the test for pages.

    Asked(each_above, FER, THE_REST, "reno", Span(1e-4))

calls `each_above(samples, FER, THE_REST, "reno", samples.from_x(1e-4))`. The decorator `worded` adds the
template of the sentence. For a function without arguments, the docstring is the sentence.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any, TypeVar

from airhop.experiments.experiment import ClaimResult, Experiment, Metric, PlottedAxis, X
from airhop.experiments.samples import Samples

JUDGES = "Check whether "
"""First words of the docstring of a check."""
JUDGES_NOTHING = "Check nothing: "
"""First words of the docstring of a check that reads no run, followed by the reason."""
Check = TypeVar("Check", bound=Callable[..., ClaimResult])
"""Function that decides a claim."""


@dataclass(frozen=True)
class Span:
    """Range of axis values from `least` to `most`, ends included; on an axis of words, all values."""

    least: float = -math.inf
    most: float = math.inf

    def of(self, samples: Samples) -> list[X]:
        """Return the values of the grid in the range."""
        return [x for x in samples.from_x(self.least) if isinstance(x, str) or x <= self.most]

    def text(self, axis: PlottedAxis) -> str:
        """Format the range as text, in the units of the axis."""
        inside = [x for x in axis.full if isinstance(x, str) or self.least <= x <= self.most]
        if len(inside) == 1:
            return values(inside, axis)
        words = f"every {noun(axis)}"
        words += f" from {axis.text(self.least)}" if math.isfinite(self.least) else ""
        if math.isfinite(self.most):
            return f"{words} {'' if math.isfinite(self.least) else 'up '}to {axis.text(self.most)}"
        return f"{words} up" if math.isfinite(self.least) else words


@dataclass(frozen=True)
class Place:
    """Value of the axis by its index in the grid: 0 is the first, -1 the last."""

    index: int

    def of(self, samples: Samples) -> list[X]:
        """Return the value at this index."""
        return [samples.xs[self.index]]

    def text(self, axis: PlottedAxis) -> str:
        """Format the value, or `the largest … of the grid` if the full and the coarse grid differ there."""
        if axis.full[self.index] == axis.coarse[self.index]:
            return values((axis.full[self.index],), axis)
        return f"the {'smallest' if self.index == 0 else 'largest'} {noun(axis)} of the grid"


ALL_X, FIRST, LAST = Span(), Place(0), Place(-1)


@dataclass(frozen=True)
class Template:
    """Template of a check's sentence: format string with the check's parameters, and texts of values."""

    text: str
    words: Mapping[object, str]


_TEMPLATES: dict[Callable[..., ClaimResult], Template] = {}


def worded(text: str, words: Mapping[Any, str] | None = None) -> Callable[[Check], Check]:
    """Return a decorator that attaches the template of a sentence to a check.

    Parameters
    ----------
    text
        Format string. The fields are the check's parameters; `measure`, `quantity` and `unit` of the metric;
        `every`, `first`, `last` and `noun` of the axis; and `beside`, the companion experiment.
        `{share:times}` is empty for a share of 1. `{share:percent}` writes a share in per cent.
        `{from_x:bounds}` writes only the bounds of a span in brackets, and nothing for the whole axis.
    words
        Texts of argument values, such as labels of a calculation's metrics.
    """

    def attach(check: Check) -> Check:
        _TEMPLATES[check] = Template(text, words or {})
        return check

    return attach


class Asked:
    """A check bound to all of its arguments except the samples."""

    def __init__(
        self, check: Callable[..., ClaimResult], *arguments: object, of: Metric | None = None, **named: object
    ) -> None:
        """Bind all arguments after the samples; `of` replaces the main metric of the samples."""
        self.check = check
        self.of = of
        self.bound = inspect.signature(check).bind(None, *arguments, **named)
        self.bound.apply_defaults()

    def __call__(self, found: Any) -> ClaimResult:
        """Check the results: samples of an experiment, or values of a calculation."""
        looked_at = found.also[self.of.name] if self.of else found

        def resolved(value: object) -> object:
            return value.of(looked_at) if isinstance(value, Span | Place) else value

        arguments = [resolved(value) for value in self.bound.args[1:]]
        named = {name: resolved(value) for name, value in self.bound.kwargs.items()}
        return self.check(looked_at, *arguments, **named)

    def text(self, experiment: Experiment | None) -> str:
        """Return the test as a sentence, with the labels of `experiment` (None for a calculation)."""
        if (template := _TEMPLATES.get(self.check)) is None:
            return _documented(self.check)
        given = dict(list(self.bound.arguments.items())[1:])
        writer = _Writer(experiment, template.words, _names(given.values()))
        fields = {field for _, field, _, _ in Formatter().parse(template.text)}
        words = {name: writer.written(name, value) for name, value in given.items() if name in fields}
        return template.text.format(**{**writer.common(self.of), **words})


def asks(check: Callable[[Any], ClaimResult], experiment: Experiment | None) -> str:
    """Return the test of a check as a sentence; empty for a function without a description.

    `experiment` has the labels and units. None stands for a calculation.
    """
    return check.text(experiment) if isinstance(check, Asked) else _documented(check)


def _documented(check: Callable[..., object]) -> str:
    about = (inspect.getdoc(check) or "").partition("\n")[0]
    if about.startswith(JUDGES_NOTHING):
        return f"none, for {about.removeprefix(JUDGES_NOTHING).rstrip('.')}"
    if not about.startswith(JUDGES):
        return ""
    return about.removeprefix(JUDGES).partition(";")[0].rstrip(".")


def noun(axis: PlottedAxis) -> str:
    """Return the noun for an axis in a sentence: `frame error rate`, `number of hops`."""
    label = _in_sentence(axis.label.partition(" (")[0])
    return f"number of {label}" if _counts(axis) else label


def _counts(axis: PlottedAxis) -> bool:
    """Return whether the label of an axis is only a plural noun: `Connections`."""
    return axis.label.isalpha() and axis.label.endswith("s")


def values(xs: Sequence[X], axis: PlottedAxis) -> str:
    """Format values of an axis for a sentence: `frame error rate 0.1 %`, `2 and 10 connections`."""
    words = joined([axis.text(x) for x in xs])
    if _counts(axis):
        one = len(xs) == 1 and xs[0] == 1
        return (
            words if axis.counts else f"{words} {_in_sentence(axis.label).removesuffix('s' if one else '')}"
        )
    return f"{noun(axis)} {words}"


def joined(words: Sequence[str]) -> str:
    """Join words as a list of a sentence."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


class _Number(float):
    """Number in a sentence, with the formats `times` (factor, empty for 1) and `percent`."""

    def __format__(self, spec: str) -> str:
        digits = float.__format__(self, ".3g")
        if spec == "times":
            return "" if self == 1.0 else f"{digits} × "
        return f"{100 * self:.3g} %" if spec == "percent" else digits


class _Span(str):
    """Text of a range of axis values; the format `bounds` omits the noun of the axis."""

    bounds: str
    """Bounds of the range as text; empty for the whole axis."""

    def __new__(cls, span: Span, axis: PlottedAxis) -> _Span:
        """Format a range in the units of an axis."""
        self = super().__new__(cls, span.text(axis))
        self.bounds = self.removeprefix(f"every {noun(axis)}").strip()
        return self

    def __format__(self, spec: str) -> str:
        if spec == "bounds":
            return f" ({self.bounds})" if self.bounds else ""
        return str(self)


class _Writer:
    """Formatter of a check's arguments with the labels of an experiment."""

    def __init__(self, experiment: Experiment | None, words: Mapping[object, str], named: set[str]) -> None:
        self.runs, self.words, self.named = experiment, words, named
        self.labels = (
            {name: _bracketed(label) for name, label in self.runs.labels.items()} if self.runs else {}
        )

    def common(self, of: Metric | None) -> dict[str, object]:
        """Return the words that every template can use."""
        if not self.runs:
            return {}
        beside = self.runs.beside
        return {
            "measure": measure(of or self.runs.metric),
            "quantity": _in_sentence((of or self.runs.metric).label),
            "unit": (of or self.runs.metric).unit,
            "every": ALL_X.text(self.runs.axis),
            "first": FIRST.text(self.runs.axis),
            "last": LAST.text(self.runs.axis),
            "noun": noun(self.runs.axis),
            "beside": f"`{beside.id}`" if beside else "",
        }

    def written(self, name: str, value: object) -> object:
        """Write an argument: curves, values of the axis, numbers."""
        if isinstance(value, Span):
            return _Span(value, self._axis)
        if isinstance(value, Place):
            return value.text(self._axis)
        if name == "at":
            return ALL_X.text(self._axis) if value is None else values(_sequence(value), self._axis)
        if name == "from_x" and isinstance(value, float | int):
            return _Span(Span(value), self._axis)
        if isinstance(value, float | int) and not isinstance(value, bool):
            return self.words.get(value) or _Number(value)
        if isinstance(value, Metric):
            return measure(value)
        if name == "metric":
            return f"the {_in_sentence(self._word(value).partition(' (')[0])}"
        if isinstance(value, Mapping):
            return joined([self._pair(name, one, two) for one, two in value.items()])
        if name == "order":
            return " > ".join(joined([self._word(one) for one in group]) for group in _groups(value))
        if isinstance(value, Sequence) and not isinstance(value, str):
            return self.words.get(value) or self._each(value)
        return self._word(value) if isinstance(value, str) else value

    @property
    def _axis(self) -> PlottedAxis:
        assert self.runs is not None, "a calculation has no axis"
        return self.runs.axis

    def _word(self, value: object) -> str:
        if isinstance(value, Sequence) and not isinstance(value, str):
            return self._each(value)
        known = self.words.get(value) or self.labels.get(str(value))
        return known or (self.runs and self.runs.axis.words.get(str(value))) or str(value)

    def _each(self, several: Sequence[object]) -> str:
        """Format a list: `each of A and B`, or `every other curve` for all other curves."""
        if all(isinstance(one, int | float) for one in several):
            return joined([f"{one:g}" for one in several])
        names = set(map(str, several))
        if len(several) > 2 and names == set(self.labels):
            return "every curve"
        if len(several) > 2 and self.labels and self.named >= set(self.labels):
            return "every other curve"
        words = [self._word(one) for one in several]
        return words[0] if len(words) == 1 else f"each of {joined(words)}"

    def _pair(self, name: str, key: Any, value: Any) -> str:
        """Format an entry of a mapping: the factor of a curve, or a printed gain, possibly at a single x."""
        if name == "factors":
            return f"{value:g} × that with {self._word(key)}"
        if isinstance(key, str):
            return f"{value:g} % over {self._word(key)}"
        curve, other, x = key
        where = values((x,), self._axis)
        return f"{value:g} % ({self._word(curve)} over {self._word(other)}, {where})"


def _names(given: Iterable[object]) -> set[str]:
    """Return the strings among arguments, including strings in lists."""
    several = [[one] if isinstance(one, str) or not isinstance(one, Sequence) else one for one in given]
    return {one for part in several for one in part if isinstance(one, str)}


def measure(metric: Metric) -> str:
    """Return a metric as the subject of a sentence: `the goodput`, `the number of timeouts`."""
    label = _in_sentence(metric.label)
    if "'" in label:
        return label
    counted = not metric.unit and any(word.endswith("s") for word in label.split()[:2])
    return f"the number of {label}" if counted else f"the {label}"


def _in_sentence(label: str) -> str:
    """Return a label for the middle of a sentence; acronyms and names stay unchanged."""
    first = label.split()[0]
    return label if not first[1:].islower() or "'" in first else label[:1].lower() + label[1:]


def _bracketed(label: str) -> str:
    """Write the part of a label after a comma in brackets, so that labels can stand in a list."""
    head, _, rest = label.partition(", ")
    return f"{head} ({rest})" if rest else head


def _groups(value: object) -> Sequence[Sequence[object]]:
    assert isinstance(value, Sequence)
    return value


def _sequence(value: object) -> Sequence[X]:
    assert isinstance(value, Sequence)
    return value
