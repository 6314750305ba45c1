"""The spaces, each where it lives."""

from babelspace.spaces.base import LinearSpace as LinearSpace, Space as Space
from babelspace.spaces.combine import Combine as Combine
from babelspace.spaces.discriminative.cr5 import Cr5 as Cr5
from babelspace.spaces.discriminative.s2net import S2Net as S2Net
from babelspace.spaces.encoder import Encoder as Encoder, LanguageEncoder as LanguageEncoder
from babelspace.spaces.explicit.esa import CLESA as CLESA
from babelspace.spaces.explicit.l_solve import LSolve as LSolve
from babelspace.spaces.explicit.low_rank_oneta import ExplicitLSI as ExplicitLSI, ONEigen as ONEigen
from babelspace.spaces.explicit.oneta import ONETA as ONETA
from babelspace.spaces.kernel.kernel_cca import KernelCCA as KernelCCA
from babelspace.spaces.lexical.machine_translation import Translated as Translated, TranslatedLSA as TranslatedLSA
from babelspace.spaces.lexical.translation import Translation as Translation, TranslationLSA as TranslationLSA
from babelspace.spaces.lexical.untranslated import Untranslated as Untranslated
from babelspace.spaces.linear.cca import CCA as CCA
from babelspace.spaces.linear.cl_lsi import CLLSI as CLLSI
from babelspace.spaces.linear.opca import OPCA as OPCA
from babelspace.spaces.registry import SPACES as SPACES, make as make
from babelspace.spaces.topics.lda.collapsed_variational import CollapsedMLDA as CollapsedMLDA
from babelspace.spaces.topics.lda.gibbs import MLDA as MLDA
from babelspace.spaces.topics.lda.variational import VariationalMLDA as VariationalMLDA
from babelspace.spaces.topics.plsa.coupled import CPLSA as CPLSA
from babelspace.spaces.topics.plsa.joint import JPLSA as JPLSA
from babelspace.spaces.topics.spherical import CSAM as CSAM

__all__: list[str]
