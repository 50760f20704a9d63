"""Evaluation of traces (positions, delays, notices, causes of losses), and the choice of an ELN filter."""
