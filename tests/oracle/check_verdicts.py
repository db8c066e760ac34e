#!/usr/bin/env python3
"""Compares the table `verdicts` with runs whose truth is known (the folder `planted` of the shared data): what idle time
comes to and why, and what the collectives of a job wait for. A verdict that truth contradicts is wrong; one that is
missing, too. Near the threshold of a tenth of the span, and where two reasons are nearly equal, either is right.

    KR=build/tools/kr/kr tests/oracle/check_verdicts.py [FOLDER]
"""
import collections
import gzip
import json
import os
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data/planted")
KR = os.environ["KR"]
REASONS = {"host-bound": ("host", "external"), "synchronization-bound": ("synchronization",), "copy-bound": ("copy",),
           "launch-bound": ("launch", "queued"), "untraced-work": ("untraced",), "idle": ("unrecorded", "unknown")}
# That something is missing in the trace: idle time is then not judged.
MISSING = {"lost-kernels", "far-apart"}
WAITING = {"skewed": "waiting-for-ranks", "host-bound": "waiting-for-ranks", "transfer-bound": "transfer-bound"}
SURE, TIE = 0.02, 0.05


def verdicts_of(files):
    done = subprocess.run([KR, "-q", "analyze", *map(str, files), "--tables", "verdicts", "--format", "json"],
                          check=True, capture_output=True)
    return json.loads(done.stdout)["tables"]["verdicts"]


def idle_errors(codes, ranks, planted):
    span = sum(rank["span_ns"] for rank in ranks)
    idle = sum(rank["idle_ns"] for rank in ranks)
    found = codes & (REASONS.keys() | MISSING)
    if idle < (0.1 - SURE) * span and found & REASONS.keys():
        yield f"the devices are busy, and the verdict is {found}"
    if idle > (0.1 + SURE) * span and not found:
        yield f"{100 * idle / span:.0f} % of the span is idle, and no verdict says so"
    if found & MISSING and planted.get("must_report", {}).get("kind") not in ("drop", "duration", "zero") and \
            "partial" not in planted:
        yield f"nothing is missing, and the verdict is {found}"
    sums = collections.Counter()
    for rank in ranks:
        sums.update(rank["idle_causes"])
    of_reason = {code: sum(sums[cause] for cause in causes) for code, causes in REASONS.items()}
    for code in found & REASONS.keys():
        most = max(of_reason, key=of_reason.get)
        if code != "idle" and of_reason[code] < of_reason[most] - TIE * idle:
            yield f"the verdict is {code}, and most of the idle time is {most}: {of_reason}"


def job_errors(rows, truth):
    kind = truth["planted"].get("verdict", {}).get("kind")
    if kind is None or truth["planted"].get("debatable") or "dependency" == truth["planted"]["verdict"].get("why"):
        return
    found = [row for row in rows if row["code"] in ("waiting-for-ranks", "transfer-bound", "communication-bound")]
    if kind == "abstain":
        if any(row["code"] != "communication-bound" for row in found):
            yield f"a part of the ranks has the verdict {found}"
        return
    for row in found:
        if row["code"] != WAITING[kind]:
            yield f"the job is {kind}, and the verdict is {row['code']}"
        rank = truth["planted"]["verdict"]["rank"]
        if kind != "transfer-bound" and f"rank {rank} " not in row["text"]:
            yield f"rank {rank} is last, and the verdict is `{row['text']}`"


def check(folder):
    truth = json.loads(gzip.decompress((folder / "truth.json.gz").read_bytes()))
    sides = [(truth["files"], truth["ranks"], truth)]
    if "b" in truth:
        lost = {"must_report": {"kind": "drop"}} if "dropped" in folder.name else {}
        sides.append(({"0": truth["files_b"]}, {"0": truth["b"]}, {"planted": lost}))
    for files, ranks, of in sides:
        rows = verdicts_of(folder / name for name in files.values())
        codes = {row["code"] for row in rows}
        if not codes:
            yield "there is no verdict"
        yield from idle_errors(codes, [ranks[rank] for rank in files], of["planted"])
        if len(truth["ranks"]) > 1:
            yield from job_errors(rows, truth)


def main():
    if not FOLDER.is_dir():
        print(f"{FOLDER} is missing: skipped")
        return 77
    wrong = scenarios = 0
    for path in sorted(FOLDER.glob("**/truth.json.gz")):
        scenarios += 1
        for error in check(path.parent):
            wrong += 1
            print(f"{path.parent.name}: {error}")
    print(f"{scenarios} scenarios, {wrong} wrong")
    return 1 if wrong or not scenarios else 0


if __name__ == "__main__":
    sys.exit(main())
