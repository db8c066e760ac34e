#!/usr/bin/env python3
"""Compares what kr reads of every Perfetto trace of the shared data with the exact numbers in it (ORACLE.tsv): operations
by kind, name, device, stream, call, range, module, process and group, their times, counters, and what is dropped. Then
pairs of files with equal content: a Perfetto trace and the JSON that it was made from.

    KR=build/tools/kr/kr tests/oracle/check_pftrace.py [FOLDER]
"""
import collections
import csv
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data/pftrace")
TABLES = "operations,host_calls,host_ranges,cuda_gpu_trace,launch_matching,gpu_metrics"
NO_WORK = {"perfetto_tests/gpu_api_slice.pftrace", "perfetto_tests/gpu_counter_groups_custom.pftrace",
           "perfetto_tests/gpu_counter_specs.pftrace"}
# Keys without an output of kr, and why.
NO_OUTPUT = {
    "gzip": "how a file is packed is not shown",
    "packets": "of the file, not of the run", "cleared": "likewise", "sequences": "likewise",
    "compressed_packets": "they are read in place", "zstd_packets": "likewise", "instants": "they have no time",
    "slices": "ops and frames that are no modules are not kept", "slice_count": "likewise", "slice_ns": "likewise",
    "slices_otherwise_by_a_plain_stack": "how they are paired is not shown",
    "unpaired": "counted in a note only where there are any, which is nowhere",
    "not_work_stages": "they are no operations", "legacy_events": "this one is no operation",
    "queue_ops": "queues stand for streams only where there are none", "queue_ns": "likewise",
    "lane_ops": "lanes are not shown", "lane_ns": "likewise",
    # `collectives` compares the ranks of a job.
    "group_ops": "of one run", "group_ns": "likewise", "collective_ops": "likewise", "collective_ns": "likewise",
}
# Without categories, only steps are annotations for certain: the others are not compared.
NO_CATEGORIES = {"dlrm_rank1.track_events.pftrace", "vllm_graph.monitor.pftrace", "traps.pftrace"}
MEMBERS = {"500": "rank 0", "501": "rank 1"}  # of traps.pftrace, whose processes are called so
# An operation of 640 ns has no stream and no context: the lane of stream 7 stands for the one, and the process of the
# calls of its sequence for the other.
MORE = {("traps.pftrace", "stream_ops", "7"): 1, ("traps.pftrace", "stream_ns", "7"): 640,
        ("traps.pftrace", "proc_ops", "501"): 1, ("traps.pftrace", "proc_ns", "501"): 640}


def run_kr(path, tables, *more):
    done = subprocess.run([os.environ["KR"], "analyze", str(path), "--format", "json", "--tables", tables, *more],
                          capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{path.name}: {done.stderr.decode(errors='replace')}")
    return Results(done.stdout)


def union(intervals):
    covered, reached = 0, None
    for start, end in sorted(intervals):
        if reached is None or start > reached:
            covered, reached = covered + end - start, end
        elif end > reached:
            covered, reached = covered + end - reached, end
    return covered


def innermost(ranges, call):
    """The annotation around the start of the call on its thread that began last."""
    inside = [one for one in ranges.get((call["run"], call["process"], call["thread"]), ())
              if one["start_ns"] <= call["start_ns"] < one["end_ns"]]
    return max(inside, key=lambda one: (one["start_ns"], -one["end_ns"]))["name"] if inside else ""


def facts_of(found, name):
    """By metric and key, what kr says."""
    got = collections.Counter()
    calls = {(call["run"], call["call_id"]): call for call in found.rows("host_calls")}
    ranges = collections.defaultdict(list)
    for one in found.rows("host_ranges"):
        got["module_slices", ""] += one["type"] == "module" and one["process"] != "places"
        if one["type"] == "annotation" and (name not in NO_CATEGORIES or one["name"].startswith("ProfilerStep#")):
            got["ranges", ""] += one["process"] != "places"
            ranges[one["run"], one["process"], one["thread"]].append(one)
    member = {run["run"]: run["source"].rpartition(" (")[2].rstrip(")") if run["source"].endswith(")") else ""
              for run in found.runs}
    processes = {call["process"] for call in found.rows("host_calls")}
    own = collections.defaultdict(lambda: collections.defaultdict(list))
    for operation in found.rows("operations"):
        call = calls.get((operation["run"], operation["call_id"]))
        path = (operation["module"] or "").split("/")
        # What a node says of itself has a dotted path; frames are named by their class.
        said = operation["evidence"] == "annotation" and operation["module"]
        keys = {"kind": operation["type"], "name": operation["name"], "device": str(operation["device"]),
                "stream": str(operation["stream"]), "call": call["api"] if call else "",
                "range": innermost(ranges, call) if call else "",
                "module": ".".join(path) if said else "", "nn_module": path[-1] if not said else "",
                "proc": member[operation["run"]] or (min(processes) if len(processes) == 1 else "")}
        for metric, key in keys.items():
            got[f"{metric}_ops", key] += 1
            got[f"{metric}_ns", key] += operation["duration_ns"]
        own["all"]["all"].append((operation["start_ns"], operation["start_ns"] + operation["duration_ns"]))
        got["linked_ops", ""] += call is not None
        got["zero_ops", ""] += operation["duration_ns"] == 0
    times = own["all"]["all"]
    got["ops", ""] = len(times)
    if times:
        got["first_start_ns", ""] = min(start for start, _ in times)
        got["last_end_ns", ""] = max(end for _, end in times)
        got["total_ns", ""] = sum(end - start for start, end in times)
        got["elapsed_ns", ""] = union(times)
    got["names", ""] = len({one["name"] for one in found.rows("operations")})
    # Without a category, ORACLE counts only what is named like a call; the profiler calls some `INVALID`.
    got["calls", ""] = sum(name not in NO_CATEGORIES or one["api"] != "INVALID" for one in found.rows("host_calls"))
    got["with_grid", ""] = sum(one["grid_x"] is not None for one in found.rows("cuda_gpu_trace"))
    got["processes", ""] = len({one for one in member.values() if one}) or 1
    for row in found.rows("gpu_metrics"):
        if row["scope"] == "gpu":
            key = row["metric"] if "GPU [" in row["metric"] else f"GPU {row['key']} {row['metric']}"
            # As they are written: percent and MHz; kr has ratios and Hz.
            scale = 100 if "(%)" in key else 1e-6 if "(MHz)" in key else 1
            values = [scale * row[column] for column in row if column.startswith("mean_") and row[column] is not None]
            got["counter_samples", key] += row["samples"]
            got["counter_sum", key] += row["samples"] * values[0]
    for note in found.notes:
        text = note["text"]
        if "refers to what was lost" in text:
            got["dropped_packets", ""] += note["count"]
        if "whose name is not in the trace" in text:
            got["missing_interned", ""] += note["count"]
    return got


def differs(name, metric, key, value, got):
    """Whether kr says something else; None: it has no output for it."""
    if metric in NO_OUTPUT or name in NO_WORK:
        return None
    if metric.startswith("proc") and not got["calls", ""] and got["processes", ""] == 1:
        return None  # a process that is the only one is known by its calls
    if metric == "processes" and name == "traps.pftrace":
        return got[metric, key] != int(value) - 1  # operations of no process are none
    if metric.startswith(("stream_", "proc_")) and key == "":
        return None  # a lane stands for it, or the process of the calls
    if key.endswith("(CPU)"):
        return None  # a counter of no GPU is dropped
    more = MORE.get((name, metric, key), 0)
    if metric.startswith("proc_"):
        known = {one for _, one in got}
        key = next((one for one in (f"process {key}", MEMBERS.get(key)) if one in known), key)
    if metric == "counter_sum":
        return abs(got[metric, key] - float(value)) > 1e-6 * max(1.0, abs(float(value)))
    return got[metric, key] != int(value) + more


def check(name, rows):
    found = run_kr(FOLDER / name, TABLES)
    got = facts_of(found, name)
    wrong, compared = [], 0
    for metric, key, value in rows:
        result = differs(name, metric, key, value, got)
        compared += result is not None
        if result:
            wrong.append(f"{name}: {metric} of `{key[:70]}`: {got[metric, key]}, expected {value}")
    return wrong, compared


# A Perfetto trace, one of its ranks, and the JSON that it was made from. Copies lost the detail in their names, and an
# operation ends where the next one of its lane begins.
PAIRS = [("bert.cuspy.pftrace", None, "h100_bert.json.gz"), ("vllm_graph.monitor.pftrace", None, "vllm_decode_graph.json.gz"),
         ("dlrm_2ranks.cat.pftrace.gz", "process 59812", "dlrm_rank1.json.gz"),
         ("dlrm_2ranks.cat.pftrace.gz", "process 59814", "dlrm_rank3.json.gz"),
         ("dlrm_rank1.track_events.pftrace", None, "dlrm_rank1.json.gz")]


def check_pair(name, rank, json_name):
    """Operations, and labels of all dimensions: rows that differ in more than what was lost."""
    of_rank = [] if rank is None else ["--rank", rank]
    both = [run_kr(FOLDER / name, "operations,labels,kernels", *of_rank),
            run_kr(FOLDER.parent / "kineto" / json_name, "operations,labels,kernels")]
    wrong, shorter, compared = [], 0, 0
    rows = []
    for found in both:
        operations = [dict(row) for row in found.rows("operations")]
        base = min(row["start_ns"] for row in operations)  # JSON counts from a base that is not in its times
        for row in operations:
            row.pop("run"), row.pop("elapsed_ns")
            row["start_ns"] -= base
            if row["type"] != "kernel":
                row["name"] = row["type"]
        rows.append(sorted(operations, key=lambda row: (row["start_ns"], row["device"], row["stream"], row["name"],
                                                        row["duration_ns"])))
    if len(rows[0]) != len(rows[1]):
        return [f"{name}: {len(rows[0])} operations, {json_name} has {len(rows[1])}"], 0
    for ours, other in zip(*rows):
        compared += 1
        cut = ours.pop("duration_ns"), other.pop("duration_ns")
        shorter += cut[0] < cut[1]
        if ours != other or cut[0] > cut[1]:
            wrong.append(f"{name}: operation {({k: (ours[k], other[k]) for k in ours if ours[k] != other[k]}, cut)}")
    for table, key in (("labels", ("dimension", "label")), ("kernels", ("name", "type"))):
        counts = [collections.Counter() for _ in both]
        for found, count in zip(both, counts):
            for row in found.rows(table):
                if row.get("type", "kernel") == "kernel":
                    count[tuple(row[column] for column in key)] += row["instances"]
        compared += len(counts[1])
        wrong += [f"{name}: {table} of {one}: {counts[0][one]}, {json_name} has {counts[1][one]}"
                  for one in sorted(set(counts[0]) | set(counts[1])) if counts[0][one] != counts[1][one]]
    if shorter * 20 > len(rows[0]):
        wrong.append(f"{name}: {shorter} of {len(rows[0])} durations are shorter than in {json_name}")
    return wrong, compared


def main():
    if not (FOLDER / "ORACLE.tsv").exists():
        print(f"no {FOLDER}/ORACLE.tsv: nothing to compare")
        return 77
    wanted = collections.defaultdict(list)
    with open(FOLDER / "ORACLE.tsv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            wanted[row["file"]].append((row["metric"], row["key"], row["value"]))
    proton = FOLDER.parent / "proton/ORACLE_2026.tsv"
    if proton.exists():
        with open(proton, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row["file"] == "graph.perfetto":
                    # Its rows are named by the stream.
                    lane = row["metric"].startswith("lane_")
                    metric, key = row["metric"].replace("lane_", "stream_"), row["key"].removeprefix("GPU Stream ")
                    if lane or not metric.startswith(("stream_", "module_", "nn_module_", "device_")):
                        wanted["../proton/graph.perfetto"].append((metric, key, row["value"]))
    wrong, compared = [], 0
    for name, rows in wanted.items():
        more, count = check(name, rows)
        wrong += more
        compared += count
    for name, rank, json_name in PAIRS:
        if (FOLDER.parent / "kineto" / json_name).exists():
            more, count = check_pair(name, rank, json_name)
            wrong += more
            compared += count
    print("\n".join(wrong) or f"{compared} values of {len(wanted)} traces agree")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
