#!/usr/bin/env python3
"""The database of `--format sqlite`: its sums are those of `kr report --format json`, its references
hold, and docs/exports.md says what is in it, with queries that work.

    KR=build/tools/kr/kr tests/cli/check_sqlite.py
"""
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data"
KR = os.path.abspath(os.environ["KR"])
REAL = ["kineto/vllm_decode_graph.json.gz", "kineto/sglang_prefill.json.gz", "kineto/dlrm_rank1.json.gz",
        "kineto/cpu_only.json.gz", "kineto/v100_resnet_2021_streams.json.gz"]

RULES = """
labels substage { gemm "Matrix products" color "#b40000"
  attn misc }
engine e "E" {
  phases { prefill: "EXTEND"  decode: /DECODE (?<step>\\d+)/ }
  stage { layer: "gemm"  other: otherwise }
  substage { attn: "Attn"  gemm: "gemm"  misc: otherwise }
}
"""


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


def plain(text):
    """A name as JSON has it: bytes that are not UTF-8 as lone surrogates."""
    return text.decode("utf-8", "surrogateescape") if isinstance(text, bytes) else text


def check_sums(database, report):
    query = lambda sql, *values: database.execute(sql, values).fetchall()
    assert [row[0] for row in query("SELECT run FROM runs ORDER BY run_id")] == [one["id"] for one in report["runs"]]
    for run_id, one in enumerate(report["runs"]):
        got = query("SELECT operations, gpu_elapsed_ns, gpu_total_ns, elapsed_ns, non_gpu_ns FROM runs "
                    "WHERE run_id = ?", run_id)[0]
        assert got == tuple(one[key] for key in ("operations", "gpu_elapsed_ns", "gpu_total_ns", "elapsed_ns",
                                                 "non_gpu_ns"))
        assert query("SELECT count(*), coalesce(sum(elapsed_ns), 0), coalesce(sum(duration_ns), 0) FROM operations "
                     "WHERE run_id = ?", run_id)[0] == (one["operations"], one["gpu_elapsed_ns"], one["gpu_total_ns"])
        for dimension, labels in one["labels"].items():
            want = {(label["label"], label["instances"], label["elapsed_ns"], label["total_ns"]) for label in labels}
            rows = query("SELECT label, instances, elapsed_ns, total_ns FROM time_by_label WHERE run = ? AND "
                         "dimension = ?", one["id"], dimension)
            assert {(plain(row[0]), *row[1:]) for row in rows} == want, dimension
        want = sorted((k["name"], k["operation"], k["instances"], k["elapsed_ns"], k["total_ns"], k["min_ns"],
                       k["max_ns"], k["labels"].get("substage")) for k in one["kernels"])
        rows = query("SELECT name, operation, instances, elapsed_ns, total_ns, min_ns, max_ns, substage FROM kernels "
                     "WHERE run = ?", one["id"])
        assert sorted((plain(row[0]), *row[1:-1], plain(row[-1])) for row in rows) == want
        again = query("SELECT name_id, count(*), sum(elapsed_ns), sum(duration_ns), min(duration_ns), "
                      "max(duration_ns) FROM operations WHERE run_id = ? GROUP BY name_id ORDER BY name_id", run_id)
        assert again == query("SELECT name_id, instances, elapsed_ns, total_ns, min_ns, max_ns FROM names "
                              "WHERE run_id = ? ORDER BY name_id", run_id)
        keys = ("device", "operations", "span_ns", "busy_ns", "compute_ns", "communication_ns",
                "exposed_communication_ns", "memory_ns", "exposed_memory_ns", "idle_ns")
        assert query(f"SELECT {', '.join(keys)} FROM devices WHERE run_id = ? ORDER BY device", run_id) == \
            [tuple(device[key] for key in keys) for device in one["devices"]]


def check_analysis(database, analysis):
    query = lambda sql, *values: database.execute(sql, values).fetchall()
    for run_id, one in enumerate(analysis["runs"]):
        steps = [step for step in one["steps"] if step["phase"] != "(outside steps)"]
        rows = query("SELECT phase, step, layer, instances, total_ns FROM steps WHERE run_id = ? AND instances > 0 "
                     "ORDER BY step_id", run_id)
        assert rows == [(s["phase"], s["step"], s["layer"], s["instances"], s["total_ns"])
                        for s in steps if s["instances"] > 0]
        stretches = [layer for layer in one["layers"] if layer["level"] == 0]
        assert query("SELECT count(*), coalesce(sum(total_ns), 0) FROM layers WHERE run_id = ?", run_id)[0] == \
            (sum(layer["repeats"] for layer in stretches), sum(layer["total_ns"] for layer in stretches))
        if one["launches"]:
            rows = query("SELECT api, launches, operations, delay_mean_ns FROM launch_delays WHERE run = ?", one["id"])
            got = {row[0]: row[1:] for row in rows}
            assert got.keys() == {api["api"] for api in one["launches"]["by_api"]}
            for api in one["launches"]["by_api"]:
                launches, operations, mean = got[api["api"]]
                assert (launches, operations) == (api["instances"], api["operations"])
                assert abs(mean - api["delay_mean_ns"]) <= 1e-6 * max(1, abs(mean))
        modules = query("SELECT coalesce(sum(duration_ns), 0) FROM operations WHERE run_id = ? AND "
                        "module_id IS NOT NULL", run_id)[0][0]
        assert modules == one["attribution"]["module_ns"]


def documented():
    """Tables and views with their columns, and the queries, of docs/exports.md."""
    text = (ROOT / "docs" / "exports.md").read_text()
    tables = {}
    for name, columns in re.findall(r"^\| `(\w+)` \| [^|]* \| (.*) \|$", text, re.M):
        columns = re.sub(r"\([^)]*\)", "", columns)
        tables[name] = re.findall(r"`(\w+)`", columns)
    return tables, re.findall(r"```sql\n(.*?)```", text, re.S)


def check_file(path):
    database = sqlite3.connect(path)
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert database.execute("PRAGMA foreign_key_check").fetchall() == []
    assert database.execute("PRAGMA application_id").fetchone()[0] == int.from_bytes(b"krtr", "big")
    assert database.execute("PRAGMA user_version").fetchone()[0] == 1
    tables, queries = documented()
    there = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                                                "AND name NOT LIKE 'sqlite_%'")]
    assert sorted(tables) == sorted(there), (sorted(tables), sorted(there))
    for name in there:
        assert tables[name] == [row[1] for row in database.execute(f"PRAGMA table_info({name})")], name
    rows = [database.execute(query).fetchall() for query in queries]
    return database, rows


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("small.json").write_bytes(small_trace())
        pathlib.Path("rules.kr").write_text(RULES)
        pathlib.Path("other.csv").write_text("Start (ns),Duration (ns),Device,Strm,Name\n5,7,GPU (0),7,gemm\n"
                                             "6,9,GPU (0),7,only here\n")
        both = ["small.json", "other.csv", "--rules", "rules.kr"]
        run("report", *both, "--format", "sqlite", "-o", "both.sqlite")
        database, rows = check_file("both.sqlite")
        assert all(rows), "a query of the documentation shows nothing"
        report = json.loads(run("report", *both, "--format", "json"))
        check_sums(database, report)
        check_analysis(database, json.loads(run("analyze", *both, "--format", "json")))
        kinds = dict(database.execute("SELECT name, typeof(name) FROM names"))
        assert kinds[b"gemm_\xff\xfe"] == "blob" and kinds[b"a\x00nul"] == "blob" and kinds["k0"] == "text"
        assert database.execute("SELECT title, color, rule FROM labels JOIN name_labels USING (label_id) "
                                "WHERE label = 'gemm'").fetchone() == ("Matrix products", "#b40000", "rules.kr:7")
        assert database.execute("SELECT phase, step, module FROM labelled_operations WHERE name LIKE 'gemm \"%'"
                                ).fetchall() == [("prefill", None, "Attention_0")]

        # The same bytes by every way out, and again over the file of before.
        first = pathlib.Path("both.sqlite").read_bytes()
        assert run("report", *both, "--format", "sqlite") == first
        run("analyze", *both, "--format", "sqlite,table", "--out-dir", "d")
        assert pathlib.Path("d/analysis.sqlite").read_bytes() == first
        run("report", *both, "--format", "sqlite", "-o", "both.sqlite")
        assert pathlib.Path("both.sqlite").read_bytes() == first
        assert sorted(os.listdir(".")) == ["both.sqlite", "d", "other.csv", "rules.kr", "small.json"]

        # What kr did not write stays.
        sqlite3.connect("foreign.sqlite").executescript("CREATE TABLE t (a)")
        pathlib.Path("notes.txt").write_text("mine")
        pathlib.Path("empty.sqlite").write_text("")
        for there in ("foreign.sqlite", "notes.txt", "small.json"):
            before = pathlib.Path(there).read_bytes()
            done = subprocess.run([KR, "report", "small.json", "--format", "sqlite", "-o", there], capture_output=True)
            assert done.returncode == 2 and before == pathlib.Path(there).read_bytes(), there
        run("report", *both, "--format", "sqlite", "-o", "empty.sqlite")
        assert pathlib.Path("empty.sqlite").read_bytes() == first

        for name in REAL:
            if not (DATA / name).exists():
                continue
            path = str(DATA / name)
            run("report", path, "--format", "sqlite", "-o", "real.sqlite")
            database, _ = check_file("real.sqlite")
            check_sums(database, json.loads(run("report", path, "--format", "json")))
            check_analysis(database, json.loads(run("analyze", path, "--format", "json")))


if __name__ == "__main__":
    main()
