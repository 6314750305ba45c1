"""Topics to read, and how well they hang together."""
