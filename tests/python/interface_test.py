"""The interface as its readers and tools see it: documentation, types, the package as it is imported."""

import ast
import importlib.util
import inspect
import subprocess
import sys
import unittest
from pathlib import Path

import factosim
from factosim import _factosim

HERE = Path(__file__).parent
PACKAGE = Path(factosim.__file__).parent


def stub_names(tree, prefix=""):
    """The names that a stub declares, with those of the members of classes."""
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield prefix + node.name
        if isinstance(node, ast.ClassDef):
            yield from stub_names(node, node.name + ".")
        if isinstance(node, ast.AnnAssign):
            yield prefix + node.target.id


def members(owner):
    return [name for name in vars(owner) if not name.startswith("_")]


class Interface(unittest.TestCase):
    def test_every_public_name_is_documented(self):
        self.assertTrue(factosim.__doc__)
        for name in factosim.__all__:
            value = getattr(factosim, name)
            if isinstance(value, int):
                continue  # documented in the stub
            self.assertTrue(inspect.getdoc(value), name)
            if inspect.isclass(value) and not issubclass(value, (Exception, tuple)):
                for member in members(value):
                    if callable(getattr(value, member)) or isinstance(vars(value)[member], property):
                        self.assertTrue(inspect.getdoc(getattr(value, member)), f"{name}.{member}")

    def test_the_stub_of_the_native_module_has_all_its_names_and_no_others(self):
        declared = set(stub_names(ast.parse((PACKAGE / "_factosim.pyi").read_text())))
        found = set(members(_factosim))
        for name in list(found):
            if inspect.isclass(getattr(_factosim, name)):
                found.update(f"{name}.{member}" for member in members(getattr(_factosim, name)))
        special = {n for n in declared if "__" in n}
        self.assertEqual(found, declared - special)
        for name in special:
            owner, member = name.split(".")
            self.assertTrue(hasattr(getattr(_factosim, owner), member), name)
        self.assertTrue((PACKAGE / "py.typed").exists())

    def test_types_are_complete_also_in_the_examples(self):
        if importlib.util.find_spec("mypy") is None:
            self.skipTest("mypy is not installed")
        files = [HERE / "own_graph.py", HERE / "policies.py", HERE / "five_lines.py", HERE / "study.py"]
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null",
                               "--ignore-missing-imports", "-p", "factosim"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null",
                               "--ignore-missing-imports", *map(str, files)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_files_are_short(self):
        for file in [*PACKAGE.glob("*.py"), *HERE.glob("*.py")]:
            self.assertLessEqual(len(file.read_text().splitlines()), 400, file)

    def test_the_module_shows_no_other_symbols(self):
        module = Path(_factosim.__file__)
        listed = subprocess.run(["nm", "-D", "--defined-only", module], capture_output=True, text=True)
        if listed.returncode != 0:
            self.skipTest("nm is not installed")
        names = [line.split()[-1] for line in listed.stdout.splitlines() if line.split()[-2] in "TDBR"]
        self.assertEqual([n for n in names if not n.startswith("PyInit_")], [])


if __name__ == "__main__":
    unittest.main()
