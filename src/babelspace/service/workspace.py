"""What the service works with: everything found in one folder, loaded once, shared, loaded anew when replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from babelspace.errors import BabelspaceError
from babelspace.runtime import threads
from babelspace.runtime.artifact import CARD
from babelspace.service.names import check_place, inside, readable
from babelspace.service.refusals import Refused, logger
from babelspace.workflows.inventory import KINDS, FoundArtifact, find_artifacts, identify
from babelspace.workflows.reading import load_classifier, load_model

if TYPE_CHECKING:
    from babelspace import Aligner, CrossLanguageClassifier, Encoder, Index

# Seconds for which a list of what there is stays as it is.
FRESH = 1.0
MODELS = ("model", "classifier")
Identity = tuple[int, int, int]


@dataclass
class _Loaded:
    """Something in memory, who uses it, and which folder on disk it came from."""

    value: Any
    identity: Identity
    users: int = 0
    retired: bool = False

    def close(self) -> None:
        """Let go of files, once nobody uses it any more."""
        close = getattr(self.value, "close", None)
        if close is not None:
            close()


class Workspace:
    """The things of one folder by their names, and a shelf of those that are in memory.

    A thing that was replaced on disk is loaded anew by the first who asks for it; everybody else is served by the old
    one until the new one is ready, and who has begun with the old one ends with it.
    """

    def __init__(self, folder: str | Path, most_loaded: int = 8) -> None:
        place = Path(folder).resolve()
        found = find_artifacts(place)
        alone = len(found) == 1 and found[0].path == place
        # An index or a model alone: the folder above it is the one that names are told from.
        self.folder = place.parent if alone else place
        self.only: str | None = place.name if alone else None
        self.most_loaded = most_loaded
        self._shelf: dict[tuple[str, str], _Loaded] = {}
        self._loading: dict[tuple[str, str], Lock] = {}
        self._lock = Lock()
        self._listed: tuple[float, list[FoundArtifact]] = (monotonic(), found)
        self._seen = 0

    def listing(self, *kinds: str) -> list[FoundArtifact]:
        """What there is, of these kinds or of all."""
        when, found = self._listed
        # Whatever comes or goes changes the folder's time: an upload is there for the very next page.
        seen = self.folder.stat().st_mtime_ns
        if monotonic() - when > FRESH or seen != self._seen:
            found = find_artifacts(self.folder / self.only if self.only else self.folder)
            self._listed, self._seen = (monotonic(), found), seen
        return [one for one in found if not kinds or one.kind in kinds]

    def find(self, name: str | None, *kinds: str) -> FoundArtifact:
        """The thing of this name, which is of one of these kinds; without a name, the only one that there is."""
        if not name:
            found = self.listing(*kinds)
            if len(found) == 1:
                return found[0]
            raise self._missing(f"no {' or '.join(kinds)} was named", kinds)
        one = identify(self.inside(name), name)
        if one is None or (kinds and one.kind not in kinds):
            raise self._missing(f"no {' or '.join(kinds or KINDS)} of the name {name!r}", kinds)
        return one

    def inside(self, name: str) -> Path:
        """The path of a name; nothing outside the folder, nothing hidden."""
        return inside(self.folder, name, self.only)

    def readable(self, name: str) -> str:
        """The path of a corpus or file that is there; `sample:help` is the embedded one."""
        return readable(self.folder, name, self.only)

    def fresh(self, name: str) -> Path:
        """The path of something new, where nothing is yet."""
        path = self.inside(name)
        check_place(path, self.folder)
        if path.exists():
            raise Refused(409, f"{path.name!r} is there already", hint="choose another name")
        return path

    @contextmanager
    def index(self, name: str | None) -> Iterator[Index]:
        """An index, which any number of threads may search."""
        from babelspace import Index

        with self._used(self.find(name, "index"), Index.open) as loaded:
            yield loaded.value

    @contextmanager
    def model(self, name: str | None) -> Iterator[Encoder]:
        """A model, which any number of threads may use."""
        with self._used(self.find(name, *MODELS), load_model) as loaded:
            yield loaded.value

    @contextmanager
    def classifier(self, name: str | None) -> Iterator[CrossLanguageClassifier]:
        """A classifier."""
        with self._used(self.find(name, "classifier"), load_classifier, "as classifier") as loaded:
            yield loaded.value

    @contextmanager
    def aligner(self, name: str | None) -> Iterator[Aligner]:
        """An aligner."""
        from babelspace import load_aligner

        with self._used(self.find(name, "aligner"), load_aligner) as loaded:
            yield loaded.value

    def loaded(self) -> int:
        """How many things are in memory."""
        return len(self._shelf)

    def close(self) -> None:
        """Let go of everything."""
        with self._lock:
            for loaded in self._shelf.values():
                loaded.close()
            self._shelf.clear()

    def _missing(self, fact: str, kinds: tuple[str, ...]) -> Refused:
        names = [one.name for one in self.listing(*kinds)]
        shown = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
        return Refused(404, fact, hint=f"there are: {shown}" if names else "there is none yet; make one first")

    @contextmanager
    def _used(self, one: FoundArtifact, load: Callable[[Path], Any], how: str = "") -> Iterator[_Loaded]:
        loaded = self._taken(one.path, load, (str(one.path), how))
        try:
            yield loaded
        finally:
            with self._lock:
                loaded.users -= 1
                done = loaded.retired and not loaded.users
            if done:
                loaded.close()

    def _taken(self, path: Path, load: Callable[[Path], Any], key: tuple[str, str]) -> _Loaded:
        """What is on the shelf, if that is what is on disk; else it is loaded."""
        now = _identity(path)
        with self._lock:
            current = self._shelf.get(key)
            if current is not None and current.identity == now:
                return self._lent(key, current)
            loading = self._loading.setdefault(key, Lock())
        if not loading.acquire(blocking=current is None):
            with self._lock:
                if current is not None and not current.retired:
                    return self._lent(key, current)
            loading.acquire()
        try:
            return self._brought(path, load, key)
        finally:
            loading.release()

    def _brought(self, path: Path, load: Callable[[Path], Any], key: tuple[str, str]) -> _Loaded:
        now = _identity(path)
        with self._lock:
            current = self._shelf.get(key)
            if current is not None and current.identity == now:
                return self._lent(key, current)
        try:
            fresh = _Loaded(load(path), now)
            threads.multiply_alone()
        except BabelspaceError as problem:
            if current is None:
                raise
            # Half copied, perhaps: who asks next tries again.
            logger.warning("kept the old one: %s", problem.fact, extra={"artifact": str(path)})
            with self._lock:
                return self._lent(key, current)
        with self._lock:
            self._retire(key)
            self._shelf[key] = fresh
            while len(self._shelf) > self.most_loaded:
                self._retire(next(iter(self._shelf)))
            return self._lent(key, fresh)

    def _lent(self, key: tuple[str, str], loaded: _Loaded) -> _Loaded:
        """Count the user, and remember who was used last."""
        loaded.users += 1
        if not loaded.retired:
            self._shelf[key] = self._shelf.pop(key, loaded)
        return loaded

    def _retire(self, key: tuple[str, str]) -> None:
        old = self._shelf.pop(key, None)
        if old is not None:
            old.retired = True
            if not old.users:
                old.close()


def _identity(path: Path) -> Identity:
    """Tells a folder from another one that took its place."""
    try:
        found = path.stat()
        card = next((path / name for name in ("index.json", CARD) if (path / name).is_file()), path).stat()
    except OSError:
        return 0, 0, 0
    return found.st_ino, card.st_ino, card.st_mtime_ns
