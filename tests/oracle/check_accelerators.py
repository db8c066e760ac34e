#!/usr/bin/env python3
"""Compares `kr report` of traces of XPUs, Ascend NPUs and MTIA in the shared data with the exact numbers in them
(ORACLE.tsv): operations and sums by kind, device, stream, name, and the calls that launched them.

    KR=build/tools/kr/kr tests/oracle/check_accelerators.py [FOLDER]
"""
import collections
import csv
import gzip
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results, label_sums, total  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data/accelerators")
FORMATS = {"ascend-trace-view": "ascend-json", "ascend-kernel-details": "ascend-csv", "mtia": "kineto-json",
           "xpu": "kineto-json"}
# What kr has no output for, and why.
WITHOUT_OUTPUT = {
    "rows": "rows by process or file: most are no operations",
    "not_work": "waits and signals are no operations, and not counted",
    "type_ops": "types of tasks are read only to tell work from signals", "type_ns": "as type_ops",
    "core_ops": "as type_ops", "core_ns": "as type_ops",
    "wait_ns": "the wait before a task is not read",
    "counter_samples": "counters are not operations",
    "collective_comm_host": "the host's part of a collective is not read",
    "syncs": "records of waits are not read",
    "device_calls": "rows of queues on the device are not calls of the host",
}

# Of these ops the one around them has a cost clause, to which its operations belong.
COSTED = {"aclnnRelu": "aten::relu", "aclnnSqrt": "aten::sqrt"}


def base_ns(path):
    if ".json" not in path.name:
        return 0
    with gzip.open(path, "rt", encoding="utf-8") as file:
        found = json.load(file)
    return found.get("baseTimeNanoseconds", 0) if isinstance(found, dict) else 0


def sums(operations, key):
    found = collections.defaultdict(lambda: [0, 0])
    for one in operations:
        found[str(key(one))][0] += 1
        found[str(key(one))][1] += one["duration_ns"]
    return found


def check(path, rows):
    done = subprocess.run([os.environ["KR"], "report", str(path), "--format", "json", "--tables",
                           "operations,host_calls,launch_matching,labels,cuda_gpu_mem_size_sum,cost_gaps"],
                          capture_output=True, check=True)
    found = Results(done.stdout)
    run, operations = found.run(), found.rows("operations")
    calls = {call["call_id"]: call["api"] for call in found.rows("host_calls")}
    linked = found.rows("launch_matching")
    kinds = sums(operations, lambda one: one["type"])
    # A collective of the table is a kernel that communicates.
    is_table = ".csv" in path.name
    by = {"kind": sums(operations, lambda one: "comm" if is_table and one["kind"] == "communication" else one["type"]),
          "dev": sums(operations, lambda one: one["device"]),
          "stream": sums(operations, lambda one: one["stream"]),
          "name": sums(operations, lambda one: one["name"]),
          "call": sums(operations, lambda one: calls.get(one.get("call_id"), ""))}
    ops = by["op"] = collections.defaultdict(lambda: [0, 0])
    for gap in found.rows("cost_gaps"):
        if gap["instances"] is not None:
            ops[gap["op"]][0] += gap["instances"]
            ops[gap["op"]][1] += gap["total_ns"]
    base = base_ns(path)
    wrong, checked, skipped = [], 0, 0

    def same(what, got, want):
        nonlocal checked
        checked += 1
        if got != want:
            wrong.append(f"{path.name}: {what}: {got}, expected {want}")

    for metric, key, value in rows:
        # Without an arrow from its op, an operation belongs to the op around its launch.
        if metric in WITHOUT_OUTPUT or (metric in ("op_ops", "op_ns") and not key):
            skipped += 1
        elif metric == "format":
            same(metric, run["format"], FORMATS[value])
        elif metric == "ops":
            same(metric, len(operations), int(value))
        elif metric == "first_start_ns":
            same(metric, min(one["start_ns"] for one in operations) + base, int(value))
        elif metric == "last_end_ns":
            same(metric, max(one["start_ns"] + one["duration_ns"] for one in operations) + base, int(value))
        elif metric == "total_ns":
            same(metric, run["gpu_total_ns"], int(value))
        elif metric == "elapsed_ns":
            same(metric, run["gpu_elapsed_ns"], int(value))
        elif metric == "linked_ops":
            same(metric, linked[0]["linked"] if linked else 0, int(value))
        elif metric == "bytes":
            same(metric, total(found.rows("cuda_gpu_mem_size_sum"), "total_bytes"), int(value))
        elif metric == "names":
            same(metric, len(by["name"]), int(value))
        elif metric == "equal_rows":
            equal = collections.Counter((one["name"], one["start_ns"], one["duration_ns"], one["stream"])
                                        for one in operations)
            same(metric, sum(count - 1 for count in equal.values()), int(value))
        elif metric == "repeated_as_metrics":
            notes = [note for note in found.notes if "there again with its metrics" in note["text"]]
            same(metric, sum(note["count"] for note in notes), int(value))
        elif metric.endswith(("_ops", "_ns")):
            what, column = metric.rsplit("_", 1)
            # What has no stream is on stream 0.
            key = "0" if what == "stream" and key == "N/A" else key
            key = COSTED.get(key, key) if what == "op" else key
            same(f"{metric} of {key[:60]}", by[what][key][0 if column == "ops" else 1], int(value))
        else:
            same(f"no check of {metric}", None, value)
    for what, got, want in label_sums(found):
        same(what, got, want)
    same("operations by type", sum(count for count, _ in kinds.values()), run["operations"])
    return wrong, checked, skipped


def main():
    if not (FOLDER / "ORACLE.tsv").exists():
        print(f"no {FOLDER}/ORACLE.tsv: nothing to compare")
        return 77
    wanted = collections.defaultdict(list)
    with open(FOLDER / "ORACLE.tsv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            wanted[row["file"]].append((row["metric"], row["key"], row["value"]))
    wrong, checked, skipped = [], 0, 0
    for name, rows in wanted.items():
        differences, compared, without = check(FOLDER / name, rows)
        wrong += differences
        checked += compared
        skipped += without
    print("\n".join(wrong) or f"{checked} values of {len(wanted)} traces agree; kr has no output for {skipped}")
    return 1 if wrong or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
