"""From documents of two languages to a review of the pairs that matching finds."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from babelspace.corpus import Document
from babelspace.mining.matching import match
from babelspace.mining.precision import check_precision
from babelspace.mining.review.review import Review
from babelspace.mining.sentences.pairs import SentencePairs
from babelspace.spaces import Encoder
from babelspace.terms.terms import Terms
from babelspace.workflows.match import documents_of
from babelspace.workflows.reading import load_model


def make_review(
    path: str | Path,
    model: Encoder | str | Path,
    source: Iterable[Document],
    target: Iterable[Document],
    *,
    precision: float = 0.95,
    **matching: Any,
) -> Review:
    """Match documents of two languages and lay all pairs before people: above the cut and below.

    Parameters
    ----------
    path : of the review's file; `pairs.review`, for example
    model : an encoder with probabilities, or where it is saved
    source, target : documents of one language each, which are read twice
    precision : share of right pairs that the cut is made for; verdicts move the cut, and it can be changed later
    matching : as those of :func:`babelspace.match`

    Examples
    --------
    >>> import tempfile
    >>> from babelspace import ViewsVectorizer, fit_model, planted
    >>> corpus = planted(rows=400)
    >>> encoder = fit_model(corpus.select(range(300)), vectorizer=ViewsVectorizer(drop_top=0), n_components=20)
    >>> fresh = corpus.select(range(300, 400))
    >>> path = Path(tempfile.mkdtemp()) / "pairs.review"
    >>> review = make_review(path, encoder, fresh.documents("en"), fresh.documents("es"))
    >>> for _ in range(10):
    ...     pair = review.next("ann")
    ...     review.judge(pair.place, "right" if pair.source == pair.target else "wrong", reviewer="ann")
    >>> standing = review.standing()
    >>> standing.judged, standing.observed.count >= 5
    (10, True)
    """
    check_precision(precision)
    encoder = model if isinstance(model, Encoder) else load_model(model)
    pairs = match(encoder, source, target, precision=0, **matching)
    found = documents_of(pairs, source, target)
    texts = (
        (one.id, other.id, one.text, other.text, probability)
        for (one, other), probability in zip(found, pairs.probability.tolist(), strict=True)
    )
    languages = (found[0][0].language, found[0][1].language) if found else ("", "")
    where = None if isinstance(model, Encoder) else str(model)
    return Review.create(path, texts, languages, precision=precision, model=where)


def review_sentences(path: str | Path, found: SentencePairs, *, precision: float = 0.95) -> Review:
    """Lay pairs of sentences before people, by the same keys as documents; give all pairs, not only trusted ones.

    Examples
    --------
    >>> import tempfile
    >>> from babelspace.workflows.mine_sentences import mine_sentences
    >>> english = [Document("a", "en", "Go home. It is late. We saw 7 dogs.")]
    >>> spanish = [Document("a", "es", "Vete a casa. Es tarde. Vimos 7 perros.")]
    >>> found = mine_sentences(english, spanish, precision=0)
    >>> review = review_sentences(Path(tempfile.mkdtemp()) / "x.review", found)
    >>> review.standing().pairs
    3
    """
    ids = [
        [f"{id}:{start}" for id, start in zip(documents, starts.tolist(), strict=True)]
        for documents, starts in ((found.source, found.source_start), (found.target, found.target_start))
    ]
    pairs = zip(*ids, found.source_text, found.target_text, found.probability.tolist(), strict=True)
    return Review.create(path, pairs, found.languages, precision=precision)


def review_terms(path: str | Path, terms: Terms, *, precision: float = 0.95) -> Review:
    """Lay terms and their translations before people, each with a pair of sentences that shows it."""
    shown = [
        [side.texts[places[0]] for places in terms.examples] for side in (terms.bitext.source, terms.bitext.target)
    ]
    pairs = zip(terms.source, terms.target, *shown, terms.probability.tolist(), strict=True)
    return Review.create(path, pairs, terms.languages, precision=precision, kind="terms")


def without_mates(source: Iterable[Document], target: Iterable[Document]) -> tuple[list[Document], list[Document]]:
    """Documents whose id the other side lacks: what is still to be matched of a corpus that is paired in part.

    Examples
    --------
    >>> english = [Document("1", "en", "red"), Document("2", "en", "sea")]
    >>> [[one.id for one in side] for side in without_mates(english, [Document("1", "es", "rojo")])]
    [['2'], []]
    """
    left, right = list(source), list(target)
    known = {one.id for one in left}, {one.id for one in right}
    return [one for one in left if one.id not in known[1]], [one for one in right if one.id not in known[0]]
