"""How soon does the review page react to a key? Verdicts by keys in a real Chromium, on a review of many pairs."""

from __future__ import annotations

import random
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from babelspace import Review
from benchmarks.report.workbench_pictures import CHROMIUM

# One wrong pair in ten, as somebody who reviews would find them.
WRONG = 0.1
# From the key to the pair that comes next, in the page: the verdict is on the disk by then.
WATCH = """() => {
  window.took = [];
  let pressed = null;
  document.addEventListener("keydown", () => (pressed = performance.now()), true);
  new MutationObserver(() => {
    if (pressed !== null) window.took.push(performance.now() - pressed);
    pressed = null;
  }).observe(document.getElementById("source_id"), { childList: true, characterData: true, subtree: true });
}"""


def make_review(path: Path, texts: dict[str, list[str]], pairs: int, model: Path) -> None:
    """Pairs of invented texts, whose probabilities fall from 1 to 0."""
    chosen = random.Random(5)
    rows = [
        (f"s{row}", f"t{row}", chosen.choice(texts["en"]), chosen.choice(texts["es"]), 1 - (row / pairs) ** 3)
        for row in range(pairs)
    ]
    Review.create(path, rows, ("en", "es"), model=str(model)).close()


def reactions(port: int, name: str, presses: int) -> dict[str, Any]:
    """Milliseconds from a key to the next pair."""
    chosen = random.Random(6)
    with import_module("playwright.sync_api").sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        # What waits in the page is evaluated there, which the pages' own policy forbids.
        page = browser.new_page(bypass_csp=True)
        page.goto(f"http://127.0.0.1:{port}/review/{name}?reviewer=ann")
        page.evaluate(WATCH)
        for number in range(1, presses + 1):
            page.keyboard.press("x" if chosen.random() < WRONG else "v")
            page.wait_for_function(f"window.took.length >= {number}")
        took = page.evaluate("window.took")
        browser.close()
    percentiles = {f"p{p}_ms": float(np.percentile(took, p)) for p in (50, 95, 99)}
    return {"presses": presses, **percentiles, "most_ms": max(took)}
