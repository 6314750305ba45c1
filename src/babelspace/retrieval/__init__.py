"""Use of vectors with texts: match, search."""
