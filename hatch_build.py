"""The README as the package's description: links and pictures lead to the project's page, not beside the README."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^]]*)\]\((?!https?:|#)(?P<path>[^)]+)\)")


class Description(MetadataHookInterface):
    """Gives `readme`, which pyproject.toml calls dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        home = metadata["urls"]["Homepage"]
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        described = LINK.sub(lambda found: _absolute(found, home), text)
        metadata["readme"] = {"content-type": "text/markdown", "text": described}


def _absolute(found: re.Match[str], home: str) -> str:
    kind = "raw" if found["picture"] else "blob"
    return f"{found['picture']}[{found['text']}]({home}/{kind}/main/{found['path']})"
