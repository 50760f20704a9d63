"""Effect of the length of fades between mobiles, as in the paper's setting; both links fade independently."""

from __future__ import annotations

from airhop.experiments.kounavis1996.fade_length import over_fades
from airhop.experiments.kounavis1996.networks import MOBILE

EXPERIMENT = over_fades("fade-length-m2m", MOBILE, "-m2m", own=("kou-4-local",))
