"""Arguments of the wrong kind: errors that name them, by the annotations of functions."""

from __future__ import annotations

import collections.abc
import functools
import inspect
import math
import os
import sys
import typing
import warnings
from typing import Any, Callable, TypeVar, Union

from factosim._arrays import np
from factosim._errors import InputError

F = TypeVar("F", bound=Callable[..., Any])
_package = os.path.dirname(__file__)

_WORDS: dict[Any, str] = {
    bool: "True or False", int: "a whole number", float: "a number", str: "a text", os.PathLike: "a path", type(None): "None",
    collections.abc.Mapping: "a dict", collections.abc.Sequence: "a list", collections.abc.Iterable: "a list",
    collections.abc.Callable: "a class or function", tuple: "a pair",
}
_SCALARS = (bool, int, float, str)


def warn(text: str) -> None:
    """Warns at the line of the caller that is not of the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_package):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)


def checked(function: F) -> F:
    """Makes a function raise InputError for arguments that are not of the kinds of its annotations."""
    signature = inspect.signature(function)
    hints: dict[str, Any] = {}

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if not hints:
            names = {**vars(sys.modules["factosim"]), "os": os}
            hints.update(typing.get_type_hints(function, localns=names))
        for name, value in _arguments(function.__qualname__, signature, arguments, named):
            if name in hints and name != "return":
                check_kind(name, value, hints[name])
        return function(*arguments, **named)

    return typing.cast(F, call)


def _arguments(function: str, signature: inspect.Signature, given: Any, named: Any) -> list[tuple[str, Any]]:
    try:
        bound = signature.bind(*given, **named)
    except TypeError as error:
        text = str(error)
        raise InputError(f"{function}#: {text[:1].lower()}{text[1:]} (its parameters are {', '.join(signature.parameters)}). "
                         "See help(factosim)") from None
    out = []
    for name, value in bound.arguments.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            out += [(name, v) for v in value]
        elif kind is not inspect.Parameter.VAR_KEYWORD:
            out.append((name, value))
    return out


def check_kind(name: str, value: Any, hint: Any) -> None:
    """Raises InputError, which names the argument, for a value that is not of the kind."""
    where = name if "#" in name else f"{name}#"
    if isinstance(value, (str, os.PathLike)) and "\0" in str(os.fspath(value)):
        raise InputError(f"{where}: is {_short(value)} (no name has a null character). Leave it out")
    if isinstance(value, (float, np.floating)) and hint is not Any and not math.isfinite(value):
        raise InputError(f"{where}: is {value} (it is not finite). Give a number")
    if value == "" and isinstance(value, str) and os.PathLike in map(typing.get_origin, typing.get_args(hint)):
        raise InputError(f"{where}: is '' (no file has this name). Give a path")
    if not _fits(value, hint):
        kinds = list(dict.fromkeys(_kinds(hint)))
        wanted = f"{', '.join(kinds[:-1])} or {kinds[-1]}" if len(kinds) > 1 else kinds[0]
        raise InputError(f"{where}: is {_short(value)}, {_article(type(value).__name__)}. Give {wanted}")


def _fits(value: Any, hint: Any) -> bool:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any or isinstance(hint, TypeVar):
        return True
    if origin is Union:
        return any(_fits(value, h) for h in inner)
    if origin is typing.Literal:
        return value in inner
    kind = origin or hint
    if kind is bool:
        return isinstance(value, bool)
    if kind is int:
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if kind is float:
        return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if kind in (collections.abc.Sequence, collections.abc.Iterable):
        if isinstance(value, (str, bytes)) or not isinstance(value, kind):
            return False
        return not isinstance(value, (list, tuple)) or not _plain(inner[0]) or all(_fits(v, inner[0]) for v in value)
    if kind is collections.abc.Callable:
        return callable(value)
    if kind is tuple and isinstance(value, list):
        value = tuple(value)
    if kind is tuple and inner and Ellipsis not in inner:
        return isinstance(value, tuple) and len(value) == len(inner) and all(map(_fits, value, inner))
    try:
        return not isinstance(kind, type) or isinstance(value, kind)
    except TypeError:  # a protocol, of numpy's arrays
        return True


def _plain(hint: Any) -> bool:
    """Whether a list has elements that are checked here, rather than by those who know where they are."""
    return hint in _SCALARS or (typing.get_origin(hint) is Union and str in typing.get_args(hint))


def _kinds(hint: Any) -> list[str]:
    if typing.get_origin(hint) is Union:
        return [kind for inner in typing.get_args(hint) for kind in _kinds(inner)]
    kind = typing.get_origin(hint) or hint
    return [_WORDS.get(kind) or _article(getattr(kind, "__name__", str(kind)))]


def _article(name: str) -> str:
    return name if name.startswith("None") else f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


