"""What the report shows of single runs, packet by packet: time-lines, frames on the air, round trips."""
