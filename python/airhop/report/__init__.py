"""Self-contained HTML file of studies and experiments: no request leaves the page."""

from __future__ import annotations

from airhop.report.calculated import CalculationChapter, page_of_calculation
from airhop.report.chapter import Chapter, chapter_of_outcome
from airhop.report.folder import report_folder
from airhop.report.packets.traced import TracedRun
from airhop.report.page import write_report

__all__ = [
    "CalculationChapter",
    "Chapter",
    "TracedRun",
    "chapter_of_outcome",
    "page_of_calculation",
    "report_folder",
    "write_report",
]
