"""Dask engine on real processes: rows equal those of a local run, also after failures."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from airhop import InputError, Job, RunError, Scenario, ScenarioError, _core, plugins
from airhop.engines import ClusterError, DaskEngine, LocalEngine, chunks, cluster, open_engine
from airhop.errors import SchemeError
from patience import PATIENCE_S

distributed = pytest.importorskip("distributed")

from dask_cluster import Cluster, dask_cluster  # noqa: E402 - it imports distributed

pytestmark = pytest.mark.alone
SCENARIOS = [
    Scenario.load("last-hop").with_({"duration": "5 s", "scheme": scheme, "wlan.cell.errors.fer": fer})
    for scheme in ("reno", "ll-elsn")
    for fer in (0.001, 0.01)
]
WITHOUT_AIRHOP = """
import sys

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "airhop":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Nothing())
from distributed.cli.dask_worker import main
main()
"""


def study(reps: int, scenarios: Sequence[Scenario] = SCENARIOS) -> list[Job]:
    return [Job(scenario, seed=3, rep=rep) for rep in range(reps) for scenario in scenarios]


class Collected:
    """Arguments of `on_done`, without wall_s, in the calling thread."""

    def __init__(self, after: int = 0, then: Callable[[], None] = lambda: None) -> None:
        self.documents: dict[int, dict[str, object]] = {}
        self.calls = 0
        self._after, self._then = after, then
        self._thread = threading.get_ident()

    def __call__(self, index: int, document: str) -> None:
        self.calls += 1  # checked later, because exceptions raised here may be suppressed
        assert threading.get_ident() == self._thread
        fields = json.loads(document)
        del fields["wall_s"]
        self.documents[index] = fields
        if len(self.documents) == self._after:
            self._then()


def local(jobs: Sequence[Job]) -> dict[int, dict[str, object]]:
    collected = Collected()
    LocalEngine(2).run(jobs, collected)
    return collected.documents


def assert_part_of(collected: Collected, jobs: Sequence[Job]) -> None:
    """Check that the reported runs of an interrupted study are correct, each reported once."""
    assert collected.calls == len(collected.documents), "a run was reported twice"
    indices = sorted(collected.documents)
    expected = local([jobs[index] for index in indices])
    assert [collected.documents[index] for index in indices] == [expected[i] for i in range(len(indices))]


@pytest.fixture(autouse=True)
def short_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten tasks, so that short tests have many tasks."""
    monkeypatch.setattr(chunks, "TASK_S", 0.1)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Start a cluster of two workers with one thread each."""
    with dask_cluster(tmp_path_factory.mktemp("pair"), workers=2) as started:
        yield started


@pytest.fixture(scope="module")
def frail(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Start a cluster without workers, on which a task that kills a worker is not repeated."""
    with dask_cluster(tmp_path_factory.mktemp("frail"), workers=0, allowed_failures=0) as started:
        yield started


# --- equal rows -----------------------------------------------------------------------------------------


def test_two_workers_return_the_rows_of_a_local_run(pair: Cluster) -> None:
    jobs, collected = study(reps=20), Collected()
    talk = logging.getLogger("distributed.client")
    pair.connect(2).close()
    with open_engine(pair.spec) as engine:
        assert (engine.name, engine.workers) == ("dask", 2)
        engine.run(jobs, collected)
        engine.run([], collected)
        assert not talk.isEnabledFor(logging.ERROR)  # dask's tracebacks, which a sentence replaces
    assert talk.isEnabledFor(logging.ERROR)
    assert collected.documents == local(jobs)
    assert collected.calls == len(jobs)


def test_no_row_is_lost_when_a_worker_is_killed(pair: Cluster) -> None:
    jobs = study(reps=100)
    victim = pair.workers[-1]
    collected = Collected(100, victim.kill)
    with pair.connect(2) as client:
        engine = DaskEngine(client)
        engine.run(jobs, collected)
        assert victim.wait(PATIENCE_S) == -signal.SIGKILL
    pair.add_worker()
    assert collected.documents == local(jobs)
    assert collected.calls == len(jobs)


def test_a_user_scheme_runs_on_workers_as_it_does_locally(pair: Cluster, tmp_path: Path) -> None:
    file = tmp_path / "careful.py"
    file.write_text(
        "import airhop\n"
        '@airhop.scheme("engines-careful", parameters={"beta": 0.5})\n'
        "class Careful:\n"
        "    def __init__(self, beta): self.beta = beta\n"
        "    def on_ack(self, window, ack, flow): window.cwnd += 1 / window.cwnd\n"
        "    def on_loss(self, window, loss, flow): window.cwnd = max(1, window.cwnd * self.beta)\n"
    )
    plugins.load(file)
    schemes = ["engines-careful", {"name": "engines-careful", "beta": 0.9}]
    jobs = study(2, [SCENARIOS[0].with_({"scheme": scheme}) for scheme in schemes])
    collected = Collected()
    with pair.connect(1) as client:
        DaskEngine(client).run(jobs, collected)
    assert collected.documents == local(jobs)
    assert collected.calls == len(jobs)


def test_the_number_of_tasks_at_the_scheduler_is_limited(pair: Cluster) -> None:
    with pair.connect(1) as client:
        most = cluster.TASKS_PER_THREAD * sum(client.nthreads().values())
        known: list[int] = []

        def look(_index: int, _document: str) -> None:
            known.append(client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))

        DaskEngine(client).run(study(reps=10), look)
    assert 1 < max(known) <= most


# --- errors in runs -----------------------------------------------------------------------------


def test_ctrl_c_reports_finished_runs_and_leaves_the_cluster_usable(pair: Cluster) -> None:
    jobs = study(reps=500)
    with pair.connect(1) as client:
        engine = DaskEngine(client)
        collected = Collected(200, lambda: signal.raise_signal(signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            engine.run(jobs, collected)
        # Ctrl-C at the 200th run loses no finished run of the same task.
        assert 200 < len(collected.documents) < len(jobs)
        assert_part_of(collected, jobs)
        again = Collected()
        engine.run(jobs[:40], again)
        assert again.documents == local(jobs[:40])


def test_an_exception_in_on_done_ends_the_runs_and_further_calls(pair: Cluster) -> None:
    def full() -> None:
        raise OSError("no space left on device")

    collected = Collected(7, full)
    with pair.connect(1) as client, pytest.raises(OSError, match="no space left on device"):
        DaskEngine(client).run(study(reps=10), collected)
    assert len(collected.documents) == 7


def test_a_run_that_fails_on_a_worker_raises_the_same_error_locally(pair: Cluster, tmp_path: Path) -> None:
    file = tmp_path / "raises.py"
    file.write_text(
        "import airhop\n"
        '@airhop.scheme("engines-bad")\n'
        "class Bad:\n"
        "    def on_ack(self, window, ack, flow): [][1]\n"
        "    def on_loss(self, window, loss, flow): pass\n"
    )
    plugins.load(file)
    bad = Job(SCENARIOS[0].with_({"scheme": "engines-bad"}), seed=3)
    with pytest.raises(SchemeError) as here:
        LocalEngine(1).run([bad], Collected())
    jobs, collected = [*study(reps=2), bad, *study(reps=400)], Collected()
    with pair.connect(1) as client, pytest.raises(SchemeError) as there:
        DaskEngine(client).run(jobs, collected)
    assert str(there.value).startswith(str(here.value))
    assert "[][1]" in str(there.value)
    assert there.value.job is not None and jobs[there.value.job] is bad
    assert_part_of(collected, jobs)


def test_a_scheme_without_a_file_is_refused_with_a_remedy(
    pair: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = pair.folder / "mine.py"
    file.write_text(
        "import airhop\n"
        '@airhop.scheme("engines-notebook")\n'
        "class Notebook:\n"
        "    def on_ack(self, window, ack, flow): pass\n"
        "    def on_loss(self, window, loss, flow): pass\n"
    )
    plugins.load(file)
    job = Job(SCENARIOS[0].with_({"scheme": "engines-notebook"}))
    monkeypatch.setattr(plugins, "loaded", list)  # as if the scheme was defined in a notebook
    with (
        pair.connect(1) as client,
        pytest.raises(ScenarioError, match="Move a scheme of a notebook"),
    ):
        DaskEngine(client).run([job], Collected())


def test_a_worker_with_another_model_is_refused_and_both_models_are_named(
    pair: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = _core.build_info()
    monkeypatch.setattr(_core, "build_info", lambda: {**there, "model": "f" * 16})
    collected = Collected()
    with pair.connect(1) as client, pytest.raises(InputError) as caught:
        DaskEngine(client).run(study(reps=1), collected)
    assert "tcp://127.0.0.1:" in str(caught.value)
    assert there["model"] in str(caught.value) and "f" * 16 in str(caught.value)
    assert collected.documents == {}


def test_an_asynchronous_dask_client_is_refused(pair: Cluster) -> None:
    async def refused() -> None:
        async with distributed.Client(pair.address, asynchronous=True, set_as_default=False) as client:
            with pytest.raises(InputError, match="is asynchronous"):
                DaskEngine(client)

    asyncio.run(refused())


# --- failures of clusters -------------------------------------------------------------------------


def test_an_address_without_a_scheduler_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_S", 0.2)
    with pytest.raises(InputError, match=r"no dask scheduler answers at 127\.0\.0\.1:1 within 0\.2 s"):
        open_engine("dask://127.0.0.1:1").__enter__()


def test_a_cluster_without_workers_or_without_airhop_is_refused(
    frail: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "FIRST_WORKER_S", 0.2)
    with pytest.raises(InputError, match="has no workers; start some: dask worker tcp://127"):
        open_engine(frail.spec).__enter__()
    stranger = frail.add_worker(("-c", WITHOUT_AIRHOP))
    with frail.connect(1) as client, pytest.raises(InputError, match="cannot import Airhop"):
        DaskEngine(client)
    stranger.kill()


def test_a_run_that_repeatedly_kills_workers_is_reported(frail: Cluster, tmp_path: Path) -> None:
    file = tmp_path / "deadly.py"
    file.write_text(
        "import os, signal\n"
        "import airhop\n"
        '@airhop.scheme("engines-deadly")\n'
        "class Deadly:\n"
        "    def __init__(self):\n"
        f"        if os.getpid() != {os.getpid()}: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    def on_ack(self, window, ack, flow): pass\n"
        "    def on_loss(self, window, loss, flow): pass\n"
    )
    plugins.load(file)
    jobs = [Job(SCENARIOS[0].with_({"scheme": "engines-deadly"}), seed=3, rep=5)]
    frail.add_worker()
    with frail.connect(1) as client, pytest.raises(ClusterError, match="`last-hop`, seed 3, rep 5"):
        DaskEngine(client).run(jobs, Collected())


# The last two tests leave a worker with an endless run, and no scheduler.


def test_an_interrupt_does_not_wait_for_busy_workers_and_lost_workers_are_reported(pair: Cluster) -> None:
    with pair.connect(2) as client:
        engine = DaskEngine(client, patience_s=0.5)
        endless = study(1, [SCENARIOS[0].with_({"duration": "1000000 s"})])
        alarm = threading.Timer(0.2, signal.pthread_kill, (threading.get_ident(), signal.SIGINT))
        alarm.start()
        with pytest.raises(KeyboardInterrupt):  # the engine does not wait for the worker
            engine.run(endless, Collected())

        def kill() -> None:
            for worker in pair.workers:
                worker.kill()

        jobs, collected = study(reps=500), Collected(20, kill)
        # first one worker, then none
        with pytest.raises(ClusterError, match=r"has had no worker for 0\.5 s"):
            engine.run(jobs, collected)
    assert 20 <= len(collected.documents) < len(jobs)
    assert_part_of(collected, jobs)


def test_a_lost_scheduler_is_reported_and_finished_runs_are_kept(frail: Cluster) -> None:
    frail.add_worker()
    frail.connect(1).close()
    jobs, collected = study(reps=500), Collected(20, frail.scheduler.kill)
    lost = r"connection to the dask scheduler was lost\. The finished runs are kept"
    with pytest.raises(RunError, match=lost), open_engine(frail.spec) as engine:
        engine.run(jobs, collected)
    assert 20 <= len(collected.documents) < len(jobs)
    assert_part_of(collected, jobs)
