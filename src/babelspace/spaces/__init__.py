"""The spaces: Views in, vectors out. Each is imported when it is first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from babelspace.spaces.topics.spherical import CSAM

# Where each name is.
PLACES = {
    "CCA": "babelspace.spaces.linear.cca",
    "CLESA": "babelspace.spaces.explicit.esa",
    "CLLSI": "babelspace.spaces.linear.cl_lsi",
    "CPLSA": "babelspace.spaces.topics.plsa.coupled",
    "CSAM": "babelspace.spaces.topics.spherical",
    "JPLSA": "babelspace.spaces.topics.plsa.joint",
    "MLDA": "babelspace.spaces.topics.lda.gibbs",
    "ONETA": "babelspace.spaces.explicit.oneta",
    "OPCA": "babelspace.spaces.linear.opca",
    "SPACES": "babelspace.spaces.registry",
    "CollapsedMLDA": "babelspace.spaces.topics.lda.collapsed_variational",
    "Combine": "babelspace.spaces.combine",
    "Cr5": "babelspace.spaces.discriminative.cr5",
    "Encoder": "babelspace.spaces.encoder",
    "ExplicitLSI": "babelspace.spaces.explicit.low_rank_oneta",
    "KernelCCA": "babelspace.spaces.kernel.kernel_cca",
    "LSolve": "babelspace.spaces.explicit.l_solve",
    "LanguageEncoder": "babelspace.spaces.encoder",
    "LinearSpace": "babelspace.spaces.base",
    "ONEigen": "babelspace.spaces.explicit.low_rank_oneta",
    "S2Net": "babelspace.spaces.discriminative.s2net",
    "Space": "babelspace.spaces.base",
    "Translated": "babelspace.spaces.lexical.machine_translation",
    "TranslatedLSA": "babelspace.spaces.lexical.machine_translation",
    "Translation": "babelspace.spaces.lexical.translation",
    "TranslationLSA": "babelspace.spaces.lexical.translation",
    "Untranslated": "babelspace.spaces.lexical.untranslated",
    "VariationalMLDA": "babelspace.spaces.topics.lda.variational",
    "make": "babelspace.spaces.registry",
}

__all__ = [
    "CCA",
    "CLESA",
    "CLLSI",
    "CPLSA",
    "CSAM",
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


def __getattr__(name: str) -> Any:
    if name not in PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(PLACES[name]), name)
