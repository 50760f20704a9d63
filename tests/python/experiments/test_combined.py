"""Readings taken together, and the fraction of all combinations that tells their effects apart."""

from __future__ import annotations

from itertools import combinations

import pytest

from airhop.errors import InputError
from airhop.experiments import Experiment, Reading, registry
from airhop.experiments.combined import MOST, design, together
from airhop.experiments.registered import read_so


def levels(count: int) -> list[list[int]]:
    """Return the design's columns as -1 and +1."""
    return [[1 if on else -1 for on in column] for column in zip(*design(count), strict=True)]


def inner(*columns: list[int]) -> int:
    """Sum up the product of columns over the runs: 0 where their effects are told apart."""
    total = 0
    for run in zip(*columns, strict=True):
        product = 1
        for level in run:
            product *= level
        total += product
    return total


@pytest.mark.parametrize("count", range(1, MOST + 1))
def test_no_effect_is_confounded_with_another_nor_with_one_of_two(count: int) -> None:
    """Resolution IV: main effects are orthogonal to each other and to all interactions of two."""
    columns = levels(count)
    assert len(columns[0]) == min(2**count, 16)
    assert all(sum(column) == 0 for column in columns), "each reading is on in half of the runs"
    for a, b in combinations(columns, 2):
        assert inner(a, b) == 0
    for a, b, c in combinations(columns, 3):
        assert inner(a, b, c) == 0


def test_the_first_run_is_the_default_and_no_run_comes_twice() -> None:
    for count in range(1, MOST + 1):
        runs = design(count)
        assert len(set(runs)) == len(runs)
        assert runs[0][:4] == (False,) * min(count, 4)
    with pytest.raises(InputError, match="a design has 1 to 8 readings, not 9"):
        design(9)


def test_readings_together_set_what_each_sets() -> None:
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
