"""Comparison of schemes, and of values of keys, on the same scenario with the same fades."""

from airhop.comparison.comparison import METRICS, SHOWN_OF_DATAGRAMS, Comparison, InterruptedComparison, Row
from airhop.comparison.runs import compare

__all__ = ["METRICS", "SHOWN_OF_DATAGRAMS", "Comparison", "InterruptedComparison", "Row", "compare"]
