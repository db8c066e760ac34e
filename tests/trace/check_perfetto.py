#!/usr/bin/env python3
"""A trace that is written for Perfetto and read again has the same rank, world size and backend, and the same tables; and
what Perfetto makes of the file are the same operations, nested as they have to be, with an arrow to each from its launch.

Traces made by this test, and every trace of the shared data (environment KR_SHARED_DATA, or the folder beside
the sources). Environment: KR is the program.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from perfetto import Trace  # noqa: E402
from results import Results  # noqa: E402

KR = os.environ["KR"]
DATA = pathlib.Path(os.environ.get("KR_SHARED_DATA") or
                    pathlib.Path(__file__).resolve().parents[3] / "shared/data")
WANTED = ("rank", "world_size", "backend")
TABLES = "operations,labels,kernels,devices,streams,phases,steps,layers,launches,host_calls,host_ranges"
# Frames of Python are not written.
LEFT_OUT = ("run", "call_site")
TRACES = (".json", ".json.gz", ".sqlite", ".sqlite.gz", ".csv", ".csv.gz", ".db.gz", ".rpd.gz", ".pb.gz")
INFOS = [None, {"rank": 3}, {"world_size": 8}, {"backend": "nccl"},
         {"backend": "gl\"oo", "rank": 0, "world_size": 1}, {"rank": -1, "world_size": 0, "backend": ""},
         {"rank": 2**62, "world_size": 2**62 + 1, "backend": "nccl"}]


def kr(path, *more):
    return subprocess.run([KR, "report", str(path), *more], capture_output=True, check=False)


def about(results):
    """What the run contains about its process."""
    runs = Results(results).runs
    # Each rank of a merged trace is a run, and a file of its own.
    return {key: runs[0][key] for key in WANTED} if len(runs) == 1 else None


def tables(results, ordered):
    """Each row of each table as a text; `ordered`: with labels from neighbours."""
    found = Results(results)
    left_out = {*LEFT_OUT} if ordered else {*LEFT_OUT, "part"}
    return {table: [json.dumps({key: value for key, value in row.items() if key not in left_out}, sort_keys=True)
                    for row in found.rows(table) if ordered or row.get("dimension") != "part"]
            for table in TABLES.split(",") if table in found.tables}


def check_slices(path, results):
    """What Perfetto makes of the file, beside what kr says of the trace that it was made from. Returns what differs."""
    trace, found = Trace(path.read_bytes()), Results(results)
    rows = found.rows("operations")
    first = min([0, *(row["start_ns"] for table in ("operations", "host_calls", "host_ranges") if table in found.tables
                      for row in found.rows(table))])
    wanted = sorted((row["start_ns"] - first, row["duration_ns"], row["type"], row["name"], row["device"], row["stream"])
                    for row in rows)
    got = sorted((one.start, one.end - one.start, one.category.removeprefix("gpu_operation."), one.name,
                  one.arguments["device"], one.arguments["stream"])
                 for one in trace.slices if one.category.startswith("gpu_operation."))
    if got != wanted:
        return f"{len(got)} slices of {len(wanted)} operations, {sum(a != b for a, b in zip(got, wanted))} differ"
    by = trace.attributes["kr.dimension"]
    for one in trace.slices:
        if one.category.startswith("gpu_operation.") and (
                one.parent.category != "label" or one.parent.name != one.arguments["labels"][by] or
                (one.parent.start, one.parent.end) != (one.start, one.end)):
            return f"{one.name} is not in the slice of its label"
    linked = sum(row["call_id"] is not None for row in rows) if rows and "call_id" in rows[0] else 0
    if len(trace.flows) != linked or not all(begin is not None and begin.category.startswith("cuda_") and
                                             begin.arguments.get("correlation") == end.arguments["correlation"]
                                             for begin, end in trace.flows):
        return f"{len(trace.flows)} arrows to {linked} operations"
    return ""


def modules(results):
    """Of each operation in order: its module, what is said of it, and how that is known."""
    rows = Results(results).rows("operations")
    return [(row["module"], row["annotation"], row["evidence"]) for row in rows]


def annotated(folder):
    """A launch of a CUDA graph whose nodes are annotated."""
    def event(category, name, tid, ts, args):
        return {"ph": "X", "cat": category, "name": name, "pid": 0, "tid": tid, "ts": ts, "dur": 1, "args": args}
    events = [event("cuda_runtime", "cudaGraphLaunch", 1, 1, {"correlation": 5})]
    for node, said in enumerate([{"module_fqn": "layers.0.a\"b"}, {"module_fqn": "layers.0", "name": "moe"},
                                 {"autograd_phase": "backward"}, {}], 1):
        events.append(event("kernel", f"k{node}", 7, 10 * node, {"device": 0, "correlation": 5, "graph id": 1,
                                                                 "graph node id": 2**32 + node, **said}))
    path = folder / "annotated.json"
    path.write_text(json.dumps({"cudaGraphInlineAnnotated": True, "traceEvents": events}))
    return path


def check_modules(folder):
    path = annotated(folder)
    tables = ("--tables", "operations")
    before = modules(kr(path, "--format", "json", *tables).stdout)
    assert [row[1] for row in before] == [None, "moe", "autograd_phase=backward", None], before
    assert [row[0] for row in before] == ['layers.0/a"b', "layers.0", None, None], before
    out = folder / "written.pftrace"
    kr(path, "-o", str(out))
    after = modules(kr(out, "--format", "json", *tables).stdout)
    if after != before:
        print(f"modules: {before}, read again {after}")
    return after != before


def made(folder):
    event = {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 1,
             "args": {"device": 0, "stream": 7}}
    for number, info in enumerate(INFOS):
        path = folder / f"made{number}.json"
        more = {} if info is None else {"distributedInfo": info}
        path.write_text(json.dumps({**more, "traceEvents": [event]}))
        yield path


def shared():
    for part in ("kineto", "ranks", "graphs", "nsys", "amd", "annotations", "proton"):
        for path in sorted((DATA / part).rglob("*")):
            if path.name.endswith(TRACES):
                yield path


def main():
    failures = compared = known = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        failures += check_modules(folder)
        for number, path in enumerate([*made(folder), *shared()]):
            out = folder / str(number)
            done = kr(path, "--format", "json,perfetto", "--tables", TABLES, "--out-dir", str(out))
            if done.returncode != 0:
                # Not a trace; or one that cannot be written.
                if kr(path, "--format", "json").returncode == 0:
                    failures += 1
                    print(f"{path}: {done.stderr.decode()}")
                continue
            before = about((out / "result.json").read_bytes())
            if before is None:
                continue
            written = list(out.glob("*.pftrace"))
            again = kr(written[0], "--format", "json", "--tables", TABLES) if len(written) == 1 else None
            after = about(again.stdout) if again is not None and again.returncode == 0 else None
            compared += 1
            known += before["backend"] is not None
            if after != before:
                failures += 1
                print(f"{path}: {before}, read again {after} {done.stderr.decode()}")
                continue
            source = (out / "result.json").read_bytes()
            # Pages of ncu have no order, and so no labels from neighbours.
            ordered = any(row["dimension"] == "part" for row in Results(source).rows("labels"))
            one, other = tables(source, ordered), tables(again.stdout, ordered)
            for table in sorted(one.keys() | other.keys()):
                if one.get(table, []) != other.get(table, []):
                    failures += 1
                    pairs = [pair for pair in zip(one.get(table, []), other.get(table, [])) if pair[0] != pair[1]]
                    print(f"{path}: {table}: {len(one.get(table, []))} rows, read again {len(other.get(table, []))}, "
                          f"{len(pairs)} differ: {pairs[:1]}")
            if wrong := check_slices(written[0], source):
                failures += 1
                print(f"{path}: in Perfetto {wrong}")
            shutil.rmtree(out)
    print(f"{compared} traces, {known} of them with a backend: {failures} differ")
    sys.exit(1 if failures or known < 3 else 0)


main()
