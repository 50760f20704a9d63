"""The command line: exit codes, output streams, and messages about errors."""

import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from airhop import RunError, _core
from airhop.catalogue import built_in, families, services
from airhop.cli import COMMANDS
from airhop.cli import schemes as cli_schemes
from airhop.cli.common.output import print_json, print_table
from command_line import Cli, Ended

SHORT = ("--set", "duration=2 s")


def test_the_help_page_lists_every_command(cli: Cli) -> None:
    page = cli("--help")
    assert page.code == 0
    assert all(f"  {name} " in page.out for name in COMMANDS)
    assert cli() == page == cli("-h")


def test_the_help_page_imports_no_heavy_library() -> None:
    # `airhop --help` must be fast: it loads neither the parser nor data frames nor the simulator.
    code = (
        "import sys, contextlib\nfrom airhop.cli import main\n"
        "with contextlib.suppress(SystemExit): main(['--help'])\n"
        "print(sorted({'cyclopts', 'rich', 'polars', 'numpy', 'scipy', 'airhop._core'} & set(sys.modules)))"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_help_page(cli: Cli, command: str) -> None:
    page = cli(command, "--help")
    assert page.code == 0
    assert COMMANDS[command][:40] in page.out


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ("compare", "[OPTIONS] SCENARIO [SCHEMES...]"),
        ("fades", "--out PATH [OPTIONS] SCENARIO"),
        ("reproduce", "[OPTIONS] [EXPERIMENTS...]"),
        ("report", "[OPTIONS] [FOLDER]"),
        ("doctor", "[OPTIONS]"),
    ],
)
def test_the_help_of_a_command_names_its_arguments(cli: Cli, command: str, usage: str) -> None:
    assert cli(command, "--help").out.splitlines()[0] == f"Usage: airhop {command} {usage}"


@pytest.mark.parametrize(("columns", "widest"), [(None, 80), ("60", 60), ("120", 120)])
def test_help_in_a_pipe_has_the_width_of_a_page(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, columns: str | None, widest: int
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    assert max(map(len, cli("run", "--help").out.splitlines())) == widest


def test_the_version_option_prints_version_and_build(cli: Cli) -> None:
    ended = cli("--version")
    first, *facts = ended.out.splitlines()
    assert (ended.code, ended.err) == (0, "")
    assert first == f"airhop {_core.__version__}"
    told = dict(fact.split(": ", maxsplit=1) for fact in facts)
    # An installation from an archive has no commit.
    keys = ["commit", "model", "profile", "target", "rustc", "python", "platform"]
    assert list(told) in (keys, keys[1:])
    assert told["model"] == _core.build_info()["model"]
    assert told["python"] == f"{platform.python_implementation()} {platform.python_version()}"
    assert re.match(r"\d+\.\d+\.\d+", told["rustc"])


def test_run_prints_flows_and_losses(cli: Cli) -> None:
    ended = cli("run", "last-hop", *SHORT, "--scheme", "sack")
    assert ended.code == 0
    assert "sack" in ended.out and "s → d" in ended.out and "collision" in ended.out
    assert "fingerprint" in ended.err


def test_run_json_is_the_run_document(cli: Cli) -> None:
    ended = cli("run", "last-hop", *SHORT, "--seed", "7", "--rep", "3", "--json")
    document = json.loads(ended.out)
    assert (document["scenario"], document["seed"], document["rep"]) == ("last-hop", 7, 3)
    assert list(document["drops"]) == ["queue", "aqm", "channel", "collision", "retries", "agent", "route"]
    assert set(document["flows"][0]) >= {
        "name",
        "scheme",
        "transport",
        "from",
        "to",
        "goodput_mbps",
        "notices",
    }


def test_run_writes_trace_and_captures(cli: Cli, tmp_path: Path) -> None:
    trace, pcap = tmp_path / "a" / "trace", tmp_path / "b" / "pcap"
    ended = cli("run", "last-hop", *SHORT, "--trace", str(trace), "--pcap", str(pcap), "--json")
    json.loads(ended.out)
    assert pl.read_parquet(trace / "segments.parquet").height > 0
    assert (pcap / "s.pcapng").stat().st_size > 0
    assert str(trace) in ended.err and str(pcap) in ended.err


def test_compare_prints_table_and_chart(cli: Cli) -> None:
    # Long enough that the interval of the mean does not cover the whole bar.
    ended = cli("compare", "last-hop", "reno", "sack", "--set", "duration=10 s", "--reps", "4")
    assert ended.code == 0
    assert "to reno" in ended.out and "±" in ended.out and "█" in ended.out
    assert "4 replications, seed 1" in ended.out and "Fieller" in ended.out


def test_a_single_replication_has_no_interval(cli: Cli) -> None:
    ended = cli("compare", "last-hop", "reno", "sack", *SHORT, "--reps", "1")
    assert "1 replication," in ended.out and "1 replication: too few" in ended.err
    assert "±" not in ended.out


def test_files_of_an_earlier_run_are_replaced_and_other_files_are_kept(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "segments.parquet").write_text("old", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    assert cli("run", "last-hop", *SHORT, "--trace", str(tmp_path), "--pcap", str(tmp_path)).code == 0
    assert pl.read_parquet(tmp_path / "segments.parquet").height > 0
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_an_interrupted_run_does_not_change_files_of_an_earlier_run(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "s.pcapng").write_text("old", encoding="utf-8")

    def half(*words: object) -> None:
        (Path(str(words[-1])) / "s.pcapng").write_text("half", encoding="utf-8")
        raise KeyboardInterrupt

    monkeypatch.setattr(_core, "run", half)
    ended = cli("run", "last-hop", *SHORT, "--trace", str(tmp_path), "--pcap", str(tmp_path))
    assert (ended.code, ended.out) == (130, "")
    assert "interrupted" in ended.err
    assert [path.name for path in tmp_path.iterdir()] == ["s.pcapng"]
    assert (tmp_path / "s.pcapng").read_text(encoding="utf-8") == "old"


def test_a_fault_in_airhop_exits_with_code_1_instead_of_2(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_words: object) -> None:
        raise RunError("this is an error in Airhop")

    monkeypatch.setattr(_core, "run_many", fail)
    assert cli("run", "last-hop", *SHORT) == Ended(1, "", "airhop: this is an error in Airhop\n")


@pytest.mark.parametrize("width", [40, 60, 80, 140])
def test_a_table_fits_the_terminal_or_names_the_columns_that_it_omits(
    capsys: pytest.CaptureFixture[str], width: int
) -> None:
    columns = ["scheme", "goodput\nMbit/s", "retrans-\nmissions", "timeouts", "srtt\nms"]
    row = ["ll-elsn", "3.664 ± 0.010", "605 ± 37", "9.0 ± 1.8", "71.2 ± 3.4"]
    out = Console(width=width)
    print_table(out, columns, [row], title="last-hop")
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    assert max(map(len, lines)) <= width
    assert "…" not in shown.out
    fitting = [cell for cell in row if any(cell in line for line in lines)]
    assert fitting == row[: len(fitting)] and len(fitting) >= 2
    missing = [column.replace("-\n", "").replace("\n", " ") for column in columns[len(fitting) :]]
    assert all(name in shown.err for name in missing)
    assert bool(missing) == bool(shown.err)
    assert (width < 60) == bool(missing)


def test_a_title_wider_than_its_table_stays_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    title = "a-study: last-hop, 10 replications, seed 1"
    print_table(Console(width=80), ["scheme", "runs"], [["reno", "10"]], title=title)
    assert capsys.readouterr().out.splitlines()[0] == title


@pytest.mark.parametrize("words", [("schemes", "bbr"), ("schemes",), ("run", "last-hop", *SHORT)])
def test_lines_in_a_pipe_have_no_trailing_blanks(cli: Cli, words: tuple[str, ...]) -> None:
    lines = cli(*words).out.splitlines()
    assert len(lines) > 5
    assert [line for line in lines if line != line.rstrip()] == []


def test_experiments_are_listed_by_paper(cli: Cli) -> None:
    ended = cli("reproduce")
    assert (ended.code, ended.out) == (2, "")
    lines = ended.err.splitlines()
    assert "yun2009" in lines
    listed = dict(line.split(maxsplit=1) for line in lines if line.startswith("  ") and "/" in line)
    assert listed["yun2009/fig7"] == "Goodput against round-trip time, downlink, one connection"
    assert len(lines) > 50
    assert max(map(len, lines)) < 125


def test_a_figure_in_a_folder_that_does_not_exist_is_refused(cli: Cli, tmp_path: Path) -> None:
    missing = tmp_path / "no" / "such"
    for words in (("run", "last-hop", "--air"), ("show", "last-hop", "--topology")):
        ended = cli(*words, str(missing / "a.pdf"))
        assert (ended.code, ended.err) == (
            2,
            f"airhop: cannot write {missing}/a.pdf: there is no folder {missing}\n",
        )
    assert not missing.parent.exists()


def test_compare_json_has_every_scheme_and_run(cli: Cli) -> None:
    ended = cli("compare", "last-hop", "reno", "sack", *SHORT, "--reps", "2", "--json")
    document = json.loads(ended.out)
    assert [row["scheme"] for row in document["schemes"]] == ["reno", "sack"]
    assert len(document["runs"]) == 4
    assert "too few" in ended.err


def test_compare_accepts_a_key_with_values_to_vary(cli: Cli) -> None:
    varied = 'wlan.cell.queue=drop-tail, { kind = "pie", packets = 50 }'
    ended = cli("compare", "last-hop", "reno", *SHORT, "--reps", "2", "--vary", varied, "--json")
    found = json.loads(ended.out)["schemes"]
    assert [one["scheme"] for one in found] == ["reno, drop-tail", "reno, pie(packets=50)"]
    assert found[1]["changes"]["wlan.cell.queue"] == {"kind": "pie", "packets": 50}


def test_an_interrupted_compare_reports_finished_runs(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = _core.run_many

    def three_then_stop(jobs: list[object], threads: int, on_done: Callable[[int, str], None]) -> None:
        whole(jobs[:3], threads, on_done)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(_core, "run_many", three_then_stop)
    ended = cli("compare", "last-hop", "reno", "sack", *SHORT, "--json")
    assert ended.code == 130
    assert "3 of 20 runs had finished" in ended.err
    document = json.loads(ended.out)
    assert document["complete"] is False
    assert len(document["runs"]) == 3
    assert [row["n"] for row in document["schemes"]] == [1, 1]  # three runs contain one complete pair


def test_json_output_has_no_nan_or_infinity() -> None:
    with pytest.raises(ValueError, match="JSON"):
        print_json({"mean": float("nan")})


def test_show_prints_a_scenario_that_reads_back_unchanged(cli: Cli, tmp_path: Path) -> None:
    shown = cli("show", "last-hop", "--set", "wlan.cell.errors.fer=0.02")
    file = tmp_path / "shown.toml"
    file.write_text(shown.out, encoding="utf-8")
    as_json = cli("show", str(file), "--json").out
    assert as_json == cli("show", "last-hop", "--set", "wlan.cell.errors.fer=0.02", "--json").out
    assert json.loads(as_json)["wlan"][0]["errors"]["fer"] == 0.02
    # Comments mark defaults that a file omits; without the marks the output is a complete scenario.
    again = cli("show", str(file)).out
    assert "# default; " in shown.out and "# default; " not in again
    assert again == shown.out.replace("# default; ", "# ")


def test_schemes_json_equals_the_catalogue(cli: Cli) -> None:
    listed = json.loads(cli("schemes", "--json").out)
    names = {entry["name"] for entry in listed}
    assert names >= {"tahoe", "reno", "newreno", "sack", "snoop", "ll-elsn"}
    assert json.loads(cli("schemes", "snoop", "--json").out)[0]["name"] == "snoop"


def test_every_scheme_can_be_described(cli: Cli) -> None:
    for entry in json.loads(_core.catalogue()):
        told = cli("schemes", entry["name"]).out
        parameters = [
            text for p in entry["parameters"] for text in (p["about"], str(p["default"]), *p.get("words", ()))
        ]
        facts = [entry[key] for key in ("title", "family", "about", "helps", "cite")]
        lists = [*entry["needs"], *parameters, *entry["verified"], *entry["reconstructed"]]
        for text in (*facts, *lists):
            assert text.removesuffix(".0") in told
        assert all(about in told for name, about in services().items() if name in entry["needs"])


def test_schemes_are_listed_by_family_in_80_columns() -> None:
    """In a separate process, because longer names of schemes added by other tests would move the columns."""
    words = [sys.executable, "-m", "airhop", "schemes"]
    listed = subprocess.run(
        words, env={**os.environ, "COLUMNS": "80"}, capture_output=True, text=True, check=True
    )
    entries = built_in()
    lines = [line.rstrip() for line in listed.stdout.splitlines()]
    assert max(map(len, lines)) <= 80
    for family, members in families(entries).items():
        start = lines.index(family) + 1
        end = lines.index("", start)
        assert [line.split()[0] for line in lines[start:end]] == [entry["name"] for entry in members]


def test_a_parameter_with_named_values_lists_the_values() -> None:
    declared = {"name": "filter", "default": "tustin", "words": ["tustin", "none"], "about": "of the rate"}
    assert cli_schemes.parameter(declared) == 'filter = "tustin" (or "none"): of the rate'
    number = {"name": "n", "default": 2.0, "range": [0.0, 10.0], "about": ""}
    assert cli_schemes.parameter(number) == "n = 2 (0 to 10)"


def test_doctor_reports_a_successful_self_check(cli: Cli) -> None:
    ended = cli("doctor", "--json")
    found = json.loads(ended.out)
    assert ended.code == 0
    assert found["self_check"]["ok"] is True
    assert len(set(found["self_check"]["fingerprints"])) == 1
    told = cli("doctor").out
    assert "self-check: ok" in told
    assert {"panel", "distributed"} <= set(told.split()), "the optional parts"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("rnu last-hop", "Did you mean `run`"),
        ("run last-hpo", "Did you mean `last-hop`"),
        ("run nowhere.toml", "no file nowhere.toml"),
        ("run last-hop --scheme snop", "snoop"),
        ("run last-hop --set duration", "PATH=VALUE"),
        ("run last-hop --set wlan.cel.errors.fer=0.1", "cell"),
        ("run last-hop --seed -1", "whole number"),
        ("run last-hop --seed x", "--seed"),
        ("run last-hop --seed 1.5", "`1.5` is not a whole number"),
        ("run last-hop --rep 1e3", "`1e3` is not a whole number"),
        ("run last-hop more", "unexpected argument `more`."),
        ("run .", "is a folder"),
        ("compare last-hop reno --reps 99999999999", "expected 1 to 100000"),
        ("run last-hop --sed 1", "--seed"),
        ("run", "SCENARIO"),
        ("compare last-hop", "at least one scheme"),
        ("compare last-hop --vary attempts", "expected PATH=VALUE,VALUE"),
        ("compare last-hop --vary attempts=1 --vary attempts=7", "attempts is given twice"),
        ("compare last-hop reno renno", "reno"),
        ("compare last-hop reno --reps 0", "expected 1 to"),
        ("schemes snooop", "Did you mean `snoop`"),
        ("reproduce yun2009/fig66", "Did you mean `yun2009/fig6`"),
        ("reproduce", "name an experiment"),
        ("reproduce yun2009/fig6 --quick --full", "exclude each other"),
        ("bench --peers /nowhere/at/all", "no folder"),
        ("bench --repeats 0", "at least one run"),
        ("bench chian", "Did you mean `chain`?"),
        ("run last-hop --trace /proc/nowhere", "/proc/nowhere"),
    ],
)
def test_bad_input_is_reported_on_stderr_without_a_traceback(cli: Cli, words: str, told: str) -> None:
    ended = cli(*words.split(" "))
    assert ended.code == 2
    assert ended.out == ""
    assert told in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["run", "--help"],
        ["show", "last-hop"],
        ["schemes", "sack"],
        ["compare", "last-hop", "reno", *SHORT, "--reps", "3"],
    ],
)
def test_a_reader_that_closes_the_pipe_early_causes_no_error(words: list[str]) -> None:
    code = "import sys\nfrom airhop.cli import main\nsys.stdin.read()\nmain(sys.argv[1:])"
    command = [sys.executable, "-c", code, *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdout.close()  # as `| head` does, before the command writes
        process.stdin.close()
        told = process.stderr.read()
    notes = [line for line in told.splitlines() if line.startswith(("senders: ", "hint: ", "warning: "))]
    assert (process.returncode, told.splitlines()) == (0, notes)


def test_importing_airhop_on_windows_fails_with_a_message_that_names_wsl() -> None:
    """The store locks files with flock(2), which Windows does not have."""
    code = "import sys; sys.platform = 'win32'; import airhop"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("ImportError: Airhop runs on Linux and macOS. On Windows")
