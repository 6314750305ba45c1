from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from babelspace.charts.line_labels import spread
from babelspace.charts.svg import line_chart
from babelspace.corpus import AlignedCorpus, Document, planted
from babelspace.evaluation.measures import RetrievalScore
from babelspace.reports import page as report
from babelspace.reports.showcase import Answer, Question, hide_cells
from babelspace.search.hits import Hit
from babelspace.search.snippets import Snippet

VOID = {"meta", "input"}


class Balanced(HTMLParser):
    """Fails on tags that do not close in order."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        """A tag that closes itself."""

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check(html):
    parser = Balanced()
    parser.feed(html)
    assert not parser.open


def score(top1):
    return RetrievalScore(top1, top1, top1, top1, 0.0, 10, 10)


@pytest.fixture
def answer():
    hebrew = Document("p/<1>", "he", "שלום & <b>\nעוד", ())
    return Answer(Question("en", "peace <script>", "p/<1>"), [Hit(1, hebrew, 0.5, 0.5, 0.0, Snippet("שלום <i>"))])


def test_everything_is_escaped_and_directions_are_told(answer):
    html = report.page("A <title>", "a & b", {"One <section>": report.answers([answer])})
    check(html)
    assert "<script" not in html
    assert "<i>" not in html
    assert "peace &lt;script&gt;" in html
    assert 'lang="he" dir="rtl"' in html
    assert 'lang="en" dir="ltr"' in html
    assert "✓" in html


def test_a_page_needs_no_network(answer):
    html = report.page("t", "l", {"s": report.answers([answer]) + report.facts(report.machine())})
    assert not re.search(r"(src|href)=|url\(|@import|https?:", html)
    assert "prefers-color-scheme: dark" in html


def test_a_page_may_load_nothing_and_run_its_own_script_alone():
    still, moving = report.page("t", "l", {}), report.page("t", "l", {}, "go();")
    assert "default-src &#39;none&#39;" in still
    assert "script-src &#39;none&#39;" in still
    digest = base64.b64encode(hashlib.sha256(b"go();").digest()).decode()
    assert f"script-src &#39;sha256-{digest}&#39;" in moving
    assert "<script>go();</script>" in moving


def test_heat_map_leaves_out_what_is_not_there():
    html = report.heat_map({"en->es": score(0.9), "es->en": score(0.5), "mean": score(0.7)}, ["en", "es", "fr"])
    check(html)
    assert html.count("<td") == 9
    assert html.count('class="none"') == 7
    assert "--v:1.00" in html
    assert ".5000" in html


def test_table_marks_the_best():
    html = report.table(["space", "x"], [["a<b", "1"], ["c", "2"]], best=[False, True])
    check(html)
    assert "a&lt;b" in html
    assert html.count('class="best"') == 1


@pytest.mark.parametrize(
    "curves",
    [
        {"untranslated": [(None, 0.3)], "opca": [(10, 0.5), (100, 0.9)], "a<b": [(10, 0.4), (100, 0.9)]},
        {"opca": [(10, 1.0)]},
        {"untranslated": [(None, 0.0)]},
    ],
)
def test_chart_is_inside_its_frame(curves):
    svg = line_chart(curves, "a <label>")
    check(svg)
    assert svg.count("<polyline") == sum(name != "untranslated" for name in curves)
    for axis, most in (("x", 720), ("y", 360)):
        places = [float(value) for value in re.findall(rf'[" ]c?{axis}[12]?="([-\d.]+)"', svg)]
        assert places
        assert min(places) >= 0
        assert max(places) <= most
    assert "a<b" not in svg


def test_labels_stand_apart():
    placed = spread([0.9, 0.91, 0.9, 0.1], 0.1)
    ordered = sorted(placed)
    assert all(b - a >= 0.1 - 1e-9 for a, b in pairwise(ordered))
    assert max(placed) <= 1
    assert placed[3] == 0.1


@pytest.mark.parametrize("languages", [("en", "es"), ("en", "es", "fr", "de")])
def test_a_third_is_hidden_and_no_row_is_lost(languages):
    corpus = planted(rows=90, languages=languages)
    holed = hide_cells(corpus, 1 / 3, seed=0)
    assert sum(holed.counts().values()) == round(90 * len(languages) * 2 / 3)
    assert all(any(holed.texts(language)[row] for language in languages) for row in range(90))
    assert holed.fingerprint() == hide_cells(corpus, 1 / 3, seed=0).fingerprint()
    assert isinstance(holed, AlignedCorpus)
    assert not holed.metadata
