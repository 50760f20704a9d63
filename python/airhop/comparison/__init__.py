"""Comparison of schemes, or of values of scenario keys, in one scenario with the same channel errors."""

from airhop.comparison.comparison import METRICS, SHOWN_OF_DATAGRAMS, Comparison, InterruptedComparison, Row
from airhop.comparison.runs import compare

__all__ = ["METRICS", "SHOWN_OF_DATAGRAMS", "Comparison", "InterruptedComparison", "Row", "compare"]
