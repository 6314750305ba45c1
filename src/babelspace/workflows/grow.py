"""The loop: match documents, learn from the pairs, match again, as long as something certain is gained."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Container, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from babelspace.corpus import AlignedCorpus, Document
from babelspace.errors import ArtifactError, ParameterError
from babelspace.mining.matching import Pairs, learn_matching, match
from babelspace.mining.precision import check_precision, cut
from babelspace.mining.sentences.alignment import AlignedSentences, align_beads
from babelspace.mining.sentences.pairs import SentencePairs
from babelspace.mining.sentences.text_pairs import TextPairs, one_language
from babelspace.mining.sentences.word_table import WordTable
from babelspace.runtime.artifact import card_digest, open_regular
from babelspace.runtime.files import atomic_text
from babelspace.runtime.results import ColumnTable, Result
from babelspace.runtime.work_folder import claim
from babelspace.spaces import Encoder
from babelspace.workflows.fit_model import fit_model

Pair = tuple[str, str]
# The share of the known rows that no round learns from, and the fewest that tell anything.
AUDIT, FEWEST_AUDIT = 0.2, 25
# A round must bring this share of new pairs, and may lose this much accuracy or precision on the audit rows.
LEAST_GAIN, MOST_LOSS = 0.01, 0.01
# Audit documents go into the piles under ids that no document has, and of this share of them the partner stays away.
MARK, ALONE = "\0audit ", 0.4


@dataclass(frozen=True)
class Round:
    """What a round learned from, how well it did on the audit rows, and which documents it paired.

    `audit_pairs` is how many of the audit documents that were put into the piles it paired, and `audit_precision` the
    share of them that it paired rightly.
    """

    number: int
    rows: int
    top1: float
    pairs: list[Pair]
    gained: int
    expected_precision: float | None
    audit_precision: float | None = None
    audit_pairs: int = 0

    def told(self) -> str:
        """One line."""
        found = (
            f"round {self.number}: {self.rows:,} rows, Top-1 {self.top1:.3f} on audit rows, {len(self.pairs):,} "
            f"document pairs ({self.gained:+,})"
        )
        if self.expected_precision is not None:
            found += f", expected precision {self.expected_precision:.3f}"
        if self.audit_precision is not None:
            found += f", {self.audit_precision:.3f} of {self.audit_pairs:,} audit pairs right"
        return found


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
        rows = [{**asdict(one), "pairs": len(one.pairs)} for one in self.rounds]
        return {
            name: [row[name] for row in rows]
            for name in ("number", "rows", "top1", "pairs", "gained", "expected_precision", "audit_precision")
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
    space: str = "opca",
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
    themselves: each half of the pairs found so far is judged by a model that learned from the other half. The loop ends
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
    journal = _Rounds(work, _fingerprint(known, source, target, space, precision, seed, parameters))
    piles = [
        [*pile, *_hidden(audit.documents(code), pile, side)]
        for side, (code, pile) in enumerate(zip(languages, (source, target), strict=True))
    ]
    done: list[Round] = []
    thrown = None

    def fitted(corpus: AlignedCorpus) -> Encoder:
        encoder = fit_model(corpus, space, seed=seed, holdout=0, **parameters)
        learn_matching(encoder, audit)
        return encoder

    stopped = f"after {rounds} rounds"
    for number in range(1, rounds + 1):
        pairs = done[-1].pairs if done else []
        corpus = _with_pairs(train, pairs, *sides, languages)
        encoder = fitted(corpus)
        found = journal.get(number, *sides)
        if found is None:
            halves = [_with_pairs(train, half, *sides, languages) for half in _halves(pairs)] if pairs else []
            judges = [fitted(half) for half in halves] or [encoder]
            matched = [match(judge, piles[0], piles[1], precision=precision) for judge in judges]
            found = _round(
                number, encoder, len(corpus), audit, _unlearned(matched, _halves(pairs), precision), len(pairs)
            )
            journal.put(found)
        if on_round is not None:
            on_round(found)
        if done and (fault := _fault(found, done, len(audit))):
            stopped, thrown = f"round {number} {fault}; it was thrown away", found
            break
        done.append(found)
        best = encoder
        if found.gained < LEAST_GAIN * max(len(pairs), 1):
            stopped = f"round {number} gained nothing that is certain"
            break
    return Growth(done, thrown, stopped, best, *sides)


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
    number: int, encoder: Encoder, rows: int, audit: AlignedCorpus, found: dict[Pair, float], before: int
) -> Round:
    own = {pair: chance for pair, chance in found.items() if not any(id.startswith(MARK) for id in pair)}
    audited = [one == other for one, other in found.keys() - own.keys()]
    expected = float(np.mean(list(own.values()))) if own else None
    precision = sum(audited) / len(audited) if audited else None
    accuracy = float(encoder.score(audit))
    return Round(number, rows, accuracy, list(own), len(own) - before, expected, precision, len(audited))


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


def _unlearned(matched: Sequence[Pairs], halves: Sequence[Sequence[Pair]], precision: float) -> dict[Pair, float]:
    """The pairs of every judge that it has not learned from, each document once, as many as keep the precision."""
    claims: dict[Pair, float] = {}
    for judged, learned in zip(matched, halves, strict=False):
        own = set(learned)
        for one, other, chance in zip(judged.source, judged.target, judged.probability.tolist(), strict=True):
            if (one, other) not in own:
                claims[one, other] = max(chance, claims.get((one, other), 0.0))
    taken: tuple[set[str], set[str]] = set(), set()
    kept: dict[Pair, float] = {}
    for (one, other), chance in sorted(claims.items(), key=lambda claim: (-claim[1], claim[0])):
        if one not in taken[0] and other not in taken[1]:
            taken[0].add(one)
            taken[1].add(other)
            kept[one, other] = chance
    trusted = cut(np.array(list(kept.values())), precision)
    return {pair: kept[pair] for pair in (list(kept)[place] for place in trusted.tolist())}


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


def _with_pairs(
    train: AlignedCorpus,
    pairs: Sequence[Pair],
    source: dict[str, Document],
    target: dict[str, Document],
    languages: tuple[str, str],
) -> AlignedCorpus:
    """The known rows and the matched documents."""
    ids = [*train.ids, *(f"{one}={other}" for one, other in pairs)]
    texts = {
        languages[0]: [*train.texts(languages[0]), *(source[one].text for one, _ in pairs)],
        languages[1]: [*train.texts(languages[1]), *(target[other].text for _, other in pairs)],
    }
    return AlignedCorpus(ids, texts, name=train.name)


def _fingerprint(known: AlignedCorpus, source: Sequence[Document], target: Sequence[Document], *settings: Any) -> str:
    digest = hashlib.sha256(known.fingerprint().encode())
    for document in (*source, *target):
        digest.update(f"{document.id}\0{document.text}\0".encode("utf-8", "surrogatepass"))
    digest.update(repr(settings).encode())
    return digest.hexdigest()


class _Rounds:
    """Finished rounds in a folder, or nowhere; a folder with those of another run is an error."""

    def __init__(self, folder: str | Path | None, fingerprint: str) -> None:
        self.folder = None if folder is None else Path(folder)
        if self.folder is not None:
            claim(self.folder, {"grow": fingerprint})

    def get(self, number: int, source: Container[str], target: Container[str]) -> Round | None:
        """A round that was finished before, on these documents."""
        if self.folder is None or not (place := self._place(number)).is_file():
            return None
        found = read_round(place)
        if found.number != number or not all(one in source and other in target for one, other in found.pairs):
            raise damaged_round(place, "a round of something else")
        return found

    def put(self, one: Round) -> None:
        """Keep a round."""
        if self.folder is not None:
            card = asdict(one)
            with atomic_text(self._place(one.number)) as stream:
                stream.write(json.dumps(card | {"sha256": card_digest(card)}, ensure_ascii=False))

    def _place(self, number: int) -> Path:
        assert self.folder is not None
        return self.folder / f"round-{number}.json"


def read_round(place: Path) -> Round:
    """A finished round, if it is as it was written."""
    try:
        with open_regular(place) as stream:
            card = json.loads(stream.read())
        if card.pop("sha256") != card_digest(card):
            raise ValueError("not as it was written")
        return _checked(Round(**{**card, "pairs": [(one, other) for one, other in card["pairs"]]}))
    except (OSError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as problem:
        raise damaged_round(place, str(problem)) from problem


def _checked(one: Round) -> Round:
    counts = (one.number, one.rows, one.gained, one.audit_pairs)
    shares = (one.top1, one.expected_precision or 0.0, one.audit_precision or 0.0)
    if not all(type(count) is int for count in counts) or not all(0 <= share <= 1 for share in shares):
        raise ValueError("numbers that no round has")
    if one.audit_pairs < 0:
        raise ValueError("fewer than no audit pairs")
    if not all(isinstance(id, str) for pair in one.pairs for id in pair):
        raise ValueError("an id that is no text")
    return one


def damaged_round(place: Path, problem: str) -> ArtifactError:
    """The error for a round that cannot be used."""
    return ArtifactError(f"{place}: damaged ({problem})", hint="delete this file, and the round is done again")
