"""Word-by-word translation: planted dictionaries, dense twins, dictionaries in files, and bitexts."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from babelspace.corpus import AlignedCorpus, planted
from babelspace.corpus.planted import planted_words
from babelspace.errors import CorpusError, ParameterError, UnknownLanguage
from babelspace.features import Views, ViewsVectorizer
from babelspace.spaces import CLLSI, Combine, Encoder, Translation, TranslationLSA
from babelspace.spaces.lexical.translation_tables import BagSettings, learn_from_bags
from babelspace.terms.lexicon import Lexicon
from babelspace.terms.lexicon_formats import write_lexicon

pytestmark = pytest.mark.family("alignment")

NAMES = 11  # of the planted words below, spelled alike in both languages
WORDS = {code: planted_words(code, 110, 0.1) for code in ("en", "es", "de")}


@pytest.fixture(scope="module")
def corpus(global_random_seed):
    return planted(rows=200, vocabulary=110, shared=0.1, seed=global_random_seed)


@pytest.fixture(scope="module")
def views(corpus):
    return ViewsVectorizer(drop_top=0).fit_transform(corpus)


def lexicon_of(left, right, **columns):
    return Lexicon.of(zip(WORDS[left], WORDS[right], strict=True), **columns)


def meaning(views, space, word, language="es"):
    """The most probable translation of a word."""
    table = views.words.table(language)
    row = space.tables_[language].toarray()[table[word]]
    return {column: term for term, column in views.words.table(space.pivot_).items()}[int(row.argmax())]


def test_the_planted_dictionary_is_found(views):
    space = Translation().fit(views)
    known = [word for word in WORDS["es"][NAMES:] if word in views.words.table("es")]
    right = [meaning(views, space, word) == WORDS["en"][WORDS["es"].index(word)] for word in known]
    assert len(known) > 80
    assert np.mean(right) > 0.9


def test_em_on_bags_is_the_dense_formula(rng):
    source, target = (np.rint(4 * rng.random((12, 6)) * (rng.random((12, 6)) < 0.7)) for _ in range(2))
    alike = (np.array([1, 4]), np.array([1, 4]))
    found = learn_from_bags(sp.csr_array(source), sp.csr_array(target), alike, BagSettings(6, 3, 0.2, 1.5)).toarray()
    lengths = np.linalg.norm(source, axis=0)[:, None] * np.linalg.norm(target, axis=0)
    start = (source.T @ target) / np.where(lengths > 0, lengths, 1)
    table = np.maximum(start, np.where(np.isin(np.arange(6), (1, 4)), 1e-3, 0)[:, None] * np.eye(6)) ** 2
    table /= table.sum(axis=1, keepdims=True)
    shares = 0.8 * source / np.maximum(source.sum(axis=1, keepdims=True), 1)
    kept = 1.5 * target[target > 0].mean() * np.diag(np.isin(np.arange(6), (1, 4)))
    for _ in range(3):
        chance = shares @ table + 0.2 * target.sum(axis=0) / target.sum()
        table = table * (shares.T @ (target / chance)) + kept
        table /= table.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found, np.where(table < 0.01, 0, table), atol=1e-5)


def test_a_table_of_probabilities(views):
    table = Translation(copy=0).fit(views).tables_["es"]
    assert table.data.min() >= 0.01
    sums = np.asarray(table.sum(axis=1)).ravel()
    assert sums.max() <= 1 + 1e-5
    assert np.median(sums[sums > 0]) > 0.8


def test_words_that_training_never_met_are_copied_or_dropped(views):
    first = views.words.table("es")[WORDS["es"][0]]  # a name
    rows = {name: matrix.toarray() for name, matrix in views.items()}
    rows["es"][:, first] = 0
    without = Views(rows, views.present, views.words)
    query = np.zeros((1, views.shape[1]))
    query[0, first] = 2
    copied = Translation().fit(without).transform(query, "es").toarray()
    assert copied[0, first] == 2
    assert np.count_nonzero(copied) == 1
    assert not Translation(copy=0).fit(without).transform(query, "es").toarray().any()


def test_the_pivot_stays_as_it_is(views):
    for pivot in ("en", "es"):
        space = Translation(pivot=pivot).fit(views)
        assert space.pivot_ == pivot
        assert (space.transform(views)[pivot] != views[pivot]).nnz == 0
        assert space.score(views) > 0.9
    with pytest.raises(UnknownLanguage, match="unknown language 'fr'; known: en, es"):
        Translation(pivot="fr").fit(views)


def test_most_documents_make_the_pivot(corpus):
    texts = {code: list(corpus.texts(code)) for code in corpus.languages}
    texts["en"][:20] = [None] * 20
    views = ViewsVectorizer(drop_top=0).fit_transform(AlignedCorpus(corpus.ids, texts))
    assert Translation().fit(views).pivot_ == "es"


def test_lsa_is_that_of_the_pivot(views):
    alone = TranslationLSA(15, tol=1e-3).fit(views)
    tables = Translation().fit(views).tables_
    reference = CLLSI(15, tol=1e-3).fit({"en": views["en"], "es": sp.csr_array(views.shape)})
    np.testing.assert_allclose(alone.values_, reference.values_, rtol=1e-3)
    expected = (views["es"] @ tables["es"]) @ alone.weights_["en"]
    np.testing.assert_allclose(alone.transform(views["es"], "es"), expected, atol=1e-3)


@pytest.mark.parametrize("format", ["tsv", "moses", "muse", "hunalign", "bicleaner"])
def test_dictionaries_of_every_format(tmp_path, views, format):
    lexicon = lexicon_of("es", "en", forward=np.full(110, 0.5), reverse=np.full(110, 0.25), count=np.ones(110))
    path = tmp_path / "dictionary"
    write_lexicon(lexicon, path, format)
    space = Translation(lexicon=str(path)).fit(views)
    known = [word for word in WORDS["es"] if word in views.words.table("es")]
    assert all(meaning(views, space, word) == WORDS["en"][WORDS["es"].index(word)] for word in known[:30])
    values = np.unique(space.tables_["es"][:, :].data)
    # Where a file has no probabilities, the only translation of a word is certain.
    expected = 1.0 if format in ("muse", "hunalign") else 0.5
    np.testing.assert_allclose(values.min(), expected)
    assert space.score(views) > 0.9


def test_a_dictionary_the_other_way_round(tmp_path, views):
    flipped = lexicon_of("en", "es", forward=np.full(110, 0.25), reverse=np.full(110, 0.5))
    path = tmp_path / "dictionary.tsv"
    write_lexicon(flipped, path)
    right = Translation(lexicon=lexicon_of("es", "en", forward=np.full(110, 0.5))).fit(views)
    for given in (f"en-es={path}", {"en-es": flipped}):
        assert (Translation(lexicon=given).fit(views).tables_["es"] != right.tables_["es"]).nnz == 0
    for wrong in (str(path), f"es-en={path}"):
        with pytest.raises(ParameterError, match=r'look like en, not like es(.|\n)*lexicon={"en-es": "FILE"}'):
            Translation(lexicon=wrong).fit(views)
    with pytest.raises(ParameterError, match=r'look like es, not like en(.|\n)*lexicon={"es-en": "FILE"}'):
        Translation(lexicon={"en-es": lexicon_of("es", "en", forward=np.full(110, 0.5))}).fit(views)


def test_probabilities_that_a_dictionary_does_not_tell():
    views = ViewsVectorizer(drop_top=0, min_count=1).fit_transform(
        AlignedCorpus(["1"], {"en": ["wine bread loaf"], "es": ["vino pan"]})
    )
    pairs = [("pan", "bread"), ("Pan", "loaf"), ("vino", "wine"), ("vino tinto", "wine"), ("NULL", "bread")]
    table = Translation(lexicon={"es-en": Lexicon.of(pairs)}).fit(views).tables_["es"].toarray()
    own, others = views.words.table("es"), views.words.table("en")
    # Read as the vectorizer reads: Pan is pan, and two words are no word.
    assert table[own["pan"], others["bread"]] == table[own["pan"], others["loaf"]] == 1
    counted = Lexicon.of([*pairs[:1], ("pan", "loaf")], count=np.array([3.0, 1.0]))
    table = Translation(lexicon=counted).fit(views).tables_["es"].toarray()
    np.testing.assert_allclose(table[own["pan"], [others["bread"], others["loaf"]]], [0.75, 0.25])
    turned = Lexicon.of([("bread", "pan"), ("loaf", "pan")], forward=np.array([0.9, 0.1]))
    table = Translation(lexicon={"en-es": turned}).fit(views).tables_["es"].toarray()
    np.testing.assert_allclose(table[own["pan"], [others["bread"], others["loaf"]]], [0.9, 0.1])


def test_a_bitext_of_other_sentences(views, tmp_path, global_random_seed):
    drawn = np.random.default_rng(global_random_seed).integers(110, size=(300, 6))
    for code in ("en", "es"):
        lines = [" ".join(WORDS[code][word] for word in row) for row in drawn]
        (tmp_path / f"text.{code}").write_text("\n".join(lines) + "\n")
    space = Translation(bitext=str(tmp_path / "text"), aligner="ibm1").fit(views)
    known = [word for word in WORDS["es"][NAMES:] if word in views.words.table("es")]
    assert np.mean([meaning(views, space, word) == WORDS["en"][WORDS["es"].index(word)] for word in known]) > 0.9
    assert space.score(views) > 0.9
    for code in ("en", "es"):
        (tmp_path / f"holes.{code}").write_text("".join("x\n" if (n % 2) == (code == "en") else "\n" for n in range(6)))
    with pytest.raises(CorpusError, match="no sentence in both es and en"):
        Translation(bitext=str(tmp_path / "holes")).fit(views)


def test_three_languages_with_a_dictionary_each(tmp_path, global_random_seed):
    corpus = planted(150, ("en", "es", "de"), vocabulary=110, shared=0.1, holes=0.2, seed=global_random_seed)
    views = ViewsVectorizer(drop_top=0).fit_transform(corpus)
    both = {"es-en": lexicon_of("es", "en"), "en-de": lexicon_of("en", "de")}
    assert Translation(pivot="en", lexicon=both).fit(views).score(views) > 0.7
    with pytest.raises(ParameterError, match=r'no lexicon for de(.|\n)*lexicon={"de-en": "file\.tsv"}'):
        Translation(pivot="en", lexicon={"es-en": both["es-en"]}).fit(views)
    with pytest.raises(ParameterError, match="one lexicon for 2 languages beside en"):
        Translation(pivot="en", lexicon=both["es-en"]).fit(views)
    with pytest.raises(ParameterError, match="a lexicon for 'es-de', but what is needed is one of es-en, de-en"):
        Translation(pivot="en", lexicon={"es-de": both["es-en"]}).fit(views)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"candidates": 0}, "candidates must be a whole number, 1 or more"),
        ({"iterations": 2.5}, "iterations must be a whole number"),
        ({"null": 0}, "null must be a number above 0 and below 1"),
        ({"copy": -1}, "copy must be a number, 0 or more"),
        ({"lexicon": "a", "bitext": "b"}, "a lexicon and a bitext are given"),
        ({"lexicon": Lexicon.of([("rien", "nothing")])}, "1 pairs, of which the documents have none"),
        ({"bitext": "sample:gospels", "aligner": "magic"}, "aligner must be one of .*, got 'magic'"),
    ],
    ids=["candidates", "iterations", "null", "copy", "both", "foreign", "aligner"],
)
def test_wrong_settings_are_told(views, settings, message):
    with pytest.raises(ParameterError, match=message):
        Translation(**settings).fit(views)


def test_bare_matrices_have_no_words_and_no_negative_weights(views, tmp_path):
    bare = {name: matrix for name, matrix in views.items()}
    with pytest.raises(ParameterError, match="these Views do not tell theirs"):
        Translation(lexicon=lexicon_of("es", "en")).fit(bare)
    with pytest.raises(ParameterError, match="cannot be learned from negative weights"):
        Translation().fit({"en": -np.eye(3), "es": np.eye(3)})
    empty = tmp_path / "empty.tsv"
    empty.write_text("")
    with pytest.raises(CorpusError, match="an empty dictionary"):
        Translation(lexicon=str(empty)).fit(views)


def test_languages_that_never_meet_are_told():
    views = Views({"en": np.eye(4), "es": np.eye(4)}, {"en": [1, 1, 0, 0], "es": [0, 0, 1, 1]})
    with pytest.raises(ParameterError, match=r"no row has both es and en, .* give a lexicon"):
        Translation().fit(views)


@pytest.mark.parametrize("kind", [Translation, TranslationLSA])
def test_a_model_comes_back_without_its_dictionary(tmp_path, corpus, kind):
    path = tmp_path / "dictionary.tsv"
    write_lexicon(lexicon_of("es", "en"), path, "muse")
    settings = {"n_components": 10} if kind is TranslationLSA else {}
    encoder = Encoder(ViewsVectorizer(drop_top=0), kind(lexicon=str(path), **settings)).fit(corpus)
    encoder.save(tmp_path / "model")
    path.unlink()
    vectors, again = (each.encode(corpus.texts("es")[:5], "es") for each in (encoder, Encoder.load(tmp_path / "model")))
    assert abs(vectors - again).max() == 0


def test_separate_vocabularies_are_joined_by_spelling(corpus):
    views = ViewsVectorizer(drop_top=0, vocabulary="separate").fit_transform(corpus)
    space = Translation().fit(views)
    assert meaning(views, space, WORDS["es"][0]) == WORDS["en"][0]
    assert space.score(views) > 0.9


def test_oneta_and_translation_together(views):
    both = Combine("oneta+translation", parameters={"translation.null": 0.2}).fit(views[:150])
    assert both.n_components_ == 150 + views.shape[1]
    assert both.score(views[150:]) > 0.7


def test_ngrams_are_compared_as_they_are_spelled(tmp_path):
    corpus = planted(rows=120, shared=0.3)
    words = ViewsVectorizer(drop_top=0)
    both = ViewsVectorizer(features="both", drop_top=0, max_terms=None)
    translated = Translation().fit(words.fit_transform(corpus)).transform(words.transform(corpus))
    space = Translation(ngrams=0.5).fit(both.fit_transform(corpus))
    views = both.transform(corpus)
    ngrams = both.ngram_columns()
    found = space.transform(views)
    for language in corpus.languages:
        # Twins: words through the table of words alone, n-grams halved and where they were.
        spelled = found[language].toarray()[:, ngrams]
        assert np.allclose(spelled, 0.5 * views[language].toarray()[:, ngrams], atol=1e-6)
        known = [both.table(space.pivot_)[term] for term in words.table(space.pivot_)]
        columns = list(words.table(space.pivot_).values())
        mine = found[language].toarray()[:, known]
        twin = translated[language].toarray()[:, columns]
        assert np.corrcoef(mine.ravel(), twin.ravel())[0, 1] > 0.99
    Encoder.of_fitted(both, space, corpus).save(tmp_path / "model")
    again = Encoder.load(tmp_path / "model").transform(corpus)
    assert all(np.array_equal(again[name].toarray(), found[name].toarray()) for name in found)
