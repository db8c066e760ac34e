#!/usr/bin/env python3
"""Compares `kr sql` with SQLite: random queries over the tables of runs give the same rows as over the
database that `--format sqlite` writes, also if kr groups rows before. Forbidden queries are refused.

    KR=build/tools/kr/kr tests/cli/check_sql.py [ROUNDS]
"""
import json
import math
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile

import check_sqlite

KR = os.path.abspath(os.environ["KR"])
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 40
REFUSED = ["ATTACH 'x.db' AS x", "VACUUM INTO 'x.db'", "CREATE TABLE t (a)", "CREATE TEMP TABLE t (a)",
           "INSERT INTO runs VALUES (1)", "DELETE FROM runs", "DROP TABLE runs", "PRAGMA user_version",
           "SELECT 1; SELECT 2", "SELECT load_extension('x')", "SELECT writefile('x', 'y')", "SELECT * FROM nothing",
           "SELECT nothing FROM runs", "SELECT", "WITH", "EXPLAIN"]


def run(*arguments, cwd):
    return subprocess.run([KR, *arguments], cwd=cwd, capture_output=True, timeout=300)


def columns_of(database):
    """By table: the columns, and which of them are numbers."""
    found = {}
    for (table,) in database.execute("SELECT DISTINCT table_name FROM columns"):
        rows = database.execute("SELECT column_name, unit FROM columns WHERE table_name = ?", (table,)).fetchall()
        found[table] = [(name, unit not in ("text", "name")) for name, unit in rows]
    return found


def random_query(rng, tables):
    """Ordered by all columns, so that both give the same order."""
    table = rng.choice([*tables, "operations", "operations"])
    columns = tables[table]
    names = [name for name, _ in columns]
    numbers = [name for name, number in columns if number]
    quoted = lambda name: '"' + name.replace('"', '""') + '"'
    where = ""
    if numbers and rng.random() < 0.4:
        where = f" WHERE {quoted(rng.choice(numbers))} {rng.choice(['>', '<=', 'IS NOT'])} {rng.choice([0, 1, 1000])}"
    if rng.random() < 0.6:
        groups = rng.sample(names, rng.choice([1, 1, 1, 2]) if len(names) > 1 else 1)
        sums = [f"{rng.choice(['count', 'min', 'max', 'total'])}({quoted(rng.choice(names))})" for _ in range(2)]
        shown = ", ".join([*map(quoted, groups), *sums, "count(*)"])
        places = ", ".join(str(i + 1) for i in range(len(groups) + 3))
        return f"SELECT {shown} FROM {table}{where} GROUP BY {', '.join(map(quoted, groups))} ORDER BY {places}"
    some = rng.sample(names, min(len(names), 3))
    distinct = rng.choice(["", "DISTINCT "])
    places = ", ".join(str(i + 1) for i in range(len(some)))
    return f"SELECT {distinct}{', '.join(map(quoted, some))} FROM {table}{where} ORDER BY {places}"


def equal(one, other):
    if isinstance(one, bytes):
        one = one.decode("utf-8", "surrogateescape")
    if isinstance(one, bool) or isinstance(other, bool):
        return int(one) == int(other)
    if isinstance(one, float) or isinstance(other, float):
        return one is not None and other is not None and math.isclose(one, other, rel_tol=1e-12)
    return one == other


def main():
    rng = random.Random(11)
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "rules.kr").write_text(check_sqlite.RULES)
        # In a database, bytes that are not text are a blob, which has another order.
        (work / "trace.json").write_bytes(check_sqlite.small_trace().replace(b"\xff\xfe", b"x").replace(b"\\u0000", b"_"))
        (work / "other.csv").write_text(check_sqlite.OTHER)
        for runs in (["trace.json"], ["trace.json", "other.csv"]):
            done = run("-q", "report", *runs, "--rules", "rules.kr", "--format", "sqlite", "-o", "runs.db", cwd=work)
            assert done.returncode == 0, done.stderr
            database = sqlite3.connect(work / "runs.db")
            database.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
            tables = columns_of(database)
            for _ in range(ROUNDS):
                query = random_query(rng, tables)
                wanted = database.execute(query).fetchall()
                done = run("-q", "sql", *runs, "--rules", "rules.kr", "--format", "json", query, cwd=work)
                assert done.returncode == 0, (query, done.stderr)
                got = json.loads(done.stdout)["tables"]["query"]
                assert len(got) == len(wanted), (query, len(got), len(wanted))
                for row, known in zip(got, wanted):
                    assert all(equal(a, b) for a, b in zip(row.values(), known)), (query, row, known)
                compared += len(got)
            database.close()
        for query in REFUSED:
            done = run("sql", "trace.json", "--rules", "rules.kr", query, cwd=work)
            assert done.returncode == 2 and b"kr: error: " in done.stderr and not done.stdout, (query, done)
        assert sorted(path.name for path in work.iterdir()) == ["other.csv", "rules.kr", "runs.db", "trace.json"]
    assert compared > ROUNDS
    print(f"{2 * ROUNDS} queries, {compared} equal rows; {len(REFUSED)} refused")


if __name__ == "__main__":
    main()
