#!/usr/bin/env python3
"""Recomputes how long devices are idle, how much of it ends with an operation whose launch is not in the trace, and what
synchronizing calls waited for, from the SQLite exports and two PyTorch traces of the shared data, and compares the tables
`idle`, `idle_calls` and `waits` of `kr analyze`. Why devices are idle is compared with runs whose truth is known
(check_planted.py).

    KR=build/tools/kr/kr tests/oracle/check_idle.py [FOLDER]
"""
import bisect
import collections
import decimal
import gzip
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data")
KINETO = ("a100_ddp_ns.json.gz", "vllm_decode_graph.json.gz")
SYNCHRONIZES = re.compile(r"(cuda|cu|hip)(Stream|Device|Thread|Ctx|Event)Synchronize$")
WAITS = {"Stream": "stream_synchronize", "Event": "event_synchronize", "Device": "context_synchronize",
         "Thread": "context_synchronize", "Ctx": "context_synchronize"}
PROCESS = 0xFFFFFFFFFF000000

Call = collections.namedtuple("Call", "start end api thread")
Operation = collections.namedtuple("Operation", "start end device launch process")  # launch: a Call or None


def read_nsys(path):
    """Operations, calls, and synchronisations as (type, call or None, start, end)."""
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    tables = {name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    calls, by_correlation = [], {}
    strings = dict(database.execute("SELECT id, value FROM StringIds"))
    for start, end, thread, correlation, name in database.execute(
            "SELECT start, end, globalTid, correlationId, nameId FROM CUPTI_ACTIVITY_KIND_RUNTIME ORDER BY start"):
        call = Call(start, end, re.sub(r"_v\d+$", "", strings[name]), thread)
        calls.append(call)
        by_correlation.setdefault((thread & PROCESS, correlation), call)
    operations = []
    for kind in ("KERNEL", "MEMCPY", "MEMSET"):
        if f"CUPTI_ACTIVITY_KIND_{kind}" not in tables:
            continue
        for start, end, device, correlation, process in database.execute(
                f"SELECT start, end, deviceId, correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_{kind}"):
            operations.append(Operation(start, end, device, by_correlation.get((process, correlation)), process))
    waits = []
    if "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION" in tables:
        kinds = {1: "event_synchronize", 2: "stream_wait_event", 3: "stream_synchronize", 4: "context_synchronize"}
        for start, end, correlation, process, kind in database.execute(
                "SELECT start, end, correlationId, globalPid, syncType FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"):
            waits.append((kinds[kind], by_correlation.get((process, correlation)), start, end))
    return operations, calls, waits


def ns(value):
    return int((decimal.Decimal(value) * 1000).to_integral_value())


def read_kineto(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        events = json.load(file, parse_float=decimal.Decimal)
    calls, by_correlation, work = [], {}, []
    for event in events["traceEvents"]:
        category = event.get("cat", "").lower()
        if event.get("ph") != "X":
            continue
        start = ns(event["ts"]) if "ts" in event else 0
        end = start + ns(event.get("dur", 0))
        correlation = event.get("args", {}).get("correlation")
        if category in ("cuda_runtime", "cuda_driver"):
            calls.append((Call(start, end, event["name"], (event["pid"], event["tid"])), correlation))
        elif category in ("kernel", "gpu_memcpy", "gpu_memset"):
            work.append((start, end, event["args"]["device"], correlation))
    calls.sort(key=lambda one: one[0].start)
    for call, correlation in calls:
        by_correlation.setdefault(correlation, call)
    operations = [Operation(start, end, device, by_correlation.get(correlation), None)
                  for start, end, device, correlation in work]
    return operations, [call for call, _ in calls], []


def idle(operations):
    """By device: idle time, and what of it ends with an operation without a launch."""
    sums, covered = collections.defaultdict(lambda: [0, 0]), {}
    for one in sorted(operations, key=lambda one: (one.start, one.start - one.end)):
        sums[one.device]
        gap = one.start - covered.get(one.device, one.start)
        if gap > 0:
            sums[one.device][0] += gap
            sums[one.device][1] += gap if one.launch is None else 0
        covered[one.device] = max(covered.get(one.device, one.end), one.end)
    return {device: tuple(both) for device, both in sums.items()}


def busy_of(operations):
    """The busy intervals of some devices together."""
    merged = []
    for start, end in sorted((one.start, one.end) for one in operations):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def overlap(intervals, begin, end):
    at = bisect.bisect_left(intervals, [begin, begin])
    return sum(max(0, min(end, right) - max(begin, left)) for left, right in intervals[max(0, at - 1):]
               if left < end)


def synchronizations(operations, calls, records):
    """(api, what): [calls, total, longest, busy]. Calls with a record are not counted a second time."""
    devices = collections.defaultdict(set)  # by process
    process_of = (lambda thread: thread & PROCESS) if calls and isinstance(calls[0].thread, int) else (
        lambda thread: thread[0])
    for one in operations:
        if one.launch:
            devices[process_of(one.launch.thread)].add(one.device)
    all_devices = {one.device for one in operations}
    busy = {}

    def busy_in(process, begin, end):
        key = frozenset(devices.get(process) or all_devices)
        if key not in busy:
            busy[key] = busy_of([one for one in operations if one.device in key])
        return overlap(busy[key], begin, end)

    sums = collections.defaultdict(lambda: [0, 0, 0, 0])

    def add(api, what, process, begin, end):
        row = sums[api, what]
        row[0] += 1
        row[1] += end - begin
        row[2] = max(row[2], end - begin)
        row[3] += busy_in(process, begin, end)

    known = {}
    for what, call, begin, end in records:
        if call is None:
            add("", what, None, begin, end)
        else:
            known[id(call)] = what
    for call in calls:
        what = known.get(id(call))
        match = SYNCHRONIZES.match(call.api)
        if what or match:
            add(call.api, what or WAITS[match[2]], process_of(call.thread), call.start, call.end)
    return {key: tuple(row) for key, row in sums.items()}


def main():
    if not FOLDER.is_dir():
        print(f"skipped: there is no {FOLDER}")
        return 77
    wrong, checked = [], 0
    paths = sorted((FOLDER / "nsys").glob("*.sqlite")) + [FOLDER / "kineto" / name for name in KINETO]
    for path in paths:
        done = subprocess.run([os.environ["KR"], "analyze", str(path), "--format", "json"], capture_output=True,
                              check=True)
        found = Results(done.stdout)
        operations, calls, records = (read_nsys if path.suffix == ".sqlite" else read_kineto)(path)
        causes, by_call = (collections.Counter() for _ in range(2))
        unknown = collections.Counter()
        for row in found.rows("idle"):
            causes[row["device"]] += row["total_ns"]
            unknown[row["device"]] += row["total_ns"] if row["cause"] == "unknown" else 0
        for row in found.rows("idle_calls"):
            by_call[row["device"]] += row["total_ns"]
        expected = [
            (idle(operations), {row["device"]: (row["idle_ns"], unknown[row["device"]]) for row in found.rows("devices")}),
            (synchronizations(operations, calls, records),
             {(row["key"] or "", row["waited_for"]): (row["calls"], row["total_ns"], row["max_ns"], row["busy_ns"])
              for row in found.rows("waits", scope="synchronization")})]
        for device in found.rows("devices"):
            expected.append((device["idle_ns"], causes[device["device"]]))
            expected.append((device["idle_ns"], by_call[device["device"]]))
        for want, got in expected:
            checked += 1 if isinstance(want, int) else len(want)
            if want != got:
                wrong.append(f"{path.name}: {got}, expected {want}")
    print(f"{checked} numbers compared with those of {len(paths)} traces")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
