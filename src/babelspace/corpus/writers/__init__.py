"""Writers: a corpus as a folder, pairs as files of translators and of corpus builders."""

from babelspace.corpus.writers.folder import write_folder

__all__ = ["write_folder"]
