#!/usr/bin/env python3
"""Compares docs/cli.md with the program: every verb has its section and its row in the table, every option
that a section names is one of the verb or of `kr` itself, and every option of a verb is on
the page.

    KR=build/tools/kr/kr tests/cli/check_page.py
"""

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
OPTION = re.compile(r"(?<![\w-])(?:--[a-z][\w-]*|-[a-z]\b)")
AT_LEAST = 14  # verbs; fewer means that this test does not parse the help correctly


def help_of(kr, *verb):
    done = subprocess.run([kr, *verb, "--help"], capture_output=True, text=True, check=True)
    return done.stdout


def options_of(text):
    """The options that a help lists, each as the set of its spellings."""
    return [set(one.split(",")) for one in re.findall(r"^  (-\S+)", text, re.M)]


def main():
    kr = Path(os.environ.get("KR", "build/tools/kr/kr")).resolve()
    if not kr.exists():
        sys.exit(f"{kr} does not exist: build it, or set KR to another program")
    page = PAGE.read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## kr (\w+)\n(.*?)(?=^## |\Z)", page, re.S | re.M))
    overall = help_of(kr)
    verbs = re.findall(r"^  (\w+) ", overall.split("Traces:")[1].split("Example:")[0], re.M)
    if len(verbs) < AT_LEAST:
        sys.exit(f"only {len(verbs)} verbs in the help: {verbs}")
    common = set().union(*options_of(overall))
    wrong = [f"a section of `kr {verb}`, which there is not" for verb in set(sections) - set(verbs)]
    named = set(OPTION.findall(page))
    for verb in verbs:
        options = options_of(help_of(kr, verb))
        if verb not in sections:
            wrong.append(f"`kr {verb}` has no section")
        if f"| `kr {verb}" not in page:
            wrong.append(f"`kr {verb}` is not in the table of verbs")
        text = re.sub(r"^```.*?^```", "", sections.get(verb, ""), flags=re.S | re.M)
        for option in sorted(set(OPTION.findall(text)) - common.union(*options)):
            wrong.append(f"`kr {verb}` has no {option}")
        for option in options:
            if not option & (named | common):
                wrong.append(f"{max(option, key=len)} of `kr {verb}` is not on the page")
    for one in wrong:
        print(f"{PAGE.name}: {one}")
    print(f"{len(verbs)} verbs, {len(wrong)} findings")
    sys.exit(1 if wrong else 0)


main()
