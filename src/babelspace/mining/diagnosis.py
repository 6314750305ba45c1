"""How well a model fits documents, told before they are matched: what is wrong, what to expect, what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from babelspace.corpus import AlignedCorpus, Document
from babelspace.errors import CorpusError, worded
from babelspace.mining.candidates import both_ways
from babelspace.spaces import Encoder
from babelspace.spaces.encoded_corpus import EncodedCorpus, encode_corpus
from babelspace.text.language_codes import known_language
from babelspace.text.language_identification import likely, trigrams
from babelspace.text.ngrams import MARKER
from babelspace.vectors.neighbours import Neighbours
from babelspace.vectors.similarity import Prepared, as_dense, prepare

# Documents looked at on each side; more tell the same and take longer.
MOST_DOCUMENTS = 5_000
NEIGHBOURS = 10
PROFILE = "profile"
# Documents whose words and trigrams are counted, and leading dimensions in which centres are compared.
LANGUAGE_SAMPLE, CENTRE_DIMENSIONS = 300, 100
# Trigrams whose shares are compared: rarer ones differ from sample to sample.
FREQUENT_TRIGRAMS = 400
# Another language leads by this much log likeness, or the trigrams of the claimed one are missing to this share.
LANGUAGE_LEAD, STRANGE = 0.3, 0.5
HUBBY, ENOUGH = 10.0, 0.8
HUB_ADVICE = "few documents are near to everything: match corrects for it (CSLS); look for boilerplate pages among them"
TOP1_ADVICE = (
    "many documents have no mate here (match leaves them out), or the model does not fit them: then add pairs of this "
    "domain to the training (some hundred help), or match with a higher {precision}"
)
# Findings that are compared with the training: how much worse is still fine (words: how many are), and what to do.
LIMITS = {
    "unknown": (
        0.15,
        'many words are unknown: add pairs of this domain to the training, or fit with {features="both"}',
    ),
    "words": (20.0, "short documents say little: join them into longer ones if you can"),
    "empty": (0.05, "documents without a known word are never matched: check their language and what they contain"),
    "distance": (0.3, "the subjects are others than in training: expect less, or add pairs of this domain"),
}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: its value, what the training had, whether it is fine, and what to do if not."""

    name: str
    side: str
    value: float
    baseline: float | None
    fine: bool
    hint: str

    @property
    def advice(self) -> str:
        """What to do, in Python's words."""
        return worded(self.hint)

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {name: value for name, value in vars(self).items() if name != "hint"} | {"advice": self.advice}


@dataclass(frozen=True)
class Diagnosis:
    """All findings and the predicted share of documents whose nearest is their mate, if each has one."""

    findings: tuple[Finding, ...]
    predicted_top1: float
    languages: Mapping[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "predicted_top1": self.predicted_top1,
            "languages": dict(self.languages),
            "findings": [finding.as_dict() for finding in self.findings],
        }


def diagnose(encoder: Encoder, source: Sequence[Document], target: Sequence[Document]) -> Diagnosis:
    """Look at (a sample of) documents of two languages with the eyes of a model.

    Examples
    --------
    >>> from babelspace import Encoder, OPCA, ViewsVectorizer, planted
    >>> corpus = planted(rows=300)
    >>> encoder = Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=20)).fit(corpus.select(range(200)))
    >>> rest = corpus.select(range(200, 300))
    >>> told = diagnose(encoder, rest.documents("en"), rest.documents("es"))
    >>> 0.5 < told.predicted_top1 <= 1
    True
    """
    sides = {"source": _sampled(source, "source"), "target": _sampled(target, "target")}
    findings: list[Finding] = []
    vectors: dict[str, Prepared] = {}
    languages: dict[str, str] = {}
    for side, documents in sides.items():
        looked = _Side(encoder, documents, side)
        findings += looked.findings()
        vectors[side] = looked.vectors
        languages[side] = looked.detected()[0]
    found = both_ways(vectors["source"], vectors["target"], NEIGHBOURS, approximate=False)
    findings += [_hubness(found[0], "target", len(sides["target"])), _hubness(found[1], "source", len(sides["source"]))]
    predicted = predicted_top1(*found)
    findings.append(_prediction(predicted, encoder))
    return Diagnosis(tuple(findings), predicted, languages)


def profile(encoder: Encoder, corpus: AlignedCorpus, encoded: EncodedCorpus | None = None) -> dict[str, Any]:
    """What the model's own held-out documents look like, kept in its card: the doctor compares with it.

    `encoded` is the corpus where it was read already, with the words of `LANGUAGE_SAMPLE` documents.
    """
    encoded = encoded or encode_corpus(encoder, corpus, keep_words_of=LANGUAGE_SAMPLE)
    found = {}
    for language in corpus.languages:
        documents = corpus.documents(language)[:MOST_DOCUMENTS]
        if documents:
            rows = np.flatnonzero(corpus.present(language))[:MOST_DOCUMENTS]
            read = encoded.vectors[language][rows], encoded.words[language]
            found[language] = _Side(encoder, documents, language, read).measured()
    return found


def predicted_top1(forward: Neighbours, backward: Neighbours) -> float:
    """The share of documents whose nearest is their mate, told by how many are each other's nearest.

    A mate that is nearest from one side mostly is from the other, too, while a wrong neighbour rarely returns the
    favour. Some mates are found from one side only: a quarter of m (1 - m) is added to the share m of mutual ones.
    """
    best = forward.indices[:, 0] if forward.indices.shape[1] else np.zeros(0, np.int64)
    known = np.flatnonzero(best >= 0)
    if not len(known):
        return 0.0
    mutual = np.count_nonzero(backward.indices[best[known], 0] == known) / min(
        len(forward.indices), len(backward.indices)
    )
    return float(min(1.0, mutual + mutual * (1 - mutual) / 4))


class _Side:
    """The documents of one language as a model sees them."""

    def __init__(
        self,
        encoder: Encoder,
        documents: Sequence[Document],
        side: str,
        read: tuple[Any, Iterable[list[str]]] | None = None,
    ) -> None:
        self.language = known_language(documents[0].language, encoder.languages_)
        self.encoder, self.side, self.documents = encoder, side, documents
        self.texts = [document.text for document in documents]
        vectors = encoder.encode(self.texts, self.language) if read is None else read[0]
        self.vectors = prepare(vectors, encoder.space.similarity)
        self._words = None if read is None else read[1]

    def measured(self) -> dict[str, Any]:
        """Everything that can be compared with other documents.

        The centre is the mean of the documents' unit vectors, cut to the leading dimensions.
        """
        centre = np.asarray(as_dense(self.vectors.rows[:, :CENTRE_DIMENSIONS]), np.float64).mean(axis=0)
        return {
            "trigrams": trigrams(self.texts),
            "unknown": self._unknown(),
            "words": float(np.median([len(text.split()) for text in self.texts])),
            "empty": float(np.mean(~self.vectors.valid)),
            "centre": [round(float(value), 4) for value in centre],
        }

    def detected(self) -> tuple[str, float]:
        """The language of the model that the texts look most like, and how much more than like the claimed one."""
        profiles = {name: own["trigrams"] for name, own in self.encoder.card_.get(PROFILE, {}).items()}
        if self.language not in profiles or not any(self.texts):
            return self.language, 0.0
        found = likely([text for text in self.texts[:LANGUAGE_SAMPLE] if text.strip()], profiles)
        best = next(iter(found))
        return best, found[best] - found[self.language]

    def findings(self) -> list[Finding]:
        """What was found on this side alone."""
        own = self.measured()
        baseline = self.encoder.card_.get(PROFILE, {}).get(self.language, {})
        return [self._language(own, baseline), *(self._compared(name, own, baseline) for name in LIMITS)]

    def _compared(self, name: str, own: Mapping[str, Any], baseline: Mapping[str, Any]) -> Finding:
        limit, advice = LIMITS[name]
        if name == "distance":
            centre = baseline.get("centre")
            value = _apart(own["centre"], centre) if centre else 0.0
            return Finding(name, self.side, value, 0.0 if centre else None, value <= limit, advice)
        value, reference = float(own[name]), baseline.get(name)
        if name == "words":
            return Finding(name, self.side, value, reference, value >= limit, advice)
        return Finding(name, self.side, value, reference, value <= (reference or 0.0) + limit, advice)

    def _language(self, own: Mapping[str, Any], baseline: Mapping[str, Any]) -> Finding:
        best, ahead = self.detected()
        strange = _strangeness(own, baseline)
        if best != self.language and ahead > LANGUAGE_LEAD:
            advice = (
                f"these look like {best}, not {self.language}: check {{{self.side}_language}}, or swap the two sides"
            )
            return Finding("language", self.side, strange, 0.0, False, advice)
        advice = f"these do not look like the {self.language} of the training: check the language, or the encoding"
        return Finding("language", self.side, strange, 0.0 if baseline else None, strange <= STRANGE, advice)

    def _unknown(self) -> float:
        """Share of words that the model has no weight for; words too frequent to tell anything are not counted."""
        vectorizer = self.encoder.vectorizer
        table = vectorizer.vocabulary_.table(self.language)
        read = self._words
        if read is None:
            read = vectorizer.read(self.texts[:LANGUAGE_SAMPLE], self.language)
        counts = Counter(word for tokens in read for word in tokens if not word.startswith(MARKER))
        frequent = {word for word, _ in counts.most_common(vectorizer.drop_top)}
        told = {word: count for word, count in counts.items() if word in table or word not in frequent}
        total = sum(told.values())
        return sum(count for word, count in told.items() if word not in table) / total if total else 1.0


def _sampled(documents: Sequence[Document], side: str) -> Sequence[Document]:
    """Evenly spread documents that have text."""
    filled = [document for document in documents if not document.blank]
    if not filled:
        raise CorpusError(f"no document on the {side} side has text", hint="check that this is the right path")
    return filled[:: -(-len(filled) // MOST_DOCUMENTS)]


def _apart(one: Sequence[float], other: Sequence[float]) -> float:
    """One minus the cosine of two centres."""
    left, right = np.array(one), np.array(other)
    lengths = float(np.linalg.norm(left) * np.linalg.norm(right))
    return float(1 - left @ right / lengths) if lengths > 0 and left.shape == right.shape else 1.0


def _strangeness(own: Mapping[str, Any], baseline: Mapping[str, Any]) -> float:
    """How much of the trigrams of the training is missing: 0 the same shares, 1 none in common."""
    if not baseline:
        return 0.0
    here, there = (dict(islice(side["trigrams"].items(), FREQUENT_TRIGRAMS)) for side in (own, baseline))
    common = sum(min(share, there.get(gram, 0.0)) for gram, share in here.items())
    return float(1 - common / max(min(sum(here.values()), sum(there.values())), 1e-9))


def _hubness(found: Neighbours, side: str, documents: int) -> Finding:
    """Skewness of how often documents of a side are among the nearest of the other side."""
    indices = found.indices[found.indices >= 0]
    counts = np.bincount(indices, minlength=documents).astype(np.float64)
    spread = float(counts.std())
    skewness = float(((counts - counts.mean()) ** 3).mean() / spread**3) if spread > 0 else 0.0
    return Finding("hubness", side, skewness, None, skewness <= HUBBY, HUB_ADVICE)


def _prediction(predicted: float, encoder: Encoder) -> Finding:
    held_out = encoder.card_.get("scores", {}).get("held_out", {}).get("mean", {}).get("top1")
    return Finding("predicted Top-1", "both", predicted, held_out, predicted >= ENOUGH, TOP1_ADVICE)
