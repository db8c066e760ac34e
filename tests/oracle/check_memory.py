#!/usr/bin/env python3
"""Compares the tables `memory` and `gpu_metrics` of kr with the exact numbers in the shared data (memory/ORACLE.tsv): memory by device,
step, phase and module, and counters of GPUs.

    KR=build/tools/kr/kr tests/oracle/check_memory.py [FOLDER]

A counter's sum over the time of operations is the mean of the phase that has all operations, times the time that they ran: in these
files each moment in which one runs has a value. kr has no output for the times of the first and last sample, for the number of events of memory pools
(only their sizes count), and for `Cycles (Current Kernel)`, which it leaves out: no measurement.
"""
import collections
import csv
import decimal
import gzip
import json
import math
import os
import pathlib
import sqlite3
import subprocess
import sys

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data/memory")
OTHERS = {"h100_bert.json.gz": "kineto", "mi300_qwen05b.json.gz": "kineto", "h100_vit.json.gz": "shapes"}
TYPES = {"cpu": 0, "cuda": 1, "hip": 6}
# Metrics by the column of their value, and what they are divided by.
UNITS = {"ratio": 100, "hz": 1e-6, "bytes_per_s": 1, "watts": 1, "number": 1}


def tables(path, *names, rules=()):
    done = subprocess.run([os.environ["KR"], "analyze", str(path), *rules, "--format", "json", "--tables", ",".join(names)],
                          capture_output=True, check=True)
    return json.loads(done.stdout)["tables"]


def ns_of(microseconds):
    return int(decimal.Decimal(microseconds) * 1000)


def first_start(path):
    """When the first operation begins, by the file alone."""
    if path.suffix == ".sqlite":
        with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as file:
            return file.execute("SELECT min(start) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()[0]
    whole = kineto(path)
    return whole.get("baseTimeNanoseconds", 0) + min(
        ns_of(event["ts"]) for event in whole["traceEvents"] if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"))


def kineto(path):
    return json.loads(gzip.decompress(path.read_bytes()), parse_float=decimal.Decimal)


class Allocator:
    """A Kineto trace."""

    def __init__(self, path):
        found = tables(path, "memory", "steps", "notes")
        self.zero = first_start(path)
        events = kineto(path)["traceEvents"]
        self.begins = {event["name"]: ns_of(event["ts"]) for event in events if event.get("cat") == "user_annotation"}
        self.totals = collections.defaultdict(list)
        for event in events:
            if event["name"] == "[memory]":
                args = event["args"]
                self.totals[f"{args['Device Type']}:{args['Device Id']}"].append((ns_of(event["ts"]), args["Total Allocated"]))
        self.steps = {row["step_id"]: row["text"] for row in found["steps"]}
        self.dropped = [row["text"] for row in found.get("notes", []) if "memory" in row["text"]]
        self.rows = {}
        for row in found["memory"]:
            device = f"{TYPES[row['memory']]}:{-1 if row.get('device') is None else row['device']}"
            key = row.get("key") or ""
            if row["scope"] == "step":
                key = self.steps[int(key)]
            self.rows[row["scope"], device if row["scope"] == "run" else f"{device} | {key}"] = row

    def value(self, metric, key):
        run = self.rows.get(("run", key), {})
        if metric == "memory_instants":
            return sum(row["allocations"] + row["releases"] for (scope, _), row in self.rows.items() if scope == "run")
        if metric == "bad_instants":
            return len(self.dropped)
        if metric == "instants":
            return run["allocations"] + run["releases"]
        if metric == "allocated_bytes":
            return run["allocated_bytes"]
        if metric == "freed_bytes":
            return run["released_bytes"]
        if metric == "first_allocated":
            return run["first_bytes"]
        if metric == "last_allocated":
            return run["last_bytes"]
        if metric == "peak_allocated":
            return run["peak_bytes"]
        if metric == "peak_at_ns":
            return run["peak_at_ns"] + self.zero
        if metric == "peak_reserved":
            return run.get("peak_reserved_bytes") or 0
        if metric == "range_instants":
            row = self.rows["step", key]
            return row["allocations"] + row["releases"]
        if metric == "range_peak":
            return self.rows["step", key]["peak_bytes"]
        if metric == "module_bytes":
            return self.rows["module", key]["allocated_bytes"]
        return f"no check of {metric}"

    def at_begin(self, key):
        """What was in use when a range began: it counts for kr, and not for the oracle, whose peaks are those of the events inside."""
        device, name = key.split(" | ")
        before = [one for one in sorted(self.totals[device], key=lambda one: one[0]) if one[0] < self.begins[name]]
        return before[-1][1] if before else 0


class Driver:
    """An nsys export. Rules of its own make phases of all its ranges."""

    def __init__(self, path):
        rules = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / f"check_memory_{os.getpid()}.kr"
        rules.write_text('engine e {\n  phases { load: "load" prefill: "prefill" decode: "decode" }\n'
                         '  substage { all: otherwise }\n}\n')
        try:
            self.found = tables(path, "memory", rules=("--rules", str(rules)))["memory"]
        finally:
            rules.unlink()
        self.zero = first_start(path)

    def value(self, metric, key):
        if metric == "events":
            return sum(row["allocations"] + row["releases"] for row in self.found
                       if row["scope"] == "run" and row["source"] == "driver")
        pool = metric.startswith("pool_")
        device, kind, phase = (key.split(" | ") + ["", ""])[:3]
        rows = [row for row in self.found if row["source"] == ("pool" if pool else "driver") and str(row["device"]) == device and
                (pool or row["memory"] == kind) and row["scope"] == ("phase" if phase else "run") and (row.get("key") or "") == phase]
        if len(rows) != 1:
            return f"{len(rows)} rows"
        row = rows[0]
        names = {"allocations": "allocations", "frees": "releases", "allocated_bytes": "allocated_bytes",
                 "freed_bytes": "released_bytes", "unknown_frees": "unknown_releases", "peak": "peak_bytes", "end_live": "last_bytes",
                 "range_peak": "peak_bytes", "pool_peak_used": "peak_bytes", "pool_peak_size": "peak_reserved_bytes"}
        if metric == "peak_at_ns":
            return row["peak_at_ns"] + self.zero
        return row[names[metric]] if metric in names else f"no check of {metric}"


class Counters:
    """A Kineto trace with counters."""

    def __init__(self, path):
        self.rows = collections.defaultdict(list)
        for row in tables(path, "gpu_metrics")["gpu_metrics"]:
            self.rows[row["scope"], row["metric"]].append(row)

    def value(self, metric, key):
        process, name = key.split(" | ")
        gpu = int(process.split()[1])
        own = [row for row in self.rows["gpu", name] if int(row["key"]) == gpu]
        if name == "Cycles (Current Kernel)":
            return None if not own else "is there, and no measurement"
        if len(own) != 1:
            return f"{len(own)} rows"
        unit = UNITS[own[0]["unit"]]

        def number(row, what):
            return row[f"{what}_{row['unit']}"] * unit
        if metric == "counter_samples":
            return own[0]["samples"]
        if metric == "counter_sum":
            return number(own[0], "mean") * own[0]["samples"]
        if metric in ("counter_min", "counter_max"):
            return number(own[0], metric.removeprefix("counter_"))
        if metric.startswith("counter_over_ops"):
            phases = [row for row in self.rows["phase", name] if row["device"] == own[0].get("device")]
            if not phases:
                return 0
            time = sum(row["own_ns"] for row in phases)
            return time if metric.endswith("_ns") else sum(number(row, "mean") * row["own_ns"] for row in phases)
        return None if metric in ("counter_first_ns", "counter_last_ns") else f"no check of {metric}"


def same(got, want):
    if isinstance(got, str):
        return False
    if isinstance(got, int) and "." not in want:
        return got == int(want)
    return math.isclose(got, float(want), rel_tol=2e-7, abs_tol=1e-9)


def main():
    if not (FOLDER / "ORACLE.tsv").exists():
        print(f"no {FOLDER}/ORACLE.tsv: nothing to compare")
        return 77
    wanted = collections.defaultdict(list)
    with open(FOLDER / "ORACLE.tsv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            wanted[row["file"]].append((row["metric"], row["key"], row["value"]))
    wrong, checked, left_out = [], 0, 0
    for name, rows in wanted.items():
        path = FOLDER / name if name not in OTHERS else FOLDER.parent / OTHERS[name] / name
        kind = Driver if name.endswith(".sqlite") else Counters if name.startswith("counters") else Allocator
        of = kind(path)
        for metric, key, value in rows:
            got = of.value(metric, key) if metric not in ("pool_events",) else None
            if got is None:
                left_out += 1
                continue
            checked += 1
            if metric == "range_peak" and kind is Allocator:
                value = str(max(int(value), of.at_begin(key)))
            if not same(got, value):
                wrong.append(f"{name}: {metric} of {key}: {got}, expected {value}")
    print("\n".join(wrong[:40]) or f"{checked} values of {len(wanted)} files agree; {left_out} have no output")
    return 1 if wrong or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
