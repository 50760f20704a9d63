"""Time limits of tests."""

PATIENCE_S = 120.0
"""Far beyond what anything takes on a busy machine: what comes later than this never comes."""
