"""LHP's packet list, as Figure 4 of Yun 2009 draws it."""

import pytest

from airhop._core import packet_list


def test_figure_4() -> None:
    """14 to 19 are out; 14, 16 and 18 are lost; two duplicates let 20 and 21 out (RFC 3042)."""
    rows = packet_list(
        [[14, 15, 16, 17, 18, 19], [20], [21]], [(14, 15), (14, 17), (14, 19), (14, 20), (14, 21)]
    )
    assert rows == [
        ([(14, 1), (16, 0), (17, 0), (18, 0), (19, 0), (20, 0)], []),
        ([(14, 2), (16, 1), (18, 0), (19, 0), (20, 0), (21, 0)], []),
        ([(16, 2), (18, 1), (20, 0), (21, 0), (14, 0)], [14]),
        ([(18, 2), (21, 0), (14, 0), (16, 0)], [16]),
        ([(14, 0), (16, 0), (18, 0)], [18]),
    ]


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValueError, match="dupthresh: expected 1 or more, got 0"):
        packet_list([[1]], [(1, 2)], 0)
    with pytest.raises(ValueError, match="at most one list more than there are ACKs, 1, got 3"):
        packet_list([[1], [2], [3]], [(1, 2)])
