from __future__ import annotations

import numpy as np
import pytest

from babelspace.kernels.alignment.decode import best_alignments, n_best_alignments
from tests.oracles import alignment as twins
from tests.oracles.alignment_cases import random_model, random_text, sentence_tables

pytestmark = pytest.mark.family("alignment")

NULL_SHARE = 0.2


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("chain", [True, False])
def test_best_and_n_best_are_the_top_of_the_enumeration(seed, side, chain):
    rng = np.random.default_rng(seed)
    text = random_text(rng, longest=4)
    _, _, cells, lexicon, jumps = random_model(rng, text)
    tension = np.array([2.0, 3.0])
    settings = (text, cells, lexicon, NULL_SHARE, tension, jumps, chain, side)
    best = best_alignments(*settings)
    rows, scores = n_best_alignments(*settings, 40)
    starts = text.target_starts if side == 0 else text.source_starts
    for sentence in range(len(text.cell_starts) - 1):
        lexical, from_null = sentence_tables(text, cells, lexicon, sentence, side)
        chosen = best[starts[sentence] : starts[sentence + 1]]
        if lexical.size == 0:
            assert np.all(chosen == -1)
            assert rows[sentence].tolist() == [[-1] * len(chosen)]
            continue
        model = {"jumps": jumps[side]} if chain else {"tension": tension[side]}
        table = twins.every(lexical, from_null, NULL_SHARE, **model)
        ranking = sorted(table, key=table.__getitem__, reverse=True)[:40]
        assert table[tuple(chosen.tolist())] == pytest.approx(table[ranking[0]], rel=1e-5)
        found = [tuple(row) for row in rows[sentence].tolist()]
        assert len(set(found)) == len(found) == len(ranking)
        np.testing.assert_allclose(scores[sentence], np.log([table[row] for row in found]), rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(scores[sentence], np.log([table[row] for row in ranking]), rtol=1e-4, atol=1e-5)
