"""Documents and their alignment, each name where it lives."""

from babelspace.corpus.aligned import AlignedCorpus as AlignedCorpus
from babelspace.corpus.document import Document as Document
from babelspace.corpus.planted import planted as planted, planted_words as planted_words
from babelspace.corpus.readers import (
    FORMATS as FORMATS,
    one_language as one_language,
    read_corpus as read_corpus,
    read_documents as read_documents,
    stream_documents as stream_documents,
)
from babelspace.corpus.sample import sample as sample
from babelspace.corpus.split import Split as Split, position as position
from babelspace.corpus.writers import write_folder as write_folder

__all__: list[str]
