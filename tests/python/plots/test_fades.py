"""Fades are saved, played back, and identified by the content of their file."""

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import airhop
from airhop import Scenario, ScenarioError
from airhop.cli import main

FADING: dict[str, Any] = {
    "name": "air",
    "duration": "200 s",
    "wired": [
        {
            "name": "air",
            "ends": ["bs", "m"],
            "rate": "19.2 kbit/s",
            "delay": "10 ms",
            "errors": {
                "kind": "two-state",
                "sojourn": "uniform",
                "good": "10 s",
                "bad": "4 s",
                "ber_good": 1e-6,
                "ber_bad": 1e-2,
            },
        }
    ],
    "flow": [{"name": "ftp", "from": "bs", "to": "m", "scheme": "reno"}],
}
RECORDED = {"kind": "recorded", "file": "fades.csv", "ber_good": 1e-6, "ber_bad": 1e-2}
FADES = "begin_s,end_s\n1,2\n"


def recorded(**changes: Any) -> dict[str, Any]:
    (link,) = FADING["wired"]
    return FADING | {"wired": [link | {"errors": RECORDED | changes}]}


def toml(document: dict[str, Any]) -> str:
    """Write the scenario of these tests as a file: tables of a list by their names, others inline."""
    lines = [f"{key} = {json.dumps(document[key])}" for key in ("name", "duration")]
    for name in ("wired", "flow"):
        for table in document[name]:
            lines.append(f"[[{name}]]")
            for key, value in table.items():
                inline = re.sub(r'"(\w+)": ', r"\1 = ", json.dumps(value))
                lines.append(f"{key} = {inline}")
    return "\n".join(lines) + "\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Create a folder with a scenario, and with the file of its recorded channel."""
    (tmp_path / "fades.csv").write_text(FADES)
    (tmp_path / "air.toml").write_text(toml(recorded()))
    return tmp_path


def test_a_run_on_saved_fades_equals_the_original_run(tmp_path: Path) -> None:
    """The saved fades are exact to the nanosecond, so that all events of the two runs are equal."""
    drawn = Scenario.load(FADING)
    for seed in (1, 2):
        (text,) = drawn.fades(seed=seed, rep=3).values()
        file = tmp_path / f"{seed}.csv"
        file.write_text(text)
        played = Scenario.load(recorded(file=str(file)))
        before, after = (airhop.run(s, seed=seed, rep=3, trace=True) for s in (drawn, played))
        assert after.tables["fades"].equals(before.tables["fades"])
        assert after.document["fingerprint"] == before.document["fingerprint"]


def test_the_file_of_fades_has_the_bad_intervals_of_the_trace(tmp_path: Path) -> None:
    (text,) = Scenario.load(FADING).fades(seed=5).values()
    assert text.startswith("# period_s = 200.000000000\n")
    (tmp_path / "air.csv").write_text(text)
    saved = pl.read_csv(tmp_path / "air.csv", comment_prefix="#")
    fades = airhop.run(Scenario.load(FADING), seed=5, trace=True).tables["fades"]
    for place in ("bs->m", "m->bs"):
        met = fades.filter(pl.col("place") == place).select("begin_s", "end_s")
        assert met.equals(saved)
    assert 20 < (saved["end_s"] - saved["begin_s"]).sum() < 100  # 57 s in the mean


def test_fades_differ_between_replications_and_are_equal_for_all_schemes() -> None:
    drawn = Scenario.load(FADING)
    assert drawn.fades(rep=0) != drawn.fades(rep=1)
    assert drawn.fades(seed=1) != drawn.fades(seed=2)
    assert drawn.with_({"scheme": "vegas"}).fades() == drawn.fades()


def test_directions_with_different_errors_have_separate_fade_files() -> None:
    cell = {"kind": "two-state", "good": "1 s", "bad": "1 s", "fer_good": 0, "fer_bad": 1}
    both = Scenario.load("last-hop").with_({"wlan.cell.errors": cell})
    assert list(both.fades()) == ["cell"]
    longer = cell | {"good": "2 s", "direction": "d->bs"}
    each = Scenario.load("last-hop").with_({"wlan.cell.errors": [cell, longer]}).fades()
    assert list(each) == ["cell.bs.d", "cell.d.bs"]
    assert each["cell.bs.d"] == both.fades()["cell"] != each["cell.d.bs"]


def test_the_fades_command_writes_a_file_for_each_link(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = tmp_path / "air.toml"
    scenario.write_text(toml(FADING))
    out = tmp_path / "saved"
    with pytest.raises(SystemExit) as done:
        main(["fades", str(scenario), "--out", str(out), "--seed", "7", "--rep", "2", "--until", "1000 s"])
    assert done.value.code == 0
    assert [file.name for file in out.iterdir()] == ["air.csv"]
    assert (out / "air.csv").read_text() == Scenario.load(FADING).fades(seed=7, rep=2, until="1000 s")["air"]
    assert "air.csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["last-hop"], "no link of `last-hop` has fades"),
        (["air.toml", "--until", "5"], "until: expected a duration with a unit"),
        (["air.toml", "--until", "0 s"], "until: expected a duration over 0 s"),
    ],
)
def test_the_fades_command_reports_errors_with_exit_code_2(
    words: list[str],
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("air.toml").write_text(toml(FADING))
    with pytest.raises(SystemExit) as done:
        main(["fades", *words, "--out", "saved"])
    assert done.value.code == 2
    assert why in capsys.readouterr().err
    assert not Path("saved").exists()


def test_fade_files_are_found_beside_the_scenario_or_in_the_working_directory(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = Scenario.load(folder / "air.toml")
    assert beside.to_dict()["wired"][0]["errors"]["file"] == str(folder / "fades.csv")
    with pytest.raises(ScenarioError, match=r"errors\.file: there is no file .*/fades\.csv"):
        Scenario.load(recorded())
    monkeypatch.chdir(folder)
    assert Scenario.load(recorded()).digest == beside.digest
    # A relative path of the scenario is also a path.
    assert Scenario.load("air.toml").to_dict() == beside.to_dict()


def test_a_scenario_with_recorded_fades_reads_back_from_another_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    loaded = Scenario.load("air.toml")
    monkeypatch.chdir("/")
    for again in (
        Scenario.load(loaded.to_dict()),
        Scenario.from_recipe(json.loads(json.dumps(loaded.recipe()))),
        loaded.with_({"duration": "200 s"}),
    ):
        assert again.digest == loaded.digest


def test_a_changed_fade_file_changes_the_digest_of_the_scenario(folder: Path) -> None:
    before = Scenario.load(folder / "air.toml")
    effective = before.to_dict()
    (folder / "fades.csv").write_text(FADES.replace("2", "3"))
    assert Scenario.load(folder / "air.toml").digest != before.digest
    # The data for a worker on another machine contain the digest of the file.
    with pytest.raises(ScenarioError, match=re.escape(str(folder / "fades.csv"))):
        Scenario.load(effective)
    (folder / "fades.csv").unlink()
    with pytest.raises(ScenarioError, match="there is no file"):
        Scenario.load(effective)


def test_a_moved_scenario_keeps_its_digest(folder: Path) -> None:
    before = Scenario.load(folder / "air.toml").digest
    moved = folder / "elsewhere"
    moved.mkdir()
    for file in ("air.toml", "fades.csv"):
        (folder / file).rename(moved / file)
    assert Scenario.load(moved / "air.toml").digest == before


def test_a_bad_row_of_a_fade_file_is_reported_with_its_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "fades.csv").write_text("begin_s,end_s\n5,4\n")
    with pytest.raises(SystemExit) as done:
        main(["run", str(folder / "air.toml")])
    assert done.value.code == 2
    error = capsys.readouterr().err
    assert f"{folder / 'fades.csv'}:2: expected an end after the start" in error


def test_a_recorded_link_has_the_rate_of_its_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two IP packets of 1500 B in 100 ms: 240 kbit/s, of which 1460 in 1500 B are payload."""
    (tmp_path / "lte.trace").write_text("50\n100\n")
    (link,) = recorded()["wired"]
    del link["rate"], link["errors"]
    monkeypatch.chdir(tmp_path)
    paced = Scenario.load(FADING | {"wired": [link | {"deliveries": "lte.trace"}]})
    assert paced.to_dict()["wired"][0]["deliveries"] == str(tmp_path / "lte.trace")
    # less than the capacity of the queue, so that no packet is lost
    window = {"preset": "ns2", "receive_window": "29200 B"}
    fast = paced.with_({"flow.ftp.segment": "1460 B", "flow.ftp.tcp": window})
    assert airhop.run(fast).goodput_mbps == pytest.approx(0.24 * 1460 / 1500, rel=0.01)
    (tmp_path / "lte.trace").write_text("50\n40\n")
    with pytest.raises(ScenarioError, match=r"lte\.trace:2: expected a time not before"):
        Scenario.load(paced.written())
