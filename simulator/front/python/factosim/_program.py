"""Calls the program `factosim` of the package's own installation: what it prints, and its errors as exceptions."""

from __future__ import annotations

import contextlib
import difflib
import json
import os
import subprocess
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Optional

from factosim import _factosim
from factosim._errors import ContractError, Error, InfeasibleError, InputError
from factosim._kinds import warn

_exceptions: dict[int, type[Error]] = {4: InfeasibleError}
_with_result = (0, 5)  # 5: findings of a check, or more than a tolerance


def program() -> Path:
    """Returns the path of the program. Raises Error if the installation has none."""
    module = Path(_factosim.__file__).resolve()
    # PREFIX/lib/pythonX.Y/site-packages/factosim has PREFIX/bin; BUILD/python/factosim has BUILD.
    places = [module.parents[4] / "bin/factosim", module.parents[2] / "factosim"]
    for place in places:
        if place.is_file() and os.access(place, os.X_OK):
            return place
    raise Error(f"the program factosim is missing (neither {places[0]} nor {places[1]}). Install it with the package")


def options(**given: Any) -> list[str]:
    """Returns options of the command line: `tile_sizes=[480, 960]` is `--tile-sizes 480,960`; None and False are left out."""
    out: list[str] = []
    for name, value in given.items():
        if value is None or value is False:
            continue
        option = "--" + name.replace("_", "-")
        text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        out += [option] if value is True else [option, text] if text == "" else [f"{option}={text}"]
    return out


def error_of(code: int, message: str) -> Error:
    """Returns the exception for an exit code of the program, and its message."""
    return InputError._of_program(message) if code == 2 else _exceptions.get(code, ContractError)(message)


def call(*arguments: Any, names: Optional[Mapping[str, str]] = None, partial: bool = False) -> str:
    """Returns what the program prints. `names`: of files, as the caller wrote them, for messages. `partial`: also where it
    prints something and fails: some points of a sweep.

    Raises InputError, InfeasibleError or ContractError for its exit codes; its warnings are Python's.
    """
    words = [os.fspath(a) if isinstance(a, os.PathLike) else str(a) for a in arguments]
    with subprocess.Popen([program(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          preexec_fn=_factosim.die_with_parent) as running:
        try:
            output, messages = (text.decode(errors="replace") for text in running.communicate())
        except BaseException:
            running.kill()
            raise
    lines = [line.removeprefix("factosim: ") for line in messages.splitlines() if line]
    with own_words(names or {}):
        if running.returncode not in _with_result and not (partial and output):
            raise error_of(running.returncode, lines[-1] if lines else f"the program ended with code {running.returncode}")
    for line in lines:
        if line.startswith("warning: "):
            warn(_in_words(line.removeprefix("warning: "), names or {}))
    return output


def call_json(*arguments: Any, names: Optional[Mapping[str, str]] = None, partial: bool = False) -> Any:
    """Returns the JSON that the program prints with `--json`; see `call`."""
    return json.loads(call(*arguments, "--json", names=names, partial=partial))


def _in_words(message: str, names: Mapping[str, str]) -> str:
    for file in sorted(names, key=len, reverse=True):
        message = message.replace(file, names[file])
    return message


@contextlib.contextmanager
def own_words(names: Mapping[str, str]) -> Iterator[None]:
    """Replaces names of files in the message of an InputError or InfeasibleError."""
    try:
        yield
    except (InputError, InfeasibleError) as error:
        message = _in_words(str(error), names)
        if message == str(error):
            raise
        raise type(error)(message) from None


def expect_known(where: str, name: object, known: Collection[str], kind: str) -> None:
    """Raises InputError unless the name is known, with the name that may be meant."""
    if isinstance(name, str) and name in known:
        return
    close = difflib.get_close_matches(str(name), list(known), 1)
    meant = f'Did you mean "{close[0]}"?' if close else "Use one of these"
    shown = f'"{name}"' if isinstance(name, str) else repr(name)
    raise InputError(f'{where}: {shown} is no {kind} (there are {", ".join(known)}). {meant}')
