"""Cases of a test script and what fails in them: `check` notes a failure and goes on, `run` runs the cases."""
import os
import sys
import tempfile

failures, cases = [], []


def case(test):
    """Marks a function as a case, in the order of the file."""
    cases.append(test)
    return test


def check(name, found, expected):
    if found != expected:
        failures.append(f"{name}: {found!r} instead of {expected!r}")


def contains(name, text, *parts):
    failures.extend(f"{name}: no {part!r} in {text!r}" for part in parts if part not in text)


def run(errors=()):
    """Runs each case in an empty folder of its own, prints what failed, and exits with 1 if something did. `errors`: types of
    exceptions that fail a case without ending the script."""
    for test in cases:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                test()
            except errors as error:
                failures.append(f"{test.__name__}: {error!r}")
            os.chdir("/")
    print("\n".join(failures) or f"{len(cases)} cases hold")
    sys.exit(1 if failures else 0)
