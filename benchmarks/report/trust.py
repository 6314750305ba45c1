"""Sections of docs/results/ on damage, kills, failing calls and hostile files: what docs/guarantees.md promises."""

from __future__ import annotations

from collections import Counter
from typing import Any

from benchmarks.report.doors import there
from benchmarks.report.sections import markdown, stored


def _at(result: dict[str, Any]) -> str:
    return f"commit {result['about']['commit']}"


def damage() -> str:
    """Mutations of every kind of artifact, by what became of them."""
    if not there("damage"):
        return ""
    result = stored("damage")
    counts: dict[str, Counter[str]] = {}
    for part in result["parts"].values():
        for kind, counted in part["kinds"].items():
            counts.setdefault(kind, Counter()).update(counted)
    columns = ("told", "harmless", "unchanged", "fault")
    rows = [(kind, *(f"{counted[name]:,}" for name in columns)) for kind, counted in counts.items()]
    faults = sum(counted["fault"] for counted in counts.values())
    return f"""## Damaged and edited artifacts
{result["mutations"]:,} mutations ({_at(result)}): **{faults} faults**. Two in three are damage (a bit
turned, a file cut, filled with zeros, lost, longer, overwritten), one in three an edit with the right checksums over
it. Harmless: the same answer after damage, or an edit that does no harm; unchanged: the mutation wrote what was there.

```
python -m benchmarks.measure.damage
```

{markdown("artifact, told, harmless, unchanged, faults", rows)}
"""


def kills() -> str:
    """SIGKILL at random moments and at calls."""
    if not there("kills"):
        return ""
    result = stored("kills")
    counts: dict[str, Counter[str]] = {}
    for part in result["parts"].values():
        for job, counted in part["jobs"].items():
            counts.setdefault(job, Counter()).update(counted)
    faults = sum(len(part["faults"]) for part in result["parts"].values())
    columns = ("kills", "at a call", "finished")
    rows = [(job, *(str(counted[name]) for name in columns)) for job, counted in counts.items()]
    return f"""## Killed and given again
{result["kills"]:,} kills ({_at(result)}): **{faults} faults**. After each, what is there is whole and nothing
committed is lost; each job that finished has the result of one that was never killed, byte for byte, and left nothing
else behind.

```
python -m benchmarks.measure.kills
```

{markdown("job, kills, of them at a call that changes the disk, finished", rows)}
"""


def failing_calls() -> str:
    """Every call to the disk made to fail."""
    if not there("faults"):
        return ""
    result = stored("faults")
    rows = [(name, str(sum(calls.values()))) for name, calls in result["operations"].items()]
    return f"""## Every call that may fail
{result["tried"]:,} failures of a write, fsync, rename, mapped file or commit, each before and after it has done its
work ({_at(result)}): **{len(result["faults"])} faults**.

```
python -m benchmarks.measure.faults
```

{markdown("operation, calls", rows)}
"""


def company() -> str:
    """Searches and loads while others write."""
    if not there("together"):
        return ""
    result = stored("together")
    searching, replacing = result["searching"], result["replacing"]
    return f"""## While others write
{searching["searches"]:,} searches during {searching["transactions"]:,} transactions of two writers:
**{searching["short"]} short answers**.
{replacing["loads"]:,} loads during {replacing["overwrites"]:,} overwrites of a model: **{replacing["failed"]} failed**,
{len(replacing["left_over"])} folders left over ({_at(result)}).

```
python -m benchmarks.measure.together
```
"""


def bombs() -> str:
    """Files of 10 MB that try to fill the memory or the day."""
    if not there("bombs"):
        return ""
    result = stored("bombs")
    rows = [
        (
            f"`{name}`",
            f"{one['bytes'] / 1e6:.1f}",
            f"{one['memory'] / 1e6:.0f}" if "memory" in one else "",
            f"{one['processor']:.1f}" if "processor" in one else "",
            one.get("told", "").partition(": ")[2].replace("|", "\\|") or f"{one.get('documents', 0):,} documents",
        )
        for name, one in result["bombs"].items()
    ]
    return f"""## Small files that unfold
{len(rows)} files of at most {result["size"] / 1e6:.0f} MB, each made to fill the memory or the day ({_at(result)}):
**{len(result["faults"])} faults** (more than 1 GB, time that grows faster than the file, a message without it).

```
python -m benchmarks.measure.bombs
```

{markdown("file, MB, peak MB, CPU s, what became of it", rows)}
"""


def estimates() -> str:
    """Estimated and true memory and disk."""
    if not there("estimates"):
        return ""
    result = stored("estimates")
    rows = [
        (
            name,
            f"{one['peak'] / 1e6:.0f}",
            f"{one['ratio']:.2f}",
            f"{one['files'] / 1e6:.1f}" if one["files"] else "",
            f"{one['disk'] / one['files']:.2f}" if one["files"] else "",
        )
        for name, one in result["cases"].items()
        if "ratio" in one
    ]
    return f"""## What a job takes, told before
{result["rows"]:,} rows of mdn en–es, {result["terms"]:,} terms; jobs other than fits with {result["times"]}
times as many ({_at(result)}). Ratios are estimate / measured.

```
python -m benchmarks.measure.estimates --data DATA --rows {result["rows"]}
```

{markdown("job, peak MB, memory ratio, files MB, disk ratio", rows)}
"""


def interrupts() -> str:
    """How soon Ctrl-C is heard."""
    if not there("interrupts"):
        return ""
    result = stored("interrupts")
    rows = [(name, str(len(one["times"])), f"{one['longest']:.2f}") for name, one in result["commands"].items()]
    return f"""## Ctrl-C
Longest answer to an interrupt at a moment by chance, in seconds of the processor ({_at(result)}):
{result["longest"]:.2f}; **{len(result["faults"])} faults**.

```
python -m benchmarks.measure.interrupts
```

{markdown("command, times, longest", rows)}
"""


TRUST = [damage, kills, failing_calls, company, bombs, estimates, interrupts]
