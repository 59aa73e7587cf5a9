"""Build backend of `pip install .` and `pip wheel .` (PEP 517): what `cmake --install` leaves, as a wheel.

It needs no other package, so that pip asks no network for it. CMake installs the components program and python into a
folder; the package goes to the root of the wheel, the program to its scripts and all else (modules, data, manual pages) to its
data, so that an environment has the layout of an installation: bin/factosim, lib/factosim, share/factosim. Shared libraries
that are not part of every system (FACTOSIM_BUNDLE) come along, SimGrid among them where it is installed.

Environment: CXX; CMAKE_ARGS, more options of CMake; FACTOSIM_BUILD_DIR, the build folder (default build/wheel).
"""
import base64
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
VERSION = re.search(r"^  VERSION (\S+)$", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
NAME = f"{PROJECT['name']}-{VERSION}"
PYTHON = f"cp{sys.version_info.major}{sys.version_info.minor}"
PACKAGES = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
TAG = f"{PYTHON}-{PYTHON}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def metadata():
    """Returns the files of the .dist-info folder by name, but RECORD."""
    lines = ["Metadata-Version: 2.1", f"Name: {PROJECT['name']}", f"Version: {VERSION}", f"Summary: {PROJECT['description']}",
             f"License: {PROJECT['license']['text']}", f"Requires-Python: {PROJECT['requires-python']}"]
    lines += [f"Classifier: {entry}" for entry in PROJECT["classifiers"]]
    lines += [f"Requires-Dist: {entry}" for entry in PROJECT["dependencies"]]
    for extra, entries in PROJECT["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}"] + [f'Requires-Dist: {entry}; extra == "{extra}"' for entry in entries]
    lines += ["Description-Content-Type: text/markdown", "", (ROOT / PROJECT["readme"]).read_text()]
    wheel = f"Wheel-Version: 1.0\nGenerator: factosim {VERSION}\nRoot-Is-Purelib: false\nTag: {TAG}\n"
    return {"METADATA": "\n".join(lines), "WHEEL": wheel, "LICENSE": (ROOT / "LICENSE").read_text()}


def run(*command):
    if subprocess.run(command, cwd=ROOT).returncode != 0:
        sys.exit(f"{command[0]} failed, see above. tests/setup.sh installs what the build needs on Debian and Ubuntu")


def install_program(prefix):
    """Builds factosim and installs it with its Python package below `prefix`."""
    for tool in ("cmake", "ninja"):
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is not found. tests/setup.sh installs what the build needs on Debian and Ubuntu")
    build = os.environ.get("FACTOSIM_BUILD_DIR", str(ROOT / "build/wheel"))
    compiler = subprocess.run([ROOT / "cmake/compiler.sh"], capture_output=True, text=True, check=True).stdout.strip()
    run("cmake", "--preset", "release", "-B", build, "-DFACTOSIM_QUICK_BUILD=ON", "-DFACTOSIM_PYTHON=ON", "-DFACTOSIM_BUNDLE=ON",
        "-DFACTOSIM_DOCUMENTS=OFF", "-DCMAKE_INSTALL_LIBDIR=lib", f"-DFACTOSIM_PYTHON_DIR={PACKAGES}", f"-DPYTHON_EXECUTABLE={sys.executable}",
        *([f"-DCMAKE_CXX_COMPILER={compiler}"] if compiler else []), *shlex.split(os.environ.get("CMAKE_ARGS", "")))
    run("cmake", "--build", build)
    for component in ("program", "python"):
        run("cmake", "--install", build, "--strip", "--prefix", str(prefix), "--component", component)
    if not (prefix / PACKAGES / "factosim").is_dir():
        sys.exit(f"pybind11, or the headers of {sys.executable}, are not found (Debian: pybind11-dev, python3-dev)")


def place_in_wheel(path):
    """Returns where the wheel has the file that was installed at `path`, relative to the prefix."""
    if path.is_relative_to(PACKAGES):
        return path.relative_to(PACKAGES)
    return pathlib.Path(f"{NAME}.data") / ("scripts/" + path.name if path.parts[0] == "bin" else pathlib.Path("data") / path)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    file = pathlib.Path(wheel_directory) / f"{NAME}-{TAG}.whl"
    record = []
    with tempfile.TemporaryDirectory() as temporary, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as wheel:
        prefix = pathlib.Path(temporary)
        install_program(prefix)

        def write(name, content, mode=0o644):  # with a date that does not change: same files, same bytes
            info = zipfile.ZipInfo(str(name), (2026, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100000 | mode) << 16
            wheel.writestr(info, content)

        def add(name, content, mode=0o644):
            write(name, content, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}")

        for path in sorted(prefix.rglob("*")):
            if path.is_file():
                add(place_in_wheel(path.relative_to(prefix)), path.read_bytes(), path.stat().st_mode & 0o777)
        for name, text in metadata().items():
            add(f"{NAME}.dist-info/{name}", text.encode())
        write(f"{NAME}.dist-info/RECORD", "\n".join([*record, f"{NAME}.dist-info/RECORD,,", ""]))
    return file.name


def build_sdist(sdist_directory, config_settings=None):
    sys.exit("a wheel is built from a clone of the repository, not from a source archive")
