"""Results as files: the suffix of the name decides the format."""
