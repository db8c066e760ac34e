#!/usr/bin/env python3
"""Compares `kr diff` of real runs with sums made here, and steps with the launches in the trace.

- Exact numbers of a pair whose calls fell from 68 to 60.
- For all pairs of runs of one format: parts add up to changes, and labels to the total; names that replace each other
  are in one run only, each in one pair. The runs are saved once; neighbours are compared as traces, too, with the same
  result.
- For each training trace of the shared data: the time of a step is that of the operations whose launch lies in it, on
  any thread of its process that has no steps itself.

    KR=build/tools/kr/kr tests/oracle/check_diff.py [FOLDER]
"""
import collections
import gzip
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data")
# The time of steps 2 to 6 of a large training trace.
V100 = {2: 188442000, 3: 188214000, 4: 188103000, 5: 188298000, 6: 247556000}
PARTS = ("calls_ns", "time_per_call_ns", "names_ns")
MFU = {"attention": (68, 60, -11.590, 0.197), "communication": (66, 62, 32.834, 41.403)}


def kr(*words):
    done = subprocess.run([os.environ["KR"], *map(str, words), "--format", "json"], capture_output=True, check=False)
    if done.returncode not in (0, 1):
        return None
    return Results(done.stdout)


class Checks:
    def __init__(self):
        self.count, self.wrong = 0, []

    def expect(self, holds, *what):
        self.count += 1
        if not holds:
            self.wrong.append(" ".join(map(str, what)))


def label_changes(found):
    """By dimension and label."""
    return [row for row in found.rows("changes") if row["scope"] != "name"]


def check_sums(checks, name, found):
    total, = found.rows("comparison")
    of = collections.defaultdict(collections.Counter)
    names = found.rows("changes", scope="name")
    for row in label_changes(found):
        what = f"{name} {row['scope']}/{row['key']}"
        parts = row["calls_ns"] + row["time_per_call_ns"] + row["names_ns"]
        checks.expect(parts == row["change_ns"], what, "parts add up to", parts, "not", row["change_ns"])
        checks.expect(row["change_ns"] == row["b_ns"] - row["a_ns"], what, "change")
        of[row["scope"]].update({key: row[key] for key in ("a_ns", "b_ns", "a_instances", "b_instances")})
    for dimension, sums in of.items():
        for key, value in sums.items():
            checks.expect(value == total[key], name, dimension, key, value, "not", total[key])
    # The headline has the sums of the columns below it.
    for key in PARTS:
        by_names = sum(row[key] for row in names)
        checks.expect(by_names == total[key], name, key, "of names add up to", by_names, "not", total[key])
    only = {row["key"]: "a" if row["b_instances"] == 0 else "b" for row in names
            if row["a_instances"] == 0 or row["b_instances"] == 0}
    seen = collections.Counter()
    for row in found.rows("substitutions") if total["comparable"] else []:
        for side, one in (("a", row["a_name"]), ("b", row["b_name"])):
            if one is not None:
                seen[one] += 1
                checks.expect(only.get(one) == side, name, "a substituted name is in both runs", one)
    checks.expect(all(count == 1 for count in seen.values()), name, "a name is substituted twice")
    for side in "ab":
        times = sum(row[f"{side}_ns"] for row in names if row["key"] in seen)
        groups = sum(row[f"{side}_ns"] or 0 for row in found.rows("substitutions"))
        checks.expect(times == groups, name, "substituted names of", side, "have", times, "ns, not", groups)
    for row in names:
        checks.expect(row["calls_ns"] + row["time_per_call_ns"] + row["names_ns"] == row["change_ns"], name, row["key"][:60], "parts")
    parts = total["calls_ns"] + total["time_per_call_ns"] + total["names_ns"]
    checks.expect(parts == total["b_ns"] - total["a_ns"], name, "parts of the total")


def check_mfu(checks, found):
    rows = {row["key"]: row for row in found.rows("changes", scope="substage")}
    # For equal work the run takes some 12 % longer, of which the work itself has 2.2 %.
    of, = found.rows("comparison")
    # The median of the time from an attention to the next one but one, on both devices, grew by 13.8 %.
    checks.expect(12 < of["wall_median_percent"] < 16 and of["verdict"] == "slower" and 2 < of["per_unit_percent"] < 2.5, "mfu_2gpu:", of)
    for label, (a, b, change, per_call) in MFU.items():
        row = rows[label]
        checks.expect((row["a_instances"], row["b_instances"]) == (a, b), label, "calls")
        checks.expect(abs(row["change_percent"] - change) < 0.001, label, row["change_percent"], "not", change)
        got = 100 * (row["b_per_call_ns"] / row["a_per_call_ns"] - 1)
        checks.expect(abs(got - per_call) < 0.001, label, "per call", got, "not", per_call)


def steps_of(path):
    """Step number -> ns of the operations launched in it, from the trace alone; None without such steps."""
    with gzip.open(path) as file:
        trace = json.load(file, parse_float=str)
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    us = lambda text: round(float(text) * 1000)  # noqa: E731
    steps, launches, operations = [], {}, []
    for event in events:
        if event.get("ph") != "X":
            continue
        category, name, args = str(event.get("cat", "")).lower(), str(event.get("name", "")), event.get("args") or {}
        if name.startswith("ProfilerStep#") and "gpu" not in category:
            start = us(event["ts"])
            steps.append((start, start + us(event["dur"]), event["pid"], event["tid"], int(name.split("#")[1])))
        if category in ("cuda_runtime", "cuda_driver", "runtime", "driver"):
            launches[args.get("correlation", args.get("External id"))] = (us(event["ts"]), event["pid"], event["tid"])
        if category in ("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"):
            operations.append((args.get("correlation"), us(event["dur"])))
    if not steps:
        return None
    own = {(pid, tid) for _, _, pid, tid, _ in steps}
    sums = collections.Counter()
    for correlation, ns in operations:
        if correlation not in launches:
            continue
        at, pid, tid = launches[correlation]
        inside = [step for step in steps if step[2] == pid and step[0] <= at < step[1] and
                  (step[3] == tid or (pid, tid) not in own)]
        if inside:
            sums[max(inside)[4]] += ns
    return sums


def check_steps(checks, path):
    expected = steps_of(path)
    if expected is None:
        return False
    found = kr("analyze", path, "--tables", "steps")
    checks.expect(found is not None, path.name, "is not read")
    if found is None:
        return True
    got = {row["step"]: row["total_ns"] for row in found.rows("steps")
           if row["phase"] == "step" and row["outer_step_id"] is None}
    if path.name.startswith("v100_ddp_large"):
        checks.expect(expected == V100, path.name, "has steps", expected)
    for step, ns in expected.items():
        checks.expect(got.get(step) == ns, path.name, "step", step, "has", got.get(step), "ns, not", ns)
    return True


def check_pairs(checks):
    pairs = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, pattern in enumerate(("nsys/*.sqlite", "kineto/*.json.gz", "nsys/*gpu_trace*.csv")):
            saved = []
            for path in sorted(FOLDER.glob(pattern)):
                file = pathlib.Path(folder) / f"{number}_{path.name}.krun"
                done = subprocess.run([os.environ["KR"], "report", path, "--save", file, "--format", "json", "--tables",
                                       "runs"], capture_output=True, check=False)
                if done.returncode != 0:
                    continue
                checks.expect(file.stat().st_size < 1_000_000, file.name, "has", file.stat().st_size, "bytes")
                saved.append((path, file))
            for (a, a_saved), (b, b_saved) in itertools.combinations(saved, 2):
                found = kr("diff", a_saved, b_saved)
                if found is None:
                    checks.expect(False, a.name, b.name, "cannot be compared")
                    continue
                pairs += 1
                check_sums(checks, f"{a.name} and {b.name}", found)
            for (a, a_saved), (b, b_saved) in itertools.pairwise(saved):
                traces, both = kr("diff", a, b), kr("diff", a_saved, b_saved)
                for table in ("changes", "substitutions"):
                    checks.expect(traces.rows(table) == both.rows(table), a.name, b.name, table, "of saved runs differ")
    return pairs


def main():
    if not FOLDER.is_dir():
        print(f"skipped: {FOLDER} is missing", file=sys.stderr)
        return 77
    checks = Checks()
    nsys = FOLDER / "nsys"
    check_mfu(checks, kr("diff", nsys / "mfu_2gpu_before.sqlite", nsys / "mfu_2gpu_after.sqlite"))
    pairs = check_pairs(checks)
    checks.expect(pairs >= 60, "only", pairs, "pairs could be compared")
    training = sum(check_steps(checks, path) for path in sorted(FOLDER.glob("kineto/*.json.gz")))
    checks.expect(training >= 5, "only", training, "traces have steps")
    for line in checks.wrong[:40]:
        print(line, file=sys.stderr)
    print(f"{checks.count} checks, {len(checks.wrong)} wrong; {pairs} pairs, {training} traces with steps")
    return 1 if checks.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
