#!/usr/bin/env python3
"""Compares labels by `within` on real traces with a slow reading of the files: the call that launched each
operation, and every range of its thread one by one. Compares sums of NVTX ranges with known sums.

    KR=build/tools/kr/kr tests/oracle/check_within.py
"""
import collections
import csv
import gzip
import io
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"
RULES = r"""
engine e {
  substage {
    deep: within /Attention|DeviceReduce::Sum|ncclGroupEnd/
    flat: within ^"step[" | within "MLP"
    some: within ("a" | !"a")
    none: otherwise
  }
}
"""
LABELS = ("deep", "flat", "some", "none")
KINETO = ("h100_bert", "sglang_prefill", "vllm_decode_graph", "mi300_qwen05b")
# File: kernels within any range, their time, and that of the nested ones with a name.
NSYS = {
    "power_iteration__baseline": (3682, 1129102360, "DeviceReduceKernel", 1779510),
    "mfu_2gpu_after": (3577, 488014833, "", 33515702),
    "h100_2gpu_1s": None,
}


def label(names):
    if any(re.search(r"Attention|DeviceReduce::Sum|ncclGroupEnd", name) for name in names):
        return "deep"
    if any(name.startswith("step[") or "MLP" in name for name in names):
        return "flat"
    return "some" if names else "none"


def names_at(ranges, time):
    return [name for start, end, name in ranges if start <= time and (end is None or time < end)]


def ns(value):
    """Decimal microseconds; the fourth decimal rounds."""
    whole, _, part = str(value).partition(".")
    digits = (part + "0000")[:4]
    return int(whole) * 1000 + (int(digits) + 5) // 10


def slow_kineto(path):
    with gzip.open(path, "rb") as file:
        events = json.loads(file.read(), parse_float=str)["traceEvents"]
    ranges, launches, operations = collections.defaultdict(list), {}, []
    for event in events:
        category = str(event.get("cat", "")).lower()
        if event.get("ph") != "X":
            continue
        start, end = ns(event["ts"]), ns(event["ts"]) + ns(event["dur"])
        thread = (str(event.get("pid")), str(event.get("tid")))
        correlation = event.get("args", {}).get("correlation")
        if category == "user_annotation":
            ranges[thread].append((start, end, event["name"]))
        elif category == "python_function" and event["name"].startswith("nn.Module: "):
            ranges[thread].append((start, end, event["name"][len("nn.Module: "):]))
        elif category in ("cuda_runtime", "cuda_driver"):
            launches.setdefault(correlation, (thread, start))
        elif category in ("kernel", "gpu_memcpy", "gpu_memset"):
            operations.append((event["name"], start, end - start, correlation))
    sums = collections.Counter()
    for name, start, duration, correlation in operations:
        thread, time = launches.get(correlation, (None, 0))
        around = names_at(ranges[thread], time) if thread else []
        sums[name, start, duration, label(around)] += 1
    return sums


def slow_nsys(path):
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    tables = {name for name, in base.execute("SELECT name FROM sqlite_master")}
    texts = dict(base.execute("SELECT id, value FROM StringIds"))
    ranges = collections.defaultdict(list)
    columns = {row[1] for row in base.execute("PRAGMA table_info(NVTX_EVENTS)")}
    text_id = "textId" if "textId" in columns else "NULL"
    if "NVTX_EVENTS" in tables:
        for start, end, thread, text, number in base.execute(
                f"SELECT start, end, globalTid, text, {text_id} FROM NVTX_EVENTS "
                "WHERE eventType IN (59, 70)"):
            ranges[thread].append((start, end, texts.get(number, "") if text is None else text))
        moved = base.execute("SELECT count(*) FROM NVTX_EVENTS WHERE eventType IN (60, 71)").fetchone()
        assert moved == (0,), "the slow reading knows of push/pop ranges alone"
    launches = {}
    for start, thread, correlation in base.execute(
            "SELECT start, globalTid, correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME"):
        launches[thread >> 24, correlation] = (thread, start)
    sums = collections.Counter()
    for table in ("KERNEL", "MEMCPY", "MEMSET"):
        if f"CUPTI_ACTIVITY_KIND_{table}" not in tables:
            continue
        for start, end, correlation, process in base.execute(
                f"SELECT start, end, correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_{table}"):
            thread, time = launches.get((process >> 24, correlation), (None, 0))
            around = names_at(ranges[thread], time) if thread else []
            sums[table.lower(), start, end - start, label(around)] += 1
    return sums


def kr(path, *arguments):
    done = subprocess.run([os.environ["KR"], *arguments[:1], path, *arguments[1:]],
                          stdout=subprocess.PIPE, check=True)
    return list(csv.DictReader(io.StringIO(done.stdout.decode("utf-8", "replace"), newline="")))


def main():
    if not DATA.is_dir():
        print(f"{DATA} does not exist")
        return 77
    wrong = []

    def expect(what, got, wanted):
        if got != wanted:
            wrong.append(f"{what}: {got}, not {wanted}")

    with tempfile.TemporaryDirectory() as folder:
        rules = os.path.join(folder, "rules.kr")
        pathlib.Path(rules).write_text(RULES)
        for name in KINETO + tuple(NSYS):
            kineto = name in KINETO
            path = str(DATA / ("kineto" if kineto else "nsys") /
                       (name + (".json.gz" if kineto else ".sqlite")))
            rows = kr(path, "classify", "--each", "--format", "csv", "--rules", rules)
            slow = slow_kineto(path) if kineto else slow_nsys(path)
            got = collections.Counter()
            for row in rows:
                key = row["name"] if kineto else row["operation_kind"]
                got[key, int(row["start_ns"]), int(row["duration_ns"]), row["substage"]] += 1
            if got != slow:
                odd = list((got - slow).items())[:3] + list((slow - got).items())[:3]
                wrong.append(f"{name}: operations labelled otherwise, such as {odd}")
            # The same, summed: one row per distinct (name, kind, labels).
            summed = collections.Counter()
            for row in kr(path, "classify", "--format", "csv", "--rules", rules):
                summed[row["substage"]] += int(row["total_ns"])
            each = collections.Counter()
            for row in rows:
                each[row["substage"]] += int(row["total_ns"])
            expect(f"{name}: sums", summed, each)
            print(name, {label: summed[label] for label in LABELS})
            known = NSYS.get(name)
            if known is None:
                continue
            kernels = [row for row in rows if row["operation_kind"] == "kernel"]
            inside = [int(row["total_ns"]) for row in kernels if row["substage"] != "none"]
            expect(f"{name}: kernels in ranges", len(inside), known[0])
            expect(f"{name}: time in ranges", sum(inside), known[1])
            expect(f"{name}: time in one range",
                   sum(int(row["total_ns"]) for row in kernels
                       if row["substage"] == "deep" and known[2] in row["name"]), known[3])
    print("\n".join(wrong) or "all labels equal those of the slow reading")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
