"""Time limits of tests."""

PATIENCE_S = 120.0
"""Time limit far beyond the duration of any step on a busy machine, s."""
