"""Damage, full disks and unsuitable folders: a clear error, and never a lost row."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import store_writer
from airhop.errors import InputError
from airhop.store import Store, StoreError, read_rows, store

READERS: list[Callable[[Path], object]] = [Store.open, read_rows]


def filled(folder: Path, runs: int = 6) -> Path:
    """Make a store of one part and return the part."""
    with Store.open(folder) as opened:
        store_writer.add(opened, range(runs))
    (part,) = folder.glob("runs/*.parquet")
    return part


def crashed(folder: Path, runs: int = 6) -> Path:
    """Make a store whose writer died, and return its journal."""
    with Store.open(folder / "alive") as opened:
        store_writer.add(opened, range(runs))
        shutil.copytree(folder / "alive" / "runs", folder / "runs")
    shutil.rmtree(folder / "alive")
    return folder / "runs" / "writer.journal"


def contents(folder: Path) -> dict[str, bytes]:
    """Read all files of a store except the locks."""
    return {
        path.name: path.read_bytes()
        for path in (folder / "runs").iterdir()
        if path.is_file() and not path.name.startswith(".")
    }


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99, 0.9999])
def test_a_truncated_part_is_reported_as_damaged(
    tmp_path: Path, reader: Callable[[Path], object], share: float
) -> None:
    part = filled(tmp_path)
    part.write_bytes(part.read_bytes()[: int(share * part.stat().st_size)])
    with pytest.raises(InputError, match=rf"{part} is damaged.* kept\. .*move it out"):
        reader(tmp_path)


def test_a_single_flipped_bit_in_a_part_is_reported_as_damage(tmp_path: Path) -> None:
    """Damaged pages would often decode to other numbers; the checksum in the name detects the damage."""
    part = filled(tmp_path)
    data = part.read_bytes()
    for place in range(0, len(data), 251):
        part.write_bytes(data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :])
        with pytest.raises(InputError, match="is damaged"):
            read_rows(tmp_path)


def test_the_other_runs_of_a_store_with_a_damaged_part_are_kept(tmp_path: Path) -> None:
    """The advice of the message works: without the damaged part, the other runs are read."""
    part = filled(tmp_path)
    with Store.open(tmp_path) as opened:
        store_writer.add(opened, range(6, 9))
    part.write_bytes(b"")
    with pytest.raises(InputError, match="is damaged"):
        Store.open(tmp_path)
    part.rename(tmp_path / "aside")
    with Store.open(tmp_path) as opened:
        assert opened.known() == {store_writer.job(number).run_id for number in range(6, 9)}


@pytest.mark.parametrize("reader", READERS)
def test_a_foreign_file_among_the_parts_is_refused(tmp_path: Path, reader: Callable[[Path], object]) -> None:
    filled(tmp_path)
    foreign = tmp_path / "runs" / "mine.parquet"
    pl.DataFrame({"a": [1]}).write_parquet(foreign)
    with pytest.raises(InputError, match=rf"{foreign} is not a part of the store.*Move it out"):
        reader(tmp_path)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("parquet", [True, False])
def test_a_foreign_file_with_the_name_of_a_part_is_refused(
    tmp_path: Path, reader: Callable[[Path], object], parquet: bool
) -> None:
    filled(tmp_path)
    foreign = tmp_path / "runs" / "foreign"
    foreign.write_bytes(b"PAR1 no, it is not")
    if parquet:
        pl.DataFrame({"a": [1]}).write_parquet(foreign)
    name = f"part-000009-{zlib.crc32(foreign.read_bytes()):08x}.parquet"
    foreign.rename(tmp_path / "runs" / name)
    with pytest.raises(InputError, match=rf"{name} is not a part of the store"):
        reader(tmp_path)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("line", [1, 2, 3, 4, 8])
def test_a_changed_journal_is_reported_with_its_line(
    tmp_path: Path, reader: Callable[[Path], object], line: int
) -> None:
    """Only the end of a journal may be missing; any other change is not from the death of its writer."""
    journal = crashed(tmp_path)
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[line - 1] = lines[line - 1].replace(b"0", b"1", 1)
    journal.write_bytes(b"".join(lines))
    before = contents(tmp_path)
    with pytest.raises(InputError, match=rf"{journal} is damaged in line {line}\..*line 2, which counts"):
        reader(tmp_path)
    assert contents(tmp_path) == before


def test_a_journal_without_its_first_line_is_reported_as_damaged(tmp_path: Path) -> None:
    journal = crashed(tmp_path)
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[1:]))
    with pytest.raises(InputError, match="is damaged in line 1"):
        read_rows(tmp_path)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("gone", [slice(-1, None), slice(5, 6), slice(2, None)])
def test_a_journal_with_missing_lines_is_reported_as_damaged(
    tmp_path: Path, reader: Callable[[Path], object], gone: slice
) -> None:
    """All remaining lines are valid, so that only the count shows that runs are missing."""
    journal = crashed(tmp_path)
    lines = journal.read_bytes().splitlines(keepends=True)
    del lines[gone]
    journal.write_bytes(b"".join(lines))
    with pytest.raises(
        InputError,
        match=rf"{journal} is truncated: 6 runs were written, and the file has "
        rf"[05]\.",
    ):
        reader(tmp_path)


def test_a_journal_of_the_first_format_is_read(tmp_path: Path) -> None:
    journal = crashed(tmp_path)
    head, _, *lines = journal.read_bytes().splitlines(keepends=True)
    fields = head.rstrip(b"\n").split(b"\t")[1:]
    old = b"\t".join([b"journal", b"1", *fields[2:]])
    journal.write_bytes(b"".join([b"%08x\t%b\n" % (zlib.crc32(old), old), *lines]))
    assert len(set(read_rows(tmp_path)["run_id"])) == 6


@pytest.mark.parametrize("reader", READERS)
def test_a_journal_of_a_later_format_is_distinguished_from_a_damaged_one(
    tmp_path: Path, reader: Callable[[Path], object]
) -> None:
    journal = crashed(tmp_path)
    later = b"journal\t3\t9.1.0\tfeedfeedfeedfeed"
    lines = journal.read_bytes().splitlines(keepends=True)[1:]
    journal.write_bytes(b"".join([b"%08x\t%b\n" % (zlib.crc32(later), later), *lines]))
    before = contents(tmp_path)
    with pytest.raises(InputError, match=r"has format 3, .*: Airhop 9\.1\.0 wrote it"):
        reader(tmp_path)
    assert contents(tmp_path) == before


def test_deleting_a_damaged_journal_line_and_the_count_loses_that_run_only(tmp_path: Path) -> None:
    journal = crashed(tmp_path)
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([lines[0], *lines[2:-1]]))
    with Store.open(tmp_path) as opened:
        assert opened.known() == {store_writer.job(number).run_id for number in range(5)}


@pytest.mark.parametrize("below", ["", "runs"])
def test_a_file_in_place_of_a_store_folder_is_refused(tmp_path: Path, below: str) -> None:
    place = tmp_path / "out" / below
    place.parent.mkdir(exist_ok=True)
    place.write_text("not a folder")
    with pytest.raises(InputError, match=rf"cannot write into {place}: it is not a folder"):
        Store.open(tmp_path / "out")
    with pytest.raises(InputError, match="folder"):
        read_rows(tmp_path / "out")


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES, errno.ENOLCK])
def test_an_unwritable_store_is_refused_for_writing_and_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """On read-only media, in another user's folder, or without file locks, a store can still be read."""
    filled(tmp_path)
    before = contents(tmp_path)

    def refuse(*_: object) -> int:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr("fcntl.flock" if code == errno.ENOLCK else "os.open", refuse)
    with pytest.raises(InputError, match=f"cannot write into {tmp_path / 'runs'}: {os.strerror(code)}"):
        Store.open(tmp_path)
    monkeypatch.undo()
    assert contents(tmp_path) == before
    assert len(read_rows(tmp_path)) == 12


@pytest.mark.parametrize(("mode", "read"), [(0o555, "12"), (0o000, "cannot read {}: Permission denied")])
def test_a_store_of_another_user_is_refused_without_permission(mode: int, read: str) -> None:
    """A process without permission to write, or to read, gets a clear error."""
    script = (
        "import os, sys; from airhop.store import Store, read_rows\n"
        "if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)  # root may do everything\n"
        "for way in (Store.open, read_rows):\n"
        "    try: print(len(way(sys.argv[1])))\n"
        "    except ValueError as error: print(error)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        runs = filled(Path(folder)).parent
        Path(folder).chmod(0o755)
        runs.chmod(mode)
        command = [sys.executable, "-c", script, folder]
        opened, rows = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
        runs.chmod(0o755)
        assert opened.startswith(f"cannot write into {runs}: Permission denied")
        assert rows.startswith(read.format(runs))


def limited(limit: int, action: Callable[[], None]) -> None:
    """Limit the size of files: write(2) then writes a part of its data, and the next call fails."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, old[1]))
    try:
        action()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


@pytest.mark.parametrize("limit", [0, 10, 1500, 6000, 10_000])
def test_a_full_disk_refuses_a_run_and_keeps_earlier_runs_in_the_journal(tmp_path: Path, limit: int) -> None:
    """The run without space raises an error; earlier runs are stored, and later runs when there is space."""
    opened = Store.open(tmp_path)
    added: list[int] = []

    def fill() -> None:
        for number in range(50):
            store_writer.add(opened, [number])
            added.append(number)

    with pytest.raises(
        StoreError,
        match=r"cannot write .*writer\.journal: .* kept in .*runs; remove the "
        r"cause",
    ):
        limited(limit, fill)
    expected = {store_writer.job(number).run_id for number in added}
    assert opened.known() == set(opened.rows()["run_id"]) == set(read_rows(tmp_path)["run_id"]) == expected
    store_writer.add(opened, range(60))
    assert len(read_rows(tmp_path)) == 120
    opened.close()
    assert_frame_equal(read_rows(tmp_path), pl.read_parquet(tmp_path / "runs" / "*.parquet"))


def test_a_part_that_does_not_fit_on_the_disk_keeps_the_journal(tmp_path: Path) -> None:
    """The journal stays, no incomplete file remains, and the next writer creates the part."""
    opened = Store.open(tmp_path)
    store_writer.add(opened, range(30))
    with pytest.raises(StoreError, match=r"cannot write .*part-000001-.*: File too large\. .* kept"):
        limited(2000, opened.close)
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {".lock", ".commit", "writer.journal"}
    assert len(read_rows(tmp_path)) == 60
    with pytest.raises(StoreError):  # still no space
        limited(2000, lambda: Store.open(tmp_path).close())
    Store.open(tmp_path).close()
    assert len(pl.read_parquet(tmp_path / "runs" / "*.parquet")) == 60


def test_an_error_while_saving_does_not_hide_the_first_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error of the study is raised, not the error of the save, because the journal has the runs."""

    def refuse(*_: object) -> None:
        raise StoreError("no room")

    monkeypatch.setattr(store, "write_part", refuse)
    with pytest.raises(ZeroDivisionError), Store.open(tmp_path) as opened:
        store_writer.add(opened, range(3))
        raise ZeroDivisionError
    with pytest.raises(StoreError), Store.open(tmp_path) as opened:
        pass
    assert len(read_rows(tmp_path)) == 6


def test_a_store_on_a_real_full_disk_resumes_when_space_is_free(tmp_path: Path) -> None:
    """The journal fills a file system of 320 KiB; the study then continues on a larger file system."""
    mount = ["mount", "-t", "tmpfs", "-o"]
    if (
        shutil.which("mount") is None
        or subprocess.run(
            [*mount, "size=320k", "none", str(tmp_path)], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("may not mount a file system")
    try:
        with pytest.raises(StoreError, match="No space left on device"), Store.open(tmp_path) as opened:
            store_writer.add(opened, range(1000))
        kept = read_rows(tmp_path)
        assert len(kept) > 100
        subprocess.run([*mount, "remount,size=8m", "none", str(tmp_path)], check=True)
        with Store.open(tmp_path) as opened:
            assert opened.known() == set(kept["run_id"])
            store_writer.add(opened, range(1000))
        assert len(pl.read_parquet(tmp_path / "runs" / "*.parquet")) == 2000
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
