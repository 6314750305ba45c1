from __future__ import annotations

import pytest

from babelspace.classification import class_labels, without_rare
from babelspace.corpus import AlignedCorpus, sample
from babelspace.errors import CorpusError


def corpus(*labels):
    ids = [str(row) for row in range(len(labels))]
    given = {id: label for id, label in zip(ids, labels, strict=True) if label}
    return AlignedCorpus(ids, {"en": ["text"] * len(ids)}, given, name="news")


def test_the_field_of_a_class():
    rows = corpus({"label": "sports", "region": "Asia"}, {"region": "Europe"}, {"label": "politics:uk"}, {})
    assert class_labels(rows) == class_labels(rows, "label") == ["sports", None, "politics:uk", None]
    assert class_labels(rows, "region") == ["Asia", "Europe", None, None]


def test_the_sample_has_classes():
    found = class_labels(sample())
    assert len(found) == 951
    assert len(set(found)) == 9


@pytest.mark.parametrize(
    ("rows", "field", "problem", "hint"),
    [
        (corpus({}), None, "news has no labels", "add labels.jsonl"),
        (
            corpus({"region": "Asia"}),
            None,
            "no row of news has a field 'label'",
            'use one of: region (for example field="region")',
        ),
        (corpus({"label": "sports"}), "region", "has a field 'region'", "use one of: label"),
        (corpus({"label": ["a", "b"]}), None, "row '0' of news has 2 labels (a, b)", "keep one label a row"),
    ],
    ids=["none", "other field", "unknown field", "two"],
)
def test_errors(rows, field, problem, hint):
    with pytest.raises(CorpusError) as caught:
        class_labels(rows, field)
    assert problem in str(caught.value)
    assert hint in str(caught.value)


def test_rare_classes_are_left_out():
    assert without_rare(["a", "b", "a", None], 2) == ["a", None, "a", None]
