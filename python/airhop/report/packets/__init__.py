"""Figures of single runs in the report, packet by packet: time-lines, frames on the air, round trips."""
