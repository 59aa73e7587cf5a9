#!/usr/bin/env python3
"""What the papers print against what the program gives: one table of verdicts for each study, made from its runs.

    scenarios/verdicts.py [STUDY...] [--program PROGRAM] [--long] [--check]
    scenarios/verdicts.py --pages [--check]

STUDY is a folder below scenarios/ with a file `items.py`; without one, all of them. `items.py` defines `items(study)`, a generator of
Item, and where a part takes minutes, `long_items(study)`. The script

- computes the items and writes them to scenarios/STUDY/verdicts.jsonl, one JSON object a line. Items of `long_items` are kept as they are
  unless --long is given;
- writes the table between the marks `<!-- verdicts -->` and `<!-- end of verdicts -->` of scenarios/STUDY/README.md, and the
  summary of all studies between the same marks of scenarios/guide/papers.md.

With --check nothing is written: it fails where a fresh run, a page or the summary differs from verdicts.jsonl. With --pages no study
is computed: only the pages are made from the files, or compared.

A verdict is computed from the numbers, not stated:

  exact           every number rounded to the digits printed is the number printed; for a statement: it holds
  within x %      the largest relative difference of the item's numbers, up to 15 %. Of numbers that are read from a curve
                  (Item.curve), the difference over the largest value of the curve, and never exact; of shares of 100 % that
                  are nearly reached (Item.complement), of what is lost
  shape only      further off, but the comparison that the paper draws from it (Item.shape) holds; whatever holds, but on machines or
                  links whose speeds are ours (Item.ours)
  given           a number that the program was given, or that a constant was fitted to (Item.given)
  not reproduced  the rest, and a statement that does not hold; the cause is given

Numbers that follow from others which are printed are shown, and not counted (Item.derived)."""

import argparse
import dataclasses
import importlib.util
import json
import math
import subprocess
import sys
import time
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
STUDIES = {  # in the order of the summary: the name of its paper
    "lu_icpads20": "LU over heterogeneous clusters (ICPADS 2020)",
    "het_grid": "Heterogeneous 2D grids (IPDPS 2000)",
    "exageostat_icpp21": "ExaGeoStat (ICPP 2021)",
    "ring": "Iterations on a ring (2003)",
    "balance": "PLB-HAC",
}
CLASSES = ("exact", "within 5 %", "within 15 %", "shape only", "given", "not reproduced")
LARGEST_DEVIATION = 0.15  # that counts as "within x %"
BEGIN, END = "<!-- verdicts -->", "<!-- end of verdicts -->"


@dataclasses.dataclass
class Item:
    """A number, a list of numbers or a statement of a paper, and what the program gives.

    `printed`: numbers as text, in the paper's digits ("2.4322"), one or a list; or a statement. `obtained`: as many numbers, or the
    statement as it came out. `holds`: of a statement only: whether it came out as the paper says. `shape`: of numbers: whether
    the comparison that the paper draws from them holds. `ours`: the speeds of the machines or links are not those of the paper.
    `given`, `derived`: see above. `cause`: why it differs, or what was fitted or assumed; required with the verdicts "shape only",
    "given" and "not reproduced". `curve`: of numbers read from a figure: the largest value of the curve. `complement`: of
    percentages near 100: what is lost is compared."""

    item: str
    source: str  # section, figure or table of the paper
    printed: str | list
    obtained: object
    holds: bool | None = None
    shape: bool = False
    ours: bool = False
    given: bool = False
    derived: bool = False
    curve: float | None = None
    complement: bool = False
    cause: str = ""


def listed(value):
    return value if isinstance(value, list) else [value]


def deviation(printed, obtained, curve=None, complement=False):
    """Returns the relative difference, that over the largest value of a curve, or that of what is missing to 100; 0 where `obtained`, rounded to the digits of the text `printed`, is the same number."""
    number = Decimal(printed)
    if curve:
        return max(abs(float(obtained) - float(number)) / curve, 1e-3)
    if Decimal(repr(float(obtained))).quantize(Decimal(1).scaleb(number.as_tuple().exponent), ROUND_HALF_UP) == number:
        return 0.0
    whole = abs(100 - float(number)) if complement else abs(float(number))
    return abs(float(obtained) - float(number)) / whole if whole else math.inf


def judged(item):
    """Returns the item as a line of verdicts.jsonl: with its verdict, and how many of its numbers are in each class."""
    line = {"item": item.item, "source": item.source, "printed": item.printed, "obtained": item.obtained}
    if item.holds is not None:
        line["verdict"] = "not reproduced" if not item.holds else "shape only" if item.ours else "exact"
    else:
        printed, obtained = listed(item.printed), listed(item.obtained)
        if len(printed) != len(obtained):
            raise ValueError(f"{item.item}: {len(printed)} numbers printed, {len(obtained)} obtained")
        off = [deviation(*pair, item.curve, item.complement) for pair in zip(printed, obtained)]
        far = "shape only" if item.shape else "not reproduced"
        near = "given" if item.given else "shape only" if item.ours else None
        count = dict.fromkeys(CLASSES, 0)
        for d in off:
            count[far if d > LARGEST_DEVIATION else near or ("exact" if d == 0 else "within 5 %" if d <= 0.05 else "within 15 %")] += 1
        line["numbers"] = {} if item.derived else {name: n for name, n in count.items() if n}
        line["obtained"] = [float(f"{float(value):.7g}") for value in obtained]
        worst = max(off)
        line["verdict"] = far if worst > LARGEST_DEVIATION else near or ("exact" if worst == 0 else f"within {percent(worst)} %")
        if item.derived:
            line["verdict"] += ", derived"
    if line["verdict"] in ("shape only", "given", "not reproduced") and not item.cause:
        raise ValueError(f"{item.item}: {line['verdict']} without a cause")
    if item.cause:
        line["cause"] = item.cause
    return line


def percent(share):
    """Returns the share in percent, rounded up to two significant digits."""
    step = 10.0 ** (math.floor(math.log10(100 * share)) - 1)
    return f"{math.ceil(100 * share / step - 1e-9) * step:.6g}"


def commit():
    """Returns the commit of the sources, with its date."""
    done = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%h of %cs"], capture_output=True, text=True)
    return done.stdout.strip() or "an unknown commit"


class Study:
    """The runs of one study: `run("distribute", "paper_3x3.json", "--set", ...)` returns the JSON that the program prints."""

    def __init__(self, name, program):
        self.name, self.folder, self.program = name, HERE / name, program
        self.results = ROOT / "results" / name  # what the study's own script has written

    def run(self, command, scenario, *options):
        done = subprocess.run([self.program, command, str(self.folder / scenario), "--json", *options], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"factosim {command} {scenario} {' '.join(options)}\n{done.stderr}")
        return json.loads(done.stdout)

    def lines(self, with_long, before):
        """Returns the study's lines; those of `long_items` are taken from `before` unless they are asked for."""
        source = importlib.util.spec_from_file_location(f"items_of_{self.name}", self.folder / "items.py")
        module = importlib.util.module_from_spec(source)
        source.loader.exec_module(module)
        lines = [judged(item) for item in module.items(self)]
        if not with_long:
            return lines + [line for line in before if line.get("long")]
        return lines + [judged(item) | {"long": commit()} for item in getattr(module, "long_items", lambda study: [])(self)]


def read_lines(study):
    file = HERE / study / "verdicts.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def cell(values, printed):
    """Returns the numbers in the digits printed, with one more where that is another number."""
    out = []
    for value, text in zip(listed(values), listed(printed)):
        places = max(-Decimal(text).as_tuple().exponent, 0)
        out.append(f"{value:.{places if deviation(text, value) == 0 else places + 1}f}")
    return ", ".join(out)


def table(lines):
    """Returns the Markdown table of a study's items."""
    out = ["| item | where | printed | obtained | verdict | cause, or what was assumed |", "|---|---|---|---|---|---|"]
    for line in lines:
        shown = cell(line["obtained"], line["printed"]) if "numbers" in line else str(line["obtained"])
        mark = "**" if line["verdict"] == "not reproduced" else ""
        out.append(f"| {line['item']} | {line['source']} | {', '.join(listed(line['printed']))} | {shown} | "
                   f"{mark}{line['verdict']}{mark} | {line.get('cause', '')} |")
    commits = sorted({line["long"] for line in lines if isinstance(line.get("long"), str)})
    return "\n".join(out + (["", f"Lines of runs that take minutes: as computed at {', '.join(commits)}."] if commits else []))


def summary(studies):
    """Returns the table of all studies: how many numbers and statements of the papers are in each class."""
    out = ["| paper | | printed | " + " | ".join(CLASSES) + " |", "|---|---|" + "---|" * (1 + len(CLASSES))]
    total = {kind: dict.fromkeys(CLASSES, 0) for kind in ("numbers", "statements")}
    for study, lines in studies.items():
        for kind in total:
            count = dict.fromkeys(CLASSES, 0)
            for line in lines:
                for name, n in (line.get("numbers", {}) if kind == "numbers" else {} if "numbers" in line else {line["verdict"]: 1}).items():
                    count[name] += n
                    total[kind][name] += n
            name = f"[{STUDIES[study]}](../{study}/README.md)" if kind == "numbers" else ""
            out.append(f"| {name} | {kind} | {sum(count.values())} | " + " | ".join(str(n or "–") for n in count.values()) + " |")
    for kind, count in total.items():
        name = "**all**" if kind == "numbers" else ""
        out.append(f"| {name} | {kind} | **{sum(count.values())}** | " + " | ".join(f"**{n}**" if n else "–" for n in count.values()) + " |")
    missed = [f"- {STUDIES[study]}, {line['source']}: {line['item']}" for study, lines in studies.items()
              for line in lines if line["verdict"] == "not reproduced"]
    return "\n".join(out + (["", "Not reproduced (the tables of the studies say why):", "", *missed] if missed else []))


def replaced(page, content):
    """Returns the text of the page with `content` between its marks."""
    text = page.read_text()
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{page.relative_to(ROOT)}: has no marks {BEGIN} and {END} (a table is written between them). Add both lines")
    return f"{head}{BEGIN}\n{content}\n{END}{tail}"


def write(file, text, check):
    """Writes the file if its text changes. With `check` returns whether it is the same instead."""
    same = file.exists() and file.read_text() == text
    if not same and check:
        print(f"{file.relative_to(ROOT)} differs from what it is made from. Run scenarios/verdicts.py", file=sys.stderr)
    elif not same:
        file.write_text(text)
    return same or not check


def same(a, b):
    """Returns whether two lines agree; numbers that a solver gives may differ in the last digits."""
    if isinstance(a, float) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-9)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(key == "long" or same(a[key], b[key]) for key in a)
    return a == b


def compute(study, program, with_long, check):
    """Computes a study. Returns whether it may stay as it is, with --check."""
    began, before = time.monotonic(), read_lines(study)
    lines = Study(study, program).lines(with_long, before)
    print(f"{study}: {len(lines)} items, {time.monotonic() - began:.0f} s", file=sys.stderr)
    if check:
        known = {(line["source"], line["item"]): line for line in before}
        for line in lines:
            old = known.get((line["source"], line["item"]))
            if not same(line, old):
                print(f"{study}: {line['item']}\n  now     {line}\n  written {old}", file=sys.stderr)
        return len(lines) == len(before) and all(map(same, lines, before))
    (HERE / study / "verdicts.jsonl").write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="*", metavar="STUDY")
    parser.add_argument("--program", default=ROOT / "build/release/factosim", type=Path)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--pages", action="store_true")
    options = parser.parse_args()
    present = [study for study in STUDIES if (HERE / study / "items.py").exists()]
    for study in options.studies:
        if study not in present:
            raise SystemExit(f"{study}: is no study with an items.py. Use one of: {', '.join(present)}")
    if not options.pages and not options.program.exists():
        raise SystemExit(f"no program {options.program}: build it first, or name it with --program")
    good = True
    for study in [] if options.pages else options.studies or present:
        good &= compute(study, options.program.resolve(), options.long, options.check)
    for study in present:
        page = HERE / study / "README.md"
        good &= write(page, replaced(page, table(read_lines(study))), options.check)
    page = HERE / "guide/papers.md"
    good &= write(page, replaced(page, summary({study: read_lines(study) for study in present})), options.check)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
