"""Lists of labelled kernel names, and what `kr classify` says of them.

A list is a TSV with a header; the columns used are name, label, also (a second label that is as
right), kind, engine or engine_hint, source or family, total_ns. The program is the one named in
the environment variable KR.
"""

import csv
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OWN_NAMES = ROOT / "tests" / "data" / "names.tsv"
OWN_TABLES = ROOT / "tests" / "data" / "gputrc2graph_tables.json"
SHARED = ROOT.parent / "shared" / "data"
SHARED_NAMES = SHARED / "names" / "dev.tsv"
SHARED_TABLES = SHARED / "tables" / "engine_tables.json"

# Where a list has no time for a name, every name counts alike.
DEFAULT_NS = 1000

HEADER = (
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),"
    "DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name"
).split(",")


def program():
    path = os.environ.get("KR")
    if not path:
        sys.exit("KR does not name the program: KR=build/tools/kr/kr " + " ".join(sys.argv))
    return path


def read_names(path):
    """The rows of a list, each with all columns that the scripts use."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    for row in rows:
        row["total_ns"] = int(row.get("total_ns") or 0)
        row["source"] = row.get("source") or row.get("family") or ""
        row["engine"] = row.get("engine_hint") or row.get("engine") or ""
        row["also"] = row.get("also") or ""
    return rows


def write_trace(path, rows):
    """A cuda_gpu_trace CSV with one operation a name, one after another."""
    start = 1_000_000
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        for row in rows:
            duration = row["total_ns"] or DEFAULT_NS
            writer.writerow(
                [start, duration, 1, 1, 1, 1, 128, 1, 1, 32, "0.000", "0.000"]
                + ["", "", "", "", "GPU (0)", 1, "", 7, row["name"]]
            )
            start += duration + 10


def classify(rows, engine, model="", rules=()):
    """name -> row of `kr classify --format csv`, for every name of `rows`."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "names.csv"
        write_trace(trace, rows)
        run = f"{trace},{engine},{model or 'default'}"
        command = [program(), "classify", run, "--format", "csv"]
        for name in rules:
            command += ["--rules", name]
        done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nexit {done.returncode}\n{done.stderr.decode()}")
    answers = csv.DictReader(io.StringIO(done.stdout.decode("utf-8"), newline=""))
    found = {row["name"]: row for row in answers}
    missing = [row["name"] for row in rows if row["name"] not in found]
    if missing:
        sys.exit(f"kr classify lost {len(missing)} names, the first: {missing[0]}")
    return found


def right(row, label):
    return label in (row["label"], row["also"])
