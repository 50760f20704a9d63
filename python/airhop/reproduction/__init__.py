"""Reproduction of experiments: runs, checks of claims, figures, files and console output.

Experiments define runs, figures and claims without any knowledge of files and reports; this package combines
both.
"""

from __future__ import annotations

from airhop.reproduction.console import print_outcome
from airhop.reproduction.files import write_outcome
from airhop.reproduction.reproducing import reproduce

__all__ = ["print_outcome", "reproduce", "write_outcome"]
