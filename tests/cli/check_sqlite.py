#!/usr/bin/env python3
"""The database of `--format sqlite`: it has the rows of `--format json` in every table, operations add up
to the tables that are computed from them, the queries of docs/exports.md work, names may be any bytes, and a
file that kr did not write is not replaced.

    KR=build/tools/kr/kr tests/cli/check_sqlite.py
"""
import collections
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import tempfile

import read_back

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
KR = os.path.abspath(os.environ["KR"])
REAL = ["kineto/vllm_decode_graph.json.gz", "kineto/sglang_prefill.json.gz", "kineto/dlrm_rank1.json.gz",
        "kineto/cpu_only.json.gz", "kineto/v100_resnet_2021_streams.json.gz"]
APPLICATION = int.from_bytes(b"krtr", "big")
# What tables that are not about runs are made from.
OTHERS = (None, "rules", "rulesets", "tree", "coverage", "two runs", "two rulesets", "a name")

# Each step with itself and its enclosing steps: an operation of a step belongs to all of these.
ENCLOSING = ("WITH RECURSIVE enclosing(run, inner_id, step_id, outer_id, phase) AS ("
             "SELECT run, step_id, step_id, outer_step_id, phase FROM steps UNION ALL "
             "SELECT e.run, e.inner_id, s.step_id, s.outer_step_id, s.phase FROM enclosing e "
             "JOIN steps s ON s.run = e.run AND s.step_id = e.outer_id)")

RULES = """
labels substage { gemm "Matrix products" color "#b40000"
  attn misc }
engine e "E" {
  phases { prefill: "EXTEND"  decode: /DECODE (?<step>\\d+)/ }
  stage { layer: "gemm"  other: otherwise }
  substage { attn: "Attn"  gemm: "gemm"  misc: otherwise }
}
"""
# Dimensions whose names are columns of kr's tables, or differ only in case.
ODD_RULES = """
labels substage { a b }
labels Kind2 { a b }
labels kind2 { a b }
labels run { a b }
labels Name { a b }
engine e "E" {
  substage { a: "gemm"  b: otherwise }
  Kind2 { a: "gemm"  b: otherwise }
  kind2 { b: "gemm"  a: otherwise }
  run { a: "gemm"  b: otherwise }
  Name { a: "gemm"  b: otherwise }
}
"""
OTHER = "Start (ns),Duration (ns),Device,Strm,Name\n5,7,GPU (0),7,gemm\n6,9,GPU (0),7,only here\n"


def x(category, name, start, length, thread=1, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": thread, "ts": start,
            "dur": length, "args": args}


def small_trace():
    events = [x("user_annotation", "step[EXTEND bs=1]", 0, 100),
              x("python_function", "nn.Module: Model_0", 5, 80),
              x("python_function", "nn.Module: Attention_0", 10, 30),
              x("cuda_runtime", "cudaLaunchKernel", 12, 4, correlation=1),
              x("cuda_driver", "cuLaunchKernel", 50, 4.5, correlation=2),
              x("cuda_runtime", "cudaDeviceSynchronize", 60, 1),
              x("user_annotation", "step[DECODE 3]", 200, 50),
              x("cuda_runtime", "cudaGraphLaunch", 210, 10, correlation=4),
              x("kernel", "gemm \"quoted\" </script>", 20, 10.001, device=0, stream=7, correlation=1),
              x("kernel", "gemm_mlp", 25, 2, device=1, stream=7, correlation=2),
              x("gpu_memcpy", "a\x00nul", 27, 1.5, device=0, stream=8),
              x("gpu_memset", "Memset (Device)", 28, 0, device=0, stream=8)]
    for i in range(40):
        events.append(x("kernel", f"k{i % 8}", 221 + i, 1, device=0, stream=7, correlation=4))
    text = json.dumps({"traceEvents": events}).encode()
    return text.replace(b"gemm_mlp", b"gemm_\xff\xfe")


def run(*arguments):
    return subprocess.run([KR, "-q", *arguments], check=True, capture_output=True).stdout


def tables_of_runs():
    listed = json.loads(run("list", "tables", "--format", "json"))["tables"]["list_tables"]
    # Tables named after reports of nsys stats are in a database only if they are named.
    return [table["name"] for table in listed
            if table["needs"] not in OTHERS and not table["name"].startswith(("cuda_gpu_", "cuda_api_", "cuda_kern_", "nvtx_"))]


def busy(intervals):
    """The time that intervals cover."""
    total = end = 0
    for start, length in sorted(intervals):
        total += max(0, start + length - max(start, end))
        end = max(end, start + length)
    return total


def check_form(path):
    database = read_back.open_database(path)
    value = lambda sql: database.execute(sql).fetchall()
    assert value("PRAGMA integrity_check") == [("ok",)]
    assert value("PRAGMA foreign_key_check") == []
    assert value("PRAGMA application_id") == [(APPLICATION,)]
    info = dict(value("SELECT key, value FROM info"))
    assert info.keys() == {"kr", "schema"} and value("PRAGMA user_version") == [(int(info["schema"]),)]

    # Large tables are views over rows with ids of texts.
    names = read_back.names_in(database)
    views = [row[0] for row in value("SELECT name FROM sqlite_master WHERE type = 'view'")]
    kept = {name for name, in value("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")}
    large = [f"{name}_rows" for name in views]
    assert kept == {"info", "columns", *names, *large} - {*views} | ({"texts"} if views else set())
    assert not views or value("SELECT count(*) FROM (SELECT text FROM texts GROUP BY text, typeof(text) HAVING count(*) > 1)") == [(0,)]

    # Each column is documented, with its unit.
    listed = {name: row for name in names
              for row in [json.loads(run("list", "columns", name, "--format", "json"))["tables"]["list_columns"]]}
    types = {"text": "TEXT", "name": "TEXT", "boolean": "INTEGER", "id": "INTEGER", "ratio": "REAL", "factor": "REAL", "percent": "REAL"}
    for name in names:
        said = value(f"SELECT column_name, unit, role, doc FROM columns WHERE table_name = '{name}' ORDER BY rowid")
        there = value(f'PRAGMA table_info("{name}")')
        assert [row[0] for row in said] == [row[1] for row in there], name
        want = [(column["column_name"], column["unit"], column["role"], column["doc"]) for column in listed[name]
                if column["column_name"] != "*" and column["role"] != "short_form"]
        assert [row for row in said if row in want] == want, name
        for (_, unit, _, _), (_, column, kind, required, _, _) in zip(said, there):
            if name in views:
                continue
            assert kind == types.get(unit, kind) and kind in ("TEXT", "INTEGER", "REAL"), (name, column, kind)
            # A column that is not optional is never NULL.
            optional = [one["optional"] for one in listed[name] if one["column_name"] == column] or [True]
            assert bool(required) != optional[0], (name, column)
    return database


def check_rows(database, words):
    """`words`: the command. Every table has the rows of the JSON."""
    report = read_back.of_json(run(*words, "--tables", ",".join(tables_of_runs()), "--format", "json"))
    names = read_back.names_in(database)
    assert sorted(names) == sorted(report), set(names) ^ set(report)
    found = read_back.differences(read_back.of_database(database), report)
    assert not found, found[0]


def check_sums(database):
    """Operations compared with the sums of them."""
    names = read_back.names_in(database)
    rows = lambda sql: sorted(database.execute(sql).fetchall(), key=repr)
    assert rows("SELECT run, operations, gpu_elapsed_ns, gpu_total_ns FROM runs WHERE operations > 0") == \
        rows("SELECT run, count(*), sum(elapsed_ns), sum(duration_ns) FROM operations GROUP BY run")
    columns = [row[1] for row in database.execute("PRAGMA table_info(operations)")]
    dimensions = [row[0] for row in rows("SELECT DISTINCT dimension FROM labels")]
    for dimension in dimensions:
        # A dimension that has the name of another column.
        column = f"{dimension}_label" if dimension in ("run", "name", "type", "device") else dimension
        if column not in columns or len({one.lower() for one in dimensions}) != len(dimensions):
            continue
        assert rows(f"SELECT run, label, instances, elapsed_ns, total_ns FROM labels WHERE dimension = '{dimension}'") == \
            rows(f'SELECT run, "{column}", count(*), sum(elapsed_ns), sum(duration_ns) FROM operations '
                 f'WHERE "{column}" IS NOT NULL GROUP BY run, "{column}"'), dimension
        if {"label_times", "steps"} <= set(names):
            # An operation also belongs to the steps that enclose its own.
            assert rows("SELECT run, CAST(key AS INTEGER), label, instances, total_ns FROM label_times "
                        f"WHERE scope = 'step' AND dimension = '{dimension}'") == \
                rows(f'{ENCLOSING} SELECT o.run, e.step_id, "{column}", count(*), sum(duration_ns) FROM operations o '
                     f'JOIN enclosing e ON e.run = o.run AND e.inner_id = o.step_id '
                     f'WHERE "{column}" IS NOT NULL GROUP BY o.run, e.step_id, "{column}"'), dimension
    assert rows("SELECT run, name, type, sum(instances), sum(elapsed_ns), sum(total_ns), min(min_ns), max(max_ns) FROM kernels GROUP BY 1, 2, 3") == \
        rows("SELECT run, name, type, count(*), sum(elapsed_ns), sum(duration_ns), min(duration_ns), max(duration_ns) "
             "FROM operations GROUP BY 1, 2, 3")
    if "devices" in names:
        on_device = collections.defaultdict(list)
        for one, device, start, length in database.execute("SELECT run, device, start_ns, duration_ns FROM operations"):
            on_device[one, device].append((start, length))
        for one, device, operations, span, busy_ns, idle in database.execute(
                "SELECT run, device, operations, span_ns, busy_ns, idle_ns FROM devices"):
            there = on_device.pop((one, device))
            first, last = min(start for start, _ in there), max(start + length for start, length in there)
            assert (operations, span, busy_ns, idle) == (len(there), last - first, busy(there), last - first - busy(there))
        assert not on_device
    assert rows("SELECT run, phase, instances, total_ns FROM steps JOIN runs USING (run) WHERE instances > 0") == \
        rows(f"{ENCLOSING} SELECT o.run, e.phase, count(*), sum(duration_ns) FROM operations o "
             "JOIN enclosing e ON e.run = o.run AND e.inner_id = o.step_id GROUP BY o.run, e.step_id") \
        if "steps" in names else rows("SELECT * FROM operations WHERE step_id IS NOT NULL") == []
    assert rows("SELECT run, evidence, operations, total_ns FROM attribution WHERE operations > 0") == \
        rows("SELECT run, coalesce(evidence, 'none'), count(*), sum(duration_ns) FROM operations GROUP BY 1, 2") or "attribution" not in names
    if "host_calls" in names:
        assert rows("SELECT run, api, calls, operations, total_ns FROM launches") == \
            rows("SELECT run, api, count(*), sum(operations), sum(duration_ns) FROM host_calls WHERE operations > 0 GROUP BY run, api")
        assert rows("SELECT run, api, operations, round(delay_mean_ns, 3) FROM launches") == \
            rows("SELECT o.run, api, count(*), round(avg(o.start_ns - c.start_ns), 3) FROM operations AS o "
                 "JOIN host_calls AS c USING (run, call_id) GROUP BY o.run, api")
        assert rows("SELECT run, call_id, operations FROM host_calls WHERE operations > 0") == \
            rows("SELECT run, call_id, count(*) FROM operations WHERE call_id IS NOT NULL GROUP BY run, call_id")
        assert rows("SELECT a.name FROM host_ranges AS a LEFT JOIN host_ranges AS b ON b.run = a.run AND b.range_id = a.parent_id "
                    "WHERE a.end_ns < a.start_ns OR a.parent_id IS NOT NULL AND NOT (b.start_ns <= a.start_ns AND a.start_ns <= b.end_ns)") == []


def documented():
    """The queries of docs/exports.md, each by the sentence before it, and the tables that the page names."""
    page = (ROOT / "docs" / "exports.md").read_text().partition("## `--format sqlite`")[2]
    queries = dict(re.findall(r"^([^\n]*):\n\n```sql\n(.*?)```", page, re.M | re.S))
    assert len(queries) == page.count("```sql")
    return queries, re.findall(r"^\| `(\w+)` \|", page, re.M)


def shows(queries):
    """The expected result of each query for the small trace and for the other one."""
    small, other = "default_e_small_0", "default_e_other_1"
    return {
        "What the columns of a table mean": lambda rows: ("total_ns", "ns", "The sum of their durations.") in rows,
        "Time by label, in ms": lambda rows: [(*row[:4], round(row[4], 3)) for row in rows] == [
            (other, "gemm", 1, 7 / 1e6, 70), (other, "misc", 1, 3 / 1e6, 30), (small, "misc", 42, 40000 / 1e6, 76.922),
            (small, "gemm", 2, 12001 / 1e6, 23.078)],
        "The slowest kernels of a step": lambda rows: len(rows) == 8 and all(row[2:] == (5, 5000 / 1e6) for row in rows),
        "What each decode step is made of": lambda rows: rows == [(small, 1, 3, "misc", 40, 40000 / 1e6, 100)],
        "How long operations wait, by the function that launched them": lambda rows: {
            (row[1], row[3]) for row in rows} == {("cudaGraphLaunch", 40), ("cuLaunchKernel", 1), ("cudaLaunchKernel", 1)},
        "The operations that waited longest": lambda rows: len(rows) == 10 and rows[0] == (50.0, "cudaGraphLaunch", "k7"),
        "Kernels that began between two times, in ms from the first operation of the run": lambda rows: len(rows) == 40 and
            rows[0] == (0.201, 1.0, 0, 7, "misc", "k0"),
        "The share of a module in the time of a run, with all that it encloses": lambda rows: rows == [(small, 1, 10001 / 1e6, 18.7)],
        "The longest idle time of a device before each kernel": lambda rows: rows == [("k0", 190999 / 1e3)],
    }


def check_queries(database):
    queries, tables = documented()
    known = tables_of_runs()
    assert tables and not set(tables) - {*known, "runs", "notes", "info", "columns", "texts"}, set(tables) - set(known)
    expected = shows(queries)
    assert queries.keys() == expected.keys(), queries.keys() ^ expected.keys()
    for title, query in queries.items():
        rows = database.execute(query).fetchall()
        assert rows and expected[title](rows), (title, rows)
    return queries


def check_names(folder):
    """Names of any bytes; dimensions with the names of columns; a run of a file that is not UTF-8."""
    pathlib.Path("odd.kr").write_text(ODD_RULES)
    (folder / os.fsdecode(b"b\xffad.csv")).write_text(OTHER)
    words = ["analyze", "small.json", "other.csv", b"b\xffad.csv", "other.csv", "--rules", "odd.kr"]
    run(*words, "--format", "sqlite", "-o", "odd.sqlite")
    database = check_form("odd.sqlite")
    check_rows(database, words)
    check_sums(database)
    kinds = dict(database.execute("SELECT name, typeof(name) FROM kernels"))
    assert kinds[b"gemm_\xff\xfe"] == "blob" and kinds[b"a\x00nul"] == "blob" and kinds["k0"] == "text"
    assert dict(database.execute("SELECT name, typeof(name) FROM operations")) == kinds
    assert database.execute("SELECT run FROM runs ORDER BY rowid").fetchall() == [
        ("default_e_small_0",), ("default_e_other_1",), (b"default_e_b\xffad_2",), ("default_e_other_3",)]
    assert database.execute("SELECT count(*) FROM operations WHERE run = ?", (b"default_e_b\xffad_2",)).fetchone() == (2,)
    columns = [row[1] for row in database.execute("PRAGMA table_info(operations)")]
    assert {"run_label", "substage", "Kind2", "kind2_2", "Name_2"} <= set(columns), columns
    assert database.execute("SELECT DISTINCT substage, Kind2, kind2_2, run_label, Name_2 FROM operations ORDER BY 1").fetchall() == [
        ("a", "a", "b", "a", "a"), ("b", "b", "a", "b", "b")]


def check_others_stay(first):
    """A file that kr did not write is never replaced, by any verb and under any name."""
    foreign = sqlite3.connect("foreign.sqlite")
    foreign.executescript("CREATE TABLE t (a)")
    foreign.close()
    pathlib.Path("notes.txt").write_text("mine")
    pathlib.Path("short.sqlite").write_bytes(b"SQLite format 3\x00")
    pathlib.Path("link.sqlite").symlink_to("foreign.sqlite")
    for there in ("foreign.sqlite", "notes.txt", "small.json", "short.sqlite", "link.sqlite"):
        before = pathlib.Path(there).read_bytes()
        for words in (["report", "small.json", "--rules", "rules.kr"], ["list", "labels", "--rules", "rules.kr"], ["diff", "rules.kr", "rules.kr"]):
            done = subprocess.run([KR, *words, "--format", "sqlite", "-o", there], capture_output=True)
            assert done.returncode == 2 and before == pathlib.Path(there).read_bytes(), (there, words)
    pathlib.Path("full").mkdir()
    pathlib.Path("full/analysis.sqlite").write_text("mine")
    done = subprocess.run([KR, "analyze", "small.json", "--rules", "rules.kr", "--format", "json,sqlite", "--out-dir", "full"], capture_output=True)
    assert done.returncode == 2 and os.listdir("full") == ["analysis.sqlite"] and pathlib.Path("full/analysis.sqlite").read_text() == "mine"
    # An empty file, and a database of kr with any content, are replaced.
    pathlib.Path("empty.sqlite").write_text("")
    run("list", "labels", "--rules", "rules.kr", "--format", "sqlite", "-o", "list.sqlite")
    for there in ("empty.sqlite", "list.sqlite"):
        run("report", "small.json", "other.csv", "--rules", "rules.kr", "--format", "sqlite", "-o", there)
        assert pathlib.Path(there).read_bytes() == first


def check_selection():
    run("report", "small.json", "--rules", "rules.kr", "--format", "sqlite", "--tables", "labels,steps", "-o", "some.sqlite")
    assert read_back.names_in(check_form("some.sqlite")) == ["runs", "notes", "labels", "steps"]


def check_size():
    """A long name of many operations is stored once."""
    names = [f"void cutlass::Kernel<cutlass_80_tensorop_{'f16_s16816gemm_' * 20}{i}>(Params)" for i in range(50)]
    lines = ["Start (ns),Duration (ns),CorrId,Device,Strm,Name"]
    lines += [f"{1000 * i},{900 + i % 90},{i},GPU (0),7,\"{names[i * 7 % 50]}\"" for i in range(20000)]
    pathlib.Path("long.csv").write_text("\n".join(lines) + "\n")
    run("report", "long.csv", "--rules", "rules.kr", "--format", "sqlite", "-o", "long.sqlite")
    run("classify", "long.csv", "--rules", "rules.kr", "--each", "--format", "csv", "-o", "long_each.csv")
    sizes = [os.path.getsize(name) for name in ("long.sqlite", "long_each.csv")]
    assert sizes[0] * 4 < sizes[1], sizes
    database = check_form("long.sqlite")
    check_rows(database, ["report", "long.csv", "--rules", "rules.kr"])
    check_sums(database)


def main():
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        os.chdir(folder)
        pathlib.Path("small.json").write_bytes(small_trace())
        pathlib.Path("rules.kr").write_text(RULES)
        pathlib.Path("other.csv").write_text(OTHER)
        both = ["small.json", "other.csv", "--rules", "rules.kr"]
        run("report", *both, "--format", "sqlite", "-o", "both.sqlite")
        database = check_form("both.sqlite")
        check_rows(database, ["report", *both])
        check_sums(database)
        queries = check_queries(database)
        missing = {"host_calls", "host_ranges"} - set(read_back.names_in(database))
        assert not missing, missing
        assert database.execute("SELECT phase, step, module FROM operations WHERE name LIKE 'gemm \"%'").fetchall() == [
            ("prefill", None, "Model_0/Attention_0")]
        database.close()

        # The same bytes to every kind of output, and again when an earlier file is replaced.
        first = pathlib.Path("both.sqlite").read_bytes()
        assert run("report", *both, "--format", "sqlite") == first
        run("analyze", *both, "--format", "sqlite,table", "--out-dir", "d")
        assert pathlib.Path("d/analysis.sqlite").read_bytes() == first
        run("report", *both, "--format", "sqlite", "-o", "both.sqlite")
        assert pathlib.Path("both.sqlite").read_bytes() == first
        assert sorted(os.listdir(".")) == ["both.sqlite", "d", "other.csv", "rules.kr", "small.json"]

        check_others_stay(first)
        check_selection()
        check_names(folder)
        check_size()
        for name in REAL:
            if not (DATA / name).exists():
                continue
            path = str(DATA / name)
            run("report", path, "--format", "sqlite", "-o", "real.sqlite")
            database = check_form("real.sqlite")
            check_rows(database, ["report", path])
            check_sums(database)
            there = {*read_back.names_in(database), "columns", "origins"}
            for query in queries.values():
                if there.issuperset(re.findall(r"(?:FROM|JOIN) (\w+)", query)):
                    database.execute(query).fetchall()


if __name__ == "__main__":
    main()
