#!/usr/bin/env python3
"""Saved runs: a run and its file give the same comparison, in every verb that compares, for operations and for
module trees; and files that were cut, changed or are something else are errors that say so.

    KR=build/tools/kr/kr tests/cli/check_saved_run.py [EVERY]

With KR_LONG=1, each column gets each of the wrong values; else one of them, each in its turn. EVERY=16: every
sixteenth column and flipped bit, for sanitizers, which take long.
"""
import json
import os
import pathlib
import random
import shutil
import zlib
import sqlite3
import subprocess
import sys
import tempfile

KR = os.path.abspath(os.environ["KR"])
RULES = """engine e {
  phases { decode: /^decode_(?<step>\\d+)/ }
  substage { gemm: "gemm" | "nvjet"  norm: "norm"  comm: "nccl"  misc: otherwise }
  kind { communication: "nccl" }
}
"""
VALUES = ("-1", "9223372036854775807", "'text'", "NULL", "1e300", "x'ff00'")
LONG = "KR_LONG" in os.environ
EVERY = 1 if LONG else int(sys.argv[1]) if len(sys.argv) > 1 else 1
failures = []


def expect(holds, *what):
    if not holds:
        failures.append(" ".join(map(str, what)))


def kr(*words):
    return subprocess.run([KR, *map(str, words)], capture_output=True, check=False, timeout=60)


def trace(gemm, steps, slow=0):
    """Decode steps of 12 layers in modules; the second and the last are stray and short."""
    events, now, correlation = [], 1000, 0

    def event(category, name, start, length, **args):
        events.append({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1, "ts": start, "dur": length,
                       "args": args})

    for step in range(steps):
        layers = 12 if step not in (1, steps - 1) else 1
        begin, at = now, now + 20
        for layer in range(layers):
            event("python_function", f"nn.Module: Layer_{layer}", at, 39)
            for name, length in ((f"{gemm}_a", 10 + slow), ("norm_k", 2), (f"{gemm}_b", 20), ("ncclAllReduce", 3)):
                correlation += 1
                event("cuda_runtime", "cudaLaunchKernel", at + 1, 2, correlation=correlation)
                event("kernel", name, at + 1000, length + step % 3, correlation=correlation, device=0, stream=7)
                at += 10
        event("user_annotation", f"decode_{step}", begin, at - begin)
        now = at + 1000
    return json.dumps({"traceEvents": events})


def same_numbers(a, b, what):
    """Everything but the names of the runs."""
    expect(a.returncode == b.returncode, what, a.stderr, b.stderr)
    if a.returncode > 1 or b.returncode > 1:
        return
    left, right = json.loads(a.stdout)["tables"], json.loads(b.stdout)["tables"]
    for table in (left, right):
        for row in table["comparison"]:
            del row["a"], row["b"]
    for table in left.keys() | right.keys():
        expect(left.get(table) == right.get(table), what, table, "differs")


def check_same():
    for level in ([], ["--level", "module"], ["--level", "kernel"], ["--level", "layer"]):
        save = "tree" if level else "report"
        for run in ("a", "b"):
            done = kr(save, f"{run}.json", "--rules", "e.kr", "--save", f"{run}.krun")
            expect(done.returncode == 0, done.stderr)
            expect(os.path.getsize(f"{run}.krun") < 400_000, f"{run}.krun is too large")
        how = ["--rules", "e.kr", "--format", "json", *level]
        traces = kr("diff", "a.json", "b.json", *how)
        expect(traces.returncode == 1, traces.stderr)
        for a, b in (("a.krun", "b.json"), ("a.json", "b.krun"), ("a.krun", "b.krun")):
            same_numbers(traces, kr("diff", a, b, *how), f"{a} {b} {level}")
        many = kr("diff", "--a", *["a.json"] * 3, "--b", *["b.json"] * 3, *how)
        same_numbers(many, kr("diff", "--a", *["a.krun"] * 3, "--b", *["b.krun"] * 3, *how), f"sides {level}")
        found = json.loads(traces.stdout)["tables"]
        pairs = {(row["a_name"], row["b_name"], row["confidence"]) for row in found["substitutions"]}
        expect(pairs == {("nvjet_a", "cutlass_gemm_a", "high"), ("nvjet_b", "cutlass_gemm_b", "high")}, level, pairs)
        if level:
            shutil.copy("a.krun", "tree.krun")


def check_stray_steps():
    """The stray short steps are neither reference nor verdict."""
    rows = kr("diff", "a.json", "same.json", "--rules", "e.kr", "--format", "json", "--fail-if", "total > +2%",
              "--fail-if", "total < -2%")
    expect(rows.returncode == 0, "a stray step fails a gate", rows.stderr)
    total, = json.loads(rows.stdout)["tables"]["comparison"]
    expect(total["unit"] == "steps of decode", total["unit"])
    expect(total["verdict"] == "within noise", total)
    expect(abs(total["median_percent"]) < 1, total)


def check_verbs():
    report = kr("report", "a.krun", "b.json", "--rules", "e.kr", "--format", "json", "--tables", "labels,devices")
    expect(report.returncode == 0, report.stderr)
    rows = json.loads(report.stdout)["tables"]["labels"]
    runs = sorted({row["run"] for row in rows})
    expect(len(runs) == 2, runs)
    page = kr("report", "a.krun", "b.krun", "--rules", "e.kr", "--out-dir", "pages")
    expect(page.returncode == 0 and b"cutlass_gemm_a" in pathlib.Path("pages/result.html").read_bytes(), page.stderr)
    again = kr("report", "a.krun", "--rules", "e.kr", "--save", "again/a.krun", "--format", "table")
    expect(again.returncode == 0, again.stderr)
    expect(pathlib.Path("again/a.krun").read_bytes() == pathlib.Path("a.krun").read_bytes(), "saved again, it differs")
    for words, text in ((["analyze", "a.krun"], "is a saved run, without found phases, overlaps, GPU metrics, memory, which this needs"),
                        (["report", "a.krun", "--tables", "host_calls"], "is a saved run, without operations"),
                        (["tree", "a.krun"], "is a saved run without module trees"),
                        (["tree", "tree.krun"], "without the module trees of each step"),
                        (["report", "tree.krun"], "is a saved run of module trees"),
                        (["classify", "a.krun", "--each"], "is a saved run, without operations"),
                        (["coverage", "a.krun"], "is a saved run, without operations"),
                        (["report", "a.krun,e,default"], "name only the file"),
                        (["diff", "a.krun", "b.json", "--level", "module"], "is a saved run without module trees"),
                        (["diff", "tree.krun", "a.json"], "contains operations, but tree.krun contains module trees"),
                        (["diff", "tree.krun", "tree.krun", "--level", "3"], "was not saved at level 3")):
        done = kr(*words, "--rules", "e.kr")
        expect(done.returncode == 2 and text in done.stderr.decode(), words, done.returncode, done.stderr)


def check_many_repeats():
    """A run without steps has as many repeats of a block as it likes: the file does not grow with them."""
    count, noise = 12_000, random.Random(2)
    events, now = [], 0
    # Longer streams are not searched for blocks.
    for repeat in range(count):
        for name in ("gemm_a", "norm_k", "gemm_b", "relu", "gemm_c"):
            length = noise.randrange(2, 9)
            events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": now, "dur": length,
                           "args": {"device": 0, "stream": repeat * 4 // count}})
            now += length + 1
    pathlib.Path("many.json").write_text(json.dumps({"traceEvents": events}))
    done = kr("report", "many.json", "--rules", "e.kr", "--save", "many.krun", "--format", "table")
    expect(done.returncode == 0 and os.path.getsize("many.krun") < 300_000, done.stderr, os.path.getsize("many.krun"))
    how = ["--rules", "e.kr", "--format", "json", "--tables", "phase_changes,comparison"]
    rows = [json.loads(kr("diff", a, b, *how).stdout)["tables"]["phase_changes"]
            for a, b in (("many.json", "many.json"), ("many.json", "many.krun"), ("many.krun", "many.krun"))]
    for found in rows:
        row, = found or [{}]
        if not row:
            expect(False, "no repeats are compared")
            continue
        expect(row["a_steps"] == row["b_steps"] == count, row)
        expect(abs(row["b_wall_ns"] / rows[0][0]["b_wall_ns"] - 1) < 0.02, row)
    table = kr("report", "many.krun", "--rules", "e.kr", "--tables", "repeats,labels")
    expect("only a sample of its repeats: name its trace" in table.stderr.decode(), table.stderr)
    expect("a sample of 5,000 of 12,000 repeats" in table.stderr.decode(), table.stderr)


def database_of(path):
    """The bytes of a saved run without its checksum: those of its pages, as its head numbers them."""
    data = pathlib.Path(path).read_bytes()
    return data[:int.from_bytes(data[16:18], "big") * int.from_bytes(data[28:32], "big")]


def with_checksum(data):
    return data + zlib.crc32(data).to_bytes(4, "big")


def renew_checksum(path):
    pathlib.Path(path).write_bytes(with_checksum(database_of(path)))


def changed(source, name, *statements):
    """A file with other content whose checksum is valid."""
    path = f"{name}.krun"
    shutil.copy(source, path)
    with sqlite3.connect(path) as database:
        for statement in statements:
            database.execute(statement)
    database.close()
    renew_checksum(path)
    return path


def refused(path, text, level=()):
    done = kr("diff", path, "b.json", "--rules", "e.kr", "--format", "json", *level)
    expect(done.returncode == 2, path, "is accepted", done.stderr)
    expect(text in done.stderr.decode() and path in done.stderr.decode(), path, text, done.stderr)


def check_flipped_bits(whole):
    """In the head, all over the file, and in the checksum itself. Without it, most were accepted."""
    flips = [*range(0, 100 * 8, 1 if LONG else 7), *range(100 * 8, len(whole) * 8, 257 if LONG else len(whole) * 8 // 120)]
    flips += range(len(whole) * 8 - 32, len(whole) * 8)
    for bit in flips[::EVERY]:
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        pathlib.Path("flipped.krun").write_bytes(damaged)
        refused("flipped.krun", "")


def check_hostile():
    refused(changed("a.krun", "older", "PRAGMA user_version = 1"), "was saved by another version of kr")
    refused(changed("a.krun", "before", "PRAGMA user_version = 2"), "save the run again")
    refused(changed("a.krun", "newer", "PRAGMA user_version = 99"), "was saved by another version of kr")
    refused(changed("a.krun", "other", "PRAGMA application_id = 1"), "is not a saved run")
    refused(changed("a.krun", "without", 'DROP TABLE "RunSummary.names"'), "has no table `RunSummary.names`")
    refused(changed("a.krun", "column", 'ALTER TABLE "RunSummary.names" RENAME COLUMN total_ns TO ns'),
            "has no table `RunSummary.names` with the columns of this version")
    refused(changed("a.krun", "empty", "DELETE FROM RunSummary"), "has no runs")
    refused(changed("a.krun", "fact", "DELETE FROM StepSums"), "does not contain `StepSums`")
    refused(changed("a.krun", "sum", 'UPDATE "RunSummary.names" SET total_ns = total_ns + 1'), "does not add up")
    refused(changed("a.krun", "rest", 'INSERT INTO "StepSums.phases" SELECT * FROM "StepSums.phases" LIMIT 1',
                    'UPDATE "StepSums.phases" SET parent = 7 WHERE rowid > 1'), "does not add up")
    refused(changed("a.krun", "name", 'UPDATE "Sequences.sequences.names" SET name = 99'),
            "sequence of names that it does not have")
    refused(changed("a.krun", "text", 'UPDATE "RunSummary.names" SET name = 999999'), "number of a text")
    pathlib.Path("json.krun").write_text('{"traceEvents": []}')
    refused("json.krun", "is not an SQLite database")
    pathlib.Path("nothing.krun").write_text("")
    refused("nothing.krun", "")
    whole = pathlib.Path("a.krun").read_bytes()
    expect(whole == with_checksum(database_of("a.krun")), "the checksum is not the CRC-32 of the database")
    for part in (1, 3, 10, 50, 90, 99):
        pathlib.Path("cut.krun").write_bytes(whole[:len(whole) * part // 100])
        refused("cut.krun", "")
    for cut in (1, 4, 4096):
        pathlib.Path("cut.krun").write_bytes(whole[:-cut])
        refused("cut.krun", "is damaged or cut off: its checksum does not match its content")
    pathlib.Path("longer.krun").write_bytes(whole + b"\0")
    refused("longer.krun", "is damaged or cut off")
    # What is in the database itself is checked although its checksum is valid.
    pathlib.Path("cut.krun").write_bytes(with_checksum(whole[:len(whole) // 2]))
    refused("cut.krun", "")
    check_flipped_bits(whole)
    # Any number anywhere: refused, or without effect on sums, but never a crash.
    for source, level in (("a.krun", []), ("tree.krun", ["--level", "module"])):
        with sqlite3.connect(source) as database:
            places = [(table, column[1]) for table, in
                      database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
                      for column in database.execute(f'PRAGMA table_info("{table}")').fetchall()]
        database.close()
        for at, (table, column) in enumerate(places[::EVERY]):
            for value in VALUES if LONG else [VALUES[at % len(VALUES)]]:
                path = changed(source, "fuzz", f'UPDATE OR IGNORE "{table}" SET "{column}" = {value}')
                done = kr("diff", path, "b.json", "--rules", "e.kr", "--format", "json", *level)
                # Comparing reads a part of it, merging all.
                if done.returncode in (0, 1) and not level:
                    done = kr("merge", path, "-o", "merged.krun", "--force")
                expect(done.returncode in (0, 1, 2) and b"internal error" not in done.stderr, table, column, value,
                       done.returncode, done.stderr[:300])
    random.seed(4)
    for _ in range(150 if LONG else 25):
        damaged = bytearray(database_of("a.krun"))
        for _ in range(random.randrange(1, 20)):
            damaged[random.randrange(100, len(damaged))] = random.randrange(256)
        pathlib.Path("damaged.krun").write_bytes(with_checksum(bytes(damaged)))
        done = kr("diff", "damaged.krun", "b.json", "--rules", "e.kr", "-q", "--format", "json")
        expect(done.returncode in (0, 1, 2) and b"internal error" not in done.stderr, "damaged", done.returncode,
               done.stderr[:300])


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("again")
        pathlib.Path("e.kr").write_text(RULES)
        pathlib.Path("a.json").write_text(trace("nvjet", 9))
        pathlib.Path("same.json").write_text(trace("nvjet", 8))
        pathlib.Path("b.json").write_text(trace("cutlass_gemm", 12, slow=2))
        check_same()
        kr("report", "a.json", "--rules", "e.kr", "--save", "a.krun")
        kr("report", "b.json", "--rules", "e.kr", "--save", "b.krun")
        check_stray_steps()
        check_verbs()
        check_hostile()
        check_many_repeats()
        os.chdir("/")
    for line in failures[:40]:
        print(line, file=sys.stderr)
    print(f"{len(failures)} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
