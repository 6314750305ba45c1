"""Documents and vectors that outlive a process: SQLite with faiss beside it, or PostgreSQL with pgvector."""

from babelspace.store.address import without_password
from babelspace.store.base import EncodedDocument, Filters, Key, ScoredRows, SearchableStore, Settings, Store
from babelspace.store.memory import MemoryStore
from babelspace.store.opening import create_store, open_store

__all__ = [
    "EncodedDocument",
    "Filters",
    "Key",
    "MemoryStore",
    "ScoredRows",
    "SearchableStore",
    "Settings",
    "Store",
    "create_store",
    "open_store",
    "without_password",
]
