#!/usr/bin/env python3
"""`kr analyze` and `kr tree` on every PyTorch trace of the shared data, against the exact numbers that are there:
operations linked to launches, kernels in modules (ORACLE.tsv), and layers found (LAYERS.tsv). And on every trace of it,
those of nsys too: whatever is summed in parts adds up to the whole.

    KR=build/tools/kr/kr tests/oracle/check_analyze.py [FOLDER]
"""
import collections
import csv
import io
import json
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data/kineto")


def kr(*arguments):
    done = subprocess.run([os.environ["KR"], *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape")


def rows_of(name):
    text = (FOLDER / name).read_text(encoding="utf-8", errors="surrogateescape")
    return list(csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))


def kernels_of_tree(run):
    """Kernels in modules and all of them, each with count and time; copies and sets are none."""
    inside, every = [0, 0], [0, 0]
    for row in csv.DictReader(io.StringIO(kr("tree", run, "--level", "kernel", "--by", "kind", "--format", "csv"))):
        if row["label"] == "memory":
            continue
        in_module = row["depth"] != "0" and not row["path"].startswith("layer ")
        for sums in [every] + [inside] * in_module:
            sums[0] += int(row["invocations"])
            sums[1] += int(row["total_ns"])
    return inside, every


def identities(run, report):
    """Of one run's analysis: (what, got, expected) of every sum that is told in parts."""
    parts = ("compute_ns", "exposed_communication_ns", "exposed_memory_ns", "idle_ns")
    for place in run["breakdown"] + run["steps"]:
        yield "span", place["span_ns"], sum(place[part] for part in parts)
        yield "busy", place["busy_ns"], place["span_ns"] - place["idle_ns"]
    operations, total = report["operations"], report["gpu_total_ns"]
    yield "operations of devices", sum(d["operations"] for d in run["breakdown"]), operations
    for what in ("kernels", "phases", "activity"):
        rows = [row for row in run[what] if what != "activity" or row["type"] not in ("runtime", "driver")]
        if what == "phases" and not rows:
            continue
        yield f"instances of {what}", sum(row["instances"] for row in rows), operations
        yield f"total of {what}", sum(row["total_ns"] for row in rows), total
    yield "attribution", sum(run["attribution"].values()), total
    steps, phases = collections.Counter(), collections.Counter()
    for row in run["steps"]:
        steps[row["phase"]] += row["total_ns"]
    for row in run["phases"]:
        phases[row["phase"]] += row["total_ns"]
        for labels in row["labels"].values():
            yield f"labels of {row['phase']}", sum(label["total_ns"] for label in labels), row["total_ns"]
    phases.pop("(outside steps)", None)
    yield "phases by step", +phases, +steps
    if run["launches"]:
        launches = run["launches"]
        yield "operations by call", sum(row["operations"] for row in launches["by_api"]), launches["linked"]
        yield "operations by stream", sum(row["operations"] for row in launches["queues"]), launches["linked"]
        yield "idle", sum(launches["idle"].values()), sum(d["idle_ns"] for d in run["breakdown"])


def check_identities(same):
    for path in sorted(FOLDER.iterdir()) + sorted((FOLDER.parent / "nsys").iterdir()):
        command = [os.environ["KR"], "report", str(path), "--format", "json"]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode != 0:
            continue
        report = json.loads(done.stdout.decode("utf-8", "surrogateescape"))["runs"][0]
        run = json.loads(kr("analyze", str(path), "--format", "json"))["runs"][0]
        for what, got, expected in identities(run, report):
            same(f"{path.name}: {what}", got, expected)


def check_ranks(same):
    """Two ranks of one job: what the traces say of themselves, and sums that are told twice."""
    paths = [str(FOLDER / f"dlrm_rank{rank}.json.gz") for rank in (1, 3)]
    found = json.loads(kr("analyze", *paths, "--format", "json"))
    ranks = found["ranks"]
    same("ranks", [(run["rank"], run["rank_from"]) for run in ranks["runs"]], [(1, "trace"), (3, "trace")])
    same("ranks: world", (ranks["world_size"], found["runs"][0]["backend"]), (8, "nccl"))
    for row in ranks["balance"]:
        times = [run["breakdown"][0][row["what"]] for run in found["runs"]]
        same(f"balance of {row['what']}", (row["min_ns"], row["max_ns"]), (min(times), max(times)))
    communication = [sum(k["total_ns"] for k in run["kernels"] if k["kind"] == "communication")
                     for run in found["runs"]]
    by_rank = [sum(c["ranks"][i]["total_ns"] for c in ranks["collectives"]) for i in (0, 1)]
    same("collectives are all communication", by_rank if not ranks["not_matched"] else communication, communication)
    for row in ranks["collectives"]:
        same(f"{row['name'][:40]}: someone waits less", min(r["waiting_ns"] for r in row["ranks"]) <
             max(r["total_ns"] for r in row["ranks"]), True)


def main():
    if not FOLDER.is_dir():
        print(f"skipped: there is no {FOLDER}")
        return 77
    oracle = collections.defaultdict(dict)
    for row in rows_of("ORACLE.tsv"):
        oracle[row["trace"]][row["metric"], row["key"]] = row["value"]
    layers = collections.defaultdict(list)
    for row in rows_of("LAYERS.tsv"):
        layers[row["trace"]].append(row)
    wrong, checked = [], 0

    def same(what, got, want):
        nonlocal checked
        checked += 1
        if got != want:
            wrong.append(f"{what}: {got}, expected {want}")

    for trace, metrics in sorted(oracle.items()):
        if int(metrics.get(("count", "kernel"), 0)) == 0:
            continue
        path = str(FOLDER / trace)
        # Without steps every kernel counts once, wherever its launch stands.
        run = path + ",generic"
        inside, every = kernels_of_tree(run)
        same(f"{trace}: kernels", every, [int(metrics["count", "kernel"]), int(metrics["sum_ns", "kernel"])])
        same(f"{trace}: kernels in modules", inside,
             [int(metrics["kernels_in_module", ""]), int(metrics["kernels_in_module_ns", ""])])
        one = json.loads(kr("analyze", run, "--format", "json"))["runs"][0]
        kernels = collections.Counter()
        for kernel in one["kernels"]:
            kernels[kernel["kind"] == "memory"] += kernel["instances"]
        launches = one["launches"]
        same(f"{trace}: operations", launches["linked"] + launches["orphans"], sum(kernels.values()))
        orphans, linked = (int(metrics[f"kernels_{what}", ""]) for what in ("orphan", "linked"))
        same(f"{trace}: kernels linked are no more than operations",
             launches["linked"] >= linked and launches["orphans"] >= orphans, True)
        same(f"{trace}: idle time", sum(launches["idle"].values()), sum(d["idle_ns"] for d in one["breakdown"]))
        same(f"{trace}: attribution", sum(one["attribution"].values()), sum(k["total_ns"] for k in one["kernels"]))
        found = collections.Counter()
        for run in (run, path):
            for layer in json.loads(kr("analyze", run, "--format", "json", "--only", "layers"))["runs"][0]["layers"]:
                found[layer["period"], layer["repeats"], layer["total_ns"]] += 1
        for row in layers[trace]:
            # Of annotations that hold each other kr looks through the innermost, and through a whole trace only where
            # it has no steps.
            if row["unit"] == "trace" or row["key"].startswith("execute_"):
                continue
            key = int(row["period"]), int(row["repeats"]), int(row["covered_ns"])
            same(f"{trace}: {row['key'][:40]}: layers {key}", key in found, True)
    check_identities(same)
    check_ranks(same)
    print(f"{checked} numbers held against those of {FOLDER}")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
