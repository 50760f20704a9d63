"""Emulation of a scenario's links for the packets of real programs, and replay of the logs."""

from airhop.live.emulation import Emulation, emulate
from airhop.live.logs import Log, replay
from airhop.live.privileges import Privilege, privilege, privileges

__all__ = ["Emulation", "Log", "Privilege", "emulate", "privilege", "privileges", "replay"]
