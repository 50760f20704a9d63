"""Folders for results: a killed process leaves no files, and a running process loses no files."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from airhop.files import filling


def killed_while_filling(folder: Path) -> Path:
    """Kill another process while it fills the folder, as by SIGKILL or a lack of memory."""
    child = os.fork()
    if child == 0:
        with filling(folder) as hidden:
            (hidden / "half.parquet").write_bytes(b"half")
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    (left,) = folder.glob(".airhop-*")
    return left


def test_the_next_process_removes_files_of_a_killed_process(tmp_path: Path) -> None:
    left = killed_while_filling(tmp_path)
    with filling(tmp_path) as hidden:
        assert not left.exists()
        (hidden / "whole.parquet").write_bytes(b"whole")
    assert [path.name for path in tmp_path.iterdir()] == ["whole.parquet"]


def test_concurrent_writers_of_a_folder_keep_their_files(tmp_path: Path) -> None:
    killed_while_filling(tmp_path)
    with filling(tmp_path) as first, filling(tmp_path) as second:
        assert sorted(tmp_path.iterdir()) == sorted((first, second))
        (first / "a").touch()
        (second / "b").touch()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


@pytest.mark.parametrize(
    "name", [".airhop", ".airhop-notes.txt", ".airhop-7", ".airhop-mine-and-dear", "airhop-12345678"]
)
def test_files_and_folders_of_others_are_not_removed(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    target = tmp_path / "target"
    target.mkdir()
    (tmp_path / ".airhop-abcdefgh").symlink_to(target)
    (tmp_path / ".airhop-ijklmnop").write_bytes(b"a file")
    before = sorted(tmp_path.iterdir())
    with filling(tmp_path):
        pass
    assert sorted(tmp_path.iterdir()) == before
