"""A process forked from one with threads computes the same, and does not hang or die."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import babelspace

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

SEVERAL = """
from concurrent.futures import ThreadPoolExecutor
import joblib
from joblib.externals import loky

with ThreadPoolExecutor(32) as pool:
    check(pool.map(answer, range(64)), "32 threads")

reading, writing = os.pipe()
child = os.fork()
if child == 0:
    os.write(writing, answer(1).encode())
    os._exit(0 if threads.forked() else 9)
assert os.waitpid(child, 0)[1] == 0
check([os.read(reading, 64).decode()], "fork")

with multiprocessing.get_context("fork").Pool(2) as pool:
    check(pool.map_async(answer, range(4)).get(timeout=100), "pool")

with joblib.parallel_backend("threading"):
    check(joblib.Parallel(n_jobs=4)(joblib.delayed(answer)(number) for number in range(8)), "joblib's threads")
# What joblib starts by default: fresh processes, to which the model is sent.
worker = loky.get_reusable_executor(max_workers=1)
vectors = worker.submit(encoder.encode, english, "en").result(timeout=100)
assert np.array_equal(vectors, encoder.encode(english, "en"))
print("same", "joblib's processes")
"""

UNUSED = """
import os
from babelspace.kernels.linalg import sparse_loops
from babelspace.runtime import threads

# A parent without threads yet: the child may have its own.
child = os.fork()
if child == 0:
    os._exit(9 if threads.forked() else 0)
assert os.waitpid(child, 0)[1] == 0
print("same", "unused")
"""


@pytest.mark.parametrize(
    ("script", "ways"),
    [(SETUP + SEVERAL, ["32 threads", "fork", "pool", "joblib's threads", "joblib's processes"]), (UNUSED, ["unused"])],
    ids=["several", "unused"],
)
def test_threads_and_other_processes_answer_as_one(script, ways, tmp_path):
    (tmp_path / "script.py").write_text(script, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, tmp_path / "script.py"], capture_output=True, text=True, timeout=250, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"same {way}" for way in ways]


GUNICORN = (
    SETUP
    + """
expected = answer(0)

def application(environ, start):
    told = [f"{os.getpid()} {answer(1) == expected}".encode()]
    start("200 OK", [("Content-Type", "text/plain")])
    return told
"""
)


def test_a_server_that_loads_a_model_and_then_forks_its_workers(tmp_path):
    (tmp_path / "app.py").write_text(GUNICORN, encoding="utf-8")
    place = f"unix:{tmp_path}/socket"
    command = [sys.executable, "-m", "gunicorn", "--preload", "--workers", "2", "--bind", place, "--log-level", "error"]
    server = subprocess.Popen([*command, "app:application"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        told = [asked(tmp_path / "socket", server).split() for _ in range(6)]
    finally:
        server.terminate()
        problems = server.communicate(timeout=30)[1]
    assert {same for _, same in told} == {"True"}, problems
    assert str(server.pid) not in {worker for worker, _ in told}


def asked(path, server):
    """What a server answers, as soon as it listens."""
    for _ in range(600):
        with socket.socket(socket.AF_UNIX) as line:
            try:
                line.connect(str(path))
            except (FileNotFoundError, ConnectionRefusedError):
                assert server.poll() is None, server.stderr.read()
                time.sleep(0.1)
                continue
            line.sendall(b"GET / HTTP/1.0\r\n\r\n")
            answer = b"".join(iter(lambda: line.recv(4096), b""))
            return answer.decode().rpartition("\r\n")[2]
    raise AssertionError("no answer")


def test_both_versions_of_a_kernel_give_the_same_bits(rng):
    from scipy.sparse import csr_array

    from babelspace.kernels.linalg import sparse_loops
    from babelspace.kernels.parallel import ParallelKernel

    kernels = [thing for thing in vars(sparse_loops).values() if isinstance(thing, ParallelKernel)]
    assert kernels
    rows = csr_array((rng.random((60, 40)) < 0.2) * rng.random((60, 40))).astype(np.float32)
    dense = rng.random((40, 7), np.float32)
    out = [np.zeros((60, 7), np.float32) for _ in range(2)]
    multiply = sparse_loops.multiply
    for version, result in zip((multiply.threaded, multiply.serial), out, strict=True):
        version(rows.indptr, rows.indices, rows.data, dense, result)
    assert np.array_equal(*out)
    assert np.allclose(out[0], rows @ dense)


def test_every_parallel_loop_has_a_version_for_forked_processes():
    """GNU OpenMP ends a forked child at a loop that was compiled for threads alone."""
    kernels = Path(babelspace.__file__).parent / "kernels"
    made = [path.name for path in kernels.rglob("*.py") if "parallel=True" in path.read_text(encoding="utf-8")]
    assert made == ["parallel.py"]
