"""`airhop doctor --packetdrill`: a line for each script, a summary, and an exit code."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from airhop.crosscheck.packetdrill import judge, scripts
from command_line import Cli
from live_machine import needs

ROOT = Path(__file__).resolve().parents[3]
HANDSHAKE = """
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 32792 <mss 1000,sackOK,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <...>
+.1 < . 1:1(0) ack 1 win 257
+0 accept(3, ..., ...) = 4
"""
PASSING = HANDSHAKE + "+0 write(4, ..., 1000) = 1000\n+0 > P. 1:1001(1000) ack 1\n"
FAILING = HANDSHAKE + "+0 %{ assert tcpi_snd_cwnd == 11 }%\n"
UNMODELLED = HANDSHAKE + "+0 < R. 1:1(0) ack 1 win 257\n"


def test_each_script_has_a_line_and_a_failing_script_a_non_zero_exit_code(tmp_path: Path, cli: Cli) -> None:
    """Scripts are executed in the order of names.

    A script with the verdict "not-applicable" is no failure.
    """
    (tmp_path / "b").mkdir()
    (tmp_path / "a.pkt").write_text(PASSING)
    (tmp_path / "b" / "c.pkt").write_text(UNMODELLED)
    code, out, _ = cli("doctor", "--packetdrill", str(tmp_path))
    assert code == 0
    assert out.splitlines() == [
        f"pass  {tmp_path}/a.pkt: 1 checks",
        f"n/a   {tmp_path}/b/c.pkt:9:1: an inbound segment with R.",
        "2 scripts: 1 pass, 1 not-applicable",
    ]
    (tmp_path / "b" / "d.pkt").write_text(FAILING)
    (tmp_path / "e.pkt").write_text("hello")
    code, out, _ = cli("doctor", "--packetdrill", str(tmp_path))
    assert code == 1
    assert out.splitlines()[2:] == [
        f"fail  {tmp_path}/b/d.pkt:9:7: expected tcpi_snd_cwnd == 11; seen tcpi_snd_cwnd is 10",
        f"error  {tmp_path}/e.pkt:1:1: expected a time in seconds, found `hello`",
        "4 scripts: 1 pass, 1 fail, 1 not-applicable, 1 unreadable",
    ]


def test_json_has_the_verdict_of_every_script(tmp_path: Path, cli: Cli) -> None:
    """The output is one JSON document, which also contains the counts of verdicts."""
    script = tmp_path / "a.pkt"
    script.write_text(PASSING)
    code, out, _ = cli("doctor", "--packetdrill", str(script), "--json")
    document = json.loads(out)
    assert code == 0
    assert document["scripts"] == [{"path": str(script), "verdict": "pass", "checks": 1}]
    assert document["counts"] == {"pass": 1, "fail": 0, "not-applicable": 0, "unreadable": 0}


@pytest.mark.parametrize("words", [("nowhere",), (".", "--quick"), (".", "--seed", "2")])
def test_packetdrill_without_scripts_or_with_options_of_other_checks_is_refused(
    words: tuple[str, ...],
    tmp_path: Path,
    cli: Cli,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A folder without scripts is an error, and so is an option that belongs to another check."""
    monkeypatch.chdir(tmp_path)
    code, _, err = cli("doctor", "--packetdrill", *words)
    assert code == 2
    assert "--packetdrill" in err


def test_packetdrill_scripts_run_against_the_kernel(tmp_path: Path, cli: Cli) -> None:
    """A script with the kernel's initial window passes, and a script that expects another window fails."""
    needs("namespaces", "tun")
    (tmp_path / "a.pkt").write_text(PASSING)
    (tmp_path / "b.pkt").write_text(FAILING)
    code, out, _ = cli("doctor", "--packetdrill", str(tmp_path), "--kernel")
    assert code == 1
    assert out.splitlines() == [
        f"pass  {tmp_path}/a.pkt: 1 checks",
        f"fail  {tmp_path}/b.pkt:9:7: expected tcpi_snd_cwnd == 11; seen tcpi_snd_cwnd is 10",
        "2 scripts: 1 pass, 1 fail",
    ]


def test_the_option_kernel_is_refused_without_packetdrill(cli: Cli) -> None:
    """`--kernel` tests the kernel by scripts, and therefore needs `--packetdrill` with their folder."""
    code, _, err = cli("doctor", "--kernel")
    assert code == 2
    assert "--packetdrill DIR" in err


def test_the_docs_page_has_the_current_verdicts_on_airhops_own_scripts() -> None:
    """The page has the rows of a run; `python tools/packetdrill_page.py` updates them."""
    with (ROOT / "docs" / "packetdrill.csv").open(encoding="utf-8", newline="") as file:
        told = {row["script"]: row for row in csv.DictReader(file) if row["suite"] == "airhop"}
    folder = ROOT / "crates" / "tcp" / "tests" / "scripts"
    now = {path.relative_to(folder).as_posix(): judge(path).verdict for path in scripts(folder)}
    assert {script: row["verdict"] for script, row in told.items()} == now
    assert {row["kernel"] for row in told.values()} == {"pass"}
