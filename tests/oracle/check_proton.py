#!/usr/bin/env python3
"""Compares `kr tree` of every Proton profile of the shared data with the exact numbers in it (ORACLE.tsv): every node's
time and launches, achieved rates, and the bandwidth of the device.

    KR=build/tools/kr/kr tests/oracle/check_proton.py [FOLDER]
"""
import collections
import csv
import json
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data/proton")


def tables(path):
    done = subprocess.run([os.environ["KR"], "tree", str(path), "--format", "json", "--level", "kernel", "--each-sibling",
                           "--no-unique-names"], capture_output=True, check=True)
    return json.loads(done.stdout)["tables"]


def own_paths(path):
    """The paths of the nodes below the root, by the file alone."""
    found = []

    def visit(node, above):
        name = node["frame"]["name"]
        found.append(f"{above}{name}")
        for child in node["children"]:
            visit(child, f"{above}{name} > ")
    for child in json.loads(path.read_text())[0]["children"]:
        visit(child, "")
    return found


def check(path, rows):
    found = tables(path)
    kernels = collections.defaultdict(lambda: [0, 0])
    for row in found["tree"]:
        # A node's numbers are those of the kernels below it.
        names = row["path"].split(" > ")
        for end in range(1, len(names) + 1):
            of = kernels[" > ".join(names[:end])]
            of[0] += row["total_ns"]
            of[1] += row["invocations"]
    costs = {row["path"]: row for row in found.get("module_costs", [])}
    devices = {f"{row['type']} {row['device']}": row for row in found["module_devices"]}
    paths = own_paths(path)
    wrong = []
    for metric, key, value in rows:
        # ROOT is no module: it is all of them.
        names = key.split("/")
        place = " > ".join(names[1:]) if names[0] == "ROOT" else ""
        if metric == "nodes":
            got, want = 1 + len(paths), int(value)
        elif metric == "leaves":
            got, want = len(found["tree"]), int(value)
        elif metric in ("time_ns", "launches"):
            at = 0 if metric == "time_ns" else 1
            of_all = [sum(one[at] for name, one in kernels.items() if " > " not in name)]
            got, want = kernels[place][at] if place else of_all[0], int(value)
        elif metric in ("flops_per_s", "bytes_per_s"):
            got, want = float(f"{costs[place][metric]:.5e}"), float(value)
        elif metric == "peak_bytes_per_s":
            got, want = devices[key][metric], float(value)
        else:
            got, want = f"no check of {metric}", value
        if got != want:
            wrong.append(f"{path.name}: {metric} of {key[:80]}: {got}, expected {want}")
    wrong += [f"{path.name}: only one of the two has {name[:80]}" for name in sorted(set(paths) ^ set(kernels))]
    return wrong


def main():
    if not (FOLDER / "ORACLE.tsv").exists():
        print(f"no {FOLDER}/ORACLE.tsv: nothing to compare")
        return 77
    wanted = collections.defaultdict(list)
    with open(FOLDER / "ORACLE.tsv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            wanted[row["file"]].append((row["metric"], row["key"], row["value"]))
    wrong = [one for name, rows in wanted.items() for one in check(FOLDER / name, rows)]
    print("\n".join(wrong) or f"{sum(map(len, wanted.values()))} values of {len(wanted)} profiles agree")
    return 1 if wrong or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
