"""What pages say of commands, options, terms and one another is true, and every guide page is built alike."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest

import babelspace
from babelspace.cli.main import COMMANDS, cli
from benchmarks.report.reference import within

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
SITE = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]["nav"]
GUIDE, RECIPES = (
    [ROOT / "docs" / path for entry in part[name] for path in entry.values()]
    for part in SITE
    for name in ("Guide", "Recipes")
    if name in part
)
FENCE = re.compile(r"(?:^<!-- (?P<why>not run: [^\n]*?) -->\n+)?^ *```(?P<kind>\w*)\n(?P<text>.*?)^ *```", re.S | re.M)
OPTIONS = {
    path: {name for part in command.params for name in (*part.opts, *part.secondary_opts)} | {"--help", "-h"}
    for name in COMMANDS
    for path, command in within(name, cli.get_command(click.Context(cli), name))
}
# Words that somebody who is new here would not guess; a page that uses one says once where it is explained.
JARGON = {
    "mates?": "mate", "holes?": "hole", "decoys?": "decoy", "beads?": "bead", "cepts?": "cept", "CSLS": "csls",
    "hubness": "hub", "Top-1": "top-1-top-10-mrr", "held[ -]out": "held-out-rows", "verdicts?": "verdict",
    "untranslated": "baseline-untranslated", "pivot": "pivot", "NULL": "null", "fertility": "fertility",
    "calibrated?": "calibration", "dev": "dev-test", "nDCG(@10)?": "ndcg", "ECE": "calibration-error-ece",
}  # fmt: skip


def name(path):
    return path.relative_to(ROOT).as_posix()


def pages(paths):
    return pytest.mark.parametrize("path", paths, ids=name)


def prose(path):
    """A page without its blocks, formulas, comments and front matter."""
    text = re.sub(r"\A---\n.*?^---\n", "", path.read_text(encoding="utf-8"), flags=re.S | re.M)
    return re.sub(r"<!--.*?-->|\$\$.*?\$\$", "", FENCE.sub("", text), flags=re.S)


def slug(heading):
    """As the site and repositories make it."""
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def anchors(path):
    found = {slug(heading) for heading in re.findall(r"^#+ (.*)$", prose(path), re.MULTILINE)}
    return found | set(re.findall(r'id="([\w-]+)"', path.read_text(encoding="utf-8")))


@pages(PAGES)
def test_every_anchor_is_there(path):
    links = re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", path.read_text(encoding="utf-8"))
    own = [(target, anchor) for target, anchor in links if "://" not in target]
    assert not [anchor for target, anchor in own if anchor not in anchors(path.parent / target if target else path)]


def typed(path):
    """Command lines in blocks, and those that stand in the text as code."""
    text = path.read_text(encoding="utf-8")
    for block in FENCE.finditer(text):
        whole = re.sub(r"\\\n\s*", "", block["text"])
        yield from re.findall(
            r"^(?:\$ )?(?:\w+=\S+ )*(babelspace [^\n]*|python -m benchmarks[^\n]*)", whole, re.MULTILINE
        )
    yield from re.findall(r"`(babelspace [^`]*|python -m benchmarks[^`]*)`", FENCE.sub("", text))


def command_in(words):
    """The command that words begin with, of up to three of them."""
    return next((path for end in (3, 2, 1) if (path := " ".join(words[:end])) in OPTIONS), None)


def unknown_options(line):
    """Options of a command line that its command has not; None if there is no such command."""
    words = shlex.split(re.split(r"\s+[|#>]", line.replace("\n", " "))[0])
    command = command_in(words[1:])
    if command is None:
        return None
    options = {word.partition("=")[0] for word in words[2:] if re.fullmatch(r"--?[a-z][\w-]*(=.*)?", word)}
    return options - OPTIONS["serve run" if command == "serve" else command]


@pages(PAGES)
def test_every_command_line_can_be_typed(path):
    for line in typed(path):
        if line.startswith("python"):
            module = ROOT / line.split()[2].replace(".", "/")
            assert module.with_suffix(".py").is_file() or (module / "__main__.py").is_file(), line
            continue
        unknown = unknown_options(line)
        # "babelspace COMMAND --help", "babelspace serves work at …", "babelspace 0.1.0"
        other = re.fullmatch(r"babelspace (COMMAND.*|--[\w-]+|serves .*|[\d.]+|needs .*)", line)
        assert unknown == set() or (unknown is None and other), f"{line}: {unknown}"


def examples():
    """Every command line that commands show in their help."""
    for name in COMMANDS:
        for _, command in within(name, cli.get_command(click.Context(cli), name)):
            shown = re.sub(r"\\\n\s*", "", (command.help or "").partition("Example:")[2])
            yield from re.findall(r"(?<![\w/])babelspace [^\n]*", shown)


@pytest.mark.parametrize("line", list(examples()))
def test_every_example_of_a_command_can_be_typed(line):
    assert unknown_options(line) == set()
    assert unknown_options(f"{line.partition(' | ')[0]} --nonsense=1") == {"--nonsense"}


@pages([path for path in PAGES if path.name != "CHANGELOG.md" and path.parent.name != "results"])
def test_every_option_that_is_named_is_one(path):
    anywhere = set().union(*OPTIONS.values(), {"--version"})
    for code in re.findall(r"`([^`\n]+)`", prose(path)):
        known = anywhere if code.startswith("--") else OPTIONS.get(command_in(code.split()))
        assert known is None or not set(re.findall(r"(?<!\S)--[a-z][\w-]*", code)) - known, code


@pages([ROOT / "README.md", *GUIDE, *RECIPES, ROOT / "docs" / "index.md"])
def test_every_block_with_commands_is_run_or_says_why_not(path):
    for block in FENCE.finditer(path.read_text(encoding="utf-8")):
        loose = block["kind"] not in ("console", "python") and block["why"] is None
        assert not (loose and re.search(r"^(\$ |babelspace |python )", block["text"], re.MULTILINE)), block["text"]


@pages(PAGES)
def test_what_is_public_is_imported_from_the_top(path):
    deep = re.findall(r"^(?:>>> )?from babelspace\.[\w.]+ import (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert not {name for names in deep for name in names.split(", ")} & set(babelspace.__all__)


def terms():
    """Slug -> term of the glossary."""
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    return dict(re.findall(r'^<span id="([\w-]+)">(.+?)</span>\n:   ', text, re.MULTILINE))


def test_the_glossary_is_in_order_and_says_each_word_once():
    words = list(terms().values())
    assert len(words) > 40
    assert words == sorted(words, key=str.lower)
    assert [slug(word.replace(", ", " ").replace(" (", " ").replace(")", "")) for word in words] == list(terms())


def test_what_the_glossary_stresses_is_explained_in_it():
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    known = {word.lower() for term in terms().values() for word in re.split(r" *[,()] *", term)}
    stressed = {word.lower().removesuffix("s") for word in re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", text)}
    assert not [word for word in stressed if word not in known and f"{word}s" not in known]


@pages([*GUIDE, *RECIPES])
def test_words_of_the_house_lead_to_the_glossary(path):
    text = re.sub(r"`[^`]*`", "", prose(path))
    linked = set(re.findall(r"glossary\.md#([\w-]+)\)", text))
    used = {anchor for word, anchor in JARGON.items() if re.search(rf"(?<![\w`-]){word}(?![\w`-])", text)}
    assert not used - linked
    assert not linked - set(terms())


@pages([*GUIDE, *RECIPES])
def test_a_guide_page_says_what_one_gets_and_where_to_go_next(path):
    text = path.read_text(encoding="utf-8")
    first = re.match(r"# [^\n]+\n\n?(?P<intro>[A-Z`][^\n]+\n(?:[^\n]+\n)*)", text)
    assert first, "begins with a heading and a paragraph"
    example = FENCE.search(text)
    assert example and text.count("\n", 0, example.start()) < 30, "the first example stands near the top"
    last = re.findall(r"^## (.*)$", text, re.MULTILINE)[-1]
    assert last == "Where next"
    assert text.rpartition("## Where next")[2].count("](") >= 2


@pages([ROOT / "README.md", ROOT / "docs" / "index.md", *GUIDE, *RECIPES])
def test_sentences_are_short(path):
    """What nobody can read at once has no place in a guide: more than 40 words between two stops are too many."""
    plain = re.sub(r"^\|.*$|^#+ .*$|^!\[.*$", "", re.sub(r"`[^`]*`", "code", prose(path)), flags=re.MULTILINE)
    plain = re.sub(r"\]\([^)]*\)", "]", plain)
    for part in re.split(r"\n\n|\n(?=- |\d+\. )", plain):
        for sentence in re.split(r"(?<=[.!?:;])\)?\s", part):
            assert len(sentence.split()) <= 40, sentence
