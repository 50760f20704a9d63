"""Figure 2a: goodput against the error rate of the wireless link, one connection.

"Almost identical" to New Jersey means a difference of less than 3 %, because the paper calls 3 %
"outperforms" two sentences before. "Until the wireless link error rate reaches 4 %" means at every rate below
4 %. The abstract's "outperforms" names no error rate, and is checked at every rate. An additional claim of
Airhop compares with New Jersey only from 4 % up, as the text does.
"""

from __future__ import annotations

from airhop.experiments.asked import Asked
from airhop.experiments.claims import above, ahead_everywhere, every, within
from airhop.experiments.experiment import Claim, ClaimResult, Experiment, TimelineChoice
from airhop.experiments.koo2007 import (
    CONFUSION,
    CURVES,
    ERRORS,
    GOODPUT,
    OWN,
    PAPER,
    REPLICATIONS,
    SOURCES,
    greatest_met,
)
from airhop.experiments.koo2007.readings import (
    AIR_RATE,
    FILTER,
    NEW_JERSEY_RTT,
    POSTPONED,
    SEGMENT,
    WAYS,
    delay,
    warnings,
)
from airhop.experiments.printed import gains_met
from airhop.experiments.samples import Samples
from airhop.numerals import interval

ALIKE = 0.03
"""Maximum difference of almost identical goodputs, as a share. At 3 % one scheme "outperforms" the other."""
UNTIL = 0.04
"""Exclusive upper end of the error rates with almost identical goodputs of WestwoodVT and New Jersey."""
SOURCE = SOURCES["fig2a"]
OUTPERFORMS = (
    "it outperforms existing TCP congestion mechanisms such as WestwoodNR, TCP New Jersey, and TCP Reno in "
    "terms of goodput performance in wireless links"
)
"""Statement of the abstract about both figures."""


def headline(samples: Samples) -> str:
    """Return a sentence on WestwoodVT's gains over Reno at the error rates with printed gains."""
    gains = [interval(samples.ratio("westwood-vt", "reno", x)) for x in (0.01, 0.02)]
    return (
        f"At 1 and 2 % errors WestwoodVT delivers {gains[0]} and {gains[1]} times the goodput of Reno; the "
        "paper prints 1.21 and 1.54."
    )


def matches_new_jersey(samples: Samples) -> ClaimResult:
    """Check whether WestwoodVT's goodput is within 3 % of New Jersey's at every error rate below 4 %."""
    ratios = {x: samples.ratio("westwood-vt", "new-jersey", x) for x in samples.xs if float(x) < UNTIL}
    decisions = [within(ratio, 1 - ALIKE, 1 + ALIKE) for ratio in ratios.values()]
    told = ", ".join(f"{interval(ratio)} at {ERRORS.text(x)}" for x, ratio in ratios.items())
    return ClaimResult(every(decisions), f"times new-jersey: {told}")


def outperforms_all(samples: Samples) -> ClaimResult:
    """Check whether WestwoodVT's goodput exceeds WestwoodNR's and Reno's, and from 4 % up New Jersey's."""
    from_x = {"westwood-nr": 0.0, "reno": 0.0, "new-jersey": UNTIL}
    ratios = {
        (other, x): samples.ratio(OWN, other, x)
        for other, least in from_x.items()
        for x in samples.from_x(least)
    }
    told = ", ".join(f"{interval(one)} × {other} at {ERRORS.text(x)}" for (other, x), one in ratios.items())
    return ClaimResult(every(above(ratio, 1.0) for ratio in ratios.values()), told)


BUILT = "an implementation by other authors: Airhop's has the property by construction"
"""Information missing for claims about a property that no run can measure."""


def needs_no_service(_: Samples) -> ClaimResult:
    """Check whether WestwoodVT needs no service of the network; without a service the claim stays open."""
    from airhop.catalogue import scheme

    needs = scheme("westwood-vt")["needs"]
    told = f"needs of the network: {', '.join(needs) or 'none'}, by construction"
    return ClaimResult(False if needs else None, told, needs="" if needs else BUILT)


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "koo-1",
        "WestwoodVT is ahead of WestwoodNR and of Reno at every error rate.",
        Asked(ahead_everywhere, ERRORS, "westwood-vt", ("westwood-nr", "reno")),
        quote="WestwoodVT is superior over WestwoodNR and TCP Reno in every wireless link error rates.",
    ),
    Claim(
        "koo-2-nr",
        "WestwoodVT delivers 3 % more than WestwoodNR at 1 % errors, and 11 % more at 2 %.",
        Asked(gains_met, ERRORS, SOURCE, {(OWN, "westwood-nr", 0.01): 3, (OWN, "westwood-nr", 0.02): 11}),
        quote="With wireless link error rate of 1%, WestwoodVT outperforms WestwoodNR by 3% […]. WestwoodVT "
        "outperforms WestwoodNR by 11% […] with wireless link error rate of 2%.",
    ),
    Claim(
        "koo-2-reno",
        "WestwoodVT delivers 21 % more than Reno at 1 % errors, and 54 % more at 2 %.",
        Asked(gains_met, ERRORS, SOURCE, {(OWN, "reno", 0.01): 21, (OWN, "reno", 0.02): 54}),
        quote="With wireless link error rate of 1%, WestwoodVT outperforms […] TCP Reno by 21%. WestwoodVT "
        "outperforms […] TCP Reno by 54% with wireless link error rate of 2%.",
    ),
    Claim(
        "koo-3",
        "WestwoodVT is almost identical to TCP New Jersey (within less than 3 %) until the error rate "
        "reaches 4 %.",
        matches_new_jersey,
        quote="WestwoodVT is almost identical to TCP New Jersey, until the wireless link error rate "
        "reaches 4%.",
        reason="Routers mark New Jersey's packets before the queue is full, and its sender then reduces its "
        "window; WestwoodVT reduces its window only after a loss.",
    ),
    Claim(
        "koo-4",
        "Over all error rates WestwoodVT's largest gains are 41 % over WestwoodNR and 118 % over Reno.",
        Asked(greatest_met, ERRORS, SOURCE, {"westwood-nr": 41, "reno": 118}),
        quote="WestwoodVT achieves a maximum of 41% and 118% improvements in goodput over WestwoodNR and TCP "
        "Reno, in various wireless link errors rates, respectively.",
        reason="On a path without other traffic WestwoodNR's estimate is the rate of the link. Its window "
        "after a loss still fills the path, so WestwoodVT has little to gain. At high error rates timeouts "
        "limit both schemes.",
    ),
    Claim(
        "koo-8",
        "Without other traffic WestwoodVT is ahead of WestwoodNR, New Jersey and Reno at every error rate.",
        Asked(ahead_everywhere, ERRORS, OWN, ("westwood-nr", "new-jersey", "reno")),
        quote=OUTPERFORMS,
        reason="New Jersey reduces its window at a router's mark, before the queue overflows; WestwoodVT "
        "fills the queue, and reduces its window only after a loss.",
    ),
    Claim(
        "koo-8-text",
        "Without other traffic WestwoodVT is ahead of WestwoodNR and Reno at every error rate, and of New "
        "Jersey from 4 % up, where the paper's text no longer calls the two almost identical.",
        outperforms_all,
        own=True,
        because="The abstract's sentence names no error rate; the restriction is taken from the text.",
    ),
    Claim(
        "koo-7",
        "WestwoodVT needs no service of the network.",
        needs_no_service,
        quote="discrimination of the cause of packet loss using the modified end-to-end TCP mechanism, "
        "without supporting the intermediate router mechanisms […] This paper propose WestwoodVT […], a "
        "sender-side TCP scheme",
    ),
)

EXPERIMENT = Experiment(
    id="koo2007/fig2a",
    title="Goodput against the wireless error rate, one connection",
    source=f"{PAPER}, Figure 2a",
    scenario="koo2007-single",
    settings={"duration": "200 s"},
    curves=CURVES,
    baseline="reno",
    axis=ERRORS,
    metric=GOODPUT,
    also=CONFUSION,
    replications=REPLICATIONS,
    claims=CLAIMS,
    headline=headline,
    timeline=TimelineChoice("westwood-vt", 0.02, duration_s=30.0, opening_s=5.0),
    questions=(delay(), AIR_RATE, SEGMENT, WAYS, FILTER, warnings("wire", "air"), NEW_JERSEY_RTT, POSTPONED),
)
