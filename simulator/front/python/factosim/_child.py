"""Simulations in child processes.

A process of its own lets any number of simulations with the network model `simgrid`, of which a process can run only one,
follow each other; it can be interrupted at any time; and nothing that happens in it ends the interpreter.
"""

from __future__ import annotations

import base64
import os
import pickle
import signal
import sys
import threading
import traceback
import warnings
from typing import Callable, NoReturn, Optional

from factosim import _factosim
from factosim._errors import ContractError, Error, RunStopped

Progress = Callable[[int, int], object]


_forking = threading.Lock()


def _forget_lock() -> None:
    global _forking
    _forking = threading.Lock()


os.register_at_fork(after_in_child=_forget_lock)


class _ChildTraceback(Exception):
    """Shows the traceback of an exception in a child process."""

    def __str__(self) -> str:
        return "\n" + str(self.args[0])


def call(work: Callable[[Progress], object], progress: Optional[Progress] = None) -> None:
    """Calls `work(progress)` in a child process; raises the exception that it raises."""
    child, read_end = _start(work)
    ended = False
    try:
        outcome = _listen(read_end, progress)
        status = os.waitpid(child, 0)[1]
        ended = True
    finally:
        os.close(read_end)
        if not ended:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    if outcome is None:
        raise ContractError(f"the process of the simulation ended without a result ({_description(status)})")
    error, text = outcome
    if error is not None:
        if isinstance(error, Error):
            raise error
        raise error from _ChildTraceback(text)


def _start(work: Callable[[Progress], object]) -> tuple[int, int]:
    """Forks the child. Returns its number and where to read what it sends."""
    sys.stdout.flush()
    sys.stderr.flush()
    with _forking, warnings.catch_warnings():  # a child that had another's pipe would keep it open
        read_end, write_end = os.pipe()
        # Threads of this process hold no lock that the child needs: it only simulates.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
        if child != 0:
            os.close(write_end)
            return child, read_end
    os.close(read_end)
    _be_child(work, write_end)


def _listen(read_end: int, progress: Optional[Progress]) -> Optional[tuple[Optional[BaseException], str]]:
    """Passes progress on until the child ends. Returns its exception and traceback; nothing if it sent none."""
    outcome = None
    rest = b""
    while data := os.read(read_end, 1 << 16):
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            kind, value = line[:1], line[1:]
            if kind == b"o":
                outcome = pickle.loads(base64.b64decode(value))
            elif progress is not None:
                done, total = value.split()
                if progress(int(done), int(total)) is False:
                    raise RunStopped("the callback of progress returned False")
    return outcome


def _be_child(work: Callable[[Progress], object], write_end: int) -> NoReturn:
    _factosim.die_with_parent()
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process

        def report(done: int, total: int) -> None:
            os.write(write_end, b"p%d %d\n" % (done, total))

        outcome: tuple[Optional[BaseException], str] = (None, "")
        try:
            work(report)
        except BaseException as error:
            outcome = (error, traceback.format_exc())
        data = b"o" + base64.b64encode(_pickled(outcome)) + b"\n"
        while data:
            data = data[os.write(write_end, data) :]
        sys.stdout.flush()
        sys.stderr.flush()
        code = 0
    finally:
        os._exit(code)  # what the parent would do at its end is not for the child to do


def _pickled(outcome: tuple[Optional[BaseException], str]) -> bytes:
    try:
        data = pickle.dumps(outcome)
        pickle.loads(data)  # some exceptions can be written only
        return data
    except Exception:
        error = outcome[0]
        return pickle.dumps((RuntimeError(f"{type(error).__name__}: {error}"), outcome[1]))


def _description(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        name = signal.Signals(number).name if number in set(signal.Signals) else "unknown"
        hint = ": the memory may be exhausted" if number == signal.SIGKILL else ""
        return f"signal {number}, {name}{hint}"
    return f"exit code {os.WEXITSTATUS(status)}"
