"""Checks as data: a function of `claims`, with what it is asked about, so that a page can print the question.

    Asked(each_above, FER, THE_REST, "reno", Span(1e-4))

asks `each_above(samples, FER, THE_REST, "reno", samples.from_x(1e-4))`.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from airhop.experiments.experiment import ClaimResult, Curve, Metric, PlottedAxis, X
from airhop.experiments.samples import Samples

JUDGES = "Check whether "
"""First words of a check's docstring."""


@dataclass(frozen=True)
class Span:
    """The values of the axis from `least` to `most`, ends included; words of an axis are all in it."""

    least: float = -math.inf
    most: float = math.inf

    def of(self, samples: Samples) -> list[X]:
        """Return the values of the grid that lie in the span."""
        return [x for x in samples.from_x(self.least) if isinstance(x, str) or x <= self.most]

    def text(self, axis: PlottedAxis | None) -> str:
        """Return the span in words, in the units of the axis."""

        def end(x: float) -> str:
            return axis.text(x) if axis else f"{x:g}"

        if math.isfinite(self.least) and math.isfinite(self.most):
            return f"{end(self.least)} to {end(self.most)}"
        if math.isfinite(self.least):
            return f"from {end(self.least)} up"
        return f"up to {end(self.most)}" if math.isfinite(self.most) else "the whole axis"


@dataclass(frozen=True)
class Place:
    """Value of the axis by its place in the grid: 0 is the first, -1 the last."""

    index: int

    def of(self, samples: Samples) -> list[X]:
        """Return the value that stands there."""
        return [samples.xs[self.index]]

    def text(self, _: PlottedAxis | None) -> str:
        """Return the place in words."""
        return {0: "the first value", -1: "the last value"}.get(self.index, f"value {self.index}")


ALL_X, FIRST, LAST = Span(), Place(0), Place(-1)


class Asked:
    """A check bound to all of its arguments but the samples."""

    def __init__(
        self, check: Callable[..., ClaimResult], *arguments: object, of: Metric | None = None, **named: object
    ) -> None:
        """Bind the arguments after the samples; `of` is a further metric whose samples are looked at."""
        self.check = check
        self.of = of
        self.bound = inspect.signature(check).bind(None, *arguments, **named)

    def __call__(self, found: Any) -> ClaimResult:
        """Check the results: samples of an experiment, values of a calculation."""
        looked_at = found.also[self.of.name] if self.of else found

        def resolved(value: object) -> object:
            return value.of(looked_at) if isinstance(value, Span | Place) else value

        arguments = [resolved(value) for value in self.bound.args[1:]]
        named = {name: resolved(value) for name, value in self.bound.kwargs.items()}
        return self.check(looked_at, *arguments, **named)

    @property
    def text(self) -> str:
        """The question in words: what the check judges, and the arguments that it is given."""
        given = list(self.bound.arguments.items())[1:]
        axis = next((value for _, value in given if isinstance(value, PlottedAxis)), None)
        told = [
            f"{name} = {written}"
            for name, value in given
            if not isinstance(value, PlottedAxis) and (written := _written(value, axis))
        ]
        told += [f"measured = {self.of.label}"] if self.of else []
        return f"{_judged(self.check)}: {', '.join(told)}" if told else _judged(self.check)


def asks(check: Callable[[Any], ClaimResult]) -> str:
    """Return what a check asks, in words; empty for a function that does not say it."""
    return check.text if isinstance(check, Asked) else _judged(check)


def _judged(check: Callable[..., object]) -> str:
    about = (inspect.getdoc(check) or "").partition("\n")[0]
    if not about.startswith(JUDGES):
        return ""
    return f"whether {about.removeprefix(JUDGES).partition(';')[0].rstrip('.')}"


def _written(value: object, axis: PlottedAxis | None) -> str:
    """Write an argument: names of curves, numbers, values of the axis."""
    if isinstance(value, Span | Place):
        return value.text(axis)
    if isinstance(value, Metric | PlottedAxis):
        return value.label
    if isinstance(value, Curve):
        return value.name
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{_written(key, axis)}: {_written(one, axis)}" for key, one in value.items())
    if isinstance(value, Sequence):
        return ", ".join(_written(one, axis) for one in value)
    return str(value)
