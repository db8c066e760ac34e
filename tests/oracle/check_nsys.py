#!/usr/bin/env python3
"""Compares `kr report` for every cuda_gpu_trace CSV and SQLite export of the shared data with the exact
numbers in it (ORACLE.tsv): operations, names, sums, elapsed time by name, and each device's identity.

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
        checked += 1
    print("\n".join(wrong))
    print(f"{checked} files, {len(wrong)} differences")
    sys.exit(1 if wrong or checked < 10 else 0)


if __name__ == "__main__":
    main()
