"""What Yun 2009 leaves open: parameters of the schemes that it compares, and how its network loses frames."""

from __future__ import annotations

from airhop.experiments.reading import Question, Reading

TIBET_DECAY = Question(
    about="TIBET's decay",
    default=Reading(
        "tibet-0.95",
        "Each sign of congestion multiplies TIBET's smallest round trip by 0.95.",
        "RTTmin is multiplied by a reducing factor less than one",
    ),
    others=tuple(
        Reading(
            f"tibet-{factor}",
            f"Each sign of congestion multiplies TIBET's smallest round trip by {factor}.",
            "RTTmin is multiplied by a reducing factor less than one",
            schemes={"tibet": {"rttmin_factor": factor}},
        )
        for factor in (0.99, 0.995, 0.999)
    ),
)
