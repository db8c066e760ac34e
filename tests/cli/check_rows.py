#!/usr/bin/env python3
"""Rows of tables that `--where` and `--sort` choose, of which `--max-rows` shows some, are those that Python
chooses of the whole table: the same rows in the same order, equal ones in that of the table.

    KR=build/tools/kr/kr tests/cli/check_rows.py [ROUNDS]

If equal rows come in any order, or empty cells first, one of the first ten choices differs.
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import check_sqlite

KR = os.path.abspath(os.environ["KR"])
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 120
TABLES = ["operations", "kernels", "labels", "steps", "devices", "launches"]
# A dimension that is called as SQLite calls the number of a row.
RULES = check_sqlite.RULES.replace("  stage {", """  rowid { a: "gemm"  b: otherwise }
  stage {""") + "labels rowid { a b }\n"


def kr(work, runs, table, *options):
    done = subprocess.run([KR, "-q", "report", *runs, "--rules", "rules.kr", "--tables", table, "--format", "json",
                           *options], cwd=work, capture_output=True, timeout=300)
    assert done.returncode == 0, (table, options, done.stderr)
    return json.loads(done.stdout)["tables"].get(table, [])


def is_text(rows, column):
    return any(isinstance(row[column], str) for row in rows)


def choice(rng, rows):
    """A condition and the same in Python."""
    column = rng.choice(list(rows[0]))
    value = rng.choice(rows)[column]
    quoted = '"' + column + '"'
    if value is None:
        return f"{quoted} IS NULL", lambda row: row[column] is None
    if isinstance(value, str):
        text = "'" + value.replace("'", "''") + "'"
        return f"{quoted} = {text}", lambda row: row[column] == value
    return f"{quoted} >= {value!r}", lambda row: row[column] is not None and row[column] >= value


def ordered(rows, column, other):
    """Python's sort is stable, also in reverse."""
    key = (lambda row: row[column].encode("utf-8", "surrogateescape")) if is_text(rows, column) else (lambda row: row[column])
    known = [row for row in rows if row[column] is not None]
    falling = is_text(rows, column) == other
    return sorted(known, key=key, reverse=falling) + [row for row in rows if row[column] is None]


def main():
    rng = random.Random(5)
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "rules.kr").write_text(RULES)
        (work / "trace.json").write_bytes(check_sqlite.small_trace())
        (work / "other.csv").write_text(check_sqlite.OTHER)
        whole = {}
        for _ in range(ROUNDS):
            runs = rng.choice((["trace.json"], ["trace.json", "other.csv"]))
            table = rng.choice(TABLES)
            if (len(runs), table) not in whole:
                whole[len(runs), table] = kr(work, runs, table)
            rows = whole[len(runs), table]
            if not rows:
                continue
            options, wanted = [], rows
            if rng.random() < 0.5:
                where, matches = choice(rng, rows)
                options, wanted = ["--where", where], [row for row in rows if matches(row)]
            if not options or rng.random() < 0.8:
                column, other = rng.choice(list(rows[0])), rng.random() < 0.5
                options += [f"--sort={'-' if other else ''}{column}"]
                wanted = ordered(wanted, column, other)
            if rng.random() < 0.6:
                most = rng.randint(1, len(rows) + 1)
                options += ["--max-rows", str(most)]
                wanted = wanted[:most]
            got = kr(work, runs, table, *options)
            assert got == wanted, (runs, table, options, got, wanted)
            compared += len(wanted)
    assert compared > ROUNDS
    print(f"{compared} rows of {ROUNDS} choices are those of Python")


if __name__ == "__main__":
    main()
