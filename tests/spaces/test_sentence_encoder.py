from __future__ import annotations

import inspect
import sys
from types import SimpleNamespace
from typing import Protocol, runtime_checkable

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from babelspace.corpus import planted
from babelspace.errors import ParameterError, UnknownLanguage
from babelspace.features import ViewsVectorizer
from babelspace.spaces import OPCA, Encoder
from babelspace.spaces.mteb_encoder import SentenceEncoder
from babelspace.text.language_identification import trigrams


@pytest.fixture(scope="module")
def corpus():
    return planted(rows=200)


@pytest.fixture(scope="module")
def encoder(corpus):
    return Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=20)).fit(corpus)


def test_strings_and_batches_give_the_same(encoder, corpus):
    texts = corpus.texts("es")[:4]
    expected = encoder.encode(texts, "es")
    adapter = SentenceEncoder(encoder, "es")
    for given in (
        texts,
        [texts[:3], texts[3:]],
        [{"text": texts[:1]}, {"text": texts[1:]}],
        [{"text": t} for t in texts],
    ):
        np.testing.assert_array_equal(adapter.encode(given, batch_size=2, hf_split="test"), expected)


def test_similarity_is_that_of_the_space(encoder, corpus):
    adapter = SentenceEncoder(encoder, "en")
    vectors = adapter.encode([*corpus.texts("en")[:5], "xyzzy"])
    unit = vectors[:5] / np.linalg.norm(vectors[:5], axis=1, keepdims=True)
    found = adapter.similarity(vectors, vectors)
    np.testing.assert_allclose(found[:5, :5], unit @ unit.T, atol=1e-6)
    assert not found[5].any()
    np.testing.assert_allclose(adapter.similarity_pairwise(vectors, vectors), [1, 1, 1, 1, 1, 0], atol=1e-6)
    assert adapter.similarity(vectors[0], vectors).shape == (1, 6)
    with pytest.raises(ParameterError, match="2 vectors against 3"):
        adapter.similarity_pairwise(vectors[:2], vectors[:3])


def test_tasks_tell_the_language(encoder, corpus):
    adapter = SentenceEncoder(encoder)
    text = corpus.texts("es")[:1]
    spanish, english = encoder.encode(text, "es"), encoder.encode(text, "en")
    told = {
        "document": {"hf_subset": "en-es", "prompt_type": SimpleNamespace(value="document")},
        "monolingual": {"hf_subset": "spa-Latn"},
        "metadata": {"hf_subset": "default", "task_metadata": SimpleNamespace(languages=["spa"])},
    }
    for settings in told.values():
        np.testing.assert_array_equal(adapter.encode(text, **settings), spanish)
    np.testing.assert_array_equal(adapter.encode(text, hf_subset="en-es", prompt_type="query"), english)
    with pytest.raises(ParameterError, match=r"nothing tells the language of these texts \(hf_subset is 'default'\)"):
        adapter.encode(text, hf_subset="default")


def test_sides_of_a_bitext_are_told_apart(encoder, corpus):
    """Both are asked for with the same words of the task, as MTEB's Tatoeba and BUCC do."""
    learned = clone(encoder).fit(corpus)
    learned.card_["profile"] = {name: {"trigrams": trigrams(corpus.texts(name))} for name in ("en", "es")}
    adapter = SentenceEncoder(learned)
    for language in ("en", "es"):
        texts = corpus.texts(language)[:20]
        for subset in ("en-es", "spa-eng"):
            np.testing.assert_array_equal(adapter.encode(texts, hf_subset=subset), learned.encode(texts, language))
    with pytest.raises(ParameterError, match="and the two look alike in these texts"):
        adapter.encode(["12 34"], hf_subset="en-es")
    with pytest.raises(ParameterError, match=r"names en and es .* were learned without held-out rows"):
        SentenceEncoder(encoder).encode(corpus.texts("en"), hf_subset="en-es")


@runtime_checkable
class MTEBEncoder(Protocol):
    """What MTEB asks of an encoder (its `EncoderProtocol`, version 2), by name and by keyword."""

    def encode(self, inputs, *, task_metadata, hf_split, hf_subset, prompt_type=None, **kwargs): ...

    def similarity(self, embeddings1, embeddings2): ...

    def similarity_pairwise(self, embeddings1, embeddings2): ...

    @property
    def mteb_model_meta(self): ...


def test_the_protocol_of_mteb(encoder, corpus):
    """Called as its evaluators call it: a loader of batches, keywords, a batch size."""
    adapter = SentenceEncoder(encoder, "en")
    assert isinstance(adapter, MTEBEncoder)
    for name in ("encode", "similarity", "similarity_pairwise"):
        asked = inspect.signature(getattr(MTEBEncoder, name)).parameters.values()
        given = inspect.signature(getattr(SentenceEncoder, name)).parameters
        assert {parameter.name for parameter in asked if parameter.kind != parameter.VAR_KEYWORD} <= set(given)
    texts = corpus.texts("en")[:5]
    loader = iter([{"text": texts[:3], "id": ["1", "2", "3"]}, {"text": texts[3:], "id": ["4", "5"]}])
    task = SimpleNamespace(languages=["eng"], name="none", type="Retrieval")
    found = adapter.encode(
        loader, task_metadata=task, hf_split="test", hf_subset="default", prompt_type=None, batch_size=32
    )
    assert found.shape == (5, 20) and found.dtype == np.float32
    assert adapter.mteb_model_meta is None


def test_errors(encoder):
    with pytest.raises(UnknownLanguage, match="unknown language 'de'; known: en, es"):
        SentenceEncoder(encoder, "de")
    with pytest.raises(ParameterError, match="a batch has no texts; it has image"):
        SentenceEncoder(encoder, "en").encode([{"image": []}])
    with pytest.raises(ParameterError, match="a text is int 3"):
        SentenceEncoder(encoder, "en").encode([3])


def test_one_language_is_a_plain_transformer(encoder, corpus):
    """Learned in one language, a classifier works in the other."""
    labels = (encoder.encode(corpus.texts("en"), "en")[:, 0] > 0).astype(int)
    english = make_pipeline(encoder["en"], LogisticRegression()).fit(corpus.texts("en")[:150], labels[:150])
    spanish = make_pipeline(clone(encoder["es"]), english[-1])
    assert np.mean(spanish.predict(corpus.texts("es")[150:]) == labels[150:]) > 0.8


def test_the_model_describes_itself_to_mteb(encoder, monkeypatch):
    adapter = SentenceEncoder(encoder)
    monkeypatch.delitem(sys.modules, "mteb.models.model_meta", raising=False)
    assert adapter.mteb_model_meta is None
    monkeypatch.setitem(sys.modules, "mteb.models.model_meta", SimpleNamespace(ModelMeta=SimpleNamespace))
    told = adapter.mteb_model_meta
    assert told.name == "babelspace/opca-planted"
    assert told.languages == ["eng-Latn", "spa-Latn"]
    assert told.embed_dim == 20
    assert told.n_parameters >= 20 * sum(len(encoder.vectorizer.table(name)) for name in ("en", "es")) / 2
    assert told.similarity_fn_name == "cosine"
