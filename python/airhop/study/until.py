"""Stopping rule of a study: replicate until the confidence interval is narrow enough."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from airhop import stats
from airhop.boundary.arguments import checked
from airhop.errors import InputError, did_you_mean
from airhop.study.metric import columns_of

KEYS = ("half_width", "of", "max", "batch")
EXAMPLE = 'as in { half_width = "2 %", of = "goodput_mbps", max = 200 }'


@checked
@dataclass(frozen=True)
class Until:
    """Replicate a setting until the 95 % half-width of every scheme is at most `half_width`.

    The rule is evaluated after every `batch` replications and at `max`, always on the first k replications. A
    study thus stops at the same k on any machine, whatever rows already exist. All schemes of a setting have
    the same k, and thus stay paired.

    Stopped sequences have intervals that cover slightly less than 95 %; batches reduce this effect. Chow and
    Robbins (1965) prove the coverage only in the limit of narrow intervals.
    """

    half_width: float
    """Half-width in the unit of the metric, or as a share of the metric's mean."""
    relative: bool
    of: str = "goodput_mbps"
    max: int = 100
    batch: int = 10

    def __post_init__(self) -> None:
        if not 0.0 < self.half_width < float("inf"):
            raise InputError(f"until.half_width: expected a number above 0, got {self.half_width:g}")
        try:
            columns_of(self.of)
        except InputError as error:
            raise InputError(f"until.of: {error}") from None
        if self.batch < 2:
            raise InputError(f"until.batch: expected at least 2 replications, got {self.batch}")
        if self.max < 2:
            raise InputError(f"until.max: expected at least 2 replications, got {self.max}")

    @classmethod
    def read(cls, spec: object) -> Until:
        """Parse the table of a study file. Raises InputError that names the key."""
        if not isinstance(spec, Mapping):
            raise InputError(f"until: expected a table, {EXAMPLE}, got {spec!r}")
        for key in spec:
            if key not in KEYS:
                raise InputError(
                    f"until: unknown key `{key}`; expected {', '.join(KEYS)}.{did_you_mean(key, KEYS)}"
                )
        for key in ("half_width", "max"):
            if key not in spec:
                raise InputError(f"until.{key}: is missing, {EXAMPLE}")
        half_width, relative = _width(spec["half_width"])
        counts = {key: _count(spec[key], key) for key in ("max", "batch") if key in spec}
        others = {"of": str(spec["of"])} if "of" in spec else {}
        return cls(half_width, relative, **others, **counts)  # type: ignore[arg-type]

    def spec(self) -> dict[str, object]:
        """Return the table that `read` accepts."""
        width = f"{100 * self.half_width:.12g} %" if self.relative else self.half_width
        return {"half_width": width, "of": self.of, "max": self.max, "batch": self.batch}

    def met(self, samples: Iterable[Sequence[float]]) -> bool:
        """Return True if every sample has a narrow enough interval.

        Runs without a value are ignored.
        """
        known = [[value for value in sample if value == value] for sample in samples]
        return all(sample and self._narrow(stats.estimate(sample)) for sample in known)

    def checkpoints(self) -> list[int]:
        """List the numbers of replications at which the rule is evaluated."""
        return [*range(self.batch, self.max, self.batch), self.max]

    def count(self, samples: Sequence[Mapping[int, float]]) -> int | None:
        """Return the number of replications after which the rule stops a setting.

        `samples` has the values of each scheme by replication. Returns None if missing replications are
        needed to decide.
        """
        for count in self.checkpoints():
            if not all(rep in sample for sample in samples for rep in range(count)):
                return None
            if self.met([sample[rep] for rep in range(count)] for sample in samples):
                return count
        return self.max

    def _narrow(self, found: stats.Estimate) -> bool:
        limit = self.half_width * abs(found.mean) if self.relative else self.half_width
        return found.half_width is not None and found.half_width <= limit

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for `Until(**data)`."""
        return asdict(self)

    def __str__(self) -> str:
        width = f"{100 * self.half_width:g} %" if self.relative else f"{self.half_width:g}"
        return f"until ± {width} of {self.of}, at most {self.max}"


def _width(given: object) -> tuple[float, bool]:
    if isinstance(given, int | float) and not isinstance(given, bool):
        return float(given), False
    if isinstance(given, str) and given.rstrip().endswith("%"):
        try:
            return float(given.rstrip().removesuffix("%")) / 100.0, True
        except ValueError:
            pass
    expected = 'expected a share of the mean such as "2 %", or a number in the unit of the metric'
    raise InputError(f"until.half_width: {expected}, got {given!r}")


def _count(given: object, key: str) -> int:
    if isinstance(given, bool) or not isinstance(given, int):
        raise InputError(f"until.{key}: expected a whole number, got {given!r}")
    return given
