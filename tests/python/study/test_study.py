"""Studies: the grid, errors in study files, manifests, and the command that repeats a run."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import polars as pl
import pytest

from airhop import InputError, Scenario, Study, Table
from airhop.store import MemoryStore
from airhop.study import Axis, Until
from airhop.study.file import packaged_studies
from airhop.study.manifest import load_manifests, save_manifest

FER = "wlan.cell.errors.fer"
DELAY = "wired.w1.delay"
NET = 'scenario = "last-hop"\n'

STUDY = """
name = "mine"
scenario = "last-hop"
reps = 4
seed = 7
baseline = "sack"

[set]
duration = "2 s"
wlan.cell.attempts = 2

[vary]
scheme = ["reno", "sack", { name = "ll-elsn", n = 3 }]
"wlan.cell.errors.fer" = { log = [1e-3, 1e-1], points = 3 }

[[zip]]
"wired.w1.delay" = ["2 ms", "30 ms"]
"wired.w2.delay" = ["4 ms", "50 ms"]
"""

MINE = """
import airhop
@airhop.scheme("mine-in-a-study")
class Mine:
    def on_ack(self, w, ack, flow):
        w.cwnd += 1 / w.cwnd
    def on_loss(self, w, loss, flow):
        w.ssthresh = max(w.cwnd / 2, 2)
"""

LINK = """
wired = [{ name = "w", ends = ["a", "b"], rate = "5 Mbit/s", delay = "1 ms" }]
flow = [{ name = "f", from = "a", to = "b", scheme = "reno" }]
"""


def written(folder: Path, text: str = STUDY) -> Path:
    file = folder / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return file


def small(**changes: object) -> Study:
    axes = (Axis.of("scheme", ["reno", "sack"]), Axis.of(FER, [0.01, 0.1]))
    given = {"name": "small", "scenario": Scenario.load("last-hop"), "axes": axes, **changes}
    return Study(**given)  # type: ignore[arg-type]


def empty() -> pl.DataFrame:
    return MemoryStore().rows()


def test_a_file_defines_the_varied_paths(tmp_path: Path) -> None:
    study = Study.load(written(tmp_path))
    assert (study.name, study.reps, study.seed, study.baseline) == ("mine", 4, 7, "sack")
    assert study.columns == ["scheme", FER, "wired.w1.delay_ms", "wired.w2.delay_ms"]
    points = study.points()
    assert [point.index for point in points] == list(range(3 * 3 * 2))
    # The first dimension varies slowest; the paths of a zip vary together.
    assert points[1].values == {
        "scheme": "reno",
        FER: 0.001,
        "wired.w1.delay_ms": 30.0,
        "wired.w2.delay_ms": 50.0,
    }
    assert points[-1].scheme == "ll-elsn(n=3)"
    last = points[-1].scenario.to_dict()
    assert last["flow"][0]["scheme"] == {"name": "ll-elsn", "n": 3.0, "ersn": "heeded"}
    assert (last["duration"], last["wlan"][0]["attempts"]) == ("2 s", 2)
    assert [link["delay"] for link in last["wired"]] == ["30 ms", "50 ms"]


def test_a_setting_contains_the_points_of_all_schemes() -> None:
    study = small()
    assert [[point.scheme for point in setting] for setting in study.settings] == [["reno", "sack"]] * 2
    assert [{point.setting for point in setting} for setting in study.settings] == [{(0.01,)}, {(0.1,)}]


def test_the_path_of_a_scenario_file_is_relative_to_the_study_file(tmp_path: Path) -> None:
    (tmp_path / "net.toml").write_text(Scenario.load("last-hop").toml(), encoding="utf-8")
    assert Study.load(written(tmp_path, 'scenario = "net.toml"')).scenario.name == "last-hop"
    study = Study.load(written(tmp_path, 'scenario = "last-hop"'))
    assert (study.name, study.reps, len(study.points())) == ("mine", 10, 1)


def test_a_study_file_may_contain_its_scenario(tmp_path: Path) -> None:
    text = '[vary]\nscheme = ["reno", "sack"]\n[scenario]\nname = "short"\nduration = "1 s"\n' + LINK
    study = Study.load(written(tmp_path, text))
    assert study.scenario.name == "short" and study.schemes == ["reno", "sack"]
    with pytest.raises(
        InputError, match=r"mine\.toml: scenario: wired\.w\.rate: expected a data rate with a unit"
    ):
        Study.load(written(tmp_path, text.replace('"5 Mbit/s"', "5")))


def test_a_stopping_rule_is_read_from_the_key_until() -> None:
    relative = Until.read({"half_width": "2 %", "of": "srtt_ms", "max": 200})
    assert relative == Until(0.02, relative=True, of="srtt_ms", max=200)
    assert Until.read({"half_width": 0.05, "max": 40, "batch": 5}) == Until(0.05, False, max=40, batch=5)


@pytest.mark.parametrize("name", packaged_studies())
def test_packaged_studies_load_with_their_names(name: str) -> None:
    study = Study.load(name)
    assert study.name == name and len(study.settings) > 1 and study.baseline in ("reno", "cubic")


def test_the_baseline_is_the_first_of_several_schemes() -> None:
    assert small().baseline == "reno"
    assert small(axes=(Axis.of(FER, [0.1]),)).baseline is None
    assert small(axes=(Axis.of("scheme", ["sack"]),)).baseline is None


def test_points_without_a_scheme_axis_have_the_scheme_of_the_scenario() -> None:
    study = small(axes=(Axis.of("flow.ftp.scheme", ["reno", {"name": "ll-elsn", "n": 3}, "ll-elsn"]),))
    assert [point.scheme for point in study.points()] == ["reno", "ll-elsn(n=3)", "ll-elsn"]
    assert study.baseline is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("rep = 5", ":1: rep: unknown key; a study has name, scenario"),
        ("rep = 5", "Did you mean `reps`?"),
        ("reps = 5", "mine.toml: scenario: is missing"),
        ("scenario = 3", ":1: scenario: expected a packaged scenario or a file"),
        ('scenario = "last-hopp"', ":1: scenario: there is no scenario `last-hopp`"),
        ('scenario = "last-hopp"', "Did you mean `last-hop`?"),
        ('scenario = "none.toml"', "none.toml"),
        ("scenario = ]", "at line 1"),
        (f"{NET}reps = 0", ":2: reps: expected at least one replication, got 0"),
        (f"{NET}reps = 2.0", ":2: reps: expected a whole number, got 2.0"),
        (f"{NET}seed = -1", ":2: seed: expected a whole number from 0"),
        (f'{NET}name = ""', ":2: name: expected a line of text"),
        (f'{NET}plugins = "mine.py"', ":2: plugins: expected a list"),
        (f'{NET}plugins = ["none.py"]', "none.py"),
        (f"{NET}reps = 2\nuntil = {{ half_width = 1, max = 9 }}", "either `reps` or `until`"),
        (f'{NET}until = {{ half_width = "2", max = 9 }}', ":2: until.half_width: expected a share"),
        (f'{NET}until = {{ half_width = "0 %", max = 9 }}', "expected a number above 0"),
        (f'{NET}until = {{ half_width = "2 %" }}', "until.max: is missing"),
        (f"{NET}until = {{ half_width = 1, max = 1 }}", "until.max: expected at least 2"),
        (f"{NET}until = {{ half_width = 1, max = 9, batch = 1 }}", "until.batch: expected at least 2"),
        (f'{NET}until = {{ half_width = 1, max = 9, of = "goodput" }}', "Did you mean `goodput_mbps`?"),
        (f"{NET}until = {{ half_wdith = 1, max = 9 }}", "Did you mean `half_width`?"),
        (f"{NET}set = 3", ":2: set: expected a table"),
        (f"{NET}[set]\nduration = 5", ":3: duration=5: expected a duration with a unit"),
        (f'{NET}[vary]\nscheme = "reno"', ":3: vary.scheme: expected a list of values"),
        (f"{NET}[vary]\nscheme = []", ":3: vary.scheme: the list is empty"),
        (f'{NET}[vary]\nscheme = ["reno", "renoo"]', 'did you mean "reno"?'),
        (f"{NET}[vary]\n{FER} = [0.1, 2]", f":3: {FER}=2: expected a probability from 0 to 1"),
        (f"{NET}[vary]\nwlan.cell.errors.fr = [0.1]", 'did you mean "fer"?'),
        (f"{NET}[vary]\n{FER} = [0.1]\n[[zip]]\n{FER} = [0.2]", f"mine.toml: {FER}: the path varies twice"),
        (f"{NET}[set]\n{FER} = 0.1\n[vary]\n{FER} = [0.2]", "the path varies, so [set] cannot fix"),
        (f'{NET}[zip]\nscheme = ["reno"]', "[[zip]]"),
        (f'{NET}[[zip]]\nscheme = ["reno"]\n{DELAY} = ["1 ms", "2 ms"]', "equal length"),
        (f'{NET}baseline = "rono"\n[vary]\nscheme = ["reno"]', ":2: baseline: expected a scheme"),
        (f'{NET}baseline = "rono"\n[vary]\nscheme = ["reno"]', "Did you mean `reno`?"),
        (f'{NET}[vary]\nscheme = ["ll-elsn", {{ name = "ll-elsn", n = 2 }}]', "the same scenario"),
        (
            f'{NET}reps = 6_000_000\n[vary]\nscheme = ["reno", "sack"]',
            "2 points × 6,000,000 replications = 12,000,000 runs; at most 10,000,000",
        ),
        (
            f"{NET}[vary]\n{FER} = {{ linear = [0, 1], points = 1000 }}\n"
            "wlan.cell.attempts = { linear = [1, 1001], points = 1001 }",
            "1,001,000 points; at most 100,000",
        ),
    ],
)
def test_messages_about_bad_study_files_name_file_key_and_remedy(
    tmp_path: Path, text: str, told: str
) -> None:
    with pytest.raises(InputError) as refusal:
        Study.load(written(tmp_path, text))
    assert str(refusal.value).startswith(str(tmp_path / "mine.toml"))
    assert told in str(refusal.value)


def test_missing_study_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Did you mean `last-hop-fer`"):
        Study.load("last-hop-ferr")
    with pytest.raises(InputError, match="there is no file"):
        Study.load(tmp_path / "none.toml")
    with pytest.raises(InputError, match="a study is text"):
        file = tmp_path / "binary.toml"
        file.write_bytes(b"\xff\xff")
        Study.load(file)


def test_a_manifest_reads_back_as_the_same_study(tmp_path: Path) -> None:
    study = Study.load(written(tmp_path))
    until = small(name="a/b", reps=Until(0.02, relative=True, max=30))
    save_manifest(study, tmp_path)
    assert save_manifest(until, tmp_path).name == "a%2Fb.json"
    found = load_manifests(tmp_path)
    assert found == [until, study]
    assert [point.scenario.digest for point in found[1].points()] == [
        point.scenario.digest for point in study.points()
    ]


def test_a_manifest_with_presets_reads_back_as_the_same_points() -> None:
    # The effective scenario contains every default of the old preset, so a later change of the preset has no
    # effect.
    study = small(axes=(Axis.of("flow.ftp.tcp.preset", ["rfc", "ns2"]),))
    back = Study.from_dict(json.loads(json.dumps(study.to_dict())))
    assert [p.scenario for p in back.points()] == [p.scenario for p in study.points()]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"name": 3}'])
def test_a_message_names_a_damaged_manifest(tmp_path: Path, text: str) -> None:
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies" / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"x\.json is no manifest"):
        load_manifests(tmp_path)


def test_a_manifest_of_another_version_is_distinguished_from_a_damaged_one(tmp_path: Path) -> None:
    path = save_manifest(small(), tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("drop-tail", "choke"), encoding="utf-8")
    with pytest.raises(InputError, match=r"rejects the scenario .* another version may have saved: .*choke"):
        load_manifests(tmp_path)


def test_the_command_of_a_point_repeats_its_run(tmp_path: Path) -> None:
    net = tmp_path / "a net.toml"
    net.write_text(Scenario.load("last-hop").toml(), encoding="utf-8")
    axes = (
        Axis.of("scheme", [{"name": "ll-elsn", "n": 3}]),
        Axis.of("wlan.cell.errors", [{"kind": "bernoulli", "loss": 0.1}]),
        Axis.of("flow.ftp.tcp.receive_window", ["64 kB", "unlimited"]),
    )
    for scenario in (net, "last-hop"):
        study = Study("s", Scenario.load(scenario, sets=["duration=2 s"]), axes)
        for point in study.points():
            words = shlex.split(Table(study, empty()).command(point, 3))
            assert words[:2] == ["airhop", "run"] and words[-4:] == ["--seed", "1", "--rep", "3"]
            options = list(zip(words[3:-4:2], words[4:-4:2], strict=True))
            sets = [f"scheme={value}" for option, value in options if option == "--scheme"]
            sets += [value for option, value in options if option == "--set"]
            assert Scenario.load(words[2], sets=sets) == point.scenario


def test_the_command_of_a_point_has_short_options_and_quotes() -> None:
    study = small(axes=(Axis.of("scheme", ["sack"]), Axis.of(DELAY, ["2 ms"])), plugins=("my schemes.py",))
    assert Table(study, empty()).command(study.points()[0], 0) == (
        "airhop run last-hop --scheme sack --set 'wired.w1.delay=2 ms'"
        " --with 'my schemes.py' --seed 1 --rep 0"
    )


def test_paths_of_python_schemes_are_relative_to_the_study_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    text = f'{NET}plugins = ["mine.py"]\n[vary]\nscheme = ["reno", "mine-in-a-study"]'
    monkeypatch.chdir(written(tmp_path, text).parent)
    study = Study.load("mine.toml")
    assert study.schemes == ["reno", "mine-in-a-study"]
    save_manifest(study, tmp_path)
    monkeypatch.chdir("/")
    (found,) = load_manifests(tmp_path)
    assert found == study
    assert f"--with {tmp_path / 'mine.py'}" in Table(found, empty()).command(found.points()[1], 0)


@pytest.mark.parametrize("scenario", ["x" * 5000, "/dev/zero", "a\\u0000b", "x" * 5000 + ".toml"])
def test_a_scenario_that_cannot_be_read_is_refused_with_file_and_key(tmp_path: Path, scenario: str) -> None:
    file = tmp_path / "long.toml"
    file.write_text(f'scenario = "{scenario}"\n', encoding="utf-8")
    with pytest.raises(InputError, match=rf"{file}:1: scenario: ") as refusal:
        Study.load(file)
    assert len(str(refusal.value)) < 1500
