"""Figures for print, drawn by matplotlib from the content that the program computes.

`factosim report RUNS --figure PANELS -o FILE.json` writes the content of a figure: its kind, its numbers as columns, the same as in
FILE.csv, and names and colours. `draw` makes a figure of matplotlib of it, which may be changed before it is saved:

    figure = factosim.figures.draw(factosim.figures.load("run.json"), style={"font.family": "serif"})
    figure.axes[1].set_xlim(0, 10)
    figure.savefig("run.pdf")
"""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib import style as styles

from . import bars, machines, panels, plots, tiles
from .page import OptionError

__all__ = ["OptionError", "draw", "load", "picture", "style_file"]

style_file = Path(__file__).resolve().parent / "factosim.mplstyle"

_painters: dict[str, Any] = {
    "time": panels.draw,
    "lines": plots.draw_lines,
    "heat": plots.draw_heat_map,
    "map": tiles.draw,
    "bounds": bars.draw_bounds,
    "lost": bars.draw_lost,
    "machines": machines.draw,
}
_no_dates: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None, "ModDate": None}, "png": {"Software": None}}


def load(file: str | os.PathLike[str]) -> Any:
    """Reads the content of a figure from a file."""
    with open(file, encoding="utf-8") as opened:
        return json.load(opened)


def _clean(value: Any) -> Any:
    """Returns the content with spaces for characters that no XML may have."""
    if isinstance(value, str):
        return "".join(c if c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\x7f\ufffe\uffff" else " " for c in value)
    if isinstance(value, dict):
        return {_clean(key): _clean(each) for key, each in value.items()}
    return [_clean(each) for each in value] if isinstance(value, list) else value


def _settings(content: Any, style: Any) -> list[Any]:
    """Returns the styles of a figure in the order in which they apply."""
    options = content.get("options", {})
    chosen: dict[str, Any] = {}
    if "font_pt" in options:
        chosen["font.size"] = options["font_pt"]
    if "font" in options:
        chosen.update({"font.family": "sans-serif", "font.sans-serif": [options["font"], "DejaVu Sans"]})
    out: list[Any] = ["default", style_file]
    for own in (options.get("style"), style):
        out += own if isinstance(own, list) else [own] if own is not None else []
    return out + [chosen]


def _use(setting: Any, place: str) -> None:
    try:
        if isinstance(setting, (str, os.PathLike)) and setting not in ["default", *styles.available]:  # no address
            setting = matplotlib.rc_params_from_file(Path(setting), use_default_template=False)
        styles.use(setting)
    except Exception as error:  # matplotlib raises many kinds
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise OptionError(f"{place}: cannot be used ({why}). Give a style file of matplotlib") from None


@contextlib.contextmanager
def _styled(content: Any, style: Any) -> Iterator[None]:
    with matplotlib.rc_context():
        for setting in _settings(content, style):
            _use(setting, "--style#")
        yield


def _paint(content: Any) -> Any:
    content = _clean(content)
    return _painters[content["kind"]](content)


def draw(content: Any, style: Any = None) -> Any:
    """Returns a figure of matplotlib.

    `content`: of `load`. `style`: what `matplotlib.style.use` takes, or a list of these: applied after `style_file`.
    """
    with _styled(content, style):
        return _paint(content)


def picture(content: Any, format: str, style: Any = None) -> bytes:
    """Returns the bytes of a figure's file: "svg", "pdf" or "png". The same content has the same bytes."""
    with _styled(content, style):  # styles are also read when a figure is saved
        file = io.BytesIO()
        _paint(content).savefig(file, format=format, metadata=_no_dates[format])
        return file.getvalue()
