"""An encoder in the shape that other libraries expect."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from babelspace.corpus.document import several_texts
from babelspace.errors import ParameterError, UnknownLanguage
from babelspace.spaces.registry import name_of
from babelspace.text.language_identification import likely
from babelspace.vectors.similarity import as_dense, prepare, score_blocks

if TYPE_CHECKING:
    from babelspace.spaces import Encoder

TEXT_FIELDS = ("text", "query", "title")
# Texts that are read to tell their language, and by how much (in mean log share of a trigram) it must be the likelier.
READ, CLEAR = 200, 0.1
# MTEB's words for similarities; it calls all others custom.
SIMILARITIES = {"cosine": "cosine", "euclidean": "euclidean", "l1": "manhattan"}


class SentenceEncoder:
    """`encode` and `similarity` as MTEB has them, for one language or for tasks that tell the language.

    Parameters
    ----------
    encoder : Encoder
    language : str or None
        Language of all texts. None takes it from `hf_subset` ("en-es": queries in the first, documents in the second)
        or from the task's metadata. Tasks that mine bitexts name two languages and do not tell which side a text is of:
        it is the one that the texts look like, and an error where that is no clear matter.

    Examples
    --------
    >>> from babelspace import OPCA, Encoder, SentenceEncoder, ViewsVectorizer, planted
    >>> corpus = planted(rows=200)
    >>> encoder = Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=20)).fit(corpus)
    >>> english, spanish = SentenceEncoder(encoder, "en"), SentenceEncoder(encoder, "es")
    >>> scores = english.similarity(english.encode(corpus.texts("en")[:3]), spanish.encode(corpus.texts("es")[:3]))
    >>> scores.argmax(axis=1).tolist()
    [0, 1, 2]
    """

    def __init__(self, encoder: Encoder, language: str | None = None) -> None:
        if language is not None and language not in encoder.languages_:
            raise UnknownLanguage(language, encoder.languages_)
        self.encoder, self.language = encoder, language

    def encode(
        self,
        inputs: Iterable[Any],
        *,
        task_metadata: Any = None,
        hf_split: str | None = None,
        hf_subset: str | None = None,
        prompt_type: Any = None,
        normalize_embeddings: bool = False,
        **_: Any,
    ) -> NDArray[np.float32]:
        """One vector for each text; `inputs` are strings, or batches {"text": [strings]} as data loaders give them.

        With `normalize_embeddings` vectors have length 1, as sentence-transformers has it.
        """
        texts = list(_texts(inputs))
        language = self.language or self._task_language(task_metadata, hf_subset, prompt_type, texts)
        vectors = np.asarray(as_dense(self.encoder.encode(texts, language)), np.float32)
        return np.asarray(prepare(vectors, "cosine").rows) if normalize_embeddings else vectors

    def similarity(self, embeddings1: Any, embeddings2: Any) -> NDArray[np.float32]:
        """All scores between two lists of vectors, by the similarity of the space.

        A vector of zeros, a text without a known word, scores 0 by cosine and the least there is by a distance.
        """
        left, right = (
            prepare(np.atleast_2d(np.asarray(side)), self.encoder.space.similarity)
            for side in (embeddings1, embeddings2)
        )
        blocks = [scores for _, scores in score_blocks(left, right)]
        scores = np.concatenate(blocks) if blocks else np.zeros((0, len(right)), np.float32)
        least = 0.0 if self.encoder.space.similarity == "cosine" else -float(np.finfo(np.float32).max)
        return np.where(np.isfinite(scores), scores, np.float32(least))

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> NDArray[np.float32]:
        """The score of each vector with the one in its place in the other list."""
        left, right = np.atleast_2d(np.asarray(embeddings1)), np.atleast_2d(np.asarray(embeddings2))
        if len(left) != len(right):
            raise ParameterError(f"{len(left):,} vectors against {len(right):,}. Pairs need as many on both sides.")
        pairs = [self.similarity(left[row : row + 1], right[row : row + 1])[0, 0] for row in range(len(left))]
        return np.array(pairs, np.float32)

    @property
    def mteb_model_meta(self) -> Any:
        """MTEB's description of a model, filled from the model's card; None where MTEB is not there to ask."""
        described = sys.modules.get("mteb.models.model_meta")
        if described is None:
            return None
        encoder, card = self.encoder, self.encoder.card_
        sizes = [array.size for array in encoder.space.get_state().values()]
        space = name_of(encoder.space)
        return described.ModelMeta(
            loader=None,
            name=f"babelspace/{space}-{re.sub(r'[^A-Za-z0-9.]+', '-', card['corpus']['name'])}",
            revision=card["corpus"]["fingerprint"][:12],
            release_date=card["created"][:10],
            languages=[_with_script(code) for code in encoder.languages_],
            n_parameters=sum(sizes),
            memory_usage_mb=round(sum(sizes) * 4 / 2**20, 1),
            max_tokens=None,
            embed_dim=int(encoder.encode([""], encoder.languages_[0]).shape[1]),
            license=None,
            open_weights=None,
            public_training_code=None,
            public_training_data=None,
            framework=["NumPy"],
            similarity_fn_name=SIMILARITIES.get(encoder.space.similarity, "custom"),
            use_instructions=False,
            training_datasets=None,
        )

    def _task_language(self, task: Any, subset: str | None, prompt_type: Any, texts: Sequence[str]) -> str:
        """The language that a task says its texts have."""
        codes = [code for code in (subset or "").replace("_", "-").split("-") if self._canonical_language(code)]
        if not codes:
            codes = [code for code in getattr(task, "languages", ()) or () if self._canonical_language(code)]
        if not codes:
            raise ParameterError(
                f"nothing tells the language of these texts (hf_subset is {subset!r}). "
                f"Write SentenceEncoder(encoder, language) with one of {', '.join(self.encoder.languages_)}."
            )
        names = list(dict.fromkeys(map(self._canonical_language, codes)))
        kind = str(getattr(prompt_type, "value", prompt_type) or "")
        if kind in ("document", "passage"):
            return names[-1]
        return names[0] if kind or len(names) == 1 else self._side(texts, names)

    def _side(self, texts: Sequence[str], names: Sequence[str]) -> str:
        """The language of two or more that texts look like, by the trigrams of the rows that a fit held out."""
        known = self.encoder.card_.get("profile", {})
        profiles = {name: known[name]["trigrams"] for name in names if name in known}
        alike = likely(texts[:READ], profiles) if texts else {}
        best = list(alike.items())[:2]
        if len(alike) < len(names) or best[0][1] - best[1][1] < CLEAR:
            reason = "look alike in these texts" if len(alike) == len(names) else "were learned without held-out rows"
            raise ParameterError(
                f"the task names {' and '.join(names)} without telling which these texts are, and the two {reason}",
                hint="give each side an adapter of its own: {SentenceEncoder(encoder, language)}",
            )
        return best[0][0]

    def _canonical_language(self, code: str) -> str:
        """The encoder's name of a language, or nothing."""
        from babelspace.text.language_codes import canonical

        try:
            plain = canonical(code)
        except ParameterError:
            return ""
        return next((name for name in self.encoder.languages_ if canonical(name) == plain), "")


def _with_script(code: str) -> str:
    """As MTEB names languages: eng-Latn."""
    import langcodes

    known = langcodes.Language.get(code).maximize()
    return f"{known.to_alpha3()}-{known.script or 'Zyyy'}"


def _texts(inputs: Iterable[Any]) -> Iterable[str]:
    """The strings of a list, or of batches of them."""
    for item in several_texts(inputs):
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            found: Any = next((item[field] for field in TEXT_FIELDS if field in item), None)
            if found is None:
                raise ParameterError(
                    f"a batch has no texts; it has {', '.join(item)}. Give strings or {{'text': […]}}."
                )
            yield from [found] if isinstance(found, str) else found
        elif isinstance(item, Sequence):
            yield from item
        else:
            raise ParameterError(f"a text is {type(item).__name__} {item!r}. Give strings or {{'text': […]}}.")
