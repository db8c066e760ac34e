#!/usr/bin/env python3
"""Compares what kr says of every file of Proton in the shared data with the exact numbers in it (ORACLE.tsv,
ORACLE_2026.tsv): of profiles every node's time and launches, what was captured, Proton's own kernels, rates; of Chrome
traces operations, streams, names and modules. Parts and ranks are compared with what they are made of.

    KR=build/tools/kr/kr tests/oracle/check_proton.py [FOLDER]
"""
import collections
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data/proton")
CAPTURED = "<captured_at>"
# What kr has no output for: objects of a file, ends of arrows from launches, scopes on streams.
WITHOUT_OUTPUT = {"objects", "flows", "scopes"}


def kr(*arguments):
    done = subprocess.run([os.environ["KR"], *map(str, arguments), "--format", "json"], capture_output=True, check=True)
    return json.loads(done.stdout)["tables"]


def tree(path):
    return kr("tree", path, "--level", "kernel", "--each-sibling", "--no-unique-names", "--all-steps")


def own_paths(path):
    """The paths of the nodes below the root, by the file alone. Of JSON."""
    found = []

    def visit(node, above):
        name = node["frame"]["name"]
        found.append(f"{above}{name}")
        for child in node["children"]:
            visit(child, f"{above}{name} > ")
    for child in json.loads(path.read_text())[0]["children"]:
        visit(child, "")
    return found


class Profile:
    """A tree of kr, with the paths that the file has."""

    def __init__(self, path):
        tables = tree(path)
        keys = {row["step_id"]: row["key"] for row in tables["tree_steps"]}
        self.rows = tables["tree"]
        self.devices = {f"{row['type']} {row['device']}": row for row in tables["module_devices"]}
        self.costs = {row["path"]: row for row in tables.get("module_costs", [])}
        self.nodes = collections.defaultdict(lambda: [0, 0])
        self.captured = collections.defaultdict(lambda: [0, 0])
        self.kernels = collections.Counter()
        self.own = [0, 0]
        self.all = [0, 0]
        for row in self.rows:
            key = keys[row["step_id"]]
            numbers = [row["total_ns"], row["invocations"]]
            inside = key.startswith("profile")  # or `profiler`
            self.add(self.all, numbers)
            self.kernels[row["path"].split(" > ")[-1]] += row["total_ns"]
            if key == "profiler":
                self.add(self.own, numbers)
            if not inside:
                for above in self.above(row["path"]):
                    self.add(self.captured[above], numbers)
                self.add(self.captured[""], numbers)
            for above in self.above(row["path"] if inside else f"{key} > {CAPTURED} > {row['path']}"):
                self.add(self.nodes[above], numbers)

    @staticmethod
    def above(path):
        names = path.split(" > ")
        return [" > ".join(names[:end]) for end in range(1, len(names) + 1)]

    @staticmethod
    def add(to, numbers):
        to[0] += numbers[0]
        to[1] += numbers[1]


def check_profile(path, rows):
    found = Profile(path)
    paths = own_paths(path) if path.suffix == ".hatchet" else None
    wrong = []
    for metric, key, value in rows:
        # ROOT is no module: it is all of them.
        names = key.split("/")
        place = " > ".join(names[1:]) if names[0] == "ROOT" else ""
        if metric == "nodes":
            got, want = 1 + len(paths if paths is not None else found.nodes), int(value)
        elif metric == "leaves":
            got, want = len(found.rows), int(value)
        elif metric in ("time_ns", "launches", "count", "total_ns") and (names[0] == "ROOT" or not key):
            at = 0 if metric in ("time_ns", "total_ns") else 1
            got, want = found.nodes[place][at] if place else found.all[at], int(value)
        elif metric in ("time_ns", "count"):
            got, want = found.nodes[key][0 if metric == "time_ns" else 1], int(value)
        elif metric in ("captured_ns", "captured_launches"):
            got, want = found.captured[""][0 if metric == "captured_ns" else 1], int(value)
        elif metric == "capture_ns":
            got, want = found.captured[key][0], int(value)
        elif metric == "metadata_ns":
            got, want = found.own[0], int(value)
        elif metric == "kernel_ns":
            got, want = found.kernels[key], int(value)
        elif metric == "devices":
            got, want = len(found.devices), int(value)
        elif metric in ("flops_per_s", "bytes_per_s"):
            got, want = float(f"{found.costs[place][metric]:.5e}"), float(value)
        elif metric == "peak_bytes_per_s":
            got, want = found.devices[key][metric], float(value)
        else:
            got, want = f"no check of {metric}", value
        if got != want:
            wrong.append(f"{path.name}: {metric} of {key[:80]}: {got}, expected {want}")
    if paths is not None:
        wrong += [f"{path.name}: only one of the two has {name[:80]}" for name in sorted(set(paths) ^ set(found.nodes))]
    return wrong


def check_trace(path, rows):
    operations = kr("analyze", path, "--tables", "operations")["operations"]
    modules = collections.Counter()
    for row in tree(path)["tree"]:
        modules[" > ".join(row["path"].split(" > ")[:-1])] += row["total_ns"]
    streams, names = collections.defaultdict(lambda: [0, 0]), collections.Counter()
    for row in operations:
        Profile.add(streams[f"{row['stream']}"], [row["duration_ns"], 1])
        names[row["name"]] += row["duration_ns"]
    wrong = [f"{path.name}: device {row['device']}" for row in operations if row["device"] != 0]
    for metric, key, value in rows:
        got = {"ops": lambda: len(operations),
               "total_ns": lambda: sum(row["duration_ns"] for row in operations),
               "first_start_ns": lambda: min(row["start_ns"] for row in operations),
               "last_end_ns": lambda: max(row["start_ns"] + row["duration_ns"] for row in operations),
               "stream_ops": lambda: streams[key][1],
               "stream_ns": lambda: streams[key][0],
               "name_ns": lambda: names[key],
               "module_ns": lambda: modules[key]}.get(metric, lambda: f"no check of {metric}")()
        if got != int(value):
            wrong.append(f"{path.name}: {metric} of {key[:80]}: {got}, expected {value}")
    known = {key for metric, key, _ in rows if metric == "module_ns"}
    wrong += [f"{path.name}: only one of the two has modules {name[:80]}" for name in sorted(known ^ set(modules))]
    return wrong


def check_parts(folder):
    """The phases of a session, in a folder: together they are the whole."""
    for path in FOLDER.glob("phases.part_*"):
        shutil.copyfile(path, folder / path.name)
    parts, whole = Profile(folder), Profile(FOLDER / "graph.hatchet")
    return [f"parts: {what} differ" for what in ("nodes", "captured", "kernels", "own", "all")
            if getattr(parts, what) != getattr(whole, what)]


def check_ranks(folder):
    """Files with the names that vLLM and tokenspeed give them are ranks of a job."""
    for names in (["proton_rank_0_pid4100_0f0e0d0c0b0a09080706050403020100_run1.chrome_trace",
                   "proton_dp0_pp0_tp1_dcp0_ep1_rank1_pid4101_00112233445566778899aabbccddeeff_run1.chrome_trace"],
                  ["1711-TP-0-DECODE.proton.chrome_trace", "1711-TP-1-DECODE.proton.chrome_trace"]):
        job = folder / names[0][:4]
        job.mkdir()
        for name in names:
            shutil.copyfile(FOLDER / "graph.chrome_trace", job / name)
        ranks = sorted(row["rank"] for row in kr("report", job, "--tables", "ranks")["ranks"])
        if ranks != [0, 1]:
            return [f"ranks of {names[0]}: {ranks}"]
    return []


def main():
    if not (FOLDER / "ORACLE.tsv").exists():
        print(f"no {FOLDER}/ORACLE.tsv: nothing to compare")
        return 77
    wanted = collections.defaultdict(list)
    for oracle in sorted(FOLDER.glob("ORACLE*.tsv")):
        with open(oracle, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                wanted[row["file"]].append((row["metric"], row["key"], row["value"]))
    # Its traces of Perfetto are read as any others.
    wanted = {name: [row for row in rows if row[0] not in WITHOUT_OUTPUT]
              for name, rows in wanted.items() if not name.endswith(".perfetto")}
    wrong = []
    for name, rows in wanted.items():
        check = check_trace if name.endswith(".chrome_trace") else check_profile
        wrong += check(FOLDER / name, rows)
    if "phases.part_0.hatchet" in wanted:
        with tempfile.TemporaryDirectory() as folder:
            wrong += check_parts(pathlib.Path(folder))
        with tempfile.TemporaryDirectory() as folder:
            wrong += check_ranks(pathlib.Path(folder))
    print("\n".join(wrong) or f"{sum(map(len, wanted.values()))} values of {len(wanted)} files agree")
    return 1 if wrong or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
