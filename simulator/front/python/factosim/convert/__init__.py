"""Converters: files of other tools become graphs, scenarios and sweeps of factosim.

Each format is a file of this folder and a line of `formats`. Needs Python alone, and no other part of the package factosim: the
program runs this folder by any Python (see _tool.py beside it).
"""

from __future__ import annotations

import zlib
from typing import Optional

from . import dax, formatted_tasks, hpl
from ._source import Converted, ConvertError, Format, Source
from .dask_graph import convert_dask

__all__ = ["Converted", "ConvertError", "Source", "convert_dask", "converted", "formats"]

formats: dict[str, Format] = {
    each.name: each
    for each in (
        dax.FORMAT,
        formatted_tasks.FORMAT,
        hpl.FORMAT,
    )
}

_most = 1 << 31  # bytes of a file that was compressed


def _plain(source: Source) -> Source:
    if not source.data.startswith(b"\x1f\x8b"):
        return source
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        data = unpacker.decompress(source.data, _most)
    except zlib.error as error:
        source.fail(0, f"is damaged ({error}). Compress it again")
    if not unpacker.eof:
        source.fail(0, "is damaged, or larger than 2 GB. Uncompress it")
    return Source(source.name, data, source.platform, source.node_type)


def _format_of(source: Source, kind: Optional[str]) -> Format:
    if kind:
        if kind not in formats:
            raise ConvertError(f'kind#: "{kind}" is not known. Use one of {", ".join(formats)}')
        return formats[kind]
    head = source.data[: 1 << 16].decode("utf-8-sig", errors="replace")
    for each in formats.values():
        if each.recognises(head):
            return each
    known = "; ".join(f"{each.name}: {each.meaning}" for each in formats.values())
    source.fail(0, f"is no file that can be converted ({known}). Give --from where the beginning does not show it; graphs that "
                   "factosim reads (DOT, WfFormat, STG, ...) need no conversion")


def converted(source: Source, kind: Optional[str] = None) -> Converted:
    """Returns what a file becomes. `kind`: its format; without, the contents decide. Raises ConvertError if it is damaged."""
    if not source.data:
        source.fail(0, "is empty. Give another file")
    source = _plain(source)
    return _format_of(source, kind).convert(source)
