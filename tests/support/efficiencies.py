"""Parallel efficiencies of several ranks, computed slowly and exactly from the files: unions of intervals one by one,
ratios as fractions. Independent of kr."""
import collections
import decimal
import fractions
import gzip
import json
import pathlib
import re
import sqlite3
import tempfile

READINGS = ("useful", "communication")
PROCESS = 0xFFFFFFFFFF000000

Operation = collections.namedtuple("Operation", "name kind rank device start end launch")  # launch: a Call or None
Call = collections.namedtuple("Call", "start end rank thread")
Step = collections.namedtuple("Step", "name start end rank thread")
Read = collections.namedtuple("Read", "operations steps calls")


def ns(value):
    """Microseconds; JSON was read without floating point."""
    return int((decimal.Decimal(value) * 1000).to_integral_value())


def kind_of(category, name):
    if category != "kernel":
        return "memory"
    return "communication" if "nccl" in name.lower() else "compute"


def read_kineto(path, number):
    """The rank is that of the file, or of the prefix that a merger wrote."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        document = json.load(file, parse_float=decimal.Decimal)
    base = int(document.get("baseTimeNanoseconds", 0))
    own_rank = document.get("distributedInfo", {}).get("rank", number)

    def rank_of(event):
        merged = re.match(r"\[TP(\d+)", str(event["pid"]))
        return int(merged[1]) if merged else own_rank

    calls, by_correlation, steps, work = [], {}, [], []
    for event in document["traceEvents"]:
        category = str(event.get("cat", "")).lower()
        if event.get("ph") != "X" or "ts" not in event:
            continue
        start = base + ns(event["ts"])
        end = start + ns(event.get("dur", 0))
        rank = rank_of(event)
        thread = (str(event["pid"]), event["tid"])
        arguments = event.get("args", {})
        if category in ("cuda_runtime", "cuda_driver"):
            calls.append(Call(start, end, rank, thread))
            by_correlation.setdefault((rank, arguments.get("correlation")), calls[-1])
        elif category == "user_annotation" and event["name"].startswith("ProfilerStep"):
            steps.append(Step(event["name"], start, end, rank, thread))
        elif category in ("kernel", "gpu_memcpy", "gpu_memset"):
            work.append((event["name"], category, rank, arguments, start, end))
    operations = [Operation(name, kind_of(category, name), rank, arguments["device"], start, end,
                            by_correlation.get((rank, arguments.get("correlation"))))
                  for name, category, rank, arguments, start, end in work]
    return Read(operations, sorted(steps, key=lambda one: one.start), calls)


def read_nsys(path, number):
    if path.suffix == ".gz":
        with tempfile.NamedTemporaryFile(suffix=".sqlite") as copy:
            copy.write(gzip.decompress(path.read_bytes()))
            copy.flush()
            return read_nsys(pathlib.Path(copy.name), number)
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    tables = {name for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    base = 0
    if "TARGET_INFO_SESSION_START_TIME" in tables:
        base = database.execute("SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME").fetchone()[0]
    strings = dict(database.execute("SELECT id, value FROM StringIds"))
    calls, by_correlation = [], {}
    for start, end, thread, correlation in database.execute(
            "SELECT start, end, globalTid, correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME"):
        calls.append(Call(base + start, base + end, number, thread))
        by_correlation[thread & PROCESS, correlation] = calls[-1]
    operations = []
    for category in ("KERNEL", "MEMCPY", "MEMSET"):
        if f"CUPTI_ACTIVITY_KIND_{category}" not in tables:
            continue
        name = "demangledName" if category == "KERNEL" else "NULL"
        for start, end, device, correlation, process, text in database.execute(
                f"SELECT start, end, deviceId, correlationId, globalPid, {name} FROM CUPTI_ACTIVITY_KIND_{category}"):
            text = strings.get(text, category)
            operations.append(Operation(text, kind_of(category.lower(), text), number, device, base + start,
                                        base + end, by_correlation.get((process & PROCESS, correlation))))
    database.close()
    return Read(operations, [], calls)


def read(paths):
    reads = [(read_nsys if ".sqlite" in path.name else read_kineto)(path, number)
             for number, path in enumerate(paths)]
    return Read(*(sum(lists, []) for lists in zip(*reads)))


def union(intervals):
    """Their disjoint parts."""
    parts = []
    for start, end in sorted(intervals):
        if parts and start <= parts[-1][1]:
            parts[-1][1] = max(parts[-1][1], end)
        else:
            parts.append([start, end])
    return parts


def length(intervals):
    return sum(end - start for start, end in union(intervals))


def is_useful(kind, reading):
    return kind == "compute" or (kind == "communication" and reading == "useful")


class Sums:
    """U and A by device, and E."""

    def __init__(self):
        self.useful = {reading: collections.Counter() for reading in READINGS}
        self.active = collections.Counter()
        self.elapsed = 0

    def add(self, operations, shift=None):
        """The operations of a run, or of one occurrence of a step. `shift`: to be added to the times of a rank."""
        shift = shift or {}
        by_device = collections.defaultdict(list)
        for one in operations:
            by_device[one.rank, one.device].append(one)
        for device, own in by_device.items():
            self.active[device] += length([(one.start, one.end) for one in own])
            for reading in READINGS:
                self.useful[reading][device] += length(
                    [(one.start, one.end) for one in own if is_useful(one.kind, reading)])
        self.elapsed += (max(one.end + shift.get(one.rank, 0) for one in operations) -
                         min(one.start + shift.get(one.rank, 0) for one in operations))

    @property
    def devices(self):
        return len(self.active)

    def total(self, reading):
        return sum(self.useful[reading].values())

    def factors(self, reading):
        """Nothing where a factor is 0/0."""
        useful, most = self.total(reading), max(self.useful[reading].values())
        active = max(self.active.values())

        def over(a, b):
            return fractions.Fraction(a, b) if b else None

        out = {"PE": over(useful, self.devices * self.elapsed), "LB": over(useful, self.devices * most),
               "CE": over(most, active), "OE": over(active, self.elapsed)}
        if None not in out.values():
            assert out["PE"] == out["LB"] * out["CE"] * out["OE"]
        return out


def scalability(reference, job, reading, weak):
    """Of `job` against `reference`."""
    factor = fractions.Fraction(job.devices, reference.devices) if weak else 1
    efficiency, before = job.factors(reading)["PE"], reference.factors(reading)["PE"]
    out = {"CS": fractions.Fraction(reference.total(reading), job.total(reading)) * factor,
           "speedup": fractions.Fraction(reference.elapsed, job.elapsed) * factor, "PE": efficiency, "PE0": before}
    out["GE"] = efficiency * out["CS"]
    times = fractions.Fraction(reference.elapsed, job.elapsed)
    assert out["GE"] / before == (times if weak else times * reference.devices / job.devices)
    return out


def occurrences(data, of_process=False):
    """The operations of each step: (name, k of the rank's steps with the name) -> operations, on all ranks. With
    `of_process`, a thread without steps of its own works for the steps of its process, as autograd's does."""
    stepping = {step.thread for step in data.steps}

    def holds(step, launch):
        same = step.thread == launch.thread or (
            of_process and launch.thread not in stepping and step.thread[0] == launch.thread[0])
        return step.rank == launch.rank and same and step.start <= launch.start < step.end

    seen, number = collections.Counter(), {}
    for step in data.steps:
        number[step] = seen[step.rank, step.name]
        seen[step.rank, step.name] += 1
    out = collections.defaultdict(list)
    for one in data.operations:
        for step in data.steps:
            if one.launch and holds(step, one.launch):
                out[step.name, number[step]].append(one)
    return out


def within_steps(data, shift=None, of_process=False):
    """U, A and E of the steps, added."""
    sums = Sums()
    for operations in occurrences(data, of_process).values():
        sums.add(operations, shift)
    return sums


def whole(data, shift=None):
    sums = Sums()
    sums.add(data.operations, shift)
    return sums


def label_parts(operations, labels, reading):
    """(device, label) -> the part of each label among the useful operations that no earlier one covers: by start, then
    the longer, then by name. `labels`: by operation."""
    by_device = collections.defaultdict(list)
    for one, label in zip(operations, labels):
        if is_useful(one.kind, reading):
            by_device[one.rank, one.device].append((one.start, one.start - one.end, one.name, one.end, label))
    parts = collections.Counter()
    for device, own in by_device.items():
        covered_to = min(one[0] for one in own)
        for start, _, _, end, label in sorted(own, key=lambda one: one[:3]):
            parts[device, label] += max(0, end - max(start, covered_to))
            covered_to = max(covered_to, end)
    return parts
