"""Reports of topics, their page and MALLET's files."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from babelspace.corpus import AlignedCorpus, planted, planted_words
from babelspace.errors import CorpusError, ParameterError
from babelspace.evaluation.topics.relevance import distances, overall_chances, positions, relevance
from babelspace.evaluation.topics.report import describe_topics, write_mallet
from babelspace.features import ViewsVectorizer
from babelspace.reports.topic_page import convergence, topic_page
from babelspace.spaces import CPLSA, OPCA, Encoder

pytestmark = pytest.mark.family("lda")

TOPICS = 6


@pytest.fixture(scope="module")
def corpus():
    return planted(150, languages=("en", "es"), topics=TOPICS, vocabulary=90, holes=0.1, seed=5)


@pytest.fixture(scope="module")
def encoder(corpus):
    vectorizer = ViewsVectorizer(drop_top=0, weighting="tf", normalize=False)
    return Encoder(vectorizer, CPLSA(TOPICS, max_iter=60)).fit(corpus)


@pytest.fixture(scope="module")
def report(encoder, corpus):
    return describe_topics(encoder, corpus, words=7, examples=2)


def test_words_of_a_topic_mean_the_same_in_both_languages(report):
    lexicon = {name: {word: k for k, word in enumerate(planted_words(name, 90))} for name in ("en", "es")}
    shared = []
    for topic in report.topics:
        en, es = ({lexicon[name][word] for word, _ in topic.words[name]} for name in ("en", "es"))
        shared.append(len(en & es))
    assert np.mean(shared) > 3


def test_largest_first_and_words_by_probability(report):
    sizes = [topic.size for topic in report.topics]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) == pytest.approx(1)
    for topic in report.topics:
        for words in topic.words.values():
            chances = [chance for _, chance in words]
            assert len(words) == 7
            assert chances == sorted(chances, reverse=True)


def test_coherence_and_examples(report, corpus, encoder):
    vectors = encoder.transform(corpus)
    for topic in report.topics:
        assert set(topic.npmi) == {"en", "es"}
        assert -1 <= topic.cnpmi <= 1
        for example in topic.examples:
            row = corpus.ids.index(example.id)
            here = [part[row, topic.dimension] for part in vectors.values() if part[row].any()]
            assert example.share == pytest.approx(np.mean(here), rel=1e-5)
            for language, start in example.texts.items():
                assert " ".join(corpus.texts(language)[row].split()).startswith(start.removesuffix("…"))
    assert report.mean_cnpmi() > 0.05
    assert set(report.perplexity) == {"en", "es"}


def test_without_a_corpus_there_are_words_only(encoder):
    report = describe_topics(encoder, words=4)
    assert report.corpus is None
    assert report.perplexity == {}
    assert report.mean_npmi() == {}
    assert report.mean_cnpmi() is None
    assert not any(topic.examples for topic in report.topics)


def test_numbered_by_size(report, encoder):
    assert [topic.number for topic in report.topics] == [*range(1, TOPICS + 1)]
    assert [topic.size for topic in report.topics] == [encoder.space.topic_sizes_[t.dimension] for t in report.topics]


def test_relevance_is_the_formula_and_1_is_probability(encoder, rng):
    chances = encoder.space.topic_words_["en"].astype(float)
    overall = overall_chances(chances, encoder.space.topic_sizes_)
    assert overall.sum() == pytest.approx(1, abs=1e-6)
    topic, word = 2, int(chances[2].argmax())
    by_hand = 0.6 * np.log(chances[topic, word]) + 0.4 * np.log(chances[topic, word] / overall[word])
    assert relevance(chances, overall, 0.6)[topic, word] == pytest.approx(by_hand)
    typical = describe_topics(encoder, words=5, weight=0.0)
    frequent = describe_topics(encoder, words=5)
    share = [dict(zip(map(str, encoder.vectorizer.vocabulary_.terms("en")), overall, strict=True))]
    mean = [np.mean([share[0][w] for t in found.topics for w, _ in t.words["en"]]) for found in (typical, frequent)]
    assert mean[0] < mean[1], "typical words are rarer"
    with pytest.raises(ParameterError, match="relevance is weighed from 0 to 1"):
        describe_topics(encoder, weight=1.5)


def test_like_topics_lie_near():
    rows = np.array([[0.7, 0.3, 0.0, 0.0], [0.6, 0.4, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]])
    apart = distances({"en": rows, "es": rows})
    for one, two in ((0, 1), (0, 2)):
        assert apart[one, two] == pytest.approx(jensenshannon(rows[one], rows[two]), abs=1e-9)
    points = positions({"en": rows})
    assert np.linalg.norm(points[0] - points[1]) < np.linalg.norm(points[0] - points[2])
    assert np.abs(points).max() == pytest.approx(1)
    assert positions({"en": rows[:1]}).tolist() == [[0, 0]]


def test_function_words_are_left_out(corpus):
    plain = {name: corpus.texts(name) for name in corpus.languages}
    texts = {name: [text and f"the the the {text}" for text in plain[name]] for name in plain}
    vectorizer = ViewsVectorizer(drop_top=0, weighting="tf", normalize=False)
    encoder = Encoder(vectorizer, CPLSA(3, max_iter=5)).fit(AlignedCorpus(corpus.ids, texts))
    words = {
        stop: {w for t in describe_topics(encoder, stop_words=stop).topics for w, _ in t.words["en"]} for stop in (0, 1)
    }
    assert "the" in words[1] and "the" not in words[0]


def test_topics_by_a_field(encoder, corpus):
    years = {id: {"year": 1990 + row % 12, "title": f"Letter {row}"} for row, id in enumerate(corpus.ids)}
    dated = AlignedCorpus(corpus.ids, {name: corpus.texts(name) for name in corpus.languages}, years)
    report = describe_topics(encoder, dated, by="year")
    assert report.by.values == tuple(str(1990 + n) for n in range(12))
    np.testing.assert_allclose(report.by.shares.sum(axis=1), 1, rtol=1e-5)
    parts = encoder.transform(dated)
    rows = [row for row in range(len(dated)) if row % 12 == 3]
    topic = report.topics[0]
    by_hand = []
    for row in rows:
        here = [part[row] for part in parts.values() if part[row].any()]
        by_hand.append(np.mean(here, axis=0)[topic.dimension] / np.mean(here, axis=0).sum())
    assert dict(report.by.of_topic(1))["1993"] == pytest.approx(np.mean(by_hand), rel=1e-5)
    assert topic.examples[0].title.startswith("Letter ")
    assert report.as_dict()["by"]["field"] == "year"
    assert 'title="1993: ' in topic_page(report, "t")
    with pytest.raises(ParameterError, match="topics by year need a corpus"):
        describe_topics(encoder, by="year")
    with pytest.raises(CorpusError, match="has a field 'age'"):
        describe_topics(encoder, dated, by="age")


def test_as_json(report):
    told = json.loads(json.dumps(report.as_dict()))
    assert told["space"] == "cplsa"
    assert len(told["topics"]) == TOPICS
    assert len(told["trace"]["all"]) > 5
    assert set(told["mean"]["npmi"]) == {"en", "es"}


def test_spaces_without_topics_and_too_few_words(encoder, corpus):
    other = Encoder(ViewsVectorizer(drop_top=0), OPCA(5)).fit(corpus)
    with pytest.raises(ParameterError, match=r"opca has no topics; these spaces have: .*jplsa.*cplsa(.|\n)*fit_model"):
        describe_topics(other)
    with pytest.raises(ParameterError, match="words must be 2 or more, got 1"):
        describe_topics(encoder, words=1)


def test_mallet_files(report, encoder, corpus, tmp_path):
    written = write_mallet(report, encoder, corpus, tmp_path)
    assert {path.name for path in written} == {
        f"{kind}.{name}.txt" for kind in ("topic-keys", "doc-topics") for name in ("en", "es")
    }
    keys = [line.split("\t") for line in (tmp_path / "topic-keys.es.txt").read_text().splitlines()]
    assert [int(key[0]) for key in keys] == [*range(TOPICS)]
    assert sum(float(key[1]) for key in keys) == pytest.approx(1, abs=1e-3)
    assert [len(key[2].split()) for key in keys] == [7] * TOPICS
    documents = [line.split("\t") for line in (tmp_path / "doc-topics.es.txt").read_text().splitlines()]
    present = corpus.present("es")
    assert [document[1] for document in documents] == [id for id, here in zip(corpus.ids, present, strict=True) if here]
    shares = np.array([[float(value) for value in document[2:]] for document in documents])
    order = [topic.dimension for topic in report.topics]
    np.testing.assert_allclose(shares, encoder.transform(corpus)["es"][present][:, order], rtol=1e-4)
    assert len(write_mallet(report, encoder, None, tmp_path / "keys")) == 2


def test_page_is_whole_and_needs_no_network(report):
    text = topic_page(report, "Topics of <model>")
    assert text.count('<details class="topic"') == TOPICS
    assert "Topics of &lt;model&gt;" in text
    assert not re.search(r"src=|href=\"[^#]|https?://|@import|url\(", text)
    # Each topic has its circle, and an invisible one above the others that can be pointed at.
    assert text.count("<circle cx") == text.count('<circle class="over"') == text.count('<a href="#topic-') == TOPICS
    assert "Convergence" in text
    assert text.count("NPMI") >= 3 * TOPICS


def test_texts_are_escaped_and_directed():
    texts = {"en": ["<b>one & two</b> three"] * 12, "he": ["אחת שתיים <i> שלוש"] * 12}
    corpus = AlignedCorpus([f"<{n}>" for n in range(12)], texts)
    vectorizer = ViewsVectorizer(drop_top=0, weighting="tf", normalize=False)
    encoder = Encoder(vectorizer, CPLSA(2, max_iter=3)).fit(corpus)
    text = topic_page(describe_topics(encoder, corpus), "t")
    assert "<b>one" not in text
    assert "&lt;b&gt;one &amp; two" in text
    assert 'lang="he" dir="rtl"' in text
    assert "&lt;0&gt;" in text


def test_convergence_of_stages_of_any_length():
    drawn = convergence({"all": [-5.0, -3.0, -2.0], "level": [1.0, 1.0], "single": [4.0]})
    assert drawn.count("<polyline") == 2
    assert "all: -5.000 to -2.000" in drawn
