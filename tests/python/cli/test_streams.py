"""Full, closed and unread streams, and full disks: exit codes report the outcome of the run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

RUN = "run last-hop --set 'duration=100 ms'"


def shell(words: str, redirection: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run `airhop` in a shell with this redirection."""
    line = f"ulimit -f {BLOCKS}; {sys.executable} -m airhop {words} {redirection}"
    return subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, text=True, check=False)


BLOCKS = 8
"""Maximum length of a written file, KiB. The limit has the effect of a full disk, with another errno."""


@pytest.mark.parametrize(
    ("words", "redirection", "code"),
    [
        (RUN, "2>/dev/full", 0),
        (f"{RUN} --json", "2> >(true)", 0),
        ("run none", "2>/dev/full", 2),
        ("run none", "2>&-", 2),
        (RUN, ">/dev/full", 1),
        (RUN, ">&-", 0),
    ],
)
def test_output_streams_that_cannot_be_written_cause_no_traceback(
    tmp_path: Path, words: str, redirection: str, code: int
) -> None:
    ended = shell(words, redirection, tmp_path)
    assert ended.returncode == code, ended.stderr
    assert "Traceback" not in ended.stderr
    if code == 0 and ">&-" not in redirection:
        assert "last-hop" in ended.stdout


def test_a_removed_working_directory_is_reported(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    line = f"rmdir {gone}; {sys.executable} -m airhop {RUN}"
    ended = subprocess.run(["bash", "-c", line], cwd=gone, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (
        1,
        "airhop: the working directory no longer exists; change to another folder\n",
    )


@pytest.mark.parametrize("words", [f"{RUN} --trace t", f"{RUN} --pcap t"])
def test_a_full_disk_is_reported_with_the_folder(tmp_path: Path, words: str) -> None:
    ended = shell(words.replace("100 ms", "20 s"), "", tmp_path)
    assert ended.returncode == 1
    last = ended.stderr.splitlines()[-1]
    assert last.startswith("airhop: ") and "t" in last and "File too large" in last, ended.stderr
    assert list((tmp_path / "t").iterdir()) == []
