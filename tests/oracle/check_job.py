#!/usr/bin/env python3
"""Clocks, waiting and bandwidth of collectives, computed slowly and exactly from the traces of several ranks.
Compares them with the exact numbers of the shared data (ORACLE.tsv), and the tables `clocks`, `collectives`,
`collective_skew` and `collective_bandwidth` of `kr analyze` with them.

    KR=build/tools/kr/kr tests/oracle/check_job.py [FOLDER]
"""
import collections
import csv
import decimal
import gzip
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results, total  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data")
KINDS = {"allreduce": "allreduce", "sendrecv": "sendrecv", "broadcast": "broadcast"}
NEED_ALL = {"allreduce", "allgather", "reducescatter", "alltoall", "barrier", "sendrecv"}
BYTES = {"Float": 4, "Half": 2, "BFloat16": 2, "Double": 8, "Long": 8, "Int": 4, "Char": 1, "Byte": 1}
BUS = {"allreduce": lambda n: (2 * (n - 1), n), "broadcast": lambda n: (1, 1)}

Operation = collections.namedtuple("Operation", "start end device launch name arguments")
# The k-th of a (group, kind) on one member: times on its own clock, busy time of the device before its start and end.
Instance = collections.namedtuple("Instance", "start end busy_before_start busy_before_end before bytes group_size")


class Member:
    """A device of a rank."""

    def __init__(self, rank, device, operations):
        self.rank, self.device, self.operations = rank, device, operations
        self.applied = 0

    def of(self, group):
        return self.instances.get(group, [])


def kind_of(operation):
    name = operation.arguments.get("Collective name")
    if name is None:
        name = re.search(r"nccl(?:DevKernel|Kernel)_([A-Za-z]+)", operation.name).group(1)
    return KINDS[name.lower()]


def kernels_of_kineto(path, ranks):
    """Ranks of a file, or of a merged one, each by its own prefix of pids."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        data = json.load(file, parse_float=decimal.Decimal)
    base = data.get("baseTimeNanoseconds", 0)
    calls, operations = {}, []
    for event in data["traceEvents"]:
        category = event.get("cat", "").lower()
        if event.get("ph") != "X":
            continue
        prefix = re.match(r"\[([^\]]*)\] ", str(event["pid"]))
        member = prefix.group(1) if prefix else ""
        if category in ("cuda_runtime", "cuda_driver", "runtime") and "correlation" in event.get("args", {}):
            calls.setdefault((member, event["args"]["correlation"]), int(event["ts"] * 1000))
        if category in ("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset"):
            operations.append((member, event))
    found = collections.defaultdict(list)
    for member, event in operations:
        start = base + int(event["ts"] * 1000)
        arguments = event["args"]
        found[member].append(Operation(start, start + int(event["dur"] * 1000), arguments["device"],
                                       calls.get((member, arguments.get("correlation"))), event["name"], arguments))
    for member in sorted(found):
        rank = int(re.search(r"TP(\d+)", member).group(1)) if member else data["distributedInfo"]["rank"]
        ranks.append((rank, found[member]))


def kernels_of_nsys(path, rank, ranks):
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    tables = {name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    utc = 0
    if "TARGET_INFO_SESSION_START_TIME" in tables:
        utc = database.execute("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME").fetchone()[0]
    names = dict(database.execute("SELECT id, value FROM StringIds"))
    calls = {}
    for thread, correlation, start in database.execute(
            "SELECT globalTid, correlationId, start FROM CUPTI_ACTIVITY_KIND_RUNTIME"):
        calls.setdefault((thread >> 24, correlation), utc + start)
    operations = []
    for table, name in (("KERNEL", "shortName"), ("MEMCPY", "0"), ("MEMSET", "0")):
        if f"CUPTI_ACTIVITY_KIND_{table}" not in tables:
            continue
        for start, end, device, correlation, process, text in database.execute(
                f"SELECT start, end, deviceId, correlationId, globalPid, {name} FROM CUPTI_ACTIVITY_KIND_{table}"):
            operations.append(Operation(utc + start, utc + end, device, calls.get((process >> 24, correlation)),
                                        names[text] if table == "KERNEL" else "", {}))
    ranks.append((rank, operations))


def read(paths):
    ranks = []
    for path in paths:
        if path.name.endswith(".sqlite"):
            kernels_of_nsys(path, len(ranks), ranks)
        elif path.name.endswith(".sqlite.gz"):
            with tempfile.NamedTemporaryFile() as file:
                file.write(gzip.decompress(path.read_bytes()))
                file.flush()
                kernels_of_nsys(file.name, len(ranks), ranks)
        else:
            kernels_of_kineto(path, ranks)
    members = []
    for rank, operations in sorted(ranks, key=lambda of: of[0]):
        for device in sorted({operation.device for operation in operations}):
            members.append(Member(rank, device, [one for one in operations if one.device == device]))
    return members


def busy_before(operations):
    """A function of a time: the time before it in which any operation runs."""
    union = []
    for one in sorted(operations, key=lambda of: of.start):
        if union and one.start <= union[-1][1]:
            union[-1][1] = max(union[-1][1], one.end)
        else:
            union.append([one.start, one.end])
    return lambda time: sum(max(0, min(end, time) - start) for start, end in union)


def find_instances(member):
    busy = busy_before(member.operations)
    member.instances = collections.defaultdict(list)
    found = [one for one in member.operations if "nccl" in one.name.lower()]
    found.sort(key=lambda one: (one.start if one.launch is None else one.launch, one.start))
    # Before the first one: the start of the device's first operation.
    first = min(one.start for one in member.operations)
    before = Instance(first, first, 0, 0, None, None, None)
    for one in found:
        size = one.arguments.get("Group size")
        kind = kind_of(one)
        elements = one.arguments.get("Out msg nelems" if kind == "allgather" else "In msg nelems")
        width = BYTES.get(one.arguments.get("dtype"))
        instance = Instance(one.start, one.end, busy(one.start), busy(one.end), before,
                            elements * width if elements is not None else None, size)
        member.instances[one.arguments.get("Process Group Name", ""), kind].append(instance)
        before = instance


def union_of(spans):
    union = []
    for start, end in sorted(spans):
        if union and start <= union[-1][1]:
            union[-1][1] = max(union[-1][1], end)
        else:
            union.append([start, end])
    return union


def is_compute(operation):
    name = operation.name
    return bool(name) and "nccl" not in name.lower() and not name.startswith(("Memcpy", "Memset"))


def overlap_of(member):
    """(group, kind) → busy, exposed: by cutting time at every start and end."""
    compute = union_of((one.start, one.end) for one in member.operations if is_compute(one))
    out = {}
    for group, instances in member.instances.items():
        busy = union_of((one.start, one.end) for one in instances)
        cuts = sorted({time for span in compute + busy for time in span})
        length = exposed = 0
        at = {"busy": 0, "compute": 0}
        for begin, end in zip(cuts, cuts[1:]):
            inside = {}
            for name, spans in (("busy", busy), ("compute", compute)):
                while at[name] < len(spans) and spans[at[name]][1] <= begin:
                    at[name] += 1
                inside[name] = at[name] < len(spans) and spans[at[name]][0] <= begin
            length += (end - begin) * inside["busy"]
            exposed += (end - begin) * (inside["busy"] and not inside["compute"])
        out[group] = (len(instances), length, exposed)
    return out


def lower_median(values):
    return sorted(values)[(len(values) - 1) // 2]


def matched_groups(members):
    groups = sorted({group for member in members for group in member.instances})
    return [group for group in groups if len({len(member.of(group)) for member in members}) == 1]


def clock_of(reference, member, groups):
    lower, upper, ends = [], [], []
    for group in groups:
        if group[1] not in NEED_ALL:
            continue
        for a, b in zip(reference.of(group), member.of(group)):
            lower.append(a.start - b.end)
            upper.append(a.end - b.start)
            ends.append(a.end - b.end)
    lower, upper, median = max(lower), min(upper), lower_median(ends)
    offset = min(max(median, lower), upper)
    deviations = [abs(one - median) for one in ends]
    mad = lower_median(deviations)
    # Where 0 is within the bounds: 8 collectives that differ by more than noise. Those of these sets with 8 of one kind
    # that ends together have no others; sendrecvs may end apart by up to 50 us.
    together = sum(len(member.of(group)) for group in groups if group[1] == "allreduce")
    differs = (len(ends) >= 8 and abs(median) > max(3 * mad, 1000 if together >= 8 else 50000)
               and 10 * sum(one * median > 0 for one in ends) >= 9 * len(ends))
    return {"lower_ns": lower, "upper_ns": upper, "ends_median_ns": median, "offset_ns": offset,
            "applied_ns": 0 if lower <= 0 <= upper and not differs else offset, "ends_mad_ns": mad,
            "ends_worst_ns": max(deviations)}


def collective_of(members, group):
    """Per member: total, waiting, ...; and the skew of the group."""
    rows = [collections.Counter() for _ in members]
    skew = collections.Counter()
    for all_k in zip(*(member.of(group) for member in members)):
        starts = [one.start + member.applied for one, member in zip(all_k, members)]
        shortest = min(one.end - one.start for one in all_k)
        last = max(starts)
        transfers = []
        for row, one, start in zip(rows, all_k, starts):
            duration = one.end - one.start
            wait = min(duration, max(0, last - start))
            row["total_ns"] += duration
            row["wait_ns"] += wait
            row["transfer_ns"] += duration - wait
            row["wait_clock_free_ns"] += duration - shortest
            transfers.append(duration - wait)
        skew["time"] += min(transfers)
        late, early = starts.index(last), starts.index(min(starts))
        rows[late]["last_to_arrive"] += 1
        rows[late]["waited_for_ns"] += sum(min(one.end - one.start, max(0, last - start)) for one, start in zip(all_k, starts))
        late, early = (all_k[late], members[late]), (all_k[early], members[early])
        skew["sum"] += last - min(starts)
        sides = []
        for one, member in (late, early):
            busy = one.busy_before_start - one.before.busy_before_end
            end = one.before.end + member.applied
            sides.append((end, busy, one.start + member.applied - end - busy))
        for name, a, b in zip(("before", "device", "host"), *sides):
            skew[f"skew_{name}_ns"] += a - b
    return rows, skew


def oracle():
    found = collections.defaultdict(dict)
    with open(FOLDER / "ranks/ORACLE.tsv", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            found[row["set"]][row["metric"], row["key"]] = row["value"]
    return found


SETS = {"clock4": [f"ranks/clock4/1711970000-TP-{rank}.trace.json.gz" for rank in range(4)],
        "merged_clock4_device0": ["ranks/merged_clock4_device0.trace.json.gz"],
        "dlrm_1_3": ["kineto/dlrm_rank1.json.gz", "kineto/dlrm_rank3.json.gz"],
        "merged_dlrm_1_3": ["ranks/merged_dlrm_1_3.trace.json.gz"],
        "nodes2": ["ranks/nodes2/report_N0.sqlite.gz", "ranks/nodes2/report_N1.sqlite.gz"],
        "mfu_2gpu_after": ["nsys/mfu_2gpu_after.sqlite"],
        "a100_ddp_ns": ["kineto/a100_ddp_ns.json.gz"]}

failures = 0


def same(what, got, expected):
    global failures
    if got != expected:
        failures += 1
        print(f"{what}: got {got}, expected {expected}")


def compute(paths):
    """(metric, key) → value, as ORACLE.tsv."""
    members = read(paths)
    one_rank = len({member.rank for member in members}) == 1
    for member in members:
        find_instances(member)
        member.key = f"device {member.device}" if one_rank else f"rank {member.rank}"
    out = {}
    groups = matched_groups(members)
    for member in members:
        for group, numbers in overlap_of(member).items():
            for name, number in zip(("instances", "busy_ns", "exposed_ns"), numbers):
                out["overlap." + name, f"{'/'.join(group)} {member.key}"] = str(number)
    if len(members) > 1:
        out["matched", ""] = str(sum(len(members[0].of(group)) for group in groups))
    for member in members[1:]:
        clock = clock_of(members[0], member, groups)
        member.applied = clock["applied_ns"]
        for name, value in clock.items():
            out["clock." + name, member.key] = str(value)
    for group in groups:
        text = "/".join(group)
        rows, skew = collective_of(members, group)
        if len(members) > 1:
            for member, row in zip(members, rows):
                for name in ("total_ns", "wait_ns", "transfer_ns", "wait_clock_free_ns", "last_to_arrive", "waited_for_ns"):
                    out["collective." + name, f"{text} {member.key}"] = str(row[name])
            parts = [skew[f"skew_{name}_ns"] for name in ("before", "device", "host")]
            same(f"{text}: parts of the skew", sum(parts), skew["sum"])
            for name, part in zip(("before", "device", "host"), parts):
                out[f"collective.skew_{name}_ns", text] = str(part)
        first = members[0].of(group)
        if all(one.bytes is not None and one.group_size for one in first):
            size = sum(one.bytes for one in first)
            time = skew["time"]
            out["bandwidth.bytes", text] = str(size)
            out["bandwidth.time_ns", text] = str(time)
            numerator, denominator = BUS[group[1]](first[0].group_size)
            with decimal.localcontext(decimal.Context(rounding=decimal.ROUND_HALF_EVEN)):
                out["bandwidth.algorithm_GBps", text] = f"{decimal.Decimal(size) / time:.6f}"
                out["bandwidth.bus_GBps", text] = f"{decimal.Decimal(size * numerator) / (time * denominator):.6f}"
    return out


CLOCK_COLUMNS = {"lower_ns": "low_ns", "upper_ns": "high_ns", "offset_ns": "offset_ns",
                 "ends_mad_ns": "deviation_ns", "applied_ns": "applied_ns"}
TIME_COLUMNS = {"total_ns": "total_ns", "wait_ns": "waiting_ns", "transfer_ns": "transfer_ns",
                "wait_clock_free_ns": "beyond_shortest_ns", "last_to_arrive": "last_count", "waited_for_ns": "waited_for_ns"}


def analyze(paths, *options):
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for path in paths:
            names.append(str(path))
            if path.name.endswith(".sqlite.gz"):
                names[-1] = f"{folder}/{path.name[:-3]}"
                pathlib.Path(names[-1]).write_bytes(gzip.decompress(path.read_bytes()))
        done = subprocess.run([os.environ["KR"], "analyze", *names, "--format", "json", "--tables",
                               "clocks,collective_balance,collective_bandwidth,collectives,collective_overlap,"
                               "rank_collectives,ranks", *options],
                              capture_output=True, check=True)
    return Results(done.stdout)


def tables_of(found):
    """The tables of kr as `compute` has the numbers."""
    out = {}
    several = len(found.runs) > 1

    def key(row):
        return f"rank {row['rank']}" if several else f"device {row['device']}"

    for row in found.rows("clocks"):
        if row["low_ns"] is None:
            continue
        for name, column in CLOCK_COLUMNS.items():
            out["clock." + name, f"rank {row['rank']}"] = str(row[column])
    for row in found.rows("collectives"):
        for name, column in TIME_COLUMNS.items():
            if row[column] is not None:
                out["collective." + name, f"{row['group']}/{row['kind']} {key(row)}"] = str(row[column])
    ranks = {row["run"]: row["rank"] for row in found.rows("ranks")}
    for row in found.rows("collective_overlap", scope="device"):
        name = f"rank {ranks[row['run']]}" if several else f"device {row['device']}"
        for column in ("instances", "busy_ns", "exposed_ns"):
            out["overlap." + column, f"{row['group']}/{row['kind']} {name}"] = str(row[column])
        same("overlapped", row["overlapped_ns"], row["busy_ns"] - row["exposed_ns"])
    balance = found.rows("collective_balance")
    if balance:
        out["matched", ""] = str(total(balance, "instances"))
    for row in balance:
        for name in ("before", "device", "host"):
            out[f"collective.skew_{name}_ns", f"{row['group']}/{row['kind']}"] = str(row[name + "_ns"])
    for row in found.rows("collective_bandwidth"):
        text = f"{row['group']}/{row['kind']}"
        out["bandwidth.bytes", text] = str(row["bytes"])
        out["bandwidth.time_ns", text] = str(row["time_ns"])
        for name in ("algorithm", "bus"):
            out[f"bandwidth.{name}_GBps", text] = f"{row[name + '_bytes_per_s'] / 1e9:.6f}"
    return out


def compare_instances(name, found):
    """Each collective on each rank: what `collectives` and `collective_balance` sum."""
    sums = collections.defaultdict(collections.Counter)
    for row in found.rows("rank_collectives"):
        one = sums[row["group"], row["kind"], row["rank"], row["device"]]
        one.update(matched=1, waiting_ns=row["waiting_ns"], last_count=int(bool(row["last"])), duration_ns=row["duration_ns"])
    for row in found.rows("collectives"):
        one = sums[row["group"], row["kind"], row["rank"], row["device"]]
        if row["waiting_ns"] is None:
            continue
        for column in ("matched", "waiting_ns", "last_count"):
            same(f"{name}: rank_collectives: {column}", one[column], row[column])
        same(f"{name}: rank_collectives: duration", one["duration_ns"], row["waiting_ns"] + row["transfer_ns"])
    waits, waited = collections.Counter(), {}
    for row in found.rows("collectives"):
        if row["waited_for_ns"] is not None:
            key = row["group"], row["kind"]
            waits[key] += row["waiting_ns"]
            waited.setdefault(key, {})[row["rank"], row["device"]] = (row["waited_for_ns"], row["last_count"])
    for row in found.rows("collective_balance"):
        of = waited.get((row["group"], row["kind"]))
        if of is None:
            continue
        same(f"{name}: waiting for all", sum(ns for ns, _ in of.values()), row["waiting_ns"])
        if row["waited_for_rank"] is None:  # by chance
            same(f"{name}: waited_for_ns without a rank", row["waited_for_ns"], None)
        else:
            same(f"{name}: waited_for_ns", row["waited_for_ns"], max(ns for ns, _ in of.values()))
            same(f"{name}: waited_for_rank", of[row["waited_for_rank"], row["waited_for_device"]][0], row["waited_for_ns"])
        same(f"{name}: most often last", of[row["most_often_last_rank"], row["most_often_last_device"]][1],
             max(count for _, count in of.values()))


def compare_with_kr(name, paths, expected):
    found = analyze(paths)
    compare_instances(name, found)
    got = tables_of(found)
    for key, value in expected.items():
        # One run has one clock.
        if key[0] in ("clock.ends_median_ns", "clock.ends_worst_ns") or key[0].startswith("clock.") and key[1][0] == "d":
            continue
        same(f"{name}: kr: {' '.join(key)}", got.pop(key, None), value)
    same(f"{name}: kr: more than expected", got, {})


def compare_policies(paths):
    """Without moving clocks, nothing is moved; without clocks, nothing is compared with them."""
    for policy in ("utc", "none"):
        found = analyze(paths, "--clock", policy)
        same(f"{policy}: applied", {row["applied_ns"] for row in found.rows("clocks")}, {0})
        same(f"{policy}: waiting is known", {row["waiting_ns"] is not None for row in found.rows("collectives")},
             {policy == "utc"})
        waiting = collections.Counter()
        for row in found.rows("collectives"):
            waiting[row["rank"]] += row["waiting_ns" if policy == "utc" else "beyond_shortest_ns"]
        same(f"{policy}: waiting of ranks", {row["rank"]: row["waiting_ns"] for row in found.rows("ranks")},
             dict(waiting))


def main():
    if not (FOLDER / "ranks/ORACLE.tsv").exists():
        print(f"skipped: {FOLDER / 'ranks/ORACLE.tsv'} is missing")
        return 77
    expected = oracle()
    compared = 0
    for name, paths in SETS.items():
        got = compute([FOLDER / path for path in paths])
        for key, value in expected[name].items():
            if key[0].startswith(("matched", "clock.", "collective.", "bandwidth.")):
                same(f"{name}: {' '.join(key)}", got.get(key), value)
        compare_with_kr(name, [FOLDER / path for path in paths], got)
        compared += len(got)
    compare_policies([FOLDER / path for path in SETS["clock4"]])
    print(f"{compared} numbers of {len(SETS)} jobs, {failures} differ")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
