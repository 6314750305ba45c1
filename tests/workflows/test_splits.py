from __future__ import annotations

from babelspace.corpus import planted
from babelspace.workflows.compare import prepared


def test_rows_come_in_order_of_their_ids():
    corpus = planted(rows=12)
    assert prepared(corpus.select(range(11, -1, -1)), None).ids == corpus.ids
