#!/usr/bin/env python3
"""kr merge: the same bytes in whatever order and however many steps saved runs are merged; what is read from the file is
what is read from the traces together; and what cannot be merged is an error that says why.

    KR=build/tools/kr/kr tests/cli/check_merge.py
"""
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import check_saved_run

KR = os.path.abspath(os.environ["KR"])
RULES = """engine e {
  phases { iteration: /^ProfilerStep#(?<step>\\d+)/ }
  substage { gemm: "gemm"  norm: "norm"  comm: "nccl"  misc: otherwise }
  kind { communication: "nccl" }
}
"""
RANKS = 7
MANY = 1000
failures = []


def expect(holds, *what):
    if not holds:
        failures.append(" ".join(map(str, what)))


def kr(*words):
    return subprocess.run([KR, *map(str, words)], capture_output=True, check=False, timeout=120)


def trace(rank):
    """Ranks differ in their names, so that their dimensions and tables do."""
    noise = random.Random(rank)
    events, now = [], 1000 + noise.randrange(100)
    for step in range(5):
        begin = now
        for layer in range(8):
            for name in ("gemm_a", "norm", "ncclAllReduce", *(["gemm_rare"] if rank == 3 else [])):
                length = noise.randrange(5, 40)
                correlation = len(events)
                events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                               "ts": now, "dur": 1, "args": {"correlation": correlation}})
                events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": now + 1, "dur": length,
                               "args": {"device": 0, "stream": 7, "correlation": correlation}})
                now += length + 2
        if rank != 5:
            events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1,
                           "ts": begin, "dur": now - begin})
    return json.dumps({"traceEvents": events, "baseTimeNanoseconds": 1_700_000_000_000_000_000 + rank,
                       "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": RANKS}})


def merge(parts, output):
    done = kr("merge", *parts, "-o", output)
    expect(done.returncode == 0, parts, done.stderr)
    return pathlib.Path(output).read_bytes()


def check_order(parts):
    whole = merge(parts, "whole.krun")
    for turn in range(30):
        left, number = list(parts), 0
        while len(left) > 1:
            random.shuffle(left)
            group = [left.pop() for _ in range(random.randrange(2, len(left) + 1))]
            output = f"turn{turn}_{number}.krun"
            merge(group, output)
            number += 1
            left.append(output)
        expect(pathlib.Path(left[0]).read_bytes() == whole, "other bytes in turn", turn)


def rows(done, table, without):
    expect(done.returncode == 0, done.stderr)
    found = json.loads(done.stdout)["tables"].get(table, [])
    return [{column: value for column, value in row.items() if column not in without} for row in found]


def check_same(traces):
    scopes = {"label_times": {"device", "phase", "step"}, "balance": {"device", "kind", "substage", "kernel"},
              "efficiency": {"job", "phase", "step", "kind", "substage"}, "rank_steps": {"job", "rank"}}
    # Saved runs have no found phases and no exchanges of experts, so these tables are not named as a whole.
    parts = "labels_by_device,phase_labels,step_labels,rank_balance,label_balance,kernel_balance"
    tables = ("labels,devices,streams,stream_totals,stream_overlap,in_flight,in_flight_over_time,kernels,ranks,"
              "efficiency,rank_steps,clocks,collective_balance,collectives,phases,steps,step_devices")
    how = ["--rules", "e.kr", "--format", "json", "--tables", f"{tables},{parts}"]
    together, merged = kr("report", *traces, *how), kr("report", "whole.krun", *how)
    for table in [*tables.split(","), "label_times", "balance"]:
        a, b = (rows(done, table, {"run"}) for done in (together, merged))
        expect(a and a == b, table, "differs")
        there = {row["scope"] for row in a} if table in scopes else None
        expect(there == scopes.get(table), table, "has rows of", there)
    ranks = [row["rank"] for row in json.loads(merged.stdout)["runs"]]
    expect(ranks == sorted(ranks) and len(ranks) == RANKS, ranks)


def check_limit():
    """Of very many collectives the first are compared; the others are in sums, and a note says so."""
    count, noise, durations = 30_000, random.Random(5), []
    for rank in range(2):
        events, now = [], 10_000
        durations.append([noise.randrange(1000, 90_000) for _ in range(count)])
        for k, length in enumerate(durations[rank]):
            events.append({"ph": "X", "cat": "kernel", "name": "ncclAllReduce", "pid": 0, "tid": 7, "ts": now / 1000,
                           "dur": length / 1000, "args": {"device": 0, "stream": 7, "correlation": k}})
            now += length + noise.randrange(1000, 100_000)
        pathlib.Path(f"many{rank}.json").write_text(json.dumps(
            {"traceEvents": events, "distributedInfo": {"rank": rank, "world_size": 2}}))
        done = kr("report", f"many{rank}.json", "--rules", "e.kr", "--save", f"many{rank}.krun")
        expect(done.returncode == 0, done.stderr)
        expect(os.path.getsize(f"many{rank}.krun") < 600_000, os.path.getsize(f"many{rank}.krun"))
    merge(["many1.krun", "many0.krun"], "many.krun")
    done = kr("report", "many.krun", "--rules", "e.kr", "--format", "json", "--tables", "collectives")
    notes = [note for note in json.loads(done.stdout)["notes"] if note["code"] == "collectives-not-saved"]
    for row in rows(done, "collectives", set()):
        own, kept = durations[row["rank"]], row["matched"]
        expect(10_000 < kept < count and row["instances"] == count, row)
        expect(row["total_ns"] == sum(own), row)
        shortest = [min(both) for both in zip(*durations)][:kept]
        expect(row["beyond_shortest_ns"] == sum(own[:kept]) - sum(shortest), row)
    expect(len(notes) == 1 and str(notes[0]["count"]) in notes[0]["text"], notes)


def check_many(part):
    """A file of so many runs that to look through all of it for each would exceed what kr allows a file of its size."""
    shutil.copy(part, "thousand.krun")
    with sqlite3.connect("thousand.krun") as database:
        tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
            if "run" not in columns:
                continue
            rows = database.execute(f'SELECT * FROM "{table}" ORDER BY rowid').fetchall()
            hashed = columns.index("operations") if table == "RunIdentity" else None
            for copy in range(1, MANY):
                changed = [[copy, *row[1:]] for row in rows]
                if hashed is not None:
                    # Not in the order of the file: each is looked for.
                    database.execute("INSERT INTO texts VALUES (?)", (f"{copy * 7919 % MANY:032x}".encode(),))
                    changed[0][hashed] = database.execute("SELECT max(rowid) FROM texts").fetchone()[0] - 1
                database.executemany(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(columns))})', changed)
    database.close()
    check_saved_run.renew_checksum("thousand.krun")
    done = kr("report", "thousand.krun", "--rules", "e.kr", "--format", "json", "--tables", "runs")
    expect(done.returncode == 0 and len(json.loads(done.stdout)["runs"]) == MANY, done.stderr)
    done = kr("merge", "thousand.krun", "-o", "again.krun")
    expect(done.returncode == 0, done.stderr)


def refused(words, *texts):
    done = kr("merge", *words)
    message = done.stderr.decode()
    expect(done.returncode == 2 and all(text in message for text in texts), words, done.returncode, message)


def check_refused(parts):
    refused([parts[0], parts[1], parts[0], "-o", "x.krun"], "contains the same run as", "merge each run once")
    shutil.copy(parts[2], "renamed.krun")
    refused([parts[2], "renamed.krun", "-o", "x.krun"], "renamed.krun", "contains the same run")
    refused(["whole.krun", parts[4], "-o", "x.krun"], "contains the same run")
    pathlib.Path("other.kr").write_text(RULES.replace("gemm:", "matmul:"))
    kr("report", "rank6.json", "--rules", "other.kr", "--save", "other.krun")
    refused([parts[0], "other.krun", "-o", "x.krun"], "was labelled by other rules than", "save both with the same rules")
    refused(["rank0.json", "-o", "x.krun"], "rank0.json: is not the name of a saved run", "--save FILE.krun")
    refused([parts[0], "-o", "x.json"], "x.json: is not the name of a saved run")
    refused([parts[0], "missing.krun", "-o", "x.krun"], "missing.krun: no such file")
    refused([parts[0], "-o", parts[0]], parts[0])
    pathlib.Path("mine.krun").write_text("text of mine")
    refused([parts[0], "-o", "mine.krun"], "mine.krun")
    pathlib.Path("cut.krun").write_bytes(pathlib.Path(parts[1]).read_bytes()[:9000])
    refused([parts[0], "cut.krun", "-o", "x.krun"], "cut.krun")
    shutil.copy(parts[1], "older.krun")
    with sqlite3.connect("older.krun") as database:
        version = database.execute("PRAGMA user_version").fetchone()[0]
        database.execute(f"PRAGMA user_version = {version - 1}")
    database.close()
    flipped = bytearray(pathlib.Path(parts[1]).read_bytes())
    flipped[len(flipped) // 2] ^= 1
    pathlib.Path("flipped.krun").write_bytes(flipped)
    refused([parts[0], "flipped.krun", "-o", "x.krun"], "flipped.krun: is damaged or cut off")
    refused([parts[0], "older.krun", "-o", "x.krun"], "older.krun: was saved by another version of kr", "save the run again")
    shutil.copy(parts[1], "changed.krun")
    with sqlite3.connect("changed.krun") as database:
        database.execute('UPDATE "RunSummary.dimensions.labels" SET total_ns = total_ns + 1')
    database.close()
    check_saved_run.renew_checksum("changed.krun")
    refused([parts[0], "changed.krun", "-o", "x.krun"], "changed.krun", "does not add up")
    shutil.copy(parts[1], "without.krun")
    with sqlite3.connect("without.krun") as database:
        database.execute("DELETE FROM RunIdentity")
    database.close()
    check_saved_run.renew_checksum("without.krun")
    refused([parts[0], "without.krun", "-o", "x.krun"], "does not contain `RunIdentity`")
    expect(not pathlib.Path("x.krun").exists(), "a file was left")


def main():
    random.seed(12)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("e.kr").write_text(RULES)
        traces, parts = [], []
        for rank in range(RANKS):
            traces.append(f"rank{rank}.json")
            parts.append(f"part{rank}.krun")
            pathlib.Path(traces[-1]).write_text(trace(rank))
            done = kr("report", traces[-1], "--rules", "e.kr", "--save", parts[-1])
            expect(done.returncode == 0, done.stderr)
        check_order(parts)
        check_same(traces)
        check_limit()
        check_many(parts[0])
        check_refused(parts)
        os.chdir("/")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
