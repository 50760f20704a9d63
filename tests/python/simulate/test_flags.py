"""Properties of kinds and schemes are in the schema and the catalogue, where the verifier reads them."""

import pytest

from airhop.catalogue import built_in, defaults, flagged, flagged_schemes


# RFC 8290 and DRR serve flows in turn; every other discipline here is first in, first out.
def test_the_flag_fifo_marks_queues_that_keep_the_order_of_packets() -> None:
    assert flagged("queue", "fifo") >= {"drop-tail", "red", "biased", "congestion-warning", "codel", "pie"}
    assert not flagged("queue", "fifo") & {"fq", "fq-codel"}


# RFC 7567 §2: active queue management drops before a queue is full.
def test_the_flag_drops_early_marks_queues_that_drop_before_they_are_full() -> None:
    assert flagged("queue", "drops-early") >= {"red", "codel", "fq-codel", "pie"}
    assert not flagged("queue", "drops-early") & {"drop-tail", "fq", "biased", "congestion-warning"}


# Cardwell et al. 2016 §4, Arun and Balakrishnan 2018 §2, Caini and Firrincieli 2004 §3; RFC 8257 §3.2;
# Xu, Tian and Ansari 2004.
@pytest.mark.parametrize(
    ("flag", "schemes"),
    [
        ("paces", {"bbr", "bbr3", "copa", "hybla"}),
        ("echoes-each-byte", {"dctcp"}),
        ("echoes-each-mark", {"jersey", "new-jersey"}),
    ],
)
def test_flags_mark_schemes_with_unusual_traces(flag: str, schemes: set[str]) -> None:
    assert flagged_schemes(flag) & {entry["name"] for entry in built_in()} == schemes


def test_choices_that_may_be_lists_also_have_flags() -> None:
    assert flagged("errors", "fifo") == frozenset()


def test_an_unknown_choice_has_no_flags_and_raises_keyerror() -> None:
    with pytest.raises(KeyError, match="no choice"):
        flagged("quue", "fifo")


# RFC 8033 §4.2 and §4.4.
def test_the_defaults_of_pie_equal_rfc_8033() -> None:
    rfc8033 = {"target": "15 ms", "burst": "150 ms", "ecn": False}
    assert rfc8033.items() <= defaults("queue", "pie").items()
