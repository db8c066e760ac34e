#!/usr/bin/env python3
"""Compares `kr report` for every PyTorch trace of the shared data with the exact numbers in it (ORACLE.tsv):
counts and sums by kind, names, elapsed time, and each device's breakdown. Files that are not traces are refused.

    KR=build/tools/kr/kr tests/oracle/check_kineto.py [FOLDER]
"""
import collections
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results, label_sums, total  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data/kineto")
DEVICE = {"span_ns": "span_ns", "busy_ns": "busy_ns", "compute_ns": "compute_ns", "comm_ns": "communication_ns",
          "exposed_comm_ns": "exposed_communication_ns", "memory_ns": "memory_ns",
          "exposed_mem_ns": "exposed_memory_ns", "idle_ns": "idle_ns", "gpu_events": "operations"}


def report(path):
    done = subprocess.run([os.environ["KR"], "report", str(path), "--format", "json"],
                          capture_output=True, check=False)
    if done.returncode != 0:
        return None, f"exit {done.returncode}: {done.stderr.decode(errors='replace')}"
    return Results(done.stdout), done.stderr.decode()


def check(name, rows, found):
    """The differences, and the number of compared values."""
    wrong, checked = [], 0
    run, devices_of_run = found.run(), found.rows("devices")

    def same(what, got, want):
        nonlocal checked
        checked += 1
        if got != int(want):
            wrong.append(f"{name}: {what}: {got}, expected {want}")

    kinds = collections.defaultdict(lambda: [0, 0])
    names = collections.defaultdict(lambda: [0, 0])
    elapsed = collections.Counter()
    for kernel in found.rows("kernels"):
        memory = kernel["kind"] == "memory"
        elapsed[kernel["name"]] += kernel["elapsed_ns"]
        kinds[memory][0] += kernel["instances"]
        kinds[memory][1] += kernel["total_ns"]
        if not memory:
            names[kernel["name"]][0] += kernel["instances"]
            names[kernel["name"]][1] += kernel["total_ns"]
    communication = total(found.rows("labels", dimension="kind", label="communication"), "instances")
    devices = {str(device["device"]): device for device in devices_of_run}
    memory = [0, 0]
    for metric, key, value in rows:
        if metric in ("count", "sum_ns"):
            column = 0 if metric == "count" else 1
            if key == "kernel":
                same(f"{metric} of kernels", kinds[False][column], value)
            else:
                memory[column] += int(value)
        elif metric in ("top_kernel_sum_ns", "top_kernel_count"):
            column = 0 if metric == "top_kernel_count" else 1
            same(f"{metric} of {key[:60]}", names[key][column], value)
        elif metric == "elapsed_top_ns":
            same(f"{metric} of {key[:60]}", elapsed[key], value)
        elif metric == "distinct_kernel_names":
            same(metric, len(names), value)
        elif metric == "longest_kernel_name":
            same(metric, max(map(len, names), default=0), value)
        elif metric == "comm_kernels":
            same(metric, communication, value)
        elif metric == "devices":
            same(metric, len(devices), value)
        elif metric == "elapsed_total_ns":
            same(metric, run["gpu_elapsed_ns"], value)
        elif metric.removeprefix("device.") in DEVICE and metric.startswith("device."):
            same(f"{metric} {key}", devices.get(key, {}).get(DEVICE[metric.removeprefix("device.")]), value)
    same("count of copies and fills", kinds[True][0], memory[0])
    same("sum of copies and fills", kinds[True][1], memory[1])
    for device in devices_of_run:
        same(f"identity of device {device['device']}",
             device["compute_ns"] + device["exposed_communication_ns"] + device["exposed_memory_ns"] +
             device["idle_ns"], device["span_ns"])
    for what, got, want in label_sums(found):
        same(what, got, want)
    return wrong, checked


def main():
    oracle_file = FOLDER / "ORACLE.tsv"
    if not oracle_file.exists():
        print("skipped: ORACLE.tsv of the shared data does not exist")
        sys.exit(77)
    oracle = collections.defaultdict(list)
    for line in oracle_file.read_text(encoding="utf-8").splitlines()[1:]:
        file, *row = line.split("\t")
        oracle[file].append(row)
    wrong, numbers, files = [], 0, 0
    for name, rows in sorted(oracle.items()):
        path = FOLDER / name
        if not path.exists():
            continue
        files += 1
        found, said = report(path)
        if any(metric == "error" for metric, *_ in rows):
            if found is not None or "exit 2" not in said or "traceEvents" not in said:
                wrong.append(f"{name}: should be refused and explained, got {said or found.runs}")
        elif found is None:
            wrong.append(f"{name}: {said}")
        else:
            differences, checked = check(name, rows, found)
            wrong += differences
            numbers += checked
            run = found.run()
            if run["format"] != "kineto-json":
                wrong.append(f"{name}: read as {run['format']}")
            if run["operations"] == 0 and "no GPU work" not in said:
                wrong.append(f"{name}: no message about missing GPU work")
    print("\n".join(wrong))
    print(f"{files} files, {numbers} numbers, {len(wrong)} differences")
    sys.exit(1 if wrong or files < 10 else 0)


if __name__ == "__main__":
    main()
