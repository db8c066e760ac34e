#!/usr/bin/env python3
"""The output of `kr import` gives every name the same label as first-match `re.search`.

The tables are those of gputrc2graph.py, in the form that it reads, and the collected tables beside the
repository if they exist.
"""

import json
import sys
import tempfile
from pathlib import Path

import tables
from tables import names

# Syntax that the dialect does not have.
LOOKS_AROUND = ("(?=", "(?!", "(?<=", "(?<!")
RESERVED = ("unclassified", "others", "(self)", "CPU(non-GPU)")


def own_tables():
    """{engine: {model: {pattern: label}}}"""
    engines = {}
    for table in json.loads(names.OWN_TABLES.read_text(encoding="utf-8")):
        rules = [rule.split(" = ", 1) for rule in table["rules"]]
        engines.setdefault(table["engine"], {})[table["model"]] = {p: label for label, p in rules}
    return engines


def check(title, file, rules, engine, model, rows):
    answers = names.classify(rows, engine, model, [str(file)])
    known = [
        (pattern, label + "_" if label in RESERVED else label)
        for pattern, label in rules
        if not any(mark in pattern for mark in LOOKS_AROUND)
    ]
    return tables.compare(title, rows, answers, "substage", known)


def check_own(folder, rows):
    engines = own_tables()
    (folder / "engine_model.json").write_text(json.dumps(engines), encoding="utf-8")
    output = folder / "own.kr"
    tables.run("import", str(folder / "engine_model.json"), "-o", str(output))
    text = output.read_text(encoding="utf-8")
    wrong = 0 if "misc: otherwise" in text and ' /' not in text else 1
    for engine, models in engines.items():
        for model, rules in models.items():
            title = f"{engine}/{model}"
            wrong += check(title, output, rules.items(), engine, model, rows)
    return wrong


def check_shared(folder, rows):
    if not names.SHARED_TABLES.exists():
        print(f"skipped: {names.SHARED_TABLES.name} of the shared data is missing")
        sys.exit(77)
    tables.run("import", str(names.SHARED_TABLES), "-o", str(folder / "all.kr"), status=(1,))
    tables.run("list", "models", "--rules", str(folder / "all.kr"))
    wrong = 0
    for number, table in enumerate(json.loads(names.SHARED_TABLES.read_text(encoding="utf-8"))):
        source, output = folder / f"{number}.json", folder / f"{number}.kr"
        source.write_text(json.dumps([table]), encoding="utf-8")
        rules = table["rules"]
        around = sum(any(mark in pattern for mark in LOOKS_AROUND) for pattern, _ in rules)
        plain = around == 0 and table["engine"].isidentifier()
        done = tables.run("import", str(source), "-o", str(output), status=(0,) if plain else (1,))
        if done.stderr.decode().count("KR350") != around:
            print(f"{number}: not {around} patterns omitted:\n{done.stderr.decode()}")
            wrong += 1
        engine = table["engine"].replace("/", "_").replace(" ", "_")
        title = f"{table['system']} {table['model']}"
        wrong += check(title, output, rules, engine, table["model"], rows)
    return wrong


def main():
    rows = tables.subjects()
    with tempfile.TemporaryDirectory() as folder:
        check_all = check_shared if sys.argv[1:] == ["shared"] else check_own
        wrong = check_all(Path(folder), rows)
    sys.exit(1 if wrong else 0)


main()
