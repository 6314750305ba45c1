from __future__ import annotations

from typing import get_args

import click
import pytest
from click.testing import CliRunner

from babelspace.cli import options
from babelspace.corpus import FORMATS
from babelspace.features import WEIGHTINGS, ViewsVectorizer
from babelspace.runtime import threads
from babelspace.text.segment import SegmenterName
from babelspace.vectors.hubness import CORRECTIONS
from tests.cli.conftest import run


def parsed(*arguments):
    """What `vectorizer_options` make of a command line, or the error text."""
    found = {}

    @click.command()
    @options.vectorizer_options
    @options.languages("Codes.")
    def command(**settings):
        found.update(settings)

    result = CliRunner().invoke(command, [*arguments])
    return found if result.exit_code == 0 else " ".join(result.output.split())


def test_the_lists_of_names_are_those_of_the_library():
    assert tuple(FORMATS) == options.FORMATS
    assert tuple(WEIGHTINGS) == options.WEIGHTINGS
    assert get_args(SegmenterName) == options.SEGMENTERS
    assert tuple(CORRECTIONS) == options.CORRECTIONS


def test_the_defaults_are_those_of_the_vectorizer():
    assert options.build_vectorizer(parsed()).get_params() == ViewsVectorizer().get_params()


def test_every_option_reaches_the_vectorizer():
    line = (
        "--features both --ngrams 2,4 --ngram-columns 500 --vocabulary separate --drop-top 3 --max-terms 0 "
        "--min-count 5 --max-df .5 --pool-terms --weighting bm25 --no-normalize --segmenter zh=rjieba,ja=fugashi "
        "--drop-numbers --strip-marks "
        "--languages en,zh,ja"
    )
    given = parsed(*line.split())
    assert given["languages"] == ("en", "zh", "ja")
    assert options.build_vectorizer(given, given["languages"]).get_params() == {
        "features": "both",
        "ngrams": (2, 4),
        "analyzer": {
            "zh": {"segmenter": "rjieba"},
            "ja": {"segmenter": "fugashi"},
            "keep_numbers": False,
            "strip_marks": True,
            "ngram_columns": 500,
        },
        "vocabulary": "separate",
        "drop_top": 3,
        "max_terms": None,
        "min_count": 5,
        "max_df": 0.5,
        "per_language": False,
        "weighting": "bm25",
        "normalize": False,
        "translator": None,
    }


def test_one_segmenter_for_all_and_one_n_gram_size():
    given = parsed("--segmenter", "bigrams,ja=fugashi", "--ngrams", "4")
    assert given["segmenter"] == {"segmenter": "bigrams", "ja": {"segmenter": "fugashi"}}
    assert given["ngrams"] == (4, 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ngrams", "x"], "'x' is not one or two whole numbers; write for example 3,5"),
        (["--ngrams", "5,3"], "the shortest must be 1 or more and not above the longest; try 3,5"),
        (["--languages", "en,,es"], "'en,,es' has an empty code; write codes with commas between, for example en,es"),
        (["--segmenter", "jieba"], "'jieba'; use auto, icu, rjieba, fugashi, bigrams, alone or as zh=rjieba"),
        (["--segmenter", "rjieba"], "rjieba cuts one language only; write zh=rjieba"),
        (["--weighting", "x"], "'x' is not one of 'log-tf-idf', 'tf'"),
        (["--max-df", "0"], "0.0 is not in the range 0<x<=1"),
    ],
)
def test_bad_values(arguments, message):
    assert message in parsed(*arguments)


def test_segmenter_of_a_language_that_is_not_there():
    with pytest.raises(click.BadParameter, match="language 'zh' is not in the corpus, which has en, es"):
        options.build_vectorizer(parsed("--segmenter", "zh=rjieba"), ("en", "es"))


@pytest.mark.parametrize("value", ["nan", "inf", "1e999"])
def test_what_is_no_number_is_in_no_range(value):
    with pytest.raises(click.BadParameter, match=f"{value} is not a number in the range x>=0."):
        options.FiniteRange(min=0).convert(value, None, None)
    assert "Invalid value for '--max-df'" in parsed("--max-df", value)


PLACES = [
    ("embed", "nothing", "nothing", "-o", "x.tsv"),
    ("match", "nothing", "nothing", "nothing", "-o", "x.tsv"),
    ("align", "nothing", "nothing", "-o", "links.txt"),
    ("align", "nothing", "nothing", "--save", "aligner"),
    ("compare", "nothing", "-o", "table.md"),
    ("compare", "nothing", "--resume", "work.jsonl"),
    ("topics", "nothing", "--html", "page.html"),
    ("topics", "nothing", "--mallet", "folder"),
    ("evaluate", "nothing", "nothing", "--trec", "prefix"),
    ("classify", "train", "nothing", "nothing", "--language", "en", "-o", "classifier"),
]


@pytest.mark.parametrize("arguments", PLACES, ids=" ".join)
def test_a_place_that_cannot_be_written_is_told_before_anything_is_read(arguments, tmp_path):
    (tmp_path / "file").write_text("mine")
    *others, option, name = arguments
    shown = run(*others, option, tmp_path / "file" / name, code=1).stderr
    assert f"nothing can be written in {tmp_path / 'file'}. Choose another place for {option}." in shown


def test_a_limit_of_threads_holds_for_the_command():
    found = []

    @click.command()
    @options.threads
    def command():
        found.append(threads.current())

    with threads.limit(2):
        CliRunner().invoke(command, ["--threads", "1"], catch_exceptions=False)
        CliRunner().invoke(command, [], catch_exceptions=False)
        assert found == [1, threads.current()]
