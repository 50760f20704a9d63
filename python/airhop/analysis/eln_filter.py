"""Choice of the parameter N of LL-ELSN's ELN filter from properties of the link (Yun 2009 §4.2)."""

from __future__ import annotations

import math

RARE = 0.01
"""Largest probability of a sequence of losses that counts as rare. In the paper's examples, 0.8 % is rare,
but 4 % is not.
"""


def largest_noise_run(fer: float, attempts: int = 1, *, rare: float = RARE) -> int:
    """Return the N of an ELN filter: the maximum number of consecutive losses attributed to channel noise.

    N consecutive packets are lost with probability fer^(attempts N). The result is the largest N for which
    this probability exceeds `rare`. More than N consecutive ELNs then indicate a disconnection rather than
    noise. N is at least 1, because a filter with N = 0 classifies every loss as a disconnection.

    Parameters
    ----------
    fer
        Probability that channel noise destroys a frame, the paper's p.
    attempts
        Maximum number of transmissions of a frame, the paper's retry limit r (key `wlan.attempts`).
    rare
        Probability below which consecutive losses count as a disconnection. With a smaller value, the filter
        detects fewer disconnections.

    Returns
    -------
    int
        Value for `n` of the schemes `ll-elsn` and `eln-cubic`.

    Raises
    ------
    ValueError
        When the link loses every frame, or a probability or `attempts` is invalid.

    Examples
    --------
    Example of the paper: 20 % of frames are lost, without retransmissions. Two consecutive losses have the
    probability 4 %, and three losses 0.8 %.

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
