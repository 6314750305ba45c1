"""How much meaning and words count in each direction, learned from rows that a model has not seen.

Titles of held-out documents (a short first line, taken out of the document) and their five most frequent words ask for
the document and its mates. The weights of `scores.combined` are those under which the right document of each language
is the most probable among the documents of all languages, and among those of its own,

    p(d | q) ∝ exp(a_t s(q, d) + b_t l(q, d) + c_t)

with b_t / a_t and b_t near what was best on other corpora (log-normal priors), so that few rows move them little. What
is made small is -log (ε + p), which a query that cannot be answered does not move.

Of many languages each is asked for among a dozen only, and what it learned there on average counts for the others: time
grows with the languages, and not with their pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from babelspace.search.lexical_matrix import lexical_matrix
from babelspace.search.score_fusion import OTHERS, FusionWeights, TypicalSimilarity, typical_similarity
from babelspace.search.tuned_settings import SETTINGS
from babelspace.text.ngrams import MARKER
from babelspace.vectors.similarity import as_dense, pairwise, prepare

if TYPE_CHECKING:
    from babelspace.features import ViewsVectorizer
    from babelspace.spaces import Encoder
    from babelspace.spaces.encoded_corpus import EncodedCorpus

# Documents of all languages together that are learned from, and rows below which nothing is learned.
MOST_DOCUMENTS, FEWEST_ROWS = 1_200, 20
# Languages among whose documents the queries of one are asked.
MOST_LANGUAGES = 12
# A first line of more characters is no title; less than so many words left are no document.
TITLE_CHARACTERS, FEWEST_WORDS = 80, 10
QUERY_WORDS = 5
# Standard deviations of the priors, of log b / a, log b and c; nothing goes farther than so many of them.
RATIOS, SCALES, OFFSETS, FARTHEST = 0.5, 0.35, 1.5, 4.0
# A query whose right document is less probable teaches little: titles such as "Summary" ask for nothing in particular.
HOPELESS = 0.1
SMALLEST = 1e-300

# Parts of its learned weight that meaning may have within a language, and the one that only tells equals apart.
MEANING_PARTS, WORDS_FIRST = (1 / 16, 1 / 4, 1.0), 1e-3
BEST = 10

Plane = NDArray[np.float64]  # queries x rows
Cube = NDArray[np.float64]  # languages x queries x rows


@dataclass(frozen=True)
class _UntitledDocuments:
    """Documents of one language: which rows have one, their tokens without title, and the titles' ([] if none)."""

    present: NDArray[np.bool_]
    tokens: list[list[str]]
    titles: list[list[str]]


def learn_fusion(encoder: Encoder, encoded: EncodedCorpus) -> dict[str, FusionWeights]:
    """Weights by direction ("en->es") from rows that the encoder has not seen; none where they are too few."""
    rows = _rows(encoded)
    if len(rows) < FEWEST_ROWS or not reads_words(encoder.vectorizer):
        return {}
    sides = {language: _side(encoder, encoded, language, rows) for language in encoded.corpus.languages}
    vectors = {language: _vectors(encoder, side.tokens, language) for language, side in sides.items()}
    similarity = encoder.space.similarity
    sample = [as_dense(prepare(vectors[name], similarity).rows)[side.present] for name, side in sides.items()]
    documents = np.concatenate(sample)
    typical = typical_similarity(documents[:: -(-len(documents) // MOST_DOCUMENTS)], similarity)
    learned: dict[str, FusionWeights] = {}
    for source, side in sides.items():
        queries, owners = _queries(encoder, side, source)
        if len(queries) < FEWEST_ROWS:
            continue
        targets = asked_among(list(sides), source)
        asked = _vectors(encoder, queries, source)
        words = list(map(_words, queries))
        meaning = [standardised(asked, vectors[target], similarity, typical) for target in targets]
        held = [
            lexical_matrix(words, list(map(_words, sides[target].tokens)), source, target, encoder.dictionary_)
            for target in targets
        ]
        present = np.stack([sides[target].present for target in targets])
        own = np.array([target == source for target in targets])
        found = most_probable_weights(np.stack(meaning), np.stack(held), np.array(owners), present, own)
        place = int(np.flatnonzero(own)[0])
        found[place] = meaning_that_helps(meaning[place], held[place], np.array(owners), present[place], found[place])
        learned |= {f"{source}->{target}": weights for target, weights in zip(targets, found, strict=True)}
        if len(targets) < len(sides):
            across = [weights for weights, within in zip(found, own, strict=True) if not within]
            learned[f"{source}->{OTHERS}"] = FusionWeights(
                *np.mean([astuple(part) for part in across], axis=0).tolist()
            )
    return learned


def asked_among(languages: Sequence[str], source: str) -> list[str]:
    """All languages where they are few; of many some that are spread evenly over them, the source's own first."""
    size, place = len(languages), languages.index(source)
    if size <= MOST_LANGUAGES:
        return list(languages)
    return [languages[(place + step * size // MOST_LANGUAGES) % size] for step in range(MOST_LANGUAGES)]


def reads_words(vectorizer: ViewsVectorizer) -> bool:
    """Whether what a vectorizer reads are the words of the documents themselves."""
    return vectorizer.features != "characters" and vectorizer.translator is None


def most_probable_weights(
    meaning: Cube, held: Cube, owners: NDArray[np.int64], present: NDArray[np.bool_], within: NDArray[np.bool_]
) -> list[FusionWeights]:
    """The weights of each language's documents for queries in one language.

    Parameters
    ----------
    meaning, held : standardised similarity and lexical share of every document for every query
    owners : the row that each query asks for
    present : languages x rows, which documents there are
    within : which language is that of the queries
    """
    size = len(within)
    ratios = np.where(within, SETTINGS.lexical_within, SETTINGS.lexical_across)
    middle = np.concatenate([np.log(ratios), np.full(size, np.log(SETTINGS.lexical_across)), np.zeros(size)])
    spread = np.repeat([RATIOS, SCALES, OFFSETS], size)
    mates = owners[:, None] == np.arange(meaning.shape[2])
    asked = present[:, owners]

    def loss(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        slopes, weights, offsets = _parts(point, size)
        scores = slopes[:, None, None] * meaning + weights[:, None, None] * held + offsets[:, None, None]
        value, gradient = _surprise(np.where(present[:, None, :], scores, -np.inf), mates, asked)
        by_slope, by_weight = ((gradient * part).sum(axis=(1, 2)) for part in (meaning, held))
        moved = [-by_slope * slopes, by_slope * slopes + by_weight * weights, gradient.sum(axis=(1, 2))]
        off = (point - middle) / spread
        return value + float(off @ off) / 2, np.concatenate(moved) + off / spread

    low, high = middle - FARTHEST * spread, middle + FARTHEST * spread
    # Within a language nothing learned from few rows may put words below what makes a search at least BM25.
    low[:size][within] = middle[:size][within]
    point = minimize(loss, middle, jac=True, method="L-BFGS-B", bounds=list(zip(low, high, strict=True))).x
    slopes, weights, offsets = _parts(point, size)
    # Any scale ranks alike; under this one a score is about as large as a similarity.
    unit = float(slopes.mean())
    return [FusionWeights(*map(float, part)) for part in np.stack([slopes, weights, offsets], axis=1) / unit]


def meaning_that_helps(
    meaning: Plane, held: Plane, owners: NDArray[np.int64], present: NDArray[np.bool_], weights: FusionWeights
) -> FusionWeights:
    """Weights within a language under which meaning counts only as far as it is shown to find more than words alone.

    Words find there what is asked for, and meaning seldom adds to it. So it decides between documents that hold the
    words equally well, unless counting more raises the nDCG of held-out queries by more than a standard error.
    """

    def gains(part: float) -> NDArray[np.float64]:
        scores = part * weights.meaning * meaning + weights.words * held
        return ndcg(mate_ranks(scores[None], owners, present[None]))[0]

    alone = gains(WORDS_FIRST)
    best, part = 0.0, WORDS_FIRST
    for wider in MEANING_PARTS:
        gain = gains(wider) - alone
        if gain.mean() > max(best, float(gain.std()) / np.sqrt(len(gain))):
            best, part = float(gain.mean()), wider
    # Documents of this language keep their place beside those of others: right ones lose no more than they had.
    lost = (1 - part) * weights.meaning * float(meaning[np.arange(len(owners)), owners].mean())
    return replace(weights, meaning=part * weights.meaning, offset=(weights.offset or 0.0) + lost)


def mate_ranks(scores: Cube, owners: NDArray[np.int64], present: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Of the right document of each language (languages x queries) among those of its language; ties are errors."""
    right = scores[:, np.arange(len(owners)), owners]
    at_least = (scores >= right[:, :, None] - 1e-6) & present[:, None, :]
    return at_least.sum(axis=2).astype(np.float64)


def ndcg(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """nDCG@10 where one document is right."""
    return np.where(ranks <= BEST, 1 / np.log2(1 + ranks), 0.0)


def _parts(point: NDArray[np.float64], size: int) -> tuple[NDArray[np.float64], ...]:
    """Weights of meaning, of words, and offsets: what is searched for are log (b / a), log b and c."""
    weights = np.exp(point[size : 2 * size])
    return weights / np.exp(point[:size]), weights, point[2 * size :]


def _surprise(scores: Cube, mates: NDArray[np.bool_], asked: NDArray[np.bool_]) -> tuple[float, Cube]:
    """-log (ε + p) of each mate among all documents that are none, and those of its language; and the gradient."""
    chances = np.exp(scores - scores.max(axis=(0, 2))[:, None])
    right = np.where(asked, chances[:, mates], 0.0)
    wrong = chances.sum(axis=2) - chances[:, mates]
    value, weight, at_mates = 0.0, np.zeros_like(right), np.zeros_like(right)
    for others, shared in ((wrong.sum(axis=0), True), (wrong, False)):
        among = np.maximum(np.where(asked, right + others, 1.0), SMALLEST)
        share = right / among
        value -= float(np.log(HOPELESS + share)[asked].sum())
        slope = asked * share / (HOPELESS + share)
        weight += np.sum(slope / among, axis=0) if shared else slope / among
        at_mates += slope * (share - 1)
    gradient = chances * weight[:, :, None]
    gradient[:, mates] = at_mates
    return value, gradient


def _rows(encoded: EncodedCorpus) -> NDArray[np.int64]:
    """Rows with two documents or more whose words were kept."""
    languages = encoded.corpus.languages
    kept = np.zeros((len(languages), len(encoded.corpus)), bool)
    for place, language in enumerate(languages):
        known = np.flatnonzero(encoded.views.present[language])[: len(encoded.words[language])]
        kept[place, known] = True
    whole = np.all(kept == np.stack([encoded.views.present[language] for language in languages]), axis=0)
    return np.flatnonzero(whole & (kept.sum(axis=0) >= 2))[
        : max(FEWEST_ROWS, MOST_DOCUMENTS // min(len(languages), MOST_LANGUAGES))
    ]


def _side(encoder: Encoder, encoded: EncodedCorpus, language: str, rows: NDArray[np.int64]) -> _UntitledDocuments:
    place = {row: number for number, row in enumerate(np.flatnonzero(encoded.views.present[language]).tolist())}
    texts = encoded.corpus.texts(language)
    read = _tokens(encoder, [first_line(texts[row] or "") for row in rows.tolist()], language)
    tokens, titles = [], []
    for row, title in zip(rows.tolist(), read, strict=True):
        whole = encoded.words[language][place[row]] if row in place else []
        rest = _without(whole, title) if title else whole
        is_title = bool(title) and len(_words(rest)) >= FEWEST_WORDS
        tokens.append(rest if is_title else whole)
        titles.append(title if is_title else [])
    return _UntitledDocuments(encoded.views.present[language][rows], tokens, titles)


def first_line(text: str) -> str:
    """The first line if it may be a title."""
    line, _, rest = text.partition("\n")
    return line if rest.strip() and len(line) <= TITLE_CHARACTERS else ""


def _queries(encoder: Encoder, side: _UntitledDocuments, language: str) -> tuple[list[list[str]], list[int]]:
    """Tokens of the queries of one language, and the rows that they ask for."""
    known = encoder.vectorizer.vocabulary_.table(language)
    frequent = [Counter(word for word in _words(tokens) if word in known) for tokens in side.tokens]
    typed = [" ".join(word for word, _ in counts.most_common(QUERY_WORDS)) for counts in frequent]
    asked = [*side.titles, *_tokens(encoder, typed, language)]
    owners = [*range(len(side.titles)), *range(len(typed))]
    kept = [place for place, tokens in enumerate(asked) if tokens and side.present[owners[place]]]
    return [asked[place] for place in kept], [owners[place] for place in kept]


def _tokens(encoder: Encoder, lines: Sequence[str], language: str) -> list[list[str]]:
    """The tokens of each line, none of an empty one."""
    read = iter(encoder.vectorizer.read([line for line in lines if line], language))
    return [next(read) if line else [] for line in lines]


def _vectors(encoder: Encoder, documents: Sequence[list[str]], language: str) -> Any:
    vectorizer = encoder.vectorizer
    counts = vectorizer.count_tokens(documents, language)
    return encoder.space.transform(vectorizer.weights_.transform(counts), language)


def standardised(asked: Any, vectors: Any, similarity: str, typical: TypicalSimilarity) -> NDArray[np.float64]:
    """Similarities in deviations from what is typical; of what has no vector, typical ones."""
    scores = np.concatenate(list(pairwise(asked, vectors, similarity))).astype(np.float64)
    return np.where(np.isfinite(scores), (scores - typical.mean) / typical.deviation, 0.0)


def _words(tokens: Sequence[str]) -> list[str]:
    return [token for token in tokens if not token.startswith(MARKER)]


def _without(tokens: Sequence[str], title: Sequence[str]) -> list[str]:
    """What is left after the first occurrences of the title's tokens."""
    left = Counter(title)
    kept = []
    for token in tokens:
        if left[token] > 0:
            left[token] -= 1
        else:
            kept.append(token)
    return kept
