"""Sources of schemes in Python, files, modules and packages, and digests of their code."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import airhop
from airhop import InputError, Job, Scenario, plugins
from patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "mine.py"
SHORT = ("--set", "duration=2 s")
COMMAND = "import sys; from airhop.cli import main; main(sys.argv[1:])"


def source(name: str, increase: str = "1 / window.cwnd", before: str = "") -> str:
    """Write a scheme as a user would."""
    return f"""import airhop
{before}
@airhop.scheme("{name}")
class Mine:
    def on_ack(self, window, ack, flow):
        window.cwnd += {increase}

    def on_loss(self, window, loss, flow):
        window.cwnd = window.ssthresh = loss.half
"""


def digest(scheme: str) -> str:
    return Scenario.load("last-hop").with_({"scheme": scheme}).digest


def python(*words: str, text: str | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a separate Python process."""
    return subprocess.run(
        [sys.executable, *words],
        input=text,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def command(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `airhop` in a separate process."""
    return python("-c", COMMAND, *words, **variables)


# ---- files and modules -------------------------------------------------------------------------------------


def test_the_example_of_a_python_scheme_is_short_and_runs() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 20
    assert text in (ROOT / "docs" / "python-schemes.md").read_text(encoding="utf-8")
    assert plugins.load(EXAMPLE) == ["mine"]
    short = Scenario.load("last-hop").with_({"duration": "5 s"})
    kept = [short.with_({"scheme": {"name": "mine", "keep": keep}}) for keep in (0.5, 0.9)]
    half, most = (airhop.run(scenario).goodput_mbps for scenario in kept)
    # The window after a loss determines the goodput with random losses (the response function of AIMD).
    assert most > 1.2 * half > 0


def test_an_edited_scheme_file_changes_the_digest(tmp_path: Path) -> None:
    file = tmp_path / "edited.py"
    file.write_text(source("edited"), encoding="utf-8")
    assert plugins.load(file) == ["edited"]
    before = Scenario.load("last-hop").with_({"scheme": "edited", "duration": "5 s"})
    first = before.digest
    assert plugins.load(file) == ["edited"] and digest("edited") == digest("edited")
    file.write_text(source("edited", increase="0.1 / window.cwnd"), encoding="utf-8")
    plugins.load(file)
    after = before.with_({"scheme": "edited"})
    assert after.core.json() == before.core.json()
    assert after.digest != before.digest == first
    assert Job(after).run_id != Job(before).run_id
    # The scenario that was loaded before still runs the former scheme.
    assert airhop.run(after).fingerprint != airhop.run(before).fingerprint


def test_the_code_of_a_scheme_changes_digests_of_its_own_scenarios_only(tmp_path: Path) -> None:
    before = digest("reno")
    (tmp_path / "other.py").write_text(source("other"), encoding="utf-8")
    plugins.load(tmp_path / "other.py")
    assert digest("reno") == before != digest("other")


def test_the_same_scheme_file_in_another_folder_has_the_same_digest(tmp_path: Path) -> None:
    found = set()
    for folder in ("here", "there"):
        file = tmp_path / folder / "same.py"
        file.parent.mkdir()
        file.write_text(source("same"), encoding="utf-8")
        code = f"import airhop; airhop.plugins.load({str(file)!r})\n"
        code += "print(airhop.Scenario.load('last-hop').with_({'scheme': 'same'}).digest)"
        found.add(python("-c", code).stdout)
    assert len(found) == 1 and len(found.pop()) == 65


def test_loaded_sources_can_be_loaded_without_a_file(tmp_path: Path) -> None:
    file = tmp_path / "sent.py"
    file.write_text(source("sent"), encoding="utf-8")
    plugins.load(file)
    sent = [(name, text) for name, text in plugins.loaded() if text == source("sent")]
    assert sent == [(str(file), source("sent"))]
    code = f"import airhop; print(airhop.plugins.load_source(*{sent[0]!r}))\n"
    code += "s = airhop.Scenario.load('last-hop').with_({'scheme': 'sent', 'duration': '2 s'})\n"
    code += "print(s.digest, airhop.run(s).fingerprint)"
    file.unlink()
    here = Scenario.load("last-hop").with_({"scheme": "sent", "duration": "2 s"})
    there = python("-c", code)
    assert there.stdout.splitlines() == ["['sent']", f"{here.digest} {airhop.run(here).fingerprint}"], (
        there.stderr
    )


def test_a_module_can_be_loaded_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "of_a_package"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "schemes.py").write_text(source("from-a-package"), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert plugins.load("of_a_package.schemes") == ["from-a-package"] == plugins.load("of_a_package.schemes")
    assert ("of_a_package.schemes", source("from-a-package")) in plugins.loaded()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, r"there is no file .*bad\.py"),
        ("x = 1", r"bad\.py registers no scheme: decorate a class with @airhop\.scheme\(\"name\"\)"),
        (
            "def f():\n    return 1 / 0\nf()",
            r"it raised\n\nTraceback.*\n  File \".*bad\.py\", line 3, in <module>\n    f\(\)\n",
        ),
        ("def f(:", r"line 1\n    def f\(:\n.*\nSyntaxError"),
        ("import sys\nsys.exit(3)", r"bad\.py cannot be loaded: it raised\n\n.*SystemExit: 3"),
        (source("sack"), r"bad\.py cannot be loaded: scheme `sack`: \"sack\" is a built-in scheme"),
        ("\xff", "byte 0 is not UTF-8"),
    ],
)
def test_a_scheme_file_that_cannot_be_loaded_is_refused(
    tmp_path: Path, text: str | None, message: str
) -> None:
    file = tmp_path / "bad.py"
    if text is not None:
        file.write_text(text, encoding="latin-1")
    before = plugins.loaded()
    with pytest.raises(InputError) as refusal:
        plugins.load(file)
    assert plugins.loaded() == before, "workers would receive a file that they cannot load"
    assert re.search(message, str(refusal.value), flags=re.DOTALL)
    assert "plugins.py" not in str(refusal.value)


def test_a_missing_module_is_refused_with_a_remedy() -> None:
    with pytest.raises(
        InputError, match=r"there is no module `no_such.module`; a file is named with its suffix"
    ):
        plugins.load("no_such.module")


# ---- notebooks and scripts ---------------------------------------------------------------------------------


def test_the_digest_of_a_class_without_a_file_depends_on_the_code_that_it_uses() -> None:
    def named(old: str = "", new: str = "", seed: str = "0") -> str:
        before = (
            "STEP = 1.0\nKINDS = {'a', 'b', 'c'}\ndef step(window):\n    return STEP if len(KINDS) else 0\n"
        )
        text = source("typed", increase="step(window) / window.cwnd", before=before)
        assert old in text
        text = text.replace(old, new) if old else text
        show = "\nprint(airhop.Scenario.load('last-hop').with_({'scheme': 'typed'}).digest)"
        done = python("-", text=text + show, PYTHONHASHSEED=seed)
        assert done.returncode == 0, done.stderr
        return done.stdout

    first = named()
    assert named(seed="1") == first  # the digest does not depend on the process
    assert named("import airhop\n", "import airhop\nimport json\n\nunused = 3\n") == first
    edits = [("STEP = 1.0", "STEP = 2.0"), ("len(KINDS)", "bool(KINDS)"), ("= loss.half", "= loss.window")]
    assert len({first, *(named(*edit) for edit in edits)}) == 4


# ---- packages ----------------------------------------------------------------------------------------------


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Path]:
    """Make a folder of installed packages: one has a scheme, one is broken."""
    for name, text in (("good", source("packaged")), ("broken", "import no_such_thing")):
        (tmp_path / f"{name}_schemes.py").write_text(text, encoding="utf-8")
        info = tmp_path / f"{name}_schemes-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}-schemes\nVersion: 1\n", encoding="utf-8"
        )
        points = f"[airhop.schemes]\n{name} = {name}_schemes\n"
        (info / "entry_points.txt").write_text(points, encoding="utf-8")
    yield tmp_path


def test_an_installed_package_registers_its_schemes(installed: Path) -> None:
    ended = command("run", "last-hop", *SHORT, "--scheme", "packaged", "--json", PYTHONPATH=str(installed))
    assert json.loads(ended.stdout)["flows"][0]["scheme"] == "packaged"
    assert ended.returncode == 0 and "broken" not in ended.stderr
    listed = command("schemes", "--json", PYTHONPATH=str(installed))
    assert [entry["name"] for entry in json.loads(listed.stdout)][-1] == "packaged"
    assert "schemes `broken` of the package broken-schemes cannot be loaded" in listed.stderr


def test_a_message_about_a_missing_scheme_names_a_broken_package(installed: Path) -> None:
    ended = command("run", "last-hop", "--scheme", "brokn", PYTHONPATH=str(installed))
    assert ended.returncode == 2
    assert 'unknown scheme "brokn"; expected one of tahoe' in ended.stderr
    assert "the package broken-schemes cannot be loaded" in ended.stderr
    assert "No module named 'no_such_thing'" in ended.stderr


# ---- the command line --------------------------------------------------------------------------------------


def test_the_option_with_adds_a_scheme_to_every_command(tmp_path: Path) -> None:
    bring = ("--with", str(EXAMPLE))
    compared = command("compare", "last-hop", "newreno", "mine", *SHORT, "-n", "2", "--json", *bring)
    assert [row["scheme"] for row in json.loads(compared.stdout)["schemes"]] == ["newreno", "mine"]
    assert "A gentle NewReno" in command("schemes", "mine", *bring).stdout
    shown = command("show", "last-hop", "--scheme", "mine", *bring).stdout
    assert 'scheme = { name = "mine", keep = 0.7 }' in shown
    refused = command("run", "last-hop", "--with", str(tmp_path / "none.py"))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "there is no file" in refused.stderr


def test_a_scheme_that_raises_ends_the_command_with_its_traceback(tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(source("wrong", increase="1 / (flow.segment - 1000)"), encoding="utf-8")
    ended = command("run", "last-hop", "--scheme", "wrong", "--with", str(file))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert 'scheme "wrong" failed in on_ack' in ended.stderr
    assert f'File "{file}", line 6, in on_ack\n    window.cwnd += 1 / (flow.segment - 1000)' in ended.stderr
    assert "ZeroDivisionError" in ended.stderr and "site-packages" not in ended.stderr


ENDLESS = {
    "a loop": "while True: pass",
    "a call that blocks": "import time; time.sleep(1000)",
    "what heeds no interruption": """
    import time
    while True:
        try:
            time.sleep(0.01)
        except BaseException:
            pass""",
}


@pytest.mark.parametrize("how", ENDLESS)
def test_ctrl_c_ends_an_endless_scheme(tmp_path: Path, how: str) -> None:
    """The end of the process does not wait for threads that execute a scheme's code."""
    file = tmp_path / "endless.py"
    loop = "forever()"
    before = f"def forever():\n    print('looping', flush=True)\n    {ENDLESS[how]}\n"
    file.write_text(source("endless", increase=loop, before=before), encoding="utf-8")
    words = [sys.executable, "-c", COMMAND, "run", "last-hop", "--scheme", "endless", "--with", str(file)]
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert running.stdout.readline() == "looping\n"
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=PATIENCE_S)
    assert (running.returncode, "interrupted" in told) == (130, True)


def test_ctrl_c_returns_control_to_the_program(tmp_path: Path) -> None:
    """In Python, an endless call of a scheme is abandoned: `Interrupted` is raised; later runs work."""
    file = tmp_path / "blocked.py"
    before = "import time\ndef forever():\n    print('blocked', flush=True)\n    time.sleep(1000)\n"
    file.write_text(source("blocked", increase="forever()", before=before), encoding="utf-8")
    program = (
        f"import airhop\nairhop.plugins.load({str(file)!r})\n"
        "short = airhop.Scenario.load('last-hop').with_({'duration': '1 s'})\n"
        "try:\n    airhop.run(short, scheme='blocked')\n"
        "except airhop.Interrupted as interrupted:\n    print(interrupted)\n"
        "print(airhop.run(short, scheme='reno').goodput_mbps > 0)\n"
    )
    handler = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    words = [sys.executable, "-c", handler + program]
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert running.stdout.readline() == "blocked\n"
    running.send_signal(signal.SIGINT)
    told, wrong = running.communicate(timeout=PATIENCE_S)
    assert (running.returncode, told, wrong) == (0, "interrupted: 0 of 1 runs had finished\nTrue\n", "")
