"""Runs factosim in a folder of its own and judges what it did: exit code, message, time, memory, files."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CPU_LIMIT_S = 20
MEMORY_LIMIT_B = 1_500_000_000
WALL_LIMIT_S = 180  # only against programs that sleep: the machine may be busy with other work
PASSED = ("FACTOSIM_PLANTED", "FACTOSIM_REACHED", "ASAN_OPTIONS", "UBSAN_OPTIONS")  # of tests/mutants.py and sanitizers
ALLOWED_CODES = (0, 2, 4, 5)
HELP_LINE = b"Run with --help for more information.\n"


def broken_checks(checked):
    """The names of the checks that have findings, each with the first of them, from the output of `check --json`."""
    try:
        return "; ".join(f"{each['name']} ({each['findings']}): {each['first'][0]}"
                         for each in json.loads(checked.out)["checks"] if each["findings"])
    except ValueError:
        return checked.err[-300:].decode("utf-8", "replace")


class Outcome:
    """What one call did. `findings` are texts; none means that all promises were kept."""

    def __init__(self, code, out, err, cpu_s, memory_b, findings):
        self.code, self.out, self.err = code, out, err
        self.cpu_s, self.memory_b, self.findings = cpu_s, memory_b, findings


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT_S, CPU_LIMIT_S + 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def options(count):
    """Returns PROGRAM, SEED (1), COUNT and KEEP (none) of the command line."""
    given = sys.argv[1:]
    return (given[0], int(given[1]) if len(given) > 1 else 1, int(given[2]) if len(given) > 2 else count,
            given[3] if len(given) > 3 else None)


def snapshot(root, leave_out=()):
    """Mode, and of files and links size, date and inode, of everything below `root` but for `leave_out`."""
    seen = {}
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if os.path.join(folder, f) not in leave_out]
        for name in folders + files:
            path = os.path.join(folder, name)
            if path in leave_out:
                continue
            state = os.lstat(path)
            what = [state.st_mode]
            if not os.path.isdir(path) or os.path.islink(path):
                what += [state.st_size, state.st_mtime_ns, state.st_ino]
            seen[path] = tuple(what)
    return seen


def bad_characters(message):
    """Control characters of a message: C0 but for line ends, DEL, C1, separators of lines, marks of direction."""
    text = message.decode("utf-8", "surrogateescape")
    return [c for c in text if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u2028\u2029\u202e\u2066"
                                              or 0xDC80 <= ord(c) <= 0xDCFF)]


class Box:
    """A folder with an input folder `in`, an output folder `out`, and a home, a temporary and a working folder
    in which nothing may change."""

    def __init__(self, program, keep=None):
        self.program = os.path.abspath(program)
        self.root = tempfile.mkdtemp(prefix="attack-")
        self.keep = keep
        self.reset()

    def reset(self):
        shutil.rmtree(self.root, ignore_errors=True)
        for name in ("in", "out", "home", "tmp", "cwd"):
            os.makedirs(os.path.join(self.root, name))
        self.write("../home/.profile", b"kept\n")
        self.write("../cwd/kept.json", b"{}\n")

    def path(self, *names):
        return os.path.join(self.root, *names)

    def write(self, name, content):
        path = os.path.normpath(os.path.join(self.path("in"), name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
        return path

    def run(self, arguments, may_write=("out",), environment=None):
        """Calls the program; files may change below `may_write` only."""
        left_out = [self.path(*name.split("/")) for name in may_write]
        before = snapshot(self.root, left_out)
        surroundings = {"PATH": "/usr/bin:/bin", "HOME": self.path("home"), "TMPDIR": self.path("tmp"), "LC_ALL": "C"}
        surroundings.update({key: value for key, value in os.environ.items() if key in PASSED})
        surroundings.update(environment or {})
        findings = []
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            try:
                process = subprocess.Popen([self.program, *arguments], cwd=self.path("cwd"), env=surroundings,
                                           stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=limit,
                                           start_new_session=True)
            except (ValueError, OSError):  # arguments that no program can be given
                return None
            began = time.monotonic()
            code = None
            while code is None:
                pid, status, used = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    code = os.waitstatus_to_exitcode(status)
                elif time.monotonic() - began > WALL_LIMIT_S:
                    os.killpg(process.pid, signal.SIGKILL)
                    findings.append(f"still runs after {WALL_LIMIT_S} s")
                    _, status, used = os.wait4(process.pid, 0)
                    code = os.waitstatus_to_exitcode(status)
                else:
                    time.sleep(0.002)
            process.returncode = code
            try:
                os.killpg(process.pid, signal.SIGKILL)
                findings.append("leaves processes behind")
            except ProcessLookupError:
                pass
            out.seek(0)
            err.seek(0)
            text, message = out.read(4_000_000), err.read(4_000_000)
        cpu = used.ru_utime + used.ru_stime
        memory = used.ru_maxrss * 1024
        if code not in ALLOWED_CODES:
            findings.append(f"exit code {code}")
        if cpu > CPU_LIMIT_S:
            findings.append(f"{cpu:.0f} s of CPU")
        if memory > MEMORY_LIMIT_B:
            findings.append(f"{memory / 1e6:.0f} MB of memory")
        if bad_characters(message):
            findings.append(f"control characters in the message: {sorted(set(bad_characters(message)))[:5]!r}")
        if code in (2, 4):
            line = message.removesuffix(HELP_LINE)
            lines = [each for each in line.split(b"\n") if not each.startswith((b"warning: ", b"damaged: ", b"failed: ", b"factosim: about "))
                     and not each.endswith(b"check them before you trust results")]
            if not line:
                findings.append("fails without a message")
            elif len(lines) > 2 or not line.endswith(b"\n"):
                findings.append(f"message of {len(lines) - 1} lines")
        after = snapshot(self.root, left_out)
        if after != before:
            changed = sorted(p for p in before.keys() | after.keys() if before.get(p) != after.get(p))
            findings.append("changes files: " + ", ".join(os.path.relpath(p, self.root) for p in changed[:4]))
        parts = [os.path.join(d, f) for d, _, fs in os.walk(self.path("out")) for f in fs if f.endswith(".part")]
        if parts:
            findings.append(f"leaves unfinished files: {parts[:2]}")
        return Outcome(code, text, message, cpu, memory, findings)

    def save(self, name, arguments, outcome):
        """Keeps the folder of a finding, with the command that repeats it."""
        if self.keep is None:
            return
        target = os.path.join(self.keep, name)
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(self.root, target, symlinks=True, ignore_dangling_symlinks=True)
        with open(os.path.join(target, "finding.txt"), "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{arguments!r}\n{outcome.findings}\ncode {outcome.code}, {outcome.cpu_s:.1f} s CPU, "
                       f"{outcome.memory_b / 1e6:.0f} MB\n{outcome.err[-2000:]!r}\n")

    def close(self):
        shutil.rmtree(self.root, ignore_errors=True)
