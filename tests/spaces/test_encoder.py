"""The encoder holds texts and space together and comes back from disk as it was."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from babelspace.corpus import planted
from babelspace.errors import ArtifactError, BabelspaceError, ParameterError, UnknownLanguage
from babelspace.features import ViewsVectorizer
from babelspace.spaces import CCA, OPCA, SPACES, Encoder, Space
from babelspace.vectors.similarity import as_dense
from tests import families
from tests.cards import reseal, rewrite
from tests.spaces.parts import LINEAR, TRANSLATED, assert_identical, every_linear_space, features, small

# A translator that is a function is not saved; see test_translated.py.
WHOLE = [name for name in SPACES if name not in TRANSLATED]


@pytest.fixture(scope="module")
def corpus(global_random_seed):
    return planted(80, languages=("en", "es", "de"), vocabulary=40, holes=0.1, seed=global_random_seed)


def encoder_of(name, corpus, **settings):
    return Encoder(features(name, **settings), small(name, 6)).fit(corpus)


@pytest.fixture(scope="module")
def encoder(corpus):
    return encoder_of("opca", corpus)


@pytest.mark.parametrize("name", families.spaces(WHOLE))
@pytest.mark.parametrize("vocabulary", ["shared", "separate"])
def test_saved_and_loaded_it_gives_the_same_vectors(name, vocabulary, corpus, tmp_path):
    encoder = encoder_of(name, corpus, vocabulary=vocabulary)
    encoder.save(tmp_path / "model")
    read = Encoder.load(tmp_path / "model")
    assert read.languages_ == encoder.languages_
    assert type(read.space) is type(encoder.space)
    assert read.space.get_params() == encoder.space.get_params()
    assert read.vectorizer.get_params() == encoder.vectorizer.get_params()
    assert read.card_ == encoder.card_
    assert_identical(encoder.transform(corpus), read.transform(corpus))
    texts = [text for text in corpus.texts("de") if text]
    assert_identical({"de": encoder.encode(texts, "de")}, {"de": read.encode(texts, "de")})
    assert read.score(corpus) == encoder.score(corpus)


@every_linear_space
def test_saved_again_it_is_the_same(name, corpus, tmp_path):
    encoder_of(name, corpus).save(tmp_path / "first")
    Encoder.load(tmp_path / "first").save(tmp_path / "second")
    for path in (tmp_path / "first").iterdir():
        assert path.read_bytes() == (tmp_path / "second" / path.name).read_bytes()


@pytest.mark.parametrize("name", families.spaces([name for name in LINEAR if name in WHOLE]))
def test_truncated_and_saved(name, corpus, tmp_path):
    whole = encoder_of(name, corpus)
    cut = Encoder.of_fitted(whole.vectorizer, whole.space.truncated(2), corpus)
    cut.save(tmp_path / "model")
    read = Encoder.load(tmp_path / "model")
    assert read.space.n_components == read.space.n_components_ == 2
    assert_identical(read.transform(corpus), cut.transform(corpus))
    np.testing.assert_array_equal(read.transform(corpus)["en"], whole.transform(corpus)["en"][:, :2])


def test_a_centred_space_is_saved_with_its_offsets(corpus, tmp_path):
    encoder = Encoder(ViewsVectorizer(drop_top=0), OPCA(4, center=True)).fit(corpus)
    encoder.save(tmp_path / "model")
    assert_identical(Encoder.load(tmp_path / "model").transform(corpus), encoder.transform(corpus))


def test_numbers_of_numpy_as_parameters_are_kept(corpus, tmp_path):
    space = OPCA(n_components=np.int64(4), gamma=np.float32(0.5))
    Encoder(ViewsVectorizer(drop_top=0), space).fit(corpus).save(tmp_path / "model")
    read = Encoder.load(tmp_path / "model").space
    assert (read.n_components, read.gamma) == (4, 0.5)


def test_encode_is_vectorise_then_transform(encoder, corpus):
    text = next(text for text in corpus.texts("es") if text)
    rows = encoder.vectorizer.transform_texts([text, "xyzzy"], "es")
    np.testing.assert_array_equal(encoder.encode([text, "xyzzy"], "es"), encoder.space.transform(rows, "es"))
    assert not encoder.encode(["xyzzy", ""], "es").any()


@pytest.mark.parametrize("name", ["opca", "untranslated"])
def test_vectors_of_length_one(name, corpus):
    encoder = encoder_of(name, corpus)
    texts = [*[text or "" for text in corpus.texts("en")[:6]], "nothingknown"]
    plain = as_dense(encoder.encode(texts, "en"))
    found = as_dense(encoder.encode(texts, "en", normalize=True))
    lengths = np.linalg.norm(plain, axis=1, keepdims=True)
    np.testing.assert_allclose(found, plain / np.where(lengths > 0, lengths, 1), atol=1e-6)
    assert not found[-1].any() and np.count_nonzero(np.linalg.norm(found, axis=1) > 0.999) >= 5


def test_holes_are_zero_vectors(encoder, corpus):
    vectors = encoder.transform(corpus)
    for language in corpus.languages:
        missing = ~corpus.present(language)
        assert missing.any()
        assert not as_dense(vectors[language])[missing].any()
        assert as_dense(vectors[language])[~missing].any(axis=1).all()


def test_of_fitted_is_the_same_as_fit(encoder, corpus):
    vectorizer = clone(encoder.vectorizer)
    space = clone(encoder.space).fit(vectorizer.fit_transform(corpus))
    assert_identical(Encoder.of_fitted(vectorizer, space, corpus).transform(corpus), encoder.transform(corpus))


def test_one_language_of_it_is_a_scikit_learn_transformer(encoder, corpus):
    rows = corpus.present("en") & corpus.present("de")
    labels = np.array([values[0] for values in corpus.field("label")])[rows]
    texts = {code: [text for text, keep in zip(corpus.texts(code), rows, strict=True) if keep] for code in ("en", "de")}
    english = make_pipeline(encoder["en"], KNeighborsClassifier(1)).fit(texts["en"], labels)
    assert english.score(texts["en"], labels) > 0.9
    np.testing.assert_array_equal(encoder["de"].transform(texts["de"]), encoder.encode(texts["de"], "de"))


def test_the_card_tells_where_the_model_comes_from(encoder, corpus, tmp_path):
    encoder.save(tmp_path / "model")
    card = json.loads((tmp_path / "model" / "card.json").read_text())
    assert card["format"] == 2
    assert card["space"] == "opca"
    assert card["languages"] == ["en", "es", "de"]
    assert card["parameters"]["n_components"] == 6
    assert card["corpus"]["rows"] == 80
    assert card["corpus"]["documents"] == corpus.counts()
    assert card["corpus"]["fingerprint"] == corpus.fingerprint()


def test_an_unknown_language_is_told(encoder):
    for use in (lambda: encoder.encode(["a"], "it"), lambda: encoder["it"]):
        with pytest.raises(UnknownLanguage, match="unknown language 'it'; known: en, es, de"):
            use()


def test_not_fitted_is_told(corpus, tmp_path):
    encoder = Encoder(ViewsVectorizer(), CCA())
    for use in (
        lambda: encoder.encode(["a"], "en"),
        lambda: encoder.save(tmp_path / "m"),
        lambda: encoder.transform(corpus),
    ):
        with pytest.raises(NotFittedError):
            use()


def test_a_space_outside_the_table_cannot_be_saved(encoder, corpus, tmp_path):
    class Mine(Space):
        """Not in the table."""

    mine = Mine()
    mine.languages_ = corpus.languages
    with pytest.raises(ParameterError, match="Mine is not in the table of spaces; known: untranslated"):
        Encoder.of_fitted(encoder.vectorizer, mine, corpus).save(tmp_path / "model")


@pytest.fixture
def saved(encoder, tmp_path):
    encoder.save(tmp_path / "model")
    return tmp_path / "model"


KEYS = ["space", "parameters", "languages", "vectorizer", "corpus", "created", "versions", "scores", "files"]


@pytest.mark.parametrize("key", KEYS)
def test_a_card_that_lacks_something_is_damaged(saved, key):
    rewrite(saved / "card.json", lambda card: card.pop(key))
    with pytest.raises(ArtifactError, match="damaged"):
        Encoder.load(saved)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"space": "os:system"}, "unknown space 'os:system'; known: untranslated"),
        ({"parameters": {"gama": 1}}, "opca has no parameter gama"),
        ({"space": 5}, "the model is damaged"),
        ({"kind": "aligner"}, "holds 'aligner', not 'encoder'"),
        ({"parameters": 5}, "the model is damaged"),
        ({"languages": ["en", "it"]}, "the model is damaged"),
        ({"languages": 5}, "the model is damaged"),
        ({"vectorizer": {}}, "the model is damaged"),
        ({"files": {}}, "damaged"),
    ],
)
def test_a_card_that_was_tampered_with_is_told(saved, change, message):
    rewrite(saved / "card.json", lambda card: card.update(change))
    with pytest.raises(BabelspaceError, match=message):
        Encoder.load(saved)


def test_arrays_of_another_model_are_told(saved, corpus, tmp_path):
    encoder_of("cl-lsi", corpus.select(languages=["en", "es"])).save(tmp_path / "other")
    (saved / "arrays.safetensors").write_bytes((tmp_path / "other" / "arrays.safetensors").read_bytes())
    with pytest.raises(ArtifactError, match=r"arrays\.safetensors is not as it was written"):
        Encoder.load(saved)
    reseal(saved)
    with pytest.raises(ArtifactError, match="the model is damaged"):
        Encoder.load(saved)


def test_sparse_spaces_keep_more_terms():
    from babelspace.spaces import Untranslated, make

    assert Encoder(None, Untranslated()).vectorizer.max_terms == 100_000
    assert Encoder(None, make("translation")).vectorizer.max_terms == 100_000
    assert Encoder(None, make("opca")).vectorizer.max_terms == ViewsVectorizer().max_terms == 10_000


def test_frames_and_names_as_scikit_learn_has_them(encoder, corpus):
    pandas = pytest.importorskip("pandas")
    texts = {"en": [document.text for document in corpus.documents("en")]}
    english = encoder["en"]
    names = english.get_feature_names_out()
    framed = clone(english.set_output(transform="pandas"))
    series = pandas.Series(texts["en"][:3], index=["a", "b", "c"])
    found = framed.transform(series)
    assert list(found.columns) == list(names) and list(found.index) == ["a", "b", "c"]
    np.testing.assert_array_equal(found.to_numpy(), encoder.encode(texts["en"][:3], "en"))
    assert isinstance(framed.set_output(transform="default").transform(series), np.ndarray)
    with pytest.raises(ParameterError, match="unknown output 'arrow'; allowed: default, pandas"):
        english.set_output(transform="arrow")
