"""The spaces: Views in, vectors out."""

from babelspace.spaces.base import LinearSpace, Space
from babelspace.spaces.combine import Combine
from babelspace.spaces.discriminative.cr5 import Cr5
from babelspace.spaces.discriminative.s2net import S2Net
from babelspace.spaces.encoder import Encoder, LanguageEncoder
from babelspace.spaces.explicit.esa import CLESA
from babelspace.spaces.explicit.l_solve import LSolve
from babelspace.spaces.explicit.low_rank_oneta import ExplicitLSI, ONEigen
from babelspace.spaces.explicit.oneta import ONETA
from babelspace.spaces.kernel.kernel_cca import KernelCCA
from babelspace.spaces.lexical.machine_translation import Translated, TranslatedLSA
from babelspace.spaces.lexical.translation import Translation, TranslationLSA
from babelspace.spaces.lexical.untranslated import Untranslated
from babelspace.spaces.linear.cca import CCA
from babelspace.spaces.linear.cl_lsi import CLLSI
from babelspace.spaces.linear.opca import OPCA
from babelspace.spaces.registry import SPACES, make
from babelspace.spaces.topics.lda.collapsed_variational import CollapsedMLDA
from babelspace.spaces.topics.lda.gibbs import MLDA
from babelspace.spaces.topics.lda.variational import VariationalMLDA
from babelspace.spaces.topics.plsa.coupled import CPLSA
from babelspace.spaces.topics.plsa.joint import JPLSA

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
    "Cr5",
    "Encoder",
    "ExplicitLSI",
    "KernelCCA",
    "LSolve",
    "LanguageEncoder",
    "LinearSpace",
    "ONEigen",
    "S2Net",
    "Space",
    "Translated",
    "TranslatedLSA",
    "Translation",
    "TranslationLSA",
    "Untranslated",
    "VariationalMLDA",
    "make",
]
