"""What commands print of runs, as tables."""
