"""The broken law detects every fault planted in a trace, its scenario or its document."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from faults import FAULTS
from forged import Recorded

from airhop.verify import LAWS


@pytest.mark.parametrize(
    ("law", "run", "forge"), FAULTS, ids=[f"{run}-{forge.__name__.lstrip('_')}" for _, run, forge in FAULTS]
)
def test_the_verifier_detects_a_planted_fault(law: str, run: str, forge: Callable[[Recorded], None]) -> None:
    forged = Recorded(run)
    forge(forged)
    assert forged.breaks(law)


def test_every_law_has_a_planted_fault() -> None:
    assert {law for law, _, _ in FAULTS} == set(LAWS)
    front = Path(__file__).resolve().parents[3] / "docs" / "checked.md"
    assert f"; {len(FAULTS)} planted faults |" in front.read_text(encoding="utf-8")
