"""Pages and figures of runs."""

from __future__ import annotations

import base64
import contextlib
import html
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from factosim import _factosim, _labels
from factosim._errors import Error, InputError, writing
from factosim._kinds import checked
from factosim._program import call, expect_known, options

if TYPE_CHECKING:
    from factosim._run import Run

Shown = Union["Run", str, "os.PathLike[str]"]

_max_inline_bytes = 30_000_000  # larger pages would block a notebook
_max_short_bytes = 60_000  # of what a cell shows that ends with a run


class Page:
    """An HTML page of runs. Notebooks show it; `save` writes it."""

    def __init__(self, html: str) -> None:
        self.html = html

    def __repr__(self) -> str:
        return f"<factosim.Page: {len(self.html) // 1000} kB>"

    @checked
    def save(self, file: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the page into a file, which opens in any browser. Raises InputError where it cannot be written."""
        with writing(file):
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

    def __init__(self, content: dict[str, Any], table: Callable[[], bytes], kept: object = None) -> None:
        self.content = content
        self._table = table  # makes the table of its numbers
        self._kept = kept  # the files that this needs

    def __repr__(self) -> str:
        return f"<factosim.Figure: {', '.join(panel['name'] for panel in self.content.get('panels', [])) or self.content['kind']}>"

    @checked
    def draw(self, style: Any = None) -> Any:
        """Draws with matplotlib. `style`: a style file, name or dictionary, applied after `factosim.figures.style_file`."""
        return self._drawn("draw", style)

    @checked
    def save(self, file: Union[str, "os.PathLike[str]"], style: Any = None) -> None:
        """Writes a file: .svg, .pdf or .png; the numbers as .csv; or the content as .json. `style` as of `draw`.

        Raises InputError for other endings, for a style that is none, and where it cannot be written.
        """
        path = Path(file)
        if path.suffix == ".json":
            data = json.dumps(self.content).encode()
        elif path.suffix == ".csv":
            data = self._table()
        elif path.suffix in (".svg", ".pdf", ".png"):
            data = self._drawn("picture", path.suffix[1:], style)
        else:
            raise InputError(f"{path}#: is not the name of a figure (SVG, PDF, PNG, CSV and JSON are written). Give one of these endings")
        with writing(file):
            path.write_bytes(data)

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

    def _drawn(self, function: str, *given: Any) -> Any:
        figures = self._figures()
        try:
            return getattr(figures, function)(self.content, *given)
        except figures.OptionError as error:
            raise InputError._of_program(str(error)) from None

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


def _is_run(value: Any) -> bool:
    return hasattr(value, "path") and hasattr(value, "result")


@contextlib.contextmanager
def paths_of(runs: "tuple[Any, ...]", sources: bool = True) -> "Iterator[tuple[list[str], dict[str, str]]]":
    """Gives the paths of runs as the program takes them, and names for its messages.

    Several runs are named by what differs; those of a dict by its keys. `sources`: their scenarios are files.
    """
    own: list[str] = []
    if len(runs) == 1 and isinstance(runs[0], Mapping):
        own = [str(label) for label in runs[0]]
        runs = tuple(runs[0].values())
    for run in runs:
        if not _is_run(run) and not isinstance(run, (str, os.PathLike)):
            raise InputError(f"runs#: {run!r} is no run. Give runs, folders or traces")
    if own:
        from factosim._run import open_run

        runs = tuple(run if _is_run(run) else open_run(run) for run in runs)
    with tempfile.TemporaryDirectory(prefix="factosim-") as folder:
        objects = [run for run in runs if _is_run(run)]
        labels = own
        if not own:
            of_objects = iter(_labels.labels_of(objects))
            labels = [next(of_objects) if _is_run(run) else "" for run in runs]
        paths = [_labels.as_file(run, label, Path(folder) / str(i), sources) if _is_run(run) else Path(run)
                 for i, (run, label) in enumerate(zip(runs, labels))]
        names = {str(path): label or repr(run) for path, run, label in zip(paths, runs, labels) if _is_run(run)}
        yield list(map(str, paths)), names


@checked
def report(*runs: Union[Shown, Mapping[str, Shown]], x: Optional[str] = None, lines: Optional[str] = None) -> Page:
    """Makes the page of one to four runs: objects, folders, or traces in any format that is read; or of the folder of a sweep.

    runs       {"dmdas": a, "eager": b} names them; without, several are named by what differs in their options
    x, lines   columns of a sweep, as of `figure`

    Raises InputError for what is no run, and damaged files.
    """
    if not 1 <= len(runs) <= 4:
        raise InputError(f"report#: has {len(runs)} runs (one to 4 are shown). Give fewer or more of them")
    with paths_of(runs) as (paths, names), tempfile.TemporaryDirectory(prefix="factosim-") as folder:
        page = Path(folder) / "page.html"
        call("report", *paths, *options(x=x, lines=lines), f"--output={page}", names=names)
        return Page(page.read_text())


@checked
def figure(
    *runs_and_panels: Union[Shown, Mapping[str, Shown]],
    x: Optional[str] = None,
    lines: Optional[str] = None,
    size: Union[None, str, float] = None,
    font: Optional[str] = None,
    font_size: Optional[float] = None,
    palette: Optional[str] = None,
    style: Union[None, str, "os.PathLike[str]"] = None,
    title: Optional[str] = None,
    x_label: Optional[str] = None,
    y_label: Optional[str] = None,
    x_range: Union[None, str, tuple[float, float]] = None,
    y_range: Union[None, str, tuple[float, float]] = None,
    log: Optional[str] = None,
) -> Figure:
    """A figure of panels (`figure_panels()`) below each other, runs beside each other: figure(run, other, "nodes", "memory").

    Of the folder of a sweep: figure("results/fig13", "makespan_s"), with columns in place of panels.

    runs_and_panels   runs, as of `report`, and names of panels
    x, lines          columns of a sweep: the axis, and of which each value has a line
    size              width in mm, or "88x60"
    font, font_size   family, and height in points
    palette           "color" or "grey"
    style             a style file of matplotlib, or the name of one
    title, x_label, y_label, x_range, y_range   texts, and (first, last)
    log               logarithmic axes of a sweep: "x", "y", "xy" or "none"; by default x where its values grow by one factor

    Raises InputError for what is no run, panel, column or option.
    """
    sweep = next((Path(r) for r in runs_and_panels if isinstance(r, (str, os.PathLike)) and (Path(r) / "sweep.json").is_file()), None)
    known = _factosim.figure_panels()
    panels, runs = [], []
    for value in runs_and_panels:
        is_path = not isinstance(value, str) or Path(value).exists()
        if isinstance(value, str) and (value in known or (sweep is not None and not is_path)):
            panels.append(value)
        elif is_path:
            runs.append(value)
        else:
            expect_known("figure#", value, known, "panel, and no file")
    given = options(x=x, lines=lines, size=size, font=font, font_size=font_size, palette=palette, style=style, title=title,
                    x_label=x_label, y_label=y_label, x_range=_range(x_range), y_range=_range(y_range), log=log)
    if not panels:
        raise InputError(f"figure#: has no panels. Choose of {', '.join(known)}; of a sweep: columns, such as makespan_s")

    def written(ending: str) -> bytes:
        with paths_of(tuple(runs), sources=False) as (paths, names), tempfile.TemporaryDirectory(prefix="factosim-") as folder:
            file = Path(folder) / f"figure.{ending}"
            call("report", *paths, f"--figure={','.join(panels)}", *given, f"--output={file}", names=names)
            return file.read_bytes()

    return Figure(json.loads(written("json")), lambda: written("csv"))


def figure_of_program(
    option: str, *arguments: Any, names: Optional[Mapping[str, str]] = None, kept: object = None
) -> Figure:
    """Returns the figure that a command writes to the file that the option names. `kept`: owns files among the arguments."""

    def written(ending: str) -> bytes:
        with tempfile.TemporaryDirectory(prefix="factosim-") as folder:
            file = Path(folder) / f"figure.{ending}"
            call(*arguments, f"{option}={file}", names=names)
            return file.read_bytes()

    return Figure(json.loads(written("json")), lambda: written("csv"), kept)


def _range(given: Union[None, str, tuple[float, float]]) -> Optional[str]:
    return given if given is None or isinstance(given, str) else ":".join(map(repr, given))


def short_view(run: "Run") -> str:
    """Returns what a notebook shows of a run: its summary, and a small Gantt chart where there is room for one."""
    out = f"<pre style=\"line-height: 1.25\">{html.escape(run.summary())}</pre>"
    panel = "workers" if len(run.result.get("nodes", [0])) == 1 else "nodes"
    try:
        chart = figure(run, panel, size="180x70", title="")
        for format, dpi in (("svg", 110), ("png", 110), ("png", 72)):
            data = base64.b64encode(chart._figures().picture(chart.content, format, {"savefig.dpi": dpi})).decode()
            image = f'<img src="data:image/{format.replace("svg", "svg+xml")};base64,{data}" alt="Gantt chart">'
            if len(out) + len(image) <= _max_short_bytes - 200:
                out += image
                break
    except Error:
        pass  # no trace was kept, or no matplotlib is there: the summary says enough
    return out + "<p><code>run.report()</code> shows the page.</p>"
