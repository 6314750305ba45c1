"""`babelspace extend` adds a language to a saved model."""

from __future__ import annotations

from babelspace.corpus import planted, write_folder
from babelspace.spaces import Encoder
from tests.cli.conftest import run


def test_fit_then_extend(tmp_path):
    corpus, model, larger = (tmp_path / name for name in ("corpus", "model", "larger"))
    write_folder(planted(400, languages=("en", "es", "de")), corpus)
    run("fit", corpus, "--languages", "en,es", "-o", model, "--dim", 20, "--drop-top", 0, "--holdout", 0)
    result = run("extend", model, corpus, "--languages", "es,de", "-o", larger)
    assert "de added to en, es" in result.stderr
    assert "held-out rows: mates found first" in result.stderr
    assert Encoder.load(larger).languages_ == ("en", "es", "de")
