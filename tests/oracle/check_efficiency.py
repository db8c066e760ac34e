#!/usr/bin/env python3
"""Parallel efficiencies of the shared data: first a slow exact reading of the files against the numbers in
ranks/ORACLE.tsv, then the tables `efficiency` and `scaling` of `kr analyze`
against the slow reading.

    KR=build/tools/kr/kr tests/oracle/check_efficiency.py
"""
import collections
import csv
import fractions
import io
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import efficiencies as slow  # noqa: E402
from results import Results  # noqa: E402

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
# Whose clocks collectives contradict.
MOVED = ("clock4", "merged_clock4_device0", "nodes2")


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


COLUMNS = {"PE": "parallel_efficiency", "LB": "load_balance", "CE": "communication_efficiency",
           "OE": "orchestration_efficiency"}
TABLES = "efficiency,efficiency_host,scaling"


def of_whole(found):
    """The rows about all of the job, or of the only run."""
    return [row for row in found.rows("efficiency") if row["scope"] in ("job", "run")]


def run(name, *arguments):
    done = subprocess.run([os.environ["KR"], *arguments], capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{name}: exit {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def paths_of(name):
    return [str(DATA / path) for path in SETS[name]]


class Checks:
    """Of the tables of kr with the slow reading."""

    def __init__(self, data):
        self.data, self.wrong, self.count = data, [], 0

    def same(self, what, got, wanted):
        self.count += 1
        if isinstance(wanted, fractions.Fraction) and got is not None:
            equal = abs(fractions.Fraction(got) - wanted) <= abs(wanted) / 10**14
        else:
            equal = got == wanted
        if not equal:
            self.wrong.append(f"{what}: {got}, not {wanted if isinstance(wanted, int) else float(wanted or 0)}")

    def factors(self, what, row, sums, before=None, weak=False):
        reading = row["nccl"]
        self.same(f"{what}: N", row["devices"], sums.devices)
        self.same(f"{what}: E", row["elapsed_ns"], sums.elapsed)
        self.same(f"{what}: U", row["useful_ns"], sums.total(reading))
        self.same(f"{what}: max U", row["max_useful_ns"], max(sums.useful[reading].values()))
        self.same(f"{what}: max A", row["max_active_ns"], max(sums.active.values()))
        for factor, value in sums.factors(reading).items():
            self.same(f"{what}: {factor}", row[COLUMNS[factor]], value)
        if before is None:
            return
        wanted = slow.scalability(before, sums, reading, weak)
        for column, factor in (("computation_scalability", "CS"), ("global_efficiency", "GE"), ("speedup", "speedup")):
            self.same(f"{what}: {factor}", row[column], wanted[factor])

    def job(self, name):
        data = self.data[name]
        for policy in ("utc", "collectives"):
            found = Results(run(name, "analyze", *paths_of(name), "--tables", TABLES + ",clocks", "--clock", policy,
                                "--format", "json"))
            shift = {row["rank"]: row["applied_ns"] for row in found.rows("clocks")}
            self.same(f"{name}: anything moved by {policy}", policy == "collectives" and any(shift.values()),
                      policy == "collectives" and name in MOVED)
            rows = of_whole(found)
            self.same(f"{name}: rows", len(rows), 2)
            for row in rows:
                self.factors(f"{name} {policy} {row['nccl']}", row, slow.whole(data, shift))
                self.same(f"{name}: elapsed from", row["elapsed_from"], "clock")
            self.steps(name, found, shift)
        self.labels(name, found, shift)
        self.host(name, found)

    def steps(self, name, found, shift):
        """ProfilerStep#N of Kineto; other annotations belong to engines, which have their own names for them."""
        data = self.data[name]
        if not data.steps:
            return
        occurrences = slow.occurrences(data, of_process=True)
        steps = {(row["step"], row["occurrence"], row["nccl"]): row
                 for row in found.rows("efficiency", scope="step", key="step")}
        for (step, number), operations in occurrences.items():
            sums = slow.Sums()
            sums.add(operations, shift)
            for reading in slow.READINGS:
                row = steps.get((int(step.partition("#")[2]), number, reading))
                if row is None:
                    self.wrong.append(f"{name}: no row of {step}; there are {list(steps)[:4]}")
                    continue
                self.factors(f"{name} {step} {reading}", row, sums)
        for row in found.rows("efficiency", scope="phase", key="step"):
            self.factors(f"{name} steps {row['nccl']}", row, slow.within_steps(data, shift, of_process=True))
            self.same(f"{name}: steps", row["steps"], len(occurrences))

    def labels(self, name, found, shift):
        """Labels are those of kr, one operation at a time; what they come to is computed here."""
        operations = []
        labels = []
        parts = [(path,) for path in paths_of(name)]
        if name.startswith("merged"):
            parts = [(path, "--rank", str(rank)) for path, in parts
                     for rank in sorted({one.rank for one in self.data[name].operations})]
        for number, part in enumerate(parts):
            each = run(name, "classify", *part, "--each", "--format", "csv").decode("utf-8", "surrogateescape")
            for row in csv.DictReader(io.StringIO(each, newline="")):
                kind = "memory" if row["operation_kind"] != "kernel" else slow.kind_of("kernel", row["name"])
                start = int(row["start_ns"])
                operations.append(slow.Operation(row["name"], kind, number, int(row["device"]), start,
                                                 start + int(row["duration_ns"]), None))
                labels.append(row["substage"])
        whole = slow.whole(self.data[name], shift)
        for reading in slow.READINGS:
            by_label = collections.defaultdict(list)
            for (_, label), part in slow.label_parts(operations, labels, reading).items():
                by_label[label].append(part)
            rows = {row["key"]: row for row in found.rows("efficiency", scope="substage", nccl=reading)}
            self.same(f"{name} {reading}: labels", set(rows), {label for label, parts in by_label.items() if sum(parts)})
            for label, row in rows.items():
                parts = by_label[label]
                self.same(f"{name} {reading} {label}: U", row["useful_ns"], sum(parts))
                self.same(f"{name} {reading} {label}: most", row["max_useful_ns"], max(parts))
                self.same(f"{name} {reading} {label}: part", row["part"],
                          fractions.Fraction(sum(parts), whole.devices * whole.elapsed))
                self.same(f"{name} {reading} {label}: balance", row["load_balance"],
                          fractions.Fraction(sum(parts), whole.devices * max(parts)))
            self.same(f"{name} {reading}: all labels", sum(map(sum, by_label.values())), whole.total(reading))

    def host(self, name, found):
        by_rank = collections.defaultdict(list)
        for call in self.data[name].calls:
            by_rank[call.rank].append(call)
        rows = found.rows("efficiency_host")
        self.same(f"{name}: ranks with calls", len(rows), len(by_rank))
        for row, (_, calls) in zip(rows, sorted(by_rank.items())):
            threads = collections.defaultdict(list)
            for call in calls:
                threads[call.thread].append((call.start, call.end))
            span = max(call.end for call in calls) - min(call.start for call in calls)
            inside = sum(map(slow.length, threads.values()))
            self.same(f"{name}: threads", row["host_threads"], len(threads))
            self.same(f"{name}: span of calls", row["span_ns"], span)
            self.same(f"{name}: in calls", row["in_calls_ns"], inside)
            self.same(f"{name}: offload", row["device_offload_efficiency"],
                      1 - fractions.Fraction(inside, len(threads) * span))

    def scaling(self, before, after):
        """As one table, and against the reference in `efficiency`."""
        baseline = "+".join(paths_of(before))
        for kind in ("strong", "weak"):
            found = Results(run(after, "analyze", *paths_of(after), "--baseline", baseline, "--scaling", kind,
                                "--tables", TABLES, "--format", "json"))
            reference, job = (slow.whole(self.data[name]) for name in (before, after))
            rows = found.rows("scaling")
            self.same(f"{after}: jobs", len(rows), 4)
            for row, sums in zip(rows, (reference, reference, job, job)):
                self.factors(f"{before} -> {after} {kind} {row['nccl']}", row, sums, reference, kind == "weak")
            for row in of_whole(found):
                self.factors(f"{before} -> {after} {kind}", row, job, reference, kind == "weak")


def main():
    if not (DATA / "ranks/ORACLE.tsv").exists():
        print(f"{DATA}/ranks does not exist")
        return 77
    data = {name: slow.read([DATA / path for path in paths]) for name, paths in SETS.items()}
    wrong, checked = check_oracle(data)
    print(f"{checked} numbers of ORACLE.tsv compared")
    if "KR" in os.environ:
        checks = Checks(data)
        for name in SETS:
            checks.job(name)
        checks.scaling("dlrm_1", "dlrm_1_3")
        wrong += checks.wrong
        print(f"{checks.count} numbers of kr compared")
    print("\n".join(wrong[:40]) or "all are those of the slow reading")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
