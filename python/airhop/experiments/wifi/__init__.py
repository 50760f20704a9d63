"""Benefit of explicit notices on a last hop of 802.11n, ac or ax, where Block Ack repairs MPDU losses.

No paper has this experiment. `airhop reproduce airhop/wifi-last-hop` runs all of it, and the page "Notices
under Block Ack" reports the results. A server sends over a wire of 20 ms to an access point, which sends to a
station, alone or among five stations. MPDUs with data and MPDUs with TCP ACKs are lost independently, or by
the SNR at the station's distance. The link layer retransmits lost MPDUs for up to 500 ms (the MPDU lifetime).
In the experiments of the module `discards`, the link layer discards packets after few attempts or a short
lifetime.

All senders have the TCP of Linux, so that only schemes and services differ. The words of claims were defined
before the first run. "Clearly more" means that the whole interval of the ratio is above 1.05. "As good" means
that the whole interval is above 0.95.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from airhop.experiments.experiment import (
    Claim,
    Curve,
    Experiment,
    Metric,
    PlottedAxis,
    Replications,
    TimelineChoice,
    X,
)
from airhop.experiments.samples import Samples
from airhop.numerals import interval

SOURCE = "Airhop's own question"
GROUP = "airhop/wifi-last-hop"
"""First part of the experiments' ids."""
STANDARDS = ("n", "ac", "ax")
QUEUES: Mapping[str, str] = {"drop-tail": "drop-tail", "fq-codel": "FQ-CoDel"}
"""Queues of the access point, with their names in titles."""
CAPACITY: Mapping[str, float] = {"n": 60.0, "ac": 340.0, "ax": 560.0}
"""Upper end of the goodput axis in Mbit/s, by standard."""
CLEARLY, AS_GOOD = 1.05, 0.95
REPLICATIONS = Replications(quick=2, full=3)
MORE = Replications(quick=2, full=5)
"""Number of replications if runs vary more: five stations, losses by SNR, discarded packets."""
DURATION = {"duration": "10 s", "warmup": "5 s"}
"""Duration and warm-up. The warm-up contains slow start, and the recovery from the queue overflow at the end
of slow start.
"""

TRACED_S = 1.0
"""Length in seconds of the runs that a report shows packet by packet: slow start, the overflow at its end,
and the recovery. An access point sends 50,000 MPDUs in a second of 802.11ax.
"""

LOSS = PlottedAxis(
    key="mpdu_loss",
    name="MPDU loss",
    paths=("wlan.cell.errors.loss",),
    label="Loss of MPDUs",
    full=(0.0, 0.01, 0.05, 0.1, 0.2, 0.5),
    coarse=(0.1,),
    limits=(0.0, 0.5),
    ticks=(0.0, 0.1, 0.2, 0.3, 0.4, 0.5),
    percent=True,
)
FEW = replace(LOSS, full=(0.0, 0.1, 0.5), coarse=(0.1,))
"""MPDU loss rates in the experiments with FQ-CoDel."""
CHANNEL = {"kind": "bernoulli", "loss": 0.0}

SENDERS = Curve.of_schemes(
    {
        "reno": "Reno",
        "cubic": "CUBIC",
        "bbr": "BBR",
        "bbr3": "BBRv3",
        "copa": "Copa",
        "snoop": "Snoop",
        "eln": "ELN",
        "ll-elsn": "LL-ELSN",
        "eln-cubic": "ELN-CUBIC",
        "tcp-cl": "TCP-CL (NAK)",
        "ebsn": "EBSN",
    }
)
TOLD = ("snoop", "eln", "ll-elsn", "eln-cubic", "tcp-cl", "ebsn")
"""Senders that use a service of the network, such as notices."""
TODAY = ("cubic", "bbr", "bbr3", "copa")

LOST = Metric("drops_channel", "Lost MPDUs", "", ticks=(0.0, 1e5, 2e5), digits=0, printed=False)
DISCARDED = Metric(
    "drops_retries", "Packets that the link discarded", "", ticks=(0.0, 1e4, 2e4), digits=1, printed=False
)
DROPPED = Metric(
    "drops_queue + drops_aqm",
    "Packets that the queue dropped",
    "",
    ticks=(0.0, 500.0, 1000.0),
    digits=1,
    printed=False,
)
RESENT = Metric(
    "100 * retransmissions / sent_segments",
    "Share of segments that were retransmissions",
    "%",
    ticks=(0.0, 10.0, 20.0),
    digits=2,
    printed=False,
)
SPURIOUS = Metric(
    "judged_congestion_none + judged_wireless_none + judged_undecided_none",
    "Losses that the sender detected although no packet was lost",
    "",
    ticks=(0.0, 50.0, 100.0),
    digits=1,
    printed=False,
)
NOTICES = Metric(
    "notices_eln + notices_ersn + notices_ebsn + notices_nak",
    "Notices",
    "",
    ticks=(0.0, 1e5, 2e5),
    digits=0,
    printed=False,
)
TIMEOUTS = Metric("timeouts", "Timeouts", "", ticks=(0.0, 5.0, 10.0), digits=1, printed=False)
SRTT = Metric(
    "srtt_ms", "RTT at the end of the run", "ms", ticks=(0.0, 100.0, 200.0, 300.0), digits=0, printed=False
)
CAUSES = (LOST, DISCARDED, DROPPED, RESENT, SPURIOUS, NOTICES, TIMEOUTS, SRTT)


def goodput(name: str, label: str, standard: str) -> Metric:
    """Return a goodput metric with an axis for the rates of this standard."""
    ticks = tuple(CAPACITY[standard] * step / 4 for step in range(5))
    return Metric(name, label, "Mbit/s", ticks=ticks, digits=1, printed=False)


def headline(axis: PlottedAxis, samples: Samples) -> str:
    """Return a sentence on the best sender with a service, compared with CUBIC at the last axis value."""
    last = samples.xs[-1]
    best = max(TOLD, key=lambda curve: samples.estimate(curve, last).mean)
    ratio = interval(samples.ratio(best, "cubic", last))
    return (
        f"{axis.name} {axis.text(last)}: {best}, the best sender with a service, delivers {ratio} times "
        "CUBIC's goodput."
    )


def lone_download(
    name: str,
    standard: str,
    title: str,
    axis: PlottedAxis,
    shown: X,
    claims: tuple[Claim[Samples], ...],
    settings: Mapping[str, object],
    replications: Replications,
) -> Experiment:
    """Return the experiment of a download to a lone station.

    The experiment's title ends with the standard and `title`. The report draws CUBIC's run at the axis value
    `shown` packet by packet.
    """
    return Experiment(
        id=f"{GROUP}/{name}",
        title=f"A download over 802.11{standard}{title}",
        source=SOURCE,
        scenario=f"wifi-{standard}",
        settings={**DURATION, **settings},
        curves=SENDERS,
        baseline="cubic",
        axis=axis,
        metric=goodput("goodput_mbps", "Goodput", standard),
        replications=replications,
        claims=claims,
        headline=partial(headline, axis),
        also=CAUSES,
        timeline=TimelineChoice("cubic", shown, duration_s=TRACED_S, opening_s=0.05),
    )
