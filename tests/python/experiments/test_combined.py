"""Combined readings of a paper, and the design of runs that separates their effects."""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

import pytest

from airhop.errors import InputError
from airhop.experiments import Experiment, Reading, registry
from airhop.experiments.combined import MOST, design, together
from airhop.experiments.registered import read_so
from airhop.stats import Ratio

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import combinations as searches  # noqa: E402


def levels(count: int) -> list[list[int]]:
    """Return the design's columns as -1 and +1."""
    return [[1 if on else -1 for on in column] for column in zip(*design(count), strict=True)]


def inner(*columns: list[int]) -> int:
    """Return the sum over runs of the product of these columns, which is 0 if their effects are separated."""
    total = 0
    for run in zip(*columns, strict=True):
        product = 1
        for level in run:
            product *= level
        total += product
    return total


@pytest.mark.parametrize("count", range(1, MOST + 1))
def test_main_effects_are_not_confounded_with_each_other_or_with_interactions(count: int) -> None:
    """Resolution IV: main effects are orthogonal to each other and to all interactions of two."""
    columns = levels(count)
    assert len(columns[0]) == min(2**count, 16)
    assert all(sum(column) == 0 for column in columns), "each reading is active in half of the runs"
    for a, b in combinations(columns, 2):
        assert inner(a, b) == 0
    for a, b, c in combinations(columns, 3):
        assert inner(a, b, c) == 0


def test_the_first_run_has_default_readings_and_no_run_is_repeated() -> None:
    for count in range(1, MOST + 1):
        runs = design(count)
        assert len(set(runs)) == len(runs)
        assert runs[0][:4] == (False,) * min(count, 4)
    with pytest.raises(InputError, match="a design has 1 to 8 readings, not 9"):
        design(9)


def test_combined_readings_set_all_keys_of_each_reading() -> None:
    (fig2a,) = (one for one in registry().values() if one.id == "koo2007/fig2a")
    assert isinstance(fig2a, Experiment)
    read = read_so(fig2a, "air-1+ewma")
    assert read.id == "koo2007/fig2a@air-1+ewma"
    assert read.settings["wired.air.rate"] == "1 Mbit/s"
    (curve,) = (curve for curve in read.curves if curve.name == "westwood-nr")
    assert curve.settings["flow.ftp.scheme"] == {"name": "westwood-nr", "filter": "ewma"}
    assert read.study("quick").points()


def test_readings_that_contradict_each_other_are_refused() -> None:
    (fig2a,) = (one for one in registry().values() if one.id == "koo2007/fig2a")
    with pytest.raises(InputError, match=r"`air-1` and `air-11` set `wired\.air\.rate` to .1 Mbit/s. and"):
        read_so(fig2a, "air-1+air-11")
    with pytest.raises(InputError, match="once"):
        together([Reading("a", "A."), Reading("a", "A.")])


# ---- the searches of the page ----------------------------------------------------------------------------


@pytest.mark.parametrize("claim", searches.SEARCHES)
def test_a_search_combines_its_readings_into_16_runs_and_has_a_block_on_the_page(claim: str) -> None:
    search = searches.SEARCHES[claim]
    made = searches.combinations(search)
    assert len({one.id for one in made}) == len(made) == 16
    for one in made:
        # Only two curves at each decisive value of the axis are run.
        assert len(one.study("quick").points()) == 2 * len(search.at)
    page = (ROOT / "docs" / "experiments" / "readings.md").read_text(encoding="utf-8")
    assert f"<!-- readings: combinations {claim} -->" in page


@pytest.mark.parametrize(
    ("claim", "low", "high", "holds"),
    [
        # A printed number has a tolerance on both sides, a bound only on one: "over 50 %", "fails to
        # improve".
        ("koo-4", 1.3, 1.5, True),
        ("koo-4", 1.45, 1.5, False),
        ("kou-2", 1.51, 1.9, True),
        ("kou-2", 1.4, 1.9, False),
        ("kou-3", 0.8, 0.99, True),
        ("kou-3", 0.8, 1.01, False),
    ],
)
def test_a_search_succeeds_if_the_interval_meets_the_number_or_passes_the_bound(
    claim: str, low: float, high: float, holds: bool
) -> None:
    search = searches.SEARCHES[claim]
    assert search.holds(Ratio((low + high) / 2, low, high, 5)) is holds
    assert search.holds(Ratio(search.number, None, None, 1)) is False
