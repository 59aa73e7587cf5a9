"""What changed between two versions of a program: two graphs of tasks in our own form (scenarios/graphs.md), side by side.

Needs Python alone, and no other part of the package factosim: the program runs this folder by any Python (see _tool.py beside it).
"""

from ._difference import compared, parsed
from ._graph import GraphError, Program, read

__all__ = ["GraphError", "Program", "compared", "parsed", "read"]
