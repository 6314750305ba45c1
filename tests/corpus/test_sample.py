from __future__ import annotations

from importlib.resources import files

import pytest

from babelspace.corpus import read_corpus, sample
from babelspace.errors import ParameterError, UnknownLanguage


def test_help_has_951_labelled_pages_in_six_languages():
    corpus = sample()
    assert corpus.counts() == dict.fromkeys(["de", "en", "es", "fr", "it", "zh"], 951)
    assert len(corpus) == len(corpus.aligned()) == len(corpus.metadata) == 951
    modules = {label for labels in corpus.field("label") for label in labels}
    assert modules == {"shared", "scalc", "swriter", "sbasic", "simpress", "schart", "smath", "sdraw", "sdatabase"}
    assert corpus.name == "help" and not any(corpus.empty.values())


def test_gospels_have_3778_verses_in_two_languages():
    corpus = read_corpus("sample:gospels", languages=["es", "en"])
    assert corpus.counts() == {"es": 3778, "en": 3778} and len(corpus.aligned()) == 3778


def test_help_splits_into_usable_parts():
    parts = sample().split()
    assert len(parts.train) + len(parts.dev) + len(parts.test) == 951
    assert len(parts.dev) > 70 and len(parts.test) > 70


def test_the_notice_names_the_licences():
    notice = (files("babelspace.corpus.sample") / "README.md").read_text("utf-8")
    assert "Mozilla Public License 2.0" in notice and "public domain" in notice


def test_unknown_sample_and_language():
    with pytest.raises(ParameterError, match="unknown sample 'news'; known: help, gospels"):
        read_corpus("sample:news")
    with pytest.raises(UnknownLanguage, match="unknown language 'ja'; known: de, en"):
        read_corpus("sample:help", languages=["ja"])
