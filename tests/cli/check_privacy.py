#!/usr/bin/env python3
"""Environment variables, command lines, and names of hosts, users, processes and threads in a trace never get into an
output: traces of nsys, ncu and PyTorch hold marker words in every such place; all verbs write all their formats, and
no byte of them, compressed and encoded parts included, may have a marker. Names of kernels and ranges are shown.

    KR=build/tools/kr/kr tests/cli/check_privacy.py
"""
import base64
import gzip
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import zlib

KR = os.path.abspath(os.environ["KR"])
MARKER = b"SECRETMARK"
SHOWN = {"nsys.sqlite": (b"gemm_kernel_shown", b"range_shown"), "kineto.json": (b"gemm_kernel_shown",),
         "ncu.csv": (b"gemm_kernel_shown",)}
RULES = """labels substage { gemm "Products" misc "Rest" }
engine e "E" { substage { gemm: "gemm" misc: otherwise }  phases { decode: /range_shown (?<step>\\d+)/ } }
"""

failures = []
checks = 0
marked = 0


def mark(what):
    """A text that no output may have."""
    global marked
    marked += 1
    return f"{what}_{MARKER.decode()}_{marked}"


# ---------------------------------------------------------------- the traces

# (table, columns, rows); a column of marker texts is `text`, one of StringIds is `string`.
PRIVATE_TABLES = [
    ("TARGET_INFO_SYSTEM_ENV", "globalVid integer, devStateName text, name text, nameEnum integer, value text",
     [(0, "e", "env", 1, "HF_TOKEN=")]),
    ("TARGET_INFO_SESSION_START_TIME", "utcEpochNs integer, utcTime text, localTime text", [(1, "t", "t")]),
    ("TARGET_INFO_NVTX_CUDA_DEVICE", "name text, hwId integer", [("n", 1)]),
    ("TARGET_INFO_PROCESS", "processId integer, openGlVersion text, correlationId integer, nameId string",
     [(1, "v", 1, "cmd")]),
    ("PROCESSES", "globalPid integer, pid integer, name text", [(1 << 24, 1, "/home/me/serve.py")]),
    ("ThreadNames", "nameId string, priority integer, globalTid integer", [("thread", 1, (1 << 24) + 5)]),
    ("META_DATA_CAPTURE", "name text, value text", [("COMMAND_LINE", "python serve.py --key")]),
    ("META_DATA_EXPORT", "name text, value text", [("EXPORT_OUTPUT_FILE", "/home/me/out")]),
    ("EXPORT_META_DATA", "name text, value text", [("USER", "me")]),
    ("ANALYSIS_DETAILS", "globalVid integer, duration integer, startTime integer, hostName text", [(0, 1, 0, "host")]),
    ("ANALYSIS_FILE", "id integer, filenameId string, content text", [(1, "file", "content")]),
    ("DIAGNOSTIC_EVENT", "timestamp integer, severity integer, text text", [(1, 1, "diagnostic")]),
    ("ProcessStreams", "globalPid integer, filenameId string, contentId string", [(1 << 24, "stdout", "printed")]),
    ("CUDA_CALLCHAINS", "id integer, symbol string, module string", [(1, "symbol", "module")]),
    ("SCHED_EVENTS", "start integer, cpu integer, note text", [(1, 0, "sched")]),
]


def write_nsys(path):
    pid, tid = 1 << 24, (1 << 24) + 5
    strings = {}

    def string(text):
        return strings.setdefault(text, len(strings) + 1)

    database = sqlite3.connect(path)

    def table(name, columns, rows):
        kinds = [column.split()[1] for column in columns.split(", ")]
        declared = columns.replace(" string", " integer")
        database.execute(f"CREATE TABLE {name} ({declared})")
        for row in rows:
            values = [string(value) if kind == "string" else value for kind, value in zip(kinds, row)]
            database.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(values))})", values)

    for name, columns, rows in PRIVATE_TABLES:
        table(name, columns, [[mark(value) if isinstance(value, str) else value for value in row] for row in rows])
    kernels, calls, waits, ranges = [], [], [], []
    for i in range(12):
        start = 10_000 * (i + 1)
        kernels.append((start + 4000, start + 9000, 0, 1, 7, i, pid, "void gemm_kernel_shown<1>()",
                        "gemm_kernel_shown"))
        calls.append((start, start + 1000, tid, i, "cudaLaunchKernel_v7000"))
        calls.append((start + 2000, start + 8000, tid, 100 + i, "cudaStreamSynchronize_v3020"))
        waits.append((start + 2100, start + 7900, 0, 1, 7, 100 + i, pid, 3, 1))
        ranges.append((start, start + 1500, 59, tid, f"range_shown {i}", None))
    table("CUPTI_ACTIVITY_KIND_KERNEL", "start integer, end integer, deviceId integer, contextId integer, "
          "streamId integer, correlationId integer, globalPid integer, demangledName string, shortName string", kernels)
    table("CUPTI_ACTIVITY_KIND_RUNTIME", "start integer, end integer, globalTid integer, correlationId integer, "
          "nameId string", calls)
    table("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "start integer, end integer, deviceId integer, contextId integer, "
          "streamId integer, correlationId integer, globalPid integer, syncType integer, eventId integer", waits)
    table("OSRT_API", "start integer, end integer, globalTid integer, nameId string", [(12_000, 19_000, tid, "poll")])
    table("NVTX_EVENTS", "start integer, end integer, eventType integer, globalTid integer, text text, textId integer",
          ranges + [(0, None, 39, tid, mark("nvtx_thread_name"), None), (1, None, 33, tid, mark("category"), None)])
    table("TARGET_INFO_GPU", "id integer, name text, cuDevice integer", [(0, "NVIDIA H100", 0)])
    string(mark("unused string"))
    database.execute("CREATE TABLE StringIds (id integer primary key, value text)")
    database.executemany("INSERT INTO StringIds VALUES (?, ?)", [(number, text) for text, number in strings.items()])
    database.commit()
    database.close()


def write_kineto(path):
    events = [{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": mark("process")}},
              {"ph": "M", "name": "process_labels", "pid": 1, "tid": 0, "args": {"labels": mark("labels")}},
              {"ph": "M", "name": "thread_name", "pid": 1, "tid": 5, "args": {"name": mark("thread")}},
              {"ph": "i", "cat": "cpu_instant_event", "name": mark("instant"), "ts": 1, "pid": 1, "tid": 5},
              {"ph": "X", "cat": "Trace", "name": mark("trace event"), "ts": 1, "dur": 900, "pid": "Spans", "tid": 0}]
    for i in range(12):
        start = 10 * (i + 1)
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": start, "dur": 1, "pid": 1,
                       "tid": 5, "args": {"correlation": i, "cbid": mark("cbid")}})
        events.append({"ph": "X", "cat": "kernel", "name": "gemm_kernel_shown", "ts": start + 4, "dur": 5, "pid": 0,
                       "tid": 7, "args": {"device": 0, "stream": 7, "correlation": i, "note": mark("note")}})
        events.append({"ph": "X", "cat": "user_annotation", "name": f"range_shown {i}", "ts": start, "dur": 2,
                       "pid": 1, "tid": 5})
    path.write_text(json.dumps({
        "schemaVersion": 1, "hostname": mark("host"), "username": mark("user"), "traceName": mark("/home/me/trace"),
        "command": [mark("python")], "environment": {"TOKEN": mark("token")},
        "trace_id": mark("id"), "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}],
        "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2, "pg_config": mark("group"),
                            "master_addr": mark("address")},
        "traceEvents": events}), encoding="utf-8")


def write_ncu(path):
    header = ("ID,Process ID,Process Name,Host Name,Kernel Name,Context,Stream,Block Size,Grid Size,Device,CC,"
              "Section Name,Metric Name,Metric Unit,Metric Value").split(",")
    lines = [f"==PROF== Connected to process 7 ({mark('path')})", ",".join(f'"{one}"' for one in header)]
    for number in range(3):
        row = [str(number), "7", mark("process"), mark("host"), "gemm_kernel_shown", "1", "7", "(128, 1, 1)",
               "(8, 1, 1)", "0", "9.0", "GPU Speed Of Light Throughput"]
        for metric, unit, value in (("Duration", "ns", "5000"), ("Compute (SM) Throughput", "%", "40"),
                                    ("Memory Throughput", "%", "70")):
            lines.append(",".join(f'"{one}"' for one in [*row, metric, unit, value]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


# ---------------------------------------------------------------- the outputs

def check(good, what):
    global checks
    checks += 1
    if not good:
        failures.append(what)
        print("FAILED:", what)


def unpacked(data):
    """The bytes, and what gzip, zlib and base64 in them hold."""
    yield data
    if data[:2] == b"\x1f\x8b":
        yield from unpacked(gzip.decompress(data))
    for found in re.finditer(rb"[A-Za-z0-9+/]{40,}={0,2}", data):
        text = found.group()
        try:
            inner = base64.b64decode(text + b"=" * (-len(text) % 4))
        except ValueError:
            continue
        yield inner
        for wbits in (15, 31, -15):
            try:
                yield zlib.decompress(inner, wbits)
            except zlib.error:
                pass


def run(folder, *arguments):
    """What the command writes: standard output and error. Files stay in the folder."""
    return subprocess.run([KR, *map(str, arguments)], cwd=folder, capture_output=True, check=False, timeout=120)


def formats_of(verb):
    text = subprocess.run([KR, verb, "--help"], capture_output=True, check=True).stdout.decode()
    listed = re.search(r"Output formats?,?[^:]*: ([a-z, \n]+)", re.sub(r"\s+", " ", text))
    return [one.strip() for one in listed[1].split("(")[0].split(",")] if listed else []


def commands(folder, trace):
    rules = ("--rules", "rules.kr")
    for verb in ("report", "analyze", "tree", "classify", "coverage"):
        for form in formats_of(verb):
            yield (verb, trace, *rules, "--format", form, "--out-dir", f"{verb}_{form}")
            yield (verb, trace, *rules, "--format", form)
    yield ("report", trace, *rules, "--all", "--format", "table")
    yield ("report", trace, *rules, "--format", "json", "-o", "report.json.gz")
    yield ("report", trace, *rules, "--save", "saved.krun", "--format", "json")
    yield ("report", "saved.krun", *rules, "--format", "html", "-o", "saved.html")
    yield ("tree", trace, *rules, "--save", "tree.krun", "--format", "json")
    yield ("diff", trace, trace, *rules, "--format", "json")
    yield ("diff", trace, trace, *rules)
    yield ("sql", trace, *rules)
    listed = json.loads(run(folder, "sql", trace, *rules, "--format", "json").stdout)["tables"]["list_tables"]
    every = ("analyze", trace, *rules, "--format", "json", "--tables",
             ",".join(row["name"] for row in listed if row["name"] not in ("runs", "notes")))
    yield every
    # An absent table is an error without data.
    for table in ("runs", "notes", *json.loads(run(folder, *every).stdout)["tables"], "absent"):
        yield ("sql", trace, *rules, f"SELECT * FROM {table}", "--format", "jsonl")


def check_trace(folder, trace):
    shown = {word: False for word in SHOWN[trace]}
    made = {}
    for command in commands(folder, trace):
        done = run(folder, *command)
        check(done.returncode in (0, 2), f"{' '.join(command)}: exit status {done.returncode}")
        made[command[0]] = made.get(command[0], False) or done.returncode == 0
        for name, data in (("standard output", done.stdout), ("standard error", done.stderr)):
            check(not any(MARKER in part for part in unpacked(data)), f"{' '.join(command)}: marker in {name}")
            for word in shown:
                shown[word] |= word in data
    files = 0
    for path in folder.rglob("*"):
        if path.is_dir() or path.name in SHOWN or path.name == "rules.kr":
            continue
        files += 1
        data = path.read_bytes()
        found = [part[max(0, part.find(MARKER) - 30):][:60] for part in unpacked(data) if MARKER in part]
        check(not found, f"{trace}: marker in {path.relative_to(folder)}: {found[:1]}")
        check(MARKER.decode() not in path.name, f"{trace}: marker in the name {path.name}")
        path.unlink()
    for word, there in shown.items():
        check(there, f"{trace}: {word.decode()} is not shown")
    check(made.get("report") and made.get("analyze") and made.get("sql"), f"{trace}: verbs fail: {made}")
    check(files > 10, f"{trace}: only {files} files were written")


def main():
    for trace, write in (("nsys.sqlite", write_nsys), ("kineto.json", write_kineto), ("ncu.csv", write_ncu)):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            write(folder / trace)
            rules = folder / "rules.kr"
            rules.write_text(RULES, encoding="utf-8")
            check(MARKER in (folder / trace).read_bytes(), f"{trace} has no marker")
            check_trace(folder, trace)
    print(f"{checks} checks, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
