"""`airhop report`."""

from __future__ import annotations

from pathlib import Path

from airhop.cli.common.output import say
from airhop.progress import reporter_for_stderr


def report(folder: Path = Path("airhop-out"), /, *, out: Path | None = None, flow: str | None = None) -> None:
    """Write one HTML file about every study and experiment of a folder, and figures for print.

    The file needs no network connection. It contains figures, tables, and the command of every point.

    Parameters
    ----------
    folder
        Folder of `sweep` and `reproduce`.
    out
        The file to write; by default report.html in the folder.
    flow
        TCP flow, or connection such as `api#3`, of the time-line; by default the first TCP flow of each run.
    """
    from airhop.report.folder import report_folder  # imports bokeh, which shell completion does not need

    written = report_folder(folder, out, reporter_for_stderr(), flow=flow)
    for path in written:
        print(path)
    say(f"airhop: open {written[0].absolute().as_uri()} in a browser")
