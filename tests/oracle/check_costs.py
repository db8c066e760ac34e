#!/usr/bin/env python3
"""Compares the table `costs` for the traces with shapes of the shared data with ORACLE.tsv, which an independent program
computed: calls, time, FLOPs and bytes by op and shape, by family of ops, and the time without a cost. Amounts may differ by
0.1 %, times not at all. Kernels of graphs have the costs of the capture only with it as a reference (`+capture`). Rows of each level of `cost_rates` and
`roofline` add up to the GPU time, no rate is above the peak, and what is above is named: the attention of gpt-oss with a sliding window.

    KR=build/tools/kr/kr tests/oracle/check_costs.py [FOLDER]
"""
import collections
import csv
import io
import math
import os
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data")
TRACES = {"h100_bert": "kineto/h100_bert.json.gz", "h100_vit": "shapes/h100_vit.json.gz",
          "mi300_qwen05b": "kineto/mi300_qwen05b.json.gz", "sglang_prefill": "kineto/sglang_prefill.json.gz",
          "sglang_decode": "graphs/sglang_decode.replay.json.gz", "vllm_decode": "graphs/vllm_decode.replay.json.gz",
          "sglang_decode+capture": "graphs/sglang_decode.replay.json.gz",
          "vllm_decode+capture": "graphs/vllm_decode.replay.json.gz"}
CAPTURES = {"sglang_decode+capture": "graphs/sglang_decode.capture.json.gz",
            "vllm_decode+capture": "graphs/vllm_decode.capture.json.gz"}
FAMILIES = [("gemm", r"aten::(mm|addmm|bmm|linear)$"), ("conv", r"aten::convolution$"),
            ("attention", r"_scaled_dot_product_"), ("attention_paged", r"unified_attention|mha_batch_prefill|paged_att"),
            ("norm", r"norm"), ("gated_activation", r"_and_mul$"), ("rope", r"rotary"), ("kv_store", r"store_cache|reshape"),
            ("copy", r"aten::copy_$"), ("binary", r"aten::(add|sub|mul|div)_?$"), ("unary", r"aten::")]
# Experts, whose numbers the rules of the model declare, and ORACLE.tsv does not know: 6 · 32 tokens · 4 experts · 2880 · 2880.
# The same graph, whose records were taken away in part: what is left has the same costs (docs/cost.md). At least so much of the time has FLOPs.
PARTS = ("every_50th_less", "one_layer_less", "without_head")
DECLARED = {"vllm::moe_forward": (["vllm::moe_forward", "SortTokens", "TopK"], 6 * 32 * 4 * 2880 * 2880)}


def family_of(op):
    return next(name for name, pattern in FAMILIES if re.search(pattern, op))


def table_of(path, capture, table, *options):
    command = [os.environ["KR"], "analyze", str(path), "--tables", table, "--format", "csv", *options]
    done = subprocess.run(command + (["--reference", str(capture)] if capture else []), capture_output=True, check=True)
    return list(csv.DictReader(io.StringIO(done.stdout.decode())))


def check_levels(name, path, capture, gpu_ns):
    """How many sums and rates were compared, and how many are wrong."""
    gpu = "H100 SXM" if name.startswith("h100") else "MI300X"
    compared, wrong, above = 0, 0, set()
    for table in ("cost_rates", "roofline"):
        levels = collections.Counter()
        for row in table_of(path, capture, table, "--costs", "--gpu", gpu):
            levels[row["scope"]] += int(row["total_ns"])
            compared += 1
            if float(row["peak_ratio"] or 0) > 1.05:
                wrong += 1
                print(f"{name} {table} {row['level']} {row['key']}: {row['peak_ratio']} of the roof")
            if row["scope"] == "kernel" and row.get("above_peak_ns"):
                above.add(row["key"])
        for level, ns in levels.items():
            compared += 1
            if ns != gpu_ns:
                wrong += 1
                print(f"{name} {table} {level}: {ns} ns, expected {gpu_ns}")
    if above != ({"kernel_unified_attention_2d"} if name == "vllm_decode+capture" else set()):
        wrong += 1
        print(f"{name}: above the peak: {above}")
    return compared, wrong


def arguments(shapes):
    """[dims of a tensor] or None, by argument; and the numbers of scalars and lists."""
    found = re.findall(r"\[([0-9, ]*)\](?: \w+)?|\(([0-9, ]*)\)|(\d+)|(_|\[…\])", shapes)
    dims, values = [], []
    for tensor, numbers, scalar, other in found:
        is_tensor = not (numbers or scalar or other)
        dims.append([int(one) for one in tensor.split(", ") if one] if is_tensor else None)
        values.append([int(one) for one in (numbers or scalar).split(", ") if one])
    return dims, values


def check_parts():
    """Of replays that lack kernels of the capture: how many rows were compared, and how many are wrong."""
    compared = wrong = 0
    capture = FOLDER / CAPTURES["sglang_decode+capture"]

    def by_op(path):
        return {(row["op"], row["shapes"]): row for row in table_of(path, capture, "costs") if not row["no_cost"]}

    whole = by_op(FOLDER / TRACES["sglang_decode"])
    for name in PARTS:
        path = FOLDER / f"graphs/sglang_decode.replay.{name}.constructed.json.gz"
        rows = by_op(path)
        run = next(row for row in table_of(path, capture, "cost_rates") if row["scope"] == "run")
        compared += 1
        if float(run["flops_share"]) < 0.8:
            wrong += 1
            print(f"{name}: FLOPs of {run['flops_share']} of the time")
        for key, row in rows.items():
            compared += 1
            of = whole.get(key)
            calls, most = int(row["instances"]), int(of["instances"]) if of else 0
            same = of and all(int(row[one] or 0) * most == int(of[one] or 0) * calls for one in ("flops", "bytes"))
            if not same or calls > most:
                wrong += 1
                print(f"{name} {key}: {row}, of the whole {of}")
        if name == "one_layer_less":
            # Of 36 equal layers and a head.
            head = int(next(row for key, row in whole.items() if "151936" in key[1] and row["flops"])["flops"])
            flops = sum(int(row["flops"] or 0) for row in whole.values()) - head
            compared += 1
            if sum(int(row["flops"] or 0) for row in rows.values()) - head != flops // 36 * 35:
                wrong += 1
                print(f"{name}: not 35 of 36 layers")
    return compared, wrong


def key_of(op, shapes):
    """As ORACLE.tsv writes the op and its shape; pairs are not part of it."""
    dims, values = arguments(shapes)
    if op in ("aten::mm", "aten::addmm", "aten::bmm"):
        a, b = [one for one in dims if one is not None][-2:]
        return f"{op} B={a[0] if len(a) == 3 else 1} M={a[-2]} N={b[-1]} K={a[-1]}"
    if op == "aten::convolution":
        (n, c, h, w), (k, _, r, s) = dims[:2]
        out = [(i + 2 * p - d * (size - 1) - 1) // step + 1
               for i, size, step, p, d in zip((h, w), (r, s), values[3], values[4], values[5])]
        return f"{op} N={n} C={c} K={k} out={out[0]}x{out[1]} groups={values[8][0]}"
    if "_scaled_dot_product_" in op:
        (b, h, q, d), (_, g, s, _) = dims[:2]
        return f"{op} B={b} H={h} Hkv={g} Sq={q} Skv={s} D={d} causal={values[4][0]}"
    if family_of(op) == "attention_paged":
        # Of SGLang's ragged call the result and the query are alike; the cache has one dimension more.
        least = 3 if "ragged" in op else 2
        (t, h, d), g = dims[0], next(one[-2] for one in dims[1:] if one is not None and len(one) > least)
        return f"{op} T={t} H={h} Hkv={g} D={d}"
    if family_of(op) == "rope":
        return f"{op} T={dims[0][0]}"
    tensors = [math.prod(one) for one in dims if one is not None]
    return f"{op} n={max(tensors[:2]) if family_of(op) == 'binary' else tensors[0]}"


class Sums:
    def __init__(self):
        self.ops = self.ns = self.flops = self.bytes = 0

    def add(self, row):
        self.ops += int(row["instances"])
        self.ns += int(row["total_ns"])
        for name in ("flops", "bytes"):
            if row[name]:
                setattr(self, name, getattr(self, name) + int(row[name]))


def measure(rows):
    """By (metric, key), what ORACLE.tsv has."""
    found = {}
    ops, families = collections.defaultdict(Sums), collections.defaultdict(Sums)
    summary = collections.Counter()
    for row in rows:
        ns = int(row["total_ns"])
        summary["gpu_ns"] += ns
        if row["no_cost"] in ("no op", "in a graph"):
            summary["no_op_ns"] += ns
            continue
        summary["op_ns"] += ns
        if row["op"] in DECLARED:
            # Of its kernels, ORACLE.tsv has those of the ops inside it by themselves.
            found["declared_ns", row["op"]] = ns
            found["declared_flops", row["op"]] = int(row["flops"]) / int(row["instances"])
            summary["unknown_ns"] += ns
            continue
        summary["flops_known_ns"] += ns if row["flops"] else 0
        summary["bytes_known_ns"] += ns if row["bytes"] else 0
        if row["no_cost"]:
            summary["unknown_ns"] += ns
            found["unknown_op_ns", row["op"]] = found.get(("unknown_op_ns", row["op"]), 0) + ns
            continue
        ops[key_of(row["op"], row["shapes"])].add(row)
        families[family_of(row["op"])].add(row)
    for key, value in summary.items():
        found["summary", key] = value
    for key, one in ops.items():
        found["op_ops", key], found["op_ns", key] = one.ops, one.ns
        found["op_flops", key] = one.flops / one.ops if one.flops else "unknown"
        found["op_bytes_all", key] = one.bytes if one.bytes else "unknown"
    for key, one in families.items():
        found["family_ops", key], found["family_ns", key] = one.ops, one.ns
        found["family_flops", key] = one.flops if one.flops else "unknown"
        found["family_bytes", key] = one.bytes if one.bytes else "unknown"
        if one.flops:
            found["family_tflop_per_s", key] = one.flops / one.ns / 1000
        if one.bytes:
            found["family_gb_per_s", key] = one.bytes / one.ns
        if one.flops and one.bytes:
            found["family_flop_per_byte", key] = one.flops / one.bytes
    return found


def agree(metric, got, wanted):
    if got is None or "unknown" in (str(got), wanted):
        return str(got) == wanted
    if metric.endswith("_ns") or metric == "summary":
        return got == int(wanted)
    return abs(got - float(wanted)) <= 0.001 * float(wanted)


def main():
    if not FOLDER.exists():
        print("the shared data are not there")
        return 77
    oracle = list(csv.DictReader((FOLDER / "shapes/ORACLE.tsv").open(), delimiter="\t"))
    compared, wrong = check_parts()
    for name, path in TRACES.items():
        capture = CAPTURES.get(name)
        capture = capture and FOLDER / capture
        found = measure(table_of(FOLDER / path, capture, "costs"))
        levels = check_levels(name, FOLDER / path, capture, found["summary", "gpu_ns"])
        compared, wrong = compared + levels[0], wrong + levels[1]
        inside = []
        for op, (ops, flops) in DECLARED.items():
            if ("declared_ns", op) not in found:
                continue
            inside += ops
            wanted = sum(int(row["value"]) for row in oracle
                         if row["file"] == name and row["metric"] == "unknown_op_ns" and row["key"] in ops)
            compared += 2
            for metric, value in (("declared_ns", wanted), ("declared_flops", flops)):
                if found[metric, op] != value:
                    wrong += 1
                    print(f"{name} {metric} {op}: {found[metric, op]}, expected {value}")
        for row in oracle:
            metric, key = row["metric"], re.sub(r" pairs=\d+", "", row["key"])
            # What is not a sum of the table `costs`: numbers of operations, shapes of ops without a cost, roofs.
            if row["file"] != name or metric in ("family_kernels", "roof_bound", "roof_percent"):
                continue
            if metric == "summary" and key in ("gpu_ops", "shapes_ns") or metric == "unknown_op_ns" and key in inside:
                continue
            if metric == "summary" and row["value"] == "0" and (metric, key) not in found:
                continue
            compared += 1
            got = found.get((metric, key))
            if not agree(metric, got, row["value"]):
                wrong += 1
                print(f"{name} {metric} {key}: {got}, expected {row['value']}")
    print(f"{compared} rows compared, {wrong} differ")
    return 1 if wrong or compared < 2500 else 0


if __name__ == "__main__":
    sys.exit(main())
