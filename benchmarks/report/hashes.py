"""hashes.txt: the SHA-256 of every wheel that this platform installs, added to those of others; no hosts.

pip takes any of several hashes of a pinned version, so that one file serves every platform on which this was run:

    python -m benchmarks.report.hashes
    pip install --require-hashes --requirement hashes.txt
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT

HASHES = ROOT / "hashes.txt"


def reported() -> list[dict[str, Any]]:
    """What pip would install of the package and its extras, with pinned versions, into an empty environment."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    with tempfile.TemporaryDirectory() as name:
        report = Path(name) / "report.json"
        asked = ["--dry-run", "--ignore-installed", "--quiet", "--report", str(report)]
        pinned = ["--constraint", str(ROOT / "constraints.txt"), f"{ROOT}[{','.join(extras)}]"]
        subprocess.run([sys.executable, "-m", "pip", "install", *asked, *pinned], check=True)
        found: list[dict[str, Any]] = json.loads(report.read_text(encoding="utf-8"))["install"]
    return found


def plain(name: str) -> str:
    """A package's name as all spellings of it are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> set[str]:
    """Every package that is pinned, with its version."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").split()
    return {f"{plain(name)}=={version}" for name, version in (line.split("==") for line in lines)}


def known(text: str) -> dict[str, set[str]]:
    """The hashes of each pinned version."""
    lines = [line.split() for line in text.replace("\\\n", " ").splitlines() if line]
    return {pin: {part.removeprefix("--hash=sha256:") for part in parts} for pin, *parts in lines}


def written(hashes: dict[str, set[str]]) -> str:
    """As pip reads them."""
    parts = {pin: "".join(f" \\\n    --hash=sha256:{one}" for one in sorted(hashes[pin])) for pin in sorted(hashes)}
    return "".join(f"{pin}{part}\n" for pin, part in parts.items())


def main() -> None:
    before = known(HASHES.read_text(encoding="utf-8")) if HASHES.is_file() else {}
    kept = {pin: hashes for pin, hashes in before.items() if pin in pins()}
    for package in reported():
        about, found = package["metadata"], package["download_info"]
        # What has to be built would run code of packages that nobody has checked.
        if found["url"].endswith(".whl"):
            pin = f"{plain(about['name'])}=={about['version']}"
            kept.setdefault(pin, set()).add(found["archive_info"]["hashes"]["sha256"])
    HASHES.write_text(written(kept), encoding="utf-8")


if __name__ == "__main__":
    main()
