"""`airhop notify`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from airhop.cli import EXIT_FAILED
from airhop.cli.common.app import Json
from airhop.cli.common.output import print_json, say
from airhop.errors import InputError
from airhop.live.notify import Notice, Notifier, from_file, from_socket, parse_prefix, recorded, sender

KINDS = ("events", "no event", "ersn", "eln", "withheld", "unsent")
MOST_ERRORS = 5
"""Maximum number of invalid lines with a printed reason."""


def notify(
    *,
    to: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    socket: Path = Path("/run/airhop/events"),
    record: Annotated[Path | None, Parameter(show_default=False)] = None,
    play: Annotated[Path | None, Parameter(show_default=False)] = None,
    dry_run: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    as_json: Json = False,
) -> int:
    """Notify TCP senders of the losses that a real link layer reports, as LL-ELSN does.

    A driver or hostapd writes events into a socket, until Ctrl-C. The source of a segment gets an ERSN when
    the link layer begins to retransmit the segment, and an ELN when the link layer discards it. The exit code
    of --play is 1 if a line is no event.

    Parameters
    ----------
    to
        Addresses of senders with a listener for notices, as in 10.0.0.1 or 10.0.0.0/8. Can be repeated.
        Other senders receive no notice.
    socket
        Stream socket of the events, one per line.
    record
        File for the received events with their times.
    play
        File of recorded events, read instead of the socket.
    dry_run
        Print the notices instead of sending them; the events of a file are then processed without waiting.
    """
    if not to:
        raise InputError(
            "expected --to, the senders with a listener: any other TCP processes a notice as an"
            " ACK of lost data"
        )
    if play is not None and record is not None:
        raise InputError("--play and --record exclude each other: the file of events exists already")
    prefixes = [parse_prefix(text) for text in to]
    quietly = as_json and dry_run
    send: Callable[[Notice], None] = (_drop if quietly else _show) if dry_run else sender()
    notifier = Notifier(prefixes, send)
    try:
        if play is not None:
            _process_events(from_file(play, at_their_times=not dry_run), notifier)
        else:
            say(f"listening at {socket}; Ctrl-C ends it")
            lines = from_socket(socket)
            _process_events(lines if record is None else recorded(lines, record), notifier)
    finally:
        _print_counts(notifier, as_json)
    return EXIT_FAILED if notifier.counts["no event"] else 0


def _process_events(lines: Iterable[str], notifier: Notifier) -> None:
    for line in lines:
        try:
            notifier.hear(line)
        except InputError as error:
            if notifier.counts["no event"] <= MOST_ERRORS:
                say(f"airhop: {error}")


def _show(notice: Notice) -> None:
    print(notice, flush=True)


def _drop(_notice: Notice) -> None:
    """Ignore a notice, in place of sending it."""


def _print_counts(notifier: Notifier, as_json: bool) -> None:
    counts = {kind: notifier.counts[kind] for kind in KINDS}
    if as_json:
        print_json({kind.replace(" ", "_"): count for kind, count in counts.items()})
    else:
        say(", ".join(f"{count} {kind}" for kind, count in counts.items()))
