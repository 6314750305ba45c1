"""Options that several commands share, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from babelspace.cli.output import check_model_place, check_place, to_stdout
from babelspace.cli.values import BELOW_ONE, COUNT, FILE, PATH, POSITIVE, FiniteRange

if TYPE_CHECKING:
    from babelspace import ViewsVectorizer

F = TypeVar("F", bound=Callable[..., Any])

# Written out here, because the modules that define them are slow to import; a test compares.
TABLES = ("csv", "tsv", "xlsx", "parquet", "arrow", "json")
FORMATS = ("folder", "tree", *TABLES, "tmx", "xliff", "po", "tbx", "zip", "jsonl", "moses")
WEIGHTINGS = ("log-tf-idf", "tf", "relative", "tf-idf", "sqrt", "bm25", "log-entropy")
SEGMENTERS = ("auto", "icu", "rjieba", "fugashi", "bigrams")
CORRECTIONS = ("none", "csls", "margin")
ONE_LANGUAGE = {"rjieba": "zh", "fugashi": "ja"}


def _language(name: str) -> str:
    """`English` and `EN` as `en`; other codes as they are written, because a corpus may write them so."""
    if name.islower() and len(name.partition("-")[0]) <= 3:
        return name
    from babelspace.workflows.reading import language_code

    return language_code(name) or name


def language_codes(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """`en,es` as a tuple of codes."""
    if value is None:
        return None
    codes = tuple(dict.fromkeys(_language(code.strip()) for code in value.split(",")))
    if not all(codes):
        raise click.BadParameter(f"{value!r} has an empty code; write codes with commas between, for example en,es")
    return codes


def _ngram_sizes(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, int]:
    """`3,5` (or `4`, for 4,4) as shortest and longest."""
    parts = value.split(",")
    if len(parts) > 2 or not all(part.strip().isdecimal() for part in parts):
        raise click.BadParameter(f"{value!r} is not one or two whole numbers; write for example 3,5")
    shortest, longest = int(parts[0]), int(parts[-1])
    if not 1 <= shortest <= longest:
        raise click.BadParameter(f"{value!r}: the shortest must be 1 or more and not above the longest; try 3,5")
    return shortest, longest


def _segmenters(ctx: click.Context, param: click.Parameter, value: str) -> dict[str, Any]:
    """`bigrams` for all languages, `zh=rjieba,ja=fugashi` for some, as settings of the vectorizer's analyzer."""
    settings: dict[str, Any] = {}
    for part in value.split(","):
        language, equals, name = (piece.strip() for piece in part.rpartition("="))
        if name not in SEGMENTERS or (equals and not language):
            raise click.BadParameter(f"{part!r}; use {', '.join(SEGMENTERS)}, alone or as zh=rjieba,ja=fugashi")
        if not equals and name in ONE_LANGUAGE:
            raise click.BadParameter(f"{name} cuts one language only; write {ONE_LANGUAGE[name]}={name}")
        if equals:
            settings[language] = {"segmenter": name}
        elif name != "auto":
            settings["segmenter"] = name
    return settings


def given_by_hand(name: str) -> bool:
    """Whether the user typed this option."""
    return click.get_current_context().get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE


def one_standard_input(**files: str | None) -> None:
    """Standard input can be read only once."""
    named = [name.upper() for name, path in files.items() if path == "-"]
    if len(named) > 1:
        raise click.UsageError(f"only one of {' and '.join(named)} can be standard input.")


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """One decorator for several, in this order."""

    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def languages(text: str) -> Callable[[F], F]:
    """`--languages en,es`."""
    return click.option("--languages", callback=language_codes, metavar="en,es", help=text)


def _kept_for_reading(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Readers take settings from around them: no command does anything else with them."""
    if value is not None and param.name is not None:
        from babelspace.workflows.reading import reading_with

        ctx.with_resource(reading_with(**{param.name: value}))
    return value


def _limited(ctx: click.Context, param: click.Parameter, value: int | None) -> None:
    """The limit holds until the command has ended."""
    if value is not None:
        from babelspace.runtime.threads import limit

        ctx.with_resource(limit(value))


def _columns(ctx: click.Context, param: click.Parameter, value: str | None) -> dict[str, str] | None:
    """`English=en,Español=es` as {"English": "en", "Español": "es"}."""
    if value is None:
        return None
    pairs = [part.rpartition("=") for part in value.split(",")]
    if not all(name.strip() and code.strip() for name, _, code in pairs):
        raise click.BadParameter(f"{value!r} is not COLUMN=LANGUAGE,…; write for example English=en,Español=es")
    columns = {name.strip(): code.strip() for name, _, code in pairs}
    _kept_for_reading(ctx, param, columns)
    return columns


def _reading(flag: str, text: str, metavar: str | None = None, **others: Any) -> Callable[[F], F]:
    others.setdefault("callback", _kept_for_reading)
    return click.option(flag, expose_value=False, metavar=metavar, help=text, default=None, **others)


table_columns = together(
    _reading("--columns", "Columns of a table that hold texts.", "English=en,…", callback=_columns),
    _reading("--id", "Column of ids.  [default: id]", "COLUMN"),
    _reading("--text", "Column of texts, where each row is a document.  [default: text]", "COLUMN"),
    _reading("--language-column", "Column of languages of such rows.  [default: lang]", "COLUMN"),
    _reading("--delimiter", "What stands between cells of a .csv.  [default: told by its header]", "SIGN"),
    _reading("--encoding", "Of a table.  [default: UTF-8, or by its byte order mark]", "NAME"),
    _reading("--quoting/--no-quoting", "Whether cells may stand in quotes.  [default: in .csv]"),
    _reading("--sheet", "Sheet of a workbook.  [default: the first]", "NAME"),
    _reading("--regions/--no-regions", "Keep en-US and en-GB of a translation memory apart.  [default: no]"),
)
corpus_format = together(
    click.option(
        "--format",
        "corpus_format",
        type=click.Choice(FORMATS),
        help="Format of the corpus, where the path does not tell it.",
    ),
    table_columns,
)
as_json = click.option("--json", "as_json", is_flag=True, help="Write JSON to stdout instead of text for people.")
document_language = click.option(
    "--language", metavar="CODE", help="Language of the documents, where the file does not tell it."
)
threads = click.option(
    "--threads",
    type=POSITIVE,
    metavar="N",
    help="Threads to use.  [default: all]",
    expose_value=False,
    callback=_limited,
)
seed = click.option("--seed", type=COUNT, default=0, help="Seed of the fit.")
pile_languages = together(
    click.option("--source-language", metavar="CODE", help="Where the name of SOURCE does not tell it."),
    click.option("--target-language", metavar="CODE", help="Where the name of TARGET does not tell it."),
)
pair_precision = click.option(
    "--precision",
    type=BELOW_ONE,
    default=0.95,
    metavar="SHARE",
    help="Keep as many pairs as leave this share of them right; 0 keeps all.",
)
space_settings = click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of the space; may be repeated."
)
store = click.option(
    "--store", metavar="URL", help="Address of the index's database, if it has moved or needs a password."
)


SIZES = {"K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def _bytes(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """`8G` as bytes."""
    if value is None:
        return None
    number, unit = (value[:-1], value[-1].upper()) if value[-1:].upper() in SIZES else (value, "")
    try:
        size = float(number) * SIZES.get(unit, 1)
    except ValueError:
        size = 0.0
    if not 1 <= size < 1e18:
        raise click.BadParameter(f"{value!r} is no size; write for example 8G or 500M")
    return int(size)


engine = click.option(
    "--engine",
    metavar="URL",
    help="Where blocks are worked on: processes://4, dask://scheduler:8786, dask://local?workers=4.  [default: here]",
)
max_memory = click.option(
    "--max-memory", callback=_bytes, metavar="SIZE", help="Refuse what would take more, for example 8G.  [default: any]"
)


def model_folder(what: str = "MODEL") -> Callable[[F], F]:
    """-o for a command that saves a model, which replaces a model only."""
    option = click.option("-o", "--output", type=PATH, required=True, metavar=what, help="Folder to save it as.")

    def decorate(command: F) -> F:
        @wraps(command)
        def checked(output: Path, **others: Any) -> Any:
            check_model_place(output)
            return command(output=output, **others)

        return option(cast(F, checked))

    return decorate


def output_file(text: str) -> Callable[[F], F]:
    """-o for a command that writes one file."""
    option = click.option("-o", "--output", type=FILE, metavar="FILE", help=text)

    def decorate(command: F) -> F:
        @wraps(command)
        def checked(output: Path | None, **others: Any) -> Any:
            check_place(output, inputs=others.values())
            return command(output=output, **others)

        return option(cast(F, checked))

    return decorate


def result_file(kind: str, text: str, unless: str = "") -> Callable[[F], F]:
    """-o for a command that writes a result: a suffix that it cannot be written in is refused before the work.

    `unless` is an option that names the format instead.
    """
    from babelspace.runtime.exports.formats import allowed, output_format

    def decorate(command: F) -> F:
        @wraps(command)
        def checked(output: Path | None, **others: Any) -> Any:
            if output is not None and not to_stdout(output) and not others.get(unless):
                output_format(output, kind)
            return command(output=output, **others)

        return output_file(f"{text}  The suffix decides: {allowed(kind)}.")(cast(F, checked))

    return decorate


def correction(default: str | None, told: str | None = None) -> Callable[[F], F]:
    """`--correction csls`; what no default stands for is `told`."""
    return click.option(
        "--correction",
        type=click.Choice(CORRECTIONS),
        default=default,
        show_default=told,
        help="How to correct scores for hubs, documents that are near to everything.",
    )


vectorizer_options = together(
    click.option(
        "--features", type=click.Choice(("words", "characters", "both")), default="words", help="What is counted."
    ),
    click.option(
        "--ngrams", callback=_ngram_sizes, default="3,5", metavar="3,5", help="Shortest and longest character n-gram."
    ),
    click.option(
        "--vocabulary",
        type=click.Choice(("shared", "separate")),
        default="shared",
        help="One slot for a spelling in all languages, or slots of its own for each language.",
    ),
    click.option("--drop-top", type=COUNT, default=50, help="Drop the top N terms."),
    click.option(
        "--max-terms", type=COUNT, default=10_000, help="Keep the next N terms of each language; 0 keeps all."
    ),
    click.option("--min-count", type=POSITIVE, default=2, help="Drop rarer terms."),
    click.option(
        "--max-df",
        type=FiniteRange(0, 1, min_open=True),
        default=1.0,
        help="Drop terms in a larger share of the documents.",
    ),
    click.option("--pool-terms", is_flag=True, help="Choose terms over all languages together, not in each."),
    click.option(
        "--weighting",
        type=click.Choice(WEIGHTINGS),
        default="log-tf-idf",
        show_default="log-tf-idf; tf for topic models",
        help="Weight of a count.",
    ),
    click.option(
        "--normalize/--no-normalize",
        default=True,
        show_default="normalize; not for topic models",
        help="Bring documents to one length.",
    ),
    click.option(
        "--segmenter",
        callback=_segmenters,
        default="auto",
        metavar="NAME|zh=NAME,…",
        help="How words are found: auto, icu, bigrams; zh=rjieba, ja=fugashi.",
    ),
    click.option("--keep-numbers/--drop-numbers", default=True, help="Count numbers, too."),
    click.option("--strip-marks", is_flag=True, help="Drop accents and vowel points."),
    click.option(
        "--stop-words",
        default="none",
        metavar="LIST|FILE|en=FILE,…",
        help="Words to leave out: none, function (words of grammar alone), or a file with one a line.",
    ),
    click.option("--simplify-chinese", is_flag=True, help="Turn traditional into simplified characters (zh)."),
)


def counts_unless_given() -> dict[str, Any]:
    """Settings that make plain counts for a space that needs them, unless the user chose other weights or lengths."""
    context, default = click.get_current_context(), click.core.ParameterSource.DEFAULT
    chosen = {name for name in ("weighting", "normalize") if context.get_parameter_source(name) is not default}
    if "weighting" in chosen and context.params["weighting"] not in ("tf", ["tf"], ("tf",)):
        return {}
    return {name: value for name, value in {"weighting": "tf", "normalize": False}.items() if name not in chosen}


def _stop_words(asked: str, languages: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The stop words of each language that has some, from `function`, `FILE` or `en=FILE,fr=function`."""
    from babelspace import stop_words

    if asked == "none":
        return {}
    named = dict(part.partition("=")[::2] for part in asked.split(",")) if "=" in asked else None
    strange = [name for name in named or () if name not in languages]
    if strange:
        raise click.BadParameter(
            f"language {strange[0]!r} is not in the corpus, which has {', '.join(languages)}.",
            param_hint="'--stop-words'",
        )
    sources = dict.fromkeys(languages, asked) if named is None else named
    found = {language: stop_words(language, source) for language, source in sources.items()}
    return {language: words for language, words in found.items() if words}


DIRECT = ("features", "ngrams", "vocabulary", "drop_top", "min_count", "max_df", "weighting", "normalize")


def build_vectorizer(settings: Mapping[str, Any], languages: Sequence[str] = ()) -> ViewsVectorizer:
    """The vectorizer that the options of `vectorizer_options` ask for; `languages` are those it will meet."""
    from babelspace import ViewsVectorizer

    analyzer = dict(settings["segmenter"])
    strange = [name for name, value in analyzer.items() if isinstance(value, dict) and name not in languages]
    if strange and languages:
        raise click.BadParameter(
            f"language {strange[0]!r} is not in the corpus, which has {', '.join(languages)}.",
            param_hint="'--segmenter'",
        )
    usual = {"keep_numbers": True, "strip_marks": False, "simplify_chinese": False}
    analyzer |= {name: settings[name] for name, value in usual.items() if settings[name] != value}
    for language, words in _stop_words(settings["stop_words"], languages).items():
        analyzer[language] = {**analyzer.get(language, {}), "stop_words": words}
    return ViewsVectorizer(
        **{name: settings[name] for name in DIRECT},
        max_terms=settings["max_terms"] or None,
        per_language=not settings["pool_terms"],
        analyzer=analyzer or None,
        translator=settings.get("translator"),
    )
