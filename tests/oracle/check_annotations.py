#!/usr/bin/env python3
"""Compares what kr says of traces with annotated CUDA graphs with known numbers, in all forms in which PyTorch writes
annotations.

    KR=build/tools/kr/kr tests/oracle/check_annotations.py
"""
import collections
import csv
import json
import os
import pathlib
import subprocess
import sys

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data" / "annotations"
# Lanes of a display, and what is no operation: kr shows neither. Nodes and replays: no output counts them.
# `annotated`: lanes, too. `fqn_all`: modules of eager operations by FQN, which the trace does not have.
WITHOUT_OUTPUT = {"variant", "stream_known_ops", "not_work_events", "graph_nodes", "replays", "graph_ops", "graph_ns"}
UNKNOWN_PREFIXES = ("lane_", "annotated_", "fqn_all_")
GROUPS = {"5": "tp", "7": "fsdp"}  # names of process groups, with their descriptions


def union(times):
    total, until = 0, None
    for start, end in sorted(times):
        begin = start if until is None else max(start, until)
        total += max(0, end - begin)
        until = end if until is None else max(until, end)
    return total


def kr(path, *arguments):
    done = subprocess.run([os.environ["KR"], "report", str(path), "--format", "json", *arguments],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def parts(annotation):
    return (annotation or "").split(" · ")


def value_of(annotation, key):
    return next((part[len(key) + 1:] for part in parts(annotation) if part.startswith(key + "=")), "")


def measure(path):
    result = kr(path, "--tables", "operations,host_calls,steps,streams,collective_overlap")
    operations = result["tables"]["operations"]
    calls = {row["call_id"]: row["api"] for row in result["tables"]["host_calls"]}
    sums = collections.Counter()

    def add(what, key, row):
        sums[what + "_ops", key] += 1
        sums[what + "_ns", key] += row["duration_ns"]

    by_stream = collections.defaultdict(list)
    for row in operations:
        graphed = calls[row["call_id"]] == "cudaGraphLaunch"
        add("kind", row["type"], row)
        add("call", calls[row["call_id"]], row)
        add("range", f"ProfilerStep#{row['step']}", row)
        by_stream[str(row["stream"])].append(row)
        if not graphed:
            if row["module"]:
                add("nn_module", row["module"].split("/")[-1], row)
            continue
        annotation, module = row["annotation"], (row["module"] or "").replace("/", ".")
        add("module", module, row)
        layer = ".".join(module.split(".")[:2]) if module.startswith("layers.") else ""
        add("layer", layer, row)
        add("phase", value_of(annotation, "autograd_phase"), row)
        names = [part for part in parts(annotation) if part and "=" not in part]
        add("label", names[0] if names else "", row)
        if annotation or module:
            sums["ops_annotated", ""] += 1
    for row in result["tables"].get("collective_overlap", []):
        if row["group"] and row["scope"] == "device":
            sums["group_ops", GROUPS[row["group"].split()[0]]] += row["instances"]
    sums["group_ops", ""] = len(operations) - sum(sums["group_ops", group] for group in GROUPS.values())
    sums["ops", ""] = len(operations)
    sums["total_ns", ""] = sum(row["duration_ns"] for row in operations)
    sums["elapsed_ns", ""] = union([(row["start_ns"], row["start_ns"] + row["duration_ns"]) for row in operations])
    if "streams" in result["tables"]:
        for stream, rows in by_stream.items():
            for row in rows:
                add("stream", stream, row)
            times = [(row["start_ns"], row["start_ns"] + row["duration_ns"]) for row in rows]
            busy = union(times)
            total = sum(end - start for start, end in times)
            sums["stream_union_ns", stream] = busy
            sums["stream_overlap_ns", stream] = total - busy
    return sums, result


def check_reference(failures):
    """The annotations are the truth for what a reference, here the eager step of the same trace, says of replays."""
    with open(DATA / "TRUTH.tsv", encoding="utf-8") as file:
        truth = list(csv.DictReader(file, delimiter="\t"))
    with open(DATA / "MODULES.tsv", encoding="utf-8") as file:
        modules = {row["fqn"]: row["nn_module"] for row in csv.DictReader(file, delimiter="\t")}
    path = DATA / "plain.json.gz"
    rows = kr(path, "--reference", str(path), "--tables", "operations")["tables"]["operations"]
    assert [int(row["dur_ns"]) for row in truth] == [row["duration_ns"] for row in rows]
    score = collections.Counter()
    for row, known in zip(rows, truth):
        if row["evidence"] not in ("instance", "kind") or known["module_fqn"] not in modules:
            continue  # nothing is said of copies, sets, and the loss outside the modules
        frame, wanted = (row["module"] or "").split("/")[-1], modules[known["module_fqn"]]
        if row["evidence"] == "kind":
            frame, wanted = frame.rsplit("_", 1)[0], wanted.rsplit("_", 1)[0]
        right = frame == wanted
        score[row["evidence"], right] += 1
        if not right:
            failures.append(f"plain.json.gz by reference: {row['name'][:40]} is in {wanted}, not {frame}")
    if not score:
        failures.append("plain.json.gz: the reference places nothing")
    print("by reference:", ", ".join(f"{count} {how} {'right' if right else 'wrong'}"
                                     for (how, right), count in sorted(score.items())))


def check_classes(file, failures):
    """A tree has the modules by their paths, each once, with their classes, whichever part of the trace names them."""
    with open(DATA / "MODULES.tsv", encoding="utf-8") as names:
        modules = {row["fqn"]: row["nn_module"].rsplit("_", 1)[0] for row in csv.DictReader(names, delimiter="\t")}
    done = subprocess.run([os.environ["KR"], "tree", str(DATA / file), "--format", "json", "--level", "module",
                           "--each-sibling", "--top-k", "0"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    compared = 0
    for row in json.loads(done.stdout)["tables"]["tree"]:
        parts = (row["path"] or "").split(" > ")
        fqn = ".".join(parts[1:])
        if parts[0] != "Transformer_0" or fqn not in modules or not fqn:
            continue
        compared += 1
        if row["class"] != modules[fqn]:
            failures.append(f"{file}: {fqn} is a {row['class']}, not a {modules[fqn]}")
    if compared != 43:  # those that have no other modules
        failures.append(f"{file}: {compared} modules by path")
    return compared


def main():
    if not DATA.is_dir():
        print("skipped: there is no", DATA)
        return 77
    expected = collections.defaultdict(list)
    with open(DATA / "ORACLE.tsv", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            expected[row["file"]].append((row["metric"], row["key"] or "", row["value"]))
    failures, compared = [], 0
    for file, wanted in sorted(expected.items()):
        path = DATA / file
        sums, result = measure(path)
        lost = file.startswith("postprocessed")
        if lost != ("streams" not in result["tables"]):
            failures.append(f"{file}: streams are {'there' if lost else 'absent'}")
        for metric, key, value in wanted:
            if metric in WITHOUT_OUTPUT or metric.startswith(UNKNOWN_PREFIXES):
                continue
            if metric in ("first_start_ns", "last_end_ns", "stream_overlapping_ops"):
                continue  # times of the trace count from its base; a count of pairs has no table
            if metric.startswith(("stream", "lane")) and lost:
                continue
            if metric == "group_ns":
                continue  # tables of collectives have their busy time
            got = sums[metric, key]
            compared += 1
            if str(got) != value:
                failures.append(f"{file}: {metric} {key}: {got}, not {value}")
    check_reference(failures)
    for file in expected:
        if file != "plain.json.gz":
            compared += check_classes(file, failures)
    print(f"{compared} numbers compared")
    for failure in failures[:40]:
        print("WRONG", failure)
    return 1 if failures else 0


sys.exit(main())
