"""One seed for every random test, and small planted data."""

from __future__ import annotations

import gc
import os
import signal

if "PYTEST_XDIST_WORKER" in os.environ:
    # Read when NumPy is loaded: two workers with two BLAS threads each on two cores mostly wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest
from hypothesis import settings

SEED_VARIABLE = "BABELSPACE_TEST_SEED"

# Compiling a kernel on its first example takes seconds. Without a seed given, the examples are the same every time.
settings.register_profile("babelspace", deadline=None, max_examples=25, derandomize=SEED_VARIABLE not in os.environ)
settings.load_profile("babelspace")


SEEN: set[str] = set()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Tests of one family go to one worker, and first: with an empty cache no kernel is compiled twice.

    Before xdist looks at its marks.
    """
    for item in items:
        family = item.get_closest_marker("family")
        if family is not None:
            item.add_marker(pytest.mark.xdist_group(family.args[0]))
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Families as they are marked, other tests file by file: what a module prepares is prepared once."""
    from xdist.scheduler import LoadGroupScheduling

    class Files(LoadGroupScheduling):
        def _split_scope(self, nodeid):
            group = super()._split_scope(nodeid)
            return group.partition("::")[0]

    return Files(config, log)


def pytest_runtest_setup(item):
    """Measuring memory collects garbage each time: what modules and tests hold by now need not be looked through."""
    module = item.nodeid.partition("::")[0]
    if module not in SEEN:
        SEEN.add(module)
        gc.freeze()


def _seeds() -> list[int]:
    given = os.environ.get(SEED_VARIABLE, "42")
    return list(range(10)) if given == "all" else [int(given)]


@pytest.fixture(scope="session", params=_seeds(), ids="seed{}".format)
def global_random_seed(request):
    """42, or any number (or "all" for 0 to 9) through BABELSPACE_TEST_SEED: no test is tuned to one seed."""
    return request.param


@pytest.fixture(scope="session", autouse=True)
def _one_thread_for_each_worker():
    """Workers with several threads each spend most of their time waiting for one another."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        yield
        return
    from babelspace.runtime import threads

    with threads.limit(1):
        yield


@pytest.fixture(autouse=True)
def _signals_are_left_as_they_were():
    """A handler that stays behind makes another test's forked children deaf to SIGTERM, once in many runs."""
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    yield
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


@pytest.fixture(scope="session", autouse=True)
def _state_of_its_own(tmp_path_factory):
    """What the product remembers of its user is not that of whoever runs the tests."""
    before = os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))
    yield
    if before is None:
        del os.environ["XDG_STATE_HOME"]
    else:
        os.environ["XDG_STATE_HOME"] = before


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_the_disk():
    """Thousands of small models are saved here, and no power cut is tested: bringing each to the disk takes minutes."""
    from babelspace.runtime import files

    before = files.System.flush
    files.System.flush = lambda self, path: None
    yield
    files.System.flush = before


@pytest.fixture
def rng(global_random_seed):
    return np.random.default_rng(global_random_seed)


@pytest.fixture(scope="session")
def planted_corpus(global_random_seed):
    """A small corpus in two languages that share no spelling; its mates are known."""
    from babelspace.corpus import planted

    return planted(rows=240, vocabulary=110, shared=0, seed=global_random_seed)


@pytest.fixture(scope="session")
def planted_views(planted_corpus):
    from babelspace.features import ViewsVectorizer

    return ViewsVectorizer(drop_top=0).fit_transform(planted_corpus)


@pytest.fixture(scope="session")
def separated_views(global_random_seed):
    """Views whose six planted dimensions are far apart in strength, so that every solver must find the same ones."""
    return separated(np.random.default_rng(global_random_seed))


def separated(rng, rows=150, columns=300, languages=("en", "es"), rank=6):
    """D_m = Z diag(strength) B_m + noise; Z is common to the languages, B_m (orthonormal) their own."""
    from babelspace.features import Views

    latent = np.linalg.qr(rng.standard_normal((rows, rank)))[0] * np.sqrt(rows)
    strength = 3.0 * 0.6 ** np.arange(rank)
    loadings = {name: np.linalg.qr(rng.standard_normal((columns, rank)))[0] for name in languages}
    noise = {name: 0.02 * rng.standard_normal((rows, columns)) for name in languages}
    return Views({name: (latent * strength) @ loadings[name].T + noise[name] for name in languages})


@pytest.fixture(scope="session")
def server():
    """A PostgreSQL server with pgvector for the whole session."""
    from tests.store.server import Server

    started = Server().start()
    yield started
    started.remove()
