#!/usr/bin/env python3
"""Compares what `kr` says of NCCL's calls, and of NCCL Inspector's lines, with the exact numbers of
shared/data/nccl/ORACLE.tsv.

    KR=build/tools/kr/kr tests/oracle/check_nccl.py [FOLDER]
"""
import collections
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data/nccl")

# Process p148 of the files has device 0, p149 device 1.
DEVICES = {"p148": 0, "p149": 1}
KINDS = {"AllGather": "allgather", "AllReduce": "allreduce", "AlltoAll": "alltoall", "Broadcast": "broadcast",
         "Recv": "recv", "Reduce": "reduce", "ReduceScatter": "reducescatter", "Send": "send"}
# kr has no output for: counts of schema rows and of all payloads, which are of other libraries, too; ranges that
# are no calls with arguments; why a kernel has no call (a graph, or a launch outside of all ranges); versions of
# NCCL Inspector, of which kr reads any. Of payloads of calls that make communicators it shows size and rank.
NOT_SHOWN = {"payloads_all_domains", "nccl_domains", "schema_rows", "schemas", "ranges_without_payload",
             "nccl_kernels_of_graphs", "lines", "version_lines"}
NOTES = {"undecoded_short_header": "payload of NCCL that is shorter than its header",
         "undecoded_unknown_schema": "payload of NCCL whose schema is not known",
         "undecoded_cut_off": "payload of NCCL that is cut off"}


def kr(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([os.environ["KR"], *arguments], capture_output=True, check=True, cwd=folder)
    return done.stdout.decode("utf-8", "surrogateescape")


def analyze(path, tables, *more):
    return Results(kr("analyze", str(path), "--tables", tables, "--format", "json", *more))


def amounts(rows, column):
    """The sum, None where one is not known."""
    values = [row[column] for row in rows]
    return None if None in values else sum(values)


class Trace:
    """What kr says of one export, by the keys of ORACLE.tsv."""

    def __init__(self, path):
        found = analyze(path, "nccl_calls,collectives,notes")
        self.calls = found.rows("nccl_calls")
        self.collectives = found.rows("collectives")
        self.notes = found.notes

    def of(self, process, group, operation=None):
        return [row for row in self.calls if row["device"] == DEVICES[process] and
                row["group"] == ("" if group == "-" else group) and
                (operation is None or row["kind"] == KINDS[operation])]

    def of_process(self, process, operation):
        return [row for row in self.calls
                if row["device"] == DEVICES[process] and row["kind"] == KINDS[operation]]

    def group_kernels(self, process):
        """Of groups of several kinds: rows without calls."""
        return [row for row in self.calls if row["device"] == DEVICES[process] and row["kind"] == "sendrecv"]

    def group_collectives(self, process):
        groups = {row["group"] for row in self.group_kernels(process)}
        return [row for row in self.collectives if row["device"] == DEVICES[process] and
                row["kind"] == "sendrecv" and row["group"] in groups]

    def value(self, metric, key):
        words = key.split()
        if metric in NOTES:
            return sum(int(row["count"]) for row in self.notes if row["text"].find(NOTES[metric]) >= 0)
        if metric in ("op_count", "op_bytes", "moved_bytes", "op_kernels", "op_kernel_ns"):
            column = {"op_count": "calls", "op_bytes": "bytes", "moved_bytes": "moved_bytes",
                      "op_kernels": "kernels", "op_kernel_ns": "kernel_ns"}[metric]
            return amounts(self.of(*words), column)
        if metric == "reduction_count":
            return sum(row["calls"] for row in self.of_process(words[0], words[1]) if row["reduction"] == words[2])
        if metric in ("peer_bytes", "root_bytes"):
            return sum(row["bytes"] for row in self.of_process(words[0], words[1]) if row["peer"] == int(words[3]))
        if metric == "group_ops":
            return sum(row["calls"] for kind in ("Send", "Recv") for row in self.of_process(words[0], kind))
        if metric == "group_bytes":
            return amounts(self.group_collectives(words[0]), "bytes")
        if metric == "group_kernels":
            return sum(row["kernels"] for row in self.group_kernels(words[0]))
        if metric == "group_kernel_ns":
            return sum(row["kernel_ns"] for row in self.group_kernels(words[0]))
        if metric == "ops_of_unknown_ranks":
            return sum(row["calls"] for row in self.calls if row["moved_bytes"] is None)
        if metric == "nccl_kernels":
            return sum(row["instances"] for row in self.collectives)
        if metric == "nccl_kernels_with_bytes":
            return sum(row["kernels"] for row in self.calls)
        raise KeyError(metric)


def check(name, got, expected, wrong):
    if got != expected:
        wrong.append(f"{name}: {got!r}, expected {expected!r}")
    return 1


def check_inits(trace, file, rows, wrong):
    """Size and rank of each communicator with calls; nothing where payloads do not name communicators."""
    count = 0
    for key, value in rows:
        process, _, group = key.split()
        if group == "-":
            continue
        ranks, rank = (int(number) for number in re.match(r"(\d+) ranks, rank (\d+)", value).groups())
        for row in trace.of(process, group):
            if row["kind"] == "sendrecv" and row["calls"] == 0 and row["group_size"] is None:
                continue
            count += check(f"{file} init {key}", (row["group_size"], row["group_rank"]), (ranks, rank), wrong)
    return count


def check_trace(file, rows, wrong):
    trace = Trace(FOLDER / file)
    count = check_inits(trace, file, [(key, value) for metric, key, value in rows if metric == "init"], wrong)
    decoded = sum(row["calls"] for row in trace.calls) + sum(1 for metric, _, _ in rows if metric == "init")
    for metric, key, value in rows:
        if metric in NOT_SHOWN or metric == "init":
            continue
        got = decoded if metric == "decoded" else trace.value(metric, key)
        count += check(f"{file} {metric} {key}", got, int(value), wrong)
    unknown = sum(int(value) for metric, _, value in rows if metric == "ops_of_unknown_ranks")
    note = any(note["code"] == "unknown-communicator-size" for note in trace.notes)
    count += check(f"{file} note of sizes", note, unknown > 0, wrong)
    # What has no number in the oracle is not known.
    known = {key for metric, key, _ in rows if metric == "moved_bytes"}
    for metric, key, _ in rows:
        if metric == "op_count" and key not in known:
            count += check(f"{file} moved_bytes {key}", trace.value("moved_bytes", key), None, wrong)
    return count


def check_groups(wrong):
    """Operations of different communicators are not compared with each other."""
    found = analyze(FOLDER / "job_nccl2.29.sqlite", "rank_collectives,collective_bandwidth")
    count = 0
    for row in found.rows("rank_collectives"):
        count += check("rank_collectives " + row["group"],
                       row["group"] in ("0xfedcba9876543210", "0x8000000000000001"), False, wrong)
    groups = {(row["group"], row["kind"]): row for row in found.rows("collective_bandwidth")}
    for (group, kind), row in groups.items():
        # As nccl-tests counts it.
        factor = {"allreduce": lambda n: 2 * (n - 1) / n, "allgather": lambda n: (n - 1) / n,
                  "reducescatter": lambda n: (n - 1) / n, "alltoall": lambda n: (n - 1) / n,
                  "broadcast": lambda n: 1, "reduce": lambda n: 1}.get(kind)
        if factor is None:
            continue
        algorithm = row["bytes"] * 1e9 / row["time_ns"]
        bus = algorithm * factor(row["group_size"])
        count += check(f"bus bandwidth of {kind} {group}", abs(row["bus_bytes_per_s"] - bus) < 1e-6 * bus, True, wrong)
    count += check("bandwidth of dp0", ("0xfedcba9876543210", "allgather") in groups, True, wrong)
    return count


def inspected(folder):
    found = Results(kr("report", str(FOLDER / "job_nccl2.29.sqlite"), "--nccl-inspector", str(folder),
                       "--tables", "nccl_inspector,notes", "--format", "json"))
    return found.rows("nccl_inspector")


def check_inspector(file, rows, wrong):
    records = inspected(FOLDER / file)
    count = check(f"{file} lines", sum(row["instances"] for row in records),
                  int(next(value for metric, _, value in rows if metric == "lines")), wrong)
    timed = {"kernel_gpu": sum(row["timed_on_gpu"] for row in records),
             "collective_cpu": sum(row["timed_on_host"] for row in records)}
    timed["not told"] = sum(row["instances"] for row in records) - sum(timed.values())
    columns = {"op_count": "instances", "op_bytes": "bytes", "op_ns": "time_ns"}
    for metric, key, value in rows:
        if metric in NOT_SHOWN:
            continue
        if metric == "bad_lines":
            got = 0
        elif metric == "timing_source":
            got = timed[key]
        else:
            rank, ranks, group, operation = re.match(r"rank (\d+) of (\d+) (\S+) (\S+)", key).groups()
            got = sum(row[columns[metric]] for row in records if
                      (row["group_rank"], row["group_size"], row["group"], row["operation"]) ==
                      (int(rank), int(ranks), group, operation))
        count += check(f"{file} {metric} {key}", got, int(value), wrong)
    return count


def check_readme(wrong):
    """NCCL's own bandwidths."""
    count = 0
    records = {row["operation"]: row for row in inspected(FOLDER / "nccl-inspector-readme")}
    for path in (FOLDER / "nccl-inspector-readme").glob("*.log"):
        for line in path.read_text(encoding="utf-8").splitlines():
            told = json.loads(line)["coll_perf"]
            row = records[told["coll"]]
            for column, name in (("algorithm_bytes_per_s", "coll_algobw_gbs"), ("bus_bytes_per_s", "coll_busbw_gbs")):
                count += check(f"{told['coll']} {column}", round(row[column] / 1e9, 5), round(told[name], 5), wrong)
    return count


def check_joined(wrong):
    """Ranks of communicators that the trace has are joined to it."""
    count = 0
    for row in inspected(FOLDER / "nccl-inspector-1234"):
        known = row["group"] == "0xc0ffee00d15ea5e5"
        count += check("joined " + row["group"], row["device"], row["group_rank"] if known else None, wrong)
        if known and row["operation"] == "Broadcast":
            count += check("joined broadcasts", (row["calls"], row["kernels"], row["kernel_ns"]), (2, 2, 18000), wrong)
    return count


def check_cut_off(wrong):
    """A last line that is cut off, and a file given as a trace."""
    count = 0
    text = next((FOLDER / "nccl-inspector-1234").glob("*.log")).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "some-host-pid1.log"
        path.write_text(text[:-40], encoding="utf-8")
        records = inspected(path)
        count += check("lines of a file that is cut off", sum(row["instances"] for row in records),
                       text.count("\n") - 1, wrong)
        done = subprocess.run([os.environ["KR"], "report", str(path)], capture_output=True, cwd=folder)
        count += check("as a trace", (done.returncode, b"--nccl-inspector" in done.stderr), (2, True), wrong)
    return count


def main():
    if not (FOLDER / "ORACLE.tsv").exists():
        print(f"skipped: {FOLDER / 'ORACLE.tsv'} is missing")
        return 77
    rows = collections.defaultdict(list)
    with open(FOLDER / "ORACLE.tsv", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            rows[row["file"]].append((row["metric"], row["key"], row["value"]))
    wrong, count = [], 0
    for file, of_file in rows.items():
        inspector = file.startswith("nccl-inspector")
        count += check_inspector(file, of_file, wrong) if inspector else check_trace(file, of_file, wrong)
    count += check_groups(wrong) + check_readme(wrong) + check_joined(wrong) + check_cut_off(wrong)
    print("\n".join(wrong[:50] + [f"{count} numbers, {len(wrong)} wrong"]))
    return 1 if wrong or count < 400 else 0


if __name__ == "__main__":
    sys.exit(main())
