"""Pages and figures of runs."""

from __future__ import annotations

import base64
import html
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from factosim import _factosim
from factosim._errors import InputError

if TYPE_CHECKING:
    from factosim._run import Run

Shown = Union["Run", str, "os.PathLike[str]"]

_max_inline_bytes = 30_000_000  # larger pages would block a notebook


class Page:
    """An HTML page of runs. Notebooks show it; `save` writes it."""

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, file: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the page, which opens in any browser."""
        Path(file).write_text(self.html)

    def _repr_html_(self) -> str:
        if len(self.html) > _max_inline_bytes:
            return "<p>The page is too large for a notebook: save it, and open the file.</p>"
        # A frame of its own keeps the styles and the program of the page and of the notebook apart.
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts allow-downloads" '
            'style="width: 100%; height: 900px; border: 0" title="Run"></iframe>'
        )


class Figure:
    """A figure. Notebooks show it; `save` writes it; `draw` returns a figure of matplotlib, to be changed."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content

    def draw(self, style: Any = None) -> Any:
        """Draws with matplotlib. `style`: a style file, name or dictionary, applied after `factosim.figures.style_file`."""
        return self._figures().draw(self.content, style)

    def save(self, file: Union[str, "os.PathLike[str]"], style: Any = None) -> None:
        """Writes .svg, .pdf or .png, or the content as .json."""
        path = Path(file)
        if path.suffix == ".json":
            path.write_text(json.dumps(self.content))
        elif path.suffix in (".svg", ".pdf", ".png"):
            path.write_bytes(self._figures().picture(self.content, path.suffix[1:], style))
        else:
            raise InputError(f"{path}#: is not the name of a figure (SVG, PDF, PNG and JSON are written). Give one of these endings")

    @property
    def svg(self) -> str:
        """The figure as SVG, a text."""
        return str(self._figures().picture(self.content, "svg").decode())

    def _repr_svg_(self) -> str:
        svg = self.svg
        return svg[svg.index("<svg") :]  # inside a page there is no declaration of XML

    def _repr_html_(self) -> str:
        # As an image: exported notebooks lose parts of an SVG that is their markup.
        data = base64.b64encode(self.svg.encode()).decode()
        return f'<img src="data:image/svg+xml;base64,{data}" alt="Figure of a run">'

    @staticmethod
    def _figures() -> Any:
        try:
            from factosim import figures
        except ImportError as error:
            raise InputError(
                f"figure#: cannot be drawn (pictures need the package {error.name}). Install it (Debian: python3-matplotlib; others: "
                "pip install matplotlib)"
            ) from None
        return figures


def _paths(runs: tuple[Any, ...]) -> list[str]:
    return [os.fspath(getattr(run, "folder", run)) for run in runs]


def report(*runs: Shown) -> Page:
    """Makes the page of one to four runs: objects, folders, or traces in any format that is read."""
    with tempfile.TemporaryDirectory(prefix="factosim-") as folder:
        page = Path(folder) / "page.html"
        _factosim.write_report_page(_paths(runs), str(page))
        return Page(page.read_text())


def figure(*runs_and_panels: Shown) -> Figure:
    """A figure of panels (`figure_panels()`) below each other, runs beside each other: figure(run, other, "nodes", "memory")."""
    names = set(_factosim.figure_panels())
    panels = [p for p in runs_and_panels if isinstance(p, str) and p in names]
    runs = tuple(r for r in runs_and_panels if not (isinstance(r, str) and r in names))
    return Figure(json.loads(_factosim.figure_json(_paths(runs), panels)))
