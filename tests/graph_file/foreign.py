"""What tests of files of other programs share: files, calls of the program, and refusals."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from cases import check

PROGRAM = os.path.abspath(sys.argv[1])


def write(path, content):
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(path).write_bytes(content if isinstance(content, bytes) else content.encode())


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout, done.stderr


def refused(name, arguments, *texts):
    code, _, error = run(*arguments)
    check(f"{name}: exit code", code, 2)
    for text in texts:
        check(f"{name}: \"{text}\" in {error}", text in error, True)
