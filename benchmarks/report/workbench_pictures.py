"""Pictures of every page of the workbench, taken in a real Chromium: those of docs/pictures/, or all in four ways.

`python -m benchmarks.report.workbench_pictures` writes what the docs show; `--ways FOLDER` every page at 1280 and 390
pixels, light and dark, to be looked at. It fails if a page scrolls sideways or the console complains.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from babelspace import ViewsVectorizer, extract_terms, fit_model, link_bitext, sample
from babelspace.workflows.demo_workbench import leave_workbench
from babelspace.workflows.review import review_terms
from benchmarks.common import ROOT

PICTURES = ROOT / "docs" / "pictures"
CHROMIUM = "/usr/bin/chromium"
# Colours of a picture, and its width in the docs: small files.
COLOURS, WIDTH = 64, 900
VERSES = 800
SIZES = {1280: 900, 390: 844}
SMALL = ("review", "search", "topics", "map")
PAGES = {
    "start": "/",
    "reviews": "/review",
    "review": "/review/pairs.review?reviewer=ann",
    "search": "/search?q=protect+a+cell+with+a+password&language=en",
    "corpus": "/corpus?name=help",
    "train": "/train?corpus=help",
    "quality": "/quality?model=model&corpus=help&one=en&other=es",
    "words": "/words?corpus=verses&one=en&other=es&q=bread",
    "sentences": "/sentences?corpus=help&one=en&other=es&model=model",
    "alignment": "/alignment?corpus=verses&one=en&other=es&q=bread",
    "topics": "/topics?model=topics&corpus=help&by=label",
    "map": "/map?model=model&corpus=help",
    "jobs": "/jobs",
    "terms": "/review/terms.review?reviewer=ann",
    "api": "/api/v1/docs",
}


def make(folder: Path) -> None:
    """The demo's folder, with a topic model and terms to review."""
    leave_workbench(folder)
    counts = ViewsVectorizer(weighting="tf", normalize=False)
    corpus = sample("help").select(languages="en,es")
    fit_model(corpus, "mlda", vectorizer=counts, n_components=12, holdout=0).save(folder / "topics")
    verses = sample("gospels").select(languages="en,es").aligned()[:VERSES]
    review_terms(folder / "terms.review", extract_terms(link_bitext(verses, ["en", "es"]), most=200)).close()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of the service."""
    command = [sys.executable, "-m", "babelspace", "serve", str(folder), "--port", "0", "--rate", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://127.0.0.1:\d+", process.stdout.readline())
        assert found is not None
        try:
            yield found[0]
        finally:
            process.terminate()


def taken(browser: Any, address: str, width: int, scheme: str, folder: Path) -> None:
    """Every page in one way."""
    context = browser.new_context(viewport={"width": width, "height": SIZES[width]}, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(300_000)
    complaints: list[str] = []
    page.on("console", lambda told: complaints.append(told.text) if told.type in ("error", "warning") else None)
    for name, path in PAGES.items():
        page.goto(address + path)
        if name == "map":
            page.locator("#colour option").first.wait_for(state="attached")
            page.locator("#colour").select_option("label")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} scrolls sideways"
        page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
    assert not complaints, complaints
    context.close()


def shrunk(source: Path, target: Path, width: int) -> None:
    """A picture of few colours in the width of the docs."""
    image = import_module("PIL.Image")
    with image.open(source) as opened:
        height = round(opened.height * width / opened.width)
        small = opened.convert("RGB").resize((width, height), image.Resampling.LANCZOS)
        small.quantize(COLOURS).save(target, optimize=True)


def side_by_side(sources: list[Path], target: Path) -> None:
    """Several small pictures as one."""
    image = import_module("PIL.Image")
    opened = [image.open(source).convert("RGB") for source in sources]
    width, height, gap = opened[0].width, opened[0].height, 16
    whole = image.new("RGB", (len(opened) * (width + gap) - gap, height), "#808080")
    for place, one in enumerate(opened):
        whole.paste(one, (place * (width + gap), 0))
    whole.save(target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="a folder of an earlier run, or for one that stays")
    parser.add_argument("--ways", type=Path, help="write all four ways there, and nothing into the docs")
    options = parser.parse_args()
    playwright = import_module("playwright.sync_api")
    with tempfile.TemporaryDirectory() as temporary, playwright.sync_playwright() as driver:
        folder, shots = options.folder or Path(temporary, "workbench"), options.ways or Path(temporary)
        shots.mkdir(parents=True, exist_ok=True)
        if not (folder / "topics").exists():
            make(folder)
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        ways = [(width, scheme) for width in SIZES for scheme in ("light", "dark")]
        with served(folder) as address:
            for width, scheme in ways if options.ways else [(1280, "light"), (390, "dark")]:
                taken(browser, address, width, scheme, shots)
        browser.close()
        if not options.ways:
            for name in PAGES:
                shrunk(shots / f"{name}-1280-light.png", PICTURES / f"{name}.png", WIDTH)
            side_by_side([shots / f"{name}-390-dark.png" for name in SMALL], shots / "small.png")
            shrunk(shots / "small.png", PICTURES / "small.png", 1200)


if __name__ == "__main__":
    main()
