"""Comparisons of simulated results with closed forms, and with measurements of ns-2, ns-3 and Linux.

`airhop doctor --cross-check` computes these comparisons, and docs/cross-checks.md reports them.
"""

from __future__ import annotations

from airhop.crosscheck.check import Check, Reason, Row, Verdict, measure
from airhop.crosscheck.checks import SOURCES, Source, checks

__all__ = ["SOURCES", "Check", "Reason", "Row", "Source", "Verdict", "checks", "measure"]
