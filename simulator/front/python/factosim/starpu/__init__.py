"""Traces as files of StarPU: records of tasks, data, messages and the machine (scenarios/traces.md).

Needs Python alone, and no other part of the package factosim: the program runs this folder by any Python (see _tool.py beside it).
"""

from ._fields import MODES, SPECIAL, Fields, joined, name_in_line, shortest
from ._records import files, platform

__all__ = ["MODES", "SPECIAL", "Fields", "files", "joined", "name_in_line", "platform", "shortest"]
