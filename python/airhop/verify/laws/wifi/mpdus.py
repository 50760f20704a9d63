"""Law of the table `mpdus`: MPDUs of each PPDU, their lengths, and limits of A-MPDUs and A-MSDUs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise

from airhop.verify.medium import RECEIVED, Medium, finding, media
from airhop.verify.ppdus import LONGEST, QOS_MAC_BYTES, Ppdus
from airhop.verify.trace import Finding, Frame, Mpdu, Trace

_WITH_DATA = ("data", "a-mpdu")
_Name = tuple[str, str, str, int]
"""Place, flow, kind and number of a packet."""


def check(trace: Trace) -> Iterator[Finding]:
    """Check the PPDUs of every channel, and find MPDUs without a PPDU."""
    known: set[int] = set()
    last = -1
    for ppdu in trace.tables["mpdus"]["ppdu"]:
        if ppdu < last:
            yield Finding("mpdu", 0.0, "mpdus", f"those of PPDU {ppdu} stand behind those of a later one")
        last = ppdu
    for medium in media(trace):
        if medium.ppdus is None:
            continue
        offered = _offered(trace, medium)
        for frame in medium.frames:
            yield from _check_duration(medium.ppdus, frame)
            if medium.aggregates and frame.kind in _WITH_DATA:
                known.add(frame.row)
                yield from _check(trace, medium, frame, offered)
    for row in trace.mpdus.keys() - known:
        yield Finding("mpdu", 0.0, "mpdus", f"MPDUs of PPDU {row}, which has none")


def _check_duration(ppdus: Ppdus, frame: Frame) -> Iterator[Finding]:
    """Check the length of control frames, and the maximum duration of a PPDU."""
    octets = ppdus.length(frame.kind) if ppdus.aggregates or frame.kind != "block-ack" else None
    if octets is not None and frame.bytes != octets:
        yield finding("mpdu", frame, f"{frame.bytes} bytes, and it has {octets}")
    if frame.end - frame.start > LONGEST and frame.kind != "broadcast":
        yield finding("mpdu", frame, f"lasts {frame.end - frame.start} ns, longer than any PPDU")


def _check(
    trace: Trace, medium: Medium, frame: Frame, offered: Mapping[_Name, set[int]]
) -> Iterator[Finding]:
    """Compare the MPDUs of a PPDU with the PPDU's row in the table `air`."""
    mpdus = medium.mpdus.get(frame.row, [])
    if not mpdus or [mpdu.place for mpdu in mpdus] != list(range(len(mpdus))):
        yield finding("mpdu", frame, f"its MPDUs have the places {[mpdu.place for mpdu in mpdus]}")
        return
    numbers = [mpdu.sequence for mpdu in mpdus]
    if any(later <= number for number, later in pairwise(numbers)):
        yield finding("mpdu", frame, f"sequence numbers {numbers} do not ascend")
    first = mpdus[0]
    if (frame.flow, frame.packet, frame.seq, frame.attempt) != (
        first.flow,
        first.packet,
        first.seq,
        first.attempt,
    ):
        yield finding("mpdu", frame, "it does not have the packet and attempt of its first MPDU")
    yield from _lengths(medium, frame, mpdus)
    yield from _outcomes(frame, mpdus)
    place = f"{frame.sender}->{frame.receiver}"
    for mpdu in mpdus:
        yield from _packets(frame, mpdu)
        lengths = [offered.get((place, one.flow, one.packet, one.seq), set()) for one in mpdu.packets]
        if not all(lengths):
            yield finding("mpdu", frame, f"no packet of MPDU {mpdu.sequence} was offered to {place}")
        elif not any(one.flow in trace.helped for one in mpdu.packets):
            yield from _body(medium, frame, mpdu, lengths)


def _packets(frame: Frame, mpdu: Mpdu) -> Iterator[Finding]:
    """Check that the packets of an A-MSDU are numbered, and share the properties of their MPDU."""
    shared = [(one.place, one.sequence, one.bytes, one.attempt, one.outcome) for one in mpdu.packets]
    numbers = [one.msdu for one in mpdu.packets]
    if numbers != list(range(len(numbers))) or len(set(shared)) > 1:
        yield finding("mpdu", frame, f"the packets of MPDU {mpdu.sequence} are {numbers}, with {shared}")


def _body(medium: Medium, frame: Frame, mpdu: Mpdu, lengths: list[set[int]]) -> Iterator[Finding]:
    """Compare the length of an MPDU with its packets, and the length of an A-MSDU with its limit."""
    ppdus = medium.ppdus
    if ppdus is None:
        return
    if not mpdu.others:
        if mpdu.bytes - medium.overhead not in lengths[0]:
            text = f"MPDU {mpdu.sequence} has {mpdu.bytes} bytes, and no such packet was offered"
            yield finding("mpdu", frame, text)
        return
    mac = min(medium.overhead, QOS_MAC_BYTES)
    llc = medium.overhead - mac
    bodies = ppdus.amsdu([{octets + llc for octets in of_packet} for of_packet in lengths])
    if mpdu.bytes - mac not in bodies:
        text = f"MPDU {mpdu.sequence} has {mpdu.bytes} bytes, and its {len(lengths)} packets make {bodies}"
        yield finding("mpdu", frame, text)
    if mpdu.bytes - mac > ppdus.most_amsdu:
        text = f"an A-MSDU of {mpdu.bytes - mac} bytes, and {ppdus.most_amsdu} are allowed"
        yield finding("mpdu", frame, text)


def _lengths(medium: Medium, frame: Frame, mpdus: list[Mpdu]) -> Iterator[Finding]:
    """Compare the PSDU with its subframes (IEEE 802.11-2020 §9.7.1) and the limits (§10.12, §10.25.2)."""
    ppdus = medium.ppdus
    if ppdus is None:
        return
    lengths = [mpdu.bytes for mpdu in mpdus]
    psdu = lengths[0] if frame.kind == "data" else ppdus.psdu(lengths)
    if psdu != frame.bytes or (len(mpdus) == 1) != (frame.kind == "data"):
        yield finding("mpdu", frame, f"{frame.bytes} bytes, and {len(mpdus)} MPDUs make {psdu}")
    if frame.kind == "data":
        return
    if frame.bytes > ppdus.most_bytes:
        yield finding("mpdu", frame, f"{frame.bytes} bytes, and {ppdus.most_bytes} are allowed")
    if len(mpdus) > ppdus.window:
        yield finding("mpdu", frame, f"{len(mpdus)} MPDUs, and {ppdus.window} are allowed")
    if max(lengths) > ppdus.mpdu_limit:
        yield finding("mpdu", frame, f"an MPDU of {max(lengths)} bytes, and {ppdus.mpdu_limit} are allowed")


def _outcomes(frame: Frame, mpdus: list[Mpdu]) -> Iterator[Finding]:
    """Compare outcomes: a PPDU has the best outcome of its MPDUs, and MPDUs differ only by bit errors."""
    outcomes = {mpdu.outcome for mpdu in mpdus}
    allowed = {frame.outcome, "channel"} if frame.outcome in RECEIVED else {frame.outcome}
    if frame.outcome not in outcomes or not outcomes <= allowed:
        yield finding("mpdu", frame, f"{frame.outcome}, and its MPDUs {', '.join(sorted(outcomes))}")


def _offered(trace: Trace, medium: Medium) -> Mapping[_Name, set[int]]:
    """Return the lengths of offered packets; agents may lengthen a queued packet."""
    found: defaultdict[_Name, set[int]] = defaultdict(set)
    for *_, step in medium.steps(trace, "offered"):
        found[step.place, step.flow, step.kind, step.seq].add(step.bytes)
    return dict(found)
