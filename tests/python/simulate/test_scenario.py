"""Scenarios load from names, files and tables; a change makes a copy; bad scenarios are refused."""

import os
import threading
import tomllib
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from airhop import InputError, Scenario, ScenarioError
from airhop.scenario import packaged, toml_literal


@pytest.mark.parametrize("name", sorted(packaged()))
def test_a_packaged_scenario_loads_by_its_file_name(name: str) -> None:
    scenario = Scenario.load(name)
    assert scenario.name == name
    assert scenario.tcp_flows()


def test_file_dict_and_name_load_as_equal_scenarios(tmp_path: Path) -> None:
    by_name = Scenario.load("last-hop")
    file = tmp_path / "mine.toml"
    file.write_text(packaged()["last-hop"], encoding="utf-8")
    assert Scenario.load(file) == by_name
    assert Scenario.load(str(file)) == by_name
    assert Scenario.load(tomllib.loads(packaged()["last-hop"])) == by_name
    assert Scenario.load(by_name.to_dict()) == by_name


def test_an_effective_scenario_reads_back_unchanged(tmp_path: Path) -> None:
    scenario = Scenario.load("yun2009-downlink")
    file = tmp_path / "effective.toml"
    file.write_text(scenario.toml(), encoding="utf-8")
    assert Scenario.load(file) == scenario


def test_a_changed_copy_leaves_the_original_scenario_unchanged() -> None:
    scenario = Scenario.load("last-hop")
    changed = scenario.with_({"wlan.cell.errors.fer": 0.02, "duration": "5 s"})
    assert changed.duration_s == 5.0
    assert scenario.duration_s == 200.0
    assert changed != scenario
    assert changed.with_({"wlan.cell.errors.fer": 0.01, "duration": "200 s"}) == scenario


def test_strings_and_python_values_set_the_same_value() -> None:
    scenario = Scenario.load("last-hop")
    by_text = Scenario.load("last-hop", sets=["wlan.cell.errors.fer=0.02", "duration=5 s", "scheme=sack"])
    assert scenario.with_({"wlan.cell.errors.fer": 0.02, "duration": "5 s", "scheme": "sack"}) == by_text


def test_the_last_change_of_a_scheme_applies() -> None:
    scenario = Scenario.load("last-hop")
    sack = scenario.with_({"flow.ftp.scheme": "sack"})
    assert scenario.with_({"scheme": "sack"}) == sack
    assert scenario.with_({"flow.ftp.scheme": "tahoe"}).with_({"scheme": "sack"}) == sack
    assert scenario.with_({"scheme": "tahoe"}).with_({"flow.ftp.scheme": "sack"}) == sack
    assert scenario.with_({"scheme": "tahoe", "flow.ftp.scheme": "sack"}) == sack


def test_an_unknown_scenario_is_refused_with_a_suggestion() -> None:
    with pytest.raises(InputError, match="Did you mean `last-hop`"):
        Scenario.load("lasthop")
    with pytest.raises(InputError, match=r"no file nowhere/last_hop\.toml\. Did you mean `last-hop`"):
        Scenario.load("nowhere/last_hop.toml")


def test_a_key_in_a_table_that_the_file_omits_can_be_set() -> None:
    bare = tomllib.loads(packaged()["last-hop"])
    for link in bare["wired"]:
        del link["queue"]
    changed = Scenario.load(bare).with_({"wired.w1.queue.packets": 7}).to_dict()
    assert changed["wired"][0]["queue"] == {"kind": "drop-tail", "packets": 7}
    del bare["wlan"][0]["errors"]
    with pytest.raises(ScenarioError, match='kind "bernoulli" has it'):
        Scenario.load(bare).with_({"wlan.cell.errors.fer": 0.1})


def test_a_scenario_can_be_read_from_a_named_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(packaged()["last-hop"],), daemon=True)
    writer.start()
    assert Scenario.load(str(pipe)) == Scenario.load("last-hop")
    writer.join()


def test_a_folder_of_the_same_name_does_not_hide_a_packaged_scenario(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "last-hop").mkdir()
    monkeypatch.chdir(tmp_path)
    assert Scenario.load("last-hop").name == "last-hop"


def test_messages_about_bad_scenarios_name_the_error(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="newreno"):
        Scenario.load("last-hop").with_({"scheme": "newrno"})
    with pytest.raises(InputError, match="PATH=VALUE"):
        Scenario.load("last-hop", sets=["duration"])
    with pytest.raises(InputError, match="cannot read"):
        Scenario.load(tmp_path)
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b'name = "caf\xe9"')
    with pytest.raises(InputError, match="byte 11 is not UTF-8"):
        Scenario.load(latin)
    for no_path in ("x" * 5000, "a\0b", ""):
        with pytest.raises(InputError, match="there is no scenario"):
            Scenario.load(no_path)
    with pytest.raises(InputError, match="is a folder"):
        Scenario.load(str(tmp_path))
    with pytest.raises(InputError, match="not None"):
        Scenario.load("last-hop").with_({"duration": None})


def _deep(levels: int) -> list[object]:
    value: list[object] = []
    for _ in range(levels):
        value = [value]
    return value


CYCLE: list[object] = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    "value",
    [{1, 2}, b"reno", object(), date(2026, 1, 1), "\ud800", CYCLE, _deep(100_000), _deep(500), {"a": b""}],
    ids=["set", "bytes", "object", "date", "half a character", "cycle", "deep", "less deep", "inside"],
)
def test_strings_that_no_file_can_contain_are_refused(value: object) -> None:
    """Any object passed as a value raises only documented errors."""
    table = tomllib.loads(packaged()["last-hop"])
    table["flow"][0]["scheme"] = value
    last_hop = Scenario.load("last-hop")
    with pytest.raises((InputError, ScenarioError)) as loaded:
        Scenario.load(table)
    with pytest.raises((InputError, ScenarioError)) as changed:
        last_hop.with_({"flow.ftp.scheme": value})
    for refusal in (loaded, changed):
        assert len(str(refusal.value).encode()) < 2500


def test_surrogates_in_paths_and_names_are_refused() -> None:
    with pytest.raises(InputError, match="expected a text"):
        Scenario.load("last-hop").with_({"flow.\ud800.scheme": "reno"})
    with pytest.raises(InputError, match="there is no scenario"):
        Scenario.load("\ud800")


def test_device_files_and_endless_files_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="cannot read /dev/zero: it is not a file"):
        Scenario.load("/dev/zero")
    monkeypatch.setattr("airhop.files.LONGEST", 100)
    long = tmp_path / "long.toml"
    long.write_text(packaged()["last-hop"], encoding="utf-8")
    with pytest.raises(InputError, match=r"long\.toml: it has more than 100 bytes; a scenario is short"):
        Scenario.load(long)


def test_messages_contain_no_control_characters_and_are_shortened() -> None:
    """Quoted text may be untrusted: no control sequence reaches a terminal, and long text is shortened."""
    error = InputError("\x1b[2J\x07\u202e\ud800" + "x" * 5000 + "\n" + "y" * 5000)
    text = str(error)
    assert text.startswith(r"\x1b[2J\x07\u202e\ud800xxx")
    assert [len(line) < 1100 for line in text.splitlines()] == [True, True]
    assert str(InputError(text)) == text, "a message that is escaped again stays unchanged"


json_values = st.recursive(
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=8,
)


@given(json_values)
def test_a_toml_literal_reads_back_as_the_same_value(value: object) -> None:
    assert tomllib.loads(f"x = {toml_literal(value)}")["x"] == value


def test_numbers_of_numpy_are_accepted_as_values() -> None:
    assert toml_literal(np.float64(0.1)) == "0.1"
    assert toml_literal(np.int64(3)) == "3"
