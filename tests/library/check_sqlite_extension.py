#!/usr/bin/env python3
"""The extension of SQLite, in SQLite's own shell and in Python's sqlite3: kr_label and kr_rule give what `kr why` gives,
kr_operations the rows of `kr report --tables operations`; a database from an unknown source makes them read nothing.

    check_sqlite_extension.py KR.SO RULES_FOLDER KR
"""
import gzip
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import nsys_export  # noqa: E402

if not hasattr(sqlite3.Connection, "enable_load_extension"):
    # A Python that was built without extensions of SQLite; that of the system has them.
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

EXTENSION, FOLDER, KR = sys.argv[1:]
ENVIRONMENT = {**os.environ, "KR_PATH": FOLDER}
NAMES = ["ampere_bf16_s16816gemm_bf16_128x64", "ncclDevKernel_AllReduce_Sum_bf16", "[CUDA memcpy Host-to-Device]",
         "void flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128>>()", "it's nothing known", ""]


def sql(*statements):
    return subprocess.run(["sqlite3", "-bail", ":memory:", f".load {EXTENSION.removesuffix('.so')}", *statements],
                          env=ENVIRONMENT, capture_output=True, text=True, timeout=300)


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def known(name, dimension, *of):
    """The usual outcome in `kr why`: its label, and its rule as `PLACE: TEXT`."""
    options = [word for pair in zip(("--engine", "--model"), of) for word in pair]
    done = subprocess.run([KR, "-q", "why", name, *options, "--format", "json"], env=ENVIRONMENT, capture_output=True,
                          text=True, check=True)
    row = [row for row in json.loads(done.stdout)["tables"]["explanations"] if (row["scope"], row["key"]) == ("label", dimension)][0]
    return row["label"], f"{row['rule']}: {row['rule_text']}" if row["rule"] else None


def connected(path=":memory:"):
    """Python's own sqlite3 with the extension; it reads KR_PATH of this process."""
    database = sqlite3.connect(path)
    database.enable_load_extension(True)
    database.load_extension(EXTENSION.removesuffix(".so"))
    database.enable_load_extension(False)
    return database


def check_names():
    checked = 0
    python = connected()
    for of in ((), ("vllm",), ("vllm", "llama")):
        for name in NAMES[:-1]:
            for dimension in ("kind", *(["stage", "substage"] if of else [])):
                words = (name, dimension, *of)
                label, rule = known(*words)
                done = sql(f"SELECT kr_label({', '.join(map(quoted, words))})")
                assert done.returncode == 0, done.stderr
                assert done.stdout == label + "\n", (words, done.stdout)
                marks = ", ".join("?" * len(words))
                # SQLite has one set of positional parameters for both functions.
                row = python.execute(f"SELECT kr_label({marks}), kr_rule({marks})", words * 2).fetchone()
                assert row == (label, rule), (words, row, label, rule)
                checked += 1
    name = NAMES[0]
    assert python.execute("SELECT kr_rule(?) IS kr_rule(?, 'substage'), kr_rule(?) LIKE '%.kr:%: gemm:%'",
                          (name,) * 3).fetchone() == (1, 1)
    done = sql("CREATE TABLE k (name)", "INSERT INTO k VALUES ('gemm_a'), ('gemm_b'), (NULL), (x'67656d6dff')",
               "SELECT coalesce(kr_label(name, 'substage', 'vllm'), '-'), count(*) FROM k GROUP BY 1 ORDER BY 1")
    assert done.stdout == "-|1\ngemm|3\n", (done.stdout, done.stderr)
    done = sql("PRAGMA encoding = 'UTF-16'", "CREATE TABLE k (name)", "INSERT INTO k VALUES ('gemm_a')",
               "SELECT kr_label(name, 'substage', 'vllm'), kr_demangle(name) FROM k")
    assert done.stdout == "gemm|gemm_a\n", done
    for statement, part in (("SELECT kr_label('a', 'nothing', 'vllm')", "nothing"), ("SELECT kr_label('a', 'kind', 'vlmm')", "vllm"),
                            ("SELECT kr_label('a')", "wrong number of arguments"), ("SELECT kr_rule('a', 'substgae')", "substage")):
        done = sql(statement)
        assert done.returncode != 0 and part in done.stderr, (statement, done)
    shown = python.execute("SELECT kr_demangle('_ZN4vllm4normIiEEvPT_'), kr_demangle('plain'), kr_demangle(NULL)").fetchone()
    assert shown == ("void vllm::norm<int>(int*)", "plain", None), shown
    print(f"{checked} labels and rules are those of `kr why`")


def check_operations(folder):
    trace = folder / "trace.sqlite"
    nsys_export.write(trace)
    done = subprocess.run([KR, "-q", "report", trace, "--tables", "operations", "--format", "json"], env=ENVIRONMENT,
                          capture_output=True, text=True, check=True)
    rows = json.loads(done.stdout)["tables"]["operations"]
    assert len(rows) == 8, rows
    database = connected()
    database.row_factory = sqlite3.Row
    read = [dict(row) for row in database.execute("SELECT * FROM kr_operations(?)", (str(trace),))]
    assert len(read) == len(rows)
    for mine, its in zip(read, rows):
        for column, cell in its.items():
            assert mine[column] == cell, (column, mine, its)
        # What is beside them are dimensions that this engine does not have.
        assert all(cell is None for column, cell in mine.items() if column not in its), (mine, its)
    # The same trace in another format and compressed, with its engine; joined with another table.
    kineto = folder / "other.json.gz"
    with gzip.open(kineto, "wt") as out:
        json.dump({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "gemm_a", "pid": 0, "tid": 7, "ts": start, "dur": 2,
                                    "args": {"device": 0, "stream": 7}} for start in range(5)]}, out)
    shown = database.execute("SELECT name, substage, count(*), sum(duration_ns) FROM kr_operations(?, 'vllm', 'llama')",
                             (str(kineto),)).fetchone()
    assert tuple(shown) == ("gemm_a", "gemm", 5, 10000), tuple(shown)
    database.execute("CREATE TABLE runs (path)")
    database.executemany("INSERT INTO runs VALUES (?)", [(str(trace),), (str(kineto),), (None,)])
    shown = database.execute("SELECT count(*), count(DISTINCT o.run) FROM runs r JOIN kr_operations(r.path) o").fetchone()
    assert tuple(shown) == (13, 2), tuple(shown)
    # In the export itself: its own tables beside what kr makes of them.
    done = subprocess.run(["sqlite3", "-bail", "-readonly", trace, f".load {EXTENSION.removesuffix('.so')}",
                           f"SELECT s.value, kr_label(s.value, 'substage', 'vllm'), o.n FROM StringIds s JOIN (SELECT name, "
                           f"count(*) n FROM kr_operations({quoted(str(trace))}) GROUP BY 1) o ON o.name = s.value ORDER BY 1"],
                          env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
    assert done.stdout == "gemm|gemm|2\nnorm<int, 4>|norm|2\n", done
    notes = database.execute("SELECT count(*) FROM kr_notes(?)", (str(trace),)).fetchone()[0]
    assert notes > 0, notes
    for statement, part in (("SELECT * FROM kr_operations", "kr_operations('trace.sqlite')"),
                            ("SELECT * FROM kr_operations('-')", "standard input"),
                            ("SELECT * FROM kr_operations('absent.json')", "absent.json"),
                            (f"SELECT * FROM kr_operations({quoted(str(kineto))}, 'vlmm')", "vllm"),
                            ("CREATE VIRTUAL TABLE t USING kr_operations('x')", "no such module")):
        done = sql(statement)
        assert done.returncode != 0 and part in done.stderr, (statement, done)
    print("kr_operations has the rows of `kr report --tables operations`")


def hostile(path, expression, use):
    """A database whose schema contains the expression, written as an attacker would: past the checks of SQLite."""
    maker = connected(path)
    made = {"view": f"CREATE VIEW bad AS SELECT {expression} AS x",
            "trigger": f"CREATE TRIGGER fired AFTER INSERT ON bad BEGIN UPDATE bad SET a = {expression}; END",
            "generated": f"CREATE TABLE bad (a TEXT, b AS ({expression}))",
            "check": f"CREATE TABLE bad (a TEXT CHECK (length({expression}) >= 0))",
            "default": f"CREATE TABLE bad (a TEXT, b DEFAULT ({expression}))"}[use]
    if use != "view":
        maker.execute("CREATE TABLE bad (a TEXT, b)")
    if use in ("view", "trigger"):
        maker.execute(made)
    else:
        maker.execute("PRAGMA writable_schema = ON")
        maker.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'bad'", (made,))
    maker.commit()
    maker.close()


def check_hostile(folder):
    """A database from an unknown source: its views, triggers and schema must not read files."""
    trace = quoted(str(folder / "trace.sqlite"))
    functions = {"kr_label('gemm', 'kind')": True, "kr_rule('gemm')": True, "kr_demangle('_Z1fv')": False}
    tables = {f"(SELECT count(*) FROM {name}({trace}))": True for name in ("kr_operations", "kr_notes")}
    checked = 0
    for expression, refused in (functions | tables).items():
        # SQLite itself allows no subquery in the schema of a table.
        for use in ("view", "trigger", *(("generated", "check", "default") if expression in functions else ())):
            path = folder / f"hostile{checked}.sqlite"
            hostile(path, expression, use)
            for trusted in ("ON", "OFF"):
                database = connected(path)
                database.execute(f"PRAGMA trusted_schema = {trusted}")
                try:
                    if use != "view":
                        database.execute("INSERT INTO bad (a) VALUES ('x')")
                    done = str(database.execute("SELECT * FROM bad").fetchall())
                except sqlite3.DatabaseError as error:
                    done = str(error)
                assert refused == ("unsafe use of" in done), (expression, trusted, use, done)
                if not refused:
                    assert ("x" if use == "check" else "f()") in done, (expression, use, done)
                checked += 1
                database.close()
    print(f"{checked} uses from the schema of a database: those that would read files are refused")


def main():
    os.environ["KR_PATH"] = FOLDER
    check_names()
    with tempfile.TemporaryDirectory() as folder:
        check_operations(pathlib.Path(folder))
        check_hostile(pathlib.Path(folder))


if __name__ == "__main__":
    main()
