"""Do sdist and wheel hold what they should, and does the wheel work where nothing else is? `… distribution dist`."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from email.parser import Parser
from pathlib import Path
from urllib.request import urlopen

import babelspace
from benchmarks.common import ROOT

IN_WHEEL = (
    "babelspace/__init__.py",
    "babelspace/py.typed",
    "babelspace/corpus/sample/README.md",
    "babelspace/corpus/sample/help/en.jsonl.gz",
    "licenses/LICENSES/MPL-2.0.txt",
    "licenses/LICENSE",
)
LISTED = {
    "Project-URL": ("Homepage", "Documentation", "Changelog", "Issues"),
    "Classifier": tuple(f"Python :: 3.{minor}" for minor in (11, 12, 13, 14)),
}
IN_SDIST = (
    "pyproject.toml",
    "hatch_build.py",
    "README.md",
    "Makefile",
    "constraints.txt",
    "tests/conftest.py",
    "docs/index.md",
)


def contents(dist: Path) -> None:
    """Everything that belongs into both, and nothing that does not."""
    wheel, sdist = (next(dist.glob(pattern)) for pattern in ("*.whl", "*.tar.gz"))
    with zipfile.ZipFile(wheel) as archive:
        inside = archive.namelist()
        metadata = Parser().parsestr(archive.read(next(n for n in inside if n.endswith("METADATA"))).decode())
    with tarfile.open(sdist) as packed:
        source = packed.getnames()
    missing = [name for name in IN_WHEEL if not any(path.endswith(name) for path in inside)]
    missing += [name for name in IN_SDIST if not any(path.endswith(f"/{name}") for path in source)]
    foreign = [path for path in inside if path.startswith(("tests", "benchmarks", "docs")) or "__pycache__" in path]
    told = {"Version": babelspace.__version__, "License-Expression": "Apache-2.0 AND MPL-2.0"}
    wrong = [f"{name}: {metadata[name]}" for name, value in told.items() if metadata[name] != value]
    listed = {name: str(metadata.get_all(name)) for name in ("Project-URL", "Classifier")}
    wrong += [f"no {one} among {name}" for name, wanted in LISTED.items() for one in wanted if one not in listed[name]]
    wrong += re.findall(r"\]\((?!https:)[^)]*\)", str(metadata.get_payload()))[:3]
    if missing or foreign or wrong:
        sys.exit(f"{dist}: missing {missing}, not to be there {foreign[:5]}, wrong {wrong}")
    print(f"{wheel.name}: {len(inside)} files; {sdist.name}: {len(source)} files")


def example() -> str:
    """The README's example in Python."""
    found = re.search(r"## In Python\n```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def installed(dist: Path) -> None:
    """The wheel in an environment of its own: the demo, the README's example, and the service's first page."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        venv.create(place / "env", with_pip=True)
        python = place / "env" / "bin" / "python"
        wheel = next(dist.glob("*.whl")).resolve()
        pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        _run(*pip, "--constraint", ROOT / "constraints.txt", f"{wheel}[serve]", cwd=place)
        program = python.with_name("babelspace")
        _run(program, "demo", "--quick", "--output", "report", cwd=place)
        assert (place / "report" / "index.html").stat().st_size > 0
        _run(python, "-c", example(), cwd=place)
        _serve(program, place)
    print("the wheel works in an environment of its own")


def _serve(program: Path, place: Path) -> None:
    """Start the service on any free port, look at its first page, stop it."""
    command = [str(program), "serve", str(place), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as service:
        try:
            assert service.stdout is not None
            told = service.stdout.readline()
            address = re.search(r"http://\S+", told)
            if address is None:
                sys.exit(f"babelspace serve: {told}{service.stdout.read()}")
            with urlopen(address[0], timeout=60) as page:
                assert b"<title>" in page.read()
        finally:
            service.terminate()


def _run(*command: object, cwd: Path) -> None:
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(str(part) for part in command)[:200]}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")


def main() -> None:
    dist = Path(sys.argv[1])
    contents(dist)
    installed(dist)


if __name__ == "__main__":
    main()
