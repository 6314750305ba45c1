"""`babelspace serve`: keys, and what is refused before anything is served."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from babelspace.cli.main import cli
from babelspace.service import running
from babelspace.service.settings import SETTINGS_VARIABLE


def run(*arguments):
    return CliRunner().invoke(cli, ["serve", *map(str, arguments)])


def test_keys_are_made_listed_and_removed(tmp_path):
    made = run("key", "add", tmp_path, "acme", "--only", "client=acme", "--only", "language=es")
    assert made.exit_code == 0 and made.stdout.startswith("bsk_")
    (listed,) = json.loads(run("key", "list", tmp_path, "--json").stdout)
    assert listed["filters"] == {"client": ["acme"], "language": ["es"]} and listed["rights"] == ["search"]
    # The secret itself may hold the sign between its parts.
    secret = made.stdout.strip().removeprefix("bsk_").partition("_")[2]
    assert len(secret) > 20 and secret not in run("key", "list", tmp_path).output
    assert run("key", "remove", tmp_path, listed["id"]).exit_code == 0
    assert "no key" in run("key", "remove", tmp_path, listed["id"]).output
    assert json.loads(run("key", "list", tmp_path, "--json").stdout)[0]["removed"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--rights", "fly"], "is not one of search, review, write, admin"),
        (["--only", "fr"], "write for example language=fr"),
        (["--rights", "write", "--only", "a=b"], "can search and nothing else"),
    ],
)
def test_keys_that_cannot_be(tmp_path, arguments, told):
    shown = run("key", "add", tmp_path, "x", *arguments)
    assert shown.exit_code and told in shown.output


def test_another_address_needs_a_key(tmp_path):
    shown = run(tmp_path, "--host", "0.0.0.0", "--port", "0")
    assert shown.exit_code == 1 and "there is no key yet" in shown.output and "serve key add" in shown.output


def test_a_port_that_is_taken(tmp_path):
    with running._socket("127.0.0.1", 0) as taken:
        shown = run(tmp_path, "--port", taken.getsockname()[1])
    assert shown.exit_code == 1 and "cannot listen on 127.0.0.1" in shown.output and "--port" in shown.output


def test_options_reach_the_service(tmp_path, monkeypatch):
    seen = {}
    monkeypatch.setattr(running, "serve", lambda folder, settings, port, **more: seen.update(settings=settings, **more))
    assert run(tmp_path, "--read-only", "--no-audit", "--name", "a.example", "--https", "--jobs", "2").exit_code == 0
    settings = seen["settings"]
    assert settings.read_only and not settings.audit and settings.secure and settings.running_jobs == 2
    assert settings.hosts == ("a.example",) and seen["workers"] == 1


def test_the_environment_says_what_the_command_line_does_not(tmp_path, monkeypatch):
    seen = {}
    monkeypatch.setattr(running, "serve", lambda folder, settings, port, **more: seen.update(settings=settings))
    monkeypatch.setenv(SETTINGS_VARIABLE, '{"max_query": 5000, "rate": 7, "host": "::1", "state": "there"}')
    assert run(tmp_path, "--host", "127.0.0.1").exit_code == 0
    settings = seen["settings"]
    assert (settings.max_query, settings.rate, settings.host, settings.state) == (5000, 7, "127.0.0.1", "there")
    run(tmp_path, "--rate", "8", "--state", tmp_path)
    assert (seen["settings"].rate, seen["settings"].host, seen["settings"].state) == (8, "::1", str(tmp_path))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("{", 'is no JSON object\nHint: write for example {"max_query": 5000}'),
        ("[1]", "is no JSON object"),
        ('{"max_query": "many"}', "has a value of the wrong kind"),
        ('{"max_query": 0}', "max_query is 0; it must be above 0"),
    ],
)
def test_an_environment_that_says_nothing(tmp_path, monkeypatch, given, told):
    monkeypatch.setenv(SETTINGS_VARIABLE, given)
    shown = run(tmp_path, "--port", "0")
    assert shown.exit_code == 1 and told in shown.output


def test_help_is_that_of_serving_and_names_the_keys():
    shown = " ".join(run("--help").output.split())
    assert "--read-only" in shown and "babelspace serve" in shown and "key --help" in shown
