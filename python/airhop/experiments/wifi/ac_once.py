"""A download over 802.11ac whose MPDUs are each sent once: a service of the network may repair them."""

from __future__ import annotations

from airhop.experiments.wifi.download import Kind, download

EXPERIMENT = download(Kind("ac", once=True))
