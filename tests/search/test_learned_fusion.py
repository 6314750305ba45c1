from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from babelspace.search import learned_fusion
from babelspace.search.learned_fusion import WORDS_FIRST, mate_ranks, meaning_that_helps, most_probable_weights, ndcg
from babelspace.search.score_fusion import FusionWeights
from babelspace.search.tuned_settings import SETTINGS


def cubes(rng, languages=2, rows=40, meaning=1.0, words=0.1):
    """Similarity and lexical shares with right documents so far above the others."""
    owners = np.arange(rows)
    shape = (languages, rows, rows)
    similarity, held = rng.standard_normal(shape), 0.05 * np.abs(rng.standard_normal(shape))
    similarity[:, owners, owners] += meaning
    held[:, owners, owners] += words
    return similarity, held, owners


def test_the_gradient_is_that_of_the_loss(rng):
    similarity, _, owners = cubes(rng, rows=5)
    present = np.ones((2, 5), bool)
    present[1, 3] = False
    mates = owners[:, None] == np.arange(5)

    def value(flat):
        scores = np.where(present[:, None, :], flat.reshape(similarity.shape), -np.inf)
        return learned_fusion._surprise(scores, mates, present[:, owners])

    there = similarity.ravel()
    gradient = value(there)[1].ravel()
    numeric = approx_fprime(there, lambda point: value(point)[0], 1e-6)
    np.testing.assert_allclose(gradient, numeric, atol=1e-4)
    assert not gradient.reshape(similarity.shape)[1, :, 3].any()


def test_what_tells_the_right_documents_gains_weight(rng):
    within, present = np.array([True, False]), np.ones((2, 40), bool)

    def ratio(meaning, words):
        found = most_probable_weights(*cubes(rng, meaning=meaning, words=words), present, within)
        return found[1].words / found[1].meaning

    usual = SETTINGS.lexical_across
    assert ratio(meaning=0.0, words=0.3) > 1.5 * usual
    assert ratio(meaning=4.0, words=0.0) < usual / 1.5


def test_few_queries_move_little_and_scores_stay_in_the_unit_of_similarities(rng):
    similarity, held, owners = cubes(rng, rows=3)
    found = most_probable_weights(similarity, held, owners, np.ones((2, 3), bool), np.array([True, False]))
    assert np.mean([weights.meaning for weights in found]) == pytest.approx(1)
    assert found[0].words / found[0].meaning == pytest.approx(SETTINGS.lexical_within, rel=0.5)
    assert found[1].words / found[1].meaning == pytest.approx(SETTINGS.lexical_across, rel=0.5)


def test_an_offset_brings_languages_to_one_level(rng):
    similarity, held, owners = cubes(rng, rows=60, meaning=3.0)
    similarity[1] += 2.0
    found = most_probable_weights(similarity, held, owners, np.ones((2, 60), bool), np.array([True, False]))
    assert found[0].offset > found[1].offset


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Red wine\nIt is red.", "Red wine"),
        ("Red wine", ""),
        ("x" * 81 + "\nmore", ""),
        ("Red\n  ", ""),
        ("\nmore", ""),
    ],
)
def test_a_short_first_line_before_others_is_a_title(text, title):
    assert learned_fusion.first_line(text) == title


def test_a_title_is_taken_out_once():
    assert learned_fusion._without(["red", "wine", "is", "red"], ["red", "wine"]) == ["is", "red"]


def test_of_many_languages_each_is_asked_among_a_dozen(monkeypatch):
    from babelspace.corpus import planted
    from babelspace.features import ViewsVectorizer
    from babelspace.search.score_fusion import OTHERS
    from babelspace.spaces import CLLSI, Encoder
    from babelspace.spaces.encoded_corpus import encode_corpus

    names = tuple(f"q{letter}a" for letter in "abcdefghijklmnop")
    corpus = planted(60, languages=names, vocabulary=60, words=20)
    encoder = Encoder(ViewsVectorizer(drop_top=0), CLLSI(10)).fit(corpus.select(range(30)))
    encoder.dictionary_ = None
    asked = []

    def weights(meaning, held, owners, present, within):
        asked.append(meaning.shape[0])
        return [learned_fusion.FusionWeights(1.0, 2.0 + place, 0.0) for place in range(len(within))]

    monkeypatch.setattr(learned_fusion, "most_probable_weights", weights)
    learned = learned_fusion.learn_fusion(
        encoder, encode_corpus(encoder, corpus.select(range(30, 60)), keep_words_of=30)
    )
    assert asked == [learned_fusion.MOST_LANGUAGES] * len(names)
    assert len(learned) == (learned_fusion.MOST_LANGUAGES + 1) * len(names)
    across = [part.words for pair, part in learned.items() if pair.startswith("qaa->") and pair[5:] not in ("qaa", "*")]
    assert learned[f"qaa->{OTHERS}"].words == pytest.approx(np.mean(across))
    reached = {pair.partition("->")[2] for pair in learned}
    assert reached == {*names, OTHERS}


def test_meaning_counts_within_a_language_only_where_it_helps(rng):
    """Words that find everything stay first; where they find nothing, meaning keeps its weight."""
    rows = 60
    owners, present = np.arange(rows), np.ones(rows, bool)
    mates, noise = np.eye(rows), rng.standard_normal((rows, rows))
    learned = FusionWeights(1.0, 40.0, 0.5)
    # Of the words the right document holds hardly more than others: noise of meaning would put some of these first.
    careful = meaning_that_helps(noise, 0.02 * mates, owners, present, learned)
    assert careful.meaning == pytest.approx(WORDS_FIRST)
    assert careful.words == 40.0
    assert careful.offset == pytest.approx(0.5 + (1 - WORDS_FIRST) * noise[owners, owners].mean())
    helpful = meaning_that_helps(4 * mates + noise, 0.02 * np.abs(noise), owners, present, learned)
    assert helpful.meaning > 0.2


def test_gains_of_ranks():
    assert ndcg(np.array([1.0, 3.0, 10.0, 11.0])).tolist() == pytest.approx([1, 0.5, 1 / np.log2(11), 0])
    scores = np.array([[[3.0, 2.0, 2.0], [1.0, 5.0, 5.0]]])
    assert mate_ranks(scores, np.array([0, 1]), np.ones((1, 3), bool)).tolist() == [[1, 2]]
