"""`babelspace fit-unpaired`."""

from __future__ import annotations

import json

from babelspace import planted
from babelspace.corpus.planted import planted_words
from tests.cli.conftest import run


def write_pile(folder, **documents):
    folder.mkdir()
    for name, found in documents.items():
        lines = [json.dumps({"id": one.id, "text": one.text}) + "\n" for one in found]
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


def test_piles_and_a_dictionary_become_a_model(tmp_path):
    corpus = planted(rows=330, vocabulary=110)
    english, spanish = corpus.documents("en"), corpus.documents("es")
    piles = write_pile(tmp_path / "piles", en=english[:150], es=spanish[150:300])
    pairs = write_pile(tmp_path / "pairs", en=english[300:], es=spanish[300:])
    words, model = tmp_path / "words.txt", tmp_path / "model"
    entries = zip(*(planted_words(name, 110) for name in ("es", "en")), strict=True)
    words.write_text("".join(f"{one} {two}\n" for one, two in entries), encoding="utf-8")
    given = ["--lexicon", f"es-en={words}", "--pairs", pairs, "--dim", 20, "--drop-top", 0]
    told = json.loads(run("fit-unpaired", piles, *given, "-o", model, "--json").stdout)
    assert told["documents"] == {"en": 150, "es": 150}
    assert told["scores"]["mean"]["top1"] > 0.5
    assert (model / "card.json").is_file()
