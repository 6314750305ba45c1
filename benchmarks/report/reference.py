"""docs/reference/: every command with its options, every public name, every parameter of every space."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping
from typing import Any

import click

import babelspace
from babelspace.cli.main import COMMANDS, cli
from babelspace.runtime.parameters import Table, defaults_of, table_of
from babelspace.workflows.list_spaces import card, defaults, list_spaces, parameters
from benchmarks.common import ROOT

FOLDER = ROOT / "docs" / "reference"
MADE = "Made by `python -m benchmarks.report write`; do not edit by hand."
# The public names by what one does with them; a name that stands nowhere here comes last.
THEMES = {
    "Corpora": "AlignedCorpus Document Split read_corpus read_documents stream_documents write_folder "
    "reading_limits sample planted",
    "From a corpus to a model": "fit_model fit_from_dictionary fit_on_disk extend_model check Encoder "
    "LanguageEncoder evaluate "
    "evaluate_queries Evaluation RetrievalScore compare Comparison list_spaces model_info estimate_fit estimate_space "
    "estimate_match estimate_index Estimate look_at",
    "Features": "ViewsVectorizer Views Analyzer SentenceSplitter stop_words Translator",
    "Matching": "match match_files Pairs rank rank_documents rank_on_disk Candidates RankedDocuments "
    "DocumentFile explain Explanation doctor diagnose Diagnosis Review make_review grow "
    "Growth",
    "Search and vectors": "build_index Index search_documents search_paths Hits Hit Range query_language embed "
    "embed_on_disk compress_shards VectorShards CompressedVectors SentenceEncoder",
    "Classification": "train_classifier evaluate_classifier CrossLanguageClassifier SemanticKernel class_labels "
    "without_rare class_scores_of",
    "Word alignment and dictionaries": "align train_aligner load_aligner make_aligner ALIGNERS Aligner IBM1 IBM2 HMM "
    "Fertility Bitext Links LinkPosteriors NBest Associations CeptAligner Cepts symmetrize score_alignment "
    "lexicon Lexicon read_lexicon",
    "Sentences and terms": "mine_sentences SentencePairs link_bitext LinkedBitext extract_terms look_up project_file",
    "Topics and maps": "topics map_documents map_page map_data DocumentMap",
    "Spaces": "SPACES Space LinearSpace Untranslated CLLSI CCA KernelCCA OPCA S2Net Cr5 JPLSA CPLSA CSAM MLDA "
    "VariationalMLDA CollapsedMLDA CLESA ONETA ONEigen ExplicitLSI LSolve Translation TranslationLSA Translated "
    "TranslatedLSA Combine",
    "Results and progress": "Result Stage show_progress warm_up",
    "Errors": "BabelspaceError ArtifactError CorpusError EngineError HolesError MissingExtra ParameterError StoreError "
    "TranslatorError UnknownLanguage",
}


def commands() -> str:
    """Each command as it tells about itself."""
    listed = [f"| [`{name}`](#{name}) | {entry.summary} |" for name, entry in COMMANDS.items()]
    parts = [part for name in COMMANDS for part in _command(name)]
    head = f"# Commands\n\n{MADE} `babelspace COMMAND --help` shows the same in a terminal.\n"
    return "\n".join([head, "| command | |", "|---|---|", *listed, "", *parts])


def _command(name: str) -> Iterator[str]:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    for path, inner in within(name, command):
        yield f"{'#' * min(path.count(' ') + 2, 3)} {path}\n"
        yield f"```text\n{_help(inner, f'babelspace {path}')}\n```\n"


def within(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """A command and, if it is a group, all that it holds."""
    yield path, command
    for part, inner in getattr(command, "commands", {}).items():
        yield from within(f"{path} {part}", inner)


def _help(command: click.Command, path: str) -> str:
    with click.Context(
        command, info_name=path, terminal_width=100, max_content_width=100, show_default=True
    ) as context:
        return click.unstyle(command.get_help(context)).rstrip()


def names() -> str:
    """Each public name, for mkdocstrings to show."""
    head = f"# Python\n\nEvery public name of `babelspace`, as its docstring tells. {MADE}\n"
    return "\n".join([head, *(line for title, named in _themes() for line in _theme(title, named))])


def _themes() -> Iterator[tuple[str, list[str]]]:
    listed = {name for named in THEMES.values() for name in named.split()}
    for title, named in THEMES.items():
        yield title, [name for name in named.split() if name in babelspace.__all__]
    rest = [name for name in babelspace.__all__ if name not in listed]
    if rest:
        yield "More", rest


def _theme(title: str, named: list[str]) -> Iterator[str]:
    yield f"## {title}\n"
    for name in named:
        value = getattr(babelspace, name)
        module = getattr(value, "__module__", None)
        if inspect.isclass(value) or inspect.isfunction(value):
            yield f"::: {module}.{value.__qualname__}\n    options:\n      heading: babelspace.{name}\n"
        else:
            yield f"### babelspace.{name}\n\n{_constant(value)}\n"


def _constant(value: object) -> str:
    return f"A table of {', '.join(f'`{key}`' for key in value)}." if isinstance(value, dict) else f"`{value!r}`"


def spaces() -> str:
    """What every parameter of every space, aligner and classifier may be, and does."""
    head = (
        f"# Parameters of spaces, aligners and classifiers\n\n{MADE} `--set NAME=VALUE` sets one on the command line, "
        "a keyword argument in Python; `n_components` is `--dim` and `random_state` is `--seed` there. Those of the "
        "vectorizer, which have options of their own, are at [`ViewsVectorizer`](python.md#features).\n"
    )
    return "\n".join([head, *(line for row in list_spaces() for line in _space(row["name"])), *_others()])


def _space(name: str) -> Iterator[str]:
    yield f"## {name}\n\n{card(name).title} ({card(name).citation}).\n"
    yield from _parameters(parameters(name), defaults(name))


def _others() -> Iterator[str]:
    aligners = {f"Aligner: {name}": kind for name, kind in babelspace.ALIGNERS.items()}
    rest = {"Cepts": babelspace.CeptAligner, "Classifier": babelspace.CrossLanguageClassifier}
    for title, kind in (aligners | rest).items():
        yield f"## {title}\n\n{inspect.getdoc(kind).partition(chr(10))[0]}\n"  # type: ignore[union-attr]
        yield from _parameters(table_of(kind), defaults_of(kind))


def _parameters(table: Table, values: Mapping[str, Any]) -> Iterator[str]:
    if not table:
        yield "It has no parameters.\n"
        return
    yield "| parameter | default | allowed | meaning |\n|---|---|---|---|"
    for key, part in table.items():
        default = f"`{json.dumps(values[key])}`" if key in values else ""
        cells = [f"`{key}`", default, part.allowed, part.text]
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    yield ""


REFERENCE = {FOLDER / "commands.md": commands, FOLDER / "python.md": names, FOLDER / "spaces.md": spaces}
