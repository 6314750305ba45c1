"""The workbench: pages in the browser, made here from templates that escape everything."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter

from babelspace.service.pages import (
    alignment,
    corpus,
    jobs,
    map,
    quality,
    review,
    search,
    sentences,
    start,
    topics,
    train,
    words,
)
from babelspace.service.pages.start import error_page

__all__ = ["STATIC", "error_page", "router"]

STATIC = Path(__file__).with_name("static")
router = APIRouter(include_in_schema=False)
for part in (start, review, search, corpus, train, quality, words, sentences, alignment, topics, map, jobs):
    router.include_router(part.router)
