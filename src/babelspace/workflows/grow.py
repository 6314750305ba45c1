"""The loop: match documents, learn from the pairs, match again, as long as something certain is gained."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from babelspace.corpus import AlignedCorpus, Document
from babelspace.errors import ParameterError
from babelspace.mining.matching import Pairs, learn_matching, match
from babelspace.mining.precision import check_precision, cut
from babelspace.mining.sentences.alignment import AlignedSentences, align_beads, align_sentences
from babelspace.mining.sentences.document_pairs import TextPairs, one_language
from babelspace.mining.sentences.pairs import SentencePairs
from babelspace.mining.sentences.word_table import WordTable
from babelspace.runtime.results import ColumnTable, Result
from babelspace.spaces import Encoder
from babelspace.workflows.fit_model import fit_model
from babelspace.workflows.grow_rounds import Pair, Round, RoundFiles

# The share of the known rows that no round learns from, and the fewest that tell anything.
AUDIT, FEWEST_AUDIT = 0.2, 25
# A round must bring this share of new pairs, and may lose this much accuracy or precision on the audit rows.
LEAST_GAIN, MOST_LOSS = 0.01, 0.01
# How sure sentence pairs are that a round learns from beside whole documents, and the most of them.
SENTENCE_PRECISION, MOST_SENTENCES = 0.9, 5_000
# Audit documents go into the piles under ids that no document has, and of this share of them the partner stays away.
MARK, ALONE = "\0", 0.4


@dataclass(frozen=True, eq=False)
class Growth(Result):
    """All rounds, why they ended, the model of the best one, and the pairs of documents that it found.

    `thrown` is the round after these that was thrown away, if there is one.
    """

    rounds: list[Round]
    thrown: Round | None
    stopped: str
    encoder: Encoder
    source: dict[str, Document] = field(repr=False)
    target: dict[str, Document] = field(repr=False)

    def columns(self) -> dict[str, Any]:
        """A row a round."""
        rows = [
            {**asdict(one), "pairs": len(one.pairs), "expected_precision": one.expected_precision}
            for one in self.rounds
        ]
        return {
            name: [row[name] for row in rows]
            for name in (
                "number",
                "rows",
                "sentences",
                "top1",
                "pairs",
                "gained",
                "expected_precision",
                "audit_precision",
            )
        }

    @property
    def pairs(self) -> list[Pair]:
        """The pairs of documents of the best round."""
        return self.rounds[-1].pairs

    def pair_table(self) -> ColumnTable:
        """These pairs, to be written."""
        return ColumnTable({"source": [one for one, _ in self.pairs], "target": [other for _, other in self.pairs]})

    def aligned(self) -> AlignedSentences:
        """The sentences of these pairs, and the words learned from them."""
        if not self.pairs:
            raise ParameterError("no pair of documents was found", hint="lower {precision}, or start with more rows")
        sides = [self.source[one] for one, _ in self.pairs], [self.target[other] for _, other in self.pairs]
        texts = TextPairs.of(*sides)
        return align_beads(texts, WordTable.of_encoder(self.encoder, sides[0][0].language, sides[1][0].language))

    def sentences(self, precision: float = 0.95) -> SentencePairs:
        """The trusted sentence pairs of these documents."""
        return self.aligned().sentence_pairs().trusted(precision)


def grow(
    known: AlignedCorpus,
    source: Sequence[Document],
    target: Sequence[Document],
    space: str = "opca+translation",
    *,
    precision: float = 0.95,
    rounds: int = 5,
    work: str | Path | None = None,
    on_round: Callable[[Round], None] | None = None,
    seed: int = 0,
    **parameters: Any,
) -> Growth:
    """Match documents with what a few pairs teach, learn from the matched ones, and match again.

    A fifth of the known rows is an audit: no round learns from them; they teach the probabilities of pairs, and each
    round is scored on them. They are also put into the piles, some without their partner, so that the precision of each
    round is seen. A pair that a model has learned from looks right to it, so that mistakes would confirm
    themselves: each half of the pairs found so far is judged by a model that learned from the other half and sees only
    documents that it has not learned from. The loop ends
    when a round brings less than a hundredth more pairs, when accuracy or precision on the audit rows falls by more
    than .01 and a standard error below the best (that round is thrown away: it has drifted) or a hundredth fewer pairs
    are found (likewise), or after `rounds`.

    Parameters
    ----------
    known
        Rows that are sure, in both languages.
    source, target
        Documents of one language each, mostly without known partner.
    space, parameters
        What `fit_model` learns.
    precision
        Expected share of right pairs among those that teach.
    work
        A folder that keeps finished rounds, so that a killed run goes on from there.
    on_round
        Called with each round as it is done.

    Examples
    --------
    >>> from babelspace import ViewsVectorizer, planted
    >>> corpus = planted(rows=500, words=100)
    >>> known, rest = corpus.select(range(300)), corpus.select(range(300, 500))
    >>> settings = {"vectorizer": ViewsVectorizer(drop_top=0), "n_components": 20}
    >>> growth = grow(known, rest.documents("en"), rest.documents("es"), rounds=1, **settings)
    >>> len(growth.pairs) > 100
    True
    """
    check_precision(precision)
    if rounds < 1:
        raise ParameterError(f"rounds must be 1 or more, got {rounds}", hint="use {rounds=5}")
    languages = one_language(source, "source"), one_language(target, "target")
    train, audit = _apart(known.aligned(languages))
    sides = {document.id: document for document in source}, {document.id: document for document in target}
    journal = RoundFiles(work, _fingerprint(known, source, target, space, precision, seed, parameters))
    piles = [
        [*pile, *_hidden(audit.documents(code), pile, side)]
        for side, (code, pile) in enumerate(zip(languages, (source, target), strict=True))
    ]
    done: list[Round] = []
    thrown = None

    def rows(pairs: Sequence[Pair]) -> AlignedCorpus:
        return _rows(train, pairs, *sides, languages)

    def fitted(corpus: AlignedCorpus) -> Encoder:
        encoder = fit_model(corpus, space, seed=seed, holdout=0, **parameters)
        learn_matching(encoder, audit)
        return encoder

    best: tuple[Sequence[Pair], Encoder | None] = [], None
    stopped = f"after {rounds} rounds"
    for number in range(1, rounds + 1):
        pairs, encoder = done[-1].pairs if done else [], None
        found = journal.get(number, *sides)
        if found is None:
            corpus = rows(pairs)
            encoder = fitted(corpus)
            halves = _halves(pairs) if pairs else [[]]
            judges = (fitted(rows(half)) for half in halves) if pairs else [encoder]
            matched = [
                match(judge, *_unread(piles, half), precision=0) for judge, half in zip(judges, halves, strict=True)
            ]
            agreed = _agreed(matched, precision, done[-1].trusted() if done else {})
            found = _round(number, encoder, corpus, audit, agreed, len(pairs))
            journal.put(found)
        if on_round is not None:
            on_round(found)
        if done and (fault := _fault(found, done, len(audit))):
            stopped, thrown = f"round {number} {fault}; it was thrown away", found
            break
        done.append(found)
        best = pairs, encoder
        if found.gained < LEAST_GAIN * max(len(pairs), 1):
            stopped = f"round {number} gained nothing that is certain"
            break
    # The model of a round that was kept in a folder is learned again only if it is the best.
    return Growth(done, thrown, stopped, best[1] or fitted(rows(best[0])), *sides)


def _fault(found: Round, done: Sequence[Round], rows: int) -> str:
    """Why a round is worse than those before; nothing if it is not."""
    # Each row is looked for from both sides.
    if found.top1 < _lowest(max(one.top1 for one in done), 2 * rows):
        return f"drifted: Top-1 on audit rows fell to {found.top1:.3f}"
    seen = [one.audit_precision for one in done if one.audit_precision is not None]
    # With few pairs none may be wrong by chance: one more right and one more wrong one tell of the error.
    least = _lowest(max(seen), found.audit_pairs, prior=1) if seen and found.audit_pairs else 0.0
    if found.audit_precision is not None and found.audit_precision < least:
        return f"drifted: precision on audit rows fell to {found.audit_precision:.3f}"
    # A few pairs fewer are chance, where nearly all have been found.
    lost = -found.gained > LEAST_GAIN * len(done[-1].pairs)
    return f"found {-found.gained:,} pairs fewer" if lost else ""


def _lowest(best: float, trials: int, prior: float = 0) -> float:
    """The share below which a round has drifted: the best less .01 and a standard error of so many trials."""
    share = (best * trials + prior) / (trials + 2 * prior)
    return best - MOST_LOSS - float(np.sqrt(share * (1 - share) / trials))


def _round(
    number: int, encoder: Encoder, learned: AlignedCorpus, audit: AlignedCorpus, found: dict[Pair, float], before: int
) -> Round:
    own = {pair: chance for pair, chance in found.items() if not _is_audit(pair)}
    audited = [one == other for one, other in found.keys() - own.keys()]
    sentences = sum(id.startswith(MARK) for id in learned.ids)
    return Round(
        number,
        len(learned) - sentences,
        float(encoder.score(audit)),
        list(own),
        list(own.values()),
        len(own) - before,
        sum(audited) / len(audited) if audited else None,
        len(audited),
        sentences,
    )


def _hidden(audit: Sequence[Document], pile: Sequence[Document], side: int) -> list[Document]:
    """Audit documents for a pile: not all, and none whose text is there already."""
    known, least = {document.text for document in pile}, side * ALONE / 2
    return [
        Document(MARK + document.id, document.language, document.text)
        for document in audit
        if document.text not in known and not least <= _mark(f"alone {document.id}") < least + ALONE / 2
    ]


def _halves(pairs: Sequence[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Two halves, by hash of the ids."""
    second = [_mark(f"half {one}={other}") >= 0.5 for one, other in pairs]
    chosen = list(zip(pairs, second, strict=True))
    return [pair for pair, apart in chosen if not apart], [pair for pair, apart in chosen if apart]


def _unread(piles: Sequence[Sequence[Document]], learned: Sequence[Pair]) -> list[list[Document]]:
    """The documents that a judge has not learned from.

    Among those that it has learned from right pairs stand so high that others would look wrong beside them.
    """
    known = [{pair[side] for pair in learned} for side in (0, 1)]
    return [[document for document in pile if document.id not in ids] for pile, ids in zip(piles, known, strict=True)]


def _agreed(matched: Sequence[Pairs], precision: float, before: Mapping[Pair, float]) -> dict[Pair, float]:
    """The pairs of the round before, and of those that judges claim as many as keep the precision; each document once.

    A claim has the mean of what the judges say who make it. What was trusted before stays so, unless one of its
    documents goes to a more probable partner; what is new must keep the precision by itself. Audit pairs are told if
    they are as probable as some that are kept.
    """
    claims: dict[Pair, list[float]] = defaultdict(list)
    for judged in matched:
        for one, other, chance in zip(judged.source, judged.target, judged.probability.tolist(), strict=True):
            claims[one, other].append(chance)
    means = dict(before)
    for pair, chances in claims.items():
        means[pair] = max(sum(chances) / len(chances), before.get(pair, 0.0))
    chosen = _once(means)
    fresh = [pair for pair in chosen if pair not in before and not _is_audit(pair)]
    trusted = cut(np.array([chosen[pair] for pair in fresh]), precision)
    added = {fresh[place] for place in trusted.tolist()}
    kept = {pair: chance for pair, chance in chosen.items() if pair in before or pair in added}
    least = min(kept.values(), default=precision)
    return kept | {pair: chance for pair, chance in chosen.items() if _is_audit(pair) and chance >= least}


def _once(chances: Mapping[Pair, float]) -> dict[Pair, float]:
    """Pairs by falling probability, each document once."""
    taken: tuple[set[str], set[str]] = set(), set()
    kept: dict[Pair, float] = {}
    for (one, other), chance in sorted(chances.items(), key=lambda claim: (-claim[1], claim[0])):
        if one not in taken[0] and other not in taken[1]:
            taken[0].add(one)
            taken[1].add(other)
            kept[one, other] = chance
    return kept


def _is_audit(pair: Pair) -> bool:
    return any(id.startswith(MARK) for id in pair)


def _mark(text: str) -> float:
    """A number from 0 to 1 that only depends on a text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64


def _apart(known: AlignedCorpus) -> tuple[AlignedCorpus, AlignedCorpus]:
    """Rows to learn from and audit rows, by hash of the id."""
    apart = np.array([_mark(f"audit {id}") for id in known.ids]) < AUDIT
    if apart.sum() < FEWEST_AUDIT:
        raise ParameterError(
            f"{len(known):,} known rows leave {int(apart.sum())} to audit with; {FEWEST_AUDIT} are needed",
            hint=f"give about {round(FEWEST_AUDIT / AUDIT)} rows or more",
        )
    return known.select(np.flatnonzero(~apart)), known.select(np.flatnonzero(apart))


def _rows(
    train: AlignedCorpus,
    pairs: Sequence[Pair],
    source: dict[str, Document],
    target: dict[str, Document],
    languages: tuple[str, str],
) -> AlignedCorpus:
    """The known rows and the matched documents, and the sentences of both that are surely translations."""
    sides = [
        [*train.documents(languages[0]), *(source[one] for one, _ in pairs)],
        [*train.documents(languages[1]), *(target[other] for _, other in pairs)],
    ]
    ids = [*train.ids, *(f"{one}={other}" for one, other in pairs)]
    sentences = _sentences(*([replace(one, id=id) for id, one in zip(ids, side, strict=True)] for side in sides))
    texts = {
        code: [*(document.text for document in side), *sentences.texts(code)]
        for code, side in zip(languages, sides, strict=True)
    }
    return AlignedCorpus([*ids, *(f"{MARK}sentence {id}" for id in sentences.ids)], texts, name=train.name)


def _sentences(source: Sequence[Document], target: Sequence[Document]) -> AlignedCorpus:
    """Sentence pairs of documents that have several, with words that these very documents teach."""
    found = align_sentences(source, target, precision=SENTENCE_PRECISION)
    whole = {document.id: len(document.text.strip()) for document in source}
    parts = found.source_end - found.source_start < [whole[id] for id in found.source]
    corpus = found.where(np.flatnonzero(parts)).corpus()
    return corpus.select(sorted(range(len(corpus)), key=lambda row: _mark(f"row {corpus.ids[row]}"))[:MOST_SENTENCES])


def _fingerprint(known: AlignedCorpus, source: Sequence[Document], target: Sequence[Document], *settings: Any) -> str:
    digest = hashlib.sha256(known.fingerprint().encode())
    for document in (*source, *target):
        digest.update(f"{document.id}\0{document.text}\0".encode("utf-8", "surrogatepass"))
    digest.update(repr(settings).encode())
    return digest.hexdigest()
