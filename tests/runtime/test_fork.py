"""A process forked from one with threads computes the same, and does not hang or die."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")

SETUP = """
import hashlib, multiprocessing, os, sys
import numpy as np
from babelspace import Encoder, OPCA, ViewsVectorizer, planted
from babelspace.runtime import threads
from babelspace.vectors.neighbours import neighbours

corpus = planted(rows=150, vocabulary=80)
encoder = Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=10)).fit(corpus)
english, spanish = (corpus.texts(language) for language in ("en", "es"))

def answer(number):
    left, right = encoder.encode(english, "en"), encoder.encode(spanish, "es")
    ranked = neighbours(left, right, k=3)
    return hashlib.sha256(left.tobytes() + ranked.indices.tobytes()).hexdigest()

def check(answers, where):
    assert set(answers) == {answer(0)}, where
    print("same", where)
"""

WAYS = {
    "fork": """
        answer(0)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writing, answer(1).encode())
            os._exit(0 if threads.forked() else 9)
        assert os.waitpid(child, 0)[1] == 0
        check([os.read(reading, 64).decode()], "fork")
    """,
    "pool": """
        answer(0)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            check(pool.map_async(answer, range(4)).get(timeout=100), "pool")
    """,
    "unused": """
        # A parent without threads yet: the child may have its own.
        child = os.fork()
        if child == 0:
            os._exit(9 if threads.forked() else 0)
        assert os.waitpid(child, 0)[1] == 0
        print("same unused")
    """,
}


@pytest.mark.parametrize("way", WAYS)
def test_a_forked_process_answers_as_its_parent(way, tmp_path):
    setup = (
        SETUP
        if way != "unused"
        else "import os\nfrom babelspace.kernels.linalg import sparse\n" + ("from babelspace.runtime import threads\n")
    )
    script = tmp_path / "script.py"
    script.write_text(setup + textwrap.dedent(WAYS[way]), encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("same")


def test_both_versions_of_a_kernel_give_the_same_bits(rng):
    from scipy.sparse import csr_array

    from babelspace.kernels.linalg import sparse
    from babelspace.kernels.parallel import ParallelKernel

    kernels = [thing for thing in vars(sparse).values() if isinstance(thing, ParallelKernel)]
    assert kernels
    rows = csr_array((rng.random((60, 40)) < 0.2) * rng.random((60, 40))).astype(np.float32)
    dense = rng.random((40, 7), np.float32)
    out = [np.zeros((60, 7), np.float32) for _ in range(2)]
    multiply = sparse._multiply
    for version, result in zip((multiply.threaded, multiply.serial), out, strict=True):
        version(rows.indptr, rows.indices, rows.data, dense, result)
    assert np.array_equal(*out)
    assert np.allclose(out[0], rows @ dense)
