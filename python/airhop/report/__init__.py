"""One self-contained HTML file per experiment: no request leaves the page, everything needed is inside."""

from __future__ import annotations

from airhop.report.page import write_report
from airhop.report.traced import TracedRun, trace_runs

__all__ = ["TracedRun", "trace_runs", "write_report"]
