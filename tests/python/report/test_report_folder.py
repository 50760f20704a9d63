"""`airhop report DIR`: the report contains exactly the studies of the folder."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import airhop
import synthetic
from airhop.cli import main
from airhop.errors import InputError
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIG6
from airhop.plots.paper import FORMATS
from airhop.progress import LineReporter, Reporter
from airhop.report import Chapter
from airhop.report.folder import _by_number, chapters_in, report_folder
from airhop.report.pack import MOST_LINES, excerpt
from airhop.simulate import Job
from airhop.store import Store
from airhop.study import Axis, Study, run_in
from airhop.study.manifest import load_manifests, manifest_path, save_manifest, study_folder


def make_study(folder: Path, name: str) -> None:
    """Run two schemes at two error rates, for two simulated seconds."""
    scenario = airhop.Scenario.load("last-hop").with_({"duration": "2 s"})
    axes = (Axis.of("wlan.cell.errors.fer", [0.01, 0.1]), Axis.of("scheme", ["reno", "sack"]))
    run_in(Study(name, scenario, axes, reps=3), folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("report")
    make_study(made, "mine/own")
    return made


def test_the_report_and_the_printed_figures_are_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["report", str(folder)])
    assert ended.value.code == 0
    printed = capsys.readouterr()
    files = [folder / "report.html"] + [
        folder / "mine" / "own" / f"{stem}.{kind}"
        for stem in ("goodput", "distribution", "difference", "confusion")
        for kind in FORMATS
    ]
    files.append(folder / "mine" / "own" / "cells.csv")
    assert printed.out.splitlines() == [str(path) for path in files]
    assert all(path.stat().st_size > 0 for path in files)
    assert (folder / "report.html").as_uri() in printed.err


def test_the_packets_of_a_selected_flow_are_shown(tmp_path: Path) -> None:
    from airhop.report.folder import _with_flow

    text = airhop.Scenario.load("yun2009-downlink").with_({"duration": "2 s", "copies": 2})
    run_in(Study("two", text, (Axis.of("scheme", ["reno"]),), reps=1), tmp_path)
    (chapter,) = chapters_in(tmp_path)
    assert isinstance(chapter, Chapter)
    first, second = chapter.runs[0].names
    (shown,) = _with_flow([chapter], second)
    assert isinstance(shown, Chapter)
    assert (chapter.runs[0].flow["name"], shown.runs[0].flow["name"]) == (first, second)
    assert set(shown.runs[0].table("segments")["flow"]) == {second}
    with pytest.raises(
        InputError, match=f"no run in this report has a TCP flow `ftp`.* There are: {first}, "
    ):
        report_folder(tmp_path, flow="ftp")


def test_a_report_can_be_written_to_another_folder(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "page.html"
    assert report_folder(folder, out)[0] == out
    assert out.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_report_in_another_folder_needs_no_write_access_to_the_store(tmp_path: Path) -> None:
    """A message reports that the printed figures cannot be written into the folder of the rows."""
    make_study(tmp_path, "taken")
    (tmp_path / "taken").write_text("in the way, for root may write everywhere", encoding="utf-8")
    out, said = tmp_path / "page.html", io.StringIO()
    assert report_folder(tmp_path, out, LineReporter(said)) == [out]
    assert "no figures for print and no cells.csv: cannot write into" in said.getvalue()
    with pytest.raises(InputError, match="cannot write into"):
        report_folder(tmp_path)


def test_commands_in_the_report_repeat_the_same_runs(folder: Path) -> None:
    # The command line accepts the printed command; the row and the run are equal.
    (chapter,) = chapters_in(folder)
    assert isinstance(chapter, Chapter)
    point = chapter.table.study.points()[3]
    again = airhop.run(point.scenario, seed=1, rep=2)
    frame = chapter.frame
    row = frame.filter(
        (frame["scheme"] == point.scheme)
        & (frame["wlan.cell.errors.fer"] == point.values["wlan.cell.errors.fer"])
        & (frame["rep"] == 2)
    )
    assert row["fingerprint"].to_list() == [again.fingerprint]


def test_the_report_of_a_folder_has_the_claims_of_its_experiments(tmp_path: Path) -> None:
    experiment = FIG6
    study = experiment.study("quick")
    with Store.open(tmp_path) as store:
        for point in study.points():
            for rep in range(study.most_reps):
                run = json.dumps(synthetic.run_document(point.scheme, 1.0 + 0.1 * rep, rep))
                store.add(Job(point.scenario, study.seed, rep), run, point.values)
        store.save()
    save_manifest(study, tmp_path)
    (chapter,) = chapters_in(tmp_path)
    assert isinstance(chapter, Chapter) and chapter.paper is not None
    assert {checked.claim.id for checked in chapter.paper.claims} == {claim.id for claim in experiment.claims}
    assert [run.scheme for run in chapter.runs] == list(experiment.labels)


NAMES = ["a/b", "a-b", "a%2Fb", ".", "..", "a//b", "a/./b", "report.html", "runs", "studies"]
NAMES += ["x" * 300, "x" * 299 + "y"]


def test_studies_with_similar_names_have_separate_files(tmp_path: Path) -> None:
    """Names are free text: files of two studies, of the store and of the report never have the same name."""
    manifests = [manifest_path(tmp_path, name) for name in NAMES]
    assert len(set(manifests)) == len(NAMES)
    assert all(path.parent == tmp_path / "studies" for path in manifests)
    folders = [study_folder("", name) for name in NAMES]
    assert len(set(folders)) == len(NAMES)
    taken = {"", ".", "..", "report.html", "runs", "studies"}
    assert not taken & {part for path in folders for part in (path.parts[0], *path.parts)}
    kept = ("yun2009/fig6", "v1.2 é")
    assert [study_folder("", name) for name in kept] == [Path(name) for name in kept]


def test_studies_of_any_name_are_reported_side_by_side(tmp_path: Path) -> None:
    for name in ("a/b", "a-b", "..", "report.html"):
        make_study(tmp_path, name)
    files = report_folder(tmp_path)
    assert sorted(chapter.name for chapter in chapters_in(tmp_path)) == ["..", "a-b", "a/b", "report.html"]
    assert {path.parent for path in files[1:]} == {
        tmp_path / place for place in ("a/b", "a-b", "%2E.", "%report.html")
    }
    assert (tmp_path / "report.html").is_file()


def test_a_manifest_with_the_older_file_name_is_replaced(tmp_path: Path) -> None:
    make_study(tmp_path, "mine/own")
    new = manifest_path(tmp_path, "mine/own")
    new.rename(new.with_name("mine-own.json"))
    assert [study.name for study in load_manifests(tmp_path)] == ["mine/own"]
    make_study(tmp_path, "mine/own")
    assert [study.name for study in load_manifests(tmp_path)] == ["mine/own"]


def test_an_empty_folder_is_reported_with_a_command(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="airhop sweep"):
        report_folder(tmp_path)


def test_a_study_without_runs_is_left_out_with_a_message(tmp_path: Path) -> None:
    make_study(tmp_path, "kept")
    make_study(tmp_path, "gone")
    manifest = tmp_path / "studies" / "gone.json"
    manifest.write_text(
        manifest.read_text(encoding="utf-8").replace('"seed": 1', '"seed": 2'), encoding="utf-8"
    )
    said: list[str] = []

    class Listener(Reporter):
        def say(self, text: str) -> None:
            said.append(text)

    assert [chapter.name for chapter in chapters_in(tmp_path, Listener())] == ["kept"]
    assert len(said) == 1
    assert said[0].startswith("gone: omitted, because")


def test_chapters_are_in_the_order_of_their_numbers() -> None:
    assert sorted(["a/fig10", "a/fig9", "a/fig9b", "a/fig1"], key=_by_number) == [
        "a/fig1",
        "a/fig9",
        "a/fig9b",
        "a/fig10",
    ]


def test_an_interrupted_report_keeps_the_earlier_report(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After Ctrl-C or a full disk during the write, the former report is still complete."""
    out = tmp_path / "report.html"
    out.write_text("the one before", encoding="utf-8")
    write = Path.write_text

    def half(path: Path, text: str, **options: str) -> int:
        write(path, text[: len(text) // 2], **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_text", half)
    with pytest.raises(KeyboardInterrupt):
        report_folder(folder, out)
    assert out.read_text(encoding="utf-8") == "the one before"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_symbolic_link_at_the_reports_path_is_replaced_not_followed(folder: Path, tmp_path: Path) -> None:
    """A folder made by another user cannot cause another file to be overwritten."""
    mine = tmp_path / "mine"
    mine.write_text("mine", encoding="utf-8")
    place = tmp_path / "theirs"
    place.mkdir()
    out = place / "report.html"
    out.symlink_to(mine)
    report_folder(folder, out)
    assert mine.read_text(encoding="utf-8") == "mine"
    assert out.is_file() and not out.is_symlink()


def test_a_folder_at_the_reports_path_is_reported(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(InputError, match="cannot write"):
        report_folder(folder, tmp_path / "taken")


def test_a_report_has_the_first_lines_of_a_long_scenario() -> None:
    """A scenario of 10,000 flows has 70 MB of text, too much for a page."""
    lines = [f"line {number}" for number in range(MOST_LINES + 7)]
    assert excerpt("\n".join(lines[:MOST_LINES])).splitlines() == lines[:MOST_LINES]
    assert excerpt("\n".join(lines)).splitlines() == [*lines[:MOST_LINES], "# … and 7 more lines"]
