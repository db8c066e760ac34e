#!/usr/bin/env python3
"""Traces with many distinct values instead of many rows: processor time grows with the file.

Each case is written with n and with 4n distinct values of one kind: devices, streams, threads, names,
sections, columns, levels, ranges open at once. Quadratic work takes 16 times as long; more
than 8 times, and more than a minimum time, is a failure: n values are tried only if 4n take that time.
Environment: KR is the program; KR_LONG=1 uses ten times as many values (minutes).
"""

import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile

KR = os.environ["KR"]
FACTOR = 4
MOST_RATIO = 8
FLOOR_S = 1.0
SIZE = 50000 if os.environ.get("KR_LONG") else 5000
CASES = []


def case(*verbs, size=1.0, most=None):
    """`size` times as many values as usual; `most`: seconds that the larger may take at all."""
    def add(function):
        CASES.append((function, verbs, size, most))
        return function
    return add


REPORT = ["report", "--format", "json"]
ANALYZE = ["analyze", "--format", "json"]
TREE = ["tree", "--format", "csv"]
PERFETTO = ["report", "--format", "perfetto"]
CLASSIFY = ["classify", "--format", "csv"]
HEAD = "Start (ns),Duration (ns),CorrId,Ctx,Device,Strm,Name\n"


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as out:
        out.write(text)
    return path


# nsys stats as CSV

@case(REPORT, size=40, most=2.0)
def csv_lines_before_the_header(folder, n):
    return write(folder, "t.csv", "a\n" * n * 4 + HEAD + "1,2,3,1,GPU (0),7,k\n")


@case(REPORT)
def csv_lines_after_a_row(folder, n):
    return write(folder, "t.csv", HEAD + "1,2,3,1,GPU (0),7,k\nProcessing [a]\n" * n)


@case(REPORT, size=2)
def csv_reports(folder, n):
    return write(folder, "t.csv", (HEAD + "1,2,3,1,GPU (0),7,k\n\n") * n)


@case(REPORT)
def csv_blank_lines(folder, n):
    return write(folder, "t.csv", HEAD + "1,2,3,1,GPU (0),7,k\n" + "\n" * n * 20)


@case(REPORT, CLASSIFY, size=4)
def csv_devices_without_a_number(folder, n):
    return write(folder, "t.csv", HEAD + "".join(
        f"{i},2,3,1,GPU number {i},7,k\n" for i in range(n)))


@case(REPORT)
def csv_devices(folder, n):
    return write(folder, "t.csv", HEAD + "".join(f"{i},2,3,1,GPU ({i}),7,k\n" for i in range(n)))


@case(REPORT)
def csv_streams(folder, n):
    return write(folder, "t.csv", HEAD + "".join(f"{i},2,3,1,GPU (0),{i},k\n" for i in range(n)))


@case(REPORT, CLASSIFY)
def csv_names(folder, n):
    return write(folder, "t.csv", HEAD + "".join(f"{i},2,3,1,GPU (0),7,k{i}\n" for i in range(n)))


@case(REPORT)
def csv_columns(folder, n):
    head = HEAD.replace(",Name", "".join(f",c{i}" for i in range(n)) + ",Name")
    row = "1,2,3,1,GPU (0),7" + ",0" * n + ",k\n"
    return write(folder, "t.csv", head + row * 3)


@case(REPORT)
def csv_headers_of_other_reports(folder, n):
    return write(folder, "t.csv", HEAD + "1,2,3,1,GPU (0),7,k\n" + "Time (%),Num Calls,Name\n" * n)


@case(PERFETTO)
def csv_operations_at_once(folder, n):
    return write(folder, "t.csv", HEAD + "".join(
        f"{i},{10**9},3,1,GPU (0),7,k\n" for i in range(n)))


# nsys export as SQLite

def export(folder, n, kernels=(), calls=(), ranges=(), more=""):
    path = os.path.join(folder, "t.sqlite")
    if os.path.exists(path):
        os.remove(path)
    base = sqlite3.connect(path)
    base.executescript(
        "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF;"
        "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
        "streamId INTEGER, demangledName INTEGER, correlationId INTEGER, globalPid INTEGER);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, "
        "correlationId INTEGER, nameId INTEGER);"
        "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, globalTid INTEGER, "
        "text TEXT, textId INTEGER, endGlobalTid INTEGER);" + more)
    base.executemany("INSERT INTO StringIds VALUES (?, ?)", [(i, f"name {i}") for i in range(n)])
    base.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,?,?,?,?,?)", kernels)
    base.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,?)", calls)
    base.executemany("INSERT INTO NVTX_EVENTS VALUES (?,?,?,?,?,?,?)", ranges)
    base.commit()
    base.close()
    return path


PID = 1 << 24


@case(REPORT, ANALYZE)
def sqlite_string_ids(folder, n):
    return export(folder, n, [(i, i + 1, 0, 7, i, i, PID) for i in range(n)],
                  [(i, i + 1, PID + 1, i, i) for i in range(n)],
                  [(i, i + 1, 59, PID + 1, None, i, None) for i in range(n)])


@case(REPORT, ANALYZE)
def sqlite_devices(folder, n):
    return export(folder, 1, [(i, i + 1, i, 7, 0, i, PID) for i in range(n)])


@case(REPORT, ANALYZE)
def sqlite_streams_and_threads(folder, n):
    return export(folder, 1, [(2 * i + 1, 2 * i + 2, 0, i, 0, i, PID) for i in range(n)],
                  [(2 * i, 2 * i + 1, PID + i, i, 0) for i in range(n)])


@case(REPORT, ANALYZE)
def sqlite_processes(folder, n):
    return export(folder, 1, [(2 * i + 1, 2 * i + 2, 0, 7, 0, i, PID * (i + 1)) for i in range(n)],
                  [(2 * i, 2 * i + 1, PID * (i + 1), i, 0) for i in range(n)])


@case(ANALYZE, TREE)
def sqlite_ranges_open_at_once(folder, n):
    return export(folder, 1, [(10 * n + i, 10 * n + i + 1, 0, 7, 0, i, PID) for i in range(2 * n)],
                  [(i, i + 1, PID + 1, i, 0) for i in range(2 * n)],
                  [(i, n + i, 60, PID + 1, f"execute_context_{i}", None, PID + 1)
                   for i in range(n)])


@case(ANALYZE, TREE)
def sqlite_ranges_of_a_process_and_its_threads(folder, n):
    return export(folder, 1, [(10 * n + i, 10 * n + i + 1, 0, 7, 0, i, PID) for i in range(n)],
                  [(n + i, n + i + 1, PID + i, i, 0) for i in range(n)],
                  [(i, 10 * n, 60, PID + 1, f"step {i}", None, PID + 2) for i in range(n)])


@case(ANALYZE)
def sqlite_domains(folder, n):
    path = export(folder, n, [(2 * n + i, 2 * n + i + 1, 0, 7, 0, i, PID) for i in range(n)],
                  [(i, i + 1, PID + 1, i, 0) for i in range(n)])
    base = sqlite3.connect(path)
    base.execute("ALTER TABLE NVTX_EVENTS ADD COLUMN domainId INTEGER")
    base.executemany("INSERT INTO NVTX_EVENTS VALUES (?,?,?,?,?,?,?,?)",
                     [(i, i + 1, kind, PID + 1, None, i, None, i) for kind in (59, 75) for i in range(n)])
    base.commit()
    base.close()
    return path


@case(ANALYZE, TREE)
def sqlite_copies_of_graph_nodes(folder, n):
    path = export(folder, 1, calls=[(i, i + 1, PID + 1, i, 0) for i in range(n)],
                  ranges=[(i, n + i, 59, PID + 1, f"{{'Module': 'm.{i % 7}'}}", None, None) for i in range(n)],
                  more="CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start INTEGER, globalTid INTEGER, "
                       "graphNodeId INTEGER, originalGraphNodeId INTEGER);")
    base = sqlite3.connect(path)
    base.execute("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN graphNodeId INTEGER")
    base.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,?,?,?,?,?,?)",
                     [(2 * n + i, 2 * n + i + 1, 0, 7, 0, i // 9, PID, 1 + i % n) for i in range(n)])
    # Every fourth is captured, and the others are copies of the one before.
    base.executemany("INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (?,?,?,?)",
                     [(i, PID + 1, i, i - 1 if i % 4 else None) for i in range(1, n + 1)])
    base.commit()
    base.close()
    return path


@case(REPORT)
def sqlite_tables(folder, n):
    return export(folder, 1, [(1, 2, 0, 7, 0, 1, PID)],
                  more="".join(f"CREATE TABLE t{i} (a);" for i in range(n // 4)))


@case(REPORT, size=0.25)
def sqlite_indices(folder, n):
    return export(folder, n, [(i, i + 1, 0, 7, i, i, PID) for i in range(n)],
                  more="".join(f"CREATE INDEX i{i} ON StringIds (value) WHERE id < 0;"
                               for i in range(n // 20)))


# Kineto

def kineto(folder, events, **more):
    return write(folder, "t.json", json.dumps({**more, "traceEvents": events}))


def kernel(i, start, name="k", device=0, stream=7, duration=1):
    return {"ph": "X", "cat": "kernel", "name": name, "pid": device, "tid": stream, "ts": start,
            "dur": duration, "args": {"device": device, "stream": stream, "correlation": i}}


def call(i, start, pid=1, tid=1):
    return {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": pid, "tid": tid,
            "ts": start, "dur": 1, "args": {"correlation": i}}


def span(name, start, end, cat="python_function", pid=1, tid=1):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": start,
            "dur": end - start}


@case(REPORT, ANALYZE, TREE)
def kineto_names(folder, n):
    return kineto(folder, [kernel(i, i, f"k{i}") for i in range(n)])


@case(REPORT, ANALYZE)
def kineto_devices(folder, n):
    return kineto(folder, [kernel(i, i, device=i) for i in range(n)],
                  deviceProperties=[{"id": i, "name": f"GPU {i}"} for i in range(n)])


@case(REPORT, ANALYZE, PERFETTO, size=2)
def kineto_streams(folder, n):
    return kineto(folder, [kernel(i, i, stream=i) for i in range(n)])


@case(ANALYZE, PERFETTO)
def kineto_threads(folder, n):
    return kineto(folder, [call(i, i, i % 7, i) for i in range(n)] +
                  [kernel(i, n + i) for i in range(n)])


@case(ANALYZE, TREE)
def kineto_range_names(folder, n):
    return kineto(folder, [span(f"step {i}", 2 * i, 2 * i + 2, "user_annotation") for i in range(n)] +
                  [call(i, 2 * i + 1) for i in range(n)] + [kernel(i, 2 * n + i) for i in range(n)])


@case(ANALYZE, TREE)
def kineto_modules_beside_each_other(folder, n):
    return kineto(folder,
                  [span("nn.Module: Model", 0, 9 * n)] +
                  [span(f"nn.Module: M_{i}", 2 * i, 2 * i + 2) for i in range(n)] +
                  [call(i, 2 * i + 1) for i in range(n)] + [kernel(i, 2 * n + i) for i in range(n)])


@case(ANALYZE, TREE)
def kineto_nested_modules(folder, n):
    return kineto(folder, [span(f"nn.Module: M_{i % 3}", i, 9 * n - i) for i in range(n)] +
                  [call(i, 2 * n + i) for i in range(n)] + [kernel(i, 9 * n + i) for i in range(n)])


@case(ANALYZE, TREE)
def kineto_modules_that_overlap(folder, n):
    return kineto(folder, [span(f"nn.Module: M_{i % 3}", i, n + i + 0.5) for i in range(n)] +
                  [call(i, n + i) for i in range(n)] + [kernel(i, 9 * n + i) for i in range(n)])


@case(ANALYZE, PERFETTO)
def kineto_annotations_open_at_once(folder, n):
    return kineto(folder, [span(f"execute_context_{i}(1)_generation_{i}(2)", i, n + i + 0.5,
                                "user_annotation") for i in range(n)] +
                  [call(i, n + i) for i in range(n)] + [kernel(i, 9 * n + i) for i in range(n)])


@case(ANALYZE)
def kineto_one_correlation(folder, n):
    return kineto(folder, [call(1, i) for i in range(n)] + [kernel(1, n + i) for i in range(n)])


@case(PERFETTO)
def kineto_operations_at_once(folder, n):
    return kineto(folder, [kernel(i, i, duration=9 * n) for i in range(n)])


@case(ANALYZE, size=0.75)
def kineto_layers_of_many_sorts(folder, n):
    return kineto(folder, [kernel(i, i, f"k{i // 36}_{i % 4}") for i in range(n)])


@case(REPORT)
def kineto_arguments(folder, n):
    event = kernel(1, 1)
    event["args"].update({f"a{i}": i for i in range(n)})
    return kineto(folder, [event])


@case(REPORT)
def kineto_members(folder, n):
    return kineto(folder, [kernel(1, 1)], **{f"a{i}": {"b": i} for i in range(n)})


# CUPTI folders, ncu, layer-wise profiles

@case(ANALYZE)
def cupti_threads_and_devices(folder, n):
    inner = os.path.join(folder, "cupti")
    os.makedirs(inner, exist_ok=True)
    write(inner, "kernel.csv", "name,start,end,deviceId,streamId,correlationId\n" + "".join(
        f"k{i},{2 * n + i},{2 * n + i + 1},{i},{i},{i}\n" for i in range(n)))
    write(inner, "cuda_runtime.csv", "name,start,end,processId,threadId,correlationId\n" + "".join(
        f"cudaLaunchKernel{i},{i},{i + 1},{i},{i},{i}\n" for i in range(n)))
    return inner


@case(REPORT)
def ncu_kernels_and_metrics(folder, n):
    head = ('"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream",'
            '"Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit",'
            '"Metric Value"\n')
    return write(folder, "t.csv", head + "".join(
        f'"{i}","1","a","h","k{i}","1","7","(1,1,1)","(1,1,1)","{i}","9.0","S{i}","{metric}",'
        f'"ns","{i + 1}"\n' for i in range(n) for metric in ("Duration", f"M{i}")))


@case(TREE)
def layerwise_children(folder, n):
    def node(name, children):
        return {"entry": {"name": name, "cuda_time_us": 1.0, "pct_cuda_time": 1.0,
                          "invocations": 1, "trace": ""}, "children": children}
    leaves = [node(f"kernel{i}", []) for i in range(n)]
    return write(folder, "t.json", json.dumps(
        {"prefill": {"metadata": {"num_running_seqs": 1}, "summary_stats": [node("Model", leaves)],
                     "model_stats": []}}))


MAX_BYTES_PER_STEP = 400  # of which 100 are its own; the rest is room for the allocator
MAX_SAVED_BYTES = 1 << 20


def steps(folder, n, name):
    """`n` ranges, with a launch and a kernel each."""
    return export(folder, 90, [(20 * i + 10, 20 * i + 15, 0, 7, i % 90, i, PID) for i in range(n)],
                  [(20 * i + 2, 20 * i + 4, PID + 1, i, 0) for i in range(n)],
                  [(20 * i, 20 * i + 9, 59, PID + 1, f"{name}_{i % 100}", None, None) for i in range(n)])


def peak_bytes(words):
    child = subprocess.Popen([KR, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss * 1024 if child.returncode == 0 else None


def check_steps(folder):
    """Memory of a step beside that of another range, and a saved run that does not grow with steps."""
    n = 16 * SIZE
    peaks = [peak_bytes(["analyze", steps(folder, n, name), "--tables", "idle,phases"]) for name in ("other", "decode")]
    if None in peaks:
        print("steps: kr failed")
        return 1
    each = (peaks[1] - peaks[0]) / n
    saved = os.path.join(folder, "t.krun")
    failed = peak_bytes(["report", os.path.join(folder, "t.sqlite"), "--format", "csv", "-o",
                         os.path.join(folder, "out.csv"), "--save", saved]) is None
    failed = failed or peak_bytes(["diff", saved, saved]) is None
    size = 0 if failed else os.path.getsize(saved)
    bad = failed or each > MAX_BYTES_PER_STEP or size > MAX_SAVED_BYTES
    print(f"{'LARGE' if bad else 'ok  '} {n} steps: {each:.0f} bytes each, {size} bytes saved")
    return int(bad)


def seconds(verb, path, folder):
    out = ["-o", os.path.join(folder, "out")] if verb is PERFETTO else []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([KR, verb[0], path, *verb[1:], *out], stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, run.returncode,
            run.stderr.decode(errors="replace"))


def main():
    wanted = [word for word in sys.argv[1:] if not word.startswith("--")]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        seconds(REPORT, write(folder, "t.csv", HEAD), folder)  # the rules are compiled once
        for function, verbs, size, most in CASES:
            if wanted and not any(word in function.__name__ for word in wanted):
                continue
            few = int(SIZE * size)
            path = function(folder, few * FACTOR)
            times = {}
            for verb in verbs:
                name = f"{function.__name__} {verb[0]} {verb[-1]}"
                times[name], status, errors = seconds(verb, path, folder)
                if status != 0 and "no start times" not in errors:
                    print(f"{name}: exit {status}: {errors.strip()}")
                    failures += 1
            for verb, (name, taken) in zip(verbs, times.items()):
                of_few = seconds(verb, function(folder, few), folder)[0] if taken > FLOOR_S else None
                slow = of_few is not None and taken > MOST_RATIO * of_few
                slow = slow or (most is not None and SIZE < 10000 and taken > most)
                failures += slow
                print(f"{'SLOW' if slow else 'ok  '} {name}: {taken:.2f} s{f', {of_few:.2f} s' if of_few else ''}")
        if not wanted or "steps" in wanted:
            failures += check_steps(folder)
    sys.exit(1 if failures else 0)


main()
