"""Reproduction of experiments: runs, checks of claims, figures, files and console output.

The package `experiments` defines runs, figures and claims, but writes no files; this package writes files and
reports.
"""

from __future__ import annotations

from airhop.reproduction.console import print_outcome
from airhop.reproduction.files import write_outcome
from airhop.reproduction.reproducing import reproduce

__all__ = ["print_outcome", "reproduce", "write_outcome"]
