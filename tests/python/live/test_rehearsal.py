"""Emulations without a machine: a replay of the log is the same, contradicts no law, and damage is seen."""

from pathlib import Path

import pytest

from airhop.verify.emulations import look

SEEDS = range(16)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rehearsed_emulation_is_replayed_and_verified(tmp_path: Path, seed: int) -> None:
    """Random networks, hosts and datagrams; more of them by `python -m airhop.verify.emulations`."""
    _, _, findings = look(seed, str(tmp_path))
    assert findings == []


def test_most_networks_can_be_emulated(tmp_path: Path) -> None:
    """Of those that cannot, a service has no effect on real packets, or parts do not go together."""
    assert sum(look(seed, str(tmp_path))[1] > 0 for seed in SEEDS) >= len(SEEDS) // 2
