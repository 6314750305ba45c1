"""The HTTP service: a JSON API and a workbench in the browser over one folder of models, indexes and corpora."""
