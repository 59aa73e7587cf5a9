#!/usr/bin/python3
"""The site of the documents: it is made without a warning, no link is dead, it has all names of the Python package, and its search
finds pages in a browser, from files.

  tests/guide/site_test.py [--pictures FOLDER]

Skipped without Sphinx, MyST and the theme of Read the Docs; the search alone without Chromium, its driver and Selenium."""

import importlib.util
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.dont_write_bytecode = True

# What is searched, and a page that has to be among the results.
SEARCHES = {"Shapley": "comparison.html", "ABE": "bounds.html", "mirage": "platforms/README.html", "diagonals": "extend.html"}


def build(site, cache):
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", ROOT / "cmake/documents", "-d", cache, ROOT, site]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit(f"FAILED: the site is made with warnings\n{done.stdout}")


def names_of_package():
    """The public names of the Python package and of its classes; none where it is not built."""
    try:
        import factosim
    except ImportError as error:
        print(f"the names of the Python package are skipped: {error}")
        return []
    names = list(factosim.__all__)
    for name in factosim.__all__:
        value = getattr(factosim, name)
        if isinstance(value, type) and not issubclass(value, Exception):
            names += [f"{name}.{member}" for member, m in vars(value).items() if not member.startswith("_") and (callable(m) or isinstance(m, property))]
    return names


def search_finds(site, pictures):
    sys.path.insert(0, str(ROOT / "tests/report"))
    from open_page import start_browser

    browser = start_browser()
    try:
        for words, page in SEARCHES.items():
            browser.get(f"file://{site}/search.html?q={words.replace(' ', '+')}")
            results, end = [], time.time() + 20
            while time.time() < end and not any(page in result for result in results):
                time.sleep(0.1)
                results = browser.execute_script("return [...document.querySelectorAll('#search-results li a')].map((a) => a.href)")
            if not any(page in result for result in results):
                raise SystemExit(f"FAILED: a search of {words!r} finds {results}, not {page}")
        for width in (1400, 390):
            browser.set_window_size(width, 900)
            for page in ("README.html", "scenarios/guide/tutorial.html", "scenarios/reference.html"):
                browser.get(f"file://{site}/{page}")
                inside = browser.execute_script("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
                if not inside:
                    raise SystemExit(f"FAILED: {page} is wider than a window of {width} pixels")
                if pictures:
                    browser.save_screenshot(str(pictures / f"{Path(page).parent.name}_{Path(page).stem}_{width}.png"))
        errors = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
        if errors:
            raise SystemExit(f"FAILED: errors on the console: {errors}")
    finally:
        browser.quit()


def main():
    missing = [name for name in ("sphinx", "myst_parser", "sphinx_rtd_theme") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} is not installed (packages python3-sphinx, python3-myst-parser, python3-sphinx-rtd-theme)")
        return 0
    pictures = Path(sys.argv[2]) if sys.argv[1:2] == ["--pictures"] else None
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "html"
        build(site, Path(folder) / "cache")
        code = subprocess.run([sys.executable, HERE / "links.py", site]).returncode
        if code:
            return code
        names, page = names_of_package(), (site / "scenarios/python.html").read_text()
        if missing := [name for name in names if f'id="{name}"' not in page]:
            raise SystemExit(f"FAILED: scenarios/python.html lacks {', '.join(missing)}")
        if names:
            SEARCHES.update({"predict_transfers": "scenarios/python.html", "wont_use": "scenarios/python.html"})
        if not shutil.which("chromedriver") or not importlib.util.find_spec("selenium"):
            print("the search is skipped: chromium-driver or python3-selenium is not installed")
            return 0
        search_finds(site, pictures)
    print(f"{len(SEARCHES)} searches find their pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
