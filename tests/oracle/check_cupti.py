#!/usr/bin/env python3
"""Real traces as folders of CUPTI activity. Every PyTorch trace of the shared data with GPU work is written as
such a folder, in several spellings, only by this script; `kr analyze` and `kr report` must give the same results for
the folder as for the trace, whose numbers are compared with ORACLE.tsv by check_kineto.py and check_analyze.py.
The tables of an nsys export as CSV give the same operations as the export.

    KR=build/tools/kr/kr tests/oracle/check_cupti.py [FOLDER]
"""
import csv
import decimal
import gzip
import json
import os
import pathlib
import re
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results, total  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data")
KINDS = {"kernel": "kernel", "gpu_memcpy": "gpu_memcpy", "memcpy": "gpu_memcpy", "gpu_memset": "gpu_memset",
         "memset": "gpu_memset", "cuda_runtime": "cuda_runtime", "runtime": "cuda_runtime",
         "cuda_driver": "cuda_driver"}
CALLS = {"cuda_runtime", "cuda_driver"}


def run(verb, path):
    done = subprocess.run([os.environ["KR"], verb, str(path), "--format", "json", "-q"], capture_output=True,
                          check=False)
    return Results(done.stdout) if done.returncode == 0 else done.stderr.decode(errors="replace")


def ns(text):
    whole, _, part = text.partition(".")
    if whole.isdigit() and len(part) <= 3 and (part.isdigit() or not part):
        return int(whole + part.ljust(3, "0"))
    value = decimal.Decimal(text) * 1000
    return int(value.quantize(decimal.Decimal(1), rounding=decimal.ROUND_HALF_UP))


def number(*candidates):
    """The first that is a whole number, as the readers choose devices and streams."""
    for candidate in candidates:
        text = str(candidate).removeprefix("stream ")
        if candidate is not None and text.lstrip("-").isdigit():
            return int(text)
    return 0


def events_of(path):
    """(kind, event) of GPU work and of calls; numbers stay as they are written."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", errors="surrogateescape") as file:
        data = json.load(file, parse_float=str, parse_int=str)
    events = data.get("traceEvents", []) if isinstance(data, dict) else data
    for event in events:
        if isinstance(event, dict) and event.get("ph") == "X":
            kind = KINDS.get(str(event.get("cat", "")).lower())
            if kind:
                yield kind, event


def record_of(event):
    """What a folder has of an event, with times in ns."""
    args = event.get("args", {})
    begin, took = ns(event["ts"]), ns(event["dur"])
    return {"start": begin, "end": begin + took, "duration": took, "name": event["name"],
            "correlation": args.get("correlation", ""), "pid": event.get("pid", ""), "tid": event.get("tid", ""),
            "device": number(args.get("device"), event.get("pid")),
            "stream": number(args.get("stream"), event.get("tid"))}


TIMES = {"start", "end", "duration"}


def as_chrome(events, *_):
    """The form of scripts that split a trace by category: one column per member, `args` an object."""
    columns = sorted({key for event in events for key in event})
    yield columns
    for event in events:
        yield [json.dumps(event.get(c, "")) if isinstance(event.get(c), dict) else event.get(c, "") for c in columns]


def as_records(start, end, duration, time):
    def rows(_, records, kind):
        columns = {start: "start", "name": "name", "correlationId": "correlation", "end_" + end: "end",
                   "duration" + duration: "duration"}
        if not end:
            del columns["end_"]
        columns.update({"processId": "pid", "threadId": "tid"} if kind in CALLS else
                       {"deviceId": "device", "streamId": "stream"})
        titles = list(columns)
        random.Random(len(records)).shuffle(titles)
        yield titles
        chosen = [(columns[title], columns[title] in TIMES) for title in titles]
        for record in records:
            yield [time(record[column]) if is_time else record[column] for column, is_time in chosen]
    return rows


def micro(time_ns):
    return f"{time_ns // 1000}.{time_ns % 1000:03d}"


FORMS = {"chrome": as_chrome,
         "ns": as_records("start", "ns", "", str),
         "us": as_records("Start (us)", "", " [us]", micro),
         "plain-us": as_records("begin", "", "", micro)}


def write(folder, kinds, records, form):
    for kind, events in kinds.items():
        name = f"rank0_{'conc_kernel' if kind == 'kernel' else kind}.csv"
        with open(folder / name, "w", newline="", encoding="utf-8", errors="surrogateescape") as file:
            csv.writer(file, lineterminator="\n").writerows(FORMS[form](events, records[kind], kind))


# What a folder does not contain: ranges, and so steps, and the phase of attention; ranks; names of devices and of
# process groups.
OF_RANGES = ("attribution", "phases", "steps", "layers", "found_agreement", "collective_bandwidth")
SCOPES_OF_RANGES = {"label_times": ("phase", "step"), "efficiency": ("phase", "step"),
                    "collective_overlap": ("layer", "phase", "step")}
OF_STEPS = "attention_phase"
OF_A_TRACE = ("run", "run_a", "run_b", "source", "format", "why", "rank", "rank_from", "world_size", "backend",
              "min_rank", "max_rank", "waits_most_rank", "waits_least_rank", "device_name")


def plain(found):
    """Tables without what a folder does not contain."""
    tables = {"runs": found.runs, **found.tables}
    def is_of_a_trace(table, column):
        return column in (*OF_A_TRACE, OF_STEPS) or (table, column) in (("runs", "name"), ("collective_overlap", "group"),
                                                             ("fusions", "per_step"), ("order_kernels", "rule"))
    def is_of_ranges(table, row):
        return (table == "trace_health" and row["code"] in ("outside-steps", "no-context") or
                OF_STEPS in (row.get("dimension"), row.get("scope")) or
                table in SCOPES_OF_RANGES and row["scope"] in SCOPES_OF_RANGES[table])
    def cell(column, value):
        # CUPTI's names of functions end in versions of many kinds.
        return re.sub(r"_v\d+$", "", value) if column == "api" and value else value
    tables = {table: [{column: cell(column, value) for column, value in row.items() if not is_of_a_trace(table, column)}
                      for row in rows if not is_of_ranges(table, row)]
              for table, rows in tables.items() if table not in OF_RANGES}
    return {table: rows for table, rows in tables.items() if rows or table not in SCOPES_OF_RANGES}


def check_kineto(path):
    kinds = {}
    for kind, event in events_of(path):
        kinds.setdefault(kind, []).append(event)
    if not set(kinds) - CALLS:
        return None
    records = {kind: [record_of(event) for event in events] for kind, events in kinds.items()}
    wrong = []
    # A folder lacks the names of ranges, by which an engine may be detected.
    detected = run("report", path).runs[0]
    model = f",{detected['engine']},{detected['model']}"
    expected = {verb: plain(run(verb, f"{path}{model}")) for verb in ("analyze", "report")}
    for verb, tables in (("analyze", ("devices", "kernels_by_device", "activity")), ("report", ("labels", "kernels"))):
        wrong += [f"{path.name}: {verb} has no {table}" for table in tables if not expected[verb].get(table)]
    for form in FORMS:
        with tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work) / "run"
            folder.mkdir()
            write(folder, kinds, records, form)
            for verb, want in expected.items():
                got = run(verb, f"{folder}{model}")
                if isinstance(got, str):
                    wrong.append(f"{path.name} as {form}: {got}")
                    continue
                got = plain(got)
                for key in sorted((set(want) | set(got)) - {"memory"}):  # CSVs of CUPTI have none
                    if want.get(key) != got.get(key):
                        wrong.append(f"{path.name} as {form}: {verb}: {key} differs: "
                                     f"{str(got.get(key))[:300]} for {str(want.get(key))[:300]}")
    return wrong


def check_tables(folder):
    """Names are ids of strings that do not exist; everything else must be as in the export."""
    tables = sorted(folder.glob("mordred_report1.CUPTI_ACTIVITY_KIND_*.csv"))
    if not tables:
        return []
    with tempfile.TemporaryDirectory() as work:
        for table in tables:
            (pathlib.Path(work) / table.name).symlink_to(table.resolve())
        got, want = run("report", work), run("report", folder / "mordred_report1.sqlite")
    if isinstance(got, str):
        return [f"tables: {got}"]
    wrong = []
    with open(folder / "mordred_report1.CUPTI_ACTIVITY_KIND_KERNEL.csv", encoding="utf-8") as file:
        kernels = list(csv.DictReader(file))
    sums = {}
    for kernel in kernels:
        row = sums.setdefault(f"(unnamed kernel {kernel['demangledName']})", [0, 0])
        row[0] += 1
        row[1] += int(kernel["end"]) - int(kernel["start"])
    for name, (instances, time) in sums.items():
        if len(got.rows("kernels", name=name, instances=instances, total_ns=time)) != 1:
            wrong.append(f"tables: {name} is not {instances} times {time} ns")
    # The export also has sets, for which there is no table.
    time = want.run()["gpu_total_ns"] - total(want.rows("kernels", name="[CUDA memset]"), "total_ns")
    if got.run()["gpu_total_ns"] != time:
        wrong.append(f"tables: {got.run()['gpu_total_ns']} ns for {time}")
    return wrong


def main():
    if not (FOLDER / "kineto").is_dir():
        print("no shared data: skipped")
        return 77
    wrong, traces = [], 0
    for path in sorted((FOLDER / "kineto").glob("*.json*")):
        try:
            found = check_kineto(path)
        except (json.JSONDecodeError, KeyError):
            continue
        if found is not None:
            traces += 1
            wrong += found
    wrong += check_tables(FOLDER / "nsys")
    print("\n".join(wrong[:50]) or f"{traces} traces, {len(FORMS)} spellings each: the same")
    return 1 if wrong or traces < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
