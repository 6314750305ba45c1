"""Options for dictionaries, bitexts and translators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from babelspace.cli.options import together
from babelspace.cli.parameters import parameters_of
from babelspace.cli.values import FILE, POSITIVE, FiniteRange, option

F = TypeVar("F", bound=Callable[..., Any])
Grids = dict[str, dict[str, list[Any]]]


# The sources of word-by-word translation.
word_options = together(
    option(
        "--lexicon [es-en=]FILE",
        "For translation: a dictionary (tsv, moses, muse, hunalign, bicleaner), words of es, then words of en; "
        "one for each language.  [default: learned from the documents]",
        multiple=True,
    ),
    option("--bitext CORPUS", "For translation: learn the words from these sentence pairs, a corpus of any format."),
)


def text_options(what: str) -> Callable[[F], F]:
    """`--translator`, `--translate-into`, `--translations`, `--translator-batch` and `--translator-timeout`."""
    return together(
        option(
            "--translator es=COMMAND",
            f"{what} the texts of a language with this program, which reads and writes lines; may be repeated.",
            name="translators",
            multiple=True,
        ),
        option("--translate-into en", "What into.  [default: the language without a program]"),
        option("--translations FILE", "Keep translations there, and take known ones from there.", FILE),
        option("--translator-batch N", "Texts that the program is started with.", POSITIVE, default=100),
        option(
            "--translator-timeout S",
            "Seconds that it may take for them.",
            FiniteRange(0, 1_000_000, min_open=True),
            default=600,
        ),
    )


def word_parameters(space: str, lexicon: Sequence[str], bitext: str | None) -> dict[str, Any]:
    """The parameters that these options set, of the space itself or of parts of a combination."""
    source = word_source(lexicon, bitext)
    if not source:
        return {}
    allowed = parameters_of(space)
    names = [name for name in allowed if name.rpartition(".")[2] == next(iter(source))]
    if not names:
        raise _misplaced(next(iter(source)), space)
    return {name: next(iter(source.values())) for name in names}


def word_grids(grids: Grids | None, spaces: Sequence[str], lexicon: Sequence[str], bitext: str | None) -> Grids | None:
    """The grids with these sources for all spaces, and parts of combinations, that translate words."""
    from babelspace.workflows.list_spaces import parts_of

    source = word_source(lexicon, bitext)
    if not source:
        return grids
    parts = dict.fromkeys(part for space in spaces for part in parts_of(space))
    taking = [part for part in parts if {*source} <= {*parameters_of(part)}]
    if not taking:
        raise _misplaced(next(iter(source)), ", ".join(spaces))
    values = {name: [value] for name, value in source.items()}
    return {**(grids or {}), **{part: {**(grids or {}).get(part, {}), **values} for part in taking}}


def translator_of(features: Mapping[str, Any], spaces: Sequence[str], languages: Sequence[str]) -> Any:
    """Settings of the translator, None without one; a space that needs one and has none is an error now."""
    from babelspace.workflows.list_spaces import needs_translator

    if not features["translators"]:
        needing = [space for space in spaces if needs_translator(space)]
        if needing:
            raise click.UsageError(
                f'{needing[0]} needs a translator; write for example --translator "es=apertium -u spa-eng".'
            )
        return None
    commands = dict(map(_command, features["translators"]))
    for language in commands:
        if language not in languages:
            known = ", ".join(languages)
            raise click.BadParameter(f"{language!r} is none of the languages {known}.", param_hint="'--translator'")
    cache = features["translations"]
    return {
        "into": features["translate_into"] or _only([code for code in languages if code not in commands]),
        "commands": commands,
        "batch": features["translator_batch"],
        "timeout": features["translator_timeout"],
        "cache": None if cache is None else str(cache),
    }


def _only(left: Sequence[str]) -> str:
    if len(left) != 1:
        raise click.UsageError(
            f"the languages without a --translator are {', '.join(left) or 'none'}; say into which one the others are "
            "translated, for example --translate-into en."
        )
    return left[0]


def _command(text: str) -> tuple[str, str]:
    language, equals, command = text.partition("=")
    if not (language and equals and command.strip()):
        raise click.BadParameter(
            f'{text!r} is not LANGUAGE=COMMAND; write for example "es=apertium -u spa-eng".',
            param_hint="'--translator'",
        )
    return language.strip(), command.strip()


def word_source(lexicon: Sequence[str], bitext: str | None = None) -> dict[str, Any]:
    """Where translations of words come from, as a parameter: a lexicon, several by their languages, or a bitext."""
    if lexicon and bitext:
        raise click.UsageError("--lexicon and --bitext are both given; give one of the two.")
    if bitext:
        return {"bitext": bitext}
    if len(lexicon) <= 1:
        return {"lexicon": lexicon[0]} if lexicon else {}
    pairs = [text.partition("=") for text in lexicon]
    if not all(equals for _, equals, _ in pairs):
        raise click.BadParameter(
            "several are given; say of each which languages it has: --lexicon es-en=FILE --lexicon fr-en=FILE.",
            param_hint="'--lexicon'",
        )
    return {"lexicon": {pair: path for pair, _, path in pairs}}


def _misplaced(setting: str, spaces: str) -> click.UsageError:
    return click.UsageError(f"--{setting} is for translation and translation-lsa; {spaces} uses none.")
