"""Real packets: programs of this machine send through a scenario's links; what entered can be replayed."""

from airhop.live.emulation import Emulation, emulate
from airhop.live.logs import Log, replay
from airhop.live.privileges import Privilege, privilege, privileges

__all__ = ["Emulation", "Log", "Privilege", "emulate", "privilege", "privileges", "replay"]
