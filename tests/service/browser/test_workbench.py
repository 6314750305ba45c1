"""The workbench in a real browser: every page, and from two spreadsheets to an export without a shell."""

from __future__ import annotations

import re

import openpyxl
import pytest

from babelspace import Review, planted
from tests.service.browser.conftest import accessible

# One worker starts the browser once; pages of words compile the kernels of alignment.
pytestmark = pytest.mark.family("alignment")

RTL = "\u0645\u0631\u062d\u0628\u0627"
BAD = "<img src=x onerror=alert(1)>"


@pytest.fixture
def full(folder, topic_model):
    """A folder with one of everything, and hostile texts."""
    topic_model.save(folder / "topics")
    pairs = [(f"{BAD}{n}", f"t{n}", f"{BAD} text {n}", f"{RTL} {n}", 1 - n / 80) for n in range(60)]
    Review.create(folder / "pairs.review", pairs, ("en", "ar"), precision=0.8).close()
    return folder


def told(page, where, text, negated=False):
    """Wait until the page says something, or no longer says it."""
    from playwright.sync_api import expect

    waiting = expect(page.locator(where))
    (waiting.not_to_have_text if negated else waiting.to_contain_text)(text, timeout=30_000)


def addresses(corpus):
    query = "+".join(corpus.texts("en")[3].split()[:6])
    word = corpus.texts("en")[3].split()[0]
    return {
        "start": "/",
        "reviews": "/review",
        "review": "/review/pairs.review",
        "search": f"/search?q={query}&language=en",
        "corpus": "/corpus?name=corpus",
        "doctor": "/corpus?name=corpus&model=model&one=en&other=es",
        "train": "/train?corpus=corpus",
        "quality": "/quality?model=model&corpus=corpus&one=en&other=es",
        "words": f"/words?corpus=corpus&one=en&other=es&q={word}",
        "sentences": "/sentences?corpus=corpus&one=en&other=es",
        "alignment": "/alignment?corpus=corpus&one=en&other=es",
        "topics": "/topics?model=topics&corpus=corpus&by=label",
        "map": "/map?model=model&corpus=corpus",
        "jobs": "/jobs",
    }


def test_every_page_is_quiet_and_accessible_in_light_and_dark_and_small(full, serve, page, served_corpus):
    service = serve(full)
    for name, address in addresses(served_corpus).items():
        answer = page.goto(service.address + address)
        assert answer.status == 200, (name, page.content()[:2000])
        if name == "map":
            told(page, "#told", re.compile(r"\d documents"))
        page.set_viewport_size({"width": 1280, "height": 900})
        accessible(page)
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": 390, "height": 844})
        accessible(page)
        page.emulate_media(color_scheme="light")
    assert page.evaluate("document.images.length") < 5


def test_a_review_by_keys_alone(full, serve, page, chromium):
    service = serve(full)
    page.goto(f"{service.address}/review/pairs.review?reviewer=ann")
    assert page.locator("#source_text img").count() == 0
    assert BAD in page.locator("#source_text").inner_text()
    first = page.locator("#source_id").inner_text()
    page.keyboard.press("v")
    told(page, "#said", "right, saved")
    with Review.open(full / "pairs.review") as review:
        assert review.standing().judged == 1
    page.keyboard.press("n")
    page.keyboard.type("another year")
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    told(page, "#judged", "2 of")
    page.keyboard.press("l")
    told(page, "#judged", "1 put off")
    page.keyboard.press("u")
    told(page, "#said", "Taken back")
    page.reload()
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    page.locator("#key_right").press("r")
    page.keyboard.press("Escape")
    second = chromium.new_page()
    second.goto(f"{service.address}/review/pairs.review?reviewer=bob")
    assert second.locator("#source_id").inner_text() == first
    second.keyboard.press("x")
    told(second, "#agreement", "ann and bob")
    second.close()
    page.keyboard.press("r")
    told(page, "#said", "right, saved")
    moved = page.evaluate("getComputedStyle(document.getElementById('target_text')).direction")
    assert moved == "rtl"


def test_a_lasso_leads_to_a_review_and_into_a_search(full, serve, page):
    service = serve(full)
    page.goto(f"{service.address}/map?model=model&corpus=corpus")
    told(page, "#told", re.compile(r"\d documents"))
    box = page.locator("#canvas").bounding_box()
    corners = [(0.01, 0.01), (0.99, 0.01), (0.99, 0.99), (0.01, 0.99), (0.01, 0.02)]
    at = [(box["x"] + across * box["width"], box["y"] + down * box["height"]) for across, down in corners]
    page.mouse.move(*at[0])
    page.mouse.down()
    for place in at[1:]:
        page.mouse.move(*place, steps=4)
    page.mouse.up()
    told(page, "#told", "documents are caught")
    page.locator("#list_name").fill("near")
    page.get_by_role("button", name="Keep").click()
    told(page, "#kept", "are kept as near")
    accessible(page)
    page.get_by_role("link", name="Search among them").click()
    assert page.locator("#within").input_value() == "near"
    page.wait_for_load_state("networkidle")
    page.goto(f"{service.address}/review?model=model&source=near&target=near&source_language=en&target_language=es")
    assert page.locator("#source").input_value() == page.locator("#target").input_value() == "near"


def spreadsheets(folder):
    """Two spreadsheets: rows with common ids are translations, the others are to be matched."""
    corpus = planted(rows=400, vocabulary=400, words=80, shared=0, seed=3)
    paths = []
    for language in ("en", "es"):
        book = openpyxl.Workbook()
        book.active.append(["id", "text"])
        for row, document in enumerate(corpus.documents(language)):
            book.active.append([document.id if row < 320 else f"{language}-{document.id}", document.text])
        paths.append(folder / f"{language}.xlsx")
        book.save(paths[-1])
    return paths


def test_from_two_spreadsheets_to_checked_pairs_without_a_shell(serve, page, tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    page.set_default_timeout(90_000)
    page.goto(serve(folder).address)
    page.get_by_role("link", name="Bring some texts").click()
    page.locator("#files").set_input_files(spreadsheets(tmp_path))
    page.locator("#upload_name").fill("wine")
    page.get_by_role("button", name="Upload", exact=True).click()
    understood = page.locator("main").inner_text()
    assert "320" in understood
    assert "What the doctor says" in understood
    page.get_by_role("link", name="Train on this corpus").click()
    page.locator("#space").select_option("opca")
    page.get_by_role("button", name="Show its settings").click()
    page.locator("#p_n_components").fill("20")
    page.locator("#holdout").fill("0.3")
    page.get_by_role("button", name="Train", exact=True).click()
    page.get_by_role("link", name="How good is it?").click()
    assert "Words as they are spelled" in page.locator("main").inner_text()
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Review").click()
    page.locator("#source_language").fill("en")
    page.locator("#target_language").fill("es")
    page.locator("#unpaired").check()
    page.locator("#precision").fill("0.7")
    page.get_by_role("button", name="Match").click()
    page.get_by_role("link", name=re.compile("^Review [0-9]+ pairs")).click()
    for _ in range(6):
        ids = page.locator("#source_id").inner_text(), page.locator("#target_id").inner_text()
        same = ids[0].removeprefix("en-") == ids[1].removeprefix("es-")
        before = page.locator("#judged").text_content()
        page.keyboard.press("v" if same else "x")
        told(page, "#judged", before, negated=True)
    assert "of" in page.locator("#observed").inner_text()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="TMX").first.click()
    memory = waiting.value.path().read_text(encoding="utf-8")
    assert memory.count("<tu ") > 20
    assert 'xml:lang="es"' in memory
