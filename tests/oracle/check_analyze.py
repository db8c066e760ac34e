#!/usr/bin/env python3
"""Compares `kr analyze` and `kr tree` for every PyTorch trace of the shared data with the exact numbers in it:
operations with launches, kernels in modules (ORACLE.tsv), and layers found (LAYERS.tsv). For every trace,
those of nsys too: all sums of parts add up to their total.

    KR=build/tools/kr/kr tests/oracle/check_analyze.py [FOLDER]
"""
import collections
import csv
import io
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results, total  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data/kineto")


def kr(*arguments):
    done = subprocess.run([os.environ["KR"], *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape")


def analyze(*arguments):
    return Results(kr("analyze", *arguments, "--format", "json"))


def rows_of(name):
    text = (FOLDER / name).read_text(encoding="utf-8", errors="surrogateescape")
    return list(csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))


def kernels_of_tree(run):
    """Kernels in modules and all kernels, each with count and time; copies and sets are not kernels."""
    inside, every = [0, 0], [0, 0]
    for row in csv.DictReader(io.StringIO(kr("tree", run, "--level", "kernel", "--by", "kind", "--format", "csv"))):
        if row["label"] == "memory":
            continue
        in_module = row["depth"] != "0" and not row["path"].startswith("layer ")
        for sums in [every] + [inside] * in_module:
            sums[0] += int(row["invocations"])
            sums[1] += int(row["total_ns"])
    return inside, every


def identities(found, report):
    """For the analysis of one run: (what, got, expected) of every sum that is reported in parts."""
    parts = ("compute_ns", "exposed_communication_ns", "exposed_memory_ns", "idle_ns")
    devices, phases, steps = (found.rows(table) for table in ("devices", "phases", "steps"))
    for place in devices + steps:
        yield "span", place["span_ns"], sum(place[part] for part in parts)
        yield "busy", place["busy_ns"], place["span_ns"] - place["idle_ns"]
    # A report may detect the engine before it has read everything.
    yield "run", {**found.run(), "why": ""}, {**report.run(), "why": ""}
    yield "devices", devices, report.rows("devices")
    operations, time = report.run()["operations"], report.run()["gpu_total_ns"]
    yield "operations of devices", total(devices, "operations"), operations
    activity = [row for row in found.rows("activity", scope="all") if row["type"] not in ("runtime", "driver")]
    for table, rows in (("kernels_by_device", found.rows("kernels_by_device")), ("activity", activity)):
        yield f"instances of {table}", total(rows, "instances"), operations
        yield f"total of {table}", total(rows, "total_ns"), time
    attribution = found.rows("attribution")
    yield "attribution", (total(attribution, "operations"), total(attribution, "total_ns")), (operations, time)
    # A step includes the steps inside it, so steps without an outer step, and operations outside steps, are all.
    outermost = [row for row in steps if row["outer_step_id"] is None]
    outside = [row for row in phases if row["phase"] == "(outside steps)"]
    if phases:
        yield "instances of steps", total(outermost + outside, "instances"), operations
        yield "total of steps", total(outermost + outside, "total_ns"), time
    by_id = {row["step_id"]: row for row in steps}
    by_phase, by_step = collections.Counter(), collections.Counter()
    for row in steps:
        outer = row
        while outer["outer_step_id"] is not None:
            outer = by_id[outer["outer_step_id"]]
            if outer["phase"] == row["phase"]:
                break
        else:
            by_step[row["phase"]] += row["total_ns"]
    for row in phases:
        by_phase[row["phase"]] += row["total_ns"]
    by_phase.pop("(outside steps)", None)
    yield "phases by step", +by_phase, +by_step
    # Every dimension of the report, in every phase and step.
    dimensions = {label["dimension"] for label in report.rows("labels")}
    labels = found.grouped("label_times", "scope", "key", "dimension")
    for scope, places, key in (("phase", phases, "phase"), ("step", steps, "step_id")):
        yield (f"dimensions of {scope}", {dimension for part, _, dimension in labels if part == scope},
               dimensions if places else set())
        for place in places:
            for dimension in dimensions:
                rows = labels[scope, str(place[key]), dimension]
                yield (f"labels of {scope} {place[key]}", (total(rows, "instances"), total(rows, "total_ns")),
                       (place["instances"], place["total_ns"]))
    matching = found.rows("launch_matching")
    if matching:
        linked = matching[0]["linked"]
        yield "operations with and without a launch", linked + matching[0]["orphans"], operations
        yield "operations by call", total(found.rows("launches"), "operations"), linked
        yield "operations by stream", total(found.rows("launch_queue"), "operations"), linked
        for device in devices:
            causes = found.rows("idle", device=device["device"])
            yield "idle", total(causes, "total_ns"), device["idle_ns"]
            for row in causes:
                calls = found.rows("idle_calls", device=device["device"], cause=row["cause"])
                yield f"calls of {row['cause']}", total(calls, "total_ns"), row["total_ns"]
        yield "causes of calls", len({(row["device"], row["cause"]) for row in found.rows("idle_calls")}), len(
            found.rows("idle"))
        for row in found.rows("waits"):
            yield f"busy and idle of {row['scope']}", row["busy_ns"] + row["idle_ns"], row["total_ns"]
    else:
        yield "tables of launches", [found.rows(table) for table in ("launches", "launch_queue", "idle")], [[], [], []]


def check_identities(same):
    for path in sorted(FOLDER.iterdir()) + sorted((FOLDER.parent / "nsys").iterdir()):
        command = [os.environ["KR"], "report", str(path), "--format", "json"]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode != 0:
            continue
        for what, got, expected in identities(analyze(str(path)), Results(done.stdout)):
            same(f"{path.name}: {what}", got, expected)


def check_ranks(same):
    """Two ranks of one job: what the traces contain about ranks, and sums that are in two tables."""
    paths = [str(FOLDER / f"dlrm_rank{rank}.json.gz") for rank in (1, 3)]
    found = analyze(*paths)
    for rows in (found.runs, found.rows("ranks")):
        same("ranks", [(row["rank"], row["rank_from"], row["world_size"]) for row in rows],
             [(1, "trace", 8), (3, "trace", 8)])
    same("ranks: backend", [run["backend"] for run in found.runs], ["nccl", "nccl"])
    times = ("span", "busy", "compute", "communication", "exposed_communication", "memory", "exposed_memory", "idle")
    balance = found.rows("balance", scope="device")
    same("balance", [row["key"] for row in balance], list(times))
    for row in balance:
        values = [device[row["key"] + "_ns"] for device in found.rows("devices")]
        same(f"balance of {row['key']}", (row["min_ns"], row["mean_ns"], row["max_ns"]),
             (min(values), sum(values) / 2, max(values)))
    communication = [total(found.rows("kernels_by_device", rank=rank, kind="communication"), "total_ns")
                     for rank in (1, 3)]
    same("collectives are all communication",
         [total(found.rows("collectives", rank=rank), "total_ns") for rank in (1, 3)], communication)
    same("there are collectives", found.rows("collective_balance") != [], True)
    for row in found.rows("collective_balance"):
        ranks = found.rows("collectives", group=row["group"], kind=row["kind"])
        same(f"{row['kind'][:40]}: sums", (row["total_ns"], row["waiting_ns"]),
             (total(ranks, "total_ns"), total(ranks, "waiting_ns")))
        same(f"{row['kind'][:40]}: someone waits less", min(r["waiting_ns"] for r in ranks) <
             max(r["total_ns"] for r in ranks), True)
    waiting = collections.Counter()
    for row in found.rows("collectives"):
        waiting[row["rank"]] += row["waiting_ns"] or 0
    same("waiting of ranks", {row["rank"]: row["waiting_ns"] for row in found.rows("ranks")}, dict(waiting))


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
        # Without steps every kernel counts once, wherever its launch is.
        run = path + ",generic"
        inside, every = kernels_of_tree(run)
        same(f"{trace}: kernels", every, [int(metrics["count", "kernel"]), int(metrics["sum_ns", "kernel"])])
        same(f"{trace}: kernels in modules", inside,
             [int(metrics["kernels_in_module", ""]), int(metrics["kernels_in_module_ns", ""])])
        one = analyze(run)
        kernels = one.rows("kernels_by_device")
        launches, = one.rows("launch_matching")
        same(f"{trace}: operations", launches["linked"] + launches["orphans"], total(kernels, "instances"))
        orphans, linked = (int(metrics[f"kernels_{what}", ""]) for what in ("orphan", "linked"))
        same(f"{trace}: kernels with launches are not more than operations",
             launches["linked"] >= linked and launches["orphans"] >= orphans, True)
        same(f"{trace}: idle time", total(one.rows("idle"), "total_ns"), total(one.rows("devices"), "idle_ns"))
        same(f"{trace}: attribution", total(one.rows("attribution"), "total_ns"), total(kernels, "total_ns"))
        found = collections.Counter()
        for run in (run, path):
            for layer in analyze(run, "--tables", "layers").rows("layers"):
                found[layer["period"], layer["repeats"], layer["total_ns"]] += 1
        for row in layers[trace]:
            # Of nested annotations kr searches the innermost, and through a whole trace only where
            # it has no steps.
            if row["unit"] == "trace" or row["key"].startswith("execute_"):
                continue
            key = int(row["period"]), int(row["repeats"]), int(row["covered_ns"])
            same(f"{trace}: {row['key'][:40]}: layers {key}", key in found, True)
    check_identities(same)
    check_ranks(same)
    print(f"{checked} numbers compared with those of {FOLDER}")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
