"""A dictionary instead of pairs: every document beside its own translation, word by word."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.errors import ParameterError
from babelspace.features import Views
from babelspace.kernels.linalg.sparse import compact
from babelspace.spaces.lexical.dictionaries import DictionarySource, PairDictionary, dictionaries
from babelspace.spaces.lexical.translation import chosen_pivot, table_of_dictionary
from babelspace.spaces.lexical.translation_tables import Pairs, spelled_alike, table_of_lexicon, with_copies


def pseudo_pairs(views: Views, lexicon: DictionarySource, pivot: str | None = None) -> Views:
    """Rows to learn a space from where no two documents are mates: a document and what a dictionary makes of it.

    .. math:: (x, \\; \\|x\\| \\, xT / \\|xT\\|), \\qquad T[e, f] = p(f \\mid e)

    A document of the pivot is translated into every other language, one of another language into the pivot. Words that
    the dictionary does not know and that documents of both languages have are copied. All others are lost in the
    translation, but not for the space: they stand beside the translations of the words around them, on the side of
    their own language, so that what is learned reaches beyond the dictionary. Whether documents of a row are mates is
    ignored.

    Examples
    --------
    >>> from babelspace import AlignedCorpus, Lexicon, ViewsVectorizer
    >>> corpus = AlignedCorpus(["a", "b"], {"en": ["red house", None], "es": [None, "casa grande"]})
    >>> views = ViewsVectorizer(drop_top=0, min_count=1).fit_transform(corpus)
    >>> pairs = pseudo_pairs(views, Lexicon.of([("casa", "house"), ("rojo", "red")]), pivot="en")
    >>> len(pairs), pairs.present["en"].tolist()
    (2, [True, True])
    """
    pivot = chosen_pivot(views, pivot)
    if views.words is None:
        raise ParameterError("a dictionary has words, and these Views do not tell theirs. Use a ViewsVectorizer.")
    entries = dictionaries(lexicon, views.languages, pivot)
    blocks: list[dict[str, Any]] = []
    own = _documents(views, pivot)
    blocks.append({pivot: own})
    for name, entry in entries.items():
        there, back = _tables(entry, views, name, pivot)
        blocks[0][name] = _translated(own, back)
        documents = _documents(views, name)
        blocks.append({name: documents, pivot: _translated(documents, there)})
    return _stacked(blocks, views)


def _tables(entry: PairDictionary, views: Views, language: str, pivot: str) -> tuple[Any, Any]:
    """Translations of a language into the pivot, and back."""
    assert views.words is not None
    there = table_of_dictionary(entry, views, language, pivot)
    back = table_of_lexicon(entry.lexicon, views.words, pivot, language, views.shape[1], not entry.flipped)
    return with_copies(there, _in_both(views, language, pivot)), with_copies(back, _in_both(views, pivot, language))


def _in_both(views: Views, language: str, other: str) -> Pairs:
    """Words spelled alike that documents of both languages have.

    A shared vocabulary knows every word in every language: copies of those that the other never uses would stand in for
    their translations, and the space would learn that nothing else goes with them.
    """
    own, theirs = spelled_alike(views, language, other)
    used = np.isin(own, views[language].indices) & np.isin(theirs, views[other].indices)
    return own[used], theirs[used]


def _documents(views: Views, language: str) -> Any:
    return views[language][views.present[language]]


def _translated(documents: Any, table: Any) -> Any:
    """Translations as long as the documents themselves, whatever was lost."""
    found = compact(documents @ table)
    before, after = _lengths(documents), _lengths(found)
    scale = before / np.where(after > 0, after, 1)
    return compact(sp.diags_array(scale.astype(np.float32)) @ found)


def _lengths(matrix: Any) -> NDArray[np.float64]:
    return np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1), np.float64).ravel())


def _stacked(blocks: list[dict[str, Any]], views: Views) -> Views:
    """All blocks, rows without a word in two languages left out: they pair nothing."""
    matrices, present = {}, {}
    for name in views.languages:
        parts = [block.get(name, sp.csr_array(next(iter(block.values())).shape)) for block in blocks]
        matrices[name] = sp.csr_array(sp.vstack(parts, format="csr"))
        present[name] = np.diff(matrices[name].indptr) > 0
    kept = np.sum(list(present.values()), axis=0) > 1
    return Views(
        {name: matrix[kept] for name, matrix in matrices.items()},
        {name: mask[kept] for name, mask in present.items()},
        views.words,
    )
