#!/usr/bin/env python3
"""A trace that is written for viewers and read again has the same rank, world size and backend, and its operations are
in the same modules.

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
from results import Results  # noqa: E402

KR = os.environ["KR"]
DATA = pathlib.Path(os.environ.get("KR_SHARED_DATA") or
                    pathlib.Path(__file__).resolve().parents[3] / "shared/data")
WANTED = ("rank", "world_size", "backend")
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
    out = folder / "written.json"
    kr(path, "--format", "perfetto", "-o", str(out))
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
    for part in ("kineto", "ranks", "graphs", "nsys", "amd"):
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
            done = kr(path, "--format", "json,perfetto", "--out-dir", str(out))
            if done.returncode != 0:
                # Not a trace; or one that cannot be written.
                if kr(path, "--format", "json").returncode == 0:
                    failures += 1
                    print(f"{path}: {done.stderr.decode()}")
                continue
            before = about((out / "result.json").read_bytes())
            if before is None:
                continue
            written = list(out.glob("*.trace.json.gz"))
            again = kr(written[0], "--format", "json") if len(written) == 1 else None
            after = about(again.stdout) if again is not None and again.returncode == 0 else None
            compared += 1
            known += before["backend"] is not None
            if after != before:
                failures += 1
                print(f"{path}: {before}, read again {after} {done.stderr.decode()}")
            shutil.rmtree(out)
    print(f"{compared} traces, {known} of them with a backend: {failures} differ")
    sys.exit(1 if failures or known < 3 else 0)


main()
