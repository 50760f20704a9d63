"""The `airhop` command."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Callable, Sequence

COMMANDS = {
    "run": "Run a scenario once and print what its flows and links did.",
    "compare": "Run a scenario under several schemes and compare them, with confidence intervals.",
    "emulate": "Let programs of this machine send through a scenario's links, in real time.",
    "replay": "Run again what entered during an emulation, without its hosts.",
    "view": "Explore a scenario live in the browser: sliders, schemes, and figures that follow.",
    "sweep": "Run a study: a grid of values, replicated, its rows kept and reused.",
    "reproduce": "Reproduce figures and tables of published papers and check their claims.",
    "report": "Write one interactive HTML file about the studies and experiments of a folder.",
    "show": "Print a scenario with every default written out.",
    "fades": "Save the fades of a scenario's links, to be played back to any other.",
    "schemes": "List the schemes, or describe one.",
    "bench": "Measure the simulator's speed, beside ns-2 and ns-3 where they are installed.",
    "doctor": "Check this installation.",
    "completion": "Print the script that completes commands in bash, zsh or fish.",
}
"""Command to summary. A command NAME is the function NAME in the module airhop.cli.NAME."""

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code: 0 ok, 1 failed, 2 bad input, 130 interrupted."""
    _prepare_streams()
    try:
        code = _run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except BrokenPipeError:
        code = 0  # the reader of a pipe has seen enough
        _abandon_stdout()
    except OSError as error:
        from airhop.cli.output import say

        code = EXIT_FAILED
        say(f"airhop: {error}")
        _abandon_stdout()
    except KeyboardInterrupt as interrupt:
        code = EXIT_INTERRUPTED
        print(f"airhop: {str(interrupt) or 'interrupted'}", file=sys.stderr)
    _leave_stuck_threads(code)
    sys.exit(code)


def _leave_stuck_threads(code: int) -> None:
    """End at once where a thread is in code of a scheme that does not come back.

    The interpreter's own end would take the ground from under it, or wait for those who wait for it.
    """
    core = sys.modules.get("airhop._core")
    if core is not None and core.threads_at_work():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _prepare_streams() -> None:
    """Make both streams take whatever is printed."""
    for name, written in {"stdout": _exact, "stderr": _legible}.items():
        codecs.register_error(f"airhop-{name}", written)
        stream = getattr(sys, name)
        if stream is None:  # the caller has closed it
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=f"airhop-{name}")


def _exact(error: UnicodeError) -> tuple[bytes | str, int]:
    """Write a name of a file as the octets that it is, for programs, and `?` where a terminal has no `±`."""
    return _written(error, lambda octet: bytes([octet]))


def _legible(error: UnicodeError) -> tuple[bytes | str, int]:
    r"""Write an octet that is no character as a shell does, `\xe9`, and `?` where a terminal has no `±`."""
    return _written(error, lambda octet: b"\\x%02x" % octet)


def _written(error: UnicodeError, octet: Callable[[int], bytes]) -> tuple[bytes | str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    codes = (ord(character) - 0xDC00 for character in error.object[error.start : error.end])
    return b"".join(octet(code) if 0x80 <= code <= 0xFF else b"?" for code in codes), error.end


def _abandon_stdout() -> None:
    """Keep the interpreter from trying once more, at exit, to write what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: Sequence[str]) -> int:
    if list(argv) in ([], ["-h"], ["--help"]):
        print(front_page())
        return 0
    if list(argv) == ["--version"]:
        from airhop.cli.version import version

        print(version())
        return 0
    from airhop.cli.app import dispatch

    return dispatch(argv)


def front_page() -> str:
    """Write the help of `airhop` itself, which needs neither the parser nor any other import to be quick."""
    width = max(map(len, COMMANDS))
    return "\n".join(
        [
            "Usage: airhop COMMAND [ARGUMENTS]",
            "",
            "Simulate and compare TCP over wireless links.",
            "",
            "Commands:",
            *(f"  {name:<{width}}  {summary}" for name, summary in COMMANDS.items()),
            "",
            "  airhop COMMAND --help  explains a command",
            "  airhop --version       says which Airhop this is, and how it was built",
            "",
            "To begin: airhop compare last-hop reno sack snoop ll-elsn",
        ]
    )
