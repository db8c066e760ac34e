#!/usr/bin/env python3
"""kr cut: all tables of what is written are those of the whole with the same window, to the ns, for random windows of the
traces of the sessions beside this file, of small nsys exports, and of real traces where ../shared/data is there. Text is
what the source has, and only its events are fewer.

    KR=build/tools/kr/kr tests/cli/check_cut.py [-v] [TRACE...]
"""
import csv
import gzip
import io
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import nsys_export  # noqa: E402

KR = os.path.abspath(os.environ["KR"])
SHARED = pathlib.Path(os.environ.get("KR_SHARED_DATA") or HERE.parents[2] / "shared/data")
REAL = ["kineto/a100_graphs_recsys.json.gz", "kineto/mi300_qwen05b.json.gz", "kineto/sglang_prefill.json.gz",
        "kineto/vllm_decode_graph.json.gz", "kineto/h100_bert.json.gz", "kineto/v100_resnet_2020_list.json.gz",
        "memory/counters_kineto.json.gz", "nsys/mfu_2gpu_after.sqlite", "nsys/gaussian_report5.sqlite",
        "nsys/h100_2gpu_1s.sqlite",
        "planted/nested-vllm/run.json.gz", "planted/impossible-duration/run.json.gz",
        "planted/nsys-decode/run.sqlite.gz", "annotations/plain.json.gz", "ranks/merged_dlrm_1_3.trace.json.gz"]
SESSIONS = ["windows", "analyze", "graphs", "collectives", "costs", "nvtx", "within"]
ROUNDS = int(os.environ.get("KR_CUT_ROUNDS", "2"))
RULES = HERE.parents[1] / "rulesets"
failures = []
verbose = False


def expect(holds, *what):
    if not holds:
        failures.append(" ".join(map(str, what)))
        print("failed:", *what, flush=True)


def kr(folder, *words):
    return subprocess.run([KR, *map(str, words)], cwd=folder, capture_output=True, check=False, timeout=300)


def table_ids(folder, name):
    listed = kr(folder, "sql", name, "--format", "csv")
    return [row["name"] for row in csv.DictReader(io.StringIO(listed.stdout.decode()))]


def tables(folder, name, ids, *window):
    done = kr(folder, "report", name, "--format", "json", "--tables", ",".join(ids), "--costs", *window)
    if done.returncode != 0:
        return None, done.stderr.decode(errors="replace")
    return json.loads(done.stdout), ""


def without_whole(results):
    """Without what is said of the whole file: the window itself, and what was dropped of it."""
    whole = ("window", "truncated", "implausible-times", "dropped-records", "missing-columns",
             "hidden-graph-kernels")
    out = {}
    for name, rows in {**results, **results.get("tables", {})}.items():
        if isinstance(rows, list):
            out[name] = [row for row in rows if not (isinstance(row, dict) and row.get("code") in whole)]
    # Above 32 bits is the place of the process among those met in the file.
    for row in out.get("host_calls", []):
        row["correlation"] = row["correlation"] and row["correlation"] % (1 << 32)
    return out


def first_difference(a, b, path=""):
    if type(a) is not type(b):
        return f"{path}: {str(a)[:200]} != {str(b)[:200]}"
    if isinstance(a, dict):
        for key in {**a, **b}:
            if a.get(key) != b.get(key):
                return first_difference(a.get(key), b.get(key), f"{path}.{key}")
    if isinstance(a, list):
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return first_difference(x, y, f"{path}[{i}]")
        return f"{path}: {len(a)} != {len(b)} rows: {str((a + b)[min(len(a), len(b)):])[:300]}"
    return f"{path}: {a} != {b}"


def random_window(noise, span_ns, steps, phases, names):
    kind = noise.choice(["times", "times", "steps", "phase", "range", "both", "steady"])
    begin = noise.randrange(max(span_ns, 1))
    times = ["--from", f"{begin}ns", "--to", f"{begin + 1 + noise.randrange(max(span_ns // 2, 1))}ns"]
    if not steps and not names:
        return times
    if kind == "range" and names:
        return ["--range", noise.choice(names)]
    if not steps:
        return times
    first = noise.randrange(steps)
    chosen = ["--steps", f"{first}..{noise.randrange(first, steps)}"]
    return {"times": times, "steps": chosen, "phase": ["--phase", noise.choice(phases)], "both": chosen + times[:2],
            "steady": ["--steady"]}.get(kind, chosen)


def check_text(whole, part, what):
    """What is not an event is the same, and no event is new."""
    def read(path):
        data = path.read_bytes()
        return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data, strict=False)
    a, b = read(whole), read(part)
    is_object = isinstance(a, dict)
    if not is_object:
        a, b = {"traceEvents": a}, {"traceEvents": b}
    mark = b.pop("madeBy", None)
    expect(mark == ("kr cut" if is_object else None), what, "the mark is", mark)
    a.pop("madeBy", None)  # of a part of a part
    expect({**a, "traceEvents": 0} == {**b, "traceEvents": 0}, what, "other members differ")
    events = {json.dumps(event, sort_keys=True) for event in a["traceEvents"]}
    kept = [json.dumps(event, sort_keys=True) for event in b["traceEvents"]]
    own = {event for event in kept if '"kr_cut_step"' in event}  # which steps were cut
    expect(events.issuperset(set(kept) - own), what, "an event is not of the source")
    arrows = {}
    for event in b["traceEvents"]:
        if isinstance(event, dict) and event.get("ph") in ("s", "f"):
            arrows.setdefault((event.get("cat"), str(event.get("id")), event.get("name")), set()).add(event["ph"])
    sources = {}
    for event in a["traceEvents"]:
        if isinstance(event, dict) and event.get("ph") in ("s", "f"):
            sources.setdefault((event.get("cat"), str(event.get("id")), event.get("name")), set()).add(event["ph"])
    lonely = [key for key, ends in arrows.items() if len(ends) == 1 and len(sources[key]) == 2]
    expect(not lonely, what, "arrows have one end:", lonely[:3])


def check_database(whole, part, what):
    a, b = sqlite3.connect(whole), sqlite3.connect(part)
    schema = "SELECT type, name, sql FROM sqlite_master WHERE type IN ('table', 'index') AND name NOT LIKE 'sqlite_%' AND name != 'KR_CUT_STEPS' ORDER BY name"
    expect(a.execute(schema).fetchall() == b.execute(schema).fetchall(), what, "the schema differs")
    for name, in a.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"):
        rows = set(map(repr, a.execute(f'SELECT * FROM "{name}"')))
        kept = list(map(repr, b.execute(f'SELECT * FROM "{name}"')))
        expect(rows.issuperset(kept), what, name, "has a row that is not of the source")
    expect(b.execute("PRAGMA integrity_check").fetchone()[0] == "ok", what, "the database is damaged")


def check(folder, path, noise, rules=()):
    whole, part = folder / "whole", folder / "part"
    for one in (whole, part):
        shutil.rmtree(one, ignore_errors=True)
        one.mkdir()
    name = path.name.replace(".sqlite.gz", ".sqlite")
    data = path.read_bytes()
    (whole / name).write_bytes(gzip.decompress(data) if name != path.name else data)
    ids = table_ids(whole, name)
    about = kr(whole, "sql", name, "SELECT run, engine, model FROM runs", "--format", "json", *rules)
    if about.returncode != 0:
        return expect(False, path, about.stderr.decode())
    found = kr(whole, "report", name, "--format", "json", "--tables", "runs,steps,host_ranges,operations", *rules)
    results = json.loads(found.stdout)
    runs = results["runs"]
    if len({(run["engine"], run["model"]) for run in runs}) != 1:
        return None

    def rows(table):
        return results["tables"].get(table) or []
    spec = f"{name},{runs[0]['engine']},{runs[0]['model']}"
    starts = [row["start_ns"] for row in rows("operations") if row["run"] == runs[0]["run"]]
    if not starts:
        return None
    span = max(starts) - min(starts)
    steps = [row for row in rows("steps") if row["run"] == runs[0]["run"]]
    names = sorted({row["name"][:12] for row in rows("host_ranges") if row.get("name")})
    done = 0
    for _ in range(20 * ROUNDS):
        if done == ROUNDS:
            break
        window = random_window(noise, span, len(steps), sorted({row["phase"] for row in steps}), names)
        what = f"{path} {' '.join(window)}"
        (part / name).unlink(missing_ok=True)
        cut = kr(whole, "cut", spec, *window, "-o", part / name, *rules)
        expected, why = tables(whole, spec, ids, *window, *rules)
        if expected is None:
            expect(cut.returncode == 2, what, "is written, but not reported:", why)
            continue
        done += 1
        if cut.returncode != 0:
            expect(False, what, cut.stderr.decode(errors="replace"))
            continue
        actual, why = tables(part, spec, ids, *rules)
        if verbose:
            print(what, cut.stderr.decode().splitlines()[0], (part / name).stat().st_size)
        if actual is None:
            expect(False, what, why)
            continue
        a, b = without_whole(expected), without_whole(actual)
        expect(a == b, what, "" if a == b else first_difference(a, b))
        (check_database if name.endswith(".sqlite") else check_text)(whole / name, part / name, what)
    expect(done > 0, path, "no window of it was cut")
    return None


def session_traces(folder):
    """Traces with the rules of their session."""
    for name in SESSIONS:
        lines = (HERE / f"{name}.txtar").read_text().split("\n-- ")
        files = dict(part.split(" --\n", 1) for part in lines[1:])
        rules = files.get("rules.kr")
        if rules is None:
            continue
        for file, text in files.items():
            if not file.endswith(".json") or "traceEvents" not in text or '"kernel"' not in text:
                continue
            target = folder / name / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
            (target.parent / "rules.kr").write_text(rules)
            yield target, ("--rules", str(target.parent / "rules.kr"))


def main():
    global verbose
    words = [word for word in sys.argv[1:] if word != "-v"]
    verbose = len(words) + 1 < len(sys.argv)
    noise = random.Random(11)
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        inputs = [(pathlib.Path(word), ()) for word in words]
        if not inputs:
            export = folder / "small.sqlite"
            nsys_export.write(export)
            nsys_export.write_metrics(folder / "metrics.sqlite")
            inputs = [*session_traces(folder), (export, ()), (folder / "metrics.sqlite", ())]
            inputs += [(SHARED / name, ()) for name in REAL if (SHARED / name).is_file()]
        for path, rules in inputs:
            check(folder, path, noise, rules)
    if failures:
        print(f"{len(failures)} failures")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
