"""Readings: open questions of a paper, their answers, and the conclusion of a claim over all readings."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

import synthetic
from airhop.errors import InputError
from airhop.experiments import (
    Calculation,
    Claim,
    ClaimResult,
    Experiment,
    Question,
    Reading,
    lookup,
    outcomes_in,
    registry,
)
from airhop.experiments.asked import ALL_X, FIRST, LAST, Asked, Span, asks
from airhop.experiments.claims import each_above, falls_all_along
from airhop.experiments.reading import SILENT, Judgement, conclusion, default_rests_on, otherwise
from airhop.experiments.reproduced import MORE_RUNS, CheckedClaim, under_readings
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIG6
from airhop.experiments.yun2009.readings import TIBET_DECAY
from airhop.reproduction import reproduce

HELD, FAILED, OPEN = ClaimResult(True, "2.0 ×"), ClaimResult(False, "0.5 ×"), ClaimResult(None, "1.0 ×")


def question(about: str, *names: str) -> Question:
    """Make a question with these answers in addition to the default."""
    default = Reading("as-it-is", "As it is.", "as it is")
    return Question(about, default, tuple(Reading(name, name) for name in names))


DECAY, RECOVERY = question("the decay", "slow", "slower"), question("the recovery", "reno")


def told(default: ClaimResult, **others: ClaimResult) -> str:
    """Return the conclusion from a claim's results under the default and under other answers, by name."""
    judged = [Judgement(None, SILENT, default)]
    judged += [Judgement(Reading(name, name), SILENT, result) for name, result in others.items()]
    return conclusion(judged, (DECAY, RECOVERY))


def test_the_conclusion_over_all_readings_names_the_deciding_questions() -> None:
    assert told(HELD, slow=HELD, slower=HELD, reno=HELD) == "holds under every reading"
    assert told(FAILED, slow=FAILED, reno=FAILED) == "fails under every checked reading"
    assert told(OPEN, slow=OPEN) == "is open under every reading"
    assert told(FAILED) == "fails under the only reading"
    depends = "holds under 1 of 3: it depends on the decay"
    assert told(FAILED, slow=HELD, reno=FAILED) == depends
    assert told(HELD, slow=FAILED, slower=FAILED, reno=FAILED) == (
        "holds under 1 of 4: it depends on the decay and the recovery"
    )
    # An open verdict shows no dependence, because more replications may lead to the verdict of the other
    # readings.
    assert told(FAILED, slow=OPEN, slower=FAILED) == "holds under none of 3, open under 1"
    assert told(OPEN, slow=HELD, slower=FAILED, reno=HELD) == (
        "holds under 2 of 4, open under 1: it depends on the decay"
    )
    assert told(OPEN, slow=HELD, reno=FAILED) == (
        "holds under 1 of 3, open under 1: it depends on the decay and the recovery"
    )


def test_the_default_reading_rests_on_the_quotes_of_its_questions() -> None:
    silent = Question("length", Reading("short", "Short."), ())
    assert default_rests_on(()) == SILENT
    assert default_rests_on((silent,)) == SILENT
    assert default_rests_on((silent, DECAY, RECOVERY)) == "as it is"


def test_a_reading_of_a_scheme_changes_its_curve_and_the_companion_experiment() -> None:
    slow = next(one for one in TIBET_DECAY.others if one.name == "tibet-0.99")
    read = replace(FIG6, questions=(TIBET_DECAY,)).under(slow)
    assert read.id == "yun2009/fig6@tibet-0.99"
    assert read.questions == ()
    schemes = {curve.name: curve.scheme for curve in read.curves}
    assert schemes["tibet"] == {"name": "tibet", "rttmin_factor": 0.99}
    assert schemes["reno"] == "reno"
    other = replace(FIG6, beside=FIG6).under(slow).beside
    assert other is not None
    (beside,) = (curve for curve in other.curves if curve.name == "tibet")
    assert beside.scheme == schemes["tibet"], "the reading also applies to the companion"


def test_a_reading_of_an_absent_scheme_is_refused() -> None:
    with pytest.raises(InputError, match="`x` changes vegas, which is no scheme or curve"):
        FIG6.under(Reading("x", "Vegas.", schemes={"vegas": {"alpha": 1}}))


def test_a_default_reading_does_not_change_the_experiment() -> None:
    with pytest.raises(InputError, match="the default reading changes nothing"):
        Question("x", Reading("x", "X.", settings={"duration": "1 s"}), ())


def test_readings_are_found_by_name() -> None:
    known = {FIG6.id: FIG6}
    (found,) = lookup(["yun2009/fig6@tibet-0.99"], known)
    assert found.id == "yun2009/fig6@tibet-0.99"
    assert lookup(["yun2009/fig6@default"], known) == [FIG6]
    with pytest.raises(InputError, match=r"yun2009/fig6 has no reading `tibet-0.98`.*`tibet-0.9"):
        lookup(["yun2009/fig6@tibet-0.98"], known)


@pytest.mark.parametrize("experiment", registry().values(), ids=lambda one: one.id)
def test_every_reading_of_every_experiment_has_runnable_scenarios(experiment: Experiment) -> None:
    """The study of each answer is valid: its paths exist in the scenario, its parameters in the schemes."""
    for _, read in otherwise(experiment):
        if isinstance(read, Experiment):
            mine, default = read.study("quick"), experiment.study("quick")
            assert mine.to_dict() != default.to_dict() or read.metric != experiment.metric


@pytest.fixture
def small() -> Experiment:
    """Make a small Figure 6, with the question of TIBET's decay and a claim that depends on it."""

    def check(samples: object) -> ClaimResult:
        ratio = samples.ratio("tibet", "reno", 1e-2).value  # type: ignore[attr-defined]
        return ClaimResult(bool(ratio > 1.3), f"{ratio:.2f} ×")

    return replace(
        FIG6,
        id="test/small",
        settings={**FIG6.settings, "duration": "20 s"},
        curves=tuple(curve for curve in FIG6.curves if curve.name in ("reno", "tibet")),
        axis=replace(FIG6.axis, coarse=(1e-2,)),
        claims=(Claim("better", "TIBET is better.", check, quote="better than"),),
        headline=lambda _: "TIBET beside Reno.",
        timeline=None,
        panels=(),
        also=(),
        questions=(TIBET_DECAY,),
    )


def test_claims_are_checked_under_every_reading_and_equal_runs_are_shared(
    small: Experiment, tmp_path: Path
) -> None:
    (outcome,) = reproduce([small], "quick", tmp_path, readings=True)
    (claim,) = outcome.to_dict()["claims"]
    assert [one["name"] for one in claim["readings"]] == [
        "default",
        "tibet-0.99",
        "tibet-0.995",
        "tibet-0.999",
    ]
    assert [one["default"] for one in claim["readings"]] == [True, False, False, False]
    assert claim["readings"][0]["verdict"] == "fails"
    assert claim["readings"][3]["verdict"] == "holds"
    assert claim["conclusion"].endswith("it depends on TIBET's decay")
    assert (claim["own"], claim["quote"]) == (False, "better than")
    computed = [other.table.computed for _, other in outcome.others]  # type: ignore[attr-defined]
    assert computed == [3, 3, 3], "only TIBET's runs, because Reno's runs are in the default"
    report = (tmp_path / "test/small/report.html").read_text(encoding="utf-8")
    assert "Under every reading of the paper" in report
    assert {"readings.pdf", "readings.svg", "readings.png"} <= {path.name for path in outcome.files}


def test_outcomes_read_from_a_folder_include_its_readings(small: Experiment, tmp_path: Path) -> None:
    (outcome,) = reproduce([small], "quick", tmp_path, readings=True)
    (again,) = outcomes_in(tmp_path, {small.id: small})
    assert again.to_dict() == outcome.to_dict()


def test_complete_results_are_kept_and_damaged_results_are_recomputed(
    small: Experiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("airhop.reproduction.files.built_in", lambda: {small.id: small})
    (first,) = reproduce([small], "quick", tmp_path)
    stamps = {path: path.stat().st_mtime_ns for path in first.files}
    (second,) = reproduce([small], "quick", tmp_path)
    assert {path: path.stat().st_mtime_ns for path in second.files} == stamps
    (tmp_path / "test/small/figure.svg").unlink()
    (third,) = reproduce([small], "quick", tmp_path)
    assert (tmp_path / "test/small/figure.svg").is_file()
    assert third.files == first.files
    made = tmp_path / "test/small/made.json"
    made.write_text(json.dumps(json.loads(made.read_text()) | {"made_by": "another program"}))
    before = (tmp_path / "test/small/report.html").stat().st_mtime_ns
    list(reproduce([small], "quick", tmp_path))
    assert (tmp_path / "test/small/report.html").stat().st_mtime_ns > before


def test_the_report_of_a_users_own_experiment_is_always_rewritten(small: Experiment, tmp_path: Path) -> None:
    """The digest of the program excludes its code, so the figure of an edited experiment must be redrawn."""
    list(reproduce([small], "quick", tmp_path))
    before = (tmp_path / "test/small/report.html").stat().st_mtime_ns
    list(reproduce([small], "quick", tmp_path))
    assert (tmp_path / "test/small/report.html").stat().st_mtime_ns > before


def test_a_calculation_under_one_reading_has_its_report(tmp_path: Path) -> None:
    """The report is written even if an earlier run under all answers has stored only the values."""
    read = lookup(["kounavis1996/loss-formula"], registry())
    (reading, one), *_ = otherwise(read[0])
    list(reproduce(read, "quick", tmp_path, readings=True))
    assert not (tmp_path / one.id / "report.html").exists()
    (outcome,) = reproduce([one], "quick", tmp_path)
    assert outcome.experiment.id.endswith(f"@{reading.name}")
    assert tmp_path / one.id / "report.html" in outcome.files
    assert all(path.is_file() for path in outcome.files)


# ---- outcomes of claims -------------------------------------------------------------------------------


def checked(result: ClaimResult, *, bound: bool = False, **others: ClaimResult) -> CheckedClaim:
    """Check a claim under the default and under other answers, by name."""
    claim: Claim[object] = Claim("c", "A claim.", lambda _: result, quote="words", bound=bound)
    one = CheckedClaim(claim, result)
    read = [(Reading(name, name), [CheckedClaim(claim, found)]) for name, found in others.items()]
    return under_readings([one], read, (DECAY, RECOVERY))[0] if read else one


def test_the_default_reading_decides_unless_readings_contradict_each_other() -> None:
    assert checked(HELD).outcome == "reproduced"
    assert checked(HELD, bound=True).outcome == "bound met"
    assert checked(FAILED, bound=True).outcome == "not reproduced"
    assert checked(FAILED, slow=FAILED, reno=OPEN).outcome == "not reproduced"
    assert checked(HELD, slow=HELD, reno=OPEN).outcome == "reproduced"
    assert checked(HELD, slow=FAILED, reno=HELD).outcome == "depends on the decay"
    assert checked(FAILED, slow=HELD, reno=HELD).outcome == "depends on the decay and the recovery"


def test_an_undecided_claim_names_the_missing_information() -> None:
    short = checked(OPEN)
    assert (short.outcome, short.needs) == ("undecided", MORE_RUNS)
    unprinted = checked(ClaimResult(None, "3 %", needs="how many runs it is the mean of"))
    assert (unprinted.outcome, unprinted.needs) == ("undecided", "how many runs it is the mean of")
    assert checked(HELD).needs == "", "a decided claim lacks no information"


def test_the_document_has_the_outcome_beside_the_verdict() -> None:
    document = checked(HELD, bound=True).to_dict()
    assert (document["holds"], document["verdict"], document["outcome"]) == (True, "holds", "bound met")
    assert document["needs"] is None


PAPERS = ("yun2009/", "koo2007/", "cheng2008/", "kounavis1996/")


@pytest.mark.parametrize(
    "experiment", [one for id_, one in registry().items() if id_.startswith(PAPERS)], ids=lambda one: one.id
)
def test_each_claim_has_a_test_sentence_and_each_own_claim_a_reason(
    experiment: Experiment | Calculation,
) -> None:
    """The page of an experiment states each test, and the reason of a claim that its paper does not print."""
    runs = experiment if isinstance(experiment, Experiment) else None
    for claim in experiment.claims:
        assert len(asks(claim.check, runs).split()) > 3, claim.id
        assert bool(claim.because) is claim.own, claim.id
        assert claim.own or claim.quote, claim.id


def test_the_text_of_a_check_has_the_labels_and_units_of_its_experiment() -> None:
    by_id = {one.id: one for one in FIG6.claims}
    assert asks(by_id["yun-4-falls"].check, FIG6) == (
        "the ratio of the goodput with Snoop to that with LL-ELSN falls from each frame error rate to the "
        "next (from 0.01 % up)"
    )
    assert asks(by_id["yun-4-falls-ends"].check, FIG6) == (
        "from the smallest to the largest frame error rate (from 0.01 % up) LL-ELSN keeps a larger share of "
        "its goodput than Snoop"
    )
    assert asks(by_id["yun-1"].check, FIG6) == (
        "at every frame error rate from 0.01 % up, the goodput with LL-ELSN exceeds 4 × that with Reno and "
        "1.5 × that with Snoop"
    )
    assert asks(by_id["yun-1-somewhere"].check, FIG6) == (
        "somewhere in the grid, the goodput with LL-ELSN exceeds 4 × that with Reno and 1.5 × that with "
        "Snoop, by simultaneous intervals"
    )


def test_the_bounds_of_a_span_are_omitted_for_the_whole_axis() -> None:
    def test(from_x: float) -> str:
        return Asked(falls_all_along, FIG6.axis, ("sack",), from_x).text(FIG6)

    assert test(1e-2) == "the goodput with SACK falls from each frame error rate to the next (from 1 % up)"
    assert test(-math.inf) == "the goodput with SACK falls from each frame error rate to the next"


def test_a_factor_of_1_is_omitted_from_the_text_of_a_check() -> None:
    def test(share: float) -> str:
        return Asked(each_above, FIG6.axis, ("sack",), "reno", Span(1e-2), share).text(FIG6)

    assert (
        test(1.5)
        == "the goodput with SACK exceeds 1.5 × that with Reno at every frame error rate from 1 % up"
    )
    assert test(1.0) == "the goodput with SACK exceeds that with Reno at every frame error rate from 1 % up"


def test_a_span_selects_the_measured_points_of_the_axis() -> None:
    samples = synthetic.samples({1e-4: {"a": 1.0}, 1e-2: {"a": 2.0}, 9e-2: {"a": 3.0}})
    assert ALL_X.of(samples) == [1e-4, 1e-2, 9e-2]
    assert (FIRST.of(samples), LAST.of(samples)) == ([1e-4], [9e-2])
    assert Span(1e-3).of(samples) == [1e-2, 9e-2]
    assert Span(1e-4, 1e-2).of(samples) == [1e-4, 1e-2]
    assert Span(1e-3).text(FIG6.axis) == "every frame error rate from 0.1 % up"
    assert Span(9e-2).text(FIG6.axis) == "frame error rate 9 %"
