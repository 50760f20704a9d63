"""The N of LL-ELSN's ELN filter, from properties of the wireless link (Yun 2009 §4.2)."""

from __future__ import annotations

import math

RARE = 0.01
"""Probability up to which a run of losses counts as rare. In the paper's two examples, 4 % is not rare, and
0.8 % is rare.
"""


def largest_noise_run(fer: float, attempts: int = 1, *, rare: float = RARE) -> int:
    """Choose the N of an ELN filter: the longest run of lost packets that channel noise still causes.

    N consecutive packets are lost with probability fer^(attempts N). The N for a link is the largest for
    which this probability exceeds `rare`: more than N consecutive ELNs then indicate a disconnection rather
    than noise. N is at least 1, because a filter with N = 0 classifies every loss as a disconnection.

    Parameters
    ----------
    fer
        The probability that a frame is lost by channel noise, the paper's p.
    attempts
        Transmissions of a frame, the first included: the retry limit r, `wlan.attempts`.
    rare
        Probability up to which a run of losses is not attributed to noise; with a smaller value the filter
        detects fewer disconnections.

    Returns
    -------
    int
        Value for `n` of the schemes `ll-elsn` and `eln-cubic`.

    Raises
    ------
    ValueError
        For a link that loses everything, or for invalid probabilities or attempts.

    Examples
    --------
    The example of the paper: 20 % of frames are lost, and none is retransmitted. Two consecutive losses have
    the probability 4 %, and three 0.8 %.

    >>> largest_noise_run(0.2)
    2
    """
    if not 0.0 <= fer < 1.0:
        raise ValueError(f"the probability to lose a frame is from 0 to below 1, not {fer:g}")
    if not 0.0 < rare < 1.0:
        raise ValueError(f"`rare` is a probability above 0 and below 1, not {rare:g}")
    if attempts < 1:
        raise ValueError(f"`attempts` counts the first transmission, so it is at least 1, not {attempts}")
    if fer == 0.0:
        return 1
    whole = math.log(rare) / (attempts * math.log(fer))
    return max(1, math.ceil(whole - 1e-9) - 1)
