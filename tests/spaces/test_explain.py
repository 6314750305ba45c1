from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from babelspace.corpus import planted, planted_words
from babelspace.features import ViewsVectorizer
from babelspace.spaces import Encoder, make
from babelspace.spaces.explain import AVERAGE, contributions, explain
from babelspace.vectors.similarity import pairwise

LINEAR = ("untranslated", "cl-lsi", "cca", "opca", "oneta", "esa", "on-eigen", "cca+untranslated", "kernel-cca")
CORPUS = planted(rows=80, vocabulary=60, words=30)
ENGLISH, SPANISH = planted_words("en", 60), planted_words("es", 60)


def fitted(name, **settings):
    counts = name in ("jplsa", "mlda-vi")
    space = make(name, **settings)
    if hasattr(space, "n_components"):
        space.set_params(n_components=8)
    vectorizer = ViewsVectorizer(drop_top=0, weighting="tf" if counts else "log-tf-idf", normalize=not counts)
    return Encoder(vectorizer, space).fit(CORPUS)


@pytest.fixture(scope="module")
def encoders():
    return {name: fitted(name) for name in LINEAR}


def score(encoder, source, target):
    return next(pairwise(encoder.encode([source], "en"), encoder.encode([target], "es"), encoder.space.similarity))[
        0, 0
    ]


words = st.lists(st.integers(0, 59), min_size=1, max_size=25)


@pytest.mark.parametrize("name", LINEAR)
@given(source=words, target=words)
def test_parts_sum_to_the_score(encoders, name, source, target):
    encoder = encoders[name]
    one, other = " ".join(ENGLISH[k] for k in source), " ".join(SPANISH[k] for k in target)
    found = contributions(encoder, one, "en", other, "es")
    expected = score(encoder, one, other)
    if not np.isfinite(expected):
        return
    assert found.values.sum() == pytest.approx(expected, abs=1e-4)
    told = explain(encoder, one, "en", other, "es", top=3)
    assert told.method == "exact"
    assert sum(part.value for part in told.parts) + told.rest == pytest.approx(expected, abs=1e-4)
    assert sum(told.source_words.values()) + found.values[[t == AVERAGE for t in found.source_terms]].sum() == (
        pytest.approx(expected, abs=1e-4)
    )


def test_a_part_is_the_product_of_two_words(encoders):
    """Brute force: word i of one document against word j of the other, as documents of their own."""
    encoder = encoders["opca"]
    one, other = CORPUS.texts("en")[0], CORPUS.texts("es")[0]
    found = contributions(encoder, one, "en", other, "es")
    rows = [encoder.vectorizer.transform_texts([text], lang) for text, lang in ((one, "en"), (other, "es"))]
    full = [encoder.space.transform(row, lang)[0].astype(float) for row, lang in zip(rows, ("en", "es"), strict=True)]
    weights = encoder.space.weights_
    for i, j in ((0, 0), (3, 5), (2, 7)):
        a = rows[0].data[i] * weights["en"][rows[0].indices[i]]
        b = rows[1].data[j] * weights["es"][rows[1].indices[j]]
        expected = a.astype(float) @ b / np.linalg.norm(full[0]) / np.linalg.norm(full[1])
        assert found.values[i, j] == pytest.approx(expected, rel=1e-4, abs=1e-7)


def test_untranslated_shows_only_equal_spellings(encoders):
    names = " ".join(ENGLISH[:3])
    assert ENGLISH[:3] == SPANISH[:3] and ENGLISH[10] != SPANISH[10]
    told = explain(encoders["untranslated"], f"{names} {ENGLISH[10]}", "en", f"{SPANISH[10]} {names}", "es")
    assert len(told.parts) == 3 and all(part.source == part.target for part in told.parts)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        pytest.param("kernel-cca", {"kernel": "rbf"}, marks=pytest.mark.family("kernel"), id="rbf"),
        pytest.param("jplsa", {}, marks=pytest.mark.family("plsa"), id="jplsa"),
    ],
)
def test_other_spaces_tell_what_each_word_is_worth(name, settings):
    encoder = fitted(name, **settings)
    one, other = CORPUS.texts("en")[2], CORPUS.texts("es")[2]
    told = explain(encoder, one, "en", other, "es", top=4)
    assert told.method == "removal" and told.rest == 0
    assert told.score == pytest.approx(score(encoder, one, other), abs=1e-5)
    part = next(part for part in told.parts if part.source)
    counts = encoder.vectorizer.transform_texts([one], "en")
    column = encoder.vectorizer.vocabulary_.table("en")[part.source]
    counts.data[counts.indices == column] = 0
    without = encoder.space.transform(counts, "en")
    lost = told.score - next(pairwise(without, encoder.encode([other], "es"), encoder.space.similarity))[0, 0]
    assert part.value == pytest.approx(lost, abs=1e-5)


@pytest.mark.parametrize("name", ["opca", "untranslated", "cca"])
def test_documents_without_a_known_word_have_no_reasons(encoders, name):
    told = explain(encoders[name], "xyzzy", "en", CORPUS.texts("es")[0], "es")
    assert told.score == 0 and told.parts == ()
    assert told.as_dict()["parts"] == []


def test_the_text_names_what_it_is():
    encoder = fitted("opca")
    text = str(explain(encoder, CORPUS.texts("en")[0], "en", CORPUS.texts("es")[0], "es", top=2))
    assert text.startswith("cosine 0.") and " × " in text and "all others" in text
