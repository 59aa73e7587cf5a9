"""Draws documents from the tables of keys of the program, its JSON Schemas, so that a new key or value is drawn without a change here.

What a schema cannot say (files, names, lists of equal length, sizes that fit the machine) comes from suppliers: functions by
"definition/key" that return a value, or SKIP to leave the key out.
"""

import functools
import json
import subprocess

SKIP = object()
# At most one key of each row is drawn.
EXCLUSIVE = {"network-of-a-platform": [("preset", "subnets", "fat_tree", "dragonfly", "dragonfly_plus")],
             "network": [("preset", "simgrid_xml"), ("nic", "simgrid_xml"), ("backbone", "simgrid_xml")],
             "fat_tree": [("levels", "nodes_per_leaf"), ("levels", "uplinks"), ("levels", "uplink")], "noise": [("distribution", "type")],
             "tile_formats": [("bands", "file", "tolerance")], "nested_tasks": [("tile", "split")],
             "runtime": [("host_alloc_cost_s_per_MiB", "pinning_cost_s")]}
WITHOUT_MEANING = ("$comment", "$schema", "format", "version", "name", "provenance", "estimate", "findings", "model")


def spread(draw, low, high):
    """A number between both, evenly by its logarithm, with three digits."""
    return float(f"{low * (high / low) ** draw.random():.3g}")


@functools.cache
def read(program, kinds):
    """Returns the definitions of each kind of file."""
    schemas = {}
    for kind in kinds:
        done = subprocess.run([program, "reference", "--schema", kind], capture_output=True, check=True)
        schemas[kind] = json.loads(done.stdout)["$defs"]
    return schemas


def condition(branch):
    """Returns the key and constant (None: any) of an `if`; a key may lead through an object."""
    if not branch.get("properties"):
        return branch["required"][0], None
    key, value = next(iter(branch["properties"].items()))
    if "const" in value:
        return key, value["const"]
    if "pattern" in value:
        return key, value
    inner, constant = condition(value)
    return f"{key}/{inner}", constant


def branches(schema):
    """Returns the alternatives of an object as (key, constant, schema); the last one may have the key None: otherwise."""
    if "allOf" not in schema:
        return [(None, None, schema)]
    found, step = [], schema["allOf"][0]
    while "if" in step:
        key, constant = condition(step["if"])
        if not isinstance(constant, dict):  # a plug-in, which has a path
            found.append((key, constant, step["then"]))
        step = step.get("else") or {}
    if step.get("properties"):
        found.append((None, None, step))
    return found


def enumeration(schema):
    """The names that a value may have, or none."""
    if "enum" in schema:
        return schema["enum"]
    return next((each["enum"] for each in schema.get("anyOf", []) if "enum" in each), [])


class Wishes:
    """Features that a document should have, {"path": values that it may have, or None for any}: see coverage.py."""

    def __init__(self, features=None):
        self.features = features or {}
        self.around = {path[:i] for path in self.features for i, letter in enumerate(path) if letter == "/"}

    def at(self, file, path):
        """The name of a place among the features: without numbers, with "*" for the names of node types."""
        path = [str(key) for key in path if not isinstance(key, int)]
        if path[:1] == ["node_types"] and len(path) > 1 or path[:2] == ["platform", "node_types"] and len(path) > 2:
            path[path.index("node_types") + 1] = "*"
        return "/".join((["p:"] if file == "p.json" else []) + path)

    def among(self, file, path, values):
        """Those of the values that are wished for, or all."""
        wished = self.features.get(self.at(file, path))
        return [each for each in values if each in wished] or values if wished else values

    def has(self, file, path):
        """Whether something is wished for at a place or inside it."""
        place = self.at(file, path)
        return place in self.features or place in self.around

    def suited(self, file, path, schemas, definitions):
        """Those of the alternatives of a value that can have what is wished for, or all."""
        place = self.at(file, path)
        wished = self.features.get(place)

        def suits(schema):
            schema = definitions[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema
            if place in self.around:
                return schema.get("type") in ("object", "array")
            if wished:
                return bool(wished & set(schema.get("enum", [True, False] if schema.get("type") == "boolean" else [])))
            return schema.get("type") in ("integer", "number", "string")

        return [each for each in schemas if suits(each)] or schemas if self.has(file, path) else schemas


class Drawer:
    """Draws values; `trail` gets (file, path) of each key that may be taken away again, in the order of drawing."""

    def __init__(self, draw, definitions, suppliers, file, wishes=None):
        self.draw, self.definitions, self.suppliers, self.file, self.trail = draw, definitions, suppliers, file, []
        self.wishes = wishes or Wishes()

    def value(self, schema, path, name="", forced=None):
        """A value that the schema allows; `name` is its definition and key, `forced` keys have given values."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            return self.value(self.definitions[name], path, name, forced)
        if "enum" in schema:
            return self.draw.choice(self.wishes.among(self.file, path, schema["enum"]))
        if "anyOf" in schema:
            suited = self.wishes.suited(self.file, path, [each for each in schema["anyOf"] if "pattern" not in each], self.definitions)
            return self.value({**self.draw.choice(suited), **({"default": schema["default"]} if "default" in schema else {})}, path, name, forced)
        kind = schema.get("type")
        if kind == "object":
            return self.object(schema, path, name, forced or {})
        if kind == "array":
            items = [self.value(schema["items"], (*path, i), name) for i in range(max(schema.get("minItems", 0), self.draw.randint(1, 3)))]
            return SKIP if any(each is SKIP for each in items) else items
        if kind == "boolean":
            return self.draw.choice(self.wishes.among(self.file, path, [True, False]))
        if kind in ("integer", "number"):
            return self.number(schema, name.rsplit("/", 1)[-1], kind)
        return SKIP  # text and anything else: a supplier knows what

    def number(self, schema, key, kind):
        low, high, default = schema["minimum"], schema["maximum"], schema.get("default")
        draw = self.draw
        if kind == "integer":
            base = default if isinstance(default, int) and default else max(low, 1)
            value = draw.choice([low, base // 2, base, base + 1, 2 * base, 4 * base, max(low, 1) + draw.randint(0, 12)])
            return max(low, min(high, value))
        if high <= 1000:
            return draw.choice([low, high]) if draw.random() < 0.2 else float(f"{draw.uniform(low, high if high <= 2 else 3):.3g}")
        if key.endswith("_Bps"):
            value = spread(draw, 1e8, 1e11)
        elif "_s" in key:
            value = spread(draw, 1e-2, 1e2) * (default or 1e-5)
        elif default:
            value = default * draw.choice([0.1, 0.5, 1, 2, 10])
        else:
            value = spread(draw, 0.1, 100)
        return low if low == 0 and draw.random() < 0.15 else max(low, min(high, value))

    def branch(self, schema, path, forced):
        """Chooses one of the alternatives of an object; returns it with the key that makes it and its value, which may be None."""
        found = branches(schema)
        for key, constant, inner in found:
            if key in forced and (constant is None or forced[key] == constant):
                return inner, None, None
        if found[-1][0] is None and any(key in forced for key, constant, inner in found):
            return found[-1][2], None, None
        named = {key: enumeration(inner["properties"].get(key, {})) for key, constant, inner in found if constant is not None}
        for key, values in named.items():
            if values:
                value = forced.get(key, self.draw.choice(self.wishes.among(self.file, (*path, key), values)))
                chosen = next((inner for k, c, inner in found if k == key and c == value), found[-1][2])
                return chosen, key, value
        wished = [each for each in found if each[0] and self.wishes.has(self.file, (*path, *each[0].split("/")))]
        key, constant, inner = self.draw.choice(wished or found)
        return inner, key, constant

    def object(self, schema, path, name, forced):
        if "allOf" not in schema and isinstance(schema.get("additionalProperties"), dict):
            return SKIP  # keys are names, which a supplier knows
        schema, key, constant = self.branch(schema, path, forced)
        properties, required = schema["properties"], schema.get("required", [])
        chosen = {} if constant is None else {key: constant}
        density = self.draw.choice([0.05, 0.2, 0.2, 0.5])
        wanted = [k for k in properties if k not in WITHOUT_MEANING and k not in required and self.draw.random() < density]
        self.draw.shuffle(wanted)
        wished = [k for k in properties if k not in required and self.wishes.has(self.file, (*path, k))]
        wanted = [*wished, *(k for k in wanted if k not in wished)]
        for row in EXCLUSIVE.get(name, []):
            for extra in [k for k in wanted if k in row][1:]:
                wanted.remove(extra)
        for each in [*required, *wanted]:
            if each in chosen:
                continue
            if each in forced:
                chosen[each] = forced[each]
                continue
            supply = self.suppliers.get(f"{name}/{each}")
            inner = (*path, each)
            kept = len(self.trail)
            if each not in required:
                self.trail.append((self.file, inner))
            value = supply(self, inner) if supply else self.value(properties[each], inner, f"{name}/{each}")
            if value is SKIP:
                del self.trail[kept:]
            else:
                chosen[each] = value
        return {**chosen, **{k: v for k, v in forced.items() if k in properties}}
