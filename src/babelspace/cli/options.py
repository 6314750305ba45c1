"""Options that several commands share, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from babelspace.cli.output import check_model_place, check_place, to_stdout
from babelspace.cli.values import BELOW_ONE, COUNT, FILE, PATH, POSITIVE, FiniteRange, option

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
        for one in reversed(options):
            command = one(command)
        return command

    return decorate


def languages(text: str) -> Callable[[F], F]:
    """`--languages en,es`."""
    return option("--languages en,es", text, callback=language_codes)


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


def _reading(shown: str, text: str, callback: Any = _kept_for_reading) -> Callable[[F], F]:
    return option(shown, text, expose_value=False, callback=callback, default=None)


table_columns = together(
    _reading("--columns English=en,…", "Columns of a table that hold texts.", _columns),
    _reading("--id COLUMN", "Column of ids.  [default: id]"),
    _reading("--text COLUMN", "Column of texts, where each row is a document.  [default: text]"),
    _reading("--language-column COLUMN", "Column of languages of such rows.  [default: lang]"),
    _reading("--delimiter SIGN", "What stands between cells of a .csv.  [default: told by its header]"),
    _reading("--encoding NAME", "Of a table.  [default: UTF-8, or by its byte order mark]"),
    _reading("--quoting/--no-quoting", "Whether cells may stand in quotes.  [default: in .csv]"),
    _reading("--sheet NAME", "Sheet of a workbook.  [default: the first]"),
    _reading("--regions/--no-regions", "Keep en-US and en-GB of a translation memory apart.  [default: no]"),
)
corpus_format = together(
    option("--format", "Format of the corpus, where the path does not tell it.", FORMATS, name="corpus_format"),
    table_columns,
)
as_json = option("--json", "Write JSON to stdout instead of text for people.", name="as_json", is_flag=True)
document_language = option("--language CODE", "Language of the documents, where the file does not tell it.")
threads = option("--threads N", "Threads to use.  [default: all]", POSITIVE, expose_value=False, callback=_limited)
seed = option("--seed", "Seed of the fit.", COUNT, default=0)
pile_languages = together(
    option("--source-language CODE", "Where the name of SOURCE does not tell it."),
    option("--target-language CODE", "Where the name of TARGET does not tell it."),
)
pair_precision = option(
    "--precision SHARE", "Keep as many pairs as leave this share of them right; 0 keeps all.", BELOW_ONE, default=0.95
)
space_settings = option(
    "--set NAME=VALUE", "A parameter of the space; may be repeated.", name="settings", multiple=True
)
store = option("--store URL", "Address of the index's database, if it has moved or needs a password.")


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


engine = option(
    "--engine URL",
    "Where blocks are worked on: processes://4, dask://scheduler:8786, dask://local?workers=4.  [default: here]",
)
max_memory = option(
    "--max-memory SIZE", "Refuse what would take more, for example 8G.  [default: any]", callback=_bytes
)


def _checked(output: Callable[[F], F], check: Callable[[Any, Mapping[str, Any]], None]) -> Callable[[F], F]:
    """-o, looked at together with the other values before the command begins."""

    def decorate(command: F) -> F:
        @wraps(command)
        def checked(output: Path | None, **others: Any) -> Any:
            check(output, others)
            return command(output=output, **others)

        return output(cast(F, checked))

    return decorate


def model_folder(what: str = "MODEL") -> Callable[[F], F]:
    """-o for a command that saves a model, which replaces a model only."""
    output: Callable[[F], F] = option(f"-o, --output {what}", "Folder to save it as.", PATH, required=True)
    return _checked(output, lambda path, _: check_model_place(path))


def output_file(text: str) -> Callable[[F], F]:
    """-o for a command that writes one file."""
    output: Callable[[F], F] = option("-o, --output FILE", text, FILE)
    return _checked(output, lambda path, others: check_place(path, inputs=others.values()))


def result_file(kind: str, text: str, unless: str = "") -> Callable[[F], F]:
    """-o for a command that writes a result: a suffix that it cannot be written in is refused before the work.

    `unless` is an option that names the format instead.
    """
    from babelspace.runtime.exports.formats import allowed, output_format

    def check(path: Path | None, others: Mapping[str, Any]) -> None:
        if path is not None and not to_stdout(path) and not others.get(unless):
            output_format(path, kind)

    return _checked(output_file(f"{text}  The suffix decides: {allowed(kind)}."), check)


def correction(default: str | None, told: str | None = None) -> Callable[[F], F]:
    """`--correction csls`; what no default stands for is `told`."""
    return option(
        "--correction",
        "How to correct scores for hubs, documents that are near to everything.",
        CORRECTIONS,
        default=default,
        show_default=told,
    )


vectorizer_options = together(
    option("--features", "What is counted.", ("words", "characters", "both"), default="words"),
    option("--ngrams 3,5", "Shortest and longest character n-gram.", callback=_ngram_sizes, default="3,5"),
    option("--ngram-columns N", "Hash character n-grams to N columns; 0 keeps one for each.", COUNT, default=0),
    option(
        "--vocabulary",
        "One slot for a spelling in all languages, or slots of its own for each language.",
        ("shared", "separate"),
        default="shared",
    ),
    option("--drop-top", "Drop the top N terms.", COUNT, default=50),
    option("--max-terms", "Keep the next N terms of each language; 0 keeps all.", COUNT, default=10_000),
    option("--min-count", "Drop rarer terms.", POSITIVE, default=2),
    option("--max-df", "Drop terms in a larger share of the documents.", FiniteRange(0, 1, min_open=True), default=1.0),
    option("--pool-terms", "Choose terms over all languages together, not in each.", is_flag=True),
    option(
        "--weighting",
        "Weight of a count.",
        WEIGHTINGS,
        default="log-tf-idf",
        show_default="log-tf-idf; tf for topic models",
    ),
    option(
        "--normalize/--no-normalize",
        "Bring documents to one length.",
        default=True,
        show_default="normalize; not for topic models",
    ),
    option(
        "--segmenter NAME|zh=NAME,…",
        "How words are found: auto, icu, bigrams; zh=rjieba, ja=fugashi.",
        callback=_segmenters,
        default="auto",
    ),
    option("--keep-numbers/--drop-numbers", "Count numbers, too.", default=True),
    option("--strip-marks", "Drop accents and vowel points.", is_flag=True),
    option(
        "--stop-words LIST|FILE|en=FILE,…",
        "Words to leave out: none, function (words of grammar alone), or a file with one a line.",
        default="none",
    ),
    option("--simplify-chinese", "Turn traditional into simplified characters (zh).", is_flag=True),
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
    usual = {"keep_numbers": True, "strip_marks": False, "simplify_chinese": False, "ngram_columns": 0}
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
