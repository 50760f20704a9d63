"""Checks against ns-3.44's 802.11n, ac and ax: saturated stations with datagrams, and TCP over 802.11n."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from airhop.crosscheck.against_ns3 import NS3
from airhop.crosscheck.check import Check
from airhop.crosscheck.quantity import GOODPUT, SATURATION
from airhop.crosscheck.reference import Row, rows
from airhop.crosscheck.wifi_forms import CONTROL_MBPS, LONGEST_AMSDU, WINDOW, DurationSource, Link
from airhop.crosscheck.words import count, percent
from airhop.crosscheck.worlds import Document, Tcp, saturated_wifi
from airhop.stats import Estimate

WITHIN, SHORT_WITHIN = 0.06, 0.1
"""Bound of the difference, and bound for points with at least 20 stations and less than 2 s in ns-3."""
MOST_WITHIN, MOST = 0.03, 0.95
"""Narrower bound, and the minimum share of points within this bound."""

LIFETIME = "1000 s"
"""Lifetime of an MPDU in the runs of ns-3 (`WifiMacQueue::MaxDelay`). With 500 ms, twenty stations of 802.11n
would discard a sixth of their MPDUs. BlockAckReqs that move Block Ack windows would cost 3 % of the goodput.
"""


TCP_WITHIN = 0.12
"""Bound for TCP goodputs. The runs in ns-3 last 4 to 12 s."""
HOST: Tcp = {**NS3, "delayed_ack": {"segments": 2, "timeout": "40 ms"}, "rto": {"min": "200 ms"}}
"""TCP of ns-3's hosts."""
SENDERS: Mapping[str, tuple[str, str | Mapping[str, str], Tcp]] = {
    "newreno": (
        "LinuxReno",
        "sack",
        {**HOST, "halve_from": "cwnd", "growth": "per-byte", "validation": "full"},
    ),
    "cubic": ("CUBIC", {"name": "cubic", "slow_start": "hystart"}, HOST),
    "bbr": ("BBR", "bbr", HOST),
}
"""Name, scheme and TCP options of ns-3's senders. LinuxReno counts acknowledged segments, and grows only
while the whole window is in use, as Linux does. Slow start of ns-3's CUBIC ends by HyStart, not by
HyStart++.
"""
QUEUED = 300
"""Packets that a station of ns-3 stores, including packets in the Block Ack window."""


def checks() -> Iterator[Check]:
    """Yield a check for every row of wifi.csv and of wifi_tcp.csv."""
    for row, theirs in rows("wifi"):
        yield _check(row, theirs)
    for row, theirs in rows("wifi_tcp"):
        yield _tcp_check(row, theirs)


def link(row: Row) -> Link:
    """Return the transmission settings of a row."""
    cap = row["ampdu_cap"]
    return Link(
        row["std"],
        int(row["mcs"]),
        int(row["nss"]),
        int(row["width_mhz"]),
        int(row["gi_ns"]),
        None if cap == "max" else int(cap),
        row["rts"] == "1",
        int(row["payload"]),
        int(row["amsdu_cap"]),
    )


def settings(of: Link) -> Document:
    """Return a cell's keys for these settings; EIFS after collisions is off, as in ns-3."""
    aggregation: Document = {"bytes": "max" if of.ampdu is None else of.ampdu}
    if of.amsdu:
        aggregation["amsdu"] = min(of.amsdu, LONGEST_AMSDU[of.standard])
    keys: Document = {
        "width": f"{of.width} MHz",
        "guard_interval": f"{of.guard_ns} ns",
        "rate": {"mcs": of.mcs, "streams": of.streams},
        "control_rate": f"{CONTROL_MBPS} Mbit/s",
        "access": "rts-cts" if of.rts else "basic",
        "aggregation": aggregation,
        "eifs": "never",
    }
    return keys


def departures(of: Link) -> list[str]:
    """List ns-3's departures from the standard that change a PPDU with these settings."""
    found = []
    if of.standard == "n" and of.amsdu > LONGEST_AMSDU["n"]:
        found.append(f"MPDUs of up to 4095 B, not {of.amsdu + 30}")
    if of.standard == "ac":
        found.append("VHT-SIG-B of 4 µs added")
    if of.guard_ns == 400:
        found.append("short symbols rounded up to 4 µs")
    if of.standard == "ax" and of.guard_ns != 1600:
        ltf = 7.2 if of.guard_ns == 800 else 16.0
        found.append(f"HE-LTF of {ltf:g} µs, not 8")
    return found


def ratio(row: Row) -> float:
    """Return the closed-form goodput with the standard's durations divided by the goodput with ns-3's.

    The closed form depends on the row: a single station, single MPDUs with losses, A-MPDUs of the row's mean
    length, or Bianchi's model for contending stations.
    """
    of, stations, loss = link(row), int(row["nsta"]), float(row["mpdu_loss"])
    if stations > 1:
        return _ratio(lambda form: of.contended_goodput_mbps(stations, form))
    if loss and of.mpdus() == 1:
        return _ratio(lambda form: of.lossy_goodput_mbps(loss, form))
    if loss:
        mpdus = round(float(row["mpdus_per_ppdu"]))
        return _ratio(lambda form: 1 / of.cycle_us(form, mpdus))
    return _ratio(of.goodput_mbps)


def _ratio(of: Callable[[DurationSource], float]) -> float:
    return of(DurationSource.IEEE) / of(DurationSource.NS3)


def _check(row: Row, theirs: Estimate) -> Check:
    of, stations, loss = link(row), int(row["nsta"]), float(row["mpdu_loss"])
    keys = settings(of)
    if of.ampdu != 0:
        keys["lost_block_ack"] = "request" if row["bar_after_missed_ba"] == "1" else "resend"
        keys["lifetime"] = LIFETIME
    if row["be_txop_us"] != "-1":
        keys["txop"] = {"BE": f"{row['be_txop_us']} us"}
    if loss:
        keys["errors"] = {"kind": "bernoulli", "loss": loss}
    is_short = stations >= 20 and float(row["T_s"]) < 2
    excess = 1.3 if stations == 1 else 2.0
    # Retransmitted single MPDUs have backoffs of up to 1023 slots, so that a precise mean needs a long run.
    seconds = 10 if stations > 1 else 20 if loss and of.mpdus() == 1 else 4
    return Check(
        id=f"ns-3-wifi {' '.join(row.values())}",
        source="ns-3-wifi",
        scenario=_words(row, of),
        quantity=SATURATION,
        document=saturated_wifi(
            f"802.11{of.standard}",
            keys,
            stations=stations,
            offered_mbps=excess * theirs.mean / stations,
            seconds=seconds,
            payload=of.payload,
        ),
        theirs=Estimate(ratio(row) * theirs.mean, None, theirs.n),
        bound=SHORT_WITHIN if is_short else WITHIN,
        reps=3 if stations == 1 and not loss else 5,
        is_quick=of.standard == "ac" and of.width == 80 and row["exp"] != "a",
    )


def _words(row: Row, of: Link) -> str:
    group = "lone station"
    if row["exp"] == "c":
        group = f"MPDU loss {percent(row['mpdu_loss'])}"
    elif row["nsta"] != "1":
        group = count(row["nsta"], "station")
    parts = [
        group,
        f"802.11{of.standard}",
        f"MCS {of.mcs}",
        count(of.streams, "stream"),
        f"{of.width} MHz",
        f"guard interval {of.guard_ns} ns",
        "A-MPDU up to the standard's limit" if of.ampdu is None else f"A-MPDU up to {of.ampdu} B",
        "RTS/CTS" if of.rts else "basic access",
        f"{of.payload} B",
        f"{row['T_s']} s and seed {row['seed']} in ns-3",
    ]
    if of.ampdu == 0:
        parts[6] = "no A-MPDU"
    if of.amsdu:
        parts.insert(7, f"A-MSDU up to {of.amsdu} B")
    if row["be_txop_us"] != "-1":
        parts.append(f"TXOP limit {row['be_txop_us']} µs")
    if row["exp"] != "a" and of.ampdu != 0:
        parts.append("BlockAckReq first" if row["bar_after_missed_ba"] == "1" else "A-MPDU sent again")
    if row["retry_counts_under_ba"] == "1":
        parts.append("ns-3 counts retries")
    return ", ".join(parts) + "".join(f"; {one}" for one in departures(of))


def _tcp_check(row: Row, theirs: Estimate) -> Check:
    name, _, _ = SENDERS[row["scheme"]]
    parts = [
        f"{name} {row['dir']}",
        count(row["nsta"], "station"),
        f"MPDU loss {percent(row['mpdu_loss'])}",
        f"{row['T_s']} s after {row['warm_s']} s",
    ]
    return Check(
        id=f"ns-3-wifi-tcp {' '.join(row.values())}",
        source="ns-3-wifi-tcp",
        scenario=", ".join(parts),
        quantity=GOODPUT,
        document=tcp_document(row),
        theirs=theirs,
        bound=TCP_WITHIN,
        reps=8,
        is_quick=row["scheme"] == "bbr" and row["nsta"] == "1",
    )


def tcp_document(row: Row) -> Document:
    """Return the scenario of a row: a server, a wire of 20 ms, an access point and stations of 802.11n."""
    _, scheme, tcp = SENDERS[row["scheme"]]
    is_down, stations = row["dir"] == "down", [f"n{i}" for i in range(int(row["nsta"]))]
    keys = settings(Link("n", 7, 1, 20))
    if float(row["mpdu_loss"]):
        direction = "ap->n0" if is_down else "n0->ap"
        keys["errors"] = {"kind": "bernoulli", "loss": float(row["mpdu_loss"]), "direction": direction}
    wire = {"name": "wire", "ends": ["server", "ap"], "rate": "10 Gbit/s", "delay": "20 ms"}
    return {
        "name": "tcp-over-wifi",
        "duration": f"{float(row['warm_s']) + float(row['T_s']):g} s",
        "warmup": f"{row['warm_s']} s",
        "wired": [wire | {"queue": {"kind": "drop-tail", "packets": 20_000}}],
        "wlan": [
            {
                "name": "cell",
                "standard": "802.11n",
                "stations": {name: [0, 0] for name in ("ap", *stations)},
                "queue": {"kind": "drop-tail", "packets": QUEUED - WINDOW["n"]},
                "lost_block_ack": "request",
                "lifetime": LIFETIME,
                **keys,
            }
        ],
        "flow": [
            {
                "name": name,
                "from": "server" if is_down else name,
                "to": name if is_down else "server",
                "start": f"{50 * number} ms",
                "scheme": scheme,
                "segment": "1448 B",
                "app": {"kind": "bulk"},
                "tcp": tcp,
            }
            for number, name in enumerate(stations)
        ],
    }
