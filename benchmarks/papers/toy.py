"""The thesis' toy: three documents of three words each, every word ten times."""

from __future__ import annotations

from typing import Any

import numpy as np

WORDS = ["education", "student", "school", "energy", "power", "nuclear", "construction", "building", "worker"]
TOY = np.kron(np.eye(3), np.full((1, 3), 10.0))


def toy() -> Any:
    """The counts as Views; the second language, which a space needs, is empty and changes nothing."""
    from babelspace import Views

    return Views({"en": TOY, "xx": np.zeros((3, 9))}, {"xx": np.zeros(3, bool)})
