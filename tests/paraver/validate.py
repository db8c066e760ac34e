#!/usr/bin/env python3
"""Whether a Paraver trace is one: FILE.prv or FILE.prv.gz with FILE.pcf and FILE.row beside it.

Written from the grammar of the three files and the limits of Paraver's parser, not from what kr writes. Prints what is
wrong, the first 20 of it, and ends with 1; `--sums` prints the time of each value of each labelled type as JSON.
"""

import argparse
import collections
import gzip
import json
import pathlib
import re
import sys

MOST_TIME = 2**53  # times become doubles
MOST_TYPE = 2**31 - 1  # types and labelled values are parsed as int
MOST_VALUE = 2**63 - 1
MOST_OBJECTS = 2**16 - 1
LEVELS = ("WORKLOAD", "APPL", "TASK", "THREAD", "SYSTEM", "NODE", "CPU")
HEADER = re.compile(r"#Paraver \((\d\d)/(\d\d)/(\d\d(?:\d\d)?) at (\d\d):(\d\d)\):(\d+)(_ns)?:(.*)")
RESOURCES = re.compile(r"0:|(\d+)\(([\d,]+)\):")
APPLICATION = re.compile(r"(\d+)\(((?:\d+:\d+)(?:,\d+:\d+)*)\)")
SECTIONS = ("DEFAULT_OPTIONS", "DEFAULT_SEMANTIC", "STATES", "STATES_COLOR", "GRADIENT_COLOR", "GRADIENT_NAMES",
            "EVENT_TYPE", "VALUES")
MOST_MESSAGES = 20


class Faults(list):
    """What is wrong, with its place."""

    def add(self, place, text):
        if len(self) < MOST_MESSAGES:
            self.append(f"{place}: {text}")


NUMBERS = re.compile(r"(?:0|-?[1-9]\d*)(?::(?:0|-?[1-9]\d*))*")


def number(text, least, most):
    """The number that a text is, or None: a sign only before others than 0, and no zeros before it."""
    if not re.fullmatch(r"0|-?[1-9]\d*", text):
        return None
    value = int(text)
    return value if least <= value <= most else None


class Labels:
    """A .pcf file: labels of types, and of their values."""

    def __init__(self, text, faults):
        self.types = {}  # number: label
        self.values = {}  # number: {value: label}; none: the type has no VALUES
        self.states = {}
        section, block = "DEFAULT_OPTIONS", []
        values = None
        for at, line in enumerate(text.split("\n"), 1):
            place = f".pcf:{at}"
            if line == "":
                continue
            if line.strip() == "":
                faults.add(place, "a line of blanks only")
                continue
            if line in SECTIONS:
                section = line
                if line == "EVENT_TYPE":
                    block = []
                elif line == "VALUES":
                    if not block:
                        faults.add(place, "VALUES without a type")
                    values = {}
                    for one in block:
                        self.values[one] = values
                continue
            if section in ("EVENT_TYPE", "VALUES", "STATES"):
                self.line(section, line, place, block, values, faults)

    def line(self, section, line, place, block, values, faults):
        fields = re.fullmatch(r"(\S+) +(\S+) +(.*\S)" if section == "EVENT_TYPE" else r"(\S+) +(.*\S)", line)
        if fields is None:
            faults.add(place, "not a number and a label")
            return
        if "\t" in line or "\r" in line:
            faults.add(place, "a tab or a carriage return")
        fields = fields.groups()
        if section == "EVENT_TYPE" and number(fields[0], 0, 255) is None:
            faults.add(place, f"gradient {fields[0]}")
        one = number(fields[-2], 0, MOST_TYPE)
        known = {"EVENT_TYPE": self.types, "VALUES": values, "STATES": self.states}[section]
        if one is None:
            faults.add(place, f"number {fields[-2]}")
        elif one in known:
            faults.add(place, f"{one} is there twice")
        else:
            known[one] = fields[-1]
            if section == "EVENT_TYPE":
                block.append(one)


def read_rows(text, faults):
    """The labels of each level of a .row file."""
    rows = {}
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        if lines[at] == "":
            at += 1
            continue
        head = re.fullmatch(r"LEVEL (\S+) SIZE (\d+)", lines[at])
        if head is None or head[1] not in LEVELS or head[1] in rows:
            faults.add(f".row:{at + 1}", f"not the head of another level: {lines[at]}")
            return rows
        labels = lines[at + 1:at + 1 + int(head[2])]
        if len(labels) < int(head[2]) or any(label.strip() == "" or "\t" in label for label in labels):
            faults.add(f".row:{at + 1}", f"{head[1]} does not have {head[2]} labels")
        rows[head[1]] = labels
        at += 1 + int(head[2])
    return rows


class Objects:
    """The header: nodes with their processors, and applications of tasks of threads."""

    def __init__(self, line, faults):
        self.time, self.nodes, self.threads, self.communicators = 0, [], [], 0
        head = HEADER.fullmatch(line)
        if head is None:
            faults.add(".prv:1", f"not a header: {line[:80]}")
            return
        day, month, hour, minute = (int(head[i]) for i in (1, 2, 4, 5))
        if not (1 <= day <= 31 and 1 <= month <= 12 and hour < 24 and minute < 60):
            faults.add(".prv:1", "a date that there is not")
        self.time = int(head[6])
        if self.time > MOST_TIME:
            faults.add(".prv:1", "a time that no double holds")
        resources = RESOURCES.match(head[8])
        if resources is None:
            faults.add(".prv:1", "no resources")
            return
        if resources[1]:
            self.nodes = [int(one) for one in resources[2].split(",")]
            if len(self.nodes) != int(resources[1]):
                faults.add(".prv:1", "not as many nodes as it says")
        self.applications(head[8][resources.end():], faults)

    def applications(self, text, faults):
        count, colon, rest = text.partition(":")
        if not colon or number(count, 1, MOST_OBJECTS) is None:
            faults.add(".prv:1", f"number of applications {count}")
            return
        for _ in range(int(count)):
            one = APPLICATION.match(rest)
            if one is None:
                faults.add(".prv:1", f"no list of tasks: {rest[:40]}")
                return
            tasks = [tuple(map(int, task.split(":"))) for task in one[2].split(",")]
            if len(tasks) != int(one[1]):
                faults.add(".prv:1", "not as many tasks as it says")
            for threads, node in tasks:
                if threads < 1 or node < 1 or (self.nodes and node > len(self.nodes)):
                    faults.add(".prv:1", f"a task of {threads} threads on node {node}")
            self.threads.append(tasks)
            rest = rest[one.end():]
            more = re.match(r",(\d+)(?=,|$)", rest)
            if more:
                self.communicators += int(more[1])
                rest = rest[more.end():]
            if rest.startswith(","):
                rest = rest[1:]
        if rest:
            faults.add(".prv:1", f"what follows the applications: {rest[:40]}")
        if sum(threads for tasks in self.threads for threads, _ in tasks) > MOST_OBJECTS:
            faults.add(".prv:1", "more threads than 16 bits hold")

    def has(self, cpu, application, task, thread):
        """Whether there is such a thread, which may be on this processor (0: not known)."""
        if not (1 <= application <= len(self.threads) and 1 <= task <= len(self.threads[application - 1])):
            return False
        threads, node = self.threads[application - 1][task - 1]
        if not 1 <= thread <= threads:
            return False
        before = sum(self.nodes[:node - 1])
        return cpu == 0 or (self.nodes != [] and before < cpu <= before + self.nodes[node - 1])


class Trace:
    """Reads all three files; `faults` and `sums` are what it finds."""

    def __init__(self, path, cut=False):
        self.faults = Faults()
        self.cut = cut
        stem = str(path).removesuffix(".gz").removesuffix(".prv")
        self.labels = Labels(read_text(f"{stem}.pcf"), self.faults)
        self.rows = read_rows(read_text(f"{stem}.row"), self.faults)
        self.open = {}  # by thread and type: value and begin
        self.sums = collections.defaultdict(lambda: collections.defaultdict(int))
        self.counts = collections.Counter()
        self.tags = collections.Counter()
        self.unlabelled = set()
        self.states = {}  # by thread: the end of its last state
        opener = gzip.open if str(path).endswith(".gz") else open
        with opener(path, "rt", encoding="utf-8", errors="surrogateescape", newline="\n") as lines:
            first = next(lines, "")
            self.objects = Objects(first.removesuffix("\n"), self.faults)
            self.check_rows()
            self.last = 0
            for at, line in enumerate(lines, 2):
                if not line.endswith("\n"):
                    self.faults.add(f".prv:{at}", "the last line does not end")
                if not line.startswith(("#", "c:")):
                    self.record(f".prv:{at}", line.rstrip("\n"))
                elif line.startswith("c:"):
                    self.communicator(f".prv:{at}", line.rstrip("\n").split(":"))
        if not cut:
            for (thread, kind), (_, begin) in self.open.items():
                self.faults.add(".prv", f"{kind} of thread {thread} begins at {begin} and does not end")

    def check_rows(self):
        tasks = [tasks for tasks in self.objects.threads]
        sizes = {"WORKLOAD": 1, "APPL": len(tasks), "TASK": sum(map(len, tasks)), "SYSTEM": 1,
                 "THREAD": sum(threads for one in tasks for threads, _ in one),
                 "NODE": len(self.objects.nodes) or max((node for one in tasks for _, node in one), default=0),
                 "CPU": sum(self.objects.nodes)}
        for level, labels in self.rows.items():
            if len(labels) != sizes[level]:
                self.faults.add(".row", f"{len(labels)} labels of level {level}, but there are {sizes[level]}")

    def communicator(self, place, fields):
        numbers = [number(field, 1, MOST_OBJECTS) for field in fields[1:]]
        if None in numbers or len(numbers) < 4 or numbers[2] != len(numbers) - 3:
            self.faults.add(place, "not a communicator")

    def record(self, place, line):
        fields = line.split(":")
        # A regular expression for the line, not one for each number: traces have millions of numbers.
        numbers = list(map(int, fields)) if NUMBERS.fullmatch(line) else None
        if numbers is None or min(numbers) < -MOST_VALUE - 1 or max(numbers) > MOST_VALUE:
            strange = next(field for field in fields if number(field, -MOST_VALUE - 1, MOST_VALUE) is None)
            self.faults.add(place, f"`{strange}` is not a number")
            return
        kind, size = numbers[0], len(numbers)
        if not (size >= 8 and size % 2 == 0 if kind == 2 else size == 8 if kind == 1 else kind == 3 and size == 15):
            self.faults.add(place, f"a record of kind {numbers[0]} with {len(numbers)} fields")
            return
        if not self.objects.has(*numbers[1:5]):
            self.faults.add(place, f"no thread {fields[1:5]}")
            return
        if not self.last <= numbers[5] <= self.objects.time:
            self.faults.add(place, f"time {numbers[5]} after {self.last}, of {self.objects.time}")
        self.last = max(self.last, numbers[5])
        self.counts[kind] += 1
        (self.events if kind == 2 else self.state if kind == 1 else self.communication)(place, numbers)

    def state(self, place, numbers):
        thread, (begin, end, value) = tuple(numbers[2:5]), numbers[5:]
        if not begin <= end <= self.objects.time:
            self.faults.add(place, f"a state from {begin} to {end}")
        if begin < self.states.get(thread, 0):
            self.faults.add(place, f"states of thread {thread} overlap")
        if self.labels.states and value not in self.labels.states:
            self.faults.add(place, f"state {value} has no label")
        self.states[thread] = end

    def events(self, place, numbers):
        thread, time = tuple(numbers[2:5]), numbers[5]
        seen = set()
        for kind, value in zip(numbers[6::2], numbers[7::2]):
            if not 0 <= kind <= MOST_TYPE or kind not in self.labels.types:
                self.faults.add(place, f"type {kind} is not in the .pcf")
                continue
            if kind in seen:
                self.faults.add(place, f"two values of {kind} in one record")
            seen.add(kind)
            values = self.labels.values.get(kind)
            if values is None:
                continue
            if value not in values:
                self.faults.add(place, f"value {value} of {kind} has no label")
            if 0 in values:
                self.interval(place, thread, kind, value, time)

    def interval(self, place, thread, kind, value, time):
        """A type whose value 0 has a label has intervals, one at a time on a thread."""
        running = self.open.pop((thread, kind), None)
        if value != 0:
            self.open[thread, kind] = (value, time)
            if running is not None and not self.cut:
                self.faults.add(place, f"{kind} begins on thread {thread}, where it has begun at {running[1]}")
        elif running is None and not self.cut:
            self.faults.add(place, f"{kind} ends on thread {thread}, where it has not begun")
        if running is not None:
            self.sums[self.labels.types[kind]][self.labels.values[kind].get(running[0])] += time - running[1]

    def communication(self, place, numbers):
        send, physical_send = numbers[5:7]
        receive, physical_receive = numbers[11:13]
        if not self.objects.has(*numbers[7:11]):
            self.faults.add(place, f"no thread {numbers[7:11]}")
        if not (send <= physical_send <= self.objects.time and receive <= self.objects.time and
                0 <= physical_receive <= self.objects.time and 0 <= receive):
            self.faults.add(place, f"times {send}, {physical_send}, {receive}, {physical_receive}")
        if numbers[13] < 0:
            self.faults.add(place, f"size {numbers[13]}")
        self.tags[numbers[14]] += 1


def read_text(path):
    """Names may be any bytes."""
    return pathlib.Path(path).read_bytes().decode("utf-8", "surrogateescape")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--sums", action="store_true", help="print the time of each value")
    parser.add_argument("--cut", action="store_true", help="of Extrae, or a part of a trace: a value of a type may follow another, and stay open")
    options = parser.parse_args()
    trace = Trace(options.file, options.cut)
    stem = options.file.removesuffix(".gz").removesuffix(".prv")
    for fault in trace.faults:
        print(stem + fault, file=sys.stderr)
    if options.sums:
        print(json.dumps({"types": trace.sums, "communications": trace.counts[3]}, indent=1, ensure_ascii=False))
    sys.exit(1 if trace.faults else 0)


if __name__ == "__main__":
    main()
