"""Claims have a quotation of their paper, or are marked as Airhop's own."""

from __future__ import annotations

import re

import pytest

from airhop.experiments import Calculation, Experiment, registry
from airhop.experiments.reading import SILENT

QUOTED = ("yun2009", "koo2007", "cheng2008", "kounavis1996")
"""Papers for which every claim has a quotation."""
EXPERIMENTS = [
    one for id_, one in registry().items() if id_.startswith(tuple(f"{paper}/" for paper in QUOTED))
]


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.id)
def test_every_claim_of_an_experiment_has_a_quote_or_is_airhops_own(
    experiment: Experiment | Calculation,
) -> None:
    for claim in experiment.claims:
        assert claim.quote or claim.own, claim.id


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.id)
def test_quotes_have_single_blanks_no_ligatures_and_marked_omissions(
    experiment: Experiment | Calculation,
) -> None:
    quotes = [claim.quote for claim in experiment.claims]
    for question in experiment.questions:
        quotes += [reading.rests_on for reading in (question.default, *question.others)]
    for quote in filter(None, quotes):
        assert quote == " ".join(quote.split())
        # Ligatures and hyphens at line ends are removed, and omissions have a single mark.
        assert not re.search("[ﬁﬂﬀ\u00ad]|[.]{3}|[a-z]- [a-z]", quote), quote


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.id)
def test_every_reading_has_changes_and_a_supporting_quote(experiment: Experiment | Calculation) -> None:
    for question in experiment.questions:
        for reading in question.others:
            changes = (reading.settings, reading.schemes, reading.curves, reading.metric, reading.checks)
            assert any(changes) or reading.scenario, reading.name
            assert reading.rests_on, f"{reading.name} rests on words, or the paper is {SILENT}"
