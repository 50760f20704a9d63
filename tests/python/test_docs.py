"""The documentation says what is so: generated pages are up to date, and what README shows works."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from airhop import Scenario, run
from airhop.cli import main
from airhop.experiments import registry

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Give the fenced blocks of README in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


COMMANDS = [
    shlex.split(line, comments=True)[1:]
    for block in blocks("")
    for line in block.splitlines()
    if line.startswith("airhop ")
]


def test_generated_pages_are_up_to_date() -> None:
    checked = subprocess.run(
        [sys.executable, ROOT / "tools" / "docs.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_commands_of_readme_work(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if words[0] == "reproduce":  # minutes: its own tests run it
        assert set(words[1:]) <= set(registry())
        return
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 0


def test_scenario_of_readme_runs() -> None:
    (text,) = blocks("toml")
    assert run(Scenario.load(tomllib.loads(text))).goodput_mbps > 0


def test_python_of_readme_works() -> None:
    (code,) = blocks("python")
    names: dict[str, object] = {}
    exec(code, names)
    assert {"s", "r", "c"} <= set(names)


def test_readme_asks_for_the_tools_that_are_needed() -> None:
    cargo = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    assert f"Rust {cargo['workspace']['package']['rust-version']} or newer" in README
    python = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "requires-python"
    ]
    assert f"Python {python.removeprefix('>=')} or newer" in README


def test_links_of_readme_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", README) + re.findall(
        r"`((?:docs|crates|scenarios|bench)/[\w./-]*)`", README
    )
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
