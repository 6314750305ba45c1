"""Models, aligners and classifiers that were damaged, or edited by somebody who knows how, never crash nor lie."""

from __future__ import annotations

import hashlib
import random
import shutil

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from babelspace import AlignedCorpus, Encoder, ViewsVectorizer, planted
from babelspace.alignment import HMM, Bitext
from babelspace.alignment.model import load_aligner
from babelspace.classification import CrossLanguageClassifier
from babelspace.errors import BabelspaceError
from babelspace.runtime import artifact
from babelspace.spaces.registry import make, needs_counts
from tests.cards import reseal, rewrite

pytestmark = pytest.mark.family("alignment")

SPACES = {
    "opca": {"n_components": 8},
    "cca": {"n_components": 8},
    "cl-lsi": {"n_components": 8},
    "translation": {},
    "oneta": {},
    "esa": {},
    "explicit-lsi": {"n_components": 20},
    "l-solve": {"n_first": 20},
    "jplsa": {"n_components": 5, "max_iter": 3},
    "mlda": {"n_components": 5, "sweeps": 5},
    "cl-lsi+opca": {"cl-lsi.n_components": 5, "opca.n_components": 5},
}


def bitext():
    pairs = [("a b c", "x y z"), ("a c", "x z"), ("b", "y"), ("c b a", "z y x")]
    return Bitext.of([one.split() for one, _ in pairs], [other.split() for _, other in pairs])


@pytest.fixture(scope="module")
def corpus():
    return planted(rows=60, vocabulary=50, words=20)


@pytest.fixture(scope="module")
def artifacts(corpus, tmp_path_factory):
    """Every kind of artifact in a folder, and how to read and use it."""
    top = tmp_path_factory.mktemp("artifacts")
    kinds = {}
    for name, parameters in SPACES.items():
        counts = {"weighting": "tf", "normalize": False} if needs_counts(name) else {}
        encoder = Encoder(ViewsVectorizer(drop_top=0, min_count=1, **counts), make(name, **parameters)).fit(corpus)
        encoder.save(top / name)
        kinds[name] = (top / name, lambda folder: Encoder.load(folder).encode(corpus.texts("en")[:3], "en"))
        if name == "opca":
            labels = [{"label": str(number % 2)} for number in range(len(corpus))]
            labelled = _labelled(corpus, labels)
            CrossLanguageClassifier(encoder, "nearest", "en").fit(labelled).save(top / "classifier")
            kinds["classifier"] = (
                top / "classifier",
                lambda folder: CrossLanguageClassifier.load(folder).predict(corpus.texts("es")[:3], "es"),
            )
    HMM().fit(bitext()).save(top / "aligner")
    kinds["aligner"] = (top / "aligner", lambda folder: load_aligner(folder).viterbi(bitext()))
    return kinds


def _labelled(corpus, labels):
    texts = {language: corpus.texts(language) for language in corpus.languages}
    return AlignedCorpus(corpus.ids, texts, metadata=dict(zip(corpus.ids, labels, strict=True)))


def files_of(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def damage(folder, chance):
    """One of the ways in which disks, copies and programs damage files."""
    path = chance.choice(files_of(folder))
    content = bytearray(path.read_bytes())
    place = chance.randrange(len(content)) if content else 0
    way = chance.randrange(6)
    if way == 0 and content:
        content[place] ^= 1 << chance.randrange(8)
    elif way == 1:
        del content[place:]
    elif way == 2:
        content[place:place] = chance.randbytes(chance.randrange(1, 9))
    elif way == 3 and content:
        content[place : place + 64] = bytes(len(content[place : place + 64]))
    elif way == 4:
        path.unlink()
        return
    else:
        content = bytearray(chance.randbytes(len(content)))
    path.write_bytes(content)


KINDS = [*SPACES, "classifier", "aligner"]


@pytest.mark.parametrize("kind", KINDS)
def test_all_random_damage_is_told(artifacts, kind, tmp_path, global_random_seed):
    chance = random.Random(f"{kind} {global_random_seed}")
    folder, use = artifacts[kind]
    before = [path.read_bytes() for path in files_of(folder)]
    for number in range(12):
        broken = tmp_path / str(number)
        shutil.copytree(folder, broken)
        damage(broken, chance)
        if [path.read_bytes() for path in files_of(broken)] == before:
            continue
        with pytest.raises(BabelspaceError) as told:
            use(broken)
        assert str(broken) in str(told.value)
    use(folder)


def edited(folder, change):
    """Change arrays and put the right checksums over them, as somebody would who wants them to be read."""
    arrays = change(load_file(folder / artifact.ARRAYS))
    save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, folder / artifact.ARRAYS)
    reseal(folder)


def hostile(array, chance):
    """An array of the same name that could make a loop read where it must not."""
    way = chance.randrange(5)
    if way == 0 and array.size and array.dtype.kind in "iu":
        changed = array.copy()
        changed.flat[chance.randrange(array.size)] = chance.choice([-1, 10**6, -(2**31)])
        return changed
    if way == 1 and array.ndim:
        return array[:-1] if len(array) else np.ones((3, *array.shape[1:]), array.dtype)
    if way == 2 and array.dtype.kind == "f" and array.size:
        changed = array.copy()
        changed.flat[chance.randrange(array.size)] = np.nan
        return changed
    if way == 3:
        return array.astype(np.float64 if array.dtype.kind in "iu" else np.int64)
    return np.concatenate([array, array]) if array.ndim else array.reshape(1)


@pytest.mark.parametrize("kind", KINDS)
def test_edited_arrays_with_the_right_checksums_are_told_or_do_no_harm(artifacts, kind, tmp_path, global_random_seed):
    chance = random.Random(f"{kind} {global_random_seed} hostile")
    folder, use = artifacts[kind]
    inside = "classifier" if kind == "classifier" else "."
    told = 0
    for number in range(12):
        broken = tmp_path / str(number)
        shutil.copytree(folder, broken)
        arrays = load_file(broken / inside / artifact.ARRAYS)
        name = chance.choice(sorted(arrays))
        edited(broken / inside, lambda found, name=name: {**found, name: hostile(found[name], chance)})
        try:
            use(broken)
        except BabelspaceError as problem:
            assert str(broken) in str(problem)
            told += 1
    assert told >= 4


@pytest.mark.parametrize("name", ["../card.json", "/etc/hostname", "..", ".", "", "a/b", "x\0y"])
def test_a_card_names_only_files_of_its_own_folder(artifacts, tmp_path, name):
    folder = tmp_path / "model"
    shutil.copytree(artifacts["opca"][0], folder)
    rewrite(folder / artifact.CARD, lambda card: None, files={name: hashlib.sha256(b"").hexdigest()})
    with pytest.raises(BabelspaceError, match="no file of this folder"):
        Encoder.load(folder)


def test_no_link_is_followed(artifacts, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(artifacts["opca"][0], folder)
    (folder / artifact.ARRAYS).rename(tmp_path / "elsewhere")
    (folder / artifact.ARRAYS).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BabelspaceError, match="damaged"):
        Encoder.load(folder)


def test_a_model_that_is_replaced_all_the_time_can_always_be_loaded(artifacts, tmp_path):
    import threading

    first, second = Encoder.load(artifacts["opca"][0]), Encoder.load(artifacts["cca"][0])
    first.save(tmp_path / "model")
    stop = threading.Event()

    def replace():
        while not stop.is_set():
            second.save(tmp_path / "model")
            first.save(tmp_path / "model")

    writer = threading.Thread(target=replace)
    writer.start()
    try:
        names = {type(Encoder.load(tmp_path / "model").space).__name__ for _ in range(60)}
    finally:
        stop.set()
        writer.join()
    assert names <= {"OPCA", "CCA"}
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
