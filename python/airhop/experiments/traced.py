"""Common parts of calculations from traces: runs, paired comparisons, and texts about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from airhop.experiments.calculation import Value
from airhop.experiments.claims import Decision, above, below, ends
from airhop.experiments.experiment import X
from airhop.numerals import half_width_text
from airhop.progress import Reporter
from airhop.simulate import cores
from airhop.stats import Estimate

Cell = TypeVar("Cell", bound=tuple[Any, ...])
Measured = TypeVar("Measured")


def traced_runs(
    measure: Callable[..., Measured], cells: Iterable[Cell], reps: int, seed: int, reporter: Reporter
) -> dict[Cell, list[Measured]]:
    """Measure every cell in `reps` replications, on all cores.

    `measure` is called with the elements of a cell, the seed and the replication. Results of a cell are in
    the order of the replications.
    """
    wanted = list(cells)
    found: dict[Cell, list[Measured]] = {cell: [] for cell in wanted}
    with reporter.task("traced runs", reps * len(wanted)) as task, ThreadPoolExecutor(cores()) as pool:
        jobs = [(cell, pool.submit(measure, *cell, seed, rep)) for cell in wanted for rep in range(reps)]
        try:
            for cell, job in jobs:
                found[cell].append(job.result())
                task.advance()
        finally:
            pool.shutdown(cancel_futures=True)
    return found


def estimated(curve: str, x: dict[str, X], metric: str, sample: Sequence[float]) -> Value:
    """Estimate a metric from one number per run."""
    from airhop import stats

    return Value(curve, x, metric, stats.estimate(sample))


def paired(name: str, x: dict[str, X], metric: str, own: Sequence[float], other: Sequence[float]) -> Value:
    """Estimate the difference of two curves, paired by replication."""
    from airhop import stats

    more = stats.difference(own, other)
    return Value(name, x, metric, Estimate(more.mean, more.half_width, more.n))


def apart(difference: Estimate, sign: int) -> Decision:
    """Check whether a paired difference is above zero (sign 1) or below zero (sign -1)."""
    return above(difference, 0.0) if sign > 0 else below(difference, 0.0)


def differs_from_zero(difference: Estimate) -> Decision:
    """Check whether a paired difference is not zero; undecided if the interval contains zero."""

    def by(confidence: float) -> bool | None:
        low, high = ends(difference, confidence)
        return None if low <= 0.0 <= high else True

    return Decision(by)


def mean_and_half(value: Estimate, digits: int = 2, sign: str = "") -> str:
    """Format a mean and its half-width as `4.21 ± 0.08`; `sign` may request a `+` before the mean."""
    return f"{value.mean:{sign}.{digits}f} {half_width_text(value, digits)}"
