"""A writer that is killed at any instant loses only the current run."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import store_writer
from airhop.store import MemoryStore, Store, journal, read_rows

WRITER = str(Path(store_writer.__file__))


def start(folder: Path, *arguments: object, shard: str = "-") -> subprocess.Popen[str]:
    command = [sys.executable, WRITER, str(folder), shard, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def undisturbed(numbers: range) -> pl.DataFrame:
    memory = MemoryStore()
    store_writer.add(memory, numbers)
    return memory.rows()


def dataset(folder: Path) -> pl.DataFrame:
    """Read all Parquet files, as an external program."""
    return pl.read_parquet(folder / "**" / "*.parquet")


def ids(numbers: Iterable[int]) -> set[str]:
    return {store_writer.job(number).run_id for number in numbers}


def test_a_writer_killed_at_random_times_loses_no_added_run(tmp_path: Path) -> None:
    """Every run whose `add` returned is stored, and the completed study equals that of an undisturbed writer.

    A part is written every 50 runs, so that many kills occur during the writing of a part.
    """
    total = range(2000)
    instants = random.Random(20261121)
    told: list[int] = []
    for _ in range(6):
        writer = start(tmp_path, 0, len(total), 50)
        assert writer.stdout is not None
        told.append(int(writer.stdout.readline()))
        time.sleep(instants.uniform(0, 0.08))
        writer.send_signal(signal.SIGKILL)
        rest, _ = writer.communicate()
        told += [int(line) for line in rest.split() if line.isdigit()]
        assert ids(told) <= set(read_rows(tmp_path)["run_id"])
    writer = start(tmp_path, 0, len(total), 50)
    assert writer.communicate()[0].endswith("closed\n")
    assert_frame_equal(read_rows(tmp_path), undisturbed(total))
    assert_frame_equal(dataset(tmp_path).sort("run_id", maintain_order=True), undisturbed(total))


@pytest.mark.parametrize("step", store_writer.STEPS)
def test_a_writer_killed_between_two_steps_loses_and_repeats_no_row(tmp_path: Path, step: str) -> None:
    """If a writer dies at any step from the first byte to the part, no row is lost or duplicated."""
    writer = start(tmp_path, 0, 5, 5, step)
    told = [int(line) for line in writer.communicate()[0].split()]
    assert writer.returncode == -signal.SIGKILL
    has_part = any(tmp_path.glob("runs/*.parquet"))
    assert has_part == (step in ("name on disk", "journal removed"))
    lost = {4, 3, 2} if step == "half a line" else set()
    expected = undisturbed(range(5)).filter(~pl.col("run_id").is_in(list(ids(lost))))
    assert set(range(5)) - set(told) >= lost
    assert_frame_equal(read_rows(tmp_path), expected)
    with Store.open(tmp_path) as opened:
        assert opened.known() == set(expected["run_id"])
    assert_frame_equal(dataset(tmp_path).sort("run_id", maintain_order=True), expected)
    names = {path.name.split("-")[0] for path in (tmp_path / "runs").iterdir()}
    assert names == {".lock", ".commit", "part"}  # no incomplete file remains


def test_an_unfinished_part_of_a_killed_writer_is_removed(tmp_path: Path) -> None:
    left = tmp_path / "runs" / ".part-000007-00000000.unfinished"
    left.parent.mkdir()
    left.write_bytes(b"PAR1")
    with Store.open(tmp_path) as opened:
        store_writer.add(opened, range(3))
    assert_frame_equal(dataset(tmp_path), undisturbed(range(3)))
    assert not left.exists()


def test_a_truncated_journal_contains_the_runs_before_the_cut(tmp_path: Path) -> None:
    """A journal ends where its writer died: complete lines count, an incomplete last line does not."""
    with Store.open(tmp_path / "whole") as opened:
        store_writer.add(opened, range(4))
        whole = (tmp_path / "whole" / "runs" / "writer.journal").read_bytes()
    lines = whole.splitlines(keepends=True)
    cut = tmp_path / "cut" / "runs" / "writer.journal"
    cut.parent.mkdir(parents=True)
    for length in [*range(0, len(whole), 97), *(len(whole) - back for back in (2, 1, 0))]:
        complete, end = 0, 0
        for line in lines:
            end += len(line)
            complete += end <= length and line.split(b"\t")[1] == b"run"
        counted = whole.replace(lines[1], journal._count(complete), 1)
        cut.write_bytes(counted[:length])
        assert_frame_equal(read_rows(tmp_path / "cut"), undisturbed(range(complete)))
    with Store.open(tmp_path / "cut") as opened:
        assert len(opened.known()) == 4


def test_an_error_in_the_study_keeps_the_added_runs(tmp_path: Path) -> None:
    """Ctrl-C and any other exception close the store: a part remains, and no lock."""
    for number, error in enumerate((KeyboardInterrupt, ZeroDivisionError)):
        with pytest.raises(error), Store.open(tmp_path) as opened:
            store_writer.add(opened, [number])
            raise error
    assert len(dataset(tmp_path)) == 4
    assert not list(tmp_path.glob("runs/*.journal"))


def test_an_interrupted_save_can_be_repeated_without_duplicates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After Ctrl-C immediately after the writing of a part, the final save must not write its rows again."""

    def interrupt(_: Path, **__: bool) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Store.open(tmp_path) as opened:
        store_writer.add(opened, range(3))
        monkeypatch.setattr(Path, "unlink", interrupt)
        opened.save()
    assert_frame_equal(dataset(tmp_path), undisturbed(range(3)))
    assert len(list(tmp_path.glob("runs/*.parquet"))) == 1


def test_a_line_after_an_incomplete_journal_line_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After Ctrl-C during a write, and further runs, only the interrupted run is missing."""
    write = os.write

    def half(fd: int, data: bytes) -> int:
        write(fd, data[: len(data) // 2])
        raise KeyboardInterrupt

    for at in (0, 2):  # the first write also contains the head of the journal
        folder = tmp_path / str(at)
        with Store.open(folder) as opened:
            store_writer.add(opened, range(at))
            monkeypatch.setattr(os, "write", half)
            with pytest.raises(KeyboardInterrupt):
                store_writer.add(opened, [at])
            monkeypatch.undo()
            store_writer.add(opened, range(at + 1, 5))
            journaled = read_rows(folder)
        rows = undisturbed(range(5)).filter(pl.col("run_id") != store_writer.job(at).run_id)
        assert_frame_equal(journaled, rows)
        assert_frame_equal(read_rows(folder), rows)
