"""Progress of simulations in terminals and notebooks."""

from __future__ import annotations

import importlib
import sys
import time
from typing import Any, Callable, Optional, Union

Choice = Union[None, bool, Callable[[int, int], object]]

_first_s, _every_s = 1.0, 0.2  # short simulations show nothing


def _shell() -> Any:
    """Returns IPython's shell of a notebook; None elsewhere."""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell if shell is not None and hasattr(shell, "kernel") else None


class _Line:
    """One line of text that is replaced, in a terminal or a notebook; `close` removes it."""

    def __init__(self, notebook: bool) -> None:
        self._notebook = notebook
        self._handle: Any = None

    def show(self, text: str) -> None:
        if not self._notebook:
            sys.stderr.write(f"\r{text:<60}")
            sys.stderr.flush()
        elif self._handle is None:
            display: Any = importlib.import_module("IPython.display").display
            self._handle = display({"text/plain": text}, raw=True, display_id=True)
        else:
            self._handle.update({"text/plain": text}, raw=True)

    def close(self) -> None:
        if not self._notebook:
            sys.stderr.write(f"\r{'':60}\r")
            sys.stderr.flush()
        elif self._handle is not None:
            self._handle.update({"text/plain": ""}, raw=True)


class Bar:
    """Shows how many tasks of a simulation, or points of a sweep, are done."""

    automatic = True  # False in the processes of a sweep, which has a bar of its own

    def __init__(self, choice: Choice, things: str = "tasks") -> None:
        self._callback = choice if callable(choice) else None
        notebook = _shell() is not None
        self._visible = choice is True or (choice is None and self.automatic and (notebook or sys.stderr.isatty()))
        self._line = _Line(notebook)
        self._things = things
        self._start = time.monotonic()
        self._next = self._start + (0 if choice is True else _first_s)
        self._drawn = False

    def __call__(self, done: int, total: int) -> object:
        if self._callback is not None:
            return self._callback(done, total)
        now = time.monotonic()
        if self._visible and now >= self._next and total > 0:
            self._next = now + _every_s
            self._drawn = True
            self._line.show(self._text(done, total, now - self._start))
        return None

    def _text(self, done: int, total: int, seconds: float) -> str:
        left: Optional[float] = seconds * (total - done) / done if done else None
        width = 20 * done // total
        end = f", {left:.0f} s left" if left is not None else ""
        return f"[{'#' * width}{'.' * (20 - width)}] {100 * done // total} % of {total} {self._things}{end}"

    def close(self) -> None:
        if self._drawn:
            self._line.close()
