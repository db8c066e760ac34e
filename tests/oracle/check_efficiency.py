#!/usr/bin/env python3
"""Parallel efficiencies of the shared data: first a slow exact reading of the files against the numbers in
ranks/ORACLE.tsv, then the tables `efficiency`, `efficiency_steps`, `efficiency_labels` and `scaling` of `kr analyze`
against the slow reading.

    KR=build/tools/kr/kr tests/oracle/check_efficiency.py
"""
import collections
import csv
import fractions
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import efficiencies as slow  # noqa: E402

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"
SETS = {
    **{name: [f"nsys/{name}.sqlite"] for name in (
        "mfu_2gpu_after", "h100_2gpu_1s", "power_iteration__baseline", "balinski_report16", "gaussian_report5")},
    "dlrm_1": ["kineto/dlrm_rank1.json.gz"],
    "dlrm_1_3": ["kineto/dlrm_rank1.json.gz", "kineto/dlrm_rank3.json.gz"],
    "merged_dlrm_1_3": ["ranks/merged_dlrm_1_3.trace.json.gz"],
    "clock4": [f"ranks/clock4/1711970000-TP-{rank}.trace.json.gz" for rank in range(4)],
    "merged_clock4_device0": ["ranks/merged_clock4_device0.trace.json.gz"],
    "nodes2": ["ranks/nodes2/report_N0.sqlite.gz", "ranks/nodes2/report_N1.sqlite.gz"],
}
FACTORS = ("PE", "LB", "CE", "OE")


def numbers_of(sums, prefix=""):
    """(metric, key) -> value, as in ORACLE.tsv."""
    out = {(prefix + "N", ""): sums.devices, (prefix + "E_ns", ""): sums.elapsed,
           (prefix + "max_A_ns", ""): max(sums.active.values())}
    for (rank, device), active in sums.active.items():
        out[prefix + "A_ns", f"rank {rank} device {device}"] = active
        for reading in slow.READINGS:
            out[f"{prefix}U_ns.{reading}", f"rank {rank} device {device}"] = sums.useful[reading][rank, device]
    for reading in slow.READINGS:
        out[f"{prefix}sum_U_ns.{reading}", ""] = sums.total(reading)
        out[f"{prefix}max_U_ns.{reading}", ""] = max(sums.useful[reading].values())
        for factor, value in sums.factors(reading).items():
            out[f"{prefix}{factor}.{reading}", ""] = value
    return out


def same(got, wanted):
    if isinstance(got, fractions.Fraction) or "." in wanted:
        return abs(fractions.Fraction(got) - fractions.Fraction(wanted)) <= fractions.Fraction(1, 2 * 10**12)
    return got == int(wanted)


def check_oracle(data):
    """The differences of the slow reading from ORACLE.tsv, and the number of compared values."""
    oracle = collections.defaultdict(dict)
    with open(DATA / "ranks/ORACLE.tsv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            oracle[row["set"]][row["metric"], row["key"]] = row["value"]
    wrong, checked = [], 0
    for name, wanted in oracle.items():
        if name in SETS:
            numbers = numbers_of(slow.whole(data[name]))
            if ("within.N", "") in wanted:
                numbers.update(numbers_of(slow.within_steps(data[name]), "within."))
            shift = {int(key.split()[1]): int(value) for (metric, key), value in wanted.items()
                     if metric == "clock.applied_ns"}
            numbers.update(numbers_of(slow.whole(data[name], shift), "one_clock."))
        elif " -> " in name:
            before, after = (slow.whole(data[one]) for one in name.split(" -> "))
            numbers = {(f"{kind}.{what}.{reading}", ""): value for kind in ("strong", "weak")
                       for reading in slow.READINGS
                       for what, value in slow.scalability(before, after, reading, kind == "weak").items()}
        else:
            continue
        for (metric, key), value in wanted.items():
            parts = metric.split(".")
            if parts[0] in ("planted", "clock", "collective", "bandwidth", "launch", "matched"):
                continue
            if metric in ("one_clock.first", "one_clock.last"):
                continue
            checked += 1
            got = numbers.get((metric, key))
            if got is None or not same(got, value):
                wrong.append(f"{name}: {metric} {key}: {got if got is None else float(got)}, expected {value}")
    return wrong, checked


def main():
    if not (DATA / "ranks/ORACLE.tsv").exists():
        print(f"{DATA}/ranks does not exist")
        return 77
    data = {name: slow.read([DATA / path for path in paths]) for name, paths in SETS.items()}
    wrong, checked = check_oracle(data)
    print(f"{checked} numbers of ORACLE.tsv compared")
    print("\n".join(wrong) or "all are those of the slow reading")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
