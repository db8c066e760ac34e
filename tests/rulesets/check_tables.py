#!/usr/bin/env python3
"""Lints the public tables of ../shared/data/tables, one by one, and compares the findings with two
other methods:

- every text that contains a text of an earlier rule, or of its own rule, is among the findings: a
  plain search for substrings finds the same;
- for each rule and alternative that is never reached, `kr why` gives the example to another rule,
  one of those in the finding.

    KR=build/tools/kr/kr tests/rulesets/check_tables.py
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results  # noqa: E402

KR = os.environ.get("KR", "kr")
TABLES = pathlib.Path(__file__).resolve().parents[3] / "shared/data/tables/engine_tables.json"
DEAD = {"unreachable-rule", "unreachable-alternative", "conflicting-duplicate"}
REDUNDANT = {"redundant-alternative"}
LITERAL = re.compile(r"[A-Za-z0-9_ :,]+")


def kr(*arguments, good=(0, 1)):
    done = subprocess.run([KR, *arguments], capture_output=True, text=True, check=False)
    if done.returncode not in good:
        sys.exit(f"kr {' '.join(arguments)}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def literals(pattern):
    """The alternatives of a pattern that consists only of texts, else none."""
    parts = pattern.split("|")
    return parts if all(LITERAL.fullmatch(part) for part in parts) else []


def contained(rules):
    """Texts that contain an earlier text: a substring search, the first match wins."""
    above, dead = [], set()
    for pattern, _ in rules:
        own = literals(pattern)
        for i, text in enumerate(own):
            if any(other in text for other in above + own[:i]) or any(
                other in text and other != text for other in own[i + 1 :]
            ):
                dead.add(text)
        above += own
    return dead


def rule_begins(lines):
    """For each line, from 1: the line on which its rule begins."""
    begins, at = {}, 0
    for number, line in enumerate(lines, 1):
        if re.match(r'\s*("[^"]*"|[\w-]+)\s*:', line):
            at = number
        begins[number] = at
    return begins


def check(table, path, failures):
    source = path.with_suffix(".json")
    source.write_text(json.dumps([table]))
    kr("import", str(source), "-o", str(path))
    lines = path.read_text().splitlines()
    begins = rule_begins(lines)
    findings = json.loads(kr("lint", str(path), "--format", "json"))
    found = [one for one in findings if one["name"] in DEAD | REDUNDANT]
    said = " ".join(
        " ".join(lines[one["line"] - 1 : one["end_line"]])[one["column"] - 1 :] for one in found
    )
    for text in contained(table["rules"]):
        if f'"{text}"' not in said:
            failures.append(f"{table['engine']}/{table['model']}: {text!r} is not found dead")
    program = Results(kr("list", "models", "--rules", str(path), "--format", "json"))
    model = next(one for one in program.rows("list_models") if one["name"] != "default")
    for one in found:
        if one["name"] not in DEAD:
            continue
        answer = Results(
            kr("why", one["witness"], "--rules", str(path), "--engine", model["engine"],
               "--model", model["name"], "--format", "json")
        )
        rules = {int(row["rule"].rsplit(":", 1)[1])
                 for row in answer.rows("explanations", scope="label", key="substage") if row["rule"]}
        takers = {begins[other["line"]] for other in one["related"]}
        if not rules or not rules <= takers or begins[one["line"]] in rules - takers:
            failures.append(f"{model['name']}: {one['witness']!r} gets its label from {rules}, not {takers}")
    return len(found), len(contained(table["rules"]))


def main():
    if not TABLES.is_file():
        print(f"skipped: {TABLES.parent} does not exist")
        sys.exit(77)
    failures, found, texts, tables = [], 0, 0, json.loads(TABLES.read_text())
    with tempfile.TemporaryDirectory() as folder:
        for number, table in enumerate(tables):
            counts = check(table, pathlib.Path(folder) / f"table{number}.kr", failures)
            found += counts[0]
            texts += counts[1]
    for failure in failures:
        print(failure)
    print(f"{len(tables)} tables, {found} findings, {texts} texts inside others")
    sys.exit(1 if failures or texts == 0 else 0)


if __name__ == "__main__":
    main()
