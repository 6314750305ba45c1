"""The server store."""
