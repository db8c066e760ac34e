#!/usr/bin/env python3
"""Phases found without annotations, on real traces.

Steps and layers of the traces that there are: one step each, or none. Then a prefill and a decode of one
server, repeated as a serving run would have them, with annotations: how far found phases agree with these.

    KR=build/tools/kr/kr tests/oracle/check_found_phases.py
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results  # noqa: E402

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"
TABLES = "found_phases,label_times,found_agreement,devices"
# Layers of the only step that is complete; the numbers are those of the models.
LAYERS = {"kineto/vllm_decode_graph.json.gz": 24, "kineto/sglang_prefill.json.gz": 36,
          "graphs/vllm_decode.replay.json.gz": 24, "graphs/sglang_decode.replay.json.gz": 36}
# Training, solvers, databases, parts of a step: nothing repeats like the steps of a language model.
# The last also has the end of one step and another one.
NOTHING = ["kineto/a100_ddp_ns.json.gz", "kineto/a100_graphs_recsys.json.gz", "kineto/dlrm_rank1.json.gz",
           "kineto/mi250_train_small.json.gz", "kineto/v100_ddp_large.json.gz",
           "kineto/v100_resnet_2020_list.json.gz", "kineto/v100_resnet_2021_streams.json.gz",
           "nsys/balinski_report16.sqlite", "nsys/gaussian_report5.sqlite", "nsys/h100_2gpu_1s.sqlite",
           "nsys/mfu_2gpu_after.sqlite", "nsys/power_iteration__baseline.sqlite", "kineto/mi300_qwen05b.json.gz"]
failures = []


def check(what, found, wanted):
    if found != wanted:
        failures.append(f"{what}: {found}, not {wanted}")


def at_least(what, found, least):
    if found < least:
        failures.append(f"{what}: {found} is less than {least}")


def analyze(path):
    done = subprocess.run([os.environ["KR"], "analyze", path, "--tables", TABLES, "--format", "json"],
                          capture_output=True, check=False)
    if done.returncode != 0:
        failures.append(f"{path}: {done.stderr.decode()}")
        return None
    return Results(done.stdout)


def check_sums(name, results):
    """Phases divide the time of each device."""
    for device in results.rows("devices"):
        rows = results.rows("found_phases", scope="phase", run=device["run"], device=device["device"])
        if not rows:
            continue
        for column in ("span_ns", "busy_ns"):
            check(f"{name} {column}", sum(row[column] for row in rows), device[column])
        labels = results.rows("label_times", scope="found_phase", device=device["device"], dimension="kind")
        check(f"{name} labels", sum(row["total_ns"] for row in labels), sum(row["total_ns"] for row in rows))


def check_real():
    for name, layers in LAYERS.items():
        results = analyze(DATA / name)
        if results is None:
            continue
        check(f"{name} layers", [row["layers"] for row in results.rows("found_phases", scope="step")], [layers])
        # One step: by the products of prefill, and by the one launch of a graph of decode.
        phase, confidence = ("prefill", "medium") if "prefill" in name else ("decode", "low")
        check(f"{name} phases", {row["phase"] for row in results.rows("found_phases", scope="step")}, {phase})
        check(f"{name} confidence", {row["confidence"] for row in results.rows("found_phases", scope="step")}, {confidence})
        check_sums(name, results)
    for name in NOTHING:
        results = analyze(DATA / name)
        if results is not None:
            check(f"{name} steps", len(results.rows("found_phases", scope="step")), 0)
            check(f"{name} phases", len(results.rows("found_phases", scope="phase")), 0)


def gpu_operations(name):
    with gzip.open(DATA / name, "rb") as file:
        events = json.loads(file.read())["traceEvents"]
    kept = [event for event in events if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    kept.sort(key=lambda event: event["ts"])
    # The first kernel is of the step before, half a second earlier.
    return kept[1:] if kept[1]["ts"] - kept[0]["ts"] > 100_000 else kept


def check_unfused(folder):
    """One pass of a model of 24 layers whose norms are not fused: 49 of them, twice a layer and at the end."""
    operations = gpu_operations("kineto/mi300_qwen05b.json.gz")
    begin = next(i for i, event in enumerate(operations) if "indexSelect" in event["name"])
    path = folder / "unfused.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": operations[begin:]}))
    results = analyze(path)
    if results is not None:
        check("unfused layers", [row["layers"] for row in results.rows("found_phases", scope="step")], [24])
        check("unfused confidence", [row["confidence"] for row in results.rows("found_phases", scope="step")], ["low"])


def with_graph_as_one(operations):
    """The kernels of the launch that most kernels have, as one operation: what nsys traces without nodes."""
    launches = collections.Counter(event["args"]["correlation"] for event in operations)
    graph = launches.most_common(1)[0][0]
    inside = [event for event in operations if event["args"]["correlation"] == graph]
    end = max(event["ts"] + event["dur"] for event in inside)
    one = {**inside[0], "name": "[CUDA graph 5]", "dur": end - inside[0]["ts"]}
    kept = [event for event in operations if event["args"]["correlation"] != graph and
            not inside[0]["ts"] <= event["ts"] <= end]
    return sorted([one] + kept, key=lambda event: event["ts"])


class Splice:
    """Steps one after the other, each launched inside an annotation."""

    def __init__(self, steps, seed):
        self.steps, self.random, self.now, self.events = steps, random.Random(seed), 1000.0, []

    def operation(self, event, thread, device, duration):
        number = len(self.events)
        self.events.append({**event, "ts": round(self.now, 3), "dur": round(duration, 3), "args": {
            "device": device, "stream": 7, "correlation": number}})
        self.events.append({"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 1, "tid": thread,
                            "ts": round(self.now, 3), "dur": 0.001, "args": {"correlation": number}})
        self.now += duration

    def load(self, copies):
        event = {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 9, "tid": 7}
        for _ in range(copies):
            self.operation(event, 1, 9, self.random.uniform(500, 900))
            self.now += 50

    def step(self, kind):
        begin, last = self.now, None
        for event in self.steps[kind]["operations"]:
            gap = 0 if last is None else min(max(event["ts"] - last, 0), 400)
            last = event["ts"] + event["dur"]
            self.now += gap
            self.operation(event, 1, 9, event["dur"] * self.random.uniform(0.97, 1.03))
        self.events.append({"ph": "X", "cat": "user_annotation", "name": self.steps[kind]["text"], "pid": 1, "tid": 1,
                            "ts": round(begin - 5, 3), "dur": round(self.now - begin + 10, 3), "args": {}})
        self.now += self.random.uniform(100, 500)

    def write(self, path):
        path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": self.events}))


def check_serving(folder, whole):
    """`whole`: the graphs of decode were traced as one operation each."""
    steps = {"prefill": {"operations": gpu_operations("kineto/sglang_prefill.json.gz"),
                         "text": "step[EXTEND bs=15 toks=15360]"},
             "decode": {"operations": gpu_operations("graphs/sglang_decode.replay.json.gz"),
                        "text": "step[DECODE bs=32]"}}
    if whole:
        steps["decode"]["operations"] = with_graph_as_one(steps["decode"]["operations"])
    plans = {"load": ["load", "prefill"] + ["decode"] * 12 + ["prefill"] + ["decode"] * 20,
             "prefills first": ["prefill"] * 3 + ["decode"] * 25,
             "requests": (["prefill"] + ["decode"] * 8) * 4}
    for seed, (name, plan) in enumerate(plans.items()):
        splice = Splice(steps, seed)
        for part in plan:
            splice.load(200) if part == "load" else splice.step(part)
        path = folder / "trace.json"
        splice.write(path)
        results = analyze(path)
        if results is None:
            continue
        check_sums(name, results)
        for phase in ("prefill", "decode"):
            rows = results.rows("found_agreement", phase=phase)
            check(f"{name} {phase} rows", len(rows), 1)
            for row in rows:
                check(f"{name} {phase} steps", row["found_steps"], plan.count(phase))
                check(f"{name} {phase} annotated", row["annotated_steps"], plan.count(phase))
                at_least(f"{name} {phase} agreement", row["share"], 0.999)
            for row in results.rows("found_phases", scope="phase", key=phase):
                check(f"{name} {phase} layers", row["layers"], None if whole and phase == "decode" else 36)
                check(f"{name} {phase} confidence", row["confidence"], "medium" if whole else "high")
        check(f"{name} load", len(results.rows("found_phases", scope="phase", key="model_load")), plan.count("load"))


def main():
    if not DATA.is_dir():
        return 77
    check_real()
    with tempfile.TemporaryDirectory() as folder:
        check_unfused(pathlib.Path(folder))
        check_serving(pathlib.Path(folder), whole=False)
        check_serving(pathlib.Path(folder), whole=True)
    for failure in failures:
        print(failure)
    return 1 if failures else 0


sys.exit(main())
