"""A dask cluster of real processes on loopback, for tests of the engine that uses one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path

import distributed

from patience import PATIENCE_S

PLAIN = ("-m", "distributed.cli.dask_worker")
"""Arguments of Python for a worker."""


class Cluster:
    """Scheduler and workers with one thread each; killed workers are not restarted."""

    def __init__(self, folder: Path, allowed_failures: int) -> None:
        self.folder = folder
        self.workers: list[subprocess.Popen[bytes]] = []
        self._environment = {
            **os.environ,
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(allowed_failures),
            "DASK_LOGGING__DISTRIBUTED": "critical",
        }
        self._file = folder / "scheduler.json"
        self.scheduler = self._start(
            *("-m", "distributed.cli.dask_scheduler", "--host=127.0.0.1", "--port=0"),
            f"--scheduler-file={self._file}",
        )

    @cached_property
    def address(self) -> str:
        """Address of the scheduler, tcp://HOST:PORT."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            with suppress(FileNotFoundError, json.JSONDecodeError):  # missing, or incomplete
                address: str = json.loads(self._file.read_text())["address"]
                return address
            assert self.scheduler.poll() is None and time.monotonic() < deadline, "no scheduler"
            time.sleep(0.02)

    @property
    def spec(self) -> str:
        """Argument of `open_engine`."""
        return self.address.replace("tcp://", "dask://")

    def add_worker(self, how: Sequence[str] = PLAIN) -> subprocess.Popen[bytes]:
        """Start a worker; it joins when it is ready."""
        worker = self._start(
            *how,
            self.address,
            *("--host=127.0.0.1", "--no-nanny", "--nthreads=1", "--memory-limit=0"),
            f"--local-directory={self.folder}",
        )
        self.workers.append(worker)
        return worker

    def connect(self, workers: int) -> distributed.Client:
        """Connect a client, and wait until the cluster has this number of workers."""
        client = distributed.Client(self.address, timeout=PATIENCE_S, set_as_default=False)
        client.wait_for_workers(workers, timeout=PATIENCE_S)
        return client

    def kill(self) -> None:
        """End all processes."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait(PATIENCE_S)

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        options = ("--no-dashboard", "--dashboard-address=127.0.0.1:0")
        return subprocess.Popen([sys.executable, *words, *options], env=self._environment, cwd=self.folder)


@contextmanager
def dask_cluster(folder: Path, workers: int, allowed_failures: int = 3) -> Iterator[Cluster]:
    """Start a cluster, and end it also after an error."""
    cluster = Cluster(folder, allowed_failures)
    try:
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        cluster.kill()
