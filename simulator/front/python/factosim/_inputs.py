"""Files that scenarios of Python are written to: those of equal content are one, which results and comparisons rely on."""

from __future__ import annotations

import hashlib
import os
import threading
import weakref
from pathlib import Path
from typing import Optional

from factosim._run import TemporaryFolder

_lock = threading.RLock()  # finalizers may run while it is held
_users: dict[Path, int] = {}  # of files in the shared folder
_shared: Optional[TemporaryFolder] = None
_owner = 0  # the process that made it


def _shared_folder() -> Path:
    global _shared, _owner
    if _shared is None or _owner != os.getpid():  # a forked process has its own
        _shared, _owner = TemporaryFolder(), os.getpid()
        _users.clear()
    return _shared.path


def _release(files: list[Path], owner: int) -> None:
    if owner != os.getpid():
        return
    with _lock:
        for file in files:
            _users[file] = _users.get(file, 1) - 1
            if _users[file] <= 0:
                _users.pop(file)
                file.unlink(missing_ok=True)


class InputFiles:
    """Files by name and content. Without a folder they are removed with the last object that has them."""

    def __init__(self, folder: Optional[Path] = None) -> None:
        self._folder = folder
        self._files: list[Path] = []
        if folder is None:
            weakref.finalize(self, _release, self._files, os.getpid())

    def add(self, name: str, ending: str, data: bytes) -> str:
        """Writes a file, unless it is there, and returns its path."""
        with _lock:
            folder = self._folder or _shared_folder()
            file = folder / f"{name}-{hashlib.sha256(data).hexdigest()[:16]}{ending}"
            if self._folder is None:
                _users[file] = _users.get(file, 0) + 1
                self._files.append(file)
            if not file.exists():
                file.write_bytes(data)
        return str(file)
