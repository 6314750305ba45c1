"""What docs/serve.md says in figures: each part of the measurement with the commit that it was measured at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

from benchmarks.report.sections import markdown, stored


def summary() -> str:
    """A row for each thing that was measured; parts are measured one by one, at commits of their own."""
    parts: dict[str, Any] = stored("service")["parts"]
    rows = [
        (*row(parts[name]["found"]), _at(parts[name])) for name, told in ROWS.items() if name in parts for row in told
    ]
    some = next(iter(parts.values()))
    size = f"{some['rows']:,} documents of {some['dimensions']} dimensions"
    return f"{size}, two cores that the client shares.\n\n{markdown('of the service, measured, at commit', rows)}"


def _at(part: Mapping[str, Any]) -> str:
    """Earlier runs did not keep it by part."""
    return f"{part['commit']} ({part['date'][:10]})" if "commit" in part else "not kept"


def _seconds(name: str, title: str) -> Callable[[Any], tuple[str, str]]:
    def row(found: list[dict[str, float]]) -> tuple[str, str]:
        return f"{title}, median of {len(found)} starts", f"{median(one[name] for one in found):.2f} s"

    return row


def _beside_process(found: Any) -> tuple[str, str]:
    told = found["p50_ms"]
    shown = f"{told['http']:.1f} ms, {told['process']:.1f} ms in process: {found['ratio']:.2f} times"
    return "a search over HTTP, median", shown


def _steady(found: Any) -> tuple[str, str]:
    title = f"searches at {found['rate']:g} a second for {found['seconds']:g} s while documents are added"
    times = f"half within {found['p50_ms']:,.0f} ms, 99 % within {found['p99_ms']:,.0f} ms"
    return title, f"{times}, {found['errors']} errors in {found['requests']:,}"


def _memory(found: Any) -> tuple[str, str]:
    shown = f"{found['megabytes'][0]:,.0f} MB after a tenth, {found['megabytes'][-1]:,.0f} MB at the end"
    return f"memory over {found['requests']:,} requests", f"{shown}: {100 * found['change']:+.1f} %"


def _keys(found: Any) -> tuple[str, str]:
    shown = f"{found['p50_ms']:.0f} ms (median), {found['p99_ms']:.0f} ms (99 %)"
    return f"a key in a review of {found['pairs']:,} pairs, until the page reacts", shown


ROWS: dict[str, list[Callable[[Any], tuple[str, str]]]] = {
    "start": [
        _seconds("first_page", "the first page after the start"),
        _seconds("first_answer", "the first answer of a search after the start"),
    ],
    "beside_process": [_beside_process],
    "steady": [_steady],
    "memory": [_memory],
    "keys": [_keys],
}
