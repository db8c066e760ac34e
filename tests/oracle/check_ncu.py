#!/usr/bin/env python3
"""Compares `kr report` for the ncu pages of the shared data with the pages as this script reads them, and with
the numbers of ORACLE.tsv.

    KR=build/tools/kr/kr tests/oracle/check_ncu.py [FOLDER]
"""
import csv
import decimal
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results, total  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data/nsys")
UNITS = {"ns": 1, "nsecond": 1, "us": 1000, "usecond": 1000, "ms": 10 ** 6, "msecond": 10 ** 6}


def ns(value, unit):
    return int((decimal.Decimal(value.replace(",", "")) * UNITS[unit]).to_integral_value(decimal.ROUND_HALF_UP))


def durations(path):
    """By ID: name and nanoseconds."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = {}
    if "Metric Name" in rows[0]:
        for wanted in ("Duration", "gpu__time_duration.sum"):  # the latter is preferred
            for row in rows:
                if row["Metric Name"] == wanted:
                    found[int(row["ID"])] = (row["Kernel Name"], ns(row["Metric Value"], row["Metric Unit"]))
    elif "gpu__time_duration.sum" in rows[0]:
        unit = rows[0]["gpu__time_duration.sum"]
        for row in rows[1:]:
            found[int(row["ID"])] = (row["Kernel Name"], ns(row["gpu__time_duration.sum"], unit))
    return found


def oracle():
    out = {}
    for line in (FOLDER / "ORACLE.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        file, metric, value = line.split("\t", 2)
        out.setdefault(file, {})[metric] = value
    return out


def check(path, known):
    expected = durations(path)
    done = subprocess.run([os.environ["KR"], "report", str(path), "--format", "json", "-q"], capture_output=True,
                          check=False)
    if not expected:
        told = b"has no duration of a kernel" in done.stderr
        return [] if done.returncode == 2 and told else [f"{path.name}: exit {done.returncode}: {done.stderr}"]
    if done.returncode != 0:
        return [f"{path.name}: {done.stderr.decode(errors='replace')}"]
    found = Results(done.stdout)
    run, wrong = found.run(), []
    time = sum(took for _, took in expected.values())
    for key, want in (("format", "ncu-csv"), ("operations", len(expected)), ("gpu_total_ns", time),
                      ("gpu_elapsed_ns", time), ("operations", int(known["kernels"])),
                      ("names", int(known["kernel_names"]))):
        if run[key] != want:
            wrong.append(f"{path.name}: {key}: {run[key]}, expected {want}")
    for name in {name for name, _ in expected.values()}:
        want = sum(took for other, took in expected.values() if other == name)
        got = total(found.rows("kernels", name=name), "total_ns")
        if got != want:
            wrong.append(f"{path.name}: {name[:60]}: {got} ns, expected {want}")
    for kernel in json.loads(known["sol_first3"]):
        value, unit = kernel["duration"].split(" ")
        if expected[int(kernel["id"])] != (kernel["name"], ns(value, unit)):
            wrong.append(f"{path.name}: kernel {kernel['id']} differs from ORACLE.tsv")
    return wrong


def main():
    if not (FOLDER / "ORACLE.tsv").is_file():
        print("no shared data: skipped")
        return 77
    known = {file: metrics for file, metrics in oracle().items() if metrics.get("kind", "").startswith("ncu-")}
    wrong = [line for file, metrics in sorted(known.items()) for line in check(FOLDER / file, metrics)]
    print("\n".join(wrong) or f"{len(known)} pages: the same")
    return 1 if wrong or len(known) < 4 else 0


if __name__ == "__main__":
    sys.exit(main())
