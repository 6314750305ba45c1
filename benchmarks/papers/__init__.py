"""One file a table or figure of the five papers."""
