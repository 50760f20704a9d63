"""Result 5: EBSN between mobiles. "EBSN messages fail to refresh the sender's timer".

Notices of the receiver's base station cross the sender's own air interface. This interface also fades.
"""

from __future__ import annotations

from airhop import stats
from airhop.experiments.asked import Asked
from airhop.experiments.claims import above, each_above, each_below
from airhop.experiments.experiment import Claim, ClaimResult
from airhop.experiments.kounavis1996 import (
    DUPLICATES,
    EBSN,
    LATE,
    LENGTH,
    LOCAL,
    NOTICES,
    PATIENT,
    RESENT,
    SECONDS,
    TIMED,
    TIMEOUTS,
    WARNED,
    experiment,
    unmodified,
)
from airhop.experiments.kounavis1996.checks import count, more_than, mostly, ratio_text, timeouts_left
from airhop.experiments.kounavis1996.networks import MOBILE
from airhop.experiments.reading import Question, Reading
from airhop.experiments.samples import Samples
from airhop.numerals import interval

LITTLE = 1.1
CASES = Question(
    about="the meaning of “cases”",
    default=Reading(
        "per-notice",
        "A case is a notice that reaches the sender.",
        "EBSN messages, transmitted through air interfaces arrive in most cases after timers are expired",
    ),
    others=(
        Reading(
            "per-timeout",
            "A case is a remaining timeout; a notice is then in flight.",
            "after timers are expired and therefore, provide no actual improvement",
            checks={"kou-5": Asked(mostly, WARNED, TIMEOUTS, "ebsn")},
        ),
    ),
)
IMPROVED = Question(
    about="the reference of an improvement",
    default=Reading(
        "over-local",
        "EBSN improves performance if it delivers more than local recovery alone, to which it is added.",
        "Local Recovery schemes imporve the performance of TCP. However EBSN messages fail to refresh",
    ),
    others=(
        Reading(
            "over-basic",
            "EBSN improves performance if it delivers more than unmodified TCP.",
            "EBSN provides more than 50% improvement over basic TCP. However […] EBSN fails to improve",
            checks={"kou-3": Asked(each_below, LENGTH, ("ebsn",), "basic", (SECONDS,))},
        ),
    ),
)


def headline(samples: Samples) -> str:
    """Return a sentence on the goodput of local recovery and of EBSN."""
    left = timeouts_left(samples, "local", "ebsn")
    return (
        f"Local recovery delivers {ratio_text(samples, 'local', 'basic')} times the goodput of unmodified "
        f"TCP and EBSN {ratio_text(samples, 'ebsn', 'basic')} times: of {left[0]:.1f} timeouts in 100 s, "
        f"{left[1]:.1f} "
        "remain with EBSN."
    )


def most_refresh_nothing(samples: Samples) -> ClaimResult:
    """Check whether most of EBSN's notices find no running timer, or arrive after the timeout."""
    cell = ("ebsn", SECONDS)
    sent, timed, late = (count(samples, metric).cells[cell] for metric in (NOTICES, TIMED, LATE))
    common = sorted(sent.keys() & timed.keys() & late.keys())
    in_vain = [sent[rep] - timed[rep] + late[rep] for rep in common]
    found = stats.ratio(in_vain, [sent[rep] for rep in common])
    told = f"{interval(found)} of the notices find no running timer or arrive after the timeout"
    return ClaimResult(above(found, 0.5), told)


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "kou-m2m-local",
        "Local recovery improves the performance of TCP.",
        Asked(each_above, LENGTH, ("local",), "basic", (SECONDS,)),
        quote="Local Recovery schemes imporve the performance of TCP.",
    ),
    Claim(
        "kou-3",
        (
            "With an air interface between the sender and the receiver's base station, EBSN fails to "
            "improve performance: it delivers no more than local recovery alone."
        ),
        Asked(each_below, LENGTH, ("ebsn",), "local", (SECONDS,)),
        quote="EBSN fails to improve the performace of the network in the cases where there is at least "
        "one air interface in the path between the TCP sender and the base station serving the mobile "
        "receiver",
        reason="EBSN's gain cannot exceed the gain of a sender without timeouts. Between mobiles EBSN cannot "
        "prevent all timeouts: the receiver's base station has no information about the sender's "
        "own link.",
    ),
    Claim(
        "kou-3-little",
        "EBSN hardly improves performance: it delivers less than 10 % more than local recovery alone.",
        Asked(each_below, LENGTH, ("ebsn",), "local", (SECONDS,), LITTLE),
        own=True,
        because="A gain of 10 % is invisible in graphs of single runs, such as the paper's.",
    ),
    Claim(
        "kou-3-timeouts",
        "EBSN's messages fail to refresh the sender's timer: more than half of them find no running timer, "
        "or arrive after the timeout that they should have prevented.",
        most_refresh_nothing,
        quote="However EBSN messages fail to refresh the sender's timer",
        reason="Most messages arrive while the sender's own link is good and its timer runs. No "
        "message precedes the remaining timeouts, because they occur in fades of the sender's own link, "
        "which the receiver's base station does not detect.",
    ),
    Claim(
        "kou-3-timeouts-strict",
        "EBSN mostly fails: more than half of the timeouts of local recovery alone remain.",
        Asked(each_above, LENGTH, ("ebsn",), "local", (SECONDS,), 0.5, of=TIMEOUTS),
        own=True,
        because="The paper does not state the number of remaining timeouts.",
        reason="EBSN prevents timeouts caused by the receiver's link. Timeouts in fades of the sender's "
        "own link remain, since the receiver's base station has no information about that link; "
        "`kounavis1996/notices-m2m` has a sender that also uses notices of its own link layer.",
    ),
    Claim(
        "kou-5",
        "Most of EBSN's messages, more than half, arrive after the timer has expired.",
        Asked(mostly, LATE, NOTICES, "ebsn"),
        quote="EBSN messages, transmitted through air interfaces arrive in most cases after timers are "
        "expired",
        reason="Every failed frame causes a notice, and a notice is in time if the sender's own link is "
        "good when it arrives. Only a notice that waits at the first base station for the end of the "
        "sender's own fade is too late, as the paper states.",
    ),
    Claim(
        "kou-m2m-redundant",
        "Redundant retransmissions cannot be avoided: with EBSN the receiver gets more than one duplicate "
        "segment in 100 s.",
        Asked(more_than, DUPLICATES, "ebsn", 1.0),
        quote="redundant retransmissions cannot be avoided.",
    ),
    Claim(
        "kou-m2m-redundant-most",
        "Most retransmissions of EBSN's sender are duplicates at the receiver.",
        Asked(mostly, DUPLICATES, RESENT, "ebsn"),
        own=True,
        because="The paper does not state the share of redundant retransmissions.",
    ),
)

EXPERIMENT = experiment(
    "ebsn-m2m",
    "EBSN",
    "result 5",
    MOBILE,
    (unmodified(MOBILE), LOCAL, EBSN, PATIENT),
    CLAIMS,
    headline,
    shown="ebsn",
    asked=(CASES, IMPROVED),
)
