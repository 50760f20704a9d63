"""Loss classifications are compared with true causes, from the run document to the figures."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import airhop
import synthetic
import synthetic_study
from airhop import plots
from airhop.analysis.loss_classifications import COLUMNS, LossClassifications, share_right
from airhop.cli import main
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIG6
from airhop.plots import confusion
from airhop.report.chapter import Chapter, chapter_of_outcome
from airhop.report.matrices import matrices
from airhop.report.page import render
from airhop.reproduction.loss_causes import judged_right
from airhop.stats import Ratio
from airhop.terminal import percent_interval

FER = "wlan.cell.errors.fer"
CAUSES = ("queue", "aqm", "channel", "collision", "none")
SHORT = airhop.Scenario.load("last-hop").with_({"duration": "10 s", FER: 0.03})


def judgements(**counts: int) -> LossClassifications:
    """Return counts; `wireless_channel=3` stands for three losses by the channel classified as wireless."""
    return LossClassifications({COLUMNS[f"judged_{cell}"]: count for cell, count in counts.items()})


def test_queue_losses_are_congestion_and_channel_or_collision_losses_are_wireless() -> None:
    every = LossClassifications(dict.fromkeys(COLUMNS.values(), 1))
    assert (every.total, every.right) == (15, 4)
    for cell in ("congestion_queue", "congestion_aqm", "wireless_channel", "wireless_collision"):
        assert judgements(**{cell: 7}).right == 7
    for cell in (
        "congestion_none",
        "wireless_none",
        "undecided_queue",
        "undecided_channel",
        "undecided_none",
    ):
        assert judgements(**{cell: 7}).right == 0, (
            "of what was not lost, and of what is undecided, none is right"
        )
    found = judgements(congestion_queue=1, wireless_channel=3)
    assert (found.share("wireless", "channel"), found.judged) == (0.75, ("congestion", "wireless"))


def test_the_share_of_right_classifications_is_over_all_losses_of_all_replications() -> None:
    sample = [
        judgements(wireless_channel=90, congestion_channel=10),
        judgements(wireless_channel=0, wireless_none=2),
    ]
    right = share_right(sample)
    assert right is not None
    assert right.value == pytest.approx(90 / 102), "not the mean of 0.9 and 0"
    assert right.low is None and right.high is None, (
        "Fieller's interval of two such replications is unbounded"
    )
    sure = share_right([judgements(wireless_channel=99, congestion_channel=n) for n in (0, 1, 2, 1)])
    assert sure is not None and sure.low is not None
    assert 0.97 < sure.low < sure.value < 1.0 == sure.high, "a share is not above 1"
    assert share_right([judgements()]) is None


def test_a_sender_that_never_classifies_a_loss_has_no_share_of_right_classifications() -> None:
    """BBR and BPF objects do not classify losses, so that a share of 0 % would be wrong."""
    silent = judgements(undecided_channel=7, undecided_queue=2)
    assert share_right([silent, silent]) is None
    decided = share_right([silent, judgements(wireless_channel=1)])
    assert decided is not None and decided.value == pytest.approx(1 / 10), "undecided losses count"


def test_tables_show_a_dash_for_a_sender_that_never_classifies_a_loss(
    capsys: pytest.CaptureFixture[str],
) -> None:
    short = ["--set", 'duration="5 s"', "--set", f"{FER}=0.03"]
    for command in (
        ["compare", "last-hop", "bbr", "reno", "-n", "2"],
        ["run", "last-hop", "--scheme", "bbr"],
    ):
        with pytest.raises(SystemExit) as end:
            main([*command, *short])
        assert end.value.code == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if "undecided" in line]
    assert len(rows) == 2 and all(row[0] in ("bbr", "│") and "–" in row for row in rows), rows
    table = airhop.sweep(SHORT.with_({"duration": "5 s"}), {"scheme": ["bbr", "reno"]}, reps=2)
    shares = table.frame().group_by("scheme", maintain_order=True).agg("judged_right")
    assert next(set(share) for share in shares["judged_right"]) == {None}


@pytest.fixture(scope="module")
def table() -> Any:
    return airhop.sweep(SHORT, {"scheme": ["reno", "ll-elsn"], FER: [0.001, 0.03]}, reps=3)


def test_a_study_counts_the_same_classifications_as_its_run_documents(table: Any) -> None:
    frame, found = table.frame(), table.judgements()
    for point in table.study.points():
        for rep in range(3):
            run = airhop.run(point.scenario, rep=rep)
            assert found[point.index][rep] == run.judgements
            row = frame.row(3 * point.index + rep, named=True)
            assert {name: row[name] for name in COLUMNS} == run.judgements.columns
            expected = run.judgements.right / run.judgements.total if run.judgements.decided else None
            assert row["judged_right"] == pytest.approx(expected)


def test_notices_make_classifications_right_and_reno_classifies_all_as_congestion(
    table: Any,
) -> None:
    # Yun 2009 §4: the link layer knows its losses. Reno knows congestion only, which is rare in this run.
    found = table.judgements()
    right = {
        point.scheme: share_right(found[point.index].values())
        for point in table.study.points()
        if point.values[FER] == 0.03
    }
    knows, guesses = right["ll-elsn"], right["reno"]
    assert knows and knows.low and knows.low > 0.95
    assert guesses and guesses.high is not None and guesses.high < 0.1


def test_a_scheme_in_python_can_classify_losses() -> None:
    @airhop.scheme("judges")
    class Judges:
        """Scheme that classifies timeouts as congestion or undecided, and other losses as wireless."""

        def on_ack(self, window: airhop.Window, _ack: airhop.Ack, _flow: airhop.Flow) -> None:
            window.cwnd += 1 / window.cwnd

        def on_loss(self, window: airhop.Window, loss: airhop.Loss, flow: airhop.Flow) -> str | None:
            if loss.signal == "duplicates":
                return "wireless"
            window.cwnd = 1
            return "undecided" if flow.acked > 200_000 else None

    flow = airhop.run(SHORT, scheme="judges").document["flows"][0]
    sums = {judged: sum(row.values()) for judged, row in flow["judgements"].items()}
    assert sums["wireless"] == flow["fast_recoveries"] > 0
    assert sums["congestion"] + sums["undecided"] == flow["timeouts"]
    assert sums["undecided"] > 0


def test_an_unknown_loss_classification_of_a_python_scheme_is_refused() -> None:
    @airhop.scheme("puzzled")
    class Puzzled:
        def on_ack(self, window: airhop.Window, _ack: airhop.Ack, _flow: airhop.Flow) -> None:
            window.cwnd += 1

        def on_loss(self, _window: airhop.Window, _loss: airhop.Loss, _flow: airhop.Flow) -> str | None:
            return "noise"

    with pytest.raises(airhop.SchemeError, match="on_loss") as raised:
        airhop.run(SHORT, scheme="puzzled")
    expected = """it returned 'noise'; expected one of "congestion", "wireless", "undecided", or None"""
    assert expected in str(raised.value.__cause__)


def test_metrics_of_loss_classifications_are_selected_by_name(table: Any) -> None:
    share = "judged_wireless_channel / (judged_wireless_channel + judged_wireless_collision)"
    values = table.frame(share)
    cells = values.select(pl.col("^judged_wireless_(channel|collision)$"))
    expected = cells["judged_wireless_channel"] / (cells.sum_horizontal().cast(pl.Float64))
    np.testing.assert_allclose(values[share].fill_nan(None).drop_nulls(), expected.drop_nans())


def test_a_finite_transfer_has_a_completion_time() -> None:
    app = {"kind": "transfer", "size": "100 kB"}
    flow = airhop.run(SHORT.with_({"flow.ftp.app": app})).flows.row(0, named=True)
    assert 0 < flow["completion_s"] < 10
    table = airhop.sweep(SHORT.with_({"flow.ftp.app": app}), {"scheme": ["reno"]}, reps=1)
    assert table.frame()["completion_s"].to_list() == [flow["completion_s"]]
    assert table.flows()["completion_s"].to_list() == [flow["completion_s"]]


def cells(line: str) -> list[str]:
    return re.split(r"\s{2,}", line.strip())


def test_run_prints_the_confusion_matrix(capsys: pytest.CaptureFixture[str]) -> None:
    main_ends(["run", "last-hop", "--scheme", "ll-elsn", "--set", "duration=20 s"])
    lines = capsys.readouterr().out.splitlines()
    counted = airhop.run(SHORT.with_({"duration": "20 s", FER: 0.01}), scheme="ll-elsn").judgements
    row = next(line for line in lines if "wireless" in line)
    wanted = [f"{counted.count('wireless', cause):,}" for cause in CAUSES]
    assert [word for word in row.split() if word != "ll-elsn"][1:6] == wanted


def test_compare_prints_shares_of_right_classifications_with_intervals(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["compare", "last-hop", "reno", "ll-elsn", "--reps", "4", "--set", "duration=20 s"]
    main_ends(words)
    lines = capsys.readouterr().out.splitlines()
    start = next(i for i, line in enumerate(lines) if "classified" in line)
    main_ends([*words, "--json"])
    schemes = {row["scheme"]: row for row in json.loads(capsys.readouterr().out)["schemes"]}
    reno = next(line for line in lines[start:] if "reno" in line)
    channel = schemes["reno"]["judgements"]["congestion"]["channel"]
    total = sum(sum(row.values()) for row in schemes["reno"]["judgements"].values())
    assert f"{100 * channel / total:.0f}" in cells(reno)
    assert schemes["ll-elsn"]["judged_right"]["low"] > 0.9
    right = schemes["ll-elsn"]["judged_right"]
    assert percent_interval(Ratio(**right, n=4)) in "\n".join(lines[start:])


def main_ends(words: list[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 0


def test_reproduce_prints_the_share_of_right_classifications_of_every_curve() -> None:
    outcome = synthetic.four_schemes(FIG6)
    for width in (80, 40):
        console = Console(width=width, record=True)
        shown = judged_right(outcome, width)
        assert shown is not None
        console.print(shown)
        lines = console.export_text().splitlines()
        assert max(map(len, lines)) <= width
        text = "\n".join(lines)
        assert text.splitlines()[0].split()[-2:] == ["9", "%"], "the last x is shown at any width"
        # 10 to 14 of 50 losses are in the queue. LL-ELSN misclassifies five: four segments that were not
        # lost, and one loss.
        assert re.search(r"Reno .*24 ± 4$", text, re.MULTILINE)
        assert re.search(r"LL-ELSN .*90 ± 0$", text, re.MULTILINE)


def test_the_report_has_a_confusion_matrix_per_scheme() -> None:
    chapter = chapter_of_outcome(synthetic.four_schemes(FIG6), trace=False)
    found = matrices(chapter)
    assert found is not None
    assert found.judged == ("congestion", "wireless")
    assert found.causes == ("queue", "channel", "collision", "none"), "no AQM dropped anything"
    assert [matrix.label for matrix in found.shown] == ["Reno", "SACK", "Snoop", "LL-ELSN"]
    reno, ll_elsn = found.shown[0], found.shown[-1]
    assert reno.cell("congestion", "channel") == {
        "text": "50", "title": "125 of 250 losses", "share": "0.500", "right": "",
    }  # fmt: skip
    assert ll_elsn.cell("wireless", "channel")["right"] == "right"
    assert ll_elsn.summary.startswith("90 ")
    # The columns have the points in their order.
    assert len(found.data["right"]) == len(chapter.cells["goodput_mbps"])
    assert found.data["counts"]["congestion:none"][0] == 20
    page = render([chapter])
    assert page.count('class="matrix"') == 4
    assert '<a href="#study-yun2009-fig6-causes">' in page


def test_a_report_chapter_without_losses_has_no_confusion_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthetic_study, "judged", lambda _scheme, _rep: {})
    chapter = Chapter.of_table(synthetic_study.study("still"), trace=False)  # type: ignore[arg-type]
    assert matrices(chapter) is None
    assert 'class="matrix"' not in render([chapter])


def test_drawn_confusion_matrices_contain_the_shares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Any] = []
    monkeypatch.setattr(confusion, "write", lambda figure, *_: kept.append(figure))
    table = synthetic_study.study("small", schemes=("reno", "ll-elsn"), delay=(1, 2))
    plots.draw_confusion(table, tmp_path / "x", at={"delay": 1}, labels={"reno": "Reno"})  # type: ignore[arg-type]
    reno, ll_elsn = kept[0].axes
    assert reno.get_title(loc="left") == "Reno: 24 (20–28) %"
    # Rows congestion and wireless; columns queue, channel, collision, not lost.
    assert {(int(t.get_position()[0]), int(t.get_position()[1])): t.get_text() for t in ll_elsn.texts} == {
        (0, 0): "24", (2, 0): "2.0", (1, 1): "50", (2, 1): "16", (3, 1): "8.0",
    }  # fmt: skip
    heads = [label.get_text() for label in ll_elsn.get_xticklabels()]
    assert heads == ["queue", "channel", "collision", "not lost"]
    told = "Beside names: correct classifications; delay = 1; each frame sent once (attempts = 1)"
    assert kept[0].get_supxlabel().split() == told.split()


def test_no_confusion_matrix_is_drawn_without_losses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthetic_study, "judged", lambda _scheme, _rep: {})
    table = synthetic_study.study("still", schemes=("reno", "sack"), delay=(1, 2))
    assert plots.draw_confusion(table, tmp_path / "x") == []  # type: ignore[arg-type]
