"""`airhop new-scheme`: the scheme runs immediately, and its test fails until its law is written."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import airhop
from airhop.cli import new_scheme as module
from command_line import Cli
from patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[3]
HEADERS = Path("/usr/include/bpf/bpf_helpers.h")


def run(folder: Path, *words: str) -> int:
    return subprocess.run(words, cwd=folder, capture_output=True, check=False, timeout=PATIENCE_S).returncode


def replaced(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_new_python_scheme_runs_and_its_test_fails_until_its_law_is_written(cli: Cli, folder: Path) -> None:
    """The new scheme has NewReno's rules, so its goodput equals NewReno's."""
    told = cli("new-scheme", "my-reno", "--python")
    assert told.code == 0
    assert "airhop compare last-hop newreno my-reno --with my_reno.py" in told.out
    assert len(told.out.partition("next:\n")[2].splitlines()) == 3
    airhop.plugins.load(folder / "my_reno.py")
    scenario = airhop.Scenario.load("last-hop").with_({"duration": "5 s"})
    ours, built_in = (airhop.run(scenario, scheme=name).to_dict()["flows"] for name in ("my-reno", "newreno"))
    assert ours[0]["delivered_bytes"] == built_in[0]["delivered_bytes"]
    test = (sys.executable, "-m", "unittest", "test_my_reno")
    assert run(folder, *test) != 0
    replaced(folder / "test_my_reno.py", "AFTER_LOSS = None", "AFTER_LOSS = 7")
    assert run(folder, *test) != 0, "the scheme still has Reno's law"
    replaced(folder / "my_reno.py", "else loss.half", "else 0.7 * window.cwnd")
    assert run(folder, *test) == 0


@pytest.mark.skipif(not HEADERS.exists() or not shutil.which("clang"), reason="clang, libbpf-dev")
def test_a_new_bpf_object_runs_and_its_test_fails_until_its_law_is_written(cli: Cli, folder: Path) -> None:
    told = cli("new-scheme", "newcomer", "--bpf")
    assert told.code == 0
    compile_, _, test = told.out.partition("next:\n")[2].splitlines()
    assert run(folder, "sh", "-c", compile_) == 0
    assert airhop.plugins.load(folder / "newcomer.bpf.o") == ["bpf_newcomer"]
    scenario = airhop.Scenario.load("last-hop").with_({"duration": "1 s"})
    assert airhop.run(scenario, scheme="bpf_newcomer").to_dict()["flows"][0]["delivered_bytes"] > 0
    assert run(folder, "sh", "-c", test) != 0
    replaced(folder / "test_newcomer.c", "AFTER_LOSS 0", "AFTER_LOSS 7")
    assert run(folder, "sh", "-c", test) != 0, "the scheme still has Reno's law"
    replaced(folder / "newcomer.bpf.c", "snd_cwnd / 2", "snd_cwnd * 7 / 10")
    assert run(folder, "sh", "-c", test) == 0


def test_a_new_rust_scheme_is_added_to_the_list_of_schemes(cli: Cli, folder: Path) -> None:
    """The scheme is not compiled here, but compared with sources that compile."""
    assert cli("new-scheme", "own-reno", "--rust").code == 2
    schemes = folder / module.RUST_SCHEMES
    schemes.mkdir(parents=True)
    before = (ROOT / module.RUST_SCHEMES / "mod.rs").read_text(encoding="utf-8")
    (schemes / "mod.rs").write_text(before, encoding="utf-8")
    assert "cargo test -p airhop-tcp own_reno" in cli("new-scheme", "own-reno", "--rust").out
    after = (schemes / "mod.rs").read_text(encoding="utf-8")
    added = set(after.splitlines()) - set(before.splitlines())
    assert added == {"    own_reno,"}
    assert re.search(r"^schemes! \{[^}]*\n    own_reno,\n\}", after, re.MULTILINE)
    text = (schemes / "own_reno.rs").read_text(encoding="utf-8")
    assert 'name: "own-reno"' in text
    assert "const AFTER_LOSS: Option<f64> = None;" in text


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("newcomer",), "expected one of --python, --rust and --bpf"),
        (("newcomer", "--python", "--bpf"), "expected one of --python, --rust and --bpf"),
        (("../newcomer", "--python"), "lower-case letters"),
        (("a-name-of-bpf", "--bpf"), "at most 11"),
        (("newreno", "--python"), "there is a scheme `newreno` already"),
    ],
)
def test_bad_names_and_options_of_a_new_scheme_exit_with_code_2(
    cli: Cli, folder: Path, words: tuple[str, ...], expected: str
) -> None:
    told = cli("new-scheme", *words)
    assert told.code == 2
    assert expected in told.err
    assert not list(folder.iterdir())


def test_new_scheme_overwrites_no_existing_file(cli: Cli, folder: Path) -> None:
    (folder / "test_newcomer.py").write_text("newcomer")
    assert "test_newcomer.py exists already" in cli("new-scheme", "newcomer", "--python").err
    assert [one.name for one in folder.iterdir()] == ["test_newcomer.py"]
