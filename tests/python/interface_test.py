"""The interface as its readers and tools see it: documentation, types, the package as it is imported."""

import ast
import importlib.util
import inspect
import re
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


def stub_functions(tree, prefix=""):
    """(name, parameters) of the functions of a stub, with the members of classes."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from stub_functions(node, node.name + ".")
        if isinstance(node, ast.FunctionDef):
            a = node.args
            given = [*a.posonlyargs, *a.args, *([a.vararg] if a.vararg else []), *a.kwonlyargs, *([a.kwarg] if a.kwarg else [])]
            yield prefix + node.name, [p.arg for p in given if p.arg != "self"]


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

    def test_every_parameter_is_documented_and_every_function_says_what_it_raises(self):
        functions = {name: getattr(factosim, name) for name in factosim.__all__ if inspect.isroutine(getattr(factosim, name))}
        native = dict(stub_functions(ast.parse((PACKAGE / "_factosim.pyi").read_text())))

        def parameters(name):
            value = functions.get(name)
            if name in native and not inspect.isfunction(value):
                return native[name]
            owner, _, member = name.partition(".")
            value = value or vars(getattr(factosim, owner))[member]
            return [p for p in inspect.signature(getattr(value, "__func__", value)).parameters if p != "self"]

        def words_of(name, seen=()):
            """The docstring, with those that it refers to: "as of `run`", "those of `figure`"."""
            owner, _, member = name.partition(".")
            text = inspect.getdoc(getattr(getattr(factosim, owner), member) if member else getattr(factosim, owner)) or ""
            # The native module puts signatures before its texts, and again where other arguments are refused.
            text = re.sub(r"(?m)^(\d\. )?\w+\((self: |\*args|\) ->).*$", "", text)
            for other in re.findall(r"(?:as|those|options|arguments) of `(\w+)`", text):
                if other in functions and other not in (name, *seen):
                    text += words_of(other, (name, *seen))
            return text

        names = [*functions, *(f"{cls}.{member}" for cls in factosim.__all__ if inspect.isclass(getattr(factosim, cls))
                               and not issubclass(getattr(factosim, cls), (Exception, tuple))
                               for member in members(getattr(factosim, cls)) if inspect.isroutine(inspect.getattr_static(getattr(factosim, cls), member))
                               or isinstance(inspect.getattr_static(getattr(factosim, cls), member), classmethod))]
        self.assertGreater(len(names), 60)
        for name in names:
            text = words_of(name)
            for parameter in parameters(name):
                with self.subTest(f"{name}({parameter})"):
                    self.assertRegex(text, rf"\b{parameter}\b")
            if name in functions and parameters(name) and name not in ("to_networkx",):
                with self.subTest(name):
                    self.assertRegex(text, r"Raises|exceptions")

    def test_arrays_state_their_shape(self):
        tree = ast.parse((PACKAGE / "_factosim.pyi").read_text())
        for cls in (node for node in tree.body if isinstance(node, ast.ClassDef)):
            for function in (node for node in cls.body if isinstance(node, ast.FunctionDef) and "NDArray" in ast.unparse(node.returns or ast.Constant(0))):
                self.assertRegex(getattr(getattr(_factosim, cls.name), function.name).__doc__, r"\[[a-z]", function.name)

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

    def test_runs_and_pages_need_no_numpy(self):
        code = ("import sys; sys.modules['numpy'] = None\n"
                "import pathlib, tempfile, factosim\n"
                "run = factosim.run({'platform': 'mirage', 'application': {'type': 'lu', 'nt': 3, 'nb': 960}})\n"
                "with tempfile.TemporaryDirectory() as folder:\n"
                "    run.report().save(folder + '/page.html')\n"
                "    print(run.makespan_s > 0, '</html>' in pathlib.Path(folder, 'page.html').read_text())\n"
                "run.tasks\n")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.stdout, "True True\n", done.stderr)
        self.assertIn("ModuleNotFoundError: numpy is not installed", done.stderr)
        self.assertIn("Install it: pip install numpy", done.stderr)

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
