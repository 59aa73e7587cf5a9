"""Exceptions of factosim."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from typing import Union


# What messages say of the command line.
_IN_PYTHON = {
    "give --force": "pass force=True",
    "--set: ": "set#: ",
}


def _in_python(message: str) -> str:
    for command, python in _IN_PYTHON.items():
        message = message.replace(command, python)
    return re.sub(r"--set (/?[\w/]+)=([^\s,]+)", r'{"\1": \2}', message)


class Error(Exception):
    """What simulations end with instead of a result."""


class InputError(Error, ValueError):
    """A mistake in an input. The message reads `FILE#/json/pointer: problem (why). what to do`.

    file     the file, or what takes its place ("<scenario>" for a dict, "policy NAME")
    pointer  JSON pointer of the value in it; empty for the whole, and for what is not JSON (`FILE:LINE:COLUMN: problem`)
    problem  the rest of the message
    """

    file: str
    pointer: str
    problem: str

    def __init__(self, message: str) -> None:
        message = _in_python(message)
        super().__init__(message)
        parts = re.match(r"(?s)(.*?)(?:#(/.*?|line [^:]*|)|:\d+:\d+): (.*)$", message)
        self.file, self.pointer, self.problem = (parts[1], parts[2] or "", parts[3]) if parts else ("", "", message)

    @classmethod
    def _of_program(cls, message: str) -> "InputError":
        """Returns the error of the program's message, with options as Python's arguments: `--tile-sizes: ...` is `tile_sizes#: ...`."""
        message = re.sub(r" See factosim \S+( \S+)? --help$", "", _in_python(message))
        message = re.sub(r"^--([a-z][a-z-]*)(?:#[^:]*)?:", lambda m: m[1].replace("-", "_") + "#:", message)
        return cls(re.sub(r"--([a-z][a-z-]+)", lambda m: m[1].replace("-", "_"), message))


@contextlib.contextmanager
def writing(file: "Union[str, os.PathLike[str]]") -> Iterator[None]:
    """Makes what the system refuses an InputError that names the file."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{os.fspath(file) or repr('')}#: cannot be written ({error.strerror or error}). Check the path") from None


class InfeasibleError(Error):
    """The input is sound and has no solution: a node too small for its tiles, say."""


class ContractError(Error):
    """A mistake of factosim, or the end of a simulation's process by a signal."""


class RunStopped(Error):
    """A callback of progress returned False."""
