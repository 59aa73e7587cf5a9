#!/usr/bin/env python3
"""A wheel of an installation has the layout that pip turns into the same installation: wheel_test.py

The installation is a small one made here: a build takes minutes. tests/installed.sh tries a wheel that was built.
"""
import pathlib
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "cmake"))
import build_wheel


def install_small_program(prefix):
    files = {"bin/factosim": "#!/bin/sh\necho a program\n", "lib/factosim/libpart.so": "a library", "share/factosim/a.json": "{}",
             build_wheel.PACKAGES + "/factosim/__init__.py": "answer = 42\n", build_wheel.PACKAGES + "/factosim/figures/a.mplstyle": ""}
    for name, content in files.items():
        (prefix / name).parent.mkdir(parents=True, exist_ok=True)
        (prefix / name).write_text(content)
    (prefix / "bin/factosim").chmod(0o755)


def main():
    build_wheel.install_program = install_small_program
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        wheel = folder / build_wheel.build_wheel(folder)
        again = (folder / "again").mkdir() or folder / "again" / build_wheel.build_wheel(folder / "again")
        assert wheel.read_bytes() == again.read_bytes(), "the same installation gives another wheel"
        try:
            venv.create(folder / "environment", with_pip=True)
        except subprocess.CalledProcessError:
            print("no venv with pip (Debian: python3-venv): skipped")
            return
        place = folder / "environment"
        subprocess.run([place / "bin/pip", "install", "--quiet", "--no-index", "--no-deps", wheel], check=True)
        program = subprocess.run([place / "bin/factosim"], capture_output=True, text=True, check=True)
        assert program.stdout == "a program\n", program.stdout
        assert (place / "lib/factosim/libpart.so").read_text() == "a library"
        assert (place / "share/factosim/a.json").read_text() == "{}"
        code = "import factosim, importlib.metadata as m; print(factosim.answer, m.version('factosim'), m.requires('factosim'))"
        found = subprocess.run([place / "bin/python", "-c", code], capture_output=True, text=True, check=True).stdout
        assert found == f"42 {build_wheel.VERSION} ['numpy', 'matplotlib; extra == \"figures\"']\n", found
    print("a wheel installs as the installation it was made from")


main()
