#!/usr/bin/env python3
"""Compares `kr sql` with SQLite: random queries over the tables of runs give the same rows as over the
database that `--format sqlite` writes, also if kr hands out rows in the order of a column. Forbidden queries
are refused.

    KR=build/tools/kr/kr tests/cli/check_sql.py [ROUNDS]

If rows come grouped instead of ordered, the fifth query differs; with seven other seeds the second to the 73rd.
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
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 150
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


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def ordering(rng, columns):
    """All columns, in any order and direction: so both programs give the same order."""
    terms = [f"{column} {rng.choice(['', 'ASC', 'DESC', 'DESC NULLS LAST'])}" for column in columns]
    return "ORDER BY " + ", ".join(rng.sample(terms, len(terms)))


def limit(rng):
    return rng.choice(["", "LIMIT 1", "LIMIT 3", "LIMIT 2 OFFSET 1"])


class RandomQuery:
    """A SELECT whose result, rows and their order, SQL defines."""

    def __init__(self, rng, tables):
        self.rng = rng
        self.tables = tables
        self.table = rng.choice([*tables, *["operations"] * len(tables)])
        self.columns = tables[self.table]
        self.names = [name for name, _ in self.columns]

    def make(self):
        return self.rng.choice([self.groups, self.groups, self.groups, self.rows, self.rows, self.join])()

    def some(self, most):
        """Columns, mostly of the first: names, labels and the like."""
        among = self.names if self.rng.random() < 0.5 else self.names[:7]
        return [quoted(name) for name in self.rng.sample(among, min(len(among), self.rng.randint(1, most)))]

    def where(self, of=""):
        numbers = [name for name, number in self.columns if number]
        if not numbers or self.rng.random() < 0.6:
            return ""
        compared = self.rng.choice([">", "<=", "IS NOT", "IS"])
        return f"WHERE {of}{quoted(self.rng.choice(numbers))} {compared} {self.rng.choice([0, 1, 1000, 'NULL'])}"

    def aggregate(self):
        return f"{self.rng.choice(['count(', 'min(', 'max(', 'total(', 'count(DISTINCT '])}{quoted(self.rng.choice(self.names))})"

    def groups(self):
        """Ordered by what groups, or by all columns."""
        by = self.some(2)
        sums = [self.aggregate() for _ in range(2)]
        having = self.rng.choice(["", "", f"HAVING {sums[0]} > 1"])
        places = [str(i + 1) for i in range(len(by) + 3)]
        order = ordering(self.rng, self.rng.choice([by, by, places]))
        return (f"SELECT {', '.join([*by, *sums, 'count(*)'])} FROM {self.table} {self.where()} "
                f"GROUP BY {', '.join(by)} {having} {order} {limit(self.rng)}")

    def rows(self):
        """Distinct or not."""
        some = self.some(3)
        return (f"SELECT {self.rng.choice(['', 'DISTINCT'])} {', '.join(some)} FROM {self.table} {self.where()} "
                f"{ordering(self.rng, some)} {limit(self.rng)}")

    def join(self):
        """With a table that has names, too, by name and by run."""
        other, kept = self.rng.choice(["kernels", "runs"]), f"a.{quoted(self.rng.choice(self.names))}"
        same = ["a.run = b.run"] if "run" in self.names else ["1"]
        same += ["a.name = b.name"] if other == "kernels" and "name" in self.names else []
        joined = f"FROM {self.table} a {self.rng.choice(['', 'LEFT '])}JOIN {other} b ON {' AND '.join(same)} {self.where('a.')}"
        if self.rng.random() < 0.5:
            return f"SELECT {kept}, count(*), count(b.run) {joined} GROUP BY {kept} {ordering(self.rng, [kept])} {limit(self.rng)}"
        columns = [kept, f"b.{quoted(self.rng.choice([name for name, _ in self.tables[other]]))}"]
        return f"SELECT DISTINCT {', '.join(columns)} {joined} {ordering(self.rng, columns)} {limit(self.rng)}"


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
                query = RandomQuery(rng, tables).make()
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
