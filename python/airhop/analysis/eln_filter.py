"""The N of LL-ELSN's ELN filter, from what is known of the wireless link (Yun 2009 §4.2)."""

from __future__ import annotations

import math

RARE = 0.01
"""Runs of losses with this probability or less are rare: of the paper's two, 4 % are not and 0.8 % are."""


def largest_noise_run(fer: float, attempts: int = 1, *, rare: float = RARE) -> int:
    """Choose the N of an ELN filter: how many packets in a row channel noise still loses now and then.

    N packets in a row are lost with probability fer^(attempts N). The N for a link is the largest for which
    that is above `rare`: one ELN more than N in a row is then hardly noise, but a disconnection. It is 1 at
    least, as a filter with N = 0 takes every loss for a disconnection.

    Parameters
    ----------
    fer
        The probability that a frame is lost by channel noise, the paper's p.
    attempts
        Transmissions of a frame, the first included: the retry limit r, `wlan.attempts`.
    rare
        A run of losses as probable as this, or less, is not expected of noise; smaller is more conservative.

    Returns
    -------
    int
        Value for `n` of the schemes `ll-elsn` and `eln-cubic`.

    Raises
    ------
    ValueError
        For a link that loses everything, or probabilities and attempts that are none.

    Examples
    --------
    The paper's: 20 % of frames are lost, and none is sent again. Two in a row are lost with 4 %, three with
    0.8 %.

    >>> largest_noise_run(0.2)
    2
    """
    if not 0.0 <= fer < 1.0:
        raise ValueError(f"the probability to lose a frame is from 0 to below 1, not {fer:g}")
    if not 0.0 < rare < 1.0:
        raise ValueError(f"what is rare is a probability above 0 and below 1, not {rare:g}")
    if attempts < 1:
        raise ValueError(f"a frame is sent once at least, not {attempts} times")
    if fer == 0.0:
        return 1
    whole = math.log(rare) / (attempts * math.log(fer))
    return max(1, math.ceil(whole - 1e-9) - 1)
