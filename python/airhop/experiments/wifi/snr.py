"""Download of a single station with MPDU losses by SNR, at distances up to and beyond the MCS's range."""

from __future__ import annotations

from collections.abc import Mapping

from airhop.experiments.asked import LAST, Asked, Span
from airhop.experiments.experiment import Claim, Experiment, PlottedAxis
from airhop.experiments.samples import Samples
from airhop.experiments.today.duels import has_more
from airhop.experiments.wifi import (
    AS_GOOD,
    CLEARLY,
    MORE,
    STANDARDS,
    lone_download,
)
from airhop.experiments.wifi.claims import hidden, of_notices

PLACES: Mapping[str, tuple[float, float, float, float]] = {
    "n": (5.0, 28.6, 30.4, 32.5),
    "ac": (5.0, 11.8, 12.65, 13.5),
    "ax": (5.0, 8.85, 9.2, 9.45),
}
"""Distances in metres by standard, at which almost no MPDU, 10 %, 50 % and 95 % of the MPDUs are lost."""
BY_SNR = {"kind": "snr", "model": "table"}


def distance(standard: str) -> PlottedAxis:
    """Return the axis of the station's distance from the access point."""
    places = PLACES[standard]
    return PlottedAxis(
        key="distance_m",
        name="distance",
        paths=("wlan.cell.stations.sta",),
        label="Distance (m)",
        full=places,
        coarse=places[2:3],
        unit="m",
        limits=(0.0, places[-1] + 1.0),
        takes={place: ([place, 0.0],) for place in places},
    )


def beyond(name: str, axis: PlottedAxis) -> tuple[Claim[Samples], ...]:
    """Return the claims about the largest distance."""
    return (
        Claim(
            f"{name}-beyond",
            "Beyond the range of the MCS, notices pay: LL-ELSN delivers more than 1.05 times as much as "
            "CUBIC.",
            Asked(has_more, axis, ("ll-elsn",), "cubic", CLEARLY, LAST),
        ),
        Claim(
            f"{name}-beyond-bbr",
            "Beyond the range of the MCS, BBR is as good as LL-ELSN: it delivers more than 0.95 times as "
            "much.",
            Asked(has_more, axis, ("bbr",), "ll-elsn", AS_GOOD, LAST),
        ),
    )


def download(standard: str) -> Experiment:
    """Return the experiment of a standard."""
    name, axis, places = f"{standard}-snr", distance(standard), PLACES[standard]
    inside = Span(places[1], places[2])
    where = f"at {places[1]} m (10 % of the MPDUs lost) and {places[2]} m (50 %)"
    claims = (
        hidden(name, inside, where),
        *of_notices(name, axis, inside, where, "at every distance"),
        *beyond(name, axis),
    )
    title = " with MPDU losses by SNR"
    return lone_download(name, standard, title, axis, places[2], claims, {"wlan.cell.errors": BY_SNR}, MORE)


EXPERIMENTS = tuple(download(standard) for standard in STANDARDS)
