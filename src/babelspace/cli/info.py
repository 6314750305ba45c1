"""`babelspace info`: the card of a model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from babelspace.cli import options
from babelspace.cli.output import scores_told, size, write_facts, write_json
from babelspace.cli.values import PATH
from babelspace.errors import ArtifactError


@click.command()
@click.argument("model", type=PATH)
@options.as_json
def command(model: Path, as_json: bool) -> None:
    """Show what a model is made of and how well it did.

    \b
    Example:
      babelspace info model
      babelspace info model --json
    """
    from babelspace.workflows.info import model_info

    card = model_info(model)
    if as_json:
        write_json({"model": str(model), **card})
    else:
        try:
            write_facts(_facts(model, card))
        except (AttributeError, KeyError, TypeError) as problem:
            raise ArtifactError(f"{model}: the model is damaged ({problem!r}). Fit it again.") from problem


def _facts(model: Path, card: Mapping[str, Any]) -> list[tuple[str, str]]:
    corpus, features = card["corpus"], card["vectorizer"]
    dimensions = "" if card["dimensions"] is None else f", {card['dimensions']:,} dimensions"
    facts = [
        ("model", f"{model} ({size(card['bytes'])})"),
        ("space", card["space"] + dimensions),
        ("parameters", _settings(card["parameters"])),
        ("languages", ", ".join(card["languages"])),
        ("corpus", f"{corpus['name']}: {corpus['rows']:,} rows, fingerprint {corpus['fingerprint'][:12]}"),
        ("documents", ", ".join(f"{name} {count:,}" for name, count in corpus["documents"].items())),
        ("vocabulary", f"{features['columns']:,} terms"),
        ("features", _settings(features["parameters"])),
    ]
    facts += [(name.replace("_", " "), _score(found)) for name, found in card["scores"].items()]
    versions = ", ".join(f"{name} {version}" for name, version in card["versions"].items())
    return [*facts, ("created", card["created"]), ("versions", versions)]


def _settings(parameters: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in parameters.items()) or "none"


def _score(found: Any) -> str:
    """One line for scores such as `fit` writes, JSON for others."""
    if not isinstance(found, dict) or not isinstance(found.get("mean"), dict):
        return json.dumps(found, ensure_ascii=False)
    return scores_told(found["mean"], found.get("rows"), found.get("untranslated", {}).get("mean"))
