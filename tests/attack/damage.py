"""Ways to spoil documents: trees of JSON, their text, tables of lines and fields, bytes, compressed files."""

import copy
import gzip
import json
import zlib

NUMBERS = [0, -0.0, -1, 1, 2, 0.5, 1e-9, -1e-300, 5e-324, 1e-30, 1e29, 1e31, 1e300, 1.7976931348623157e308, 2**31 - 1, 2**31, 2**32,
           2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -2**31, -2**63, 3000000000, 46341, 65536, 1000001, 4999, 5001]
TEXTS = ["", " ", "\0", "a\nb", "\x1b[2J\x1b]0;x\x07", "\u202egnp", "../../../etc/passwd", "/dev/full", "/dev/zero", "/proc/self/environ", ".",
         "..", "file:///etc/passwd", "http://127.0.0.1/x", "$(touch PWN)", "`touch PWN`", "%s%n%x", "{}", "{0}", "-o", "--force", "NaN",
         "inf", "1e999", "true", "null", "'; DROP", "<script>alert(1)</script>", "=cmd()", "\ud800", "\ufeff", "é" * 3, "x" * 5000,
         "cuda0", "ram", "cpu", "lu", "trace", "simgrid", "gemm", "1d1d", "file", "p.json", "s.json", "~", "a/b", "a~1b", "\x85", "\u2028"]
LITERALS = ["NaN", "-Infinity", "1e999", "-1e999", "0x10", "01", "+1", "1.", ".5", "1_000", "'a'", "tru", "undefined", "\"\\u0000\"",
            "\"\\ud800\"", "\"\\x41\"", "9" * 400, "0." + "0" * 400 + "1", "1E400", "[" * 150 + "]" * 150, "{\"a\":" * 150 + "1" + "}" * 150]


def places(tree, path=()):
    """All paths in a tree, inner ones too."""
    yield path
    children = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, child in children:
        yield from places(child, path + (key,))


def at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def value(random, old):
    """Something else in the place of a value: mostly of its own kind."""
    kind = random.random()
    if isinstance(old, (int, float)) and not isinstance(old, bool) and kind < 0.4:
        factor = 10 ** random.uniform(-3, 3)
        return int(old * factor) if isinstance(old, int) else old * factor
    if isinstance(old, (int, float)) and not isinstance(old, bool) and kind < 0.8:
        return random.choice([random.choice(NUMBERS), old * random.choice([-1, 0, 2, 1e3, 1e9, 1e18, 1e-9, 1e-18]),
                              old + random.choice([1, -1, 0.5])])
    if isinstance(old, str) and kind < 0.7:
        return random.choice([random.choice(TEXTS), old + random.choice(TEXTS), old.upper(), old[::-1], old * 2])
    if isinstance(old, list) and kind < 0.7:
        return random.choice([[], old * 2, old[::-1], old[:1], [old], old + [None], old * 300])
    if isinstance(old, dict) and kind < 0.6:
        return random.choice([{}, [old], {"": old}, list(old), {**old, random.choice(TEXTS): 1}])
    return random.choice([None, True, False, [], {}, [[]], random.choice(NUMBERS), random.choice(TEXTS)])


def tree(random, document, others):
    """Replaces, removes, doubles, moves values of a document, or takes parts of other documents."""
    document = copy.deepcopy(document)
    for _ in range(random.choice([1, 1, 1, 1, 2, 4])):
        path = random.choice(list(places(document)))
        if not path:
            continue
        parent, key = at(document, path[:-1]), path[-1]
        action = random.random()
        if action < 0.55:
            parent[key] = value(random, parent[key])
        elif action < 0.65:
            del parent[key]
        elif action < 0.75 and isinstance(parent, dict):
            parent[random.choice([key.upper(), key + " ", " " + key, key + "\0", key.replace("_", "-"), random.choice(TEXTS)])] = parent[key]
        elif action < 0.85:
            parent[key] = copy.deepcopy(at(document, random.choice([p for p in places(document) if p])))
        else:
            other = random.choice(others)
            parent[key] = copy.deepcopy(at(other, random.choice(list(places(other)))))
    return document


def json_text(random, document):
    """The text of a document, sometimes with a mistake in its syntax or encoding."""
    text = json.dumps(document, ensure_ascii=random.random() < 0.5)
    action = random.random()
    spot = random.randrange(len(text) + 1)
    if action < 0.8:
        return text.encode("utf-8", "surrogatepass")
    if action < 0.86:  # a literal that is no JSON, or far out of range, in the place of a number or word
        digits = [i for i in range(1, len(text)) if text[i].isdigit() and text[i - 1] in " [:"]
        spot = random.choice(digits or [0])
        end = spot
        while end < len(text) and (text[end].isalnum() or text[end] in "+-."):
            end += 1
        return (text[:spot] + random.choice(LITERALS) + text[end:]).encode("utf-8", "surrogatepass")
    if action < 0.9:  # the same key twice
        return text.replace('", "', '", "version": 1, "', 1).encode("utf-8", "surrogatepass")
    changed = random.choice([text[:spot], text + random.choice(["x", "\0", "}", text, "\n\n", ","]), "\ufeff" + text,
                             text[:spot] + random.choice(",:{}[]\"\\/*#\n\0\x7f") + text[spot:], text.replace("\"", "'"),
                             "// note\n" + text, text.replace(" ", "\r\n\t"), text.replace("}", ",}"), ""])
    return changed.encode(random.choice(["utf-8", "utf-8", "utf-16", "latin-1"]), "surrogatepass" if changed.isascii() else "replace")


def lines(random, text):
    """Spoils tables and records: fields are swapped, replaced, moved; lines are doubled, exchanged, cut, joined."""
    rows = text.split("\n")
    for _ in range(random.choice([1, 1, 2, 4, 10])):
        spot = random.randrange(len(rows))
        action = random.random()
        if action < 0.5 and rows[spot]:
            separator = next((s for s in (",", ": ", "\t", " ") if s in rows[spot]), " ")
            fields = rows[spot].split(separator)
            field = random.randrange(len(fields))
            fields[field] = random.choice([str(random.choice(NUMBERS)), random.choice(TEXTS), "-" + fields[field], fields[field] + "0" * 9,
                                           random.choice(fields), "nan", "-inf", "1e308", '"', '"' + fields[field], "%0A", "%00", "%zz",
                                           fields[field][:-1], "0x" + fields[field], "", "18446744073709551616", "-1"])
            rows[spot] = separator.join(fields)
        elif action < 0.6:
            rows.insert(random.randrange(len(rows)), rows[spot])
        elif action < 0.7:
            other = random.randrange(len(rows))
            rows[spot], rows[other] = rows[other], rows[spot]
        elif action < 0.8:
            del rows[spot]
            rows = rows or [""]
        elif action < 0.85:
            rows[spot] = rows[spot] * random.choice([2, 1000])
        elif action < 0.9:
            rows = rows[:spot + 1]
        elif action < 0.95:
            rows[spot] = random.choice(TEXTS)
        else:  # a column leaves the head only
            rows[0] = random.choice([rows[0].rsplit(",", 1)[0], rows[0] + ",extra", rows[0].upper(), rows[0].replace("_s", "_ms")])
    ends = random.choice(["\n"] * 8 + ["\r\n", "\r"])
    return ends.join(rows)


def octets(random, content):
    """Flips, overwrites, removes, inserts and copies bytes."""
    data = bytearray(content)
    for _ in range(random.choice([1, 1, 2, 5, 20])):
        if not data:
            break
        spot = random.randrange(len(data))
        action = random.random()
        if action < 0.35:
            data[spot] ^= 1 << random.randrange(8)
        elif action < 0.55:
            data[spot:spot + 8] = random.choice([b"\xff" * 8, b"\0" * 8, b"\x7f" + b"\xff" * 7, b"\0" * 7 + b"\x80", b"\0\0\0\0\0\0\xf0\x7f",
                                                 b"\0\0\0\0\0\0\xf8\x7f", random.randbytes(8)])
        elif action < 0.7:
            del data[spot:spot + random.choice([1, 4, 100])]
        elif action < 0.85:
            data[spot:spot] = random.randbytes(random.choice([1, 4, 64]))
        else:
            other = random.randrange(len(data))
            data[spot:spot + 16] = data[other:other + 16]
    return bytes(data)


def compressed(random, content):
    """A compressed file, whole, cut, damaged, doubled, with rubbish behind it, or compressed twice."""
    whole = gzip.compress(content, mtime=0)
    return random.choice([whole, whole, whole[:random.randrange(1, len(whole))], octets(random, whole), whole + whole, whole + b"rubbish",
                          gzip.compress(whole, mtime=0), whole[:10], zlib.compress(content)])
