#!/usr/bin/env python3
"""Compares the places of kernels that graphs ran with what an independent program computed (shared/data/graphs): each
kernel (*.each.tsv), and all sums (ORACLE.tsv). Of references that are not the graph's own capture: nothing is wrong,
and the shares are at least those of the independent program minus 3 points.

    KR=build/tools/kr/kr tests/oracle/check_graphs.py
"""
import collections
import csv
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results  # noqa: E402

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data" / "graphs"
HOW = ("instance", "kind", "within", "abstain")
# Replay, reference, what the rows of ORACLE.tsv add to the name of the pair, and the file of each kernel.
SG, VLLM = "sglang_decode", "vllm_decode"
EXACT = (
    (f"{SG}.replay", f"{SG}.capture", "", SG),
    (f"{SG}.replay.one_layer_less.constructed", f"{SG}.capture", "", f"{SG}.one_layer_less"),
    (f"{SG}.replay.without_head.constructed", f"{SG}.capture", "", f"{SG}.without_head"),
    (f"{SG}.replay.every_50th_less.constructed", f"{SG}.capture", "", f"{SG}.every_50th_less"),
    (f"{VLLM}.replay", f"{VLLM}.capture", "", VLLM),
    (f"{VLLM}.replay", f"{SG}.capture", " (another model)", None),
)


def tsv(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def kr(replay, reference):
    done = subprocess.run([os.environ["KR"], "report", str(DATA / f"{replay}.json.gz"), "--reference",
                           str(reference if isinstance(reference, pathlib.Path) else DATA / f"{reference}.json.gz"), "--tables", "operations,graph_alignment", "--format",
                           "json"], capture_output=True, check=False)
    if done.returncode != 0:
        raise ValueError(f"exit {done.returncode}: {done.stderr.decode(errors='replace')}")
    return Results(done.stdout)


def kinds(modules):
    return [re.sub(r"_\d+$", "", name) for name in modules]


class Kernel:
    def __init__(self, row):
        self.how = row["evidence"]
        self.call = row["call_id"]
        self.ns = row["duration_ns"]
        self.modules = row["module"].split("/") if row["module"] else []
        self.ops = row["op"].split(" > ") if row["op"] else []


def kernels(results):
    """Those of graphs, and the others by whether a launch is known."""
    graph, direct, orphan = [], [], []
    for row in results.rows("operations"):
        of_graph = row["evidence"] in HOW
        (graph if of_graph else direct if row["call_id"] is not None else orphan).append(row)
    return [Kernel(row) for row in graph], direct, orphan


def sums(found, direct, orphan, file):
    """As the metrics of ORACLE.tsv."""
    out = collections.Counter()

    def add(metric, key, ns):
        out[f"{metric}_ns", key] += ns
        out[f"{metric}_count", key] += 1

    for how in HOW:
        some = [one.ns for one in found if one.how == how]
        out["summary", how], out["summary", f"{how}_ns"] = len(some), sum(some)
    out["summary", "graph_launches"] = len({one.call for one in found})
    out["summary", "replayed"], out["summary", "replayed_ns"] = len(found), sum(one.ns for one in found)
    for name, rows in (("direct", direct), ("orphan", orphan)):
        out["summary", name] = len(rows)
        out["summary", f"{name}_ns"] = sum(row["duration_ns"] for row in rows)
    layer = re.compile(r"Qwen3DecoderLayer_\d+$")
    open_calls, calls = [], 0
    names = {}
    for one in found:
        instance = one.how == "instance"
        unknown = "(abstain)" if one.how == "abstain" else "(within)"
        modules = one.how != "abstain" and one.modules
        add("module_innermost_kind", kinds(one.modules)[-1] if modules else "(none)" if instance else unknown, one.ns)
        add("module_path_kind", " > ".join(kinds(one.modules)) if modules else "(none)" if instance else unknown,
            one.ns)
        matched = one.how in ("instance", "kind")
        add("op_innermost", one.ops[-1] if one.ops else "(none)" if matched else unknown, one.ns)
        add("op_outermost", one.ops[0] if one.ops else "(none)" if matched else unknown, one.ns)
        layers = [name for name in one.modules if layer.match(name)]
        # A layer's name is known within a call, too.
        known = one.how in ("instance", "within")
        add("layer", layers[0] if layers and known else "(outside)" if known else "(not by instance)", one.ns)
        if not instance or not one.modules:
            out["call_ns", "(not by call)"] += one.ns
            continue
        # A call is open as long as what runs is in its modules.
        while open_calls and one.modules[:len(open_calls[-1])] != open_calls[-1]:
            names.pop(tuple(open_calls.pop()), None)
        if not open_calls or open_calls[-1] != one.modules:
            open_calls.append(one.modules)
            names[tuple(one.modules)] = f"{one.modules[-1]} call {calls:02d}"
            calls += 1
        out["call_ns", names[tuple(one.modules)]] += one.ns
    return out


def check_exact(replay, reference, more, each, oracle):
    wrong, checked = [], 0
    pair = f"{replay}.json.gz + {reference}.json.gz{more}"
    results = kr(replay, reference)
    found, direct, orphan = kernels(results)
    if each:
        rows = tsv(DATA / f"{each}.each.tsv")
        if len(rows) != len(found):
            return [f"{pair}: {len(found)} kernels of graphs, expected {len(rows)}"], 0
        for one, want in zip(found, rows):
            checked += 1
            good = one.how == want["how"] and one.ns == int(want["ns"])
            if one.how == "instance":
                good = good and " > ".join(one.modules) == want["modules"]
            if one.how in ("instance", "kind"):
                good = good and " > ".join(kinds(one.modules)) == want["kind"]
                good = good and " > ".join(one.ops) == want["ops"]
            if not good:
                wrong.append(f"{pair}: kernel {want['index']}: {vars(one)}, expected {dict(want)}")
    got = sums(found, direct, orphan, pair)
    for row in oracle[pair]:
        if row["key"] in ("reference_sequences", "layer_class"):  # no table has these
            continue
        checked += 1
        if got[row["metric"], row["key"]] != int(row["value"]):
            wrong.append(f"{pair}: {row['metric']} {row['key']}: {got[row['metric'], row['key']]}, "
                         f"expected {row['value']}")
    return wrong, checked


def check_imperfect(oracle):
    """An eager prefill against what the capture of the graph says."""
    wrong, checked = [], 0
    pair = f"{SG}.replay.json.gz + ../kineto/sglang_prefill.json.gz"
    found, _, _ = kernels(kr(f"{SG}.replay", "../kineto/sglang_prefill"))
    for one, want in zip(found, tsv(DATA / f"{SG}.each.tsv"), strict=True):
        checked += 1
        modules = want["modules"].split(" > ") if want["modules"] else []
        right = {
            "instance": one.modules == modules,
            "kind": kinds(one.modules) == kinds(modules),
            "within": bool(one.modules) and one.modules == modules[:len(one.modules)],
            "abstain": True,
        }[one.how]
        if not right:
            wrong.append(f"{pair}: kernel {want['index']}: {one.how} {one.modules}, the truth is {modules}")
    total = sum(one.ns for one in found)
    for method in ("whole names", "families of names"):
        want = {row["key"]: int(row["value"]) for row in oracle[f"{pair}, {method}"]
                if row["metric"] == "summary" and row["value"].isdigit()}
        # At least as much is known as by either of the two ways.
        for most in range(1, len(HOW)):
            checked += 1
            share = sum(one.ns for one in found if one.how in HOW[:most]) / total
            least = sum(want[f"{how}_ns"] for how in HOW[:most]) / want["replayed_ns"]
            if share < least - 0.03:
                wrong.append(f"{pair}: {'+'.join(HOW[:most])}: {share:.1%}, {method} alone has {least:.1%}")
    print({how: sum(one.how == how for one in found) for how in HOW}, file=sys.stderr)
    return wrong, checked


def write_pieces(path):
    """The capture of a full graph as pieces, which end before attention and the cache of each layer and begin behind them: these run in between. Products of
    matrices and attention have other names, as for another batch size."""
    with gzip.open(DATA / f"{VLLM}.capture.json.gz") as file:
        trace = json.load(file)
    events, calls, edges = [], [], []
    for event in trace["traceEvents"]:
        name = event.get("name", "")
        if "BeginCapture" in name or "EndCapture" in name:
            edges.append(event)
            continue
        events.append(event)
        if event.get("ph") == "X" and "kernel" in event.get("args", {}) and "Launch" in name:
            calls.append(event)
    begin, end = sorted(event["ts"] for event in edges)
    calls = sorted((event for event in calls if begin < event["ts"] < end), key=lambda event: event["ts"])
    captured = False

    def edge(kind, call):
        what = f"hipStream{kind}Capture"
        events.append({**edges[0], "name": what, "ts": call["ts"] - 0.002, "dur": 0.001})

    for at, call in enumerate(calls):
        kernel = call["args"]["kernel"]
        between = re.search("unified_attention|reduce_segments|reshape_and_cache", kernel) is not None
        if re.search("unified_attention|reduce_segments|Cijk|_matmul_ogs", kernel):
            kernel = call["args"]["kernel"] = "of_another_batch_" + kernel
        if between == captured:
            edge("End" if captured else "Begin", call)
            captured = not captured
        if between:
            call["args"]["correlation"] = 10_000_000 + at
            events.append({"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": call["ts"] + 1e6, "dur": 5,
                           "args": {"correlation": 10_000_000 + at, "device": 0, "stream": 7}})
    events.append({**edges[0], "name": "hipStreamEndCapture", "ts": end, "dur": 0.001})
    trace["traceEvents"] = events
    path.write_text(json.dumps(trace), encoding="utf-8")


def check_pieces():
    """A full graph against captures made in pieces: by whole names, all is known that can be."""
    wrong, checked = [], 0
    with tempfile.TemporaryDirectory() as folder:
        capture = pathlib.Path(folder) / "pieces.json"
        write_pieces(capture)
        found, _, _ = kernels(kr(f"{VLLM}.replay", capture))
    for one, want in zip(found, tsv(DATA / f"{VLLM}.each.tsv"), strict=True):
        checked += 1
        modules = want["modules"].split(" > ") if want["modules"] else []
        right = one.modules == modules if one.how == "instance" else bool(one.modules) and one.modules == modules[:len(one.modules)]
        if one.how not in ("instance", "within") or not right:
            wrong.append(f"pieces: kernel {want['index']}: {one.how} {one.modules}, the truth is {modules}")
    counts = collections.Counter(one.how for one in found)
    # facts: 265 kernels with 16 % of the time by instance, the others within a call.
    checked += 1
    share = sum(one.ns for one in found if one.how == "instance") / sum(one.ns for one in found)
    if counts != {"instance": 265, "within": 156} or round(100 * share) != 16:
        wrong.append(f"pieces: {dict(counts)}, {share:.1%} of the time by instance")
    return wrong, checked


def main():
    if not DATA.exists():
        print(f"skipped: {DATA} is missing")
        return 77
    oracle = collections.defaultdict(list)
    for row in tsv(DATA / "ORACLE.tsv"):
        oracle[row["file"]].append(row)
    wrong, checked = check_imperfect(oracle)
    more_wrong, more = check_pieces()
    wrong += more_wrong
    checked += more
    for pair in EXACT:
        more_wrong, more = check_exact(*pair, oracle)
        wrong += more_wrong
        checked += more
    for line in wrong[:40]:
        print(line)
    print(f"{checked} values compared, {len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
