"""ERSN, EBSN and RTTN with equal fades, between mobiles.

Most notices cross the sender's own radio link. The paper's sender receives no notices from its own link
layer. An additional curve shows a sender that does.
"""

from __future__ import annotations

from airhop.experiments.experiment import Curve
from airhop.experiments.kounavis1996.networks import MOBILE
from airhop.experiments.kounavis1996.notices import on_the_same_fades

HEARD = Curve("ebsn-own-link", "EBSN, own link heard", {"name": "ebsn", "base": "tahoe", "own_link": "heard"})

EXPERIMENT = on_the_same_fades("notices-m2m", MOBILE, "-m2m", (HEARD,))
