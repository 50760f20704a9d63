"""`airhop sweep`: output, files and exit codes."""

from __future__ import annotations

import json
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from airhop import Study, Table
from airhop.cli import main
from airhop.study import run_in
from patience import PATIENCE_S

STUDY = """
scenario = "last-hop"
reps = 3
[set]
duration = "1 s"
[vary]
scheme = ["reno", "sack"]
"wlan.cell.errors.fer" = [0.01, 0.1]
"""

Cli = Callable[..., tuple[object, str, str]]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    def call(*words: str | Path) -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as end:
            main([str(word) for word in words])
        streams = capsys.readouterr()
        return end.value.code, streams.out, streams.err

    return call


@pytest.fixture
def study(tmp_path: Path) -> Path:
    file = tmp_path / "mine.toml"
    file.write_text(STUDY, encoding="utf-8")
    return file


def test_a_second_sweep_reuses_every_run_of_the_first(cli: Cli, study: Path, tmp_path: Path) -> None:
    code, out, err = cli("sweep", study, "--out", tmp_path / "out")
    assert code == 0
    assert f"computed 12, reused 0; the rows are in {tmp_path / 'out' / 'runs'}" in err
    assert f"airhop report {tmp_path / 'out'}" in err
    cells = tmp_path / "out" / "mine" / "cells.csv"
    assert str(cells) in err
    (table,) = Table.load(tmp_path / "out")
    wanted = table.cells_frame()
    assert pl.read_csv(cells, schema=wanted.schema).equals(wanted)
    # Compared rows are adjacent, with the paired ratio, difference and correlation.
    lines = [line.split() for line in out.splitlines()]
    assert [(line[0], line[1], line[-1]) for line in lines if line[1:2] in (["reno"], ["sack"])] == [
        (fer, scheme, "3") for fer in ("0.01", "0.1") for scheme in ("reno", "sack")
    ]
    assert "ratio" in out and "difference" in out and "correlation" in out and "to reno" in out and "±" in out
    _, again, err = cli("sweep", study, "--out", tmp_path / "out")
    assert "computed 0, reused 12" in err and again == out


def test_a_narrow_terminal_omits_counts_before_ratio_and_difference(
    cli: Cli, study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def console(width: int) -> str:
        monkeypatch.setattr("airhop.cli.common.output.PIPE_WIDTH", width)
        _, out, err = cli("sweep", study, "--out", tmp_path / "out")
        return str(out) + str(err)

    wide = console(200)
    assert "runs" in wide
    narrow = console(len(next(line for line in wide.splitlines() if "reno" in line)) - 2)
    assert "too narrow for runs;" in narrow
    assert "ratio" in narrow.split("too narrow")[0]


def test_sweep_json_is_a_single_document(cli: Cli, study: Path, tmp_path: Path) -> None:
    code, out, _ = cli("sweep", study, "--out", tmp_path / "out", "--json")
    document = json.loads(out)
    assert code == 0
    assert (document["study"], document["computed"], document["reused"]) == ("mine", 12, 0)
    assert (document["complete"], document["baseline"]) == (True, "reno")
    assert all("too few" not in warning for warning in document["warnings"])
    assert len(document["points"]) == 4
    reno, _, sack, _ = document["points"]
    assert reno["values"] == {"scheme": "reno", "wlan.cell.errors.fer": 0.01} and reno["ratio"] is None
    assert set(sack["difference"]) == {"mean", "half_width", "correlation"}
    assert sack["goodput_mbps"]["mean"] == pytest.approx(
        reno["goodput_mbps"]["mean"] + sack["difference"]["mean"], rel=1e-9
    )


def test_two_shards_complete_the_study(cli: Cli, study: Path, tmp_path: Path) -> None:
    for shard in ("1/2", "2/2"):
        code, _, err = cli("sweep", study, "--out", tmp_path / "out", "--shard", shard)
        assert code == 0 and "computed 6" in err
    assert "not complete" not in err
    _, _, err = cli("sweep", study, "--out", tmp_path / "out")
    assert "computed 0, reused 12" in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["last-hop-ferr"], "Did you mean `last-hop-fer`?"),
        (["mine.toml", "--shard", "3/2"], "there is no part 3 of 2"),
        (["mine.toml", "--engine", "dask"], "there is no engine `dask`"),
        (["mine.toml", "--workers", "0"], "threads is 0; it must be a whole number from 1"),
        (["mine.toml", "--out", "mine.toml"], "mine.toml"),
    ],
)
def test_bad_input_of_sweep_exits_with_code_2(
    cli: Cli, study: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], told: str
) -> None:
    monkeypatch.chdir(study.parent)
    code, out, err = cli("sweep", *words)
    assert (code, out) == (2, "") and told in err


def test_a_failed_run_is_reported_with_its_command(cli: Cli, study: Path, tmp_path: Path) -> None:
    scheme = tmp_path / "late.py"
    scheme.write_text(
        "import airhop\n\n"
        '@airhop.scheme("sweep-late")\n'
        "class Late:\n"
        "    def on_ack(self, window, ack, flow): window.cwnd += 1 / (ack.now < 0.9)\n"
        "    def on_loss(self, window, loss, flow): window.cwnd = 1\n",
        encoding="utf-8",
    )
    study.write_text(STUDY.replace('"sack"', '"sweep-late"'), encoding="utf-8")
    words = ("--out", tmp_path / "out", "--workers", 1, "--with", scheme)
    code, out, err = cli("sweep", study, *words)
    assert (code, out) == (1, "") and f"are kept in {tmp_path / 'out' / 'runs'}" in err
    told = next(line for line in err.splitlines() if line.startswith("To repeat only that run: "))
    command = shlex.split(told.removeprefix("To repeat only that run: "))
    assert "sweep-late" in command and "wlan.cell.errors.fer=0.01" in command
    assert cli(*command[1:])[0] == 1
    (table,) = Table.load(tmp_path / "out")
    assert 0 < len(table.frame()) < 12 and not table.complete


def test_the_printed_command_repeats_the_run(cli: Cli, study: Path, tmp_path: Path) -> None:
    cli("sweep", study, "--out", tmp_path / "out")
    (table,) = Table.load(tmp_path / "out")
    point = table.study.points()[3]
    _, out, _ = cli(*shlex.split(table.command(point, 2))[1:], "--json")
    row = table.frame().filter(
        pl.col("scheme") == "sack", pl.col("wlan.cell.errors.fer") == 0.1, pl.col("rep") == 2
    )
    assert json.loads(out)["fingerprint"] == row["fingerprint"].item()


def start(study: Path, out: Path) -> subprocess.Popen[str]:
    code = "import sys\nfrom airhop.cli import main\nmain(sys.argv[1:])"
    words = [sys.executable, "-c", code, "sweep", str(study), "--out", str(out), "--json"]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_runs(running: subprocess.Popen[str], out: Path, least: int) -> None:
    """Wait until this number of runs is in the journal, or all are done, as a busy machine may be late."""
    while journaled(out) < least and running.poll() is None:
        time.sleep(0.001)


def journaled(out: Path) -> int:
    """Count the runs in the journal, which may be missing because its runs became a part."""
    try:
        return (out / "runs" / "writer.journal").read_bytes().count(b"\trun\t")
    except FileNotFoundError:
        return 0


def test_a_killed_study_resumes_with_identical_results(tmp_path: Path) -> None:
    study, out = tmp_path / "killed.toml", tmp_path / "out"
    study.write_text(STUDY.replace("reps = 3", "reps = 100").replace("1 s", "20 s"), encoding="utf-8")
    instants = random.Random(20261121)
    for _ in range(5):
        running = start(study, out)
        wait_for_runs(running, out, instants.randint(1, 60))
        running.kill()
        running.communicate()
    resumed = run_in(Study.load(study), out)
    undisturbed = run_in(Study.load(study), None)
    assert resumed.reused >= 5 and resumed.computed + resumed.reused == 400
    assert resumed.frame().write_csv() == undisturbed.frame().write_csv()


def test_an_interrupt_reports_the_kept_runs_and_exits_with_130(tmp_path: Path) -> None:
    study, out = tmp_path / "long.toml", tmp_path / "out"
    study.write_text(STUDY.replace("reps = 3", "reps = 300").replace("1 s", "100 s"), encoding="utf-8")
    running = start(study, out)
    wait_for_runs(running, out, 10)
    running.send_signal(signal.SIGINT)
    printed, told = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 130
    document = json.loads(printed)
    assert f"interrupted: {document['computed']:,} runs computed" in told
    (table,) = Table.load(out)
    kept = len(table.frame())
    # The signal may arrive after a run is stored and before it is counted.
    assert not document["complete"] and kept >= 10
    assert 0 <= kept - document["computed"] <= 1
