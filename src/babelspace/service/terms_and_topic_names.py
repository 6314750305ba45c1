"""What people decided on the pages: terms that are accepted or not, and names of topics. Both stay."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from babelspace.service.database import Database

TERM_COLUMNS = ("source_language", "target_language", "source", "target", "accepted", "who", "time")
TABLES = """
CREATE TABLE IF NOT EXISTS terms (
    source_language TEXT, target_language TEXT, source TEXT, target TEXT, accepted INTEGER NOT NULL, who TEXT NOT NULL,
    time TEXT NOT NULL, PRIMARY KEY (source_language, target_language, source, target)
);
CREATE TABLE IF NOT EXISTS topic_names (model TEXT, number INTEGER, name TEXT NOT NULL, PRIMARY KEY (model, number));
"""


class Decisions:
    """A file of its own beside those of keys and jobs.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> decisions = Decisions(Path(mkdtemp()) / "decisions.sqlite")
    >>> decisions.judge_term(("en", "es"), "house", "casa", True, "ann")
    >>> [row["target"] for row in decisions.terms()]
    ['casa']
    >>> decisions.name_topic("model", 3, "wine")
    >>> decisions.topic_names("model")
    {3: 'wine'}
    """

    def __init__(self, path: Path) -> None:
        self.database = Database(path, TABLES)

    def judge_term(self, languages: tuple[str, str], source: str, target: str, accepted: bool, who: str) -> None:
        """Accept or reject a translation; the last word counts."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self.database.change(
            "INSERT OR REPLACE INTO terms VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*languages, source, target, accepted, who, now),
        )

    def terms(self) -> list[dict[str, Any]]:
        """All that were judged, in order."""
        rows = self.database.all("SELECT * FROM terms ORDER BY source_language, target_language, source, target", ())
        return [{name: row[name] for name in TERM_COLUMNS} for row in rows]

    def name_topic(self, model: str, number: int, name: str) -> None:
        """Give a topic a name; an empty one takes it away."""
        if name:
            self.database.change("INSERT OR REPLACE INTO topic_names VALUES (?, ?, ?)", (model, number, name))
        else:
            self.database.change("DELETE FROM topic_names WHERE model = ? AND number = ?", (model, number))

    def topic_names(self, model: str) -> dict[int, str]:
        """The names that were given to topics of a model."""
        rows = self.database.all("SELECT number, name FROM topic_names WHERE model = ?", (model,))
        return {row["number"]: row["name"] for row in rows}
