"""The spaces: Views in, vectors out."""

from babelspace.spaces.base import LinearSpace, Space
from babelspace.spaces.cca import CCA
from babelspace.spaces.combine import Combine
from babelspace.spaces.coupled_plsa import CPLSA
from babelspace.spaces.encoder import Encoder, LanguageEncoder
from babelspace.spaces.esa import CLESA
from babelspace.spaces.kernel_cca import KernelCCA
from babelspace.spaces.l_solve import LSolve
from babelspace.spaces.lda import MLDA
from babelspace.spaces.lda_collapsed import CollapsedMLDA
from babelspace.spaces.lda_variational import VariationalMLDA
from babelspace.spaces.lsi import CLLSI
from babelspace.spaces.oneta import ONETA
from babelspace.spaces.oneta_spectral import ExplicitLSI, ONEigen
from babelspace.spaces.opca import OPCA
from babelspace.spaces.plsa import JPLSA
from babelspace.spaces.registry import SPACES, make
from babelspace.spaces.translated import Translated, TranslatedLSA
from babelspace.spaces.translation import Translation, TranslationLSA
from babelspace.spaces.untranslated import Untranslated

__all__ = [
    "CCA",
    "CLESA",
    "CLLSI",
    "CPLSA",
    "JPLSA",
    "MLDA",
    "ONETA",
    "OPCA",
    "SPACES",
    "CollapsedMLDA",
    "Combine",
    "Encoder",
    "ExplicitLSI",
    "KernelCCA",
    "LSolve",
    "LanguageEncoder",
    "LinearSpace",
    "ONEigen",
    "Space",
    "Translated",
    "TranslatedLSA",
    "Translation",
    "TranslationLSA",
    "Untranslated",
    "VariationalMLDA",
    "make",
]
