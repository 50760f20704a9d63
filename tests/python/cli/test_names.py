"""Names of files are octets (POSIX): every path that a command accepts or passes on may be invalid UTF-8."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import airhop
from airhop import InputError, Scenario, Table, plugins
from airhop.boundary.shell import command_line
from airhop.errors import harmless
from command_line import Cli

CAFE = os.fsdecode(b"caf\xe9")
SCENARIO = """
name = "pair"
duration = "1 s"
wired = [{ name = "w", ends = ["a", "b"], rate = "1 Mbit/s", delay = "10 ms" }]
flow = [{ name = "f", from = "a", to = "b", scheme = "reno" }]
"""
SCHEME = """
import airhop
@airhop.scheme("of-cafe")
class Mine:
    def on_ack(self, window, ack, flow): pass
    def on_loss(self, window, loss, flow): window.cwnd = loss.half
"""
OBJECT = Path(airhop.__file__).parent / "bpf/htcp.bpf.o"
LOG = Path(__file__).parents[1] / "live/download-headers.log"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a folder with files, all of whose names are invalid UTF-8, and make it the working directory."""
    folder = tmp_path / CAFE
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / f"{CAFE}.toml").write_text(SCENARIO)
    (folder / f"{CAFE}.py").write_text(SCHEME)
    (folder / f"{CAFE}.bpf.o").write_bytes(OBJECT.read_bytes().replace(b"\0bpf_htcp\0", b"\0bpf_cafe\0"))
    shutil.copy(LOG, folder / f"{CAFE}.log")
    return folder


RUN = ("run", f"{CAFE}.toml")
AIR = ("run", "last-hop", "--set", "duration=1 s")


@pytest.mark.parametrize(
    ("words", "written"),
    [
        (RUN, []),
        (("show", f"{CAFE}.toml"), []),
        ((*RUN, "--trace", CAFE), [f"{CAFE}/packets.parquet"]),
        ((*RUN, "--pcap", CAFE), [f"{CAFE}/a.pcapng", f"{CAFE}/b.pcapng"]),
        ((*AIR, "--air", f"{CAFE}.svg", "--sequence", f"{CAFE}.pdf"), [f"{CAFE}.svg", f"{CAFE}.pdf"]),
        ((*RUN, "--with", f"{CAFE}.py", "--scheme", "of-cafe"), []),
        ((*RUN, "--with", f"{CAFE}.bpf.o", "--scheme", "bpf_cafe"), []),
        (("replay", f"{CAFE}.log", "--pcap", CAFE, "--report", f"{CAFE}.html"), [f"{CAFE}.html"]),
    ],
    ids=lambda words: harmless(" ".join(words)),
)
def test_a_command_accepts_and_writes_file_names_beyond_ascii(
    cli: Cli, here: Path, words: Sequence[str], written: Sequence[str]
) -> None:
    ended = cli(*words)
    assert ended.code == 0, ended.err
    assert all((here / name).exists() for name in written)


def test_a_study_stores_a_name_beyond_ascii_and_its_report_repeats_the_runs(cli: Cli, here: Path) -> None:
    study = 'scenario = "last-hop"\nreps = 3\n[set]\nduration = "1 s"\n[vary]\nscheme = ["of-study"]\n'
    (here / "names-it.toml").write_bytes(b'plugins = ["caf\xe9.py"]\n' + study.encode())
    refused = cli("sweep", "names-it.toml")
    assert (refused.code, refused.err.count("is not UTF-8")) == (2, 1)

    (here / f"of-{CAFE}.toml").write_text(study)
    (here / f"{CAFE}.py").write_text(SCHEME.replace("of-cafe", "of-study"))
    ended = cli("sweep", f"of-{CAFE}.toml", "--with", f"{CAFE}.py", "--out", CAFE)
    assert ended.code == 0, ended.err
    report = subprocess.run(
        [sys.executable, "-m", "airhop", "report", CAFE], capture_output=True, check=False
    )
    assert report.returncode == 0, report.stderr
    assert all(os.path.exists(line) for line in report.stdout.splitlines()), report.stdout  # noqa: PTH110 - octets
    (table,) = Table.load(CAFE)
    assert table.study.name == r"of-caf\xe9"
    command = table.command(table.study.points()[0], 2)
    assert rf"--with $'{harmless(str(here))}/caf\xe9.py'" in command
    bash = ["bash", "-c", f"printf '%s\\n' {command.partition(' run ')[2]}"]
    printed = subprocess.run(bash, capture_output=True, check=True).stdout  # as a shell reads it
    assert os.fsencode(here / f"{CAFE}.py") in printed.splitlines()


def test_a_scenario_named_beyond_ascii_reads_files_in_its_folder(here: Path) -> None:
    (here / "fades.csv").write_text("begin_s,end_s\n1,2\n")
    channel = {"kind": "recorded", "file": "fades.csv", "ber_good": 0, "ber_bad": 0.5}
    loaded = Scenario.load(f"{CAFE}.toml").with_({"wired.w.errors": channel})
    assert Scenario.load(loaded.to_dict()) == loaded  # the path is no text: the name stays unchanged


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "words",
    [
        ("run", CAFE),
        ("run", f"no{CAFE}.toml"),
        ("run", f"{CAFE}.toml", "--set", f"name={CAFE}"),
        ("run", f"{CAFE}.toml", "--set", f'{CAFE}="x"'),
        ("run", f"{CAFE}.toml", "--scheme", CAFE),
        ("run", f"{CAFE}.toml", "--with", f"no{CAFE}.py"),
        ("run", f"{CAFE}.toml", "--with", f"no{CAFE}.o"),
        ("compare", f"{CAFE}.toml", CAFE),
        ("fades", "last-hop", "--out", CAFE, "--until", CAFE),
        ("schemes", CAFE),
        ("reproduce", CAFE),
        ("replay", f"no{CAFE}.log"),
        ("report", f"no{CAFE}"),
        ("view", f"no{CAFE}"),
        (CAFE,),
    ],
    ids=lambda words: harmless(" ".join(words)),
)
def test_a_message_prints_a_name_that_is_not_utf8_in_escaped_form(cli: Cli, words: Sequence[str]) -> None:
    ended = cli(*words)
    assert ended.code == 2
    assert r"caf\xe9" in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("name", ["pair.toml", "paré.toml", "pär\udce9.toml"])
def test_with_an_ascii_locale_all_names_are_read_and_printed_with_replacements(
    tmp_path: Path, name: str
) -> None:
    """With Python's UTF-8 mode off, an `é` of the command line is two octets without a character."""
    (tmp_path / name).write_text(SCENARIO)
    ascii_alone = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    words = [sys.executable, "-m", "airhop", "compare", name, "reno", "cubic", "--reps", "3"]
    ended = subprocess.run(words, cwd=tmp_path, env=ascii_alone, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.isascii()


def test_a_printed_command_line_has_the_same_arguments_in_a_shell() -> None:
    words = ["a b", "it's", CAFE, f"'{CAFE}\\n'", "x=[1]"]
    assert shlex.split(command_line(words[:2])) == words[:2]
    printed = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {command_line(words)}"], capture_output=True, check=True
    ).stdout
    assert printed.split(b"\0")[:-1] == [os.fsencode(word) for word in words]


def test_a_file_name_with_a_nul_character_is_refused() -> None:
    scenario = Scenario.load("last-hop")
    for call in (
        lambda: airhop.run(scenario, pcap_dir="a\0b"),
        lambda: airhop.run(scenario).write_tables("a\0b"),
        lambda: Scenario.load(Path("a\0b")),
        lambda: airhop.replay("a\0b"),
        lambda: plugins.load("a\0b.py"),
        lambda: plugins.load("a\0b.bpf.o"),
        lambda: Table.load("a\0b"),
    ):
        with pytest.raises(InputError):
            call()


@pytest.mark.parametrize(
    ("words", "data", "kind"),
    [
        (("run",), b'{\n\t"start":\t{\n\t\t"version":\t"iperf 3.12",\n', "a measurement of iperf3 (JSON)"),
        (("run",), b'{"flow": []}', "a JSON file"),
        (("run",), b"\x0a\x0d\x0d\x0a" + bytes(24), "a packet capture (pcapng)"),
        (("sweep",), b"\xd4\xc3\xb2\xa1" + bytes(20), "a packet capture (pcap)"),
        (("show",), b"\x7fELF" + bytes(60), "an object file (ELF)"),
        (("run",), LOG.read_bytes(), "the log of an emulation (airhop replay)"),
        (("run",), "name = 'µ'".encode("utf-16"), "text in UTF-16"),
        (("replay",), b"\x0a\x0d\x0d\x0a" + bytes(24), "a packet capture (pcapng)"),
        (("replay",), SCENARIO.replace("flow = [", "[[flow]] # ").encode(), "a scenario or a study (TOML)"),
        (("replay",), b'{"end": {"intervals": 1}}', "a measurement of iperf3 (JSON)"),
        (("view",), b"PK\x03\x04", "an archive (zip)"),
    ],
)
def test_a_message_about_a_file_of_the_wrong_kind_names_the_kind(
    cli: Cli, tmp_path: Path, words: Sequence[str], data: bytes, kind: str
) -> None:
    (tmp_path / "given").write_bytes(data)
    ended = cli(*words, str(tmp_path / "given"))
    assert ended.code == 2
    assert kind in ended.err
    assert ended.err.count("\n") == 1


def test_a_byte_order_mark_at_the_begin_of_a_file_is_ignored(cli: Cli, here: Path) -> None:
    """Editors on Windows write U+FEFF first (RFC 3629 §6)."""
    mark = b"\xef\xbb\xbf"
    (here / "s.toml").write_bytes(mark + SCENARIO.encode())
    (here / "s.py").write_bytes(mark + SCHEME.replace("of-cafe", "marked").encode())
    (here / "study.toml").write_bytes(
        mark + b'scenario = "s.toml"\nreps = 3\nplugins = ["s.py"]\n[vary]\nscheme = ["marked"]\n'
    )
    for words in (("run", "s.toml"), ("sweep", "study.toml", "--out", "x")):
        ended = cli(*words)
        assert ended.code == 0, ended.err
