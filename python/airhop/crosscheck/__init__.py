"""What is simulated beside what is known from elsewhere: closed forms, and runs of ns-2, ns-3 and Linux.

`airhop doctor --cross-check` makes these comparisons, and docs/cross-checks.md prints them.
"""

from __future__ import annotations

from airhop.crosscheck.check import Check, Reason, Row, Verdict, measure
from airhop.crosscheck.checks import SOURCES, Source, checks

__all__ = ["SOURCES", "Check", "Reason", "Row", "Source", "Verdict", "checks", "measure"]
