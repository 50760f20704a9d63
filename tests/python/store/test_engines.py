"""Engines within one process: names, shards, division of runs into tasks, and a worker's task."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pytest

import airhop
from airhop import InputError, Job, Scenario, _core, plugins
from airhop.engines import LocalEngine, Shard, open_engine
from airhop.engines.chunks import LEAST_TASK_S, MOST_RUNS, TASK_S, Costs, Plan
from airhop.engines.worker import run_chunk
from airhop.errors import SchemeError

pytestmark = pytest.mark.alone
SHORT = Scenario.load("last-hop").with_({"duration": "1 s"})
LONG = Scenario.load("last-hop").with_({"duration": "4 s"})
SCHEME = """
import airhop

@airhop.scheme("{name}")
class Mine:
    def on_ack(self, window, ack, flow):
        window.cwnd += {step}

    def on_loss(self, window, loss, flow):
        window.cwnd = window.ssthresh = max(2, window.cwnd / 2)
"""


def model_of(document: str) -> dict[str, object]:
    """Return a run document without wall_s, which depends on the machine."""
    fields: dict[str, object] = json.loads(document)
    del fields["wall_s"]
    return fields


# --- names and shards --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "suggestion"),
    [
        ("", ""),
        ("Local", "Did you mean `local`?"),
        ("lokal", "Did you mean `local`?"),
        ("node1:8786", "Did you mean `dask://node1:8786`?"),
        ("tcp://node1:8786", "Did you mean `dask://node1:8786`?"),
        ("dsk://node1:8786/", "Did you mean `dask://node1:8786`?"),
        ("dask://node1", "Did you mean `dask://node1:8786`?"),
        ("dask://", ""),
        ("dask://node1:", ""),
        ("dask://node1:x", ""),
        ("dask://node1:0", ""),
        ("dask://node1:65536", ""),
        ("dask://[::1:8786", ""),
        ("[::1]:8786", "Did you mean `dask://[::1]:8786`?"),
        ("dask://node1:8786/", "Did you mean `dask://node1:8786`?"),
        ("dask://node1:8786/path", ""),
        ("dask://user@node1:8786", ""),
    ],
)
def test_an_unknown_engine_is_refused_with_a_suggestion(spec: str, suggestion: str) -> None:
    with pytest.raises(InputError) as caught:
        open_engine(spec)
    assert str(caught.value).startswith(f"there is no engine `{spec}`: it is `local` or `dask://HOST:PORT`.")
    assert str(caught.value).partition("PORT`.")[2].strip() == suggestion


def test_the_number_of_threads_applies_to_the_local_engine_only() -> None:
    with open_engine("local", 3) as engine:
        assert (engine.name, engine.workers) == ("local", 3)
    with pytest.raises(InputError, match="determine the number of threads"):
        open_engine("dask://node1:8786", 3)
    with pytest.raises(InputError, match="threads is 0"):
        open_engine("local", 0)


def test_the_error_without_dask_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(InputError, match="-m pip install distributed"),
        open_engine("dask://node1:8786"),
    ):
        pass


@pytest.mark.parametrize(
    "text", ["", "2", "2/", "/8", "a/b", "1/2/3", "-1/8", "1.0/2", "1 /2", "1_0/20", "٢/8"]
)
def test_a_shard_is_given_by_two_whole_numbers(text: str) -> None:
    with pytest.raises(InputError, match="is not I/N: two whole numbers, as in 2/8"):
        Shard.parse(text)


@pytest.mark.parametrize("text", ["0/8", "9/8", "0/0", "1/0"])
def test_the_index_of_a_shard_is_at_most_the_number_of_shards(text: str) -> None:
    with pytest.raises(InputError, match="there is no part"):
        Shard.parse(text)


@pytest.mark.parametrize("count", [1, 2, 7])
def test_every_run_belongs_to_exactly_one_shard(count: int) -> None:
    shards = [Shard.parse(f"{index}/{count}") for index in range(1, count + 1)]
    takers = [[str(shard) for shard in shards if shard.owns(key)] for key in range(3 * count)]
    assert takers == [[f"{key % count + 1}/{count}"] for key in range(3 * count)]


# --- the local engine --------------------------------------------------------------------------------------


def test_the_local_engine_returns_the_results_of_single_runs() -> None:
    jobs = [Job(scenario, seed=2, rep=rep) for rep in range(3) for scenario in (SHORT, LONG)]
    documents: dict[int, str] = {}
    LocalEngine(2).run(jobs, documents.__setitem__)
    for index, job in enumerate(jobs):
        alone = _core.run(job.scenario.core, job.seed, job.rep).json()
        assert model_of(documents[index]) == model_of(alone)


# --- tasks -------------------------------------------------------------------------------------------------


def cut_all(jobs: list[Job], costs: Costs, threads: int) -> list[range]:
    plan = Plan(jobs, costs)
    return list(iter(lambda: plan.cut(threads), range(len(jobs), len(jobs))))


def test_tasks_are_single_runs_until_costs_are_known() -> None:
    jobs = [Job(SHORT, rep=rep) for rep in range(5)]
    assert [len(task) for task in cut_all(jobs, Costs(), 2)] == [1] * 5


def test_tasks_contain_every_run_once_and_in_order() -> None:
    costs = Costs()
    costs.learn(SHORT, 0.01)
    jobs = [Job(SHORT, rep=rep) for rep in range(777)]
    assert [index for task in cut_all(jobs, costs, 3) for index in task] == list(range(777))


def test_tasks_last_about_a_second_by_the_cost_of_their_scenarios() -> None:
    costs = Costs()
    costs.learn(SHORT, 0.125)
    costs.learn(SHORT, 0.375)
    costs.learn(LONG, 0.5)  # less than SHORT per simulated second, but the mean of this scenario counts
    assert (costs.of(SHORT), costs.of(LONG)) == (0.25, 0.5)
    assert costs.of(SHORT.with_({"duration": "12 s"})) == pytest.approx(12 * 1.0 / 6)
    many = 1000
    assert len(Plan([Job(SHORT)] * many, costs).cut(1)) == TASK_S / 0.25
    assert len(Plan([Job(LONG)] * many, costs).cut(1)) == TASK_S / 0.5
    assert len(Plan([Job(SHORT.with_({"duration": "12 s"}))] * many, costs).cut(1)) == 1


def test_tasks_become_shorter_when_few_runs_remain_for_many_threads() -> None:
    # Guided self-scheduling: 4 s of work for 64 threads are more than four tasks of a second each.
    costs = Costs()
    costs.learn(SHORT, 0.001)
    tasks = cut_all([Job(SHORT)] * 4000, costs, threads=64)
    assert len(tasks) >= 64
    assert max(map(len, tasks)) * 0.001 <= LEAST_TASK_S * 1.001


def test_the_number_of_runs_of_a_task_is_limited() -> None:
    costs = Costs()
    costs.learn(SHORT, 1e-9)
    assert max(map(len, cut_all([Job(SHORT)] * 2500, costs, 1))) == MOST_RUNS


# --- what a worker does ------------------------------------------------------------------------------------


def on_worker(scenario: Scenario, digest: str | None = None) -> str:
    """Do one run as a worker."""
    scenarios = [(digest or scenario.digest, scenario.core.json())]
    [(document, seconds)] = run_chunk(_core.build_info(), tuple(plugins.loaded()), scenarios, [(0, 1, 0)])
    assert 0 < seconds < math.inf
    return document


def test_a_worker_returns_the_results_of_a_local_run() -> None:
    assert model_of(on_worker(SHORT)) == model_of(_core.run(SHORT.core, 1, 0).json())


def test_an_edited_user_scheme_is_updated_on_a_worker(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    fingerprints = []
    for step in (1, 3, 1):
        file.write_text(SCHEME.format(name="engines-edited", step=step))
        plugins.load(file)
        scenario = LONG.with_({"scheme": "engines-edited"})
        here = model_of(_core.run(scenario.core, 1, 0).json())
        assert model_of(on_worker(scenario)) == here
        fingerprints.append(here["fingerprint"])
    first, edited, again = fingerprints
    assert first == again != edited


def test_a_worker_with_other_code_of_a_scheme_refuses_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("airhop.engines.worker._address", lambda: "tcp://far:1")
    with pytest.raises(InputError, match="on the worker tcp://far:1 a scheme of `last-hop` has other code"):
        on_worker(SHORT, digest="0" * 64)


def test_an_exception_of_a_scheme_on_a_worker_has_its_traceback(tmp_path: Path) -> None:
    file = tmp_path / "raises.py"
    file.write_text(SCHEME.format(name="engines-raises", step="1 / 0"))
    plugins.load(file)
    scenario = SHORT.with_({"scheme": "engines-raises"})
    with pytest.raises(SchemeError) as here:
        airhop.run(scenario)
    with pytest.raises(SchemeError) as there:
        on_worker(scenario)
    assert str(there.value).startswith(str(here.value))
    assert "window.cwnd += 1 / 0" in str(there.value)
    assert str(there.value).endswith("ZeroDivisionError: division by zero")
