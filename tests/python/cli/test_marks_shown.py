"""The command `run` prints ECN marks if packets were marked."""

from __future__ import annotations

from command_line import Cli

RED = '{ kind = "red", packets = 50, min = 2, max = 8, weight = 0.1, ecn = true }'
MARKED = (
    "--set",
    f"wired.w2.queue={RED}",
    "--set",
    "wired.w2.rate=1 Mbit/s",
    "--set",
    "flow.ftp.tcp.ecn=true",
)


def test_run_prints_ecn_marks_only_if_packets_were_marked(cli: Cli) -> None:
    words = ("run", "last-hop", "--set", "duration=3 s")
    marked, plain = cli(*words, *MARKED), cli(*words)
    assert marked.code == plain.code == 0
    assert (
        "sojourn times in queues" in marked.out
        and "marked" in marked.out
        and "r1->bs" in marked.out
        and "ECT(0)" in marked.out
    )
    assert "marks" not in plain.out and "sojourn times in queues" in plain.out
