"""Completion of commands, options and names, tested in the shells themselves."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from patience import PATIENCE_S

ENVIRONMENT = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def script_for(shell: str) -> str:
    done = subprocess.run(
        ["airhop", "completion", shell], env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture(scope="module")
def bash_script() -> str:
    return script_for("bash")


def complete(bash_script: str, *words: str) -> list[str]:
    """Return bash's completions of the last word."""
    quoted = " ".join(f"'{word}'" for word in words)
    script = (
        f"{bash_script}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}\n"
        '_airhop; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", script],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["airhop", "rep"], ["replay", "report", "reproduce"]),
        (["airhop", "run", "last"], ["last-hop"]),
        (["airhop", "compare", "last-hop", "reno", "ll"], ["ll-elsn"]),
        (["airhop", "show", "last-hop", "--scheme", "snoo"], ["snoop"]),
        (["airhop", "reproduce", "yun2009/fig6"], ["yun2009/fig6"]),
        (["airhop", "sweep", "--sha"], ["--shard"]),
        (["airhop", "completion", "f"], ["fish"]),
    ],
)
def test_bash_completes_matching_names(bash_script: str, words: list[str], offered: list[str]) -> None:
    assert sorted(complete(bash_script, *words)) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_supported_shell_has_a_completion_script(shell: str) -> None:
    script = script_for(shell)
    assert "reproduce" in script
    assert f"{shell} completion" in script.lower() or "#compdef" in script
