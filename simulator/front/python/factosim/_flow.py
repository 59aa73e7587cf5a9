"""Wrong arguments of `TaskFlow`: errors that name them. The native module, which is fast, refuses them without saying which."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable, Mapping
from typing import Any, Callable, Union

from factosim._errors import InputError
from factosim._factosim import TaskFlow
from factosim._kinds import check_kind, checked

Seconds = Union[None, float, Mapping[str, float]]


class _Takes:
    """The methods that have arguments, with what their stub says of these."""

    @staticmethod
    def add_kernel(
        name: str, flops: float = 0.0, *, seconds: Seconds = None, asynchronous_on_gpu: bool = True, timing: str = "",
        on_spare_workers: bool = True, is_free: bool = False,
    ) -> None:
        _check_durations(seconds)
        _check_name(name)

    @staticmethod
    def add_handle(bytes: int, m: int = 0, n: int = 0, owner: int = -1) -> None: ...

    @staticmethod
    def submit(
        kernel: int, *accesses: Union[tuple[Any, ...], list[Any]], priority: int = 0, k: int = 0, m: int = 0, n: int = 0,
        seconds: Seconds = None, after: Iterable[Any] = (), flops: float = 0.0, node: int = -1,
    ) -> None:
        _check_durations(seconds)
        for before in after:
            check_kind("after", before, Union[int, tuple[int, int]])

    @staticmethod
    def wont_use(handle: int) -> None: ...

    @staticmethod
    def flush_inputs(task: int) -> None: ...

    @staticmethod
    def begin_phase(name: str) -> None:
        _check_name(name)


def _check_durations(seconds: Seconds) -> None:
    for worker, value in seconds.items() if isinstance(seconds, Mapping) else ():
        check_kind(f"seconds#/{worker}", worker, str)
        check_kind(f"seconds#/{worker}", value, float)


def _check_name(name: str) -> None:
    if not name:
        raise InputError("name#: is '' (messages and results call it so). Give a text")


def _explain(name: str, always: bool) -> None:
    """Makes a method raise InputError for what it cannot take. `always`: check also what the native module would take."""
    native: Callable[..., Any] = getattr(TaskFlow, name)
    of_stub = getattr(_Takes, name)
    of_stub.__qualname__ = f"TaskFlow.{name}"
    check = checked(of_stub)

    @functools.wraps(native)
    def call(self: TaskFlow, *given: Any, **named: Any) -> Any:
        if always:
            check(*given, **named)
        try:
            return native(self, *given, **named)
        except TypeError:
            check(*given, **named)
            for parameter, value in inspect.signature(of_stub).bind(*given, **named).arguments.items():
                if isinstance(value, int) and not -(2**31) <= value < 2**31:
                    raise InputError(f"{parameter}#: is {value} (it has 32 bits). Give a smaller number") from None
            raise InputError(f"TaskFlow.{name}#: cannot take {given} and {named}. See help(factosim.TaskFlow)") from None

    setattr(TaskFlow, name, call)


for _name in ("submit", "add_handle", "wont_use", "flush_inputs"):
    _explain(_name, always=False)
for _name in ("add_kernel", "begin_phase"):
    _explain(_name, always=True)
