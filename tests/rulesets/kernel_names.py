"""Lists of labelled kernel names, and their labels by `kr classify`.

A list is a TSV with a header; the columns used are name, label, also (a second correct label),
kind, engine or engine_hint, source or family, total_ns. Names are any bytes but tabs and
line breaks; those that are not UTF-8 are read with Python's `surrogateescape`. The program
is the one named in the environment variable KR.
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
# Collected from public reports and sources independently of the rules; also names that no rule matches.
PUBLIC_NAMES = ROOT / "tests" / "rulesets" / "names.tsv"
OWN_TABLES = ROOT / "tests" / "data" / "gputrc2graph_tables.json"
SHARED = ROOT.parent / "shared" / "data"
SHARED_NAMES = SHARED / "names" / "dev.tsv"
SHARED_TABLES = SHARED / "tables" / "engine_tables.json"

# If a list has no times, every name has the same weight.
DEFAULT_NS = 1000

HEADER = (
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),"
    "DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name"
).split(",")


def fail(message):
    """Fails with exit status 2, like kr."""
    print(message, file=sys.stderr)
    sys.exit(2)


def program():
    path = os.environ.get("KR")
    if not path:
        fail("KR does not name the program: KR=build/tools/kr/kr " + " ".join(sys.argv))
    return path


def run(*arguments):
    """What kr writes to standard output."""
    command = [program(), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        fail(f"{command[0]}: {error.strerror}")
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "backslashreplace")
        fail(f"{' '.join(command)}\nexit {done.returncode}\n{said}")
    return done.stdout.decode("utf-8", "surrogateescape")


def read_names(path):
    """The rows of a list, each with all columns that the scripts use."""
    try:
        text = Path(path).read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        fail(f"{path}: {error.strerror}")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    header = lines[0].removeprefix("\ufeff").split("\t")
    if "name" not in header or "label" not in header:
        fail(f"{path}: the first line names no columns `name` and `label`, with tabs between")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        if not line:
            continue
        cells = line.split("\t")
        if len(cells) > len(header):
            fail(f"{path}:{number}: {len(cells)} cells, but {len(header)} columns")
        row = dict(zip(header, cells + [""] * (len(header) - len(cells))))
        if not row["name"] or not row["label"]:
            fail(f"{path}:{number}: no name, or no label")
        total = row.get("total_ns") or "0"
        if not total.isdecimal():
            fail(f"{path}:{number}: total_ns is {total!r}, not a whole number")
        row["total_ns"] = int(total)
        row["source"] = row.get("source") or row.get("family") or ""
        row["engine"] = row.get("engine_hint") or row.get("engine") or ""
        row["also"] = row.get("also") or ""
        row["kind"] = row.get("kind") or ""
        rows.append(row)
    return rows


def write_trace(path, rows):
    """A cuda_gpu_trace CSV with one operation per name, one after another."""
    start = 1_000_000
    with open(path, "w", newline="", encoding="utf-8", errors="surrogateescape") as file:
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
        options = [word for name in rules for word in ("--rules", name)]
        text = run("classify", f"{trace},{engine},{model or 'default'}", "--format", "csv", *options)
    found = {row["name"]: row for row in csv.DictReader(io.StringIO(text, newline=""))}
    missing = [row["name"] for row in rows if row["name"] not in found]
    if missing:
        fail(f"kr classify lost {len(missing)} names, the first: {missing[0]}")
    return found


def right(row, label):
    return label in (row["label"], row["also"])
