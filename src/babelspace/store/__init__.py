"""Documents and vectors that outlive a process: SQLite with faiss beside it, or PostgreSQL with pgvector."""

from babelspace.store.base import Entry, Filters, Found, Key, Settings, Store, Stored
from babelspace.store.opening import create_store, is_url, open_store

__all__ = [
    "Entry",
    "Filters",
    "Found",
    "Key",
    "Settings",
    "Store",
    "Stored",
    "create_store",
    "is_url",
    "open_store",
]
