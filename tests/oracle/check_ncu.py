#!/usr/bin/env python3
"""Compares `kr report` for the ncu pages of the shared data with the pages as this script reads them, and with
the numbers of ORACLE.tsv and NCU_ORACLE.tsv; joins them to a profile of the same program, and reads the sections of one
kernel apart.

    KR=build/tools/kr/kr tests/oracle/check_ncu.py [FOLDER]
"""
import csv
import decimal
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

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


# What NCU_ORACLE.tsv calls them, and the columns of `ncu_kernels`.
NUMBERS = {"duration_ns": "duration_ns", "fp32_flops": "fp32_flops_per_s", "peak_fp32": "fp32_peak_per_s",
           "fp64_flops": "fp64_flops_per_s", "peak_fp64": "fp64_peak_per_s", "dram_bw": "dram_bytes_per_s",
           "peak_bw": "dram_peak_bytes_per_s", "ridge_fp32": "fp32_ridge", "ai_fp32": "fp32_intensity",
           "roof_fp32": "fp32_roof_flops_per_s", "of_roof_fp32": "fp32_roof_ratio", "dram_bytes": "dram_bytes",
           "tensor_ops": "tensor_flops", "tensor_flops": "tensor_flops_per_s", "ai_tensor": "tensor_intensity",
           "sol_compute_pct": "compute_ratio", "sol_memory_pct": "memory_ratio"}
TEXTS = {"name": "key", "sol": "verdict"}
RUN = "vecadd4.cuda_gpu_trace.2023.4.csv"  # any run: some pages have no times of their own


def kr(*words):
    done = subprocess.run([os.environ["KR"], *map(str, words), "--format", "json", "-q"], capture_output=True,
                          check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{words}: {done.stderr.decode(errors='replace')}")
    return Results(done.stdout)


def wrong_number(metric, want, row):
    got = row[NUMBERS[metric]]
    want = float(want)
    if metric.endswith("_pct"):
        want /= 100
    same = got is not None and (abs(got - want) <= 1e-5 * abs(want))
    return None if same else f"{metric}: {got}, expected {want}"


def wrong_bound(want, row, points):
    """`compute?` is a kernel of tensor operations whose roof is not known."""
    if want != "compute?":
        return None if row["fp32_bound"] == want else f"bound: {row['fp32_bound']}, expected {want}"
    point = next((one for one in points if one["scope"] == "kernel" and one["key"] == row["key"]), None)
    if row["precision"] != "tensor" or row["roof_ratio"] is not None:
        return "a part of a roof of tensor cores, without such a roof"
    return "a bound without a roof" if point and point["bound"] else None


def check_numbers():
    known = {}
    for line in (FOLDER / "NCU_ORACLE.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        file, _, metric, value = line.split("\t", 3)
        known.setdefault(file, []).append((metric, value))
    wrong, numbers = [], 0
    for file, metrics in known.items():
        found = kr("analyze", FOLDER / RUN, "--ncu", FOLDER / file, "--tables", "ncu_kernels,roofline")
        row, = found.rows("ncu_kernels", scope="kernel")
        for metric, want in metrics:
            numbers += 1
            if metric == "bound":
                fault = wrong_bound(want, row, found.rows("roofline"))
            elif metric in TEXTS:
                got = row[TEXTS[metric]]
                fault = None if got == want else f"{metric}: {got}, expected {want}"
            else:
                fault = wrong_number(metric, want, row)
            if fault:
                wrong.append(f"{file}: {fault}")
    return wrong, numbers


def words(name):
    """A name without namespaces, casts and punctuation, in another way than kr does it."""
    name = re.sub(r"\((?:unsigned )?\w+\)(?=-?\d)", "", name)
    name = re.sub(r"\b\w+::", "", name)
    return [word for word in re.findall(r"\w+", name) if word not in ("const", "unnamed")]


def check_join():
    """The kernels of a profile of nsys, as a trace, joined to pages of the same program."""
    with open(FOLDER / "dsocr_decode.cuda_gpu_kern_sum.csv", encoding="utf-8", newline="") as file:
        kernels = [(row["Name"], int(row["Total Time (ns)"])) for row in csv.DictReader(file)]
    pages = sorted(FOLDER.glob("dsocr*ncu*.csv"))
    measured = set()
    for page in pages:
        with open(page, encoding="utf-8", newline="") as file:
            measured |= {tuple(words(row["Kernel Name"])) for row in csv.DictReader(file) if row["ID"]}
    want = {name: ns for name, ns in kernels if tuple(words(name)) in measured}
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder) / "run.csv"
        with open(run, "w", encoding="utf-8", newline="") as file:
            out = csv.writer(file)
            out.writerow(["Start (ns)", "Duration (ns)", "CorrId", "Device", "Ctx", "GreenCtx", "Strm", "Name"])
            now = 0
            for number, (name, ns) in enumerate(kernels):
                out.writerow([now, ns, number, "GPU (0)", 1, "", 7, name])
                now += ns
        options = [word for page in pages for word in ("--ncu", page)]
        found = kr("analyze", run, *options, "--tables", "optimize_first,ncu_match")
    wrong = []
    rows = found.rows("optimize_first", scope="kernel")
    got = {row["key"]: row["total_ns"] for row in rows}
    if got != want:
        wrong.append(f"joined {sorted(got)[:3]}…, expected {sorted(want)[:3]}… ({len(got)}, {len(want)})")
    if sum(row["total_ns"] for row in found.rows("ncu_match")) != now:
        wrong.append("the rows of ncu_match do not add up to the run")
    unmeasured = sum(row["total_ns"] for row in found.rows("ncu_match", match="unmeasured"))
    if unmeasured != now - sum(want.values()):
        wrong.append(f"unmeasured: {unmeasured}, expected {now - sum(want.values())}")
    saved = [row["saved_ns"] or 0 for row in rows]
    if saved != sorted(saved, reverse=True):
        wrong.append("optimize_first is not in order of the time saved")
    for row in rows:
        if row["saved_ns"] is not None and row["saved_ns"] + row["at_roof_ns"] != row["total_ns"]:
            wrong.append(f"{row['key'][:50]}: saved and left do not add up")
    if len(want) < 5:
        wrong.append(f"only {len(want)} kernels are in both")
    return wrong


def check_sections():
    """Two pages of the same kernel in one folder are one kernel; its time counts once."""
    page = FOLDER / "dsocr_k0001.ncu_details_all.constructed.csv"
    with open(page, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    section = rows[0].index("Section Name")
    with tempfile.TemporaryDirectory() as folder:
        for name in {row[section] for row in rows[1:]}:
            with open(pathlib.Path(folder) / f"{name.replace('/', ' ')}.csv", "w", encoding="utf-8",
                      newline="") as file:
                out = csv.writer(file, quoting=csv.QUOTE_ALL)
                out.writerow(rows[0])
                out.writerows(row for row in rows[1:] if row[section] == name)
        apart = kr("analyze", folder, "--tables", "ncu_kernels").rows("ncu_kernels")
    whole = kr("analyze", page, "--tables", "ncu_kernels").rows("ncu_kernels")
    for row in apart + whole:
        del row["run"]
    return [] if apart == whole else ["the sections of one kernel, in pages of their own, are not the same kernel"]


def main():
    if not (FOLDER / "ORACLE.tsv").is_file():
        print("no shared data: skipped")
        return 77
    known = {file: metrics for file, metrics in oracle().items() if metrics.get("kind", "").startswith("ncu-")}
    wrong = [line for file, metrics in sorted(known.items()) for line in check(FOLDER / file, metrics)]
    more, numbers = check_numbers()
    wrong += more + check_join() + check_sections()
    print("\n".join(wrong) or f"{len(known)} pages: the same; {numbers} numbers of NCU_ORACLE.tsv: the same")
    return 1 if wrong or len(known) < 4 or numbers < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
