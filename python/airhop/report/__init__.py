"""Report of studies and experiments: one HTML file that loads nothing from a network."""

from __future__ import annotations

from airhop.report.calculated import CalculationChapter, calculation_page
from airhop.report.chapter import Chapter, chapter_of_outcome
from airhop.report.folder import report_folder
from airhop.report.packets.traced import TracedRun
from airhop.report.page import write_report

__all__ = [
    "CalculationChapter",
    "Chapter",
    "TracedRun",
    "calculation_page",
    "chapter_of_outcome",
    "report_folder",
    "write_report",
]
