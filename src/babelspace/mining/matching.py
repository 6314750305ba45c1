"""Documents of two languages in, trusted pairs out: encode, compare, assign, and say how probable each pair is."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus, Document
from babelspace.errors import Advice, ParameterError
from babelspace.mining.audit import Audit, Verdicts, audit_places, recalibrate
from babelspace.mining.calibration import Calibration, JudgedPairs, learn
from babelspace.mining.checkpoint import Checkpoint, LanguageDocuments, encode_all
from babelspace.mining.cohort import Cohort, HeldOutDocuments
from babelspace.mining.overlap import KINDS, SpellingCounter
from babelspace.mining.pair_features import (
    FEATURES,
    EncodedDocuments,
    Floats,
    Numbers,
    PairFeatures,
    pair_features,
    with_spellings,
)
from babelspace.mining.precision import check_precision, cut
from babelspace.mining.tuned_settings import SETTINGS
from babelspace.runtime.checked_arrays import CheckedArrays
from babelspace.runtime.engine import Engine
from babelspace.runtime.results import Result
from babelspace.spaces import Encoder
from babelspace.text.language_codes import known_language
from babelspace.text.language_pair_sample import ALL_PAIRS, sampled_pairs, standing_for
from babelspace.vectors.similarity import prepare

CARD = "calibration"


@dataclass(frozen=True)
class Pairs(Result):
    """Pairs, most probable first, that were kept to reach the asked precision, and what to expect of them.

    `expected_precision` is the mean probability of the kept pairs, None if there are none; `precision_interval` holds
    the share of right ones 19 times out of 20. `expected_recall` is the part of all right pairs among the candidates'
    best assignment that they are expected to hold; `expected_right` how many of the kept are right. `unmatched_source`
    and `unmatched_target` count the documents left out. `audit` are pairs to judge, if asked for.
    """

    source: list[str]
    target: list[str]
    probability: Floats
    score: Floats
    similarity: Floats
    overlap: Floats
    gap: Floats
    mutual: NDArray[np.bool_]
    expected_precision: float | None
    precision_interval: tuple[float, float] | None
    expected_recall: float
    unmatched_source: int
    unmatched_target: int
    audit: Audit | None = None

    @property
    def expected_right(self) -> float:
        """How many of the pairs are expected to be right."""
        return float(self.probability.sum())

    @property
    def reason(self) -> list[str]:
        """Why each pair was made, in a few words."""
        return [
            f"{'best of both' if mutual else 'best of what was left'}, next {gap:.1f} spacings behind, "
            f"cosine of words spelled alike {shared:.2f}"
            for mutual, gap, shared in zip(self.mutual.tolist(), self.gap.tolist(), self.overlap.tolist(), strict=True)
        ]

    def columns(self) -> dict[str, Any]:
        """Named columns: what pandas.DataFrame and pyarrow.table take."""
        return {
            "source": self.source,
            "target": self.target,
            "probability": self.probability,
            "score": self.score,
            "similarity": self.similarity,
            "overlap": self.overlap,
            "reason": self.reason,
        }


def match(
    encoder: Encoder,
    source: Iterable[Document],
    target: Iterable[Document],
    *,
    precision: float = 0.95,
    one_to_one: bool = True,
    overlap: bool = True,
    approximate: bool | None = None,
    calibration: Calibration | None = None,
    checkpoint: Checkpoint | None = None,
    audit: int = 0,
    verdicts: Verdicts | None = None,
    engine: Engine | None = None,
) -> Pairs:
    """Match documents of two languages, of one language each.

    Parameters
    ----------
    precision : share of right pairs among those kept; 0 keeps the whole assignment
    one_to_one : give each document to one other at most; otherwise each source has its best target
    overlap : weigh shared names, numbers and cognates, too
    approximate : compare documents of like clusters only; None does so beyond 10¹¹ pairs
    calibration : of other pairs than the model's own held-out ones
    checkpoint : keeps what is done in files, so that a killed run goes on, and so that vectors need not fit into memory
    audit : number of pairs to choose for a person to judge, half of them near the cut
    verdicts : judged pairs by source and target id: what they say moves the probabilities of all pairs, and those
        judged wrong are left out
    engine : where documents are encoded

    Examples
    --------
    >>> from babelspace import Encoder, OPCA, ViewsVectorizer, planted
    >>> corpus = planted(rows=400, words=100)
    >>> train, rest = corpus.select(range(200)), corpus.select(range(200, 400))
    >>> encoder = Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=20)).fit(train)
    >>> learned = calibrate(encoder, rest.select(range(100)), "en", "es")
    >>> english, spanish = rest.documents("en")[100:], rest.documents("es")[100:]
    >>> pairs = match(encoder, english, spanish, precision=0.9, calibration=learned)
    >>> pairs.expected_precision >= 0.9
    True
    """
    check_precision(precision)
    checkpoint = checkpoint or Checkpoint(None)
    left = encode_all(encoder, source, checkpoint, "source", engine)
    right = encode_all(encoder, target, checkpoint, "target", engine)
    learned = calibration or calibration_of(encoder, left.language, right.language)
    sides = left.encoded, right.encoded
    if learned.cohort is None and min(map(len, sides)) < SETTINGS.cohort:
        told = "this model keeps no held-out documents to compare few documents with, so their probabilities are rough;"
        warnings.warn(Advice(told, hint="fit it again"), stacklevel=2)
    beside = sides if learned.cohort is None else learned.cohort.beside(*sides)
    found = pair_features(*beside, checkpoint.neighbours(*beside, approximate))
    candidates = replace(found, at_hand=(len(left.encoded), len(right.encoded)))
    used = FEATURES if overlap else tuple(name for name in FEATURES if name not in KINDS)
    judged = learned.judge(candidates, used, one_to_one)
    return _kept(candidates, judged, (left, right), precision, audit, verdicts)


def calibrate(encoder: Encoder, corpus: AlignedCorpus, source: str, target: str, seed: int = 0) -> Calibration:
    """Learn probabilities for two languages from pairs that the model was not fitted on."""
    sides = encode_language(encoder, corpus, source), encode_language(encoder, corpus, target)
    kept = [HeldOutDocuments.of(side, corpus.ids, SETTINGS.cohort_rows) for side in sides]
    return replace(learn(*sides, seed), cohort=Cohort.of(*kept))


def learn_matching(
    encoder: Encoder,
    corpus: AlignedCorpus,
    vectors: Mapping[str, Any] | None = None,
    fresh: Container[str] | None = None,
) -> None:
    """What held-out rows tell of matching becomes the model's: probabilities, and a cohort for few documents.

    `vectors` are those of the corpus (zero rows for holes) where they are known already. Of `fresh` languages alone,
    beside what the model has, if they are given.
    """
    known = vectors or {}
    sides = {language: encode_language(encoder, corpus, language, known.get(language)) for language in corpus.languages}
    calibrations = calibrate_languages(sides, corpus.counts())
    before = {} if fresh is None else encoder.card_.get(CARD, {})
    encoder.card_[CARD] = before | {
        pair: told
        for pair, told in calibrations.items()
        if fresh is None or any(name in fresh for name in pair.split("|"))
    }
    most = max(SETTINGS.cohort_rows // max(1, len(encoder.languages_) // 4), SETTINGS.fewest_pairs)
    for language in (name for name in sides if fresh is None or name in fresh):
        kept = HeldOutDocuments.of(sides[language], corpus.ids, most)
        encoder.held_out_ |= {f"{language}/{name}": array for name, array in kept.pack().items()}


def calibrate_languages(sides: Mapping[str, EncodedDocuments], documents: Mapping[str, int]) -> dict[str, Any]:
    """The calibrations of the pairs of languages that have enough held-out rows, as JSON for the model's card.

    Of all pairs where languages are few, of a sample where they are many (`sampled_pairs`).
    """
    found = {}
    for one, other in sampled_pairs(documents):
        both = sides[one].vectors.valid & sides[other].vectors.valid
        if both.sum() >= SETTINGS.fewest_pairs:
            first, second = sorted((one, other))
            found[f"{first}|{second}"] = learn(sides[first], sides[second]).as_dict()
    return found


def calibration_of(encoder: Encoder, source: str, target: str) -> Calibration:
    """What the model learned from its held-out rows about two languages; where it has many, about a pair like them."""
    source, target = (known_language(language, encoder.languages_) for language in (source, target))
    stored: Mapping[str, Any] = encoder.card_.get(CARD, {})
    key = "|".join(sorted((source, target)))
    if key not in stored and len(encoder.languages_) > ALL_PAIRS and stored:
        known = [(one, other) for one, _, other in (pair.partition("|") for pair in stored)]
        one, other = standing_for(source, target, known) or (source, target)
        told = (
            f"probabilities for {source} and {target} are those of {one} and {other}: of many languages some are tried;"
        )
        warnings.warn(Advice(told, hint="give pairs to learn them from ({calibrate=CORPUS})"), stacklevel=2)
        key = f"{one}|{other}"
    if key not in stored:
        raise ParameterError(
            f"this model has no probabilities for {source} and {target}: they are learned from rows held out of its "
            f"training (at least {SETTINGS.fewest_pairs})",
            hint="give pairs that it was not fitted on ({calibrate=CORPUS}), fit it with more rows held out "
            "({fit_model(holdout=0.2)}), or rank candidates without probabilities ({k=10})",
        )
    return replace(Calibration.from_dict(stored[key]), cohort=_cohort(encoder, source, target))


def _cohort(encoder: Encoder, source: str, target: str) -> Cohort | None:
    """The cohort that the model has for two languages, if it has any."""
    kept = []
    for language in sorted((source, target)):
        arrays = CheckedArrays(CheckedArrays(encoder.held_out_).under(f"{language}/"))
        if not arrays.names():
            return None
        kept.append(HeldOutDocuments.unpack(arrays, encoder.space.similarity))
    cohort = Cohort.of(*kept)
    return cohort if source <= target else cohort.turned()


def encode_language(
    encoder: Encoder, corpus: AlignedCorpus, language: str, vectors: Any | None = None
) -> EncodedDocuments:
    """The documents of one language of a corpus, holes as empty documents; `vectors` where they are known already."""
    if vectors is not None:
        texts = [text or "" for text in corpus.texts(language)]
        return with_spellings(prepare(vectors, encoder.space.similarity), SpellingCounter(language).count(texts))
    documents = [
        Document(id, language, text or "") for id, text in zip(corpus.ids, corpus.texts(language), strict=True)
    ]
    return encode_all(encoder, documents, Checkpoint(None), language).encoded


def _kept(
    candidates: PairFeatures,
    judged: JudgedPairs,
    sides: tuple[LanguageDocuments, LanguageDocuments],
    precision: float,
    audit: int,
    verdicts: Verdicts | None,
) -> Pairs:
    """The pairs that reach the precision, with what to expect of them."""
    rows, columns = candidates.source[judged.pairs], candidates.target[judged.pairs]
    source = [sides[0].ids[row] for row in rows.tolist()]
    target = [sides[1].ids[row] for row in columns.tolist()]
    probability = judged.probability
    interval: Callable[[Numbers], tuple[float, float]] = judged.interval
    if verdicts:
        probability, interval = _with_verdicts(probability, list(zip(source, target, strict=True)), verdicts)
    kept = cut(probability, precision)
    if verdicts:
        kept = kept[probability[kept] > 0]
    places, total = judged.pairs[kept], float(probability.sum())
    return Pairs(
        [source[place] for place in kept.tolist()],
        [target[place] for place in kept.tolist()],
        probability[kept],
        candidates.csls[places],
        candidates.similarity[places],
        candidates.overlap[places, 0],
        judged.gap[kept, 0],
        judged.gap[kept, 0] > 0,
        float(probability[kept].mean()) if len(kept) else None,
        interval(kept) if len(kept) else None,
        float(probability[kept].sum()) / total if total else 0.0,
        len(sides[0].ids) - len(np.unique(rows[kept])),
        len(sides[1].ids) - len(np.unique(columns[kept])),
        _audit(source, target, probability, kept, audit) if audit else None,
    )


def _with_verdicts(
    probability: Floats, named: Sequence[tuple[str, str]], verdicts: Verdicts
) -> tuple[Floats, Callable[[Numbers], tuple[float, float]]]:
    """Probabilities moved by verdicts (judged pairs: 0 or 1), and the interval of the precision of some pairs."""
    known = np.array([float(verdicts[pair]) if pair in verdicts else np.nan for pair in named])
    told = ~np.isnan(known)
    if not told.any():
        raise ParameterError(
            f"none of the {len(verdicts):,} judged pairs is among the {len(named):,} that were found here",
            hint="give the verdicts on an audit of the same documents with the same model",
        )
    moved = recalibrate(probability[told], known[told])
    fresh = np.where(told, np.nan_to_num(known), moved.probability(probability))
    return fresh, lambda kept: moved.precision_interval(probability[kept], known[kept])


def _audit(source: list[str], target: list[str], probability: Floats, kept: Numbers, count: int) -> Audit:
    places = audit_places(probability, kept, count)
    inside = np.isin(places, kept).tolist()
    chosen = places.tolist()
    return Audit([source[row] for row in chosen], [target[row] for row in chosen], probability[places], inside)
