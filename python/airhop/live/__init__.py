"""Emulations, in which programs send real packets over a scenario's links, and replays of their logs."""

from airhop.live.emulation import Emulation, emulate
from airhop.live.logs import Log, replay
from airhop.live.privileges import Privilege, privilege, privileges

__all__ = ["Emulation", "Log", "Privilege", "emulate", "privilege", "privileges", "replay"]
