#!/usr/bin/env python3
"""Compares `kr report` for every cuda_gpu_trace CSV and SQLite export of the shared data with the exact
numbers in it (ORACLE.tsv): operations, names, sums, elapsed time by name, and each device's identity; NVTX ranges
and what was launched in them.

    KR=build/tools/kr/kr tests/oracle/check_nsys.py [FOLDER]
"""
import collections
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results, label_sums  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data/nsys")
KINDS = {"cuda_gpu_trace.csv", "nsys-sqlite"}
# The reference numbers spell copies as nsys 2022 does, kr as 2023 and later do.
SPELLINGS = {"HtoD": "Host-to-Device", "DtoH": "Device-to-Host", "DtoD": "Device-to-Device",
             "PtoP": "Peer-to-Peer", "HtoH": "Host-to-Host"}


def spelled(name):
    """A copy's name in the long form, the same for `Unified Memory memcpy X` and `memcpy Unified X`."""
    if not name.startswith("[CUDA "):
        return name
    for short, long in SPELLINGS.items():
        name = name.replace(short, long)
    return name.replace("[CUDA Unified Memory memcpy ", "[CUDA memcpy Unified ")


def report(path):
    done = subprocess.run([os.environ["KR"], "report", str(path), "--format", "json"],
                          capture_output=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.decode(errors="replace")
    return Results(done.stdout), ""


def check(name, expected, found):
    wrong = []
    run, devices = found.run(), found.rows("devices")

    def same(what, got, want):
        if got != want:
            wrong.append(f"{name}: {what}: {got}, expected {want}")

    names = collections.defaultdict(lambda: [0, 0, 0])
    for kernel in found.rows("kernels"):
        row = names[spelled(kernel["name"])]
        for i, key in enumerate(("elapsed_ns", "total_ns", "instances")):
            row[i] += kernel[key]
    same("events", run["operations"], int(expected["events"]))
    same("elapsed", run["gpu_elapsed_ns"], int(expected["elapsed_total_ns"]))
    same("names", len(names), int(expected["names"]))
    same("total", run["gpu_total_ns"], sum(int(expected[k]) for k in ("kernel_ns", "memcpy_ns", "memset_ns")))
    same("devices", len(devices), int(expected["devices"]))
    for top, column in (("elapsed_top5", 0), ("duration_top5", 1)):
        for entry in json.loads(expected[top]):
            same(f"{top} {entry[0][:60]}", names[spelled(entry[0])][column], entry[1])
            same(f"{top} instances of {entry[0][:60]}", names[spelled(entry[0])][2], entry[-1])
    for key, want in json.loads(expected["per_device"]).items():
        number = int(key.rsplit("(", 1)[1].rstrip(")")) if "(" in key else int(key)
        device = next((d for d in devices if d["device"] == number), None)
        if device is None:
            wrong.append(f"{name}: no device {number}")
            continue
        same(f"device {number} operations", device["operations"], want["events"])
        same(f"device {number} busy", device["busy_ns"], want["A"])
        same(f"device {number} span", device["span_ns"], want["span"])
        same(f"device {number} idle", device["idle_ns"], want["idle_in_span"])
        same(f"device {number} kernels", device["compute_ns"] + device["exposed_communication_ns"],
             want["U"])
        same(f"device {number} identity", device["span_ns"],
             device["compute_ns"] + device["exposed_communication_ns"] + device["exposed_memory_ns"] +
             device["idle_ns"])
    for what, got, want in label_sums(found):
        same(what, got, want)
    return wrong


def tables(path, *names):
    """Rows of tables of `kr analyze`."""
    done = subprocess.run([os.environ["KR"], "analyze", str(path), "--format", "jsonl", "--tables", ",".join(names)],
                          capture_output=True, check=True)
    rows = {name: [] for name in names}
    for line in done.stdout.decode("utf-8", "surrogateescape").splitlines():
        row = json.loads(line)
        if row["table"] in rows:
            rows[row["table"]].append(row)
    return [rows[name] for name in names]


def enclosing_by_kernel(operations, calls, ranges):
    """(duration, texts of the ranges of its thread that hold its launch, outermost first) of each kernel."""
    by_thread = collections.defaultdict(list)
    for row in ranges:
        by_thread[row["process"], row["thread"]].append(row)
    for rows in by_thread.values():
        rows.sort(key=lambda row: (row["start_ns"], -row["end_ns"]))
    launched = collections.defaultdict(list)
    for row in operations:
        if row["type"] == "kernel" and row["call_id"] is not None:
            call = calls[row["call_id"]]
            launched[call["process"], call["thread"]].append((call["start_ns"], row["duration_ns"]))
    for thread, kernels in launched.items():
        rows, at, opened = by_thread[thread], 0, []
        for start, duration in sorted(kernels):
            while at < len(rows) and rows[at]["start_ns"] <= start:
                opened.append(rows[at])
                at += 1
            opened = [row for row in opened if row["end_ns"] > start]
            yield duration, [row["text"] or row["name"] for row in opened]


def check_nvtx(name, expected, path):
    """The ranges of an export, and the kernels launched in them, with what the tables of kr say."""
    wrong = []

    def same(what, got, want):
        if got != want:
            wrong.append(f"{name}: {what}: {got}, expected {want}")

    if expected.get("nvtx_rows", "null") == "null":
        same("ranges", tables(path, "host_ranges"), [[]])
        return wrong
    operations, calls, ranges = tables(path, "operations", "host_calls", "host_ranges")
    by_type = json.loads(expected["nvtx_by_type"])
    pushed = by_type.get("59", 0) + by_type.get("70", 0)
    started = by_type.get("60", 0) + by_type.get("71", 0)
    same("ranges by form", collections.Counter(row["form"] for row in ranges),
         collections.Counter({form: count for form, count in (("push_pop", pushed), ("start_end", started)) if count}))
    inside, inside_ns, outer, every = 0, 0, collections.Counter(), collections.Counter()
    for duration, texts in enclosing_by_kernel(operations, calls, ranges):
        inside += bool(texts)
        inside_ns += duration if texts else 0
        outer.update({text: duration for text in texts[:1]})
        for text in texts:
            every[text] += duration
    same("kernels in ranges", inside, int(expected["kernels_in_nvtx"]))
    same("time in ranges", inside_ns, int(expected["kernel_ns_in_nvtx"]))
    for what, sums in (("nvtx_outer_top5", outer), ("nvtx_incl_top5", every)):
        top = json.loads(expected[what])
        for text, want in top:
            same(f"{what} of {text}", sums[text], want)
        same(f"{what}: values", sorted(sums.values())[:-len(top) - 1:-1], [want for _, want in top])
    return wrong


def main():
    oracle_file = FOLDER / "ORACLE.tsv"
    if not oracle_file.exists():
        print(f"skipped: {oracle_file.name} of the shared data does not exist")
        sys.exit(77)
    oracle = collections.defaultdict(dict)
    for line in oracle_file.read_text(encoding="utf-8").splitlines()[1:]:
        file, metric, *rest = line.split("\t")
        oracle[file][metric] = rest[-1]
    wrong, checked = [], 0
    for name, expected in sorted(oracle.items()):
        path = FOLDER / name
        if expected.get("kind") not in KINDS or not path.exists():
            continue
        found, error = report(path)
        if path.stat().st_size == 0:
            if found is not None or "captured" not in error:
                wrong.append(f"{name}: 0 bytes should be refused and explained, got {error or found.runs}")
        elif found is None:
            wrong.append(f"{name}: {error}")
        else:
            wrong += check(name, expected, found)
            if expected["kind"] == "nsys-sqlite":
                wrong += check_nvtx(name, expected, path)
        checked += 1
    print("\n".join(wrong))
    print(f"{checked} files, {len(wrong)} differences")
    sys.exit(1 if wrong or checked < 10 else 0)


if __name__ == "__main__":
    main()
