#!/usr/bin/env python3
"""Does what the tutorial describes: saves its files, runs its commands, compares their output.

Every fenced block of docs/tutorial.md is one of two kinds. A block of commands is fenced as
`console`: lines that begin with `$ ` are run by sh, one after the other, in one folder; what follows
is what they print, standard output first, then standard error. `…` on a line of its own stands for any
lines, within a line for any text; a command without output shown may print anything. All exit with
0, unless a comment before the block gives other statuses, for its commands in order:

    <!-- exit: 1 -->

Any other block is the text of a file, or a part of one, as the comment before it describes:

    <!-- file: acme.kr -->                                  the complete file
    <!-- file: acme.kr, below: substage { -->               below the line with this text
    <!-- file: acme.kr, above: include llm.substage -->
    <!-- file: acme.kr, in place of: attention: "flash" -->
    <!-- file: acme.kr, at the end -->

    KR=build/tools/kr/kr tests/tutorial/check_tutorial.py [PAGE]
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "tutorial.md"
FENCE = re.compile(r"^```(\S*)")
EXIT = re.compile(r"^<!-- exit: ([0-9 ]+) -->$")
FILE = re.compile(r"^<!-- file: ([\w./-]+)(?:, (at the end|(below|above|in place of): (.+)))? -->$")
AT_LEAST = 10  # commands; fewer means that this test does not parse the page correctly


class Wrong(Exception):
    """The page is not valid; the message begins with a line number."""


def blocks_of(text):
    """(line number, language, comment before it, lines) of each fenced block."""
    inside = None
    comment = ""
    blocks = []
    for number, line in enumerate(text.split("\n"), 1):
        if inside is not None:
            if line.rstrip() == "```":
                blocks.append((*inside, body))
                inside, comment = None, ""
            else:
                body.append(line)
        elif fence := FENCE.match(line):
            inside, body = (number, fence[1], comment), []
        elif line.startswith("<!-- "):
            if comment or not (EXIT.match(line) or FILE.match(line)):
                raise Wrong(f"{number}: a comment without an instruction for a block: {line}")
            comment = line
        elif comment:
            raise Wrong(f"{number}: a block must follow the comment")
        elif re.match(r"^(\$ )?kr ", line):
            raise Wrong(f"{number}: a command outside a block: {line}")
    if inside is not None:
        raise Wrong(f"{inside[0]}: a block that does not end")
    return blocks


def put_file(folder, number, marker, lines):
    name, where, side, anchor = FILE.match(marker).groups()
    path = folder / name
    if where is None:
        path.write_text("\n".join(lines) + "\n")
        return
    text = path.read_text().split("\n")[:-1]
    if side is None:
        text += ["", *lines]
    else:
        at = [i for i, line in enumerate(text) if line.split() == anchor.split()]
        if len(at) != 1:
            raise Wrong(f"{number}: {len(at)} lines of {name} read `{anchor}`, not one")
        begin = at[0] + (side == "below")
        text[begin : at[0] + (side != "above")] = lines
    path.write_text("\n".join(text) + "\n")


def commands_of(number, lines):
    """(line number, command, lines shown) of each command of a block."""
    commands = []
    for offset, line in enumerate(lines, 1):
        if line.startswith("$ "):
            commands.append((number + offset, line[2:], []))
        elif not commands:
            raise Wrong(f"{number + offset}: output before any command: {line}")
        else:
            commands[-1][2].append(line)
    if not commands:
        raise Wrong(f"{number}: a block without commands")
    return commands


def is_shown(shown, printed):
    """Whether `printed` matches what the page shows."""
    if not shown:
        return not printed
    if shown[0].strip() == "…":
        return any(is_shown(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    pattern = ".*".join(map(re.escape, shown[0].split("…")))
    return (
        bool(printed)
        and re.fullmatch(pattern, printed[0].rstrip()) is not None
        and is_shown(shown[1:], printed[1:])
    )


def without_blank_ends(lines):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def run(folder, environment, number, command, shown, status):
    """The problem of a command; empty if there is none."""
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=600,
    )
    printed = []
    for stream in (done.stdout, done.stderr):
        printed += without_blank_ends(stream.decode("utf-8", "backslashreplace").split("\n"))
    wrong = ""
    if done.returncode != status:
        wrong = f"exit status {done.returncode}, not {status}"
    shown = without_blank_ends(shown)
    if shown and not is_shown(shown, printed):
        wrong += (", and " if wrong else "") + "not the output shown"
    if not wrong:
        return ""
    return f"{number}: $ {command}\n{wrong}; it printed\n  " + "\n  ".join(printed)


def check(page, kr, prepare=None, outputs=True):
    """(number of commands run, problems). `prepare(folder)` puts files there that the page has; without `outputs`,
    commands may print anything."""
    count = 0
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(os.path.realpath(folder))
        work = folder / "work"
        work.mkdir()
        if prepare is not None:
            prepare(work)
        environment = {
            "PATH": f"{kr.parent}:{os.environ['PATH']}",
            "HOME": str(folder),
            "KR_CACHE_DIR": os.environ.get("KR_TEST_CACHE", str(folder / "cache")),
            "LC_ALL": "C.UTF-8",
        }
        for passed_on in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "KR_PATH"):
            if passed_on in os.environ:
                environment[passed_on] = os.environ[passed_on]
        for number, language, marker, lines in blocks_of(page.read_text(encoding="utf-8")):
            if language == "console":
                commands = commands_of(number, lines)
                statuses = [0] * len(commands)
                if exits := EXIT.match(marker):
                    statuses = [int(one) for one in exits[1].split()]
                elif marker:
                    raise Wrong(f"{number}: commands are not a file")
                if len(statuses) != len(commands):
                    raise Wrong(f"{number}: {len(commands)} commands, {len(statuses)} statuses")
                for (line, command, shown), status in zip(commands, statuses):
                    count += 1
                    if failure := run(work, environment, line, command, shown if outputs else [], status):
                        wrong.append(failure)
            elif FILE.match(marker):
                put_file(work, number, marker, lines)
            else:
                raise Wrong(f"{number}: a block that is neither commands nor a file")
    return count, wrong


def main():
    kr = Path(os.environ.get("KR", "build/tools/kr/kr")).resolve()
    if not kr.exists():
        sys.exit(f"{kr} does not exist: build it, or set KR to another program")
    page = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE
    try:
        count, wrong = check(page, kr)
    except Wrong as what:
        sys.exit(f"{page.name}:{what}")
    for one in wrong:
        print(f"{page.name}:{one}\n")
    if count < AT_LEAST:
        sys.exit(f"{page}: only {count} commands were found")
    print(f"{count} commands, {len(wrong)} differ from the page")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
