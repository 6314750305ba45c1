"""A search as a command: what it loads is most of its time."""

from __future__ import annotations

import subprocess
import sys

from babelspace import Encoder, Index, ViewsVectorizer, planted
from babelspace.spaces import CLLSI

SEARCH = """
import sys
from babelspace.cli.main import main
sys.argv = ["babelspace", "search", sys.argv[1], sys.argv[2], "--language", "en", "--top", "3"]
try:
    main()
finally:
    unused = {"numba", "sklearn", "pandas", "matplotlib", "jinja2", "scipy.stats", "scipy.linalg"}
    heavy = {*unused, "babelspace.corpus.readers"} & set(sys.modules)
    print("loaded", *sorted(heavy), file=sys.stderr)
"""


def test_a_search_loads_neither_compiler_nor_scikit_learn(tmp_path):
    corpus = planted(rows=60)
    Encoder(ViewsVectorizer(drop_top=0), CLLSI(n_components=5)).fit(corpus).save(tmp_path / "model")
    with Index.create(tmp_path / "index", tmp_path / "model") as index:
        index.add(corpus.documents("es"))
        index.finish()
    command = [sys.executable, "-c", SEARCH, str(tmp_path / "index"), corpus.texts("en")[3]]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == "loaded"
