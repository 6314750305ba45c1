"""Word alignment: sentence pairs in, word links out."""

from babelspace.alignment.bitext import Bitext
from babelspace.alignment.fertility import Fertility
from babelspace.alignment.hmm import HMM
from babelspace.alignment.ibm import IBM1, IBM2
from babelspace.alignment.model import Aligner, NBest, load_aligner
from babelspace.alignment.posteriors import LinkPosteriors
from babelspace.alignment.registry import ALIGNERS, make_aligner

__all__ = [
    "ALIGNERS",
    "HMM",
    "IBM1",
    "IBM2",
    "Aligner",
    "Bitext",
    "Fertility",
    "LinkPosteriors",
    "NBest",
    "load_aligner",
    "make_aligner",
]
