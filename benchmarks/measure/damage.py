"""Does any damaged or edited artifact crash, or lie? 100,000 mutations over every kind that is written and read again.

Two in three are damage as disks, copies and programs do it: a bit turned, a file cut, filled with zeros, lost, longer
or overwritten. All of it must be told, or (in a database, and in work that is simply done again) change no answer. One
in three is an edit by somebody who knows how to put the right checksums over it: that must be told or do no harm. A
death by signal, an exception that is no message, and another answer after damage are faults. Children do the reading,
so that a death is seen and counted. A run with another `--seed` adds to the result of the same commit. Runs without
data.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import sqlite3
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from babelspace import planted
from babelspace.errors import BabelspaceError
from babelspace.mining.review import review_schema
from babelspace.runtime import artifact, engine
from babelspace.runtime.derived_copies import STAMP
from babelspace.runtime.files import System
from benchmarks.artifact_kinds import MORE_SPACES, SPACES, Kind, kinds, unfinished
from benchmarks.common import parts_so_far, write

MUTATIONS, BATCH = 100_000, 250


def files_of(folder: Path) -> list[Path]:
    """All files below a folder."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def damage(folder: Path, chance: random.Random) -> None:
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


def reseal(folder: Path) -> None:
    """The checksums of the files as they are now."""
    card = json.loads((folder / artifact.CARD).read_text(encoding="utf-8"))
    names = [name for name in card.pop("files") if (folder / name).is_file()]
    card.pop("sha256")
    artifact.write_card(folder / artifact.CARD, card, names)


def hostile(array: NDArray[Any], chance: random.Random) -> NDArray[Any]:
    """An array of the same name that could make a loop read where it must not."""
    way = chance.randrange(5)
    if way == 0 and array.size and array.dtype.kind in "iu":
        changed = array.copy()
        changed.flat[chance.randrange(array.size)] = np.array(chance.choice([-1, 10**6, -(2**31)])).astype(array.dtype)
        return changed
    if way == 1 and array.ndim:
        return array[:-1] if len(array) else np.ones((3, *array.shape[1:]), array.dtype)
    if way == 2 and array.dtype.kind == "f" and array.size:
        changed = array.copy()
        changed.flat[chance.randrange(array.size)] = chance.choice([np.nan, np.inf, -1e30, 1e30])
        return changed
    if way == 3:
        return array.astype(np.float64 if array.dtype.kind in "iu" else np.int64)
    return np.concatenate([array, array]) if array.ndim else array.reshape(1)


def edit_arrays(folder: Path, chance: random.Random) -> None:
    """Change an array and put the right checksums over it."""
    arrays = load_file(folder / artifact.ARRAYS)
    name = chance.choice(sorted(arrays))
    with np.errstate(all="ignore"):
        arrays[name] = hostile(arrays[name], chance)
    save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, folder / artifact.ARRAYS)
    reseal(folder)


def edit_card(folder: Path, chance: random.Random, name: str = artifact.CARD) -> None:
    """Change a value of the card, however deep, and put the right checksum over it."""
    path = folder / name
    card = json.loads(path.read_text(encoding="utf-8"))
    card.pop("sha256", None)
    files = card.pop("files")
    change(card, chance)
    artifact.write_card(path, card, files)


def change(card: Any, chance: random.Random) -> None:
    """Put something else in place of a value, however deep, or take it away."""
    holder = card
    while True:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = chance.choice(keys)
        if not isinstance(holder[key], (dict, list)) or not holder[key] or chance.random() < 0.2:
            break
        holder = holder[key]
    if chance.random() < 0.2:
        del holder[key]
    else:
        holder[key] = chance.choice([None, -1, 10**12, 0.5, float("nan"), "", "../x", "\0", [], {}, [[]], True, "opca"])


def edit_sealed_lines(path: Path, chance: random.Random) -> None:
    """Change a line of JSON and put the right checksums over it and all that follow it."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    place, before = chance.randrange(len(records)), ""
    for number, record in enumerate(records):
        record.pop("sha256")
        if number == place:
            change(record, chance)
        if "before" in record:
            record["before"] = before
        record["sha256"] = before = artifact.card_digest(record)
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")


def edit_sealed(path: Path, chance: random.Random) -> None:
    """Change a value of JSON and put the right checksum over it, if it has one."""
    card = json.loads(path.read_text(encoding="utf-8"))
    sealed = isinstance(card, dict) and card.pop("sha256", None)
    change(card, chance)
    path.write_text(json.dumps(card | {"sha256": artifact.card_digest(card)} if sealed else card), encoding="utf-8")


def edit_block(path: Path, chance: random.Random) -> None:
    """Change an array of a fit on disk and put the right digest over it."""
    arrays = load_file(path)
    name = chance.choice(sorted(arrays))
    with np.errstate(all="ignore"):
        arrays[name] = np.ascontiguousarray(hostile(arrays[name], chance))
    save_file(arrays, path, metadata={"digest": engine._digest(arrays)})


def edit_review(path: Path, chance: random.Random) -> None:
    """Change a value of a review, and put the right checksums over all of it where that can be done."""
    connection = sqlite3.connect(path, isolation_level=None)
    table = chance.choice(sorted(review_schema.COLUMNS))
    column = chance.choice(review_schema.COLUMNS[table].split(", "))
    value = chance.choice([None, -1, 2**62, 0.5, 9e99, "", "x", b"", b"\0" * 7, "NaN", "right", "../../evil"])
    with contextlib.suppress(sqlite3.Error, TypeError, ValueError):
        where = chance.choice(["", f" WHERE {column} = (SELECT max({column}) FROM {table})"])
        connection.execute(f"UPDATE OR REPLACE {table} SET {column} = ?{where}", (value,))
        review_schema.seal(connection)
    connection.close()


def edit_lines(folder: Path, chance: random.Random) -> None:
    """Change a list of lines and put the right checksums over it."""
    found = sorted(folder.glob("*.txt"))
    if not found:
        edit_arrays(folder, chance)
        return
    path = chance.choice(found)
    lines = path.read_text(encoding="utf-8").split("\n")
    place = chance.randrange(len(lines))
    lines[place : place + 1] = chance.choice(
        [[], [lines[place]] * 2, ['"\\ud800"'], ["7"], ['"new"', '"words"'], ["{"]]
    )
    path.write_text("\n".join(lines), encoding="utf-8")
    reseal(folder)


def edit_database(path: Path, chance: random.Random) -> None:
    """Change a value of a table, as anybody can who has SQLite."""
    with sqlite3.connect(path) as database:
        table = chance.choice(["documents", "vectors", "facets", "notes"])
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        column = chance.choice(columns)
        value = chance.choice([None, -1, 2**62, 0.5, "", "x", b"", b"\0" * 7, "NaN", "{", "../../evil"])
        where = chance.choice(["", " WHERE rowid = 3"]) if table in ("documents", "vectors") else ""
        try:
            database.execute(f"UPDATE OR REPLACE {table} SET {column} = ?{where}", (value,))
        except sqlite3.Error:
            database.rollback()
    database.close()


def edit_copy(folder: Path, chance: random.Random) -> None:
    """Change the copy of a language's vectors or words, and make it look as if it had been written so."""
    copy = chance.choice(sorted(path.parent for path in folder.rglob(STAMP)))
    if chance.random() < 0.3:
        edit_card(copy, chance, STAMP)
        return
    path = chance.choice(sorted(copy.glob("*.npy")))
    with np.errstate(all="ignore"):
        np.save(path, hostile(np.load(path), chance))
    stamp = json.loads((copy / STAMP).read_text(encoding="utf-8"))
    status = path.stat()
    stamp["seen"][path.name] = [status.st_size, status.st_mtime_ns]
    del stamp["sha256"]
    artifact.write_card(copy / STAMP, stamp, list(stamp.pop("files")))


def mutate(kind: Kind, folder: Path, chance: random.Random, edited: bool) -> None:
    """Damage a copy, or edit it."""
    if not edited:
        damage(folder, chance)
    elif kind.inside is not None:
        chance.choice([edit_arrays, edit_arrays, edit_card, edit_lines])(folder / kind.inside, chance)
    elif (folder / "documents.sqlite").is_file():
        edit_copy(folder, chance) if chance.random() < 0.5 else edit_database(folder / "documents.sqlite", chance)
    else:
        path = chance.choice([path for path in files_of(folder) if path.suffix in EDITS])
        EDITS[path.suffix](path, chance)


# How files of unfinished work and of results are edited.
EDITS = {
    ".jsonl": edit_sealed_lines,
    ".json": edit_sealed,
    ".review": edit_review,
    **dict.fromkeys((".counts", ".rows", ".tile"), edit_block),
}


def same(one: Any, other: Any) -> bool:
    """Whether two answers are the same."""
    if hasattr(one, "toarray"):
        one, other = one.toarray(), other.toarray()
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other, equal_nan=one.dtype.kind == "f"))
    return bool(one == other)


def tried(kind: Kind, expected: Any, broken: Path, chance: random.Random, edited: bool) -> tuple[str, str]:
    """What became of one mutation, and the fault, if it is one."""
    shutil.rmtree(broken, ignore_errors=True)
    shutil.copytree(kind.folder, broken)
    mutate(kind, broken, chance, edited)
    # Using what is repeated may change it; of the others few need the comparison.
    intact = kind.repeats and unchanged(kind, broken)
    try:
        answer = kind.use(broken)
    except BabelspaceError as problem:
        return (
            ("told", "")
            if edited or str(broken) in str(problem)
            else ("fault", f"a message without the folder: {problem}")
        )
    except Exception:
        return "fault", traceback.format_exc()
    if intact or (not kind.repeats and unchanged(kind, broken)):
        return "unchanged", ""
    if edited:
        return "harmless", ""
    if kind.repeats and same(answer, expected):
        return "harmless", ""
    return "fault", "damage was not told"


def unchanged(kind: Kind, broken: Path) -> bool:
    """Whether a mutation has changed nothing."""
    return contents(broken) == contents(kind.folder)


def contents(folder: Path) -> dict[str, Any]:
    """Names and bytes of all files; of JSON what it says, however it is indented."""
    return {str(path.relative_to(folder)): _said(path) for path in files_of(folder)}


def _said(path: Path) -> Any:
    raw = path.read_bytes()
    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(raw) if path.suffix == ".json" else raw
    return raw


def batch(kind: Kind, expected: Any, place: Path, seeds: range, name: str) -> tuple[Counter[str], list[str]]:
    """Several mutations in a child process; a death by signal is a fault of the mutation it was at."""
    counts: Counter[str] = Counter()
    faults: list[str] = []
    start = seeds.start
    while start < seeds.stop:
        log = place / "log"
        log.write_text("")
        child = os.fork()
        if child == 0:
            in_child(kind, expected, place / "broken", range(start, seeds.stop), name, log)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        counts.update(line["what"] for line in lines)
        faults += [f"{name} {line['seed']}: {line['fault']}" for line in lines if line["fault"]]
        start += len(lines)
        if code != 0:
            counts["fault"] += 1
            faults.append(f"{name} {start}: ended with {code}")
            start += 1
    return counts, faults


def in_child(kind: Kind, expected: Any, broken: Path, seeds: range, name: str, log: Path) -> None:
    """Try mutations one after the other and note each; never returns."""
    import warnings

    warnings.simplefilter("ignore")
    code = 0
    try:
        with log.open("a") as stream:
            for seed in seeds:
                what, fault = tried(kind, expected, broken, random.Random(f"{name} {seed}"), edited=seed % 3 == 2)
                stream.write(json.dumps({"seed": seed, "what": what, "fault": fault}) + "\n")
                stream.flush()
    except BaseException:
        traceback.print_exc()
        code = 9
    os._exit(code)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not needed")
    parser.add_argument("--mutations", type=int, default=MUTATIONS)
    parser.add_argument("--seed", type=int, default=0, help="of the first mutation; the others follow")
    parser.add_argument("--kinds", nargs="+", help="only these")
    options = parser.parse_args()
    # What is tested is reading: bringing small copies to the disk would take most of the time.
    System.flush = lambda self, path: None  # type: ignore[method-assign]
    began, memory = time.perf_counter(), Path("/dev/shm")
    counts: dict[str, Counter[str]] = {}
    faults: list[str] = []
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        top = Path(name)
        corpus = planted(rows=60, vocabulary=50, words=20)
        found = kinds(top, corpus, SPACES | MORE_SPACES) | unfinished(top, corpus)
        found = {name: kind for name, kind in found.items() if name in (options.kinds or found)}
        answers = {name: kind.use(_copied(kind, top / "copy")) for name, kind in found.items()}
        each = -(-options.mutations // len(found))
        for start in range(options.seed, options.seed + each, BATCH):
            seeds = range(start, min(start + BATCH, options.seed + each))
            for name, kind in found.items():
                counted, told = batch(kind, answers[name], top, seeds, name)
                counts.setdefault(name, Counter()).update(counted)
                faults += told
                for fault in told:
                    print(fault, flush=True)
            done = sum(sum(counted.values()) for counted in counts.values())
            print(f"{done:,} mutations, {len(faults)} faults, {time.perf_counter() - began:.0f} s", flush=True)
    mine = {
        "mutations": each * len(found),
        "seconds": time.perf_counter() - began,
        "kinds": {name: dict(counted) for name, counted in counts.items()},
        "faults": faults[:50],
    }
    parts = parts_so_far("damage", options.seed, mine)
    write("damage", {"mutations": sum(part["mutations"] for part in parts.values()), "parts": parts})


def _copied(kind: Kind, place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(kind.folder, place)
    return place


if __name__ == "__main__":
    main()
