"""`airhop doctor --packetdrill`: verdicts on scripts, one line each."""

from __future__ import annotations

from pathlib import Path

from airhop.cli import EXIT_FAILED
from airhop.cli.common.again import Again
from airhop.cli.common.output import console, print_json
from airhop.crosscheck.packetdrill import judge_all, needs_restart, scripts, summary
from airhop.live.privileges import RESTART
from airhop.progress import reporter_for_stderr


def packetdrill(where: Path, *, kernel: bool, as_json: bool) -> int:
    """Run the scripts, print the verdicts, and return the exit code: 1 if a script fails or is unreadable."""
    found = scripts(where)
    if kernel and needs_restart():
        raise Again(RESTART)
    judged = list(judge_all(found, reporter_for_stderr(), kernel=kernel))
    counts = summary(judged)
    if as_json:
        print_json({"scripts": [one.to_dict() for one in judged], "counts": counts})
    else:
        out = console()
        for one in judged:
            out.print(one.told, soft_wrap=True)
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
        out.print(f"{len(judged)} scripts: {told}", style="bold")
    return EXIT_FAILED if counts["fail"] or counts["unreadable"] else 0
