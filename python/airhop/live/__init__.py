"""Real packets: programs send through a scenario's links, and recorded input can be replayed."""

from airhop.live.emulation import Emulation, emulate
from airhop.live.logs import Log, replay
from airhop.live.privileges import Privilege, privilege, privileges

__all__ = ["Emulation", "Log", "Privilege", "emulate", "privilege", "privileges", "replay"]
