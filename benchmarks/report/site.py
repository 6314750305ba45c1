"""Does a page of the built site load anything from another host? `python -m benchmarks.report.site site`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

# A link that a reader may follow loads nothing; these do.
LOADS = re.compile(r"<(?:script|link|img|iframe|source|audio|video)\b[^>]*\b(?:src|href)=[\"']?(?:https?:)?//[^\"' >]+")
STYLES = re.compile(r"(?:@import|url\()\s*[\"']?(?:https?:)?//[^\"')]+")
# These tell where the page is; nothing is loaded.
TOLD = re.compile(r"rel=[\"']?(?:canonical|next|prev)")


def foreign(site: Path) -> Iterator[str]:
    """Whatever a page or a style sheet would fetch from elsewhere."""
    for pattern, suffix in ((LOADS, "*.html"), (STYLES, "*.css")):
        for path in sorted(site.rglob(suffix)):
            for found in pattern.findall(path.read_text(encoding="utf-8")):
                if not TOLD.search(found):
                    yield f"{path.relative_to(site)}: {found}"


def main() -> None:
    site = Path(sys.argv[1])
    if not (site / "index.html").is_file():
        sys.exit(f"{site}: no site there. Run: make docs")
    found = list(foreign(site))
    if found:
        sys.exit("\n".join(["loaded from another host:", *found]))
    print(f"{len(list(site.rglob('*.html')))} pages, nothing from another host")


if __name__ == "__main__":
    main()
