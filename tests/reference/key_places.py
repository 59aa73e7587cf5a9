#!/usr/bin/env python3
"""Counts in how many places the sources state each key of the files that users write.

    tests/reference/key_places.py [ROOT]

A place is an entry of a table or a field (`.name = "KEY"`), a read (`find("KEY")`, `at("KEY")`), a written literal
(`{"KEY", ...}`, `["KEY"] =`). A key is stated once if its only place is a field. Keys are told apart by their names, so that keys
of different objects that share a name count together.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent.parent)
STATED = r'\.name = "(\w+)"|\b(?:word|number|link_key|part|count|key|costs?|text|path|integer|flag|switch_key)\("(\w+)",\s*"'
READ = r'(?:\.|->)(?:find|at|contains|value)\("(\w+)"'
WRITTEN = r'\["(\w+)"\]\s*=|\{"(\w+)",\s'


def names(pattern, text):
    """Returns the keys that the pattern finds, each time it does."""
    return [next(filter(None, found)) if isinstance(found, tuple) else found for found in re.findall(pattern, text)]


def main():
    places = collections.defaultdict(collections.Counter)
    for folder in ("simulator", "platforms", "models", "distributions"):
        for file in sorted((ROOT / folder).rglob("*.[ch]pp")):
            text = file.read_text()
            for kind, pattern in (("stated", STATED), ("read", READ), ("written", WRITTEN)):
                for name in names(pattern, text):
                    places[name][kind] += 1
    keys = {name: count for name, count in places.items() if count["stated"]}
    for kind in ("stated", "read", "written"):
        print(f"{kind}: {sum(count[kind] for count in keys.values())} places of {len(keys)} keys")
    in_all = [name for name, count in keys.items() if count["read"] and count["written"]]
    once = [name for name, count in keys.items() if not count["read"] and not count["written"]]
    print(f"in table, reader and writer: {len(in_all)}")
    print(f"stated once, as a field: {len(once)}")


if __name__ == "__main__":
    main()
