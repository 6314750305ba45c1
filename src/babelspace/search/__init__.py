"""Documents that stay searchable, with a query in any language."""
