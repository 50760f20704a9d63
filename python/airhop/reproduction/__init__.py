"""Reproducing experiments: making their runs exist, judging, drawing, writing and printing.

Experiments say what is run, drawn and claimed, and know nothing of files and reports: here both meet.
"""

from __future__ import annotations

from airhop.reproduction.console import print_outcome
from airhop.reproduction.files import write_outcome
from airhop.reproduction.reproducing import reproduce

__all__ = ["print_outcome", "reproduce", "write_outcome"]
