from __future__ import annotations

import numpy as np
import pytest

from babelspace.corpus import Document, sample
from babelspace.errors import CorpusError, UnknownLanguage
from babelspace.features import ViewsVectorizer
from babelspace.mining.diagnosis import diagnose, predicted_top1, profile
from babelspace.spaces import OPCA, Encoder
from babelspace.vectors.neighbours import Neighbours


@pytest.fixture(scope="module")
def corpus():
    return sample("help").select(range(400), ["en", "es"])


@pytest.fixture(scope="module")
def encoder(corpus):
    found = Encoder(ViewsVectorizer(max_terms=2000), OPCA(n_components=50)).fit(corpus.select(range(250)))
    found.card_["profile"] = profile(found, corpus.select(range(250, 330)))
    return found


def piles(corpus):
    rest = corpus.select(range(330, 400))
    return rest.documents("en"), rest.documents("es")


def named(told, name, side):
    return next(finding for finding in told.findings if (finding.name, finding.side) == (name, side))


def test_documents_like_those_of_the_training_are_fine(encoder, corpus):
    told = diagnose(encoder, *piles(corpus))
    assert told.predicted_top1 > 0.9
    assert [finding.name for finding in told.findings if not finding.fine] == []
    assert told.languages == {"source": "en", "target": "es"}


def test_swapped_languages_are_noticed(encoder, corpus):
    _, spanish = piles(corpus)
    swapped = [Document(d.id, "en", d.text) for d in spanish]
    finding = named(diagnose(encoder, swapped, spanish), "language", "source")
    assert not finding.fine and "look like es, not en" in finding.advice


def test_another_language_is_noticed(encoder, corpus):
    german = sample("help").select(range(330, 400)).documents("de")
    told = diagnose(encoder, [Document(d.id, "en", d.text) for d in german], piles(corpus)[1])
    assert not named(told, "language", "source").fine
    assert named(told, "language", "target").fine


def test_unknown_words_and_short_documents_are_noticed(encoder, corpus):
    _, spanish = piles(corpus)
    strange = [Document(str(n), "en", f"file zorkmid{n} quux{n} frobnicate{n}") for n in range(50)]
    told = diagnose(encoder, strange, spanish)
    assert not named(told, "unknown", "source").fine and named(told, "unknown", "source").value > 0.7
    assert not named(told, "words", "source").fine
    assert named(told, "words", "target").fine
    assert told.predicted_top1 < 0.5


def test_the_prediction_is_the_share_of_mutual_neighbours():
    lists = [np.array([[0], [1], [2], [0]]), np.array([[0], [1], [3], [2]])]
    found = [Neighbours(indices, np.zeros((4, 1), np.float32)) for indices in lists]
    assert predicted_top1(*found) == pytest.approx(0.5 + 0.25 / 4)
    nothing = Neighbours.nothing(3, 1)
    assert predicted_top1(nothing, nothing) == 0


def test_without_a_profile_nothing_is_compared(corpus):
    bare = Encoder(ViewsVectorizer(max_terms=500), OPCA(n_components=20)).fit(corpus.select(range(100)))
    told = diagnose(bare, *piles(corpus))
    assert named(told, "unknown", "source").baseline is None
    assert named(told, "distance", "source").baseline is None


def test_errors(encoder, corpus):
    english, spanish = piles(corpus)
    with pytest.raises(CorpusError, match="no document on the source side has text"):
        diagnose(encoder, [Document("1", "en", " ")], spanish)
    with pytest.raises(UnknownLanguage, match="unknown language 'fr'"):
        diagnose(encoder, english, [Document("1", "fr", "bonjour")])
