"""Small inline SVG charts for pages: colours come from the page's style, so they follow light and dark."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from babelspace.charts.line_labels import spread

Curves = Mapping[str, Sequence[tuple[int | None, float]]]
WIDTH, HEIGHT = 720, 360
LEFT, RIGHT, TOP, BOTTOM = 52, 110, 16, 44
COLOURS = 6  # the style has classes c0 to c5, and `base` for a level line


def line_chart(curves: Curves, label: str) -> str:
    """Lines over a logarithmic axis of dimensions, each with its name at its end."""
    ticks = sorted({dimension for curve in curves.values() for dimension, _ in curve if dimension})
    values = [value for curve in curves.values() for _, value in curve]
    scale = _Scale(ticks, values)
    parts = [*_axes(scale, ticks)]
    heights = spread([scale.share(curve[-1][1]) for curve in curves.values()], 0.065)
    number = 0
    for (name, curve), height in zip(curves.items(), heights, strict=True):
        known = [(dimension, value) for dimension, value in curve if dimension]
        colour = f"c{number % COLOURS}" if known else "base"
        number += bool(known)
        parts.append(_line(scale, known, colour) if known else _level(scale, curve[0][1]))
        y = TOP + (1 - height) * (HEIGHT - TOP - BOTTOM)
        parts.append(f'<text class="name {colour}" x="{WIDTH - RIGHT + 10}" y="{y + 4:.1f}">{escape(name)}</text>')
    body = "\n".join(parts)
    head = f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">'
    return f"{head}\n{body}\n</svg>"


class _Scale:
    """From values to places."""

    def __init__(self, ticks: Sequence[int], values: Sequence[float]) -> None:
        ends = ticks or [1]
        self._low, self._high = math.log(ends[0]), math.log(ends[-1])
        self.step = 0.1 if max(values) - min(values) < 0.5 else 0.2
        self.bottom = max(0.0, math.floor(min(values) / self.step - 0.2) * self.step)
        self.top = min(1.0, math.ceil(max(values) / self.step) * self.step)

    def x(self, dimension: int) -> float:
        share = (math.log(dimension) - self._low) / (self._high - self._low) if self._high > self._low else 0.5
        return LEFT + 14 + share * (WIDTH - LEFT - RIGHT - 28)

    def share(self, value: float) -> float:
        return (value - self.bottom) / max(self.top - self.bottom, 1e-9)

    def y(self, value: float) -> float:
        return TOP + (1 - self.share(value)) * (HEIGHT - TOP - BOTTOM)


def _axes(scale: _Scale, ticks: Sequence[int]) -> list[str]:
    parts = []
    for step in range(round((scale.top - scale.bottom) / scale.step) + 1):
        value = scale.bottom + step * scale.step
        y = scale.y(value)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:.1f}</text>')
    for tick in ticks:
        place = f'x="{scale.x(tick):.1f}" y="{HEIGHT - BOTTOM + 18}"'
        parts.append(f'<text class="tick" {place} text-anchor="middle">{tick}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text class="tick" x="{middle}" y="{HEIGHT - 6}" text-anchor="middle">dimensions</text>')
    return parts


def _line(scale: _Scale, points: Sequence[tuple[int, float]], colour: str) -> str:
    places = [(scale.x(dimension), scale.y(value)) for dimension, value in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = "".join(
        f'<circle class="dot {colour}" cx="{x:.1f}" cy="{y:.1f}" r="3.5">'
        f"<title>{dimension}: {value:.4f}</title></circle>"
        for (x, y), (dimension, value) in zip(places, points, strict=True)
    )
    return f'<polyline class="line {colour}" points="{path}"/>{dots}'


def _level(scale: _Scale, value: float) -> str:
    y = scale.y(value)
    return f'<line class="line base" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
