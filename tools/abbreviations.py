"""Abbreviations of schemes and notices, which a scheme's page expands and links at their first use."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Abbreviation:
    """Expansion of an abbreviation, and the scheme whose page explains it."""

    expansion: str
    scheme: str


ABBREVIATIONS: Mapping[str, Abbreviation] = {
    "EBSN": Abbreviation("explicit bad state notification", "ebsn"),
    "ELN": Abbreviation("explicit loss notification", "eln"),
    "ELSN": Abbreviation("explicit link status notification", "ll-elsn"),
    "ERSN": Abbreviation("explicit retransmission start notification", "ll-elsn"),
    "ESACK": Abbreviation("SACK sender of LL-ELSN", "ll-elsn"),
    "HACK": Abbreviation("header checksum option", "hack"),
    "LHP": Abbreviation("link-layer header protection", "lhp"),
    "LL-ELSN": Abbreviation("link-layer explicit link status notification", "ll-elsn"),
    "NAK": Abbreviation("negative acknowledgement", "tcp-cl"),
    "RTTN": Abbreviation("round trip time notification", "rttn"),
}


def in_title(title: str) -> str:
    """Return the expansions of a title's abbreviations, in parentheses, or an empty string."""
    found = [f"{term}: {one.expansion}" for term, one in ABBREVIATIONS.items() if pattern(term).search(title)]
    return f" ({'; '.join(found)})" if found else ""


def expanded(texts: Iterable[str], title: str, scheme: str) -> list[str]:
    """Return the texts of a page with a link and an expansion at the first use of each abbreviation.

    Parameters
    ----------
    texts
        Texts in the order of the page.
    title
        Title of the page, whose abbreviations are expanded by `in_title`.
    scheme
        Scheme of the page, which gets no link.
    """
    expected = {term for term in ABBREVIATIONS if not pattern(term).search(title)}
    done = []
    for text in texts:
        for term in sorted(expected):
            text, count = pattern(term).subn(lambda match: linked(match, scheme), text, count=1)
            if count:
                expected.remove(term)
        done.append(text)
    return done


def pattern(term: str) -> re.Pattern[str]:
    """Return the pattern of an abbreviation as a word, or alone in parentheses."""
    return re.compile(rf"(?P<open>\()?(?<![\w/`\[-])(?P<term>{term})(?P<plural>s?)(?![\w`\]-])(?P<close>\))?")


def linked(match: re.Match[str], scheme: str) -> str:
    """Return an abbreviation with its link and expansion, within its parentheses if it has them."""
    one = ABBREVIATIONS[match["term"]]
    term = match["term"] if one.scheme == scheme else f"[{match['term']}]({one.scheme}.md)"
    before, after = match["open"] or "", match["close"] or ""
    if before and after:
        return f"({term}{match['plural']}, {one.expansion})"
    return f"{before}{term}{match['plural']} ({one.expansion}){after}"
