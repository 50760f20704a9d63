"""Experiments of installed packages: valid entry points, and messages about broken entry points."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from airhop.cli.common.app import dispatch
from airhop.experiments import registry
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIG6

KNOWN = registry()
MODULE = """
from dataclasses import replace
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIGURE6
FIRST = replace(FIGURE6, id="mine/first", title="Mine")
TAKEN = replace(FIGURE6, title="Not the paper's")
NUMBER = 42
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that writes the files of an installed package with experiments."""

    def install(**entries: str) -> None:
        (tmp_path / "my_experiments.py").write_text(MODULE)
        (tmp_path / "broken_experiments.py").write_text("import no_such_library\n")
        info = tmp_path / "my_experiments-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-experiments\nVersion: 1.0\n")
        lines = [f"{name} = {value}" for name, value in entries.items()]
        (info / "entry_points.txt").write_text("\n".join(["[airhop.experiments]", *lines]) + "\n")
        monkeypatch.syspath_prepend(str(tmp_path))

    return install


def test_an_installed_package_registers_experiments_by_entry_point(install: Callable[..., None]) -> None:
    install(first="my_experiments:FIRST")
    assert registry()["mine/first"].title == "Mine"
    assert list(registry())[:-1] == list(KNOWN)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("broken_experiments:FIRST", "ModuleNotFoundError: No module named 'no_such_library'"),
        ("my_experiments:SECOND", "AttributeError: .*SECOND"),
        ("my_experiments:NUMBER", "expected an Experiment or a Calculation, got 42"),
        ("my_experiments:TAKEN", "an experiment `yun2009/fig6` already exists"),
    ],
)
def test_a_broken_entry_point_is_named_and_does_not_disable_other_entry_points(
    install: Callable[..., None], entry: str, message: str
) -> None:
    install(bad=entry, first="my_experiments:FIRST")
    with pytest.warns(UserWarning, match=f"`bad = {entry}` of package my-experiments is omitted: {message}"):
        known = registry()
    assert list(known) == [*KNOWN, "mine/first"]
    assert known["yun2009/fig6"] is FIG6


def test_the_command_line_reports_a_broken_entry_point(
    install: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    install(bad="broken_experiments:FIRST", first="my_experiments:FIRST")
    assert dispatch(["reproduce", "mine/frist"]) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0].startswith("airhop: the experiment `bad = broken_experiments:FIRST` of package my-experim")
    assert "Did you mean `mine/first`?" in told[1]
