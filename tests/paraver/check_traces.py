#!/usr/bin/env python3
"""Paraver traces that kr writes are valid by validate.py, come to the golden sums, and are read back as what they were
made from; damaged ones are refused with their place.

Traces are made by this test and taken from the shared data (environment KR_SHARED_DATA, or the folder beside the
sources). Environment: KR is the program.
"""

import collections
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve()
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "support")]
import validate  # noqa: E402
from results import Results  # noqa: E402

KR = os.environ["KR"]
DATA = pathlib.Path(os.environ.get("KR_SHARED_DATA") or HERE.parents[3] / "shared/data")
SUMMED = ("CUDA kernel", "CUDA memcpy kernel", "NCCL kernel", "kr kind")
MUTATIONS = 60
LARGEST = 20_000_000  # bytes of a trace of the shared data: more takes long
FAILURES = []
COUNTS = collections.Counter()


def kr(*words):
    return subprocess.run([KR, *map(str, words)], capture_output=True, check=False)


def export(out, *runs):
    done = kr("-q", "analyze", *runs, "--format", "paraver", "-o", out)
    if done.returncode != 0:
        FAILURES.append(f"{runs}: {done.stderr.decode()}")
        return None
    trace = validate.Trace(out)
    FAILURES.extend(f"{runs}: {fault}" for fault in trace.faults)
    return trace


def kernels(*runs):
    """Instances and time of each kind and name. None: kr does not report on them."""
    done = kr("report", *runs, "--tables", "kernels", "--format", "json")
    if done.returncode != 0:
        return None
    sums = collections.Counter()
    for row in Results(done.stdout).rows("kernels"):
        sums[row["operation"], row["name"], "instances"] += row["instances"]
        sums[row["operation"], row["name"], "total_ns"] += row["total_ns"]
    return sums


def host(path):
    """Calls and operations of each function; kind and length of each range."""
    done = kr("analyze", path, "--tables", "launches,host_ranges", "--format", "json")
    launches = collections.Counter()
    if done.returncode != 0:
        return launches, []
    found = Results(done.stdout)
    for row in found.rows("launches"):
        launches[row["api"], "calls"] += row["calls"]
        launches[row["api"], "operations"] += row["operations"]
    return launches, sorted((row["type"], row["end_ns"] - row["start_ns"]) for row in found.rows("host_ranges"))


def check_in_flight(out, trace):
    """Counts of kernels in flight, over time, come to the time of the kernels: of each task, and of each phase of it."""
    counted, summed, now, begun = collections.Counter(), collections.Counter(), {}, {}
    phases, head = trace.labels.values.get(96000100, {}), "kr kernels in flight"
    phase_of = {kind: label.removeprefix(head).removeprefix(" in ")
                for kind, label in trace.labels.types.items() if label.startswith(head)}
    with open(out, encoding="utf-8", errors="surrogateescape", newline="\n") as lines:
        for line in lines:
            if not line.startswith("2:"):
                continue
            fields = list(map(int, line.split(":")))
            task, row, time, pairs = fields[3], tuple(fields[3:5]), fields[5], dict(zip(fields[6::2], fields[7::2]))
            for kind, value in pairs.items():
                phase = phase_of.get(kind)
                if phase is not None:
                    before, count = now.get((row, kind), (time, 0))
                    counted[task, phase] += count * (time - before)
                    now[row, kind] = time, value
            for kind in (63000006, 63000007):
                if pairs.get(kind):
                    begun[row, kind] = time, phases.get(pairs.get(96000100, 0))
                elif kind in pairs:
                    before, phase = begun.pop((row, kind))
                    summed[task, ""] += time - before
                    if 96000100 in pairs:
                        summed[task, phase] += time - before
    for (task, phase), total in summed.items():
        if (task, "") in counted and total != counted[task, phase]:
            FAILURES.append(f"{out}: task {task}, phase {phase}: {total} ns of kernels, {counted[task, phase]} in flight")
    if any(count for _, count in now.values()):
        FAILURES.append(f"{out}: kernels are in flight at the end")
    return len(counted)


def made(folder):
    """A trace with what is hard: equal times, no length, overlap on a stream, odd names."""
    rows = [(0, 10, 7, "k"), (10, 0, 7, "k"), (10, 0, 7, "l"), (10, 5, 7, "k"), (15, 20, 7, "long"), (20, 5, 7, "k"),
            (20, 0, 7, "k"), (35, 1, 7, " blank "), (35, 1, 9, ""), (36, 4, 9, "[CUDA memcpy HtoD]"),
            (40, 1, 9, "[CUDA memset]"), (41, 1, 9, "ncclDevKernel_AllReduce"), (42, 1, 9, "tab\there")]
    path = folder / "made.csv"
    lines = ["Start (ns),Duration (ns),Device,Strm,Name"]
    lines += [f'{start},{duration},GPU (0),{stream},"{name}"' for start, duration, stream, name in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def shared():
    for part in ("kineto", "nsys", "amd", "graphs"):
        for path in sorted((DATA / part).rglob("*")):
            if path.name.endswith((".json.gz", ".sqlite", ".sqlite.gz", ".db.gz", ".rpd.gz")):
                if path.stat().st_size < LARGEST:
                    yield path


def check_same(path, out):
    """The trace is valid, and contains the operations and launches of its source."""
    before = kernels(path)
    if before is None:
        return False
    trace = export(out, path)
    if trace is None:
        return False
    COUNTS["in flight"] += check_in_flight(out, trace)
    (launches_before, ranges_before), (launches_after, ranges_after) = host(path), host(out)
    COUNTS["ranges"] += len(ranges_before)
    COUNTS["calls"] += launches_before.total()
    if ranges_after != ranges_before:
        FAILURES.append(f"{path}: other ranges of the host")
    shown = {key: value for key, value in before.items()}
    after = kernels(out)
    if sorted(shown.values()) != sorted((after or {}).values()):
        FAILURES.append(f"{path}: other operations")
    plain = {key: value for key, value in shown.items() if key[1].isprintable() and key[1].strip() == key[1]}
    if any(after[key] != value for key, value in plain.items() if key[1]):
        FAILURES.append(f"{path}: {[key for key, value in plain.items() if after[key] != value][:3]}")
    if launches_before != launches_after:
        FAILURES.append(f"{path}: other launches: {launches_before - launches_after}")
    return bool(before)


def check_golden(folder):
    golden = DATA / "ranks/paraver/dlrm_1_3.prv"
    runs = [DATA / f"kineto/dlrm_rank{rank}.json.gz" for rank in (1, 3)]
    if not golden.exists():
        print("no golden trace")
        return
    trace = export(folder / "dlrm.prv", *runs)
    known = json.loads(golden.with_suffix(".sums.json").read_text())
    for kind in SUMMED:
        if trace is None or trace.sums[kind] != known["types"][kind]:
            FAILURES.append(f"sums of {kind}: {trace and trace.sums[kind]}")
    if trace is not None and trace.counts[3] != known["communications"]:
        FAILURES.append(f"{trace.counts[3]} communications")
    if kernels(golden) != kernels(*runs):
        FAILURES.append("the golden trace is not read as its runs")
    mutate(golden, folder)


def check_nsys2prv(folder):
    """Not sorted, and with other labels of types."""
    path = DATA / "nsys/mordred_report1.nsys2prv_style.constructed.prv"
    source = DATA / "nsys/mordred_report1.sqlite"
    if path.exists() and kernels(path) != kernels(source):
        FAILURES.append(f"{path}: {kernels(path)}, not {kernels(source)}")


def mutate(golden, folder):
    """Damage is refused with file and place, or read; never a crash."""
    texts = {ending: golden.with_suffix(ending).read_bytes() for ending in (".prv", ".pcf", ".row")}
    random.seed(1)
    path = folder / "m.prv"
    refused = 0
    for _ in range(MUTATIONS):
        ending = random.choice([".prv", ".prv", ".pcf", ".row"])
        text = bytearray(texts[ending])
        at = random.choice([random.randrange(80), random.randrange(len(text))]) % len(text)
        damage = random.choice([b"", b":", b"99999999999999999999", b"-1", b"\n", b"\0", b"EVENT_TYPE\n"])
        text[at:at + random.choice([0, 1, 1, 9, len(text)])] = damage
        for other, whole in texts.items():
            path.with_suffix(other).write_bytes(text if other == ending else whole)
        done = kr("report", path, "--format", "json")
        message = done.stderr.decode("utf-8", "replace")
        if done.returncode not in (0, 2) or (done.returncode == 2 and "m.prv" not in message):
            FAILURES.append(f"{ending} with {damage} at {at}: {done.returncode} {message}")
        refused += done.returncode == 2
    print(f"{refused} of {MUTATIONS} damaged traces are refused")
    if refused == 0:
        FAILURES.append("no damage was seen")


def check_packed(path, folder):
    """Compressed, it is the same text, beside files that are not; and is read."""
    export(folder / "plain.prv", path)
    export(folder / "packed.prv.gz", path)
    if gzip.decompress((folder / "packed.prv.gz").read_bytes()) != (folder / "plain.prv").read_bytes():
        FAILURES.append("compressed, the trace is another")
    if kernels(folder / "packed.prv.gz") != kernels(folder / "plain.prv"):
        FAILURES.append("compressed, it is read as another")


def main():
    same = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        one = made(folder)
        check_packed(one, folder)
        same += check_same(one, folder / "made.prv")
        for path in shared():
            same += check_same(path, folder / "out.prv")
        check_golden(folder)
        check_nsys2prv(folder)
    print("\n".join(map(str, FAILURES)))
    print(f"{same} traces with operations were written and read again", dict(COUNTS))
    sys.exit(1 if FAILURES or same == 0 else 0)


main()
