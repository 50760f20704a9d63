"""Calculations: figures and tables of papers with values that do not come from a study.

Examples are a closed form beside a simulation of the same model, a worked example, a table of formulas, and
measurements of traces. A calculation computes values. The claims, the figure and the tables depend only on
these values.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from airhop.errors import InputError
from airhop.experiments.experiment import MODES, Claim, Mode, X
from airhop.experiments.reading import MARK, Question, Reading, otherwise
from airhop.experiments.reproduced import CheckedClaim, Reproduced, check_claims
from airhop.files import why
from airhop.progress import SILENT, Reporter
from airhop.stats import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOCUMENT = "outcome.json"


@dataclass(frozen=True)
class Value:
    """Computed value of a metric for one curve or scheme at one x."""

    curve: str
    x: Mapping[str, X]
    """Values of the axes by name: `{"p": 0.1}`."""
    metric: str
    value: Estimate
    """Mean and interval. The function `exact` makes an exact value, with 0 replications and no half-width."""
    published: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the value as an entry of the document's list `rows`."""
        return {
            "scheme": self.curve,
            "x": dict(self.x),
            "metric": self.metric,
            "mean": self.value.mean,
            "half_width": self.value.half_width,
            "published": self.published,
            "reps": self.value.n,
        }

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Value:
        """Restore a value from the data of `to_dict`."""
        value = Estimate(row["mean"], row["half_width"], row["reps"])
        return cls(row["scheme"], row["x"], row["metric"], value, row["published"])


def exact(value: float) -> Estimate:
    """Return an exactly known value as an estimate with an interval of zero width."""
    return Estimate(float(value), None, 0)


class Line(NamedTuple):
    """Curve in a figure."""

    x: list[float]
    means: list[float]
    half_widths: list[float | None]


class Values:
    """All values of a calculation, in order."""

    def __init__(self, values: Iterable[Value]) -> None:
        self._values = list(values)

    def __iter__(self) -> Iterator[Value]:
        return iter(self._values)

    @property
    def reps(self) -> int:
        """Largest number of replications of the values; 0 if all are exact."""
        return max((value.value.n for value in self._values), default=0)

    def of(self, curve: str, metric: str) -> list[Value]:
        """Select the values of a curve in a metric."""
        return [value for value in self._values if (value.curve, value.metric) == (curve, metric)]

    def line(self, curve: str, metric: str, along: str, **fixed: X) -> Line:
        """Return the values of a curve against the quantity `along`; the other quantities are fixed."""
        found = [value for value in self.of(curve, metric) if fixed.items() <= dict(value.x).items()]
        return Line(
            [float(value.x[along]) for value in found],
            [value.value.mean for value in found],
            [value.value.half_width for value in found],
        )

    def at(self, curve: str, metric: str, **x: X) -> Value:
        """Return the value at `x`; raise KeyError if there is no value at `x`."""
        for value in self.of(curve, metric):
            if dict(value.x) == x:
                return value
        raise KeyError((curve, metric, x))


Compute = Callable[[Mode, int, Reporter], Sequence[Value]]
"""Function that computes the values from mode, seed, and reporter of progress."""


@dataclass(frozen=True)
class TextTable:
    """Table for the terminal and the report."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """Rows; the first cell of each row is its name."""
    note: str = ""


@dataclass(frozen=True)
class Calculation:
    """Calculation that reproduces a figure or table of a paper."""

    id: str
    title: str
    source: str
    """Publication."""
    method: str
    """Method of the computation, in a few sentences."""
    compute: Compute
    """Function that computes the values; equal mode and seed must yield equal values."""
    claims: tuple[Claim[Values], ...]
    headline: Callable[[Values], str]
    figure: Callable[[Values], Figure]
    """Function that draws the figure for print, inside `plots.paper.PRINT_STYLE`."""
    tables: Callable[[Values], Sequence[TextTable]]
    questions: tuple[Question, ...] = ()
    """Open questions (unclear statements) of the paper."""
    compute_under: Callable[[Reading], Compute] | None = None
    """Function that returns `compute` for another reading (answer to an open question). None without
    questions.
    """

    def under(self, reading: Reading) -> Calculation:
        """Return the calculation under another interpretation of the paper, without open questions."""
        assert self.compute_under is not None, f"{self.id} has questions but no `compute_under`"
        return replace(
            self,
            id=f"{self.id}{MARK}{reading.name}",
            compute=self.compute_under(reading),
            claims=tuple(claim.under(reading) for claim in self.claims),
            questions=(),
            compute_under=None,
        )


@dataclass
class Calculated(Reproduced):
    """Result of a calculation."""

    experiment: Calculation
    mode: Mode
    seed: int
    values: Values
    claims: list[CheckedClaim]
    files: list[Path] = field(default_factory=list)

    @classmethod
    def of(cls, calculation: Calculation, mode: Mode, seed: int, reporter: Reporter = SILENT) -> Calculated:
        """Compute the values in this mode, and check the claims."""
        return cls._checked(calculation, mode, seed, Values(calculation.compute(mode, seed, reporter)))

    @classmethod
    def read(cls, calculation: Calculation, path: Path) -> Calculated:
        """Read the values of a document and check the claims again.

        Raises InputError if the document is damaged.
        """
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            values = Values(Value.from_dict(row) for row in document["rows"])
            mode, seed = MODES[MODES.index(document["mode"])], int(document["seed"])
            return cls._checked(calculation, mode, seed, values)
        except OSError as error:
            raise InputError(f"cannot read {path}: {why(error)}") from None
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path} is no document of {calculation.id} ({error!r}); delete it and reproduce it again"
            ) from None

    @classmethod
    def _checked(cls, calculation: Calculation, mode: Mode, seed: int, values: Values) -> Calculated:
        return cls(calculation, mode, seed, values, check_claims(calculation.claims, values))

    @property
    def headline(self) -> str:
        """Result in one sentence."""
        return self.experiment.headline(self.values)

    def to_dict(self) -> dict[str, Any]:
        """Return one entry of the `experiments` list that `airhop reproduce --json` prints."""
        return {
            "id": self.experiment.id,
            "reps": self.values.reps,
            "rows": [value.to_dict() for value in self.values],
            "claims": [checked.to_dict() for checked in self.claims],
        }


def calculated_in(folder: Path, known: Mapping[str, object]) -> list[Calculated]:
    """Read the known calculations with a document in this folder, and check their claims again.

    A result includes the results for other readings of the paper.
    """
    found = []
    for calculation in known.values():
        if isinstance(calculation, Calculation) and (folder / calculation.id / DOCUMENT).is_file():
            outcome = Calculated.read(calculation, folder / calculation.id / DOCUMENT)
            documents = [
                (reading, one, folder / one.id / DOCUMENT) for reading, one in otherwise(calculation)
            ]
            there = [
                (reading, Calculated.read(one, path)) for reading, one, path in documents if path.is_file()
            ]
            if there:
                outcome.read_otherwise(there)
            found.append(outcome)
    return found
