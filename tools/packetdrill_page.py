#!/usr/bin/env python3
"""Run suites of packetdrill scripts and write docs/packetdrill.csv, from which docs.py makes a page.

An argument NAME=FOLDER names a suite; other suites keep their rows. Airhop's own scripts always run. Scripts
that fail, and Airhop's own, also run on the kernel of this machine, which needs root.
"""

from __future__ import annotations

import csv
import platform
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from airhop.crosscheck.packetdrill import CheckedScript, judge, scripts
from blocks import table

PAGE = "packetdrill.md"
ROOT = Path(__file__).resolve().parent.parent
ROWS = ROOT / "docs" / "packetdrill.csv"
OWN, OWN_SCRIPTS = "airhop", ROOT / "crates" / "tcp" / "tests" / "scripts"
ABOUT = {
    OWN: "`crates/tcp/tests/scripts`, a script for each rule of TCP",
    "google": "[google/packetdrill](https://github.com/google/packetdrill), `gtests/net`",
    "linux": "Linux 6.12, `tools/testing/selftests/net/packetdrill`",
    "nplab": (
        "[nplab/packetdrill](https://github.com/nplab/packetdrill), `gtests/net/packetdrill/tests/linux`"
    ),
    "freebsd": (
        "[freebsd-net/tcp-testsuite](https://github.com/freebsd-net/tcp-testsuite), `rcv-data-segments`"
    ),
}
"""Suites by name, in the order of the page."""
OLD_HYSTART = (
    "the script is older than Linux 6.14, in which the first round of HyStart begins with the connection"
)
OLD_SYN = "the script is older than Linux 6.5, in which the first four timeouts of a SYN do not double"
EARLY = "the script expects early retransmit (RFC 5827), which Linux replaced by RACK"
REASONS = {
    "tcp/cubic/cubic-bulk-166k.pkt": OLD_HYSTART,
    "tcp/cubic/cubic-bulk-166k-idle-restart.pkt": OLD_HYSTART,
    "tcp/fast_retransmit/fr-4pkt-fack-last-mss.pkt": (
        "the script is older than Linux 6.6, in which RACK's timer exceeds its window by two"
        " milliseconds instead of two ticks"
    ),
    "packetdrill/tests/packet-timeout.pkt": OLD_SYN,
    "tcp/shutdown/shutdown-rdwr-write-queue-close.pkt": (
        "the script expects a Linux that sends the last FIN beyond the congestion window"
    ),
    "early_retransmit/er-delayed-get-ack-3pkt-sack.pkt": EARLY,
    "early_retransmit/er-quick-2pkt-sack.pkt": EARLY,
    "early_retransmit/er-quick-3pkt-sack.pkt": EARLY,
    "fast_recovery/prr-ss-ack-below-snd_una-reno.pkt": "the script expects the rate halving of Linux 3",
    "undo/undo-fr-acks-dropped-then-dsack.pkt": (
        "the script expects Linux 3; in `tcp_cong_control()` of Linux 6 an ACK that undoes a recovery also"
        " grows the window"
    ),
}
"""Reasons of failures, by suite and path of the script."""
HEAD = """# Results of packetdrill scripts

[packetdrill](https://www.usenix.org/conference/atc13/technical-sessions/presentation/cardwell) (Cardwell et
al. 2013) tests TCP by scripts. A script lists the packets of a peer, the calls of an application, and the
expected packets and socket state, to the millisecond. Airhop runs these scripts against its own TCP in
virtual time. The tested end connects or accepts, performs the handshake, and sends and receives data:

```sh
cat > first-flight.pkt <<'END'
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 32792 <mss 1000,sackOK,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <...>
+.1 < . 1:1(0) ack 1 win 257
+0 accept(3, ..., ...) = 4
// RFC 6928: an initial window of ten segments
+0 write(4, ..., 20000) = 20000
+0 > P. 1:10001(10000) ack 1
+0 %{ assert tcpi_snd_cwnd == 10 and tcpi_unacked == 10 }%
END
airhop doctor --packetdrill first-flight.pkt
```

`--kernel` tests the kernel of this machine instead, in a network namespace, in real time. Airhop runs a
script up to three times, because a busy machine may delay packets. The option needs root or user namespaces,
and runs the scripts' shell commands, as packetdrill does.

A script **passes** if all its expectations hold. It **fails** at the first difference. It **does not apply**
if it uses a feature that Airhop does not model before the first comparison. If the script uses such a feature
later, it passes up to that line, and its result names the line. Airhop compares the time, flags, sequence and
acknowledgement numbers, ECN field, timestamps and SACK blocks of segments. It compares windows and options of
SYNs on the kernel only, and PSH only in scripts with `--push`. With `--complete` an additional segment is
also a difference. Several segments may replace one expected segment, because Airhop has no segmentation
offload.

Rules of RFCs also apply to senders with other presets, schemes and recoveries. A script names such senders in
`--also=preset:scheme` or `--also=preset:scheme:recovery`, and Airhop's tests also run the script with these
senders. Scripts in `crates/tcp/tests/senders` are for these senders only.

## Suites

The source tree contains only Airhop's own scripts. This command runs copies of the other suites:

```text
python tools/packetdrill_page.py google=FOLDER linux=FOLDER nplab=FOLDER freebsd=FOLDER
```

"""


class Row(NamedTuple):
    """Verdict on a script."""

    suite: str
    script: str
    verdict: str
    checks: str
    line: str
    text: str
    """Difference, or reason why the script does not apply or ends early."""
    kernel: str
    """Verdict on this machine's kernel; `same` if the kernel fails at the same line, empty if not run."""


def measure(suite: str, folder: Path) -> Iterator[Row]:
    """Run the scripts of a suite."""
    for path in scripts(folder):
        judged = judge(path)
        asked = suite == OWN or judged.verdict == "fail"
        kernel = _on_kernel(judged) if asked else ""
        text = judged.reason or ""
        if judged.verdict == "fail":
            text = f"expected {judged.expected}; seen {judged.seen}"
        name = path.relative_to(folder).as_posix()
        yield Row(suite, name, judged.verdict, str(judged.checks), str(judged.line or ""), text, kernel)


def _on_kernel(judged: CheckedScript) -> str:
    asked = judge(judged.path, kernel=True)
    is_same = asked.verdict == "fail" == judged.verdict and asked.line == judged.line
    return "same" if is_same else asked.verdict


def read() -> list[Row]:
    """Read the verdicts."""
    with ROWS.open(encoding="utf-8", newline="") as file:
        return [Row(**row) for row in csv.DictReader(file)]


def write(rows: Iterable[Row]) -> None:
    """Write the verdicts, in the order of the suites and of the scripts' names."""
    order = list(ABOUT)
    with ROWS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row._fields)
        ordered: list[Row] = sorted(rows, key=lambda row: (order.index(row.suite), row.script))
        writer.writerows(ordered)


def page() -> str:
    """Return the page."""
    rows = read()
    parts = [HEAD, counts(rows), "\n## Failures\n\n", failures(rows), KERNEL_SAYS, unmodelled(rows)]
    return "".join(parts)


KERNEL_SAYS = """
"Also Linux" means that Linux 6.18 fails the script at the same line. Linux 6.18 passes every script of
`airhop`.

## Scripts that do not apply

The table lists the features that Airhop does not model, and the number of scripts that use each feature:

"""


def counts(rows: Sequence[Row]) -> str:
    """Count the verdicts of each suite."""

    def line(suite: str) -> tuple[str, ...]:
        verdicts = Counter(row.verdict for row in rows if row.suite == suite)
        numbers = [verdicts[kind] for kind in ("pass", "fail", "not-applicable")]
        checks = sum(int(row.checks) for row in rows if row.suite == suite)
        return (ABOUT[suite], *map(str, [sum(numbers), *numbers, checks]))

    known = [suite for suite in ABOUT if any(row.suite == suite for row in rows)]
    return table(("suite", "scripts", "pass", "fail", "do not apply", "checks"), map(line, known))


def failures(rows: Sequence[Row]) -> str:
    """List the scripts that fail, each with its reason."""
    failed = [row for row in rows if row.verdict == "fail"]
    return table(("suite", "script", "line", "difference", "reason"), map(failure, failed), left=5)


def failure(row: Row) -> tuple[str, ...]:
    """Return the cells of a failure."""
    why = REASONS.get(row.script, "open")
    too = "; also Linux" if row.kernel == "same" else ""
    return (row.suite, f"`{row.script}`", row.line, f"`{row.text}`".replace("|", "\\|"), f"{why}{too}")


def unmodelled(rows: Sequence[Row]) -> str:
    """List the reasons why scripts do not apply or end early, the most frequent first."""
    reasons = Counter(kind(row.text) for row in rows if row.text and row.verdict != "fail")
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    return table(("", "scripts"), ((why.replace("|", "\\|"), str(often)) for why, often in ordered))


def kind(text: str) -> str:
    """Group reasons by their subject."""
    kinds = {
        "Fast Open": ("FASTOPEN", "fastopen", "Fast Open"),
        "resets": ("reset", "with R", "with SR"),
        "packets of other protocols": ("not plain TCP", "not of TCP"),
        "no check after the handshake": ("nothing is asked",),
        "options of sockets": ("setsockopt",),
        "settings of the system": ("sysctl", "route", "`"),
        "`MSG_EOR`, `MSG_MORE`": ("MSG_",),
        "a segment outside of the connection": ("outside of a connection", "during a connection"),
    }
    found = (name for name, words in kinds.items() if any(word in text for word in words))
    return next(found, text)


def main(words: Sequence[str]) -> None:
    """Run the named suites."""
    if platform.system() != "Linux":
        sys.exit("scripts run on a Linux kernel only")
    folders = {OWN: OWN_SCRIPTS} | {name: Path(where) for name, _, where in (w.partition("=") for w in words)}
    if unknown := folders.keys() - ABOUT.keys():
        sys.exit(
            f"expected NAME=FOLDER with a name of {', '.join(ABOUT)}; found {', '.join(sorted(unknown))}"
        )
    kept = [row for row in read() if row.suite not in folders] if ROWS.exists() else []
    write([*kept, *(row for suite, folder in folders.items() for row in measure(suite, folder))])


if __name__ == "__main__":
    main(sys.argv[1:])
