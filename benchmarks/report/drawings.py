"""How each chart of charts.py is drawn: figures in, a matplotlib Figure out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

COLOURS = {
    "cl-lsi": "#0072B2",
    "cca": "#D55E00",
    "opca": "#009E73",
    "translation": "#CC79A7",
    "oneta": "#E69F00",
    "topics": "#56B4E9",
}
GREY, LIGHT = "#777777", "#dddddd"
# Where a name may stand beside its point, nearest first: side, points to the right, points up.
PLACES = sorted(
    [
        (side, shift, lift)
        for lift in range(-60, 61, 6)
        for side, shift in (("left", 8), ("right", -8), ("center", 0))
        if side != "center" or abs(lift) >= 12
    ],
    key=lambda place: (abs(place[2]), place[0]),
)


def bars(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Times faster than each peer, quality beside; a heading for each job and corpus."""
    from matplotlib.figure import Figure

    heads = list(dict.fromkeys((row["job"], row["corpus"]) for row in rows))
    lines: list[tuple[str, Any]] = []
    for head in heads:
        lines += [("head", head), *(("row", row) for row in rows if (row["job"], row["corpus"]) == head)]
    figure = Figure(figsize=(10.4, 0.29 * len(lines) + 0.9), layout="constrained")
    axis = figure.subplots()
    longest = max(row["times"] for row in rows)
    for place, (kind, line) in enumerate(lines):
        if kind == "head":
            axis.annotate(
                f"{line[0][0].upper()}{line[0][1:]}: {line[1]}",
                (0, place + 0.1),
                xycoords=("axes fraction", "data"),
                xytext=(-265, 0),
                textcoords="offset points",
                va="center",
                color=GREY,
                fontsize=9,
                fontstyle="italic",
            )
            continue
        _bar(axis, place, line)
    axis.axvline(1, color="black", linewidth=0.8)
    axis.set(xscale="log", xlim=(0.8, longest * 2.6), ylim=(len(lines) - 0.4, -0.9))
    ticks = [tick for tick in (1, 2, 5, 10, 20, 50, 100, 200) if tick <= longest * 1.5]
    axis.set_xticks(ticks, [f"{tick}×" for tick in ticks])
    axis.minorticks_off()
    axis.set_yticks(
        [place for place, (kind, _) in enumerate(lines) if kind == "row"],
        [", ".join(filter(None, (line["peer"], line["variant"]))) for kind, line in lines if kind == "row"],
    )
    axis.tick_params(axis="y", length=0)
    axis.set_xlabel("times faster than what stands at the left, in processor seconds; hatched: stopped unfinished")
    axis.annotate(
        "quality: ours | theirs (AER: less is better)",
        (1.02, -0.5),
        xycoords=("axes fraction", "data"),
        fontsize=9,
        color=GREY,
    )
    axis.spines[["top", "right", "left"]].set_visible(False)
    axis.grid(axis="x", color=LIGHT, linewidth=0.7)
    axis.set_axisbelow(True)
    return figure


def _bar(axis: Any, place: int, row: Mapping[str, Any]) -> None:
    style = {} if row["finished"] else {"hatch": "////", "edgecolor": "white"}
    axis.barh(place, row["times"] - 1, left=1, height=0.68, color=COLOURS["cl-lsi"], **style)
    told = f"{'' if row['finished'] else '> '}{row['times']:.{1 if row['times'] < 20 else 0}f}×"
    axis.annotate(told, (row["times"], place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=9)
    quality = f"{row['measure']} {row['ours']} | {row['theirs']}"
    axis.annotate(quality, (1.02, place), xycoords=("axes fraction", "data"), va="center", fontsize=9)


def clouds(panels: Mapping[str, Mapping[str, Any]]) -> Any:
    """Top-1 against seconds of learning, one point a space; the baseline, far below, is only named."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13.5, 5), layout="constrained")
    for axis, (title, panel) in zip(figure.subplots(1, len(panels)), panels.items(), strict=True):
        axis.set_title(title, fontsize=10)
        for point in panel["points"]:
            low, high = point["interval"]
            axis.plot([point["seconds"]] * 2, [low, high], color=_colour(point["space"]), alpha=0.25, linewidth=2)
            axis.plot(point["seconds"], point["top1"], "o", color=_colour(point["space"]), markersize=6)
        axis.set(xscale="log", xlabel="processor seconds of the fit (log scale)", ylabel="Top-1 on test")
        axis.margins(0.2, 0.1)
        _seconds(axis)
        told = f"untranslated: {panel['untranslated']:.2f}"
        axis.annotate(told, (0.98, 0.02), xycoords="axes fraction", ha="right", color=GREY, fontsize=9)
        axis.grid(color=LIGHT, linewidth=0.7)
        axis.spines[["top", "right"]].set_visible(False)
    figure.draw_without_rendering()
    for axis, panel in zip(figure.axes, panels.values(), strict=True):
        _name_points(figure, axis, panel["points"])
    return figure


def _seconds(axis: Any) -> None:
    """Plain numbers; more of them where the axis is short."""
    low, high = axis.get_xlim()
    steps = (1,) if high / low > 100 else (1, 2, 5)
    ticks = [step * 10.0**power for power in range(-3, 4) for step in steps]
    ticks = [tick for tick in ticks if low <= tick <= high]
    axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.minorticks_off()


def _colour(space: str) -> str:
    if "+" in space:
        return "black"
    known = {"jplsa": "topics", "cplsa": "topics", "csam": "topics", "mlda": "topics", "translation-lsa": "translation"}
    family = {"esa": "oneta", "l-solve": "oneta", "on-eigen": "oneta", "explicit-lsi": "oneta"}
    return COLOURS[{**known, **family}.get(space, space)]


def _name_points(figure: Any, axis: Any, points: Sequence[Mapping[str, Any]]) -> None:
    """A name beside each point at the nearest place where it covers neither a point nor another name."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

    canvas: Any = FigureCanvasAgg(figure)  # a method without types
    renderer = canvas.get_renderer()
    inside = axis.get_window_extent(renderer)
    spots = [axis.transData.transform((point["seconds"], point["top1"])) for point in points]
    taken = [Bbox.from_bounds(x - 6, y - 6, 12, 12) for x, y in spots]
    for point in points:
        for side, shift, lift in PLACES:
            name = axis.annotate(
                point["space"], (point["seconds"], point["top1"]), xytext=(shift, lift), textcoords="offset points",
                ha=side, va="center", fontsize=9, color=_colour(point["space"]),
                arrowprops={"arrowstyle": "-", "color": LIGHT, "shrinkB": 4} if abs(lift) > 14 else None,
            )  # fmt: skip
            name.update_positions(renderer)
            box = Text.get_window_extent(name, renderer)
            if inside.x0 < box.x0 and box.x1 < inside.x1 and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
            name.remove()


def learning(panels: Mapping[str, Mapping[str, Any]]) -> Any:
    """Mates that are not found first against pairs to learn from, both on log scales; names at the right ends."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6 * len(panels), 4.4), layout="constrained")
    for axis, (title, lines) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True):
        axis.set_title(title, fontsize=10)
        for space, points in lines.items():
            colour = COLOURS.get(space, GREY)
            pairs = [point["pairs"] for point in points]
            lows, highs = zip(*(point["interval"] for point in points), strict=True)
            axis.fill_between(
                pairs, [1 - x for x in highs], [1 - x for x in lows], color=colour, alpha=0.15, linewidth=0
            )
            style = {} if space in COLOURS else {"linestyle": (0, (4, 3))}
            axis.plot(pairs, [1 - point["top1"] for point in points], marker="o", markersize=4, color=colour, **style)
        axis.set(xscale="log", yscale="log", xlabel="pairs to learn from", ylabel="mates not found first, on test")
        _label_axes(axis, sorted({point["pairs"] for points in lines.values() for point in points}))
        _name_ends(axis, {space: 1 - points[-1]["top1"] for space, points in lines.items()})
    return figure


def _label_axes(axis: Any, pairs: Sequence[int]) -> None:
    axis.minorticks_off()
    axis.set_xticks(pairs, [f"{tick:,}" for tick in pairs])
    low, high = axis.get_ylim()
    ticks = [tick for tick in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1) if low <= tick <= high]
    axis.set_yticks(ticks, [f"{100 * tick:g} %" for tick in ticks])
    axis.grid(color=LIGHT, linewidth=0.7)
    axis.spines[["top", "right"]].set_visible(False)


def _name_ends(axis: Any, ends: Mapping[str, float]) -> None:
    """Names at the right, moved apart where lines end together."""
    from math import log

    from babelspace.charts.line_labels import spread

    low, high = map(log, axis.get_ylim())
    heights = spread([(log(end) - low) / (high - low) for end in ends.values()], 0.06)
    for space, height in zip(ends, heights, strict=True):
        axis.annotate(space, (1.01, height), xycoords="axes fraction", color=COLOURS.get(space, GREY), va="center")


def strangers(found: Mapping[str, Any]) -> Any:
    """Every model on every corpus, and the doctor's forecasts against the truth."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12.6, 4.8), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.45, 1))
    _matrix(left, found["top1"])
    right.plot((0, 1), (0, 1), color=GREY, linewidth=1)
    models = dict.fromkeys(trial["model"] for trial in found["trials"])
    for model, mark, colour in zip(models, "osD^vP", COLOURS.values(), strict=False):
        trials = [trial for trial in found["trials"] if trial["model"] == model]
        right.plot(
            [trial["predicted"] for trial in trials],
            [trial["true"] for trial in trials],
            mark,
            label=f"fitted on {model}",
            color=colour,
            markersize=7,
            alpha=0.85,
        )
    right.set(xlabel="Top-1 that the doctor predicts, knowing no mates", ylabel="true Top-1", xlim=(0, 1), ylim=(0, 1))
    right.set_aspect("equal")
    right.grid(color=LIGHT, linewidth=0.7)
    right.spines[["top", "right"]].set_visible(False)
    right.legend(frameon=False, loc="upper left")
    right.set_title("Forecast and truth on other subjects", fontsize=10)
    return figure


def _matrix(axis: Any, top1: Mapping[str, Mapping[str, float]]) -> None:
    models, corpora = list(top1), list(next(iter(top1.values())))
    values = [[top1[model][corpus] for corpus in corpora] for model in models]
    axis.imshow(values, cmap="Blues", vmin=0, vmax=1.15, aspect="auto")
    for row, line in enumerate(values):
        for column, value in enumerate(line):
            own = models[row] == corpora[column]
            axis.text(
                column, row, f"{value:.2f}".lstrip("0") if value < 0.995 else "1.0", ha="center", va="center",
                color="white" if value > 0.65 else "black", fontweight="bold" if own else "normal",
            )  # fmt: skip
    names = [corpus.replace("-", "-\n") if len(corpus) > 10 else corpus for corpus in corpora]
    axis.set_xticks(range(len(corpora)), names)
    axis.set_yticks(range(len(models)), models)
    axis.tick_params(length=0)
    axis.set(xlabel="tried on", ylabel="fitted on")
    axis.spines[:].set_visible(False)
    axis.set_title("Top-1 of OPCA, en–fr, among the same 500 documents a column; own subject bold", fontsize=10)


def growing(lines: Mapping[str, Any]) -> Any:
    """Seconds against rows, both on log scales; each line is named with its exponent."""
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 4.6), layout="constrained")
    axis = figure.subplots()
    for number, (name, line) in enumerate(lines.items()):
        rows, seconds = zip(*line["points"], strict=True)
        label = f"{name} ({line['exponent']:.2f})"
        axis.plot(rows, seconds, marker="o", markersize=4, color=colormaps["tab10"](number), label=label)
    axis.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds of one core")
    axis.minorticks_off()
    ticks = sorted({row for line in lines.values() for row, _ in line["points"]})
    axis.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axis.grid(color=LIGHT, linewidth=0.7)
    axis.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside right upper", frameon=False, fontsize=9, title="pass (exponent)")
    return figure


def rounds(lines: Mapping[str, Mapping[str, Sequence[float]]]) -> Any:
    """A panel for each figure of the loop against its rounds; corpora have the same colours in all of them."""
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    titles = list(next(iter(lines.values())))
    figure = Figure(figsize=(4 * len(titles) + 2, 3.6), layout="constrained")
    for axis, title in zip(figure.subplots(1, len(titles)), titles, strict=True):
        for number, (name, found) in enumerate(lines.items()):
            places = range(1, len(found[title]) + 1)
            label = name if title == titles[0] else None
            axis.plot(places, found[title], marker="o", markersize=4, color=colormaps["tab10"](number), label=label)
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("round")
        axis.set_xticks(range(1, max(len(found[title]) for found in lines.values()) + 1))
        axis.grid(color=LIGHT, linewidth=0.7)
        axis.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside right upper", frameon=False, fontsize=9)
    return figure
