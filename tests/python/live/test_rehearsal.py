"""Emulations in virtual time: a replay equals the emulation, contradicts no law, and detects damage."""

from pathlib import Path

from airhop.verify.emulations import look

SEEDS = range(12)


def test_rehearsed_emulations_replay_equally_and_pass_the_verifier(tmp_path: Path) -> None:
    """Networks, hosts and datagrams are random; `python -m airhop.verify.emulations` tests more of them.

    A network cannot be emulated if a service has no effect on real packets, or if keys are incompatible.
    """
    looks = [look(seed, str(tmp_path)) for seed in SEEDS]
    assert [(seed, findings) for seed, _, findings in looks if findings] == []
    assert sum(steps > 0 for _, steps, _ in looks) >= len(SEEDS) // 2
