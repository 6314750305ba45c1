"""The spaces: Views in, vectors out."""

from babelspace.spaces.base import LinearSpace, Space
from babelspace.spaces.cca import CCA
from babelspace.spaces.encoder import Encoder, LanguageEncoder
from babelspace.spaces.lsi import CLLSI
from babelspace.spaces.opca import OPCA
from babelspace.spaces.registry import SPACES, make
from babelspace.spaces.untranslated import Untranslated

__all__ = [
    "CCA",
    "CLLSI",
    "OPCA",
    "SPACES",
    "Encoder",
    "LanguageEncoder",
    "LinearSpace",
    "Space",
    "Untranslated",
    "make",
]
