"""The `airhop` command."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from airhop.boundary.streams import prepare_streams

COMMANDS = {
    "run": "Run a scenario once and print the results of its flows and links.",
    "compare": "Run a scenario under several schemes and compare them, with confidence intervals.",
    "emulate": "Connect programs of this machine to a scenario's links, in real time.",
    "deploy": "Install a congestion control in the kernel of this machine.",
    "notify": "Notify TCP senders of the losses that a real link layer reports.",
    "replay": "Replay the log of an emulation, without its hosts.",
    "view": "Explore a scenario in the browser: figures follow sliders and a choice of schemes.",
    "responsiveness": "Measure latency without load, and responsiveness under working conditions.",
    "sweep": "Run a study, a replicated grid of values; existing rows are reused.",
    "reproduce": "Reproduce figures and tables of published papers and check their claims.",
    "report": "Write one interactive HTML file about the studies and experiments of a folder.",
    "show": "Print a scenario with every default written out.",
    "fades": "Write the fades of a scenario's links to files, for replay in any scenario.",
    "new-scheme": "Write the files of a new scheme: a scheme that runs, and a test of its window law.",
    "schemes": "List the schemes, or describe one.",
    "bench": "Measure the speed of the simulator, and of ns-2 and ns-3 if installed.",
    "doctor": "Check this installation.",
    "completion": "Print the script that completes commands in bash, zsh or fish.",
}
"""Summaries by command. Each command has a module and a function of the same name in airhop.cli."""

EXIT_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code: 0 ok, 1 failed, 2 bad input, 130 interrupted."""
    prepare_streams()
    try:
        code = _run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except BrokenPipeError:
        code = 0  # the program that reads the pipe has closed it
        _discard_stdout()
    except OSError as error:
        from airhop.cli.common.output import say

        code = EXIT_FAILED
        say(f"airhop: {_error_text(error)}")
        _discard_stdout()
    except KeyboardInterrupt as interrupt:
        code = EXIT_INTERRUPTED
        print(f"airhop: {str(interrupt) or 'interrupted'}", file=sys.stderr)
    _exit_with_running_threads(code)
    sys.exit(code)


def _error_text(error: OSError) -> str:
    """Format an operating-system error, with the file name if the error contains one."""
    # only an error of a deleted working directory lacks a file name
    if isinstance(error, FileNotFoundError) and error.filename is None:
        return "the working directory no longer exists; change to another folder"
    return f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)


def _exit_with_running_threads(code: int) -> None:
    """End the process immediately if a thread still executes a scheme's code.

    The code may never return. A normal exit of the interpreter would free memory that the thread uses, or
    wait for the thread for ever.
    """
    core = sys.modules.get("airhop._core")
    if core is not None and core.threads_at_work():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _discard_stdout() -> None:
    """Prevent a second write error when the interpreter flushes stdout at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: Sequence[str]) -> int:
    if list(argv) in ([], ["-h"], ["--help"]):
        print(front_page())
        return 0
    if list(argv) == ["--version"]:
        from airhop.cli.version import version

        print(version())
        return 0
    from airhop.cli.common.app import dispatch

    return dispatch(argv)


def front_page() -> str:
    """Return the help of `airhop` without importing the parser or any command."""
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
            "  airhop --version       prints the version and the build of Airhop",
            "",
            "First command: airhop compare last-hop reno sack snoop ll-elsn",
        ]
    )
