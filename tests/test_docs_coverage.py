"""Nothing that users can type, set or find in a file is missing from the docs."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import sqlite3
import tomllib
from pathlib import Path

import click
import pytest

import babelspace
from babelspace.cli.main import COMMANDS, cli
from babelspace.corpus.readers import FORMATS as READ
from babelspace.corpus.readers.limits import Limits
from babelspace.runtime.exports.formats import FORMATS as WRITTEN
from babelspace.runtime.files import PACKED
from babelspace.service.settings import ServiceSettings
from benchmarks.report.reference import within

ROOT = Path(__file__).parents[1]
ESTIMATORS = [
    name
    for name in babelspace.__all__
    if inspect.isclass(kind := getattr(babelspace, name)) and (hasattr(kind, "_parameters") or hasattr(kind, "fit"))
]


def page(name):
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def section(name, title):
    """What a page says under a heading, up to the next one."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#+ |\Z)", page(name), re.DOTALL | re.MULTILINE)
    assert found, f"docs/{name} has no heading {title!r}"
    return found[1]


def told(name, text):
    """Whether a text has the name as code; alone, or among others."""
    code = re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE))
    return any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", part) for part in code)


@pytest.mark.parametrize("name", babelspace.__all__)
def test_every_public_name(name):
    assert re.search(rf"^(      heading:|###) babelspace\.{name}$", page("reference/python.md"), re.MULTILINE)


def commands():
    for name in COMMANDS:
        yield from within(name, cli.get_command(click.Context(cli), name))


@pytest.mark.parametrize(("path", "command"), list(commands()), ids=lambda part: part if isinstance(part, str) else "")
def test_every_command_and_every_option(path, command):
    text = section("reference/commands.md", path)
    options = [name for part in command.params if isinstance(part, click.Option) for name in part.opts]
    assert not [name for name in options if not re.search(rf"(?<![\w-]){name}(?![\w-])", text)]
    assert not [part.name for part in command.params if getattr(part, "hidden", False)], "an option that --help hides"
    assert command.help and (getattr(command, "commands", None) or "Example:" in text)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_parameter_of_an_estimator(name):
    kind = getattr(babelspace, name)
    shown = inspect.getdoc(kind) or ""
    assert not [one for one in inspect.signature(kind).parameters if not re.search(rf"(?<!\w){one}(?!\w)", shown)]


@pytest.mark.parametrize("name", [*babelspace.SPACES, *(f"Aligner: {name}" for name in babelspace.ALIGNERS)])
def test_every_space_and_aligner_has_its_parameters(name):
    kind = babelspace.ALIGNERS.get(name.removeprefix("Aligner: ")) or babelspace.SPACES[name].load()
    text = section("reference/spaces.md", name)
    assert not [parameter for parameter in kind._parameters if f"\n| `{parameter}` |" not in text]
    assert name.startswith("Aligner") or told(name, page("spaces.md"))


def environment_variables():
    """Those that the source asks for, and those of the sizes that are read."""
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    asked = re.findall(r"environ(?:\.get\(|\[)\"(\w+)\"", source) + re.findall(r"= \"(BABELSPACE_\w+)\"", source)
    asked += re.findall(r"\"(BABELSPACE_\w*[A-Z])\"", source)
    return sorted({*asked, *(f"BABELSPACE_MAX_{field.name.upper()}" for field in dataclasses.fields(Limits))})


@pytest.mark.parametrize("name", [*environment_variables(), "NUMBA_CACHE_DIR", "_BABELSPACE_COMPLETE"])
def test_every_environment_variable(name):
    assert f"`{name}`" in section("reference/settings.md", "Environment")


def test_every_setting_of_the_service_with_its_option():
    text = section("reference/settings.md", "The service")
    listed = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    assert sorted(listed) == sorted(field.name for field in dataclasses.fields(ServiceSettings))
    serve = cli.get_command(click.Context(cli), "serve")
    options = {name for part in serve.commands["run"].params for name in part.opts}
    assert set(re.findall(r"`(--[\w-]+)` \|", text)) <= options | {"--no-audit"}


def test_every_extra():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    listed = re.findall(r"^\| `(\w+)` \|", section("reference/settings.md", "Extras"), re.MULTILINE)
    assert sorted(listed) == sorted(extras)
    readme = (ROOT / "README.md").read_text(encoding="utf-8").partition("\nExtras: ")[2]
    assert not [name for name in extras if f"`{name}`" not in readme]


def test_every_format_that_is_read_or_written():
    reading, writing = page("corpora.md"), page("exports.md")
    assert not [name for name in READ if not re.search(rf"^\|.*`{name}`.*\|", reading, re.MULTILINE)]
    assert not [suffix for row in WRITTEN for suffix in row.suffixes if f"`{suffix}`" not in writing]
    assert not [suffix for suffix in PACKED if f"`{suffix}`" not in reading or f"`{suffix}`" not in writing]


def untold(card, *titles):
    """The fields of a card, and of the objects in it that the page takes apart, which it does not name."""
    text = "".join(section("reference/file-formats.md", title) for title in ("Every card", *titles))
    inside = [name for part in ("corpus", "vectorizer") for name in card.get(part, {})]
    inside += [name for row in card.get("expected", []) for name in row]
    return [name for name in (*card, *inside) if not told(name, text)]


@pytest.fixture(scope="module")
def folder(planted_corpus, tmp_path_factory):
    """A model, an index and a classifier."""
    place = tmp_path_factory.mktemp("cards")
    rows = zip(planted_corpus.texts("en"), planted_corpus.texts("es"), strict=True)
    corpus = babelspace.AlignedCorpus.from_dicts(
        {"en": one, "es": other, "label": "odd" if number % 2 else "even"} for number, (one, other) in enumerate(rows)
    )
    encoder = babelspace.fit_model(corpus, "cl-lsi", n_components=10)
    encoder.save(place / "model")
    babelspace.build_index(place / "index", place / "model", corpus[:9].documents("es")).close()
    babelspace.train_classifier(encoder, corpus, "en").save(place / "classifier")
    return place


def card(path):
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("name", "title"),
    [("model/card.json", "Model"), ("index/index.json", "Index"), ("classifier/classifier/card.json", "Classifier")],
)
def test_every_field_of_a_card(folder, name, title):
    assert not untold(card(folder / name), title)


def test_every_file_and_table_of_a_folder(folder):
    text = page("reference/file-formats.md")
    names = {path.name for path in folder.rglob("*") if path.is_file() and path.suffix != ".npy"}
    assert not [name for name in names if not told(re.sub(r"\.es\.txt$", ".en.txt", name), text)]
    with sqlite3.connect(folder / "index" / "documents.sqlite") as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        tables = [name for name in tables if not name.startswith("sqlite_")]
        columns = [row[1] for name in tables for row in database.execute(f"PRAGMA table_info({name})")]
    database.close()
    assert not [name for name in (*tables, *columns) if not told(name, text)]


@pytest.mark.family("alignment")
def test_every_field_of_the_card_of_an_aligner(tmp_path):
    words = [["one", "two"], ["two", "three"]]
    babelspace.make_aligner("ibm1").fit(babelspace.Bitext.of(words, words)).save(tmp_path / "aligner")
    assert not untold(card(tmp_path / "aligner" / "card.json"), "Aligner")
