"""Sentence splitting: offsets that lose nothing, and ends that ICU alone gets wrong."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from babelspace.errors import ParameterError
from babelspace.text.sentences import SentenceSplitter

# Words that a text must show before its abbreviations can be told from words at the end of a sentence.
LETTERS = (
    "We met Prof. Adams there. Then Prof. Brown spoke about prof. Clark again. The house was old. "
    "They saw the house and a garden. The garden was green. I like the green house. She came. "
) * 4


@pytest.mark.parametrize(
    ("language", "text", "sentences"),
    [
        ("en", "One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("en", "It cost 3.50 at www.site.org today. Good.", ["It cost 3.50 at www.site.org today.", "Good."]),
        ("en", "J. R. Smith came. He sat.", ["J. R. Smith came.", "He sat."]),
        ("en", '"Really?" he asked. Yes.', ['"Really?" he asked.', "Yes."]),
        ("en", "A title\nThen a line. And more.", ["A title", "Then a line.", "And more."]),
        ("de", "Er kam am 3. Mai an. Sie ging.", ["Er kam am 3. Mai an.", "Sie ging."]),
        ("en", "There were 3. Paul left.", ["There were 3.", "Paul left."]),
        ("zh", "你好！「真的吗？」他说。", ["你好！", "「真的吗？」", "他说。"]),
        ("ar", "ما هذا؟ هذا كتاب. نعم!", ["ما هذا؟", "هذا كتاب.", "نعم!"]),
        ("he", "מה זה? זה ספר. כן!", ["מה זה?", "זה ספר.", "כן!"]),
        ("hi", "यह किताब है। वह घर है।", ["यह किताब है।", "वह घर है।"]),
        ("el", "Τι είναι; Είναι βιβλίο.", ["Τι είναι;", "Είναι βιβλίο."]),
        ("en", "no punctuation at all here", ["no punctuation at all here"]),
        ("en", "", []),
        ("en", " \n\t \n", []),
    ],
)
def test_sentences_of_many_scripts(language, text, sentences):
    assert SentenceSplitter(language).split(text) == sentences


@given(st.text(alphabet=st.sampled_from("abcABC .!?\n\r\t\"'()12。！？「」𝒜é"), max_size=80), st.booleans())
def test_spans_are_in_order_and_hold_everything_but_spaces(text, wrapped):
    spans = SentenceSplitter("en", wrapped=wrapped).spans(text)
    assert all(start < end for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())


def test_offsets_count_characters_beyond_the_first_plane_once():
    text = "a𝒜. 𝒜𝒜 is. Bee."
    assert [text[start:end] for start, end in SentenceSplitter("en").spans(text)] == ["a𝒜.", "𝒜𝒜 is.", "Bee."]


def test_abbreviations_are_learned_from_the_text():
    plain, learned = SentenceSplitter("en"), SentenceSplitter("en").learn([LETTERS])
    assert plain.split("I met Prof. Dodd. Fine.") == ["I met Prof.", "Dodd.", "Fine."]
    assert "prof" in learned.abbreviations
    assert "house" not in learned.abbreviations
    assert learned.split("I met Prof. Dodd. Fine.") == ["I met Prof. Dodd.", "Fine."]


def test_after_an_abbreviation_a_word_that_is_written_small_elsewhere_begins_a_sentence():
    learned = SentenceSplitter("en", abbreviations=("etc.",)).learn([LETTERS])
    assert learned.split("Dogs, cats, etc. The house stood.") == ["Dogs, cats, etc.", "The house stood."]
    assert learned.split("Dogs, cats, etc. Adams stood.") == ["Dogs, cats, etc. Adams stood."]


def test_learning_does_not_depend_on_the_order_of_texts():
    texts = [LETTERS[:200], LETTERS[200:], "etc. and so on. The End"]
    assert SentenceSplitter("en").learn(texts) == SentenceSplitter("en").learn(texts[::-1])


def test_lines_of_a_wrapped_text_are_joined_and_blank_lines_end():
    splitter = SentenceSplitter("en", wrapped=True)
    text = "A line\nof text. Then\r\nmore.\n\nA title\n\nEnd."
    assert splitter.split(text) == ["A line of text.", "Then more.", "A title", "End."]
    assert text[slice(*splitter.spans(text)[0])] == "A line\nof text."


def test_wrong_arguments_are_told():
    with pytest.raises(ParameterError, match="list"):
        SentenceSplitter("en", abbreviations="dr")
    with pytest.raises(ParameterError, match="one by one"):
        SentenceSplitter("en").spans(["a", "b"])
