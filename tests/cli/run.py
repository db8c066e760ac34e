#!/usr/bin/env python3
"""Command sessions: each tests/cli/*.txtar contains commands with their expected output, and the files
that they use.

    $ kr report trace.csv --format json      a command, run by sh in a folder of the session's files
    expected standard output, line by line
    2> expected standard error
    ? 2                                       the exit status, if it is not 0
    -- trace.csv --                           a file; the text up to the next such line

Lines before the first command that begin with `#` describe the session. `...` alone on a
line stands for any lines, within a line for any text. With --update, expected output that differs is
replaced (lines that a `...` covers included), so check the difference before you keep it.

    KR=build/tools/kr/kr tests/cli/run.py [--update] [SESSION...]
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FILE_LINE = re.compile(r"^-- (.+) --$")


class Session:
    def __init__(self, path):
        self.path = path
        self.head, self.commands, self.files = [], [], []
        target = self.head
        for line in path.read_bytes().decode("utf-8", "surrogateescape").split("\n"):
            if match := FILE_LINE.match(line):
                target = []
                self.files.append((match[1], target))
            elif not self.files and line.startswith("$ "):
                target = []
                self.commands.append((line[2:], target))
            else:
                target.append(line)

    def write_files(self, folder):
        for name, text in self.files:
            target = pathlib.Path(folder, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes("\n".join(text).encode("utf-8", "surrogateescape"))

    def write(self, outputs):
        lines = list(self.head)
        for (command, _), output in zip(self.commands, outputs):
            lines += ["$ " + command, *output]
        for name, text in self.files:
            lines += [f"-- {name} --", *text]
        self.path.write_bytes("\n".join(lines).encode("utf-8", "surrogateescape"))


def lines_of(data, work):
    text = data.decode("utf-8", "surrogateescape").replace(work, "$WORK")
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def run_command(command, work, environment):
    done = subprocess.run(["sh", "-c", command], cwd=work, env=environment, capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=300)
    output = lines_of(done.stdout, work)
    output += ["2> " + line for line in lines_of(done.stderr, work)]
    if done.returncode != 0:
        output.append(f"? {done.returncode}")
    return output


def line_matches(expected, actual):
    if "..." not in expected:
        return expected == actual
    return re.fullmatch(".*".join(map(re.escape, expected.split("..."))), actual, re.S) is not None


def matches(expected, actual):
    """Whether `actual` matches `expected`, in which a line `...` stands for any lines."""
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return bool(actual) and line_matches(expected[0], actual[0]) and matches(expected[1:], actual[1:])


def strip(lines):
    while lines and lines[-1] == "":
        lines = lines[:-1]
    return lines


def run(path, update, kr):
    session = Session(path)
    failed = 0
    outputs = []
    with tempfile.TemporaryDirectory() as work:
        work = os.path.realpath(work)
        session.write_files(work)
        environment = {
            # make_layerwise is in the build folder of the tests.
            "PATH": f"{kr.parent}:{kr.parents[2] / 'tests'}:{os.environ['PATH']}",
            "HOME": work,
            "KR_CACHE_DIR": os.environ.get("KR_TEST_CACHE", str(pathlib.Path(work, ".cache"))),
            "LC_ALL": "C.UTF-8",
            "TESTS": str(HERE.parent),
        }
        for passed_on in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "KR_PATH"):
            if passed_on in os.environ:
                environment[passed_on] = os.environ[passed_on]
        for command, expected in session.commands:
            actual = run_command(command, work, environment)
            alike = matches(strip(expected), strip(actual))
            outputs.append(expected if alike else actual + [""])
            if not alike and not update:
                failed += 1
                print(f"{path.name}: $ {command}\n--- expected")
                print("\n".join(strip(expected)).encode("utf-8", "backslashreplace").decode())
                print("--- got")
                print("\n".join(actual).encode("utf-8", "backslashreplace").decode())
    if update:
        session.write(outputs)
    return failed


def main():
    arguments = sys.argv[1:]
    update = "--update" in arguments
    names = [a for a in arguments if not a.startswith("--")]
    kr = pathlib.Path(os.environ.get("KR", "build/tools/kr/kr")).resolve()
    if not kr.exists():
        sys.exit(f"{kr} does not exist: build it, or set KR to another program")
    sessions = [pathlib.Path(n) for n in names] or sorted(HERE.glob("*.txtar"))
    if not sessions:
        sys.exit("no sessions found")
    failed = sum(run(path, update, kr) for path in sessions)
    print(f"{len(sessions)} sessions, {failed} commands failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
