"""Make the bibliography: the sources of the schemes, and other works that pages cite."""

from __future__ import annotations

import re
import unicodedata

from airhop import schemes
from airhop.added import added

PAGE = "references.md"
HEAD = """# References

This page lists the sources of the schemes, with the pages of the schemes, and other works that these pages
cite, by first author. [Experiments](experiments.md) lists the reproduced figures and tables of a paper. Pages
cite other RFCs beside the rule that they define.

"""
PAPERS = {
    "J. Koo, ": "koo2007",
    "J.-H. Yun, ": "yun2009",
    "M. E. Kounavis, ": "kounavis1996",
    "R.-S. Cheng ": "cheng2008",
}
"""Folder of a reproduced paper's experiments, by the beginning of the paper's citation."""
OTHERS = (
    "V. Arun, M. Alizadeh and H. Balakrishnan, Starvation in End-to-End Congestion Control, SIGCOMM 2022",
    "F. Y. Yan, J. Ma, G. D. Hill, D. Raghavan, R. S. Wahby, P. Levis and K. Winstein, Pantheon: the "
    "training ground for Internet congestion-control research, USENIX ATC 2018",
    "Y. Benjamini and R. Heller, Screening for Partial Conjunction Hypotheses, Biometrics 64(4), 2008",
    "R. L. Berger, Multiparameter Hypothesis Testing and Acceptance Sampling, Technometrics 24(4), 1982",
    "G. Bianchi, Performance Analysis of the IEEE 802.11 Distributed Coordination Function, IEEE JSAC "
    "18(3), 2000",
    "R. Cáceres and L. Iftode, Improving the Performance of Reliable Transport Protocols in Mobile Computing "
    "Environments, IEEE JSAC 13(5), 1995",
    "O. J. Dunn, Multiple Comparisons Among Means, Journal of the American Statistical Association 56, 1961",
    "B. Efron, Better Bootstrap Confidence Intervals, Journal of the American Statistical Association 82, "
    "1987",
    "E. C. Fieller, Some Problems in Interval Estimation, Journal of the Royal Statistical Society B "
    "16(2), 1954",
    "Z. Fu, P. Zerfos, H. Luo, S. Lu, L. Zhang and M. Gerla, The Impact of Multihop Wireless Channel on TCP "
    "Throughput and Loss, INFOCOM 2003",
    "P. Frenger, P. Orten and T. Ottosson, Convolutional Codes with Optimum Distance Spectrum, IEEE "
    "Communications Letters 3(11), 1999",
    "D. Haccoun and G. Bégin, High-Rate Punctured Convolutional Codes for Viterbi and Sequential Decoding, "
    "IEEE Trans. Communications 37(11), 1989",
    "T.-Y. Huang, R. Johari, N. McKeown, M. Trunnell and M. Watson, A Buffer-Based Approach to Rate "
    "Adaptation: Evidence from a Large Video Streaming Service, SIGCOMM 2014",
    "IEEE 802.11-2016, Wireless LAN Medium Access Control (MAC) and Physical Layer (PHY) Specifications",
    "R. Jain, D. Chiu and W. Hawe, A Quantitative Measure of Fairness and Discrimination for Resource "
    "Allocation in Shared Computer Systems, DEC TR-301, 1984",
    "J. Jiang, V. Sekar and H. Zhang, Improving Fairness, Efficiency, and Stability in HTTP-based Adaptive "
    "Video Streaming with FESTIVE, CoNEXT 2012",
    "M. Lacage and T. R. Henderson, Yet Another Network Simulator, Workshop on ns-2, 2006",
    "M. Mathis, J. Semke, J. Mahdavi and T. Ott, The Macroscopic Behavior of the TCP Congestion Avoidance "
    "Algorithm, ACM CCR 27(3), 1997",
    "J. Padhye, V. Firoiu, D. Towsley and J. Kurose, Modeling TCP Throughput: A Simple Model and its "
    "Empirical Validation, SIGCOMM 1998",
    "G. Pei and T. R. Henderson, Validation of OFDM Error Rate Model in ns-3, Boeing Research & Technology, "
    "2010",
    "T. S. Rappaport, Wireless Communications: Principles and Practice, Prentice Hall, 2002",
    "K. Spiteri, R. Sitaraman and D. Sparacio, From Theory to Practice: Improving Bitrate Adaptation in the "
    "DASH Reference Player, MMSys 2018",
    "K. Spiteri, R. Urgaonkar and R. K. Sitaraman, BOLA: Near-Optimal Bitrate Adaptation for Online Videos, "
    "INFOCOM 2016",
)
"""Works that are not the source of a scheme."""


INITIALS = re.compile(r"(?:[A-Z]\.[- ]?)+")
REPORTS = ("RFC", "draft-")
"""Beginnings of citations by number."""


def page() -> str:
    """Make the page: a line per work, with the work's schemes and experiments."""
    listed = [scheme for scheme in schemes() if scheme["name"] not in added()]
    cited = {work for scheme in listed for work in scheme["cite"].split("; ")} | set(OTHERS)
    of_schemes: dict[str, list[str]] = {work: [] for work in cited if whole(work, cited) == work}
    for scheme in listed:
        for work in scheme["cite"].split("; "):
            of_schemes[whole(work, cited)].append(scheme["name"])
    return HEAD + "".join(line(work, of_schemes[work]) for work in sorted(of_schemes, key=by_author))


def whole(work: str, cited: set[str]) -> str:
    """Return a citation without the cited part (such as a section) if another scheme cites the whole work."""
    return min((other for other in cited if work.startswith(other)), key=len)


def by_author(work: str) -> tuple[bool, str]:
    """Return a sort key: surname of the first author, with RFCs and drafts at the end."""
    ascii_only = unicodedata.normalize("NFKD", work).encode("ascii", "ignore").decode()
    start = INITIALS.match(ascii_only)
    return work.startswith(REPORTS), ascii_only[start.end() if start else 0 :]


def line(work: str, names: list[str]) -> str:
    """Write one entry."""
    links = [f"[`{name}`](schemes/{name}.md)" for name in names]
    links += [f"`airhop reproduce {folder}/…`" for start, folder in PAPERS.items() if work.startswith(start)]
    return f"- {work}{': ' if links else ''}{', '.join(links)}\n"
