from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.svm import LinearSVC

from babelspace.classification import CrossLanguageClassifier
from babelspace.classification.training_rows import deal
from babelspace.corpus import AlignedCorpus
from babelspace.errors import Advice, CorpusError, ParameterError, UnknownLanguage
from tests.classification.conftest import labels_of

BASES = ["nearest", "logistic"]


@pytest.fixture(scope="module", params=BASES)
def classifier(request, encoder, parts):
    return CrossLanguageClassifier(encoder, request.param).fit(parts.train, held_out=parts.dev)


def relabelled(corpus, labels):
    texts = {name: corpus.texts(name) for name in corpus.languages}
    return AlignedCorpus(corpus.ids, texts, labels, corpus.name)


def unlabelled(corpus):
    return relabelled(corpus, {})


@pytest.mark.parametrize("language", ["en", "es", "fr"])
def test_planted_topics_are_found_in_every_language(classifier, parts, language):
    assert classifier.score(parts.test.texts(language), labels_of(parts.test), language) > 0.7


def test_untranslated_words_do_not_cross(sparse_encoder, parts):
    """The planted languages share no spelling: nothing but the largest class can be said."""
    found = CrossLanguageClassifier(sparse_encoder, "logistic").fit(parts.train, held_out=parts.dev)
    assert found.score(parts.test.texts("en"), labels_of(parts.test)) > 0.8
    assert len(set(found.predict(parts.test.texts("es"), "es"))) == 1


@pytest.mark.parametrize("language", ["en", "es", "fr"])
def test_the_card_foretells_the_accuracy(classifier, parts, language):
    card = classifier.expected_[language]
    reached = classifier.score(parts.test.texts(language), labels_of(parts.test), language)
    assert card.accuracy == pytest.approx(reached, abs=0.15)
    assert card.interval[0] < card.accuracy <= card.interval[1]
    assert card.documents == card.labelled == len(parts.dev)


def test_nearest_is_brute_force(encoder, parts):
    found = CrossLanguageClassifier(encoder).fit(parts.train)
    known, asked = encoder.encode(parts.train.texts("en"), "en"), encoder.encode(parts.test.texts("fr"), "fr")
    labels = labels_of(parts.train)
    expected = []
    for query in asked:
        cosines = [query @ row / np.linalg.norm(query) / np.linalg.norm(row) for row in known]
        expected.append(labels[int(np.argmax(cosines))])
    assert found.predict(parts.test.texts("fr"), "fr").tolist() == expected


def test_probabilities(classifier, parts):
    texts = parts.test.texts("es")
    chances = classifier.predict_proba(texts, "es")
    assert np.allclose(chances.sum(axis=1), 1)
    assert np.array_equal(classifier.classes_[chances.argmax(axis=1)], classifier.predict(texts, "es"))


def test_calibration_helps(encoder, parts):
    """Temperatures from the mates are nearer to the truth in the other language than the softmax of raw cosines."""
    found = CrossLanguageClassifier(encoder).fit(parts.train, held_out=parts.dev)
    truth = labels_of(parts.test)
    calibrated = log_loss(truth, found.predict_proba(parts.test.texts("es"), "es"), labels=list(found.classes_))
    raw = CrossLanguageClassifier(encoder).fit(parts.train, held_out=parts.dev)
    raw.expected_ = {name: type(card)(**{**card.as_dict(), "temperature": 1.0}) for name, card in raw.expected_.items()}
    assert calibrated < log_loss(truth, raw.predict_proba(parts.test.texts("es"), "es"), labels=list(raw.classes_))


def same(first, second, texts):
    assert np.array_equal(first.predict_proba(texts, "es"), second.predict_proba(texts, "es"))
    assert first.expected_ == second.expected_


def test_no_label_of_another_language_is_seen(encoder, parts, rng):
    """Labels of rows without a source document can be anything: nothing changes."""

    def holes(corpus):
        texts = {name: corpus.texts(name) for name in corpus.languages}
        texts["en"] = [text if row % 2 else None for row, text in enumerate(texts["en"])]
        return AlignedCorpus(corpus.ids, texts, corpus.metadata)

    def shuffled(corpus):
        rows = np.flatnonzero(~corpus.present("en"))
        labels, other = dict(corpus.metadata), rng.permutation(rows)
        labels |= {corpus.ids[a]: corpus.metadata[corpus.ids[b]] for a, b in zip(rows, other, strict=True)}
        assert labels != corpus.metadata
        return relabelled(corpus, labels)

    train, dev = holes(parts.train), holes(parts.dev)
    texts = parts.test.texts("es")
    first = CrossLanguageClassifier(encoder).fit(train, held_out=dev)
    same(first, CrossLanguageClassifier(encoder).fit(shuffled(train), held_out=shuffled(dev)), texts)
    strange = {id: {"label": "strange"} for id, here in zip(dev.ids, dev.present("en"), strict=True) if not here}
    same(
        first, CrossLanguageClassifier(encoder).fit(train, held_out=relabelled(dev, {**dev.metadata, **strange})), texts
    )


def test_mates_teach_nothing(encoder, parts):
    """Without held-out rows the other languages of the corpus serve the card alone."""
    alone = CrossLanguageClassifier(encoder, "logistic").fit(parts.train.select(languages="en"))
    paired = CrossLanguageClassifier(encoder, "logistic").fit(parts.train)
    assert np.array_equal(alone.predict(parts.test.texts("es"), "es"), paired.predict(parts.test.texts("es"), "es"))
    assert list(alone.expected_) == ["en"]
    assert list(paired.expected_) == ["en", "es", "fr"]
    assert alone.expected_["en"] == paired.expected_["en"]


def test_cross_judging_does_not_see_the_judged(encoder, parts, rng):
    """With random labels a nearest neighbour that saw its own document would seem perfect."""
    labels = rng.choice(["a", "b"], size=len(parts.train))
    found = CrossLanguageClassifier(encoder).fit(parts.train, labels)
    for card in found.expected_.values():
        assert 0.35 < card.accuracy < 0.65
    assert found.score(parts.train.texts("en"), labels) == 1


def test_pairs_without_labels_foretell_too(encoder, parts):
    found = CrossLanguageClassifier(encoder, "logistic").fit(parts.train, held_out=unlabelled(parts.dev))
    reached = found.score(parts.test.texts("es"), labels_of(parts.test), "es")
    assert found.expected_["es"].labelled == 0
    assert found.expected_["es"].accuracy == pytest.approx(reached, abs=0.15)
    assert found.expected_["en"].documents == len(parts.train)


def test_texts_with_labels(encoder, parts):
    texts, labels = parts.train.texts("en"), labels_of(parts.train)
    found = CrossLanguageClassifier(encoder).fit(texts, labels)
    by_corpus = CrossLanguageClassifier(encoder).fit(parts.train)
    assert np.array_equal(found.predict(parts.test.texts("es"), "es"), by_corpus.predict(parts.test.texts("es"), "es"))


def test_any_language_may_have_the_labels(encoder, parts):
    found = CrossLanguageClassifier(encoder, "logistic", language="fr").fit(parts.train, held_out=parts.dev)
    assert found.score(parts.test.texts("en"), labels_of(parts.test), "en") > 0.8
    assert next(iter(found.expected_)) == "fr"


@pytest.mark.parametrize("base", [LinearSVC(), RandomForestClassifier(20, random_state=0)], ids=["svm", "forest"])
def test_any_classifier_of_scikit_learn(encoder, sparse_encoder, parts, base):
    found = CrossLanguageClassifier(encoder, base).fit(parts.train, held_out=parts.dev)
    assert found.score(parts.test.texts("es"), labels_of(parts.test), "es") > 0.7
    assert np.allclose(found.predict_proba(parts.test.texts("es"), "es").sum(axis=1), 1)
    words = CrossLanguageClassifier(sparse_encoder, base).fit(parts.train, held_out=parts.dev)
    assert words.score(parts.test.texts("en"), labels_of(parts.test)) > 0.6


def test_scikit_learn_can_search_and_cross_validate(encoder, parts):
    texts, labels = parts.train.texts("en"), labels_of(parts.train)
    copy = clone(CrossLanguageClassifier(encoder, "logistic"))
    assert copy.encoder is encoder
    assert not hasattr(copy, "model_")
    assert cross_val_score(copy, texts, labels, cv=3).mean() > 0.7
    search = GridSearchCV(CrossLanguageClassifier(encoder), {"base": BASES}, cv=2).fit(texts, labels)
    assert search.best_params_["base"] in BASES


def test_a_text_without_a_known_word(classifier):
    chances = classifier.predict_proba(["xyzzy", ""], "es")
    assert np.allclose(chances, classifier.priors_)


def test_no_texts(classifier):
    assert classifier.predict_proba([], "es").shape == (0, 4)


def test_binary_labels(encoder, parts):
    labels = [str(label == "topic-0") for label in labels_of(parts.train)]
    truth = [str(label == "topic-0") for label in labels_of(parts.test)]
    for base in BASES:
        found = CrossLanguageClassifier(encoder, base).fit(parts.train, labels)
        assert found.score(parts.test.texts("es"), truth, "es") > 0.85


def test_labels_keep_their_kind(encoder, parts, tmp_path):
    numbers = [int(label[-1]) for label in labels_of(parts.train)]
    truth = [int(label[-1]) for label in labels_of(parts.test)]
    found = CrossLanguageClassifier(encoder, "logistic").fit(parts.train.texts("en"), numbers)
    assert found.score(parts.test.texts("es"), truth, "es") > 0.7
    found.save(tmp_path / "classifier")
    again = CrossLanguageClassifier.load(tmp_path / "classifier")
    assert again.score(parts.test.texts("es"), truth, "es") > 0.7
    assert again.classes_.dtype.kind == "i"


def test_every_class_is_in_every_part(rng):
    codes = np.array([0] * 11 + [1] * 2 + [2] * 5)
    folds = deal(codes, rng)
    assert max(np.bincount(folds)) - min(np.bincount(folds)) <= 1
    for fold in range(5):
        assert set(codes[folds != fold]) == {0, 1, 2}


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"language": "de"}, UnknownLanguage, "unknown language 'de'; known: en, es, fr"),
        (
            {"base": "svm"},
            ParameterError,
            "base must be 'nearest' or 'logistic' or a scikit-learn classifier, got 'svm'",
        ),
        ({"field": "region"}, CorpusError, "field 'region'"),
    ],
    ids=["language", "base", "field"],
)
def test_wrong_settings(encoder, parts, change, kind, message):
    with pytest.raises(kind, match=message):
        CrossLanguageClassifier(encoder, **change).fit(parts.train)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a"] * 6, "all 6 labels are 'a'"),
        (["a", "a", "a", "b", "a", "a"], "1 of 2 classes have 2 documents in en .*\nHint: label more"),
        (["a", "a", "a", "b", "b", "a"], "1 of 2 classes have 2 documents in en with a word that the model"),
        (["a", "b"], "6 texts and 2 labels"),
    ],
    ids=["one class", "one document", "one known", "too few"],
)
def test_wrong_labels(encoder, parts, labels, message):
    texts = [*parts.train.texts("en")[:4], "xyzzy", parts.train.texts("en")[5]]
    with pytest.raises(ParameterError, match=message):
        CrossLanguageClassifier(encoder).fit(texts, labels)


def test_texts_need_labels(encoder):
    with pytest.raises(ParameterError, match="texts need labels"):
        CrossLanguageClassifier(encoder).fit(["a text"])


def test_no_labels(encoder, parts):
    with pytest.raises(CorpusError, match="planted has no labels"):
        CrossLanguageClassifier(encoder).fit(unlabelled(parts.train))
    with pytest.raises(CorpusError, match="no document of planted in en has a label"):
        CrossLanguageClassifier(encoder).fit(parts.train, [None] * len(parts.train))
    with pytest.raises(UnknownLanguage):
        CrossLanguageClassifier(encoder).fit(parts.train.select(languages="es"))
    with pytest.raises(UnknownLanguage):
        CrossLanguageClassifier(encoder).fit(parts.train, held_out=parts.dev.select(languages="es,fr"))


def test_unknown_language_to_predict(classifier):
    with pytest.raises(UnknownLanguage, match="unknown language 'de'"):
        classifier.predict(["ein Text"], "de")


def test_a_class_with_one_document_is_left_out_and_counts_as_an_error(encoder, parts):
    """Expected is what happens to documents as they come: one in eight has a class that nobody learned."""
    labels = [values[0] for values in parts.train.field("label")]
    strange = [f"only {row}" if row % 8 == 0 else label for row, label in enumerate(labels)]
    with pytest.warns(Advice, match="left out, having fewer than 2 documents: only 0"):
        judged = CrossLanguageClassifier(encoder).fit(parts.train, strange)
    assert not [name for name in judged.classes_ if name.startswith("only")]
    plain = CrossLanguageClassifier(encoder).fit(parts.train, labels)
    for language in ("en", "es"):
        card = judged.expected_[language]
        assert card.unknown == pytest.approx(1 / 8, abs=0.01)
        assert card.accuracy == pytest.approx(plain.expected_[language].accuracy * 7 / 8, abs=0.03)


def test_held_out_documents_of_classes_that_were_left_out_are_errors(encoder, parts):
    labels = [values[0] for values in parts.train.field("label")]
    gone = sorted(set(labels))[0]
    rest = parts.train.select(np.array([label != gone for label in labels]))
    classifier = CrossLanguageClassifier(encoder).fit(rest, held_out=parts.dev)
    truth = np.array([values[0] for values in parts.dev.field("label")])
    for language in ("en", "es"):
        card = classifier.expected_[language]
        assert card.unknown == pytest.approx(np.mean(truth == gone))
        right = classifier.predict(parts.dev.texts(language), language) == truth
        assert card.accuracy == pytest.approx(right.mean(), abs=1e-9)


def test_documents_that_fit_no_class_are_other(encoder, parts):
    classifier = CrossLanguageClassifier(encoder).fit(parts.train, held_out=parts.dev)
    texts = parts.test.texts("es")
    sure = classifier.predict_proba(texts, "es").max(axis=1)
    least = float(np.median(sure))
    answers = classifier.predict(texts, "es", least=least)
    np.testing.assert_array_equal(answers == "other", sure < least)
    np.testing.assert_array_equal(answers[sure >= least], classifier.predict(texts, "es")[sure >= least])
