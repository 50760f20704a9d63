"""Emulations without a machine: a replay of the log is the same, contradicts no law, and damage is seen."""

from pathlib import Path

from airhop.verify.emulations import look

SEEDS = range(12)


def test_rehearsed_emulations_replay_equally_and_pass_the_verifier(tmp_path: Path) -> None:
    """Random networks, hosts and datagrams; more of them by `python -m airhop.verify.emulations`.

    Of networks that cannot be emulated, a service has no effect on real packets, or parts do not go together.
    """
    looks = [look(seed, str(tmp_path)) for seed in SEEDS]
    assert [(seed, findings) for seed, _, findings in looks if findings] == []
    assert sum(steps > 0 for _, steps, _ in looks) >= len(SEEDS) // 2
