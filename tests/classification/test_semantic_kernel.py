from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from babelspace.classification import SemanticKernel
from babelspace.corpus import AlignedCorpus, planted
from babelspace.errors import ParameterError, UnknownLanguage
from babelspace.features import ViewsVectorizer
from babelspace.spaces import CLLSI, Encoder
from tests.classification.conftest import labels_of

COUNTS = ViewsVectorizer(drop_top=0, min_count=1, max_terms=None, weighting="tf", normalize=False)


@pytest.fixture(scope="module")
def other(global_random_seed):
    """Documents of the same language, of which a third of the words is not in the space's corpus."""
    return planted(rows=120, topics=4, vocabulary=225, shared=0, languages="en", seed=global_random_seed)


def unit(rows):
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


def brute_gram(encoder, texts, mixture):
    """x W Wᵀ y of the common words, word by word."""
    table = encoder.vectorizer.vocabulary_.table("en")
    weights = encoder.space.weights_["en"]
    words = sorted({word for text in texts for word in text.split()})
    counts = np.array([[text.split().count(word) for word in words] for text in texts], float)
    W = np.array([weights[table[word]] if word in table else np.zeros(weights.shape[1]) for word in words])
    semantic, plain = unit(counts @ W), unit(counts)
    return mixture * semantic @ semantic.T + (1 - mixture) * plain @ plain.T


@pytest.mark.parametrize("mixture", [1.0, 0.4, 0.0])
def test_it_is_the_kernel_of_the_paper(lsi_encoder, other, mixture):
    texts = other.texts("en")[:30]
    kernel = SemanticKernel(lsi_encoder, mixture=mixture, vectorizer=COUNTS).fit(texts)
    assert np.allclose(kernel(texts), brute_gram(lsi_encoder, texts, mixture), atol=1e-5)


def test_without_lengths(lsi_encoder, other):
    texts = other.texts("en")[:30]
    plain = SemanticKernel(lsi_encoder, vectorizer=COUNTS, normalize=False).fit(texts)
    gram = plain(texts)
    lengths = np.sqrt(gram.diagonal())
    assert np.allclose(gram / np.outer(lengths, lengths), brute_gram(lsi_encoder, texts, 1.0), atol=1e-4)
    assert lengths.std() > 0.01


def test_vectors_and_gram_matrix_agree(encoder, other):
    texts = other.texts("en")
    for mixture in (1.0, 0.5):
        kernel = SemanticKernel(encoder, mixture=mixture).fit(texts)
        left, right = kernel.transform(texts[:5]), kernel.transform(texts[5:9])
        assert np.allclose(
            kernel(texts[:5], texts[5:9]), (left @ right.T).toarray() if issparse(left) else left @ right.T
        )
        assert np.linalg.eigvalsh(kernel(texts)).min() > -1e-4


def test_support_vector_machines_take_it(encoder, parts):
    texts, labels = parts.train.texts("en"), labels_of(parts.train)
    asked, truth = parts.test.texts("en"), labels_of(parts.test)
    kernel = SemanticKernel(encoder, mixture=0.5).fit(texts)
    machine = SVC(kernel="precomputed").fit(kernel(texts), labels)
    assert machine.score(kernel(asked, texts), truth) > 0.7
    for mixture in (1.0, 0.5):
        pipeline = make_pipeline(SemanticKernel(encoder, mixture=mixture), LinearSVC())
        assert clone(pipeline).fit(texts, labels).score(asked, truth) > 0.7


def test_words_that_were_not_labelled_are_understood(rng):
    """Each topic has two halves of words; labels show one half, the test the other, and only the space joins them."""
    topics = np.array([[f"word{topic}{chr(97 + k)}" for k in range(20)] for topic in range(3)])
    numbers = np.arange(90) % 3
    texts = [" ".join(rng.choice(topics[topic], size=12)) for topic in numbers]
    corpus = AlignedCorpus([str(k) for k in range(90)], {"en": texts, "es": [text + "s" for text in texts]})
    encoder = Encoder(ViewsVectorizer(drop_top=0), CLLSI(n_components=3)).fit(corpus)
    shown = [" ".join(rng.choice(topics[topic, :10], size=12)) for topic in numbers]
    hidden = [" ".join(rng.choice(topics[topic, 10:], size=12)) for topic in numbers]
    scores = {}
    for mixture in (1.0, 0.5, 0.0):
        kernel = SemanticKernel(encoder, mixture=mixture).fit(shown + hidden)
        scores[mixture] = LinearSVC().fit(kernel.transform(shown), numbers).score(kernel.transform(hidden), numbers)
    assert scores[1.0] == scores[0.5] == 1
    assert scores[0.0] < 0.6


def test_labels_are_not_used(encoder, other):
    texts = other.texts("en")
    first, second = SemanticKernel(encoder).fit(texts), SemanticKernel(encoder).fit(texts, labels_of(other))
    assert np.array_equal(first(texts[:9]), second(texts[:9]))


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"language": "de"}, UnknownLanguage, "unknown language 'de'"),
        ({"mixture": 1.5}, ParameterError, "mixture must be a number, 0 or more and at most 1, got 1.5"),
    ],
    ids=["language", "mixture"],
)
def test_wrong_settings(encoder, other, change, kind, message):
    with pytest.raises(kind, match=message):
        SemanticKernel(encoder, **change).fit(other.texts("en"))


def test_no_common_word(encoder):
    with pytest.raises(ParameterError, match="no word of the 2 in these documents is among"):
        SemanticKernel(encoder, vectorizer=COUNTS).fit(["foo bar"])
