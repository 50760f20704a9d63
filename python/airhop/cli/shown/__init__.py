"""Printed tables of runs."""
