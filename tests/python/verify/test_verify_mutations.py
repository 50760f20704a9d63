"""The measurement of the verifier's sensitivity: every edit changes a value, and counts are correct."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

import airhop
from airhop.bench.courses import AS_NS2
from airhop.results import Result
from airhop.scenario import Scenario
from airhop.verify import Trace, mutations
from airhop.verify.mutations import EDITS, UNKNOWABLE, Tally


@cache
def recorded(name: str) -> tuple[Scenario, Result]:
    changes = AS_NS2 if name == "cheng2008-chain" else {}
    scenario = airhop.Scenario.load(name).with_({**changes, "duration": "1 s"})
    return scenario, airhop.run(scenario, trace=True)


@pytest.mark.parametrize("name", ["last-hop", "cheng2008-chain"])
def test_every_random_edit_changes_exactly_one_table(name: str) -> None:
    """An edit without effect would count as missed, or as found by a wrong law."""
    _, result = recorded(name)
    random, kinds = Random(1), set()
    for _ in range(300):
        edit, tables = mutations.draw(random, result.tables)
        changed = [table for table in tables if not tables[table].equals(result.tables[table])]
        assert changed == [edit.table]
        assert (edit.table, edit.column) not in UNKNOWABLE
        kinds.add(edit.kind)
    assert kinds == set(EDITS)


def test_an_unchanged_trace_passes_and_equal_seeds_yield_equal_edits() -> None:
    scenario, result = recorded("last-hop")
    assert not mutations.is_found(Trace(scenario.to_dict(), result.document, result.tables))
    first, second = (mutations.measure(scenario, result, seed=3, edits=10) for _ in range(2))
    assert str(first) == str(second)
    assert first.made.total() == 10 == first.found.total() + first.missed.total()


def test_the_verifier_detects_95_percent_of_random_edits() -> None:
    """A sample of the measurement in docs/verify.md, over a cell and over several hops with AODV."""
    tally = sum(
        (mutations.measure(*recorded(name), seed=1, edits=40) for name in ("last-hop", "cheng2008-chain")),
        start=Tally(),
    )
    assert tally.found.total() >= 72, str(tally)


def test_the_confidence_interval_of_a_share_is_wilsons() -> None:
    """8 of 10: 0.490 to 0.943 (Brown, Cai and DasGupta 2001, whose Wilson interval this is)."""
    assert mutations.wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
