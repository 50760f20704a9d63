"""A download over 802.11ac: FQ-CoDel at the access point."""

from __future__ import annotations

from airhop.experiments.wifi.download import Kind, download

EXPERIMENT = download(Kind("ac", "fq-codel"))
