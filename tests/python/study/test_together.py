"""Missing runs of several studies, simulated at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from airhop.engines.local import LocalEngine
from airhop.errors import RunError
from airhop.progress import SILENT
from airhop.scenario import Scenario
from airhop.simulate import Job
from airhop.store import MemoryStore
from airhop.study import Axis, Study, Until, run_study
from airhop.study.together import run_together

SHORT = Scenario.load("last-hop").with_({"duration": "1 s"})


def study(*schemes: str, reps: int | Until = 2) -> Study:
    return Study("short", SHORT, (Axis.of("scheme", schemes),), reps)


def test_a_run_of_two_studies_is_simulated_once_and_found_by_both() -> None:
    store, engine = MemoryStore(), LocalEngine(1)
    first, second = study("reno", "sack"), study("sack", "cubic")
    simulated = run_together("both", [first, second], store=store, engine=engine, reporter=SILENT)
    assert len(simulated) == 6
    tables = [run_study(one, store=store, engine=engine) for one in (first, second)]
    assert [(table.computed, table.reused, table.complete) for table in tables] == [(0, 4, True)] * 2


def test_a_study_with_a_stopping_rule_is_left_out() -> None:
    rule = Until(0.1, relative=True)
    runs = run_together(
        "none", [study("reno", reps=rule)], store=MemoryStore(), engine=LocalEngine(1), reporter=SILENT
    )
    assert runs == set()


class Failing(LocalEngine):
    """Engine whose second run fails."""

    def run(self, jobs: Sequence[Job], on_done: Callable[[int, str], None]) -> None:
        super().run(jobs[:1], on_done)
        error = RunError("it failed")
        error.job = 1
        raise error


def test_a_failed_run_is_named_and_finished_runs_are_kept() -> None:
    store = MemoryStore()
    with pytest.raises(RunError, match=r"To repeat only that run: airhop run .*--rep 1") as failed:
        run_together("short", [study("reno")], store=store, engine=Failing(1), reporter=SILENT)
    assert failed.value.job == 1
    assert len(store.known()) == 1
