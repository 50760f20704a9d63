"""`reproduce --set` and `--as-study`: an experiment with other settings, and its grid as a study file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from airhop import InputError, Study
from airhop.cli.common.app import dispatch
from airhop.experiments import Experiment
from airhop.experiments.registered import built_in
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIG6
from airhop.report import chapter_of_outcome
from airhop.reproduction import reproduce
from airhop.study.file import written

SIMULATED = [one for one in built_in().values() if isinstance(one, Experiment)]


def test_a_changed_experiment_has_no_claims_and_no_published_values() -> None:
    changed = FIG6.with_({"wlan.cell.attempts": 4})
    assert changed.id == "yun2009/fig6+wlan.cell.attempts=4"  # a separate folder
    assert (changed.claims, changed.published, changed.questions) == ((), None, ())
    assert changed.source.startswith("Not J.-H. Yun")
    assert not changed.metric.printed
    point = changed.study("quick").points()[0]
    assert point.scenario.to_dict()["wlan"][0]["attempts"] == 4
    assert FIG6.with_({}) is FIG6


@pytest.mark.parametrize("path", ["wlan.cell.errors", "wlan.cell.errors.fer", "scheme"])
def test_keys_that_an_experiment_varies_cannot_be_set(path: str) -> None:
    with pytest.raises(InputError, match="the experiment varies `"):
        FIG6.with_({path: 1})


def test_the_outcome_of_a_changed_experiment_has_a_caution_and_no_verdict(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("airhop.reproduction.reproducing.write_outcome", lambda outcome, _folder: outcome)
    short = replace(
        FIG6,
        settings={**FIG6.settings, "duration": "2 s"},
        curves=FIG6.curves[:2],
        axis=replace(FIG6.axis, coarse=(1e-2,)),
        replications=replace(FIG6.replications, quick=2),
        panels=(),
        headline=lambda _: "SACK is like Reno.",
        timeline=None,
        questions=(),
    )
    (outcome,) = reproduce([short.with_({"wlan.cell.attempts": 4})], "quick", tmp_path, workers=1)
    assert outcome.holds
    assert outcome.headline == "With wlan.cell.attempts = 4: SACK is like Reno."
    chapter = chapter_of_outcome(outcome, trace=False)  # type: ignore[arg-type]
    assert chapter.paper is None
    assert "No claim is checked" in chapter.warnings[0]


def digests(study: Study) -> Sequence[str]:
    return sorted(point.scenario.digest for point in study.points())


@pytest.mark.parametrize("experiment", SIMULATED, ids=lambda one: one.id)
def test_the_study_file_of_an_experiment_reads_back_as_the_same_study(
    experiment: Experiment, tmp_path: Path
) -> None:
    made = experiment.study("quick", seed=3)
    path = tmp_path / "mine.toml"
    path.write_text(written(made), encoding="utf-8")
    read = Study.load(path)
    assert digests(read) == digests(made)
    assert (read.reps, read.seed) == (made.reps, 3)


def test_as_study_writes_a_new_file_and_refuses_an_existing_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.toml"
    words: list[Any] = ["reproduce", "yun2009/fig6", "--as-study", str(path), "--set", "wlan.cell.attempts=4"]
    assert dispatch(words) == 0
    assert Study.load(path).scenario.to_dict()["wlan"][0]["attempts"] == 4
    assert Study.load(path).reps == FIG6.study("default").reps  # a stopping rule
    assert dispatch(words) == 2
    assert "exists already" in capsys.readouterr().err
    assert dispatch(["reproduce", "yun2009/table1", "--set", "a=1"]) == 2
    assert "is a calculation" in capsys.readouterr().err
