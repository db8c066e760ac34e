#!/usr/bin/env python3
"""Compares what kr reads of AMD's profilers with the exact numbers in the shared data (ORACLE.tsv, ORACLE_2026.tsv), and
the tables of one job in all the formats that contain it (decode3*): every pair is equal as far as both have the facts.

    KR=build/tools/kr/kr tests/oracle/check_amd.py [FOLDER]
"""
import bisect
import collections
import csv
import itertools
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results, label_sums  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data/amd")
TABLES = "labels,kernels,operations,devices,streams,steps,launch_matching,host_calls,host_ranges,gpu_metrics"
# Of these kr has no output, for these reasons.
SKIPPED = {
    "schema_version": "kr reads all of them alike",
    "layout": "kr reads both alike",
    "file_order_sorted": "the order of rows has no effect",
    "kind_count": "kr goes by the name, too: kind_by_name_count",
    "kind_ns": "kr goes by the name, too: kind_by_name_ns",
    "optype_count": "types of operations are only read for the kind",
    "optype_ns": "types of operations are only read for the kind",
    "family_count": "sums of name_count",
    "family_ns": "sums of name_ns",
    # 2026
    "rows": "rows of a file are not operations",
    "counter_sum": "values of counters are not read",
    "peak_bytes": "allocations are refused by name",
    "end_bytes": "allocations are refused by name",
    "scratch_ns": "waits for scratch memory are refused by name",
    "Queue_Id": "with device and stream: see Agent_Id",
    "Stream_Id": "kr's streams are queues",
}
OTHER_FILES = re.compile("xplane|pftrace")


def report(path):
    done = subprocess.run([os.environ["KR"], "report", str(path), "--tables", TABLES, "--format", "json"],
                          capture_output=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.decode(errors="replace")
    return Results(done.stdout), done.stderr.decode()


class Found:
    """The tables of one file, as the oracle counts."""

    def __init__(self, tables):
        self.tables = tables
        self.operations = tables.rows("operations")
        self.calls = {row["call_id"]: row for row in tables.rows("host_calls")}
        self.ranges = collections.defaultdict(list)
        for row in tables.rows("host_ranges"):
            self.ranges[row["process"], row["thread"]].append(row)
        for rows in self.ranges.values():
            rows.sort(key=lambda row: (row["start_ns"], -row["end_ns"]))

    def tracer_calls(self):
        for note in self.tables.notes:
            if note["code"] == "calls-of-tracer":
                return int(note["text"].split()[0])
        return 0

    def launched(self):
        """(operation, the call that launched it)."""
        return [(row, self.calls[row["call_id"]]) for row in self.operations if row["call_id"] is not None]

    def markers(self):
        """By range name: operations and their time, to every range around the call, and to the innermost."""
        everywhere = collections.defaultdict(lambda: [0, 0])
        innermost = collections.defaultdict(lambda: [0, 0])
        around = {}
        for operation, call in self.launched():
            if call["call_id"] not in around:
                thread = self.ranges[call["process"], call["thread"]]
                last = bisect.bisect_right([row["start_ns"] for row in thread], call["start_ns"])
                around[call["call_id"]] = [row["name"] for row in thread[:last] if row["end_ns"] > call["start_ns"]]
            names = around[call["call_id"]]
            for name, sums in [(name, everywhere) for name in set(names)] + [(name, innermost) for name in names[-1:]]:
                sums[name][0] += 1
                sums[name][1] += operation["duration_ns"]
        return everywhere, innermost


def sums_by(rows, key, weight):
    sums = collections.defaultdict(lambda: [0, 0])
    for row in rows:
        sums[key(row)][0] += 1
        sums[key(row)][1] += weight(row)
    return sums


def check(name, rows, tables):
    """The differences, and the number of compared values."""
    wrong, checked = [], 0
    found, run = Found(tables), tables.run()

    def same(what, got, want):
        nonlocal checked
        checked += 1
        if str(got) != str(want):
            wrong.append(f"{name}: {what}: {got}, expected {want}")

    duration = lambda row: row["duration_ns"]  # noqa: E731
    operations = found.operations
    kinds = sums_by(operations, lambda row: row["type"], duration)
    names = collections.defaultdict(lambda: [0, 0])
    for row in tables.rows("kernels"):
        names[row["name"]][0] += row["instances"]
        names[row["name"]][1] += row["total_ns"]
    devices = {str(row["device"]): row for row in tables.rows("devices")}
    streams = {f"{row['device']}/{row['stream']}": row for row in tables.rows("streams")}
    launched = found.launched()
    by_call = sums_by(launched, lambda pair: pair[1]["api"], lambda pair: duration(pair[0]))
    graphs = [row for row in found.calls.values() if row["api"] == "hipGraphLaunch"]
    everywhere, innermost = found.markers()
    metrics = {row["key"]: row for row in tables.rows("gpu_metrics", scope="gpu")}
    calls = sums_by(found.calls.values(), lambda row: row["api"], duration)
    ranges = sums_by(tables.rows("host_ranges"), lambda row: row["name"], lambda row: row["end_ns"] - row["start_ns"])
    clock_ns = {key: int(value) for metric, key, value in rows if metric == "clock_ns"}
    for metric, key, value in rows:
        column = 0 if metric.endswith(("count", "ops")) else 1
        if metric in SKIPPED:
            continue
        if metric == "format":
            same(metric, run["format"], value)
        elif metric == "ops":
            same(metric, run["operations"], value)
        elif metric == "first_start_ns":
            same(metric, min(row["start_ns"] for row in operations), value)
        elif metric == "last_end_ns":
            same(metric, max(row["start_ns"] + row["duration_ns"] for row in operations), value)
        elif metric == "span_ns":
            same(metric, run["span_ns"], value)
        elif metric == "zero_ops":
            same(metric, sum(duration(row) == 0 for row in operations), value)
        elif metric == "negative_ops":
            same(metric, sum(duration(row) < 0 for row in operations), value)
        elif metric in ("kind_by_name_count", "kind_by_name_ns"):
            same(f"{metric} {key}", kinds[key][column], value)
        elif metric in ("name_count", "name_ns"):
            same(f"{metric} {key[:60]}", names[key][column], value)
        elif metric == "names":
            same(metric, len(names), value)
        elif metric == "device_count":
            same(f"{metric} {key}", devices[key]["operations"], value)
        elif metric == "device_ns":
            same(f"{metric} {key}", sum(duration(row) for row in operations if str(row["device"]) == key), value)
        elif metric == "device_union_ns":
            same(f"{metric} {key}", devices[key]["busy_ns"], value)
        elif metric in ("queue_count", "queue_ns"):
            stream = streams[key.replace("copy", "0")]
            same(f"{metric} {key}", stream["operations" if column == 0 else "total_ns"], value)
        elif metric == "elapsed_ns":
            same(metric, run["gpu_elapsed_ns"], value)
        elif metric == "linked_ops":
            same(metric, tables.rows("launch_matching")[0]["linked"], value)
        elif metric == "linked_ns":
            same(metric, sum(duration(row) for row, _ in launched), value)
        elif metric in ("launch_api_count", "launch_api_ns"):
            same(f"{metric} {key}", by_call[key][column], value)
        elif metric == "graph_launches":
            same(metric, len(graphs), value)
        elif metric in ("graph_ops", "graph_ns"):
            same(metric, by_call["hipGraphLaunch"][column], value)
        elif metric == "calls":
            same(metric, len(found.calls) + found.tracer_calls(), value)
        elif metric == "ranges":
            same(metric, len(tables.rows("host_ranges")), value)
        elif metric in ("marker_ops", "marker_ns"):
            same(f"{metric} {key}", everywhere[key][column], value)
        elif metric in ("marker_inner_ops", "marker_inner_ns"):
            same(f"{metric} {key}", innermost[key][column], value)
        elif metric == "clock_rows":
            same(f"{metric} {key}", metrics[key]["samples"], value)
        elif metric == "clock_mhz_ns":
            want = int(value) / clock_ns[key] * 1e6
            got = metrics[key]["mean_hz"]
            same(f"mean clock {key}", abs(got - want) < 1e-9 * want, True)
        elif metric == "clock_ns":
            same(f"{metric} {key}", run["span_ns"], value)
        elif metric == "dispatches":
            same(metric, run["operations"], value)
        elif metric == "dispatch_ns":
            same(metric, sum(map(duration, operations)), value)
        elif metric == "kernel_ns":
            same(f"{metric} {key}", names[key][1], value)
        elif metric == "Agent_Id":
            same(f"{metric} {key}", devices[key.split()[-1]]["operations"], value)
        elif metric in ("copy_ops", "copy_ns"):
            same(f"{metric} {key}", names[key][column], value)
        elif metric == "instants":
            same(metric, sum(row["start_ns"] == row["end_ns"] for row in tables.rows("host_ranges")), value)
        elif metric == "of_process":
            same(metric, sum(row["thread"] == "" for row in tables.rows("host_ranges")), value)
        elif metric in ("call_count", "call_ns"):
            same(f"{metric} {key}", calls[key][column] + ranges[key][column], value)
        elif metric == "class":
            continue  # in main
        else:
            wrong.append(f"{name}: unknown metric {metric}")
    if operations:
        for what, got, want in label_sums(tables):
            same(what, got, want)
    return wrong, checked


def read_oracles():
    oracle = collections.defaultdict(list)
    for file in ("ORACLE.tsv", "ORACLE_2026.tsv"):
        if not (FOLDER / file).exists():
            print(f"skipped: {file} of the shared data does not exist")
            sys.exit(77)
        with open(FOLDER / file, encoding="utf-8", newline="") as lines:
            for name, *row in list(csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]:
                oracle[name].append(row)
    return oracle


def of_job(tables):
    """What formats of the same job have in common: names of copies, numbers of devices and queues differ on purpose."""
    def copy(name):
        return re.sub("^MEMORY_COPY_(.*)$", lambda match: "Copy" + match[1].title().replace("_", ""), name)

    def without(row, *columns):
        return {key: value for key, value in row.items() if key not in ("run", "device", "stream", *columns)}

    found = {}
    for table in ("labels", "steps", "launch_matching"):
        found[table] = [without(row) for row in tables.rows(table)]
    # One rule of copies goes by their name.
    found["kernels"] = sorted((without(row, "rule") | {"name": copy(row["name"])} for row in tables.rows("kernels")),
                              key=lambda row: (row["name"], row["type"]))
    found["operations"] = [without(row, "evidence") | {"name": copy(row["name"])} for row in tables.rows("operations")]
    found["devices"] = [without(row, "device_name") for row in tables.rows("devices")]
    found["host_calls"] = [without(row, "correlation", "call_id") for row in tables.rows("host_calls")]
    found["host_ranges"] = [without(row) for row in tables.rows("host_ranges")]
    return found


def check_pairs(jobs):
    wrong, checked = [], 0
    for (first, a), (second, b) in itertools.combinations(sorted(jobs.items()), 2):
        for table in a:
            checked += 1
            if not a[table] and table != "steps":  # no annotation of vLLM names them
                wrong.append(f"{first}: no rows of {table}")
            if a[table] == b[table]:
                continue
            differ = next((pair for pair in itertools.zip_longest(a[table], b[table]) if pair[0] != pair[1]))
            wrong.append(f"{first} and {second} differ in {table}: {differ}")
    return wrong, checked


def main():
    wrong, numbers, files, jobs = [], 0, 0, {}
    for name, rows in sorted(read_oracles().items()):
        if OTHER_FILES.search(name) or not (FOLDER / name).exists():
            continue
        files += 1
        kind = next((value for metric, _, value in rows if metric == "class"), "kernels")
        tables, said = report(FOLDER / name)
        if kind in ("none", "allocations", "scratch"):
            numbers += 1
            if tables is not None or "kernel_trace.csv" not in said:
                wrong.append(f"{name}: should be refused and explained, got {said or tables.runs}")
            continue
        if tables is None:
            wrong.append(f"{name}: {said}")
            continue
        if kind in ("calls", "ranges") and "no GPU work" not in said:
            wrong.append(f"{name}: no message about missing GPU work")
        differences, checked = check(name, rows, tables)
        wrong += differences
        numbers += checked
        if name.startswith("decode3"):
            jobs[name] = of_job(tables)
    differences, checked = check_pairs(jobs)
    wrong += differences
    for line in wrong:
        print(line[:600])
    print(f"{numbers} numbers of {files} files, {checked} tables of pairs: {len(wrong)} wrong")
    sys.exit(1 if wrong or numbers == 0 else 0)


if __name__ == "__main__":
    main()
