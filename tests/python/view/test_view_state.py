"""States of `airhop view` can be shared: a state is also a study and a command, and opens as a page."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from airhop import InputError, Scenario, ScenarioError, run_many
from airhop.cli import main
from airhop.scenario import packaged, toml_literal
from airhop.study.file import read
from airhop.view.shown import Shown
from airhop.view.state import OPENING_DURATION_S, OPENING_REPS, State

MOVED = {"wlan.cell.errors.fer": 0.03, "wired.all.delay": "20 ms", "duration": "2 s"}


def moved() -> State:
    """Return a state that differs in every value from the initial state of the page."""
    opened = State.of("last-hop").with_sets(MOVED)
    shown = Shown(rep=2, of="flow ftp")
    return State(opened.base, opened.source, opened.sets, ("sack", "reno"), seed=7, reps=3, shown=shown)


def alike(a: State, b: State) -> bool:
    """Return whether two states have equal runs in equal order."""
    ids = [[job.run_id for job in state.jobs().values()] for state in (a, b)]
    return ids[0] == ids[1] and list(a.jobs()) == list(b.jobs()) and a.shown == b.shown


def test_a_packaged_scenario_opens_with_a_shorter_duration() -> None:
    opened = State.of("last-hop")
    assert opened.scenario.duration_s == OPENING_DURATION_S
    assert (opened.schemes, opened.reps) == (("reno",), OPENING_REPS), "a mean has an interval from the start"
    # A shorter scenario keeps its duration.
    short = Scenario.load("last-hop").with_({"duration": "3 s"})
    assert State.uploaded(short.toml(), "short.toml").scenario == short


def test_a_file_opens_with_its_own_schemes(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    mine = Scenario.load("last-hop").with_({"flow.ftp.scheme": {"name": "eln-cubic", "n": 3}})
    file.write_text(mine.toml(), encoding="utf-8")
    assert State.of(str(file)).schemes == ("eln-cubic",)
    assert State.uploaded(f"scenario = {toml_literal(mine.to_dict())}", "study.toml").schemes == (
        "eln-cubic",
    )


@pytest.mark.parametrize("name", packaged())
def test_every_packaged_scenario_opens(name: str) -> None:
    if Scenario.load(name).tcp_flows():
        assert State.of(name).scenario.tcp_flows()


def test_a_saved_state_opens_again(tmp_path: Path) -> None:
    state = moved()
    file = tmp_path / "state.toml"
    file.write_text(state.to_toml(), encoding="utf-8")
    assert alike(State.of(str(file)), state)
    assert alike(State.uploaded(state.to_toml(), "state.toml"), state)


def test_a_saved_state_can_be_run_as_a_study(tmp_path: Path) -> None:
    state = moved()
    file = tmp_path / "state.toml"
    file.write_text(state.to_toml(), encoding="utf-8")
    study = read(file)
    assert [point.scheme for point in study.points()] == list(state.schemes)
    assert (study.seed, study.reps) == (state.seed, state.reps)
    first = [job for (_, rep), job in state.jobs().items() if rep == 0]
    assert [point.scenario for point in study.points()] == [job.scenario for job in first]


def test_a_saved_state_can_be_opened_without_its_scenario_file(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(packaged()["yun2009-downlink"], encoding="utf-8")
    state = replace(State.of(str(own)).with_sets({**MOVED, "copies": 3}), schemes=("reno", "sack"))
    text = state.to_toml()
    assert str(tmp_path) not in text
    own.unlink()
    assert alike(State.uploaded(text, "state.toml"), state)
    saved = tmp_path / "state.toml"
    saved.write_text(text, encoding="utf-8")
    assert [point.scenario.tcp_flows() for point in read(saved).points()] == [state.scenario.tcp_flows()] * 2
    assert len(state.scenario.tcp_flows()) == 3


def test_the_command_of_a_page_repeats_its_runs(capsys: pytest.CaptureFixture[str]) -> None:
    state = moved()
    program, *words = shlex.split(state.command())
    assert program == "airhop"
    with pytest.raises(SystemExit) as end:
        main([*words, "--json"])
    assert end.value.code == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    ours = {run.fingerprint for run in run_many(list(state.jobs().values()))}
    assert {run["fingerprint"] for run in runs} == ours and len(runs) == 6


def test_a_study_with_axes_opens_at_its_scenario() -> None:
    text = 'scenario = "last-hop"\nreps = 100\n[vary]\nscheme = ["sack"]\n"wlan.cell.attempts" = [1, 2]\n'
    state = State.from_toml(text, "fer.toml")
    assert (state.schemes, state.scenario) == (("sack",), Scenario.load("last-hop"))
    assert state.reps == 20, "more models would make every move of a slider slow"


def test_an_uploaded_state_reads_no_files_and_runs_no_code(tmp_path: Path) -> None:
    # An untrusted file must neither read data of this machine nor change it.
    secret = tmp_path / "secret.toml"
    secret.write_text("password = 'x'\n", encoding="utf-8")
    ran = tmp_path / "ran"
    plugin = tmp_path / "plugin.py"
    plugin.write_text(f"open({str(ran)!r}, 'w')\n", encoding="utf-8")
    with pytest.raises(InputError, match="opens no files") as refusal:
        State.uploaded(f"scenario = {str(secret)!r}\n", "theirs.toml")
    assert "password" not in str(refusal.value)
    State.uploaded(f"scenario = 'last-hop'\nplugins = [{str(plugin)!r}]\n", "theirs.toml")
    assert not ran.exists()


def _received(secret: Path) -> dict[str, str]:
    """Return texts that could let the page read a file, by the key with the file name."""
    recorded = f"{{ kind = 'recorded', file = {str(secret)!r}, ber_good = 0, ber_bad = 0.1 }}"
    wlan = '[[wlan]]\nname = "c"\nstandard = "802.11b"\nstations = { s = [0, 0], d = [9, 0] }\n'
    wire = '[[wired]]\nname = "w"\nends = ["s", "d"]\ndelay = "1 ms"\n'
    head = 'name = "theirs"\nduration = "1 s"\n'
    flow = '[[flow]]\nname = "ftp"\nfrom = "s"\nto = "d"\nscheme = "reno"\n'
    study = "scenario = 'last-hop'\n"
    table = (
        "[scenario]\nname = 't'\nduration = '1 s'\n[[scenario.flow]]\nname = 'f'\nfrom = 's'\nto = 'd'\n"
        f"scheme = 'reno'\n[[scenario.wired]]\nname = 'w'\nends = ['s', 'd']\nrate = '1 Mbit/s'\n"
        f"delay = '1 ms'\nerrors = {recorded}\n"
    )
    return {
        "wlan.c.errors.file": f"{head}{wlan}errors = {recorded}\n{flow}",
        "wired.w.deliveries": f"{head}{wire}deliveries = {str(secret)!r}\n{flow}",
        "wired.w.errors.file": table,
        "wlan.cell.errors": f"{study}[set]\n'wlan.cell.errors' = {recorded}\n",
        "wired.w1.deliveries": f"{study}[set]\nwired.w1.deliveries = {str(secret)!r}\n",
    }


@pytest.mark.parametrize(
    "key",
    [
        "wlan.c.errors.file",
        "wired.w.deliveries",
        "wired.w.errors.file",
        "wlan.cell.errors",
        "wired.w1.deliveries",
    ],
)
def test_no_key_of_an_uploaded_text_reads_a_file(tmp_path: Path, key: str) -> None:
    """A message about a file may contain a line of it, such as the first line if it is no header."""
    for secret in (tmp_path / "secret.txt", tmp_path / "nothing.txt"):
        text = _received(secret)[key]
        (tmp_path / "secret.txt").write_text("CANARY\n", encoding="utf-8")
        with pytest.raises((InputError, ScenarioError)) as refusal:
            State.uploaded(text, "theirs.toml")
        said = str(refusal.value)
        assert key in said and "no file is read for a scenario from the web page" in said
        assert "CANARY" not in said and "there is no file" not in said


def test_values_that_are_changed_in_the_page_read_no_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("CANARY\n", encoding="utf-8")
    errors = {"kind": "recorded", "file": str(secret), "ber_good": 0, "ber_bad": 0.1}
    for state in (State.of_packaged("last-hop"), State.uploaded("scenario = 'last-hop'\n", "theirs.toml")):
        with pytest.raises(ScenarioError, match="no file is read"):
            state.with_sets({"wlan.cell.errors": errors}).scenario  # noqa: B018


def test_files_of_the_scenario_named_on_the_command_line_are_read(tmp_path: Path) -> None:
    (tmp_path / "fades.csv").write_text("begin_s,end_s\n0.5,1\n", encoding="utf-8")
    own = tmp_path / "own.toml"
    errors = "{ kind = 'recorded', file = 'fades.csv', ber_good = 0, ber_bad = 0.1 }"
    own.write_text(
        packaged()["last-hop"].replace('{ kind = "bernoulli", fer = 0.01 }', errors), encoding="utf-8"
    )
    assert State.of(str(own)).with_sets({"duration": "2 s"}).scenario.duration_s == 2.0


def test_a_page_can_change_to_packaged_scenarios_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of a scenario comes over the network: it must be packaged, even if such a file exists."""
    own = tmp_path / "own.toml"
    own.write_text(packaged()["last-hop"], encoding="utf-8")
    with pytest.raises(InputError, match="there is no scenario"):
        State.of_packaged(str(own))
    (tmp_path / "last-hop").write_text("CANARY", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert State.of_packaged("last-hop").base.name == "last-hop"
    assert State.uploaded("scenario = 'last-hop'\n", "theirs.toml").base.name == "last-hop"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("scenario = ", "theirs.toml is not TOML"),
        ("scenario = 3", "theirs.toml: `scenario` must be a packaged name, a file or a table"),
        ("scenario = 'last-hop'\nsed = 2", "no key `sed` in a study. Did you mean `seed`?"),
        ("scenario = 'last-hop'\nseed = -1", "`seed` must be a whole number from 0 to"),
        ("scenario = 'last-hop'\nreps = true", "`reps` must be a whole number from 1 to"),
        ("scenario = 'last-hop'\nset = 3", "`set` must be a table"),
        ("scenario = 'last-hop'\n[vary]\nscheme = ['rneo']", "Did you mean `reno`?"),
        ("scenario = 'last-hop'\n[vary]\nscheme = []", "names no scheme"),
        ("scenario = 'last-hop'\n[vary]\nscheme = [{ name = 'reno' }]", "must be a list of names"),
        ("scenario = 'last-hop'\n[set]\nduration = '-1 s'", "expected a duration"),
        (
            "scenario = 'last-hop'\n[view]\nflow = 'ftp2'",
            "view: the scenario has no flow ftp2. Did you mean `flow ftp`?",
        ),
        ("scenario = 'last-hop'\n[view]\nflo = 'ftp'", "`view` has no key `flo`. Did you mean `flow`?"),
        ("scenario = 'last-hop'\n[view]\nflow = 'ftp'\nclass = 'bulk'", "either a flow or a class"),
        ("scenario = 'last-hop'\n[view]\nconnection = 0", "`view.connection` must be a whole number from 1"),
        ("name = 'x'", "duration"),
    ],
)
def test_errors_in_a_file_are_reported(text: str, expected: str) -> None:
    with pytest.raises((InputError, ScenarioError)) as refusal:
        State.uploaded(text, "theirs.toml")
    assert expected in str(refusal.value)
