"""Short queries as trials: what words find, what vectors add, and a twin that ranks one query at a time."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from babelspace.corpus import AlignedCorpus, planted
from babelspace.features import ViewsVectorizer
from babelspace.search.query_trials import QueryTrials


@pytest.fixture(scope="module")
def corpus():
    return planted(rows=60, words=30)


@pytest.fixture(scope="module")
def trials(corpus):
    return QueryTrials.of(corpus, ViewsVectorizer(drop_top=0).fit(corpus), None)


def test_perfect_vectors_find_all_and_random_ones_do_not_harm_words(corpus, trials):
    rows = len(corpus)
    documents = dict.fromkeys(corpus.languages, np.eye(rows, dtype=np.float32))
    queries = {name: np.eye(rows, dtype=np.float32)[asked.owners] for name, asked in trials.asked.items()}
    assert trials.gains(documents, queries, "cosine").mean() > 0.99
    rng = np.random.default_rng(0)
    noise = {name: rng.normal(size=(rows, 8)).astype(np.float32) for name in documents}
    asked = {name: rng.normal(size=(len(found), 8)).astype(np.float32) for name, found in queries.items()}
    assert trials.gains(noise, asked, "cosine").mean() < 0.3


def test_sparse_vectors_leave_it_to_words(corpus, trials):
    nothing = {name: sp.csr_array((len(corpus), 5), dtype=np.float32) for name in corpus.languages}
    gains = iter(trials.gains(nothing, nothing, "cosine"))
    for place, asked in enumerate(trials.asked.values()):
        for target in range(len(corpus.languages)):
            for query, owner in enumerate(asked.owners):
                if target != place:
                    scores = asked.held[target, query]
                    rank = np.sum(scores >= scores[owner] - 1e-6)
                    assert next(gains) == pytest.approx(1 / np.log2(1 + rank) if rank <= 10 else 0)


def test_titles_ask_and_are_no_longer_in_the_document():
    rest = " ".join(f"word{number}" for number in range(20))
    texts = [f"Heading {row}\n{rest} own{row} own{row}" for row in range(30)]
    corpus = AlignedCorpus(list(map(str, range(30))), {"en": texts, "es": texts})
    found = QueryTrials.of(corpus, ViewsVectorizer(drop_top=0, min_count=1).fit(corpus), None)
    assert found.asked["en"].texts[:2] == ["Heading 0", "Heading 1"]
    assert len(found.asked["en"].texts) == 60
    assert not any("Heading" in text for text in found.documents["en"])
