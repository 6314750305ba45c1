"""From pairs of documents to pairs of sentences."""
