"""The page of the Python package: signatures of the package and its stub, and the docstrings that help() shows."""

import ast
import importlib
import inspect
import re
from pathlib import Path

# Parts of the page: a heading, and the modules whose names stand there.
public = []  # names, which texts refer to
PARTS = {
    "Scenarios and runs": "_scenario _document _run",
    "Sweeps": "_sweep",
    "Task graphs": "_graph TaskFlow TaskGraph",
    "Platforms": "_platform",
    "Policies": "_scheduler Node FIRST_IDLE ALL_WORKERS",
    "Searches, comparisons, measurements": "_studies",
    "Pages and figures": "_report figure_panels",
    "Files of other tools": "_convert _export",
    "What there is": "scheduler_names network_model_names git_revision",
    "Exceptions": "_errors",
}


def page():
    """Returns the page in MyST, without a title; why there is none if the package cannot be imported."""
    try:
        package = importlib.import_module("factosim")
    except ImportError as error:
        return f"This site was made without the package ({error}).\n"
    public[:] = package.__all__
    stub = dict(declared(ast.parse((Path(package.__file__).parent / "_factosim.pyi").read_text())))
    out = [text_of(package.__doc__)]
    for heading, places in PARTS.items():
        names = [n for n in package.__all__ if place_of(package, n) in places.split()]
        names.sort(key=lambda n: (places.split().index(place_of(package, n)), line_of(getattr(package, n))))
        out.append(f"## {heading}\n")
        out += [entry(n, getattr(package, n), stub) for n in names]
    return "\n".join([*out, "## Types\n", *types(Path(package.__file__).parent, "\n".join(out))])


def types(folder, text):
    """The names that signatures use for types that have long ones."""
    aliases = {}
    for file in (*sorted(folder.glob("_*.py")), folder / "_factosim.pyi"):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
                aliases.setdefault(node.targets[0].id, shown(ast.unparse(node.value)))
    used, count = set(re.findall(r"\b[A-Z]\w+", "\n".join(re.findall(r"^`+\{py:.*|^:type:.*", text, re.M)))), -1
    while count != len(used):  # those of types, too
        count = len(used)
        used |= {word for name in used & set(aliases) for word in re.findall(r"\b[A-Z]\w+", aliases[name])}
    return [directive("data", name, "", value=aliases[name]) for name in sorted(used & set(aliases)) if name not in public]


def place_of(package, name):
    """Returns the module of a name; of what the native module has, the name itself."""
    module = getattr(getattr(package, name), "__module__", None) or "int"
    return module.rsplit(".", 1)[-1] if module.startswith("factosim._") and not module.endswith("._factosim") else name


def line_of(value):
    try:
        return inspect.getsourcelines(value)[1]
    except (TypeError, OSError):
        return 0


def declared(tree, prefix=""):
    """(name, (kind, signature, docstring)) of what a stub declares."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from declared(node, node.name + ".")
        elif isinstance(node, ast.FunctionDef):
            is_property = any(getattr(d, "id", "") == "property" for d in node.decorator_list)
            node.args.args = [a for a in node.args.args if a.arg != "self"]
            result = ast.unparse(node.returns)
            yield prefix + node.name, ("property", result, "") if is_property else ("method", f"({ast.unparse(node.args)}) -> {result}".replace("'os.PathLike[str]'", "os.PathLike[str]"), "")
        elif isinstance(node, ast.AnnAssign):
            following = tree.body[tree.body.index(node) + 1 :]
            yield prefix + node.target.id, ("data", ast.unparse(node.annotation), following[0].value.value if following else "")


def entry(name, value, stub):
    """Returns the directive of a public name, with its members."""
    if name in stub and stub[name][0] == "data":
        return directive("data", name, stub[name][2], type=stub[name][1])
    if not inspect.isclass(value):
        return directive("function", name + signature(name, value, stub), inspect.getdoc(value))
    kind = "exception" if issubclass(value, Exception) else "class"
    fields = getattr(value, "__annotations__", {}) if issubclass(value, tuple) else {}
    own = [(n, m) for n, m in vars(value).items() if not n.startswith("_") and (inspect.getdoc(m) and (callable(m) or isinstance(m, property)))
           and n not in fields]
    inner = [directive("attribute", f"{name}.{n}", "", type=shown(t)) for n, t in fields.items()]
    inner += [member(name, n, m, stub) for n, m in own]
    arguments = "" if kind == "exception" or name in ("Node", "TaskGraph", "Run", "Page", "Figure", "Trace", "Comparison", "Advice") else signature(name, value, stub)
    return directive(kind, name + arguments, inspect.getdoc(value), "\n".join(inner))


def member(owner, name, value, stub):
    full = f"{owner}.{name}"
    if full in stub:
        kind, words, _ = stub[full]
    elif isinstance(value, property):
        kind, words = "property", shown(inspect.signature(value.fget).return_annotation)
    else:
        kind, words = "method", signature(full, value, stub)
    if kind == "property":
        return directive("property", full, inspect.getdoc(value), type=words)
    return directive("method", full + words, inspect.getdoc(value))


def signature(name, value, stub):
    """Returns the arguments of a function, or of a class, as its source has them, without "self"."""
    if inspect.isclass(value) and f"{name}.__init__" in stub:
        return stub[f"{name}.__init__"][1].replace(" -> None", "")
    if name in stub and not inspect.isfunction(value):
        return stub[name][1]
    given = inspect.signature(value)
    parameters = [p.replace(annotation=inspect.Parameter.empty if p.annotation is p.empty else Shown(p.annotation))
                  for p in given.parameters.values() if p.name != "self"]
    result = given.return_annotation if not inspect.isclass(value) else given.empty
    return str(given.replace(parameters=parameters, return_annotation=result if result is given.empty else Shown(result)))


class Shown:
    """An annotation that is written as it reads."""

    def __init__(self, annotation):
        self.text = shown(annotation)

    def __repr__(self):
        return self.text


def shown(annotation):
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return re.sub(r"['\"]|_factosim\.|_report\.|_child\.", "", text)


def directive(kind, head, doc, inner="", **options):
    """Returns a directive of Sphinx's domain of Python; its fence is longer than those inside."""
    body = text_of(doc or "") + ("\n" + inner if inner else "")
    fence = "`" * (max([2, *map(len, re.findall(r"^`+", body, re.M))]) + 1)
    lines = "".join(f":{name}: {value}\n" for name, value in options.items())
    return f"{fence}{{py:{kind}}} {head}\n{lines}\n{body.strip()}\n{fence}\n"


def text_of(doc):
    """Returns a docstring in Markdown: rows of a name and its text become lists; what is indented stays as it is."""
    # The native module puts signatures before its texts, and numbers them where other arguments are refused.
    doc = re.split(r"\n+2\. \w+\(", inspect.cleandoc(doc))[0]
    doc = re.sub(r"^(?:\w+\(\*args, \*\*kwargs\)\nOverloaded function\.\n\n1\. )?\w+\(self: .*\n+|^\w+\(\) -> .*\n+", "", doc)
    out, lines, at = [], doc.split("\n"), 0
    while at < len(lines):
        end = at + 1
        if row(lines[at]):
            while end < len(lines) and (row(lines[end]) or lines[end].startswith(" ")):
                end += 1
            out += ["", *listed(lines[at:end]), ""]
        elif lines[at].startswith("    "):
            while end < len(lines) and (not lines[end] or lines[end].startswith("    ")):
                end += 1
            out += ["", "```", *(line[4:] for line in "\n".join(lines[at:end]).rstrip().split("\n")), "```", ""]
        else:
            out.append(prose(lines[at]))
        at = end
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)) + "\n"


def row(line):
    """A name, or several, two spaces or more, and a text."""
    return re.match(r"([\w\"][\w\", ]*?) {2,}(?=\S)", line)


def listed(lines):
    """Returns rows as a list; rows within a text as a list within."""
    out, at = [], 0
    while at < len(lines):
        found, end = row(lines[at]), at + 1
        while end < len(lines) and not row(lines[end]):
            end += 1
        rest = [lines[at][found.end():], *lines[at + 1 : end]]
        width = min([len(line) - len(line.lstrip()) for line in rest[1:]] or [0])
        rest = [rest[0], *(line[width:] for line in rest[1:])]
        inner = next((i for i, line in enumerate(rest) if i and row(line)), len(rest))
        out.append(f"- **{found[1]}**: " + " ".join(map(prose, rest[:inner])))
        out += ["  " + line for line in listed(rest[inner:])]
        at = end
    return out


def prose(line):
    """Returns a line with links to pages, and without accidental markup."""
    parts = re.split(r"(`[^`]*`)", line)
    for i, part in enumerate(parts):
        if not part.startswith("`"):
            part = re.sub(r"([*<]|__)", r"\\\1", part).replace(r"\__", r"\_\_")
            parts[i] = re.sub(r"\b((?:scenarios|platforms|models|simulator)/[\w/.-]+\.md)(#[\w-]+)?", r"[\1](../\1\2)", part)
        elif re.match(r"`(%s)\b" % "|".join(public), part):
            parts[i] = "{py:obj}`" + re.sub(r"\W.*", "", part[1:]) + "`" if re.fullmatch(r"`\w+(\(\))?`", part) else part
    return "".join(parts)
