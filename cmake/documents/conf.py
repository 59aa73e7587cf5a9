"""The documents as one site of HTML pages, by Sphinx with MyST and the theme of Read the Docs:

  sphinx-build -c cmake/documents . BUILD_FOLDER

The site needs no network and no server; its search works from files. The Markdown pages and the docstrings of the Python
package, if it can be imported, are the only source: this file adds the contents in the order of need, and api.py the names."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import api  # noqa: E402

project = "factosim"
html_title = "factosim"
extensions = ["myst_parser", "sphinx_rtd_theme"]
include_patterns = [
    "*.md",
    *(f"{folder}/**.md" for folder in ("scenarios", "platforms", "models", "distributions", "simulator", "tests")),
]
exclude_patterns = ["**/node_modules", "build"]
root_doc = "README"
myst_heading_anchors = 4  # GitHub's
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]  # types of other packages
add_module_names = False
python_use_unqualified_type_names = True
smartquotes = False  # texts have code
html_theme = "sphinx_rtd_theme"
html_show_search_summary = False  # it would be fetched, which browsers refuse for files
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["wide.css"]
html_theme_options = {"navigation_depth": 3, "collapse_navigation": True}
# Examples show output of terminals and parts of files, which no grammar fits.
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure", "myst.header"]

CONTENTS = {
    "Guide": "guide/README tutorial /scenarios/examples/README",
    "How to": "nodes_and_distributions starpu_machine record mixed_cluster reserve_nodes machines_of_today networks energy nested schedule real_run paper_figure extend use_from_python use_from_cpp slurm",
    "Understand": "model versions bounds uncertainty comparison estimates limits questions",
    "Look up": "/scenarios/README /scenarios/reference /scenarios/sweeps /scenarios/traces /scenarios/graphs /scenarios/reports /scenarios/gallery /scenarios/python"
    " /distributions/README /simulator/runtime/policies/README /simulator/runtime/eviction/README /platforms/README /models/README /simulator/audit/rules/README /simulator/GLOSSARY",
    "Studies": "guide/papers /scenarios/lu_icpads20/README /scenarios/exageostat_icpp21/README /scenarios/het_grid/README"
    " /scenarios/layers/README /scenarios/maps/README /scenarios/generations/README /scenarios/mixed_precision/README /scenarios/balance/README /scenarios/ring/README /scenarios/wire/README",
    "Measured": "/tests/fidelity/README /tests/measurements /tests/robustness /tests/threat_model",
    "For developers": "/CONTRIBUTING /simulator/README /simulator/base/README /simulator/tasks/README /simulator/traces/README /simulator/runtime/README /simulator/experiments/README /simulator/report/README /simulator/scenario/README /simulator/studies/README /simulator/audit/README /simulator/front/README /simulator/include/README /simulator/traces/trace/README /simulator/experiments/balance/README"
    " /tests/README /tests/fidelity/campaign/README /CHANGELOG",
}


def contents(existing):
    """The tables of contents, in MyST. Names without a slash are pages of the guide."""
    for caption, names in CONTENTS.items():
        pages = []
        for name in names.split():
            page = name.lstrip("/") if name.startswith("/") else "scenarios/guide/" + name.removeprefix("guide/")
            if page in existing:
                pages.append("/" + page)
        yield f"```{{toctree}}\n:hidden:\n:maxdepth: 1\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"


def add_contents(app, name, source):
    if name == root_doc:
        source[0] += "\n" + "\n".join(contents(app.env.found_docs))
    if name == "scenarios/python":
        source[0] += "\n" + api.page()


def add_index(app, exception):
    if exception is None and app.builder.name == "html":
        page = '<!doctype html><meta charset="utf-8"><title>factosim</title><meta http-equiv="refresh" content="0; url=README.html"><a href="README.html">factosim</a>\n'
        Path(app.outdir, "index.html").write_text(page)


def changed(app, env, added, changed, removed):
    return ["scenarios/python"]  # its file does not tell when docstrings change


def setup(app):
    app.connect("env-get-outdated", changed)
    app.connect("source-read", add_contents)
    app.connect("build-finished", add_index)
