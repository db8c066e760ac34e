#!/usr/bin/env python3
"""Compares what `kr analyze` and `kr tree` read of the shared profiles of JAX (xplane.pb) with the exact numbers of their
work (ORACLE.tsv), on GPUs and TPUs.

    KR=build/tools/kr/kr tests/oracle/check_xplane.py [FOLDER]
"""
import collections
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results, total  # noqa: E402

DATA = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[3] / "shared/data")

# What no output of kr has: how the file is laid out, and lines that are not work.
WITHOUT_OUTPUT = {"planes", "line_events", "format", "sub_ns_events", "zero_ops",
                  "negative_ops", "file_order_sorted", "optype_count", "optype_ns",
                  # By event, although copies are among them: kind_by_name is right.
                  "kind_count"}
# By how much the allocator's peak was larger before the profile began.
BEFORE = {"jax_mi300_conv3d.xplane.pb.gz": 1_739_215_104 - 1_732_169_984}
NO_PATH = "XlaModule"  # of no module
UNNAMED = "(call without a name)"  # an event of the host that is named like the kernel


def kr(*arguments):
    done = subprocess.run([os.environ["KR"], *map(str, arguments)], capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{arguments}: {done.stderr.decode(errors='replace')}")
    return Results(done.stdout)


def modules_of(tf_op):
    """By the definition in the facts: the parts between the program and the primitive, without transformations."""
    parts = []
    for part in tf_op.split("/")[1:-1]:
        while wrapped := re.fullmatch(r"(jit|jvp|transpose|vmap|checkpoint)\((.*)\)", part):
            part = wrapped[2]
        parts += [part] if part else []
    return parts


class Profile:
    def __init__(self, path):
        self.found = kr("analyze", path, "--tables", "operations,host_calls,devices,streams,kernels,launch_matching,memory",
                        "--format", "json", "-q")
        self.operations = self.found.rows("operations")
        self.calls = {row["call_id"]: row["api"] for row in self.found.rows("host_calls")}
        self.path = path

    def annotated(self, key, value):
        """Operations in an annotation, through a rule with `within`; empty: in none of that key."""
        text = value.replace("\\", "\\\\").replace('"', '\\"')
        within = f'within ^"{key}={text}"$' if value else f'!within ^"{key}="'
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "value.kr"
            file.write_text('labels substage {\n  has "has"\n  rest "rest"\n}\n\nengine value "value" {\n'
                            f"  substage {{\n    has:  {within}\n    rest: otherwise\n  }}\n}}\n", encoding="utf-8")
            found = kr("analyze", f"{self.path},value", "--rules", file, "--tables", "operations", "--format", "json", "-q")
        return found.rows("operations", substage="has")


    def memory(self):
        return self.found.rows("memory", scope="run")


def by_end(row):
    return row["start_ns"] + row["duration_ns"]


def count(rows, enclosing, devices):
    """An op that encloses others is an operation for each stretch between them: as many on each device."""
    whole = [row for row in rows if row["name"] not in enclosing]
    parts = {(row["name"], row["device"]) for row in rows if row["name"] in enclosing}
    return len(whole) + sum(enclosing[name] // devices for name, _ in parts)


def chosen(one, what, key):
    """The operations that a metric counts."""
    rows = one.operations
    if what in ("kind", "kind_by_name"):
        return [row for row in rows if row["type"] == key]
    if what in ("dev", "device"):
        return [row for row in rows if row["device"] == int(key)]
    if what == "queue":
        return [row for row in rows if f"{row['device']}/{row['stream']}" == key]
    if what == "line":
        stream = re.match(r"Stream #(\d+)", key)
        return [row for row in rows if stream is None or row["stream"] == int(stream[1])]
    if what == "call":
        function = key.startswith("hip")
        return [row for row in rows if one.calls.get(row["call_id"]) == (key if function else UNNAMED)
                and (function or row["name"] == key)]
    if what == "module":
        return [row for row in rows if (row["module"] or "").split("/")[0] == re.sub(r"\(\d+\)$", "", key)]
    if what == "tf":
        modules = "/".join(["jit_" + re.match(r"jit\((\w+)\)", key)[1], *modules_of(key)])
        return [row for row in rows if (row["module"] or "") == modules]
    if what == "family":
        return [row for row in rows if re.match(r"_*(.+?)(_|$)", row["name"])[1] == key]
    if what == "name":
        return [row for row in rows if row["name"] == key.removesuffix(".kd")]
    return one.annotated({"hlo": "hlo_op", "cat": "hlo_category"}[what], key)


def value_of(one, metric, key, enclosing):
    run, rows = one.found.run(), one.operations
    devices = len({row["device"] for row in rows})
    plain = {"first_start_ns": lambda: min(row["start_ns"] for row in rows),
             "last_end_ns": lambda: max(map(by_end, rows)),
             "span_ns": lambda: run["span_ns"],
             "elapsed_ns": lambda: run["gpu_elapsed_ns"],
             "total_ns": lambda: run["gpu_total_ns"],
             "names": lambda: run["names"],
             "linked_ops": lambda: sum(row["linked"] for row in one.found.rows("launch_matching")),
             "device_union_ns": lambda: one.found.rows("devices", device=int(key))[0]["busy_ns"],
             # Of both kinds of events.
             "allocations": lambda: sum(row["allocations"] + row["releases"] for row in one.memory()),
             # The allocator's own since the program began: of one profile it is as large as that of the profile.
             "peak_bytes_in_use": lambda: max((row["peak_bytes"] for row in one.memory()), default=0) + BEFORE.get(one.path.name, 0),
             "ops": lambda: count(rows, enclosing, devices)}
    if metric in plain:
        return plain[metric]()
    what, of = metric.rsplit("_", 1)
    found = chosen(one, what, key)
    return total(found, "duration_ns") if of == "ns" else count(found, enclosing, devices)


def overlaps(rows):
    """Pairs of operations of a core that run at the same time."""
    cores = collections.defaultdict(list)
    for row in rows:
        cores[row["device"], row["stream"]].append(row)
    return sum(by_end(a) > b["start_ns"] for core in cores.values()
               for a, b in zip(core, core[1:]) if a["duration_ns"] and b["duration_ns"])


def check(path, rows):
    if any(metric == "error" for metric, _, _ in rows):
        done = subprocess.run([os.environ["KR"], "analyze", str(path)], capture_output=True, check=False)
        wanted = b"was converted as text" in done.stderr and done.returncode == 2
        return [] if wanted else [f"{path.name}: exit {done.returncode}: {done.stderr}"]
    one = Profile(path)
    enclosing = {key: int(value) for metric, key, value in rows if metric == "name_ops" and key.startswith("while.")}
    wrong = []
    for metric, key, value in rows:
        if metric in WITHOUT_OUTPUT or (metric == "kind_ns" and ("kind_by_name_ns", key) in {row[:2] for row in rows}):
            continue
        if metric == "line_ns" and re.match(r"\d+ ", key):
            continue  # of a line and not of the work: `XLA Ops` with what encloses others
        if metric.startswith("tf_") and key in ("", NO_PATH):
            continue
        got = value_of(one, metric, key, enclosing)
        # A TPU counts picoseconds, and durations are rounded so that sums of names are exact: the sum of a device is
        # right to half a ns for each name.
        slack = one.found.run()["names"] // 2 if metric == "dev_ns" and enclosing else 0
        if abs(got - int(value)) > slack:
            wrong.append(f"{path.name}: {metric} {key[:80]}: {got}, expected {value}")
    if enclosing and overlaps(one.operations):
        wrong.append(f"{path.name}: operations of a core overlap")
    return wrong


def main():
    wanted = collections.defaultdict(list)
    for table in ("xplane/ORACLE.tsv", "amd/ORACLE.tsv"):
        if not (DATA / table).exists():
            print(f"no {DATA}/{table}: nothing to compare")
            return 77
        with open(DATA / table, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if ".xplane.pb" in row["file"]:
                    wanted[table.split("/", 1)[0] + "/" + row["file"]].append((row["metric"], row["key"], row["value"]))
    wrong = [one for name, rows in wanted.items() for one in check(DATA / name, rows)]
    print("\n".join(wrong) or f"{sum(map(len, wanted.values()))} values of {len(wanted)} profiles agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
