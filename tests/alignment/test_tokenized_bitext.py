"""Words of texts, links as files, and TEI read by somebody else's parser."""

from __future__ import annotations

import io
import json
from itertools import pairwise

import numpy as np
import pytest
from lxml import etree

from babelspace.alignment.formats import read_links
from babelspace.alignment.links import Links
from babelspace.alignment.tokenized_bitext import TokenizedBitext, TokenizedSide, WordLinks
from babelspace.corpus import AlignedCorpus, sample
from babelspace.errors import ParameterError
from babelspace.runtime.exports.formats import write_stream
from babelspace.text import Analyzer
from babelspace.text.word_spans import WordFinder

pytestmark = pytest.mark.family("alignment")
TEI = "{http://www.tei-c.org/ns/1.0}"
XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
CORPUS = AlignedCorpus(
    ["a", "b"], {"en": ["The red wine, isn't it? <b>", "Hello & bye"], "fr": ["L'eau: 1,5 litre.", None]}
)


@pytest.fixture
def result():
    bitext = TokenizedBitext.of_corpus(CORPUS)
    return WordLinks(bitext, Links.of([[(1, 1), (2, 0)], []], [[(0, 3)], []]))


def test_words_are_those_of_the_text(result):
    assert result.bitext.source.words[0][:3] == ["The", "red", "wine"]
    assert result.bitext.target.words == [["L", "eau", "1", "5", "litre"], []]
    assert result.bitext.target.learned == [["l", "eau", "1", "5", "litre"], []]
    for side in (result.bitext.source, result.bitext.target):
        for text, words, spans in zip(side.texts, side.words, side.spans, strict=True):
            assert [text[start:end] for start, end in spans] == words
    lower = TokenizedBitext.of_corpus(CORPUS, lowercase=True)
    assert lower.source.words[0][0] == "the" and lower.source.learned == result.bitext.source.learned


@pytest.mark.parametrize("language", ["en", "es", "zh", "de", "ru", "ar"])
def test_places_never_overlap_and_cover_the_words_of_the_analyzer(language):
    corpus = sample("help")
    texts = [text for text in corpus.texts(language if language in corpus.languages else "en")[:60] if text]
    find = WordFinder(Analyzer(language))
    for text in texts:
        words, spans = find.apart(text)
        assert all(one[1] <= other[0] for one, other in pairwise(spans))
        assert all(start < end for start, end in spans)
        assert "".join("".join(words).split("_")) == "".join(find(text)[0])


def test_tokens_are_taken_as_they_stand():
    bitext = TokenizedBitext.of_corpus(CORPUS, tokenised=True)
    assert bitext.source.words[0] == ["The", "red", "wine,", "isn't", "it?", "<b>"]
    assert bitext.source.learned is bitext.source.words
    with pytest.raises(ParameterError, match="a bitext has two languages"):
        TokenizedBitext.of_corpus(CORPUS, ["en"])


def test_a_table_has_the_words(result):
    rows = result.records()
    assert [row["source_word"] for row in rows] == ["The", "red", "wine"] and len(result) == 3
    assert [row["target_word"] for row in rows] == ["5", "eau", "L"]
    assert [row["sure"] for row in rows] == [False, True, True]
    stream = io.StringIO()
    write_stream(result, stream, ".jsonl")
    assert json.loads(stream.getvalue().splitlines()[1])["target_word"] == "eau"


@pytest.mark.parametrize("name", ["l.txt", "l.naacl", "l.pharaoh.gz", "l.wa.bz2", "l.links.zst"])
def test_links_come_back(tmp_path, result, name):
    [path] = result.write(tmp_path / name)
    found = read_links(path, base=1 if "naacl" in name or ".wa" in name else 0)
    ids = ["1", "2"]
    assert found.chosen(ids) == result.links


def test_tei_has_the_text_and_the_links(tmp_path, result):
    [path] = result.write(tmp_path / "l.xml")
    root = etree.parse(path).getroot()
    texts = root.findall(f".//{TEI}group/{TEI}text")
    assert [text.get("{http://www.w3.org/XML/1998/namespace}lang") for text in texts] == ["en", "fr"]
    sentences = root.findall(f".//{TEI}s")
    assert ["".join(sentence.itertext()) for sentence in sentences][:3] == [
        "The red wine, isn't it? <b>", "Hello & bye", "L'eau: 1,5 litre.",
    ]  # fmt: skip
    words = {word.get(XML_ID): word.text for word in root.iter(f"{TEI}w")}
    links = [(link.get("type"), *link.get("target").replace("#", "").split()) for link in root.iter(f"{TEI}link")]
    assert [(kind, words[one], words[other]) for kind, one, other in links] == [
        ("probable", "The", "5"), ("sure", "red", "eau"), ("sure", "wine", "L"),
    ]  # fmt: skip


def test_tei_of_tokens(tmp_path):
    side = TokenizedSide.of_tokens([["a", "<b>"]])
    [path] = WordLinks(TokenizedBitext(["1"], side, side), Links.of([[(0, 0)]])).write(tmp_path / "l.tei")
    assert [word.text for word in etree.parse(path).getroot().iter(f"{TEI}w")] == ["a", "<b>"] * 2


def test_parts_are_joined_as_one():
    rng = np.random.default_rng(0)
    rows = [[(int(i), int(j)) for i, j in rng.integers(0, 5, (rng.integers(0, 6), 2))] for _ in range(20)]
    whole = Links.of(rows)
    for step in (1, 3, 20):
        assert Links.joined([whole.sentences(n, n + step) for n in range(0, 20, step)]) == whole
    assert Links.joined([]) == Links.of([])
