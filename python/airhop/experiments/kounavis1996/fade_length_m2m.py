"""Effect of the mean fade length on a path from mobile to mobile; both radio links fade independently."""

from __future__ import annotations

from airhop.experiments.kounavis1996.fade_length import over_fades
from airhop.experiments.kounavis1996.networks import MOBILE

EXPERIMENT = over_fades("fade-length-m2m", MOBILE, "-m2m", own=("kou-4-local",))
