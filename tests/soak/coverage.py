"""Which values of keys were drawn together, of all pairs that the tables allow."""

import itertools
import random

from tables import branches, enumeration

SHALLOW = ("generation", "layer", "merged-platform", "link", "link-of-a-scenario", "disk", "bus", "series")  # only whether and of which type


def note(found, name, needs):
    """Adds a way to have a feature; ways that differ in one choice become one."""
    ways = found.setdefault(name, [])
    for way in ways:
        other = [key for key in way if way[key] != needs.get(key)] if way.keys() == needs.keys() else None
        if other is not None and len(other) <= 1:
            way.update({key: way[key] | needs[key] for key in other})
            return
    ways.append(dict(needs))


def walk(definitions, schema, path, given, stack, found):
    """Notes every feature, "path=value" of names and switches and "path" of other values, with the choices that it needs."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        if name in stack or any(shallow in stack for shallow in SHALLOW):
            return
        return walk(definitions, definitions[name], path, given, (*stack, name), found)
    for each in schema.get("anyOf", []):
        walk(definitions, each, path, given, stack, found)
    for value in schema.get("enum", []) if len(schema.get("enum", [])) > 1 else []:
        note(found, f"{path}={value}", {**given, path: {value}})
    if schema.get("type") == "boolean":
        for value in (True, False):
            note(found, f"{path}={value}", {**given, path: {value}})
    elif schema.get("type") in ("integer", "number", "string") and "pattern" not in schema:
        note(found, path, given)
    elif schema.get("type") == "array":
        walk(definitions, schema["items"], path, given, stack, found)
    elif schema.get("type") == "object":
        if "allOf" not in schema and isinstance(schema.get("additionalProperties"), dict):
            return walk(definitions, schema["additionalProperties"], f"{path}/*", given, stack, found)
        ways = branches(schema)
        for key, constant, inner in ways:
            place = f"{path}/{key}" if path else str(key)
            needs = given
            if constant is not None:
                needs = {**given, place: {constant}}
            elif key is None and ways[0][1] is not None:
                place = f"{path}/{ways[0][0]}" if path else ways[0][0]
                others = set(enumeration(inner["properties"].get(ways[0][0], {}))) - {each[1] for each in ways}
                needs = {**given, place: others} if others else given
            for name, value in inner["properties"].items():
                if name not in ("$comment", "$schema", "format", "version", "name", "provenance", "estimate", "findings"):
                    inside = f"{path}/{name}" if path else name
                    if stack[-1] in SHALLOW and "enum" not in str(value):
                        continue
                    walk(definitions, value, inside, {**needs, **({inside: {constant}} if name == key and constant else {})}, stack, found)


def features(definitions):
    """All features of scenarios and of platform files, which begin with "p:"."""
    found = {}
    walk(definitions["scenario"], {"$ref": "#/$defs/scenario"}, "", {}, (), found)
    walk(definitions["platform"], {"$ref": "#/$defs/platform"}, "p:", {}, (), found)
    return found


def together(a, b):
    """Whether two features may stand in one scenario."""
    return any(all(one[key] & other[key] for key in one.keys() & other.keys()) for one in a for other in b)


def merged(one, other):
    """Choices that satisfy both, or None."""
    out = {**one, **other}
    for key in one.keys() & other.keys():
        both = (one[key] & other[key]) if one[key] and other[key] else one[key] or other[key]
        if one[key] and other[key] and not both:
            return None
        out[key] = both
    return out


class Coverage:
    TRIES = 8  # wishes for a pair, after which it counts as not drawable

    def __init__(self, definitions):
        self.needs = features(definitions)
        self.names = sorted(self.needs)
        self.number = {name: i for i, name in enumerate(self.names)}
        self.left = [(i, j) for (i, a), (j, b) in itertools.combinations(enumerate(self.names), 2) if together(self.needs[a], self.needs[b])]
        self.possible, self.tries = len(self.left), {}
        self.named = {name[:name.index("/*")] for name in self.names if "/*" in name}  # objects whose keys are names
        self.seen, self.pairs = set(), set()

    def in_document(self, item, path, out):
        if isinstance(item, dict):
            for key, value in item.items():
                inside = f"{path}/{'*' if path in self.named else key}" if path else key
                self.in_document(value, inside, out)
        elif isinstance(item, list):
            for each in item:
                self.in_document(each, path, out)
        else:
            out.update(self.number[name] for name in (path, f"{path}={item}") if name in self.number)

    def of(self, case):
        """The numbers of the features of a case."""
        out = set()
        self.in_document(case.scenario, "", out)
        if isinstance(case.files.get("p.json"), dict):
            self.in_document(case.files["p.json"], "p:", out)
        return sorted(out)

    def add(self, numbers):
        self.seen.update(numbers)
        self.pairs.update(itertools.combinations(numbers, 2))

    def wanted(self, name):
        """Ways to have a feature, as wishes."""
        path, _, value = name.partition("=")
        value = {"True": True, "False": False}.get(value, value)
        return [{**way, path: {value} if "=" in name else None} for way in self.needs[name]]

    def wishes(self, seed, pairs=8):
        """Draws pairs that were not drawn and go together. Returns the names of their features."""
        draw = random.Random(seed)
        if not self.tries:
            draw.shuffle(self.left)
        names, choices, kept = [], {}, []
        while self.left and len(kept) < pairs + 40 and len(names) < 2 * pairs:
            pair = self.left.pop()
            if pair in self.pairs or self.tries.get(pair, 0) >= self.TRIES:
                continue
            kept.append(pair)
            both = choices
            for i in pair:
                ways = [way for way in (merged(both, each) for each in self.wanted(self.names[i])) if way is not None] if both is not None else []
                both = draw.choice(ways) if ways else None
            if both is not None:
                choices, names = both, names + [self.names[i] for i in pair]
                self.tries[pair] = self.tries.get(pair, 0) + 1
        self.left[:0] = kept  # those that are not covered come again
        return sorted(set(names))

    def given_up(self):
        return sum(tries >= self.TRIES and pair not in self.pairs for pair, tries in self.tries.items())

    def chosen(self, names):
        """The wishes for features, {path: values or None}, one way each."""
        choices = {}
        for name in names:
            choices = next((way for way in (merged(choices, each) for each in self.wanted(name)) if way is not None), choices)
        return choices

    def never(self):
        """The pairs that were not drawn, and could have been."""
        return [(a, b) for (i, a), (j, b) in itertools.combinations(enumerate(self.names), 2)
                if (i, j) not in self.pairs and together(self.needs[a], self.needs[b])]
