#!/usr/bin/env python3
"""Traces with many distinct values of one kind: make_distinct.py KIND COUNT OUT.

KIND is what is distinct: annotations, kernels, modules, streams, devices or steps (OUT is the JSON of
PyTorch's profiler), csv-kernels or csv-streams (`nsys stats -r cuda_gpu_trace`), or ranges (an nsys
SQLite export). Every operation takes 50 us; times grow with COUNT.
"""
import json
import sqlite3
import sys


def name_of(i):
    return f"void my::kernel_{i}<float, {i % 97}, {i * 7919}>(int, float const*)"


def annotation_of(i):
    return f"op_id = {i} words of an annotation {i * 7919}"


def kineto(kind, count, out):
    events = []

    def add(category, name, pid, tid, start, duration, **args):
        events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid,
                       "ts": start, "dur": duration, "args": args})

    for i in range(count):
        start = 100 * i
        if kind == "annotations":
            add("user_annotation", annotation_of(i), 1, 1, start, 90)
        if kind == "steps":
            add("user_annotation", f"execute_context_{i % 50}({i})_generation_{i % 13}({i * 3})",
                1, 1, start, 90)
        if kind == "modules":
            add("python_function", f"nn.Module: Layer{i}_{i * 7919}", 1, 1, start, 90)
        device = i if kind == "devices" else 0
        stream = i if kind == "streams" else 7
        add("cuda_runtime", "cudaLaunchKernel", 1, 1, start + 10, 5, correlation=i + 1)
        add("kernel", name_of(i) if kind == "kernels" else "flash_fwd_kernel", device, stream,
            start + 20, 50, correlation=i + 1, device=device, stream=stream)
    with open(out, "w") as file:
        json.dump({"traceEvents": events}, file)


def csv(kind, count, out):
    with open(out, "w") as file:
        file.write("Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),"
                   "DymSMem (MB),Bytes (MB),Throughput (MBps),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name\n")
        for i in range(count):
            stream = i if kind == "csv-streams" else 7
            name = f'"{name_of(i)}"' if kind == "csv-kernels" else "flash_fwd_kernel"
            file.write(f"{100000 * i},50000,{i},1,1,1,1,1,1,8,0.0,0.0,,,,,NVIDIA H100 (0),1,{stream},{name}\n")


def ranges(count, out):
    base = sqlite3.connect(out)
    base.executescript("""
        CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,
          contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
          demangledName INTEGER, shortName INTEGER);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER,
          correlationId INTEGER, nameId INTEGER);
        CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,
          textId INTEGER, globalTid INTEGER);
    """)
    base.executemany("INSERT INTO StringIds VALUES (?, ?)",
                     [(1, "flash_fwd_kernel"), (2, "cudaLaunchKernel_v7000")])
    pid, tid = 1 << 24, (1 << 24) + 1
    base.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,0,1,7,?,?,1,1)",
                     ((100000 * i + 20000, 100000 * i + 70000, i + 1, pid) for i in range(count)))
    base.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,2)",
                     ((100000 * i + 10000, 100000 * i + 15000, tid, i + 1) for i in range(count)))
    base.executemany("INSERT INTO NVTX_EVENTS VALUES (?,?,59,?,NULL,?)",
                     ((100000 * i, 100000 * i + 90000, annotation_of(i), tid) for i in range(count)))
    base.commit()


def main():
    kind, count, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    if kind == "ranges":
        ranges(count, out)
    elif kind.startswith("csv-"):
        csv(kind, count, out)
    else:
        kineto(kind, count, out)


main()
