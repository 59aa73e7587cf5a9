"""DOT files of graphs of tasks, drawn with random features."""
from drawing import Drawn, Task, edges_of, encoded, names, number


def dot_name(r, name):
    plain = name.isidentifier() and name.isascii() and name.lower() not in ("node", "edge", "graph", "digraph", "subgraph", "strict")
    if (plain or name.isdigit()) and r.random() < 0.6:
        return name
    text = name.replace('"', '\\"')
    cut = r.randrange(len(text) + 1)
    kind = r.random()
    if kind < 0.1 and "\\" not in text:
        return f'"{text[:cut]}" + "{text[cut:]}"'
    if kind < 0.2 and "\\" not in text:
        return f'"{text[:cut]}\\\n{text[cut:]}"'
    return f'"{text}"'


def attributes(r, given):
    """Returns attribute lists of a statement, with some that mean nothing."""
    items = [*given.items(), *r.sample([("color", "red"), ("fontsize", "10"), ("shape", "box"), ("style", '"filled,bold"'), ("comment", '"x -> y [size=3]"'),
                                        ("tooltip", '"a \\"b\\" ]"'), ("weight", "3")], r.randint(0, 2))]
    r.shuffle(items)
    if not items:
        return r.choice(("", " []"))
    joined = [f"{key}{r.choice(('=', ' = '))}{value}" for key, value in items]
    cut = r.randint(0, len(joined))
    lists = [part for part in (joined[:cut], joined[cut:]) if part]
    return "".join(f" [{r.choice((', ', ';', ' ')).join(part)}]" for part in lists)


def value(r, text):
    plain = text.replace(".", "", 1).isdigit() and not text.startswith(".")
    return text if plain and r.random() < 0.5 else f'"{text}"'


def dot(r):
    ids = names(r, r.randint(1, 12))
    edges = edges_of(r, ids)
    sized = r.random() < 0.5
    tasks = {name: Task() for name in ids}
    statements = []
    default_size = number(r) if sized and r.random() < 0.3 else None
    default_kernel = "fill" if r.random() < 0.2 else None
    default_bytes = r.randint(1, 9999) if r.random() < 0.2 else None
    nodes = []
    for name in ids:
        given = {}
        kernel = r.choice((None, "gemm", "trsm"))
        if kernel and r.random() < 0.5:
            given["kernel"] = value(r, kernel)
            if r.random() < 0.3:
                given["label"] = '"another"'
        elif kernel and not default_kernel:
            given["label"] = r.choice((kernel, f'"{kernel}"', f'"{kernel}(1, 2, 3)"', f'"{kernel} 7"', f'"{kernel}\\nline"', f'" {kernel}"'))
        else:
            kernel = default_kernel
        if not kernel and r.random() < 0.1:
            given["label"] = r.choice(('""', '"\\N"'))
        tasks[name].kernel = kernel or "task"
        size = default_size
        if sized and (default_size is None or r.random() < 0.5):
            size = number(r)
            given["size"] = value(r, size)
        if size is not None:
            tasks[name].seconds = {"cpu": float(size), "cuda": float(size)}
        if "label" not in given and "kernel" in given and r.random() < 0.1:
            given["label"] = "<<b>x</b> &gt; y>"
        nodes.append((name, given))
    for name, given in nodes:
        if given or default_kernel or default_size or r.random() < 0.4 or not any(name in pair for pair in edges):
            statements.append(f"{dot_name(r, name)}{attributes(r, given)}")
            if given and r.random() < 0.1:
                statements.append(dot_name(r, name))
    head = []
    if default_size or default_kernel:
        given = {"size": value(r, default_size)} if default_size else {}
        head.append("node" + attributes(r, {**given, **({"kernel": default_kernel} if default_kernel else {})}))
    if default_bytes:
        head.append(f"edge [size={default_bytes}]")
    head += r.sample(['graph [size="7,5"]', "rankdir=LR", 'size="7,5"', 'label="a -> b"', "node [shape=ellipse]", "edge [color=blue]"], r.randint(0, 3))
    lines = []
    if len(ids) > 5 and r.random() < 0.3:  # all of one set before all of another
        first, second = ids[:2], ids[3:5]
        edges.update({(b, a): default_bytes for b in first for a in second})
        sets = [f"{r.choice(('', 'subgraph ', 'subgraph s' + str(i) + ' '))}{{{r.choice((' ', '; ')).join(dot_name(r, n) for n in part)}}}" for i, part in enumerate((first, second))]
        lines.append(" -> ".join(sets))
    paths = [pair for pair in edges if not lines or pair[0] not in ids[:2] or pair[1] not in ids[3:5]]
    r.shuffle(paths)
    while paths:
        before, after = paths.pop()
        given = {}
        if default_bytes is None and r.random() < 0.4 or default_bytes and r.random() < 0.2:
            edges[before, after] = r.choice((0, r.randint(1, 10**9)))
            given["size"] = value(r, str(edges[before, after]))
        else:
            edges[before, after] = default_bytes
        chain = [before, after]
        while not given and r.random() < 0.4:
            further = next((p for p in paths if p[0] == chain[-1]), None)
            if further is None:
                break
            paths.remove(further)
            edges[further] = default_bytes
            chain.append(further[1])
        ends = [dot_name(r, name) + (r.choice((":p", ":p:ne", ":s")) if r.random() < 0.1 else "") for name in chain]
        lines.append(r.choice((" -> ", "->")).join(ends) + attributes(r, given))
        same = [p for p in paths if p[0] == before]
        if same and not given and len(chain) == 2 and r.random() < 0.5:
            paths = [p for p in paths if p[0] != before]
            for pair in same:
                edges[pair] = default_bytes
            lines[-1] = f"{dot_name(r, before)} -> {{{r.choice((' ', '; ')).join(dot_name(r, p[1]) for p in [(before, after), *same])}}}"
        if r.random() < 0.05:
            lines.append(lines[-1])  # the same edge again
    if r.random() < 0.5:
        body = statements + lines
    else:  # subgraphs; what they set for themselves is theirs
        cut = r.randint(0, len(statements))
        inner = r.choice(("subgraph cluster_0 ", "subgraph ", "", 'subgraph "c d" '))
        style = r.choice(("", "style=dotted; ", "node [color=red]; ", "edge [color=red]; ", "edge [size=77]; ", "label=x; "))
        if cut == 0:
            style += "node [size=5; kernel=other]; "
        body = [f"{inner}{{ {style}{'; '.join(statements[:cut])} }}", *statements[cut:], *lines]
    comments = ("// a -> b", "/* c -> d;\n  e */", "# not a -> line")
    text = r.choice(("", "// first\n", "/* a\n b */ ")) + r.choice(("digraph", "strict digraph", "DiGraph", "digraph G", 'digraph "a b"')) + " {\n"
    for statement in head + body:
        text += "  " + statement + r.choice((";", "", " ;")) + "\n"
        if r.random() < 0.1:
            text += r.choice(comments) + "\n"
    # a statement without a semicolon before one that begins with { would be one of two; the line break parts them
    sizes = {pair: bytes_ for pair, bytes_ in edges.items()}
    for pair, bytes_ in sizes.items():
        edges[pair] = bytes_ or None
    return Drawn({"g.dot": encoded(r, text + "}\n")}, tasks, edges)
