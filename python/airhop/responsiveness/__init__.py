"""Responsiveness under working conditions (draft-ietf-ippm-responsiveness) for TCP and HTTP without TLS."""

from __future__ import annotations

from airhop.responsiveness.measure import DIRECTIONS, Loaded, Responsiveness, Test, measure

__all__ = ["DIRECTIONS", "Loaded", "Responsiveness", "Test", "measure"]
