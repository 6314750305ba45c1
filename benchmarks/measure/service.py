"""What does the service cost? Searches over HTTP beside the same calls in process, under load, while documents come in.

An index of invented documents is made (`--rows` × `--dimensions`) and served by `babelspace serve`. Five questions:
how soon after the start are the first page and the first answer there (clock, and processor time of the service);
the median of a search over HTTP against the same search in this process, in turns; percentiles and errors at a
steady rate (requests start when it is their time, whether earlier ones have ended or not) while documents are
added; the memory of the server over many requests; and how soon a review of `--pairs` reacts to a key in a real
browser. `--parts` asks some of them, on the index of an earlier run (`--keep`); the others' results stay.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import psutil

from babelspace import Document, Index, ViewsVectorizer, build_index, fit_model, planted
from benchmarks.common import OUT, commit, write
from benchmarks.measure.review_keys import make_review, reactions

LANGUAGES = ("en", "es")
WORDS = 40
TURNS, IN_A_TURN, STARTS = 10, 30, 5
PARTS = ("start", "process", "steady", "memory", "keys")
REVIEW, PRESSES = "many.review", 200
# Requests that may be under way at once: a client of its own that bounds itself.
MOST_OPEN = 64
# Seconds after which a client no longer uses a connection: the server closes those that were idle for 65.
STAYS_OPEN = 30


class HttpClient:
    """Connections that stay open, with as little work for each request as can be: it shares the server's cores."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._free: list[tuple[float, asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def get(self, path: str) -> int:
        """The status of a page, on a connection of its own."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        answer = await reader.read()
        writer.close()
        return int(answer.split(b" ", 2)[1])

    async def post(self, path: str, body: dict[str, Any]) -> int:
        """The status of the answer, which is read whole."""
        reader, writer = await self._connection()
        content = json.dumps(body).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", answer.lower())
        assert length is not None
        await reader.readexactly(int(length[1]))
        self._free.append((time.monotonic(), reader, writer))
        return int(answer.split(b" ", 2)[1])

    async def _connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """The one used last; those that the server is about to close, after a burst that needed many, are closed."""
        while self._free and time.monotonic() - self._free[0][0] > STAYS_OPEN:
            self._free.pop(0)[2].close()
        return self._free.pop()[1:] if self._free else await asyncio.open_connection("127.0.0.1", self.port)

    def close(self) -> None:
        """Close all connections."""
        for _, _, writer in self._free:
            writer.close()


def documents(rows: int, texts: dict[str, list[str]], prefix: str, seed: int) -> Iterator[Document]:
    """Mixtures of two planted texts each, so that no two documents are the same."""
    chosen = random.Random(seed)
    for row in range(rows):
        language = LANGUAGES[row % 2]
        words = [word for text in chosen.sample(texts[language], 2) for word in text.split()]
        yield Document(f"{prefix}{row}", language, " ".join(chosen.sample(words, WORDS)), {"year": 1950 + row % 70})


def make(folder: Path, rows: int, dimensions: int) -> dict[str, list[str]]:
    """A model and an index of so many documents, unless they are there; gives the planted texts."""
    corpus = planted(rows=2 * dimensions + 600, topics=40, vocabulary=4_000, words=WORDS, seed=1)
    if (folder / "index").exists():
        return {language: [text or "" for text in corpus.texts(language)] for language in LANGUAGES}
    encoder = fit_model(corpus, vectorizer=ViewsVectorizer(drop_top=0), n_components=dimensions, holdout=0)
    encoder.save(folder / "model")
    texts = {language: [text or "" for text in corpus.texts(language)] for language in LANGUAGES}
    build_index(folder / "index", folder / "model", documents(rows, texts, "d", 2)).close()
    return texts


class Server:
    """`babelspace serve` in a process of its own."""

    def __init__(self, folder: Path, state: Path) -> None:
        command = [sys.executable, "-m", "babelspace", "serve", str(folder), "--port", "0", "--rate", "0"]
        with (state / "service.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "--state", str(state)], stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self.process.stdout is not None
        told = self.process.stdout.readline()
        found = re.search(r"http://127.0.0.1:(\d+)", told)
        assert found is not None, told
        self.port = int(found[1])
        self.memory = psutil.Process(self.process.pid)

    def processor(self) -> float:
        """Seconds of processor time so far."""
        used = self.memory.cpu_times()
        return float(used.user + used.system)

    def kill(self, number: int = signal.SIGTERM) -> None:
        """End it."""
        os.kill(self.process.pid, number)
        self.process.wait()


def queries(texts: dict[str, list[str]], count: int, seed: int) -> list[dict[str, Any]]:
    """Five words of a document, to be looked for in all languages."""
    chosen = random.Random(seed)
    found = (chosen.sample(chosen.choice(texts["en"]).split(), 5) for _ in range(count))
    return [{"query": " ".join(words), "language": "en", "limit": 10} for words in found]


async def beside_process(client: HttpClient, index: Index, asked: list[dict[str, Any]]) -> dict[str, Any]:
    """Medians over HTTP and in process, one after the other, in turns."""
    seconds: dict[str, list[float]] = {"http": [], "process": []}
    for turn in range(TURNS):
        part = asked[turn * IN_A_TURN : (turn + 1) * IN_A_TURN]
        for one in part:
            began = time.perf_counter()
            index.search(one["query"], one["language"], None, one["limit"] + 1).records()
            seconds["process"].append(time.perf_counter() - began)
        for one in part:
            began = time.perf_counter()
            assert await client.post("/api/v1/search", one) == 200
            seconds["http"].append(time.perf_counter() - began)
    medians = {name: 1000 * float(np.median(values)) for name, values in seconds.items()}
    return {"p50_ms": medians, "ratio": medians["http"] / medians["process"]}


async def steady(
    client: HttpClient, asked: list[dict[str, Any]], rate: float, seconds: float, add: Callable[[], Awaitable[int]]
) -> dict[str, Any]:
    """Searches at a steady rate while something is added each second."""
    took: list[float] = []
    wrong: list[str] = []
    gate = asyncio.Semaphore(MOST_OPEN)

    async def search(one: dict[str, Any], due: float) -> None:
        async with gate:
            try:
                status = await client.post("/api/v1/search", one)
                if status != 200:
                    wrong.append(str(status))
            except (OSError, asyncio.IncompleteReadError) as problem:
                wrong.append(type(problem).__name__)
        # From when it was due: a client that waits for a free place would hide how slow the server is.
        took.append(time.perf_counter() - due)

    async def adding() -> list[int]:
        told = []
        while time.perf_counter() < began + seconds:
            told.append(await add())
            await asyncio.sleep(1)
        return told

    began = time.perf_counter()
    writer = asyncio.create_task(adding())
    under_way = []
    for number in range(int(rate * seconds)):
        due = began + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        under_way.append(asyncio.create_task(search(asked[number % len(asked)], due)))
    await asyncio.gather(*under_way)
    statuses = await writer
    percentiles = {f"p{p}_ms": 1000 * float(np.percentile(took, p)) for p in (50, 90, 99)}
    wrong += [f"adding {status}" for status in statuses if status != 200]
    return {"requests": len(took), "rate": rate, "seconds": seconds, **percentiles, "errors": len(wrong)} | {
        "kinds_of_errors": sorted(set(wrong)), "blocks_added": len(statuses)
    }  # fmt: skip


async def memory(client: HttpClient, server: Server, asked: list[dict[str, Any]], requests: int) -> dict[str, Any]:
    """Resident memory each tenth of the way, four requests at a time."""
    seen, before = [], server.processor()
    for part in range(10):
        numbers = iter(range(requests // 10))

        async def some(numbers: Iterator[int] = numbers, part: int = part) -> None:
            for number in numbers:
                assert await client.post("/api/v1/search", asked[(number + part) % len(asked)]) == 200

        await asyncio.gather(*(some() for _ in range(4)))
        seen.append(server.memory.memory_info().rss / 1e6)
        print(f"  {(part + 1) * requests // 10:,} requests: {seen[-1]:.1f} MB", flush=True)
    # The first tenth fills caches.
    used = {"processor_ms_of_a_request": 1000 * (server.processor() - before) / requests}
    return {"requests": requests, "megabytes": seen, "change": seen[-1] / seen[0] - 1, **used}


async def start(folder: Path, state: Path, asked: dict[str, Any]) -> dict[str, Any]:
    """Seconds from the start of the process to the first page and to the first answer; files are in the cache."""
    began = time.perf_counter()
    server = Server(folder, state)
    client = HttpClient(server.port)
    try:
        told = {"listens": time.perf_counter() - began}
        assert await client.get("/") == 200
        told["first_page"] = time.perf_counter() - began
        told["first_page_processor"] = server.processor()
        assert await client.get("/review") == 200
        told["reviews_processor"] = server.processor()
        assert await client.post("/api/v1/search", asked) == 200
        told["first_answer"] = time.perf_counter() - began
        begins = time.perf_counter()
        assert await client.get(f"/search?{urlencode({'q': asked['query'], 'language': 'en'})}") == 200
        return told | {"search_page_with_a_warm_model": time.perf_counter() - begins}
    finally:
        client.close()
        server.kill()


async def measured(
    folder: Path, state: Path, texts: dict[str, list[str]], options: argparse.Namespace
) -> dict[str, Any]:
    """What was asked for: starts, each of a server of its own, and the rest on one server."""
    asked = queries(texts, 2_000, 3)
    result: dict[str, Any] = {}
    if "start" in options.parts:
        result["start"] = [await start(folder, state, asked[0]) for _ in range(STARTS)]
    if not set(options.parts) - {"start"}:
        return result
    server = Server(folder, state)
    client = HttpClient(server.port)
    fresh = documents(1_000_000, texts, f"new{time.time_ns()}-", 4)

    async def add() -> int:
        block = [next(fresh) for _ in range(5)]
        listed = [{"id": one.id, "language": one.language, "text": one.text} for one in block]
        return await client.post("/api/v1/documents", {"documents": listed})

    try:
        assert await client.post("/api/v1/search", asked[0]) == 200
        if "process" in options.parts:
            with Index.open(folder / "index") as index:
                result["beside_process"] = await beside_process(client, index, asked)
        if "steady" in options.parts:
            result["steady"] = await steady(client, asked, options.rate, options.seconds, add)
        if "memory" in options.parts:
            result["memory"] = await memory(client, server, asked, options.requests)
        if "keys" in options.parts:
            make_review(folder / REVIEW, texts, options.pairs, folder / "model")
            found = await asyncio.to_thread(reactions, server.port, REVIEW, PRESSES)
            result["keys"] = {"pairs": options.pairs, **found}
    finally:
        client.close()
        server.kill()
        (folder / REVIEW).unlink(missing_ok=True)
    return result


def main() -> None:
    """Make, serve, measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="not used: documents are invented")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--dimensions", type=int, default=300)
    parser.add_argument("--rate", type=float, default=50.0, help="requests a second")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--requests", type=int, default=100_000, help="over which memory is watched")
    parser.add_argument("--pairs", type=int, default=100_000, help="of the review that is judged by keys")
    parser.add_argument("--keep", type=Path, help="folder with an index of an earlier run, or for one that stays")
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=list(PARTS), help="none only makes the index")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder, state = options.keep or Path(temporary, "served"), Path(temporary, "state")
        folder.mkdir(parents=True, exist_ok=True)
        state.mkdir()
        texts = make(folder, options.rows, options.dimensions)
        load = os.getloadavg()[0]
        result = asyncio.run(measured(folder, state, texts, options)) if options.parts else {}
    about = {"rows": options.rows, "dimensions": options.dimensions, "load_of_the_machine_before": load}
    # Of each part: others may have been measured at another commit.
    about |= {"commit": commit(), "date": datetime.now(UTC).isoformat()}
    if result:
        write("service", {"parts": earlier() | {name: {**about, "found": found} for name, found in result.items()}})


def earlier() -> dict[str, Any]:
    """What other runs have measured."""
    path = OUT / "service.json"
    told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    found: dict[str, Any] = told.get("parts", {})
    return found


if __name__ == "__main__":
    main()
