#!/usr/bin/env python3
"""Compares the tables named after reports of `nsys stats` with what nsys printed, byte for byte, and with sums
that are computed here from the SQLite exports of the shared data: whole numbers exactly, others to 1e-9.

    KR=build/tools/kr/kr tests/oracle/check_nsys_stats.py [FOLDER]
"""
import bisect
import collections
import contextlib
import csv
import decimal
import io
import itertools
import math
import os
import pathlib
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data/nsys")
PROCESS = ~0xFFFFFF
failures = []


def fail(what):
    failures.append(what)
    print(what[:600], file=sys.stderr)


def kr(path, table, *more):
    done = subprocess.run([os.environ["KR"], "analyze", str(path), "--tables", table, "--format", "csv", *more],
                          capture_output=True, check=False)
    if done.returncode != 0:
        fail(f"{path.name} {table}: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode()


TABLES = ("cuda_gpu_sum,cuda_gpu_kern_sum,cuda_gpu_kern_gb_sum,cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum,cuda_api_sum,"
          "cuda_api_gpu_sum,cuda_kern_exec_sum,cuda_kern_exec_trace,nvtx_sum,nvtx_pushpop_sum,nvtx_kern_sum,nvtx_gpu_proj_sum")


def tables_of(path):
    """All tables of one run, by name; absent ones are not there."""
    with tempfile.TemporaryDirectory() as folder:
        kr(path, TABLES, "--out-dir", folder)
        return {file.stem: list(csv.DictReader(io.StringIO(file.read_text(), newline="")))
                for file in pathlib.Path(folder).glob("*.csv")}


# What nsys printed.

def in_ns(reference):
    """A report in us, which is exact, as the same report in ns."""
    rows = list(csv.reader(io.StringIO(reference)))
    times = [i for i, title in enumerate(rows[0]) if "(us)" in title]
    rows[0] = [title.replace("(us)", "(ns)") for title in rows[0]]
    for row in rows[1:]:
        for i in times:
            row[i] = str(int(decimal.Decimal(row[i]) * 1000))
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def without_sizes(printed):
    """Without sizes, which nsys prints rounded, and what comes from them."""
    rows = list(csv.reader(io.StringIO(printed)))
    left_out = ("StcSMem", "DymSMem", "Bytes", "Throughput", "SrcMemKd", "DstMemKd")
    kept = [i for i, title in enumerate(rows[0]) if not title.startswith(left_out)]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([[row[i] for i in kept] for row in rows])
    return out.getvalue()


def without_preamble(text):
    """What `-o -` prints: notices before the header, a blank line at the end."""
    at = text.index("Start (ns)")
    return text[at:].rstrip("\n") + "\n"


NOW, IN_2022 = "--nsys-names", "--nsys-names=2022"
# The file that kr reads, its option, the table by the name of the report, what nsys printed, how that is changed before
# it is compared, and how many lines of what kr prints are.
REFERENCES = [
    ("mfu_2gpu_after.sqlite", NOW, "cuda_gpu_kern_sum", "mfu_2gpu_after.cuda_gpu_kern_sum.2023.4.csv", None, None),
    ("mfu_2gpu_after.sqlite", NOW, "gpukernsum", "mfu_2gpu_after.gpukernsum.2022.4.csv", None, None),
    ("mfu_2gpu_after.sqlite", IN_2022, "gpukernsum", "mfu_2gpu_after.gpukernsum.2022.4.csv", None, None),
    # The trace that nsys printed has the same sums, as far as it has names, times, grids and blocks.
    ("mfu_2gpu_after.cuda_gpu_trace.2023.4.csv", NOW, "cuda_gpu_kern_sum",
     "mfu_2gpu_after.cuda_gpu_kern_sum.2023.4.csv", None, None),
    ("mfu_2gpu_after.cuda_gpu_trace.2023.4.csv", IN_2022, "gpukernsum",
     "mfu_2gpu_after.gpukernsum.2022.4.csv", None, None),
    ("mfu_2gpu_after.sqlite", NOW, "cuda_gpu_trace", "mfu_2gpu_after.cuda_gpu_trace.2023.4.csv", None, None),
    ("mfu_2gpu_after.sqlite", NOW, "cuda_kern_exec_trace",
     "mfu_2gpu_after.cuda_kern_exec_trace.head300.2023.4.csv", None, 301),
    ("balinski_report16.sqlite", NOW, "cuda_gpu_trace",
     "balinski_report16.cuda_gpu_trace.stdout.2023.4.csv", without_preamble, None),
    ("power_iteration__baseline.sqlite", NOW, "cuda_gpu_trace",
     "power_iteration.cuda_gpu_trace.us.2023.4.csv", in_ns, None),
    ("gaussian_report5.sqlite", IN_2022, "gputrace", "gaussian_report5.gputrace.2022.4.csv", None, None),
    ("mordred_report1.sqlite", IN_2022, "gputrace", "mordred_report1.gputrace.2022.4.csv", None, None),
    # Printed from what nsys printed: without the columns that are rounded there.
    ("gaussian_report5.gputrace.2022.4.csv", IN_2022, "gputrace",
     "gaussian_report5.gputrace.2022.4.csv", without_sizes, None),
    ("mordred_report1.gputrace.2022.4.csv", IN_2022, "gputrace",
     "mordred_report1.gputrace.2022.4.csv", without_sizes, None),
    ("mordred_report0705.gputrace.2023.4.csv", NOW, "gputrace",
     "mordred_report0705.gputrace.2023.4.csv", without_sizes, None),
    ("vecadd4.cuda_gpu_trace.2023.4.csv", NOW, "cuda_gpu_trace",
     "vecadd4.cuda_gpu_trace.2023.4.csv", without_sizes, None),
]


def check_references():
    for source, option, table, reference, change, lines in REFERENCES:
        want = (FOLDER / reference).read_text()
        got = kr(FOLDER / source, table, option)
        if change is without_sizes:
            got = without_sizes(got)
        if change:
            want = change(want)
        if lines:
            got = "".join(got.splitlines(keepends=True)[:lines])
        if got == want:
            continue
        pairs = zip(got.splitlines(), want.splitlines())
        at = next((f"line {i}:\n  {a}\n  {b}" for i, (a, b) in enumerate(pairs, 1) if a != b), "the number of lines")
        fail(f"{reference}: differs from what {option} prints at {at}")


# What the exports hold.

class Export:
    def __init__(self, path):
        self.path, self.found = path, tables_of(path)
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        names = self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        self.tables = {name for (name,) in names}
        self.strings = dict(self.db.execute("SELECT id, value FROM StringIds"))
        self.labels = dict(enumerate(["Unknown", "Host-to-Device", "Device-to-Host", "Host-to-Array",
                                      "Array-to-Host", "Array-to-Array", "Array-to-Device", "Device-to-Array",
                                      "Device-to-Device", "Host-to-Host", "Peer-to-Peer"]))
        if "ENUM_CUDA_MEMCPY_OPER" in self.tables:
            self.labels.update(self.db.execute("SELECT id, label FROM ENUM_CUDA_MEMCPY_OPER"))
        self.kernels = self.read("KERNEL", "start, end, demangledName, correlationId, globalPid, deviceId, "
                                 "gridX, gridY, gridZ, blockX, blockY, blockZ")
        self.copies = self.read("MEMCPY", "start, end, copyKind, correlationId, globalPid, bytes")
        self.sets = self.read("MEMSET", "start, end, 0, correlationId, globalPid, bytes")
        self.calls = self.read("RUNTIME", "start, end, nameId, correlationId, globalTid")
        self.ranges = []
        if "NVTX_EVENTS" in self.tables:
            self.ranges = [(start, end, self.strings[text_id] if text is None else text, tid)
                           for start, end, text, text_id, tid in self.db.execute(
                               "SELECT start, end, text, textId, globalTid FROM NVTX_EVENTS "
                               "WHERE eventType IN (59, 60, 70, 71)")]
        self.call_of = {(correlation, tid & PROCESS): (start, end, name, tid)
                        for start, end, name, correlation, tid in self.calls}

    def read(self, table, columns):
        name = f"CUPTI_ACTIVITY_KIND_{table}"
        return list(self.db.execute(f"SELECT {columns} FROM {name}")) if name in self.tables else []

    def operations(self):
        """(name, start, end, correlation, process, bytes) of all."""
        for start, end, name, correlation, process, *_ in self.kernels:
            yield self.strings[name], start, end, correlation, process, None
        for start, end, kind, correlation, process, size in self.copies:
            yield f"[CUDA memcpy {self.labels[kind]}]", start, end, correlation, process, size
        for start, end, _, correlation, process, size in self.sets:
            yield "[CUDA memset]", start, end, correlation, process, size

    def function(self, name_id):
        """The function without its version, and the version."""
        found = re.fullmatch(r"(.*?)(?:_(v\d+))?", self.strings[name_id])
        return found[1], found[2] or ""


class Groups:
    """Values by key, as a table has to show them."""

    def __init__(self):
        self.values = collections.defaultdict(list)

    def add(self, key, value):
        self.values[key].append(value)

    def spread(self, key, unit, prefix="", count="instances"):
        values = self.values.get(key, [])
        total = {f"total_{unit}": sum(values), count: len(values)} if not prefix else {}
        if not values:
            return total | {f"{prefix}{what}_{unit}": "" for what in ("mean", "median", "min", "max", "stddev")}
        return total | {f"{prefix}mean_{unit}": sum(values) / len(values),
                        f"{prefix}median_{unit}": float(statistics.median(values)),
                        f"{prefix}min_{unit}": min(values), f"{prefix}max_{unit}": max(values),
                        f"{prefix}stddev_{unit}": deviation(values)}


def deviation(values):
    """Of the sample, from whole numbers."""
    count, total = len(values), sum(values)
    if count < 2:
        return 0.0
    return math.sqrt((count * sum(value * value for value in values) - total * total) / (count * (count - 1)))


def same(got, want):
    if isinstance(want, float):
        # Six decimals are printed.
        return math.isclose(float(got), want, rel_tol=1e-9, abs_tol=1e-6)
    return got == str(want)


def compare(export, table, key_columns, want):
    """`want`: the columns of each row, by its key."""
    if not want:
        return
    path, rows = export.path, export.found.get(table, [])
    got = {tuple(row[column] for column in key_columns): row for row in rows}
    if len(got) != len(rows):
        fail(f"{path.name} {table}: a key has two rows")
    if got.keys() != want.keys():
        return fail(f"{path.name} {table}: keys differ: {list(got.keys() ^ want.keys())[:2]}")
    for key, columns in want.items():
        wrong = [(name, got[key][name], value) for name, value in columns.items() if not same(got[key][name], value)]
        if wrong:
            return fail(f"{path.name} {table}: {key}: {wrong[0]}")
    return len(rows)


def sums(groups, unit="ns", count="instances"):
    return {key: groups.spread(key, unit, count=count) for key in groups.values}


def with_share(want):
    total = sum(columns["total_ns"] for columns in want.values())
    for columns in want.values():
        columns["share"] = columns["total_ns"] / total
    return want


def check_operations(path, export):
    by_name, kernels, shaped, copies, sizes = (Groups() for _ in range(5))
    for name, start, end, _, _, size in export.operations():
        by_name.add((name,), end - start)
        if size is None:
            kernels.add((name,), end - start)
        else:
            copies.add((name,), end - start)
            sizes.add((name,), size)
    for start, end, name, _, _, _, *shape in export.kernels:
        shaped.add((export.strings[name], *map(str, shape)), end - start)
    compare(export, "cuda_gpu_sum", ["name"], with_share(sums(by_name)))
    compare(export, "cuda_gpu_kern_sum", ["name"], with_share(sums(kernels)))
    compare(export, "cuda_gpu_kern_gb_sum", ["name", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z"],
            with_share(sums(shaped)))
    compare(export, "cuda_gpu_mem_time_sum", ["name"], with_share(sums(copies)))
    compare(export, "cuda_gpu_mem_size_sum", ["name"], sums(sizes, "bytes"))


def check_calls(path, export):
    calls, all_ = Groups(), Groups()
    for start, end, name, _, _ in export.calls:
        function, version = export.function(name)
        calls.add((function, version), end - start)
        all_.add((function, version, "CUDA_API"), end - start)
    for name, start, end, *_, size in export.operations():
        all_.add((name, "", "CUDA_KERNEL" if size is None else "MEMORY_OPER"), end - start)
    compare(export, "cuda_api_sum", ["api", "version"], with_share(sums(calls, count="calls")))
    compare(export, "cuda_api_gpu_sum", ["name", "version", "category"], with_share(sums(all_)))


def check_executions(path, export):
    parts = {part: Groups() for part in ("total", "api", "queue", "kernel")}
    trace = collections.Counter()
    for start, end, name, correlation, process, device, *shape in export.kernels:
        call = export.call_of.get((correlation, process))
        if call is None:
            continue
        api_start, api_end, function, tid = call
        pid, thread = str(tid >> 24 & 0xFFFFFF), str(tid & 0xFFFFFF)
        queue = start - api_end if start >= api_end else None
        total = max(api_end, end) - api_start
        key = (pid, thread, str(device), *export.function(function), export.strings[name])
        parts["total"].add(key, total)
        parts["api"].add(key, api_end - api_start)
        parts["kernel"].add(key, end - start)
        if queue is not None:
            parts["queue"].add(key, queue)
        trace[tuple(map(str, (api_start, api_end - api_start, "" if queue is None else api_end,
                              "" if queue is None else queue, start, end - start, total, *key, *shape)))] += 1
    want = {}
    for key in parts["total"].values:
        want[key] = {"instances": len(parts["total"].values[key]), "queued": len(parts["queue"].values.get(key, []))}
        for part, groups in parts.items():
            want[key] |= groups.spread(key, "ns", prefix=part + "_")
    compare(export, "cuda_kern_exec_sum", ["pid", "tid", "device", "api", "version", "name"], want)
    columns = ["api_start_ns", "api_duration_ns", "queue_start_ns", "queue_ns", "start_ns", "duration_ns", "total_ns",
               "pid", "tid", "device", "api", "version", "name",
               "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z"]
    got = collections.Counter(tuple(row[column] for column in columns)
                              for row in export.found.get("cuda_kern_exec_trace", []))
    if got != trace:
        fail(f"{path.name} cuda_kern_exec_trace: {list((got - trace) + (trace - got))[:2]}")


class Holders:
    """Ranges (start, end, …) of one thread, asked for those that hold an interval as a whole."""

    def __init__(self, ranges):
        self.ranges = sorted(ranges, key=lambda one: (one[0], -one[1]))
        self.starts = [one[0] for one in self.ranges]
        self.last_ends = list(itertools.accumulate((one[1] for one in self.ranges), max))

    def around(self, start, end):
        at, found = bisect.bisect_right(self.starts, start), []
        while at > 0 and self.last_ends[at - 1] >= end:
            at -= 1
            if self.ranges[at][1] >= end:
                found.append(self.ranges[at])
        return found


def check_ranges(path, export):
    if not export.ranges:
        return
    # Domains of ranges do not take part: a text of two domains is one here.
    texts, kernels, projected = Groups(), Groups(), Groups()
    by_thread = collections.defaultdict(list)
    for number, (start, end, text, tid) in enumerate(export.ranges):
        texts.add((text,), end - start)
        by_thread[tid].append((start, end, text, number))
    holders = {tid: Holders(ranges) for tid, ranges in by_thread.items()}
    span, inside, instances = {}, collections.Counter(), collections.defaultdict(set)
    for name, start, end, correlation, process, size in export.operations():
        call = export.call_of.get((correlation, process))
        found = []
        if call is not None:
            found = holders[call[3]].around(call[0], call[1]) if call[3] in holders else []
        for _, _, text, number in found:
            first, last = span.get(number, (start, end))
            span[number] = (min(first, start), max(last, end))
            inside[number] += 1
        if size is not None:
            continue
        thread = ("", "") if call is None else (str(call[3] >> 24 & 0xFFFFFF), str(call[3] & 0xFFFFFF))
        for key in [(text, *thread, name) for _, _, text, _ in found] or [("", *thread, name)]:
            kernels.add(key, end - start)
        for _, _, text, number in found:
            instances[(text, *thread, name)].add(number)
    want = sums(kernels)
    for key, columns in want.items():
        del columns["instances"]
        columns["ranges"] = len(instances[key])
    compare(export, "nvtx_kern_sum", ["name", "pid", "tid", "kernel"], want)
    compare(export, "nvtx_sum", ["name"], with_share(sums(texts)))
    compare(export, "nvtx_pushpop_sum", ["name"], with_share(sums(texts)))
    more = collections.defaultdict(lambda: [0, 0, 0, 0])
    for number, (first, last) in span.items():
        start, end, text, tid = export.ranges[number]
        projected.add((text,), last - first)
        enclosing = [one for one in holders[tid].around(start, end) if one[3] != number]
        direct = max(enclosing, key=lambda one: (one[0], -one[1]), default=None)
        for place, value in enumerate((end - start, inside[number], len(enclosing))):
            more[text][place] += value
        if direct is not None:
            more[direct[2]][3] += 1
    want = sums(projected)
    for (text,), columns in want.items():
        length, operations, levels, children = more[text]
        columns |= {"range_ns": length, "operations": operations,
                    "operations_mean": operations / columns["instances"],
                    "level_mean": levels / columns["instances"], "children_mean": children / columns["instances"]}
    compare(export, "nvtx_gpu_proj_sum", ["name"], want)


def main():
    if not FOLDER.is_dir():
        print(f"skipped: no folder {FOLDER}")
        return 77
    check_references()
    exports = sorted(FOLDER.glob("*.sqlite"))
    for path in exports:
        export = Export(path)
        with contextlib.closing(export.db):
            check_operations(path, export)
            check_calls(path, export)
            check_executions(path, export)
            check_ranges(path, export)
    print(f"{len(REFERENCES)} references and {len(exports)} exports: "
          f"{'all the same' if not failures else f'{len(failures)} differ'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
