"""Calculations are computed, checked, written, read and shown in the same way as experiments."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from airhop import _core
from airhop.errors import InputError
from airhop.experiments import Calculated, Claim, ClaimResult, Value, Values, exact, lookup, registry
from airhop.experiments.calculation import calculated_in
from airhop.experiments.reproduced import check_claims
from airhop.experiments.yun2009.fig3 import CORRECTED, FRAMES, LITERAL, MEASURED
from airhop.experiments.yun2009.fig3 import EXPERIMENT as FIG3
from airhop.experiments.yun2009.fig4 import EXPERIMENT as FIG4
from airhop.experiments.yun2009.fig4 import drawn_list
from airhop.progress import SILENT
from airhop.report import CalculationChapter, calculation_page, report_folder
from airhop.report.folder import chapters_in
from airhop.report.page import render
from airhop.reproduction import print_outcome, reproduce
from browser import Tab


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("calculations")


@pytest.fixture(scope="module")
def found(folder: Path) -> Calculated:
    (outcome,) = reproduce([FIG3], "quick", folder)
    assert isinstance(outcome, Calculated)
    return outcome


# ---- Figure 3 --------------------------------------------------------------------------------------------


def test_figure_3_uses_the_printed_parameters(found: Calculated) -> None:
    # Its axis: p from 0 to 0.3, l from 2 to 5; no ERSN or ELN without errors.
    curves = {value.curve for value in found.values}
    assert curves == {f"{notice}, l = {limit}" for notice in ("ersn", "eln") for limit in (2, 3, 4, 5)}
    line = found.values.of("ersn, l = 2", CORRECTED)
    assert [value.x["p"] for value in (line[0], line[-1])] == [0.0, 0.3]
    assert [value.value.mean for value in (line[0], line[-1])] == [0.0, pytest.approx(0.2 / 4.3333333)]
    axes = FIG3.figure(found.values).axes[0]
    assert (axes.get_xlim(), axes.get_ylim()) == ((0.0, 0.3), (0.0, 0.05))


def test_claim_3_is_checked_under_both_readings(found: Calculated) -> None:
    (checked,) = [checked for checked in found.claims if checked.claim.id == "yun-3"]
    assert checked.word == "holds"
    assert "corrected 4.62, as printed 4.45" in checked.result.measured
    for metric in (CORRECTED, LITERAL, MEASURED):
        above = [_raised(value, 0.0501) if value.metric == metric else value for value in found.values]
        assert check_claims(FIG3.claims[:1], Values(above))[0].word == "fails"


def test_the_simulation_distinguishes_the_readings(found: Calculated) -> None:
    claims = FIG3.claims[1:]
    assert check_claims(claims, found.values)[0].word == "holds"
    literal = {(v.curve, v.x["p"]): v.value for v in found.values if v.metric == LITERAL}
    swapped = [
        replace(value, value=literal.get((value.curve, value.x["p"]), value.value))
        if value.metric == CORRECTED
        else value
        for value in found.values
    ]
    assert check_claims(claims, Values(swapped))[0].word == "fails"


def _raised(value: Value, to: float) -> Value:
    return replace(value, value=replace(value.value, mean=to))


# ---- Figure 4 --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def worked() -> Calculated:
    return Calculated.of(FIG4, "quick", 1)


def test_the_packet_list_equals_the_drawn_list_of_figure_4(worked: Calculated) -> None:
    # As drawn: segments with their counters of duplicate ACKs, and three fast recoveries.
    lists = [drawn_list(worked.values, trigger) for trigger in (15, 17, 19, 20, 21)]
    assert lists == [
        [(14, 1), (16, 0), (17, 0), (18, 0), (19, 0), (20, 0)],
        [(14, 2), (16, 1), (18, 0), (19, 0), (20, 0), (21, 0)],
        [(16, 2), (18, 1), (20, 0), (21, 0), (14, 0)],
        [(18, 2), (21, 0), (14, 0), (16, 0)],
        [(14, 0), (16, 0), (18, 0)],
    ]
    lost = [value.value.mean for value in worked.values.of("lhp", "lost")]
    assert lost == [0, 0, 1, 1, 1]


def test_lhp_cuts_the_window_once_per_loss_and_esack_once_for_three_losses(worked: Calculated) -> None:
    cuts = {
        s: worked.values.at(s, "window_cuts", ack="(14, 21)").value.mean for s in ("lhp", "ll-elsn", "sack")
    }
    assert cuts == {"lhp": 3, "ll-elsn": 1, "sack": 1}
    assert [checked.word for checked in worked.claims] == ["holds"] * 4
    assert worked.headline.endswith("LHP reduces the window 3 times, ESACK once.")


def test_the_claim_of_figure_4_fails_on_any_other_packet_list(worked: Calculated) -> None:
    for metric in ("segment", "duplicates", "fast_recoveries", "window_cuts", "failure"):
        other = [
            replace(value, value=exact(value.value.mean + 1)) if value.metric == metric else value
            for value in worked.values
        ]
        assert check_claims(FIG4.claims, Values(other))[0].word == "fails", metric


def test_steps_of_a_wrong_type_and_unknown_schemes_are_refused() -> None:
    with pytest.raises(TypeError):
        _core.packet_list(["14"])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="no scheme `rino`"):
        _core.answers("rino", 6.0, [])


# ---- the machinery ---------------------------------------------------------------------------------------


def test_the_json_document_of_a_calculation_has_the_specified_keys(found: Calculated) -> None:
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert set(document) == {"id", "reps", "rows", "claims"}
    assert document["reps"] == 20
    row = document["rows"][-1]
    assert {"scheme", "x", "metric", "mean", "half_width", "published"} <= set(row)
    assert (row["scheme"], row["x"], row["metric"]) == ("eln, l = 5", {"p": 0.3}, MEASURED)
    assert document["rows"][0]["half_width"] is None  # exact
    known = {"id", "text", "holds", "verdict", "outcome", "needs", "asked", "measured", "reason"}
    assert set(document["claims"][0]) == known


def test_values_read_back_equal_the_computed_values(found: Calculated, folder: Path) -> None:
    (again,) = calculated_in(folder, registry())
    assert again.to_dict() == found.to_dict()
    assert (again.mode, again.seed) == ("quick", 1)
    assert list(calculated_in(folder / "elsewhere", registry())) == []


def test_equal_seeds_yield_equal_values_of_a_calculation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FRAMES, "quick", 2000)
    one, other, third = (list(FIG3.compute("quick", seed, SILENT)) for seed in (3, 3, 4))
    assert one == other != third


def test_a_message_names_a_damaged_document(tmp_path: Path) -> None:
    path = tmp_path / "outcome.json"
    facts = '"mode": "quick", "seed": 1'
    for text in ("{", "{}", f'{{"rows": [{{}}], {facts}}}', '{"rows": [], "mode": "q", "seed": 1}'):
        path.write_text(text)
        with pytest.raises(InputError, match=r"outcome\.json is no document of yun2009/fig3"):
            Calculated.read(FIG3, path)


def test_a_calculation_writes_report_figures_rows_and_outcome(found: Calculated, folder: Path) -> None:
    assert [path.name for path in found.files] == [
        "report.html",
        "figure.pdf",
        "figure.svg",
        "figure.png",
        "rows.csv",
        "outcome.json",
    ]
    assert {path.parent for path in found.files} == {folder / "yun2009/fig3"}
    table = pl.read_csv(folder / "yun2009/fig3/rows.csv")
    assert table["p"].to_list() == [value.x["p"] for value in found.values]
    assert table["mean"].to_list() == pytest.approx([value.value.mean for value in found.values])


def test_the_terminal_output_of_a_calculation_fits_80_columns(found: Calculated) -> None:
    stream = io.StringIO()
    print_outcome(found, Console(width=80, file=stream))
    text = stream.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    assert "4.615" in text and "✓ holds" in text


def test_the_name_of_a_paper_selects_all_its_experiments() -> None:
    known = registry()
    assert lookup(["yun2009"], known) == [known[id_] for id_ in known if id_.startswith("yun2009/")]
    assert lookup(["yun2009/fig6", "yun2009"], known)[0] is known["yun2009/fig6"]
    with pytest.raises(InputError, match=r"`yun209`.*Did you mean `yun2009`"):
        lookup(["yun209"], known)


# ---- the report ------------------------------------------------------------------------------------------


def test_the_report_of_a_folder_has_its_calculations_and_their_numbers(
    found: Calculated, folder: Path
) -> None:
    (chapter,) = chapters_in(folder)
    assert isinstance(chapter, CalculationChapter)
    assert chapter.headline == found.headline
    (path,) = report_folder(folder, folder / "all.html")
    html = path.read_text(encoding="utf-8")
    assert "4.615" in html and "yun-3-simulated" in html


def test_claims_that_do_not_hold_come_first_in_a_report(found: Calculated) -> None:
    wrong = Claim[Values]("wrong", "It fails.", lambda _: ClaimResult(False, "0"), reason="An ACK was lost.")
    close = Claim[Values]("close", "It may be.", lambda _: ClaimResult(None, "1"))
    right = Claim[Values]("right", "It holds.", lambda _: ClaimResult(True, "2"), reason="never told")
    first = replace(found, claims=check_claims([right, close], found.values))
    second = replace(
        found, experiment=replace(FIG3, id="a/b"), claims=check_claims([right, wrong], found.values)
    )
    html = render([calculation_page(first), calculation_page(second)])
    missed = html[html.index("Claims that do not hold") : html.index("<article")]
    assert missed.index("It fails.") < missed.index("An ACK was lost.") < missed.index("It may be.")
    assert "It holds." not in missed
    assert "never told" not in html
    assert "2 of 4 claims hold, 1 open" in " ".join(html.split())


def test_the_page_of_a_calculation_loads_nothing_and_copies_its_command(found: Calculated, tab: Tab) -> None:
    tab.page.goto(found.files[0].as_uri())
    tab.page.wait_for_selector("html[data-ready]", state="attached")
    drawn = tab.page.locator("figure.print img")
    assert drawn.evaluate("image => image.complete && image.naturalWidth > 100")
    tab.page.locator("button.copy").click()
    assert tab.page.evaluate("navigator.clipboard.readText()") == found.command
    assert (tab.errors, tab.hosts) == ([], {""})
