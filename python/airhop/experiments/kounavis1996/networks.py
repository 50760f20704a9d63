"""The two topologies of Kounavis 1996, and the ARQ of their radio links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

DOWN = {"kind": "go-back-n", "window": 3}
UP = {"kind": "selective-repeat", "window": 8}
NONE = {"kind": "none"}


@dataclass(frozen=True)
class Network:
    """One of the paper's two topologies."""

    scenario: str
    data_go_down: Mapping[str, bool]
    """Direction of data on each radio link: True from base station to mobile, False from mobile."""
    name: str
    """Name of the topology, for the end of titles."""

    @property
    def recovery(self) -> dict[str, object]:
        """Settings of local recovery on every radio link: Go-Back-3 down, selective retransmission up."""
        return self.arq(DOWN, UP)

    @property
    def plain(self) -> dict[str, object]:
        """Settings of radio links that send every frame once."""
        return self.arq(NONE, NONE)

    def arq(self, down: Mapping[str, object], up: Mapping[str, object]) -> dict[str, object]:
        """Return the settings of every radio link: `down` is the ARQ to mobiles, and `up` from mobiles."""
        return {
            f"radio.{link}.{way}": dict(arq)
            for link, data_go_down in self.data_go_down.items()
            for way, arq in zip(("arq", "arq_back"), (down, up) if data_go_down else (up, down), strict=True)
        }

    def each(self, key: str) -> tuple[str, ...]:
        """Return the scenario path of a key for every radio link."""
        return tuple(f"radio.{link}.{key}" for link in self.data_go_down)


FIXED = Network("kounavis1996-fixed-mobile", {"air": True}, "fixed to mobile")
MOBILE = Network("kounavis1996-mobile-mobile", {"first": False, "last": True}, "mobile to mobile")
