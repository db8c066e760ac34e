#!/usr/bin/env python3
"""Compares the part of each operation by order rules (std.parts) with known ones, of which most are from module paths.

    KR=build/tools/kr/kr tests/oracle/check_parts.py [--verbose]
"""
import csv
import json
import os
import pathlib
import subprocess
import sys

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"
ORDER = SHARED / "order"
TRACES = {
    "h100_bert": SHARED / "kineto/h100_bert.json.gz",
    "mi300_qwen05b": SHARED / "kineto/mi300_qwen05b.json.gz",
    "sglang_prefill": SHARED / "kineto/sglang_prefill.json.gz",
    "h100_vit": SHARED / "shapes/h100_vit.json.gz",
    "sglang_decode": SHARED / "graphs/sglang_decode.replay.json.gz",
    "vllm_decode": SHARED / "graphs/vllm_decode.replay.json.gz",
    "h100_facebook_timesformer-base-finetuned-k400__1016002":
        ORDER / "tl_h100__facebook_timesformer-base-finetuned-k400__1016002.json.gz",
    "xdit_sd_3.5__profile_trace_rank_0": ORDER / "tl_inference__xdit_sd_3.5__profile_trace_rank_0.json.gz",
}
PRODUCTS = ("gemm", "moe_gemm")
# What order alone cannot tell: the head of a classifier, and first products of encoders. No trace may get worse.
MAX_NOT_RIGHT = {"h100_facebook_timesformer-base-finetuned-k400__1016002": 1, "xdit_sd_3.5__profile_trace_rank_0": 4}


def parts_of(trace):
    done = subprocess.run(
        [os.environ["KR"], "sql", str(trace), "--format", "json",
         "SELECT device, stream, start_ns, duration_ns, substage, part, name FROM operations"],
        capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{trace}: {done.stderr}")
    return json.loads(done.stdout)["tables"]["query"]


def main():
    if not ORDER.is_dir():
        print("shared data is missing: skipped")
        sys.exit(77)
    verbose = "--verbose" in sys.argv
    failed = False
    for name, trace in TRACES.items():
        rows = {}
        for row in parts_of(trace):
            rows[(int(row["device"]), int(row["stream"]), int(row["start_ns"]), row["duration_ns"])] = row
        right = wrong = abstained = other = 0
        lines = (ORDER / f"{name}.parts.tsv").read_text().splitlines()[1:]
        for golden in csv.DictReader(lines, delimiter="\t"):
            key = (int(golden["device"]), int(golden["stream"]), int(golden["start_ns"]), int(golden["duration_ns"]))
            row = rows.get(key)
            if row is None:
                sys.exit(f"{name}: kr has no operation {key} {golden['name']}")
            if golden["over"] not in PRODUCTS:
                continue
            if row["substage"] != golden["over"]:
                other += 1
            part = "none" if row["part"] == row["substage"] else row["part"]
            if part == golden["role"]:
                right += 1
            elif part == "none":
                abstained += 1
            else:
                wrong += 1
            if verbose and part != golden["role"]:
                print(f"  {name}: {key}: {golden['role']}, kr: {part}  {golden['name'][:60]}")
        allowed = MAX_NOT_RIGHT.get(name, 0)
        print(f"{name}: {right} right, {wrong} wrong, {abstained} without a part; {other} with another substage")
        if wrong + abstained > allowed:
            print(f"  at most {allowed} may not be right")
            failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
