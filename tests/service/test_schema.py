"""What the schema says and what the API answers agree, whatever is asked; nothing ends in an error of the service."""

from __future__ import annotations

import copy
import os
import shutil

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings

from tests.service.conftest import client_of

pytestmark = pytest.mark.xdist_group("service")
EXAMPLES = int(os.environ.get("SCHEMA_EXAMPLES", "5"))


@pytest.fixture(scope="module")
def schema(made_folder, tmp_path_factory):
    """Of a service without its runner, so that jobs only wait."""
    folder = tmp_path_factory.mktemp("schema") / "served"
    shutil.copytree(made_folder, folder)
    client = client_of(folder, state=str(folder.parent / "state"), rate=0)
    # The first key that is made closes the door to all who have none.
    key = client.app.state.access.keys.add("chief", ["admin"])
    return schemathesis.openapi.from_asgi("/api/v1/openapi.json", near(client.app, key))


def near(app, key):
    """The application as a program on this machine calls it; it neither starts nor ends with every client."""
    own = [(b"host", b"127.0.0.1"), (b"authorization", f"Bearer {key}".encode())]

    async def called(scope, receive, send):
        if scope["type"] == "lifespan":
            for what in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{what}.complete"})
            return
        headers = [*own, *(pair for pair in scope["headers"] if pair[0] not in (b"host", b"authorization"))]
        await app(scope | {"server": ("127.0.0.1", 80), "headers": headers}, receive, send)

    return called


KNOWN = {
    "language": ["en", "es", "zz"],
    "source_language": ["en"],
    "target_language": ["es"],
    "model": ["model"],
    "index": ["index"],
    "name": ["model", "index", "corpus", "corpus/en.jsonl"],
    "aligner": ["ibm1", "hmm"],
    "method": ["grow-diag-final-and", "union"],
    "kind": ["fit", "match", "index"],
}


def focused(schema):
    """The same with names and languages that are there, so that requests reach what computes."""
    raw = copy.deepcopy(schema.raw_schema)

    def narrow(part):
        if isinstance(part, dict):
            for name, inside in (part.get("properties") or {}).items():
                if name in KNOWN:
                    part["properties"][name] = {"enum": KNOWN[name]}
                narrow(inside)
            if part.get("in") in ("query", "path") and part.get("name") in KNOWN:
                part["schema"] = {"enum": KNOWN[part["name"]]}
            for value in part.values():
                narrow(value)
        elif isinstance(part, list):
            for one in part:
                narrow(one)

    narrow(raw["paths"])
    narrow({name: one for name, one in raw["components"]["schemas"].items() if name.endswith(("Asked", "Document"))})
    found = schemathesis.openapi.from_dict(raw)
    found.app = schema.app
    return found


CHECKS = [
    schemathesis.checks.not_a_server_error,
    schemathesis.checks.status_code_conformance,
    schemathesis.checks.content_type_conformance,
    schemathesis.checks.response_schema_conformance,
]


@pytest.mark.parametrize("focus", [False, True], ids=["anything", "things that are there"])
def test_answers_are_what_the_schema_says(schema, focus):
    if focus:
        schema = focused(schema)
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > 20
    for operation in operations:

        @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None)
        @given(operation.as_strategy())
        def asked(case):
            case.call_and_validate(checks=CHECKS)

        asked()
