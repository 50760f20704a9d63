"""Claims stand beside the words of their papers, or say that they are ours."""

from __future__ import annotations

import re

import pytest

from airhop.experiments import Calculation, Experiment, registry
from airhop.experiments.reading import SILENT

QUOTED = ("yun2009", "koo2007", "cheng2008", "kounavis1996")
"""Papers of which every claim has its words."""
EXPERIMENTS = [
    one for id_, one in registry().items() if id_.startswith(tuple(f"{paper}/" for paper in QUOTED))
]


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.id)
def test_a_claim_is_the_papers_in_its_words_or_ours(experiment: Experiment | Calculation) -> None:
    for claim in experiment.claims:
        assert claim.quote or claim.own, claim.id


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.id)
def test_words_of_a_paper_are_one_line_as_it_prints_them(experiment: Experiment | Calculation) -> None:
    quotes = [claim.quote for claim in experiment.claims]
    for question in experiment.questions:
        quotes += [reading.rests_on for reading in (question.default, *question.others)]
    for quote in filter(None, quotes):
        assert quote == " ".join(quote.split())
        # Ligatures and hyphens of a column are the printer's, and omissions are marked in one way.
        assert not re.search("[ﬁﬂﬀ\u00ad]|[.]{3}|[a-z]- [a-z]", quote), quote


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.id)
def test_a_reading_has_changes_and_supporting_words(experiment: Experiment | Calculation) -> None:
    for question in experiment.questions:
        for reading in question.others:
            changes = (reading.settings, reading.schemes, reading.curves, reading.metric, reading.checks)
            assert any(changes) or reading.scenario, reading.name
            assert reading.rests_on, f"{reading.name} rests on words, or the paper is {SILENT}"
