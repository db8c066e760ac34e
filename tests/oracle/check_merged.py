#!/usr/bin/env python3
"""A merged trace of several ranks gives the same as the traces it was merged from: every table of `kr analyze`, but for
what the files are called and which device a rank has. And launches are found in the rank's own calls, as ORACLE.tsv
has them.

    KR=build/tools/kr/kr tests/oracle/check_merged.py [FOLDER]
"""
import csv
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data")
# The rank of each part, in the order of the merged file.
SETS = {
    "merged_dlrm_1_3": ([FOLDER / "kineto/dlrm_rank1.json.gz", FOLDER / "kineto/dlrm_rank3.json.gz"], [1, 3]),
    "merged_clock4_device0": (sorted((FOLDER / "ranks/clock4").glob("*.json.gz")), [0, 1, 2, 3]),
}
# Of the files, not of what is in them.
OF_FILES = {"run", "source", "name", "rank", "rank_from", "world_size", "backend", "device", "device_name", "min_device",
            "max_device"}
TABLES = ("labels", "devices", "streams", "kernels", "launch_matching", "launches", "launch_queue", "idle", "idle_calls",
          "phases", "steps", "label_times", "layers", "activity", "attribution", "host_calls")


def analyze(*paths):
    done = subprocess.run([os.environ["KR"], "analyze", *map(str, paths), "--format", "json", "--tables",
                           ",".join(TABLES)], capture_output=True, check=True)
    return Results(done.stdout)


def main():
    if not FOLDER.is_dir():
        print(f"{FOLDER} is missing")
        return 77
    oracle = {}
    with open(FOLDER / "ranks/ORACLE.tsv", encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["metric"].startswith("launch."):
                oracle[row["set"], row["key"], row["metric"].removeprefix("launch.")] = int(row["value"])
    compared = 0
    for name, (parts, ranks) in SETS.items():
        merged = analyze(FOLDER / f"ranks/{name}.trace.json.gz")
        assert [row["rank"] for row in merged.runs] == ranks, merged.runs
        for run, part, rank in zip(merged.runs, parts, ranks):
            alone = analyze(part)
            for table in TABLES:
                def rows(found, run):
                    return [{column: value for column, value in row.items() if column not in OF_FILES}
                            for row in found.rows(table, run=run["run"])
                            if row.get("scope") not in ("device", "rank")]  # `key` is one of OF_FILES
                got, expected = rows(merged, run), rows(alone, alone.run())
                assert got == expected, f"{name}, rank {rank}, {table}"
                compared += len(got)
            matching, = merged.rows("launch_matching", run=run["run"])
            for column in ("linked", "orphans"):
                assert matching[column] == oracle[name, f"rank {rank}", column], (name, rank, matching)
    print(f"{compared} rows of merged traces are those of their parts")
    return 0 if compared else 1


if __name__ == "__main__":
    sys.exit(main())
