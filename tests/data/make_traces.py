#!/usr/bin/env python3
"""Writes traces of an invented session, in every form of nsys.

    make_traces.py FOLDER                      every dialect of CSV and SQLite, and folders of CUPTI
                                               activity, small, and for each FILE its expected
                                               content as FILE.expected
    make_traces.py --csv FILE --rows N         a large CSV (210 bytes a row)
    make_traces.py --sqlite FILE --rows N      a large SQLite export
    make_traces.py --kineto FILE --rows N      a large PyTorch trace: N times 54 MB, the events of
                                               --like TRACE.json.gz repeated, each time later,
                                               or of an invented session

The same arguments give the same bytes. An .expected file has one line per operation, in order:
start, duration, kind, device name, (device), stream, name.
"""
import argparse
import gzip
import io
import itertools
import json
import os
import random
import re
import sqlite3

KERNELS = [
    ("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn", 182_000),
    ("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x64_32x4_tn_align8>"
     "(T1::Params)", 96_000),
    ("void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<(int)128, (int)64, (int)128, "
     "(int)4, (bool)0, (bool)0, cutlass::bfloat16_t, Flash_kernel_traits<(int)128, (int)64, "
     "(int)128, (int)4, cutlass::bfloat16_t>>, (bool)1, (bool)0, (bool)0, (bool)0, (bool)1, "
     "(bool)1, (bool)0>(flash::Flash_fwd_params)", 41_000),
    ("void vllm::rms_norm_kernel<c10::BFloat16>(T1 *, const T1 *, const T1 *, float, int, int)",
     6_900),
    ("void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16, "
     "(vllm::Fp8KVCacheDataType)0>(const T1 *, const T1 *, T2 *, T2 *, const long *, long, long, "
     "long, long, int, int, int, const float *, const float *)", 4_100),
    ("void vllm::act_and_mul_kernel<c10::BFloat16, &vllm::silu_kernel<c10::BFloat16>, (bool)1>"
     "(T1 *, const T1 *, int)", 9_800),
    ("void vllm::rotary_embedding_kernel<c10::BFloat16, (bool)1>(const long *, T1 *, T1 *, "
     "const T1 *, int, long, long, int, int, int)", 5_200),
    ("triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_2", 7_700),
    ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)",
     58_000),
    ("void at::native::elementwise_kernel<(int)128, (int)4, void at::native::gpu_kernel_impl_nocast"
     "<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase &)::[lambda() (instance 3)]"
     "::operator ()() const>(at::TensorIteratorBase &, const T1 &)::[lambda(int) (instance 1)]>"
     "(int, T3)", 3_300),
    ("void at::native::vectorized_elementwise_kernel<(int)4, at::native::FillFunctor<int>, "
     "std::array<char *, (unsigned long)1>>(int, T2, T3)", 1_900),
    ("topk_stage_1", 12_000),
]
ODD_KERNELS = [
    'kernel "quoted", with a comma',
    "two\nlines, and a return\r\nhere",
    "naïve_größe_核",
    "=cmd|'/c calc'!A0",
    "<script>alert(1)</script>",
    '"',
    "None",
]
COPIES = {1: ("HtoD", "Host-to-Device"), 2: ("DtoH", "Device-to-Host"),
          8: ("DtoD", "Device-to-Device"), 10: ("PtoP", "Peer-to-Peer")}
UNIFIED = {11: ("HtoD", "Host-to-Device"), 12: ("DtoH", "Device-to-Host")}
DEVICES = ["NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-40GB"]


def session(rows, seed=1, odd=True):
    """(start_ns, duration_ns, kind, device, stream, name or copy kind), by start."""
    rng = random.Random(seed)
    now = 1_734_112_345
    free = [0] * len(DEVICES)
    for i in range(rows):
        now += rng.randrange(200, 9_000)
        device = rng.choice((0, 0, 1, 2))
        start = max(now, free[device]) if rng.random() < 0.9 else now
        pick = rng.random()
        if odd and pick < 0.05:
            event = ("kernel", rng.choice(ODD_KERNELS), rng.randrange(1, 5_000))
        elif pick < 0.93:
            name, mean = rng.choice(KERNELS)
            event = ("kernel", name, max(1, int(mean * rng.uniform(0.6, 1.6)) // 32 * 32))
        elif pick < 0.98:
            kind = rng.choice(list(COPIES) + (list(UNIFIED) if odd else []))
            event = ("memcpy", kind, rng.randrange(800, 400_000))
        else:
            event = ("memset", 0, rng.randrange(600, 3_000))
        kind, what, duration = event
        free[device] = start + duration
        now = max(now, start)
        yield (start, duration, kind, device, 7 if kind == "kernel" else 13, what)


def spelled(kind, what, long_form):
    if kind == "kernel":
        return what
    if kind == "memset":
        return "[CUDA memset]"
    if what in UNIFIED:
        short, label = UNIFIED[what]
        return f"[CUDA memcpy Unified {label}]" if long_form else f"[CUDA Unified Memory memcpy {short}]"
    short, label = COPIES[what]
    return f"[CUDA memcpy {label if long_form else short}]"


def expected(path, events, long_form=True, rounding=1, device_names=None, streams=True):
    names = device_names or DEVICES
    lines = []
    for start, duration, kind, device, stream, what in events:
        round_to = lambda ns: (ns + rounding // 2) // rounding * rounding
        lines.append((round_to(start), -round_to(duration), spelled(kind, what, long_form).encode(),
                      ("kernel", "memcpy", "memset").index(kind), device, stream if streams else 0,
                      kind))
    lines.sort()
    with open(path + ".expected", "wb") as out:
        for start, duration, name, _, device, stream, kind in lines:
            out.write(f"{start} {-duration} {kind} {names[device]} ({device}) {stream} ".encode()
                      + name + b"\n")


def quote(text, always=False):
    if always or any(c in text for c in ',"\n\r'):
        return '"' + text.replace('"', '""') + '"'
    return text


class Dialect:
    def __init__(self, green=True, none=False, long_form=True, unit="ns", speed="MB/s", newline="\n",
                 bom=b"", space=" ", quote_all=False, last_newline=True):
        self.__dict__.update(locals())

    def header(self):
        unit = f"{self.space}({self.unit})"
        columns = [f"Start{unit}", f"Duration{unit}", "CorrId", "GrdX", "GrdY", "GrdZ", "BlkX",
                   "BlkY", "BlkZ", "Reg/Trd", "StcSMem (MB)", "DymSMem (MB)", "Bytes (MB)",
                   f"Throughput ({self.speed})", "SrcMemKd", "DstMemKd", "Device", "Ctx"]
        return columns + (["GreenCtx"] if self.green else []) + ["Strm", "Name"]

    def time(self, ns):
        if self.unit in ("ns", "nsec"):
            return str(ns)
        if self.unit in ("us", "usec"):
            return f"{ns // 1000}.{ns % 1000:03d}"
        tenths = (ns + 50) // 100
        return f"{tenths // 10000}.{tenths % 10000:04d}"

    def row(self, number, event):
        start, duration, kind, device, stream, what = event
        empty = "None" if self.none else ""
        cells = [self.time(start), self.time(duration), str(1000 + number)]
        if kind == "kernel":
            cells += ["132", "1", "1", "256", "1", "1", "64", "0.049", "0.000"]
            cells += [empty, "", empty, empty]
        else:
            cells += [empty] * 9 + ["4.194", "5532.287", "Pageable", "Device"]
        cells += [f"{DEVICES[device]} ({device})", "1"] + ([""] if self.green else [])
        cells += [str(stream), spelled(kind, what, self.long_form)]
        return ",".join(quote(c, self.quote_all) for c in cells)

    def text(self, events):
        lines = [",".join(quote(c, self.quote_all) for c in self.header())]
        lines += [self.row(i, event) for i, event in enumerate(events)]
        text = self.newline.join(lines) + (self.newline if self.last_newline else "")
        return self.bom + text.encode()


PREAMBLE = ("NOTICE: Existing SQLite export found: run.sqlite\n"
            "        It is assumed file was previously exported from: run.nsys-rep\n"
            "        Consider using --force-export=true if needed.\n\n"
            "Processing [run.sqlite] with [/opt/nsight/reports/cuda_gpu_trace.py]... \n")
API_SUM = ("Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
           "83.1,4799,36,133.3,120.0,90,310,31.2,cudaLaunchKernel\n"
           "16.9,981,3,327.0,310.0,300,371,38.6,\"cuda \"\"odd\"\", call\"\n")
DIALECTS = {
    "gputrace.2022": Dialect(green=False, none=True, long_form=False, speed="MBps"),
    "gputrace.2023": Dialect(green=False),
    "trace.2023": Dialect(),
    "trace.nsec": Dialect(unit="nsec", space=""),
    "trace.us": Dialect(unit="us"),
    "trace.ms": Dialect(unit="ms"),
    "trace.windows": Dialect(newline="\r\n", bom=b"\xef\xbb\xbf"),
    "trace.quoted": Dialect(quote_all=True),
    "trace.no-newline": Dialect(last_newline=False),
}


def write(path, data):
    with open(path, "wb") as out:
        out.write(data)


def write_csvs(folder, events):
    def put(name, data, **kind):
        path = os.path.join(folder, name + ".csv")
        write(path, data)
        expected(path, events, **kind)

    for name, dialect in DIALECTS.items():
        put(name, dialect.text(events), long_form=dialect.long_form,
            rounding=100 if dialect.unit == "ms" else 1)
    plain = DIALECTS["trace.2023"].text(events)
    put("trace.console", PREAMBLE.encode() + plain + b"\n")
    put("trace.other-reports", PREAMBLE.encode() + API_SUM.encode() + b"\n" + PREAMBLE.encode() +
        plain + b"\n" + PREAMBLE.encode() + API_SUM.encode() + b"\n")
    half = len(events) // 2
    put("trace.twice", PREAMBLE.encode() + DIALECTS["trace.2023"].text(events[:half]) + b"\n" +
        PREAMBLE.encode() + DIALECTS["trace.us"].text(events[half:]) + b"\n")
    put("trace.blank-lines", plain.replace(b"[CUDA memset]\n", b"[CUDA memset]\n\n \r\n"))
    shuffled = events[:]
    random.Random(7).shuffle(shuffled)
    put("trace.shuffled", DIALECTS["trace.2023"].text(shuffled))
    put("trace.reordered", reordered(events))
    path = os.path.join(folder, "trace.packed.csv")
    write(path, gzip.compress(plain[:500], mtime=0) + gzip.compress(plain[500:], mtime=0))
    expected(path, events)


def reordered(events):
    """The columns that matter, in another order."""
    lines = ["Name,Strm,Device,Duration (ns),Start (ns)"]
    for start, duration, kind, device, stream, what in events:
        lines.append(f"{quote(spelled(kind, what, True))},{stream},{DEVICES[device]} ({device}),"
                     f"{duration},{start}")
    return ("\n".join(lines) + "\n").encode()


OLD = dict(mangled=False, green=False, enum=False, key=True, gpu=True, text=False, null=True)
SCHEMAS = {
    "2020": dict(OLD),
    "2020-text": dict(OLD, text=True),
    "2022": dict(OLD, mangled=True),
    "2023": dict(OLD, mangled=True, enum=True),
    "2026": dict(OLD, mangled=True, green=True, enum=True, null=False),
    "stripped": dict(OLD, mangled=True, enum=True, gpu=False),
    "no-key": dict(OLD, key=False),
    "wal": dict(OLD, mangled=True, enum=True, wal=True),
}


def write_sqlite(path, events, schema):
    if os.path.exists(path):
        os.remove(path)
    base = sqlite3.connect(path)
    base.execute("PRAGMA synchronous = OFF")
    if schema.get("wal"):
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA wal_autocheckpoint = 0")
    name_type = "TEXT" if schema["text"] else "INTEGER"
    not_null = "" if schema["null"] else " NOT NULL"
    middle = "greenContextId INTEGER, " if schema["green"] else ""
    mangled = f"mangledName {name_type}, " if schema["mangled"] else ""
    place = "start INTEGER NOT NULL, end INTEGER, deviceId INTEGER, contextId INTEGER, " + middle + \
        "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
    base.execute(f"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ({place} demangledName {name_type}{not_null}, "
                 f"shortName {name_type}, {mangled} gridX INTEGER, graphNodeId INTEGER)")
    base.execute(f"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY ({place} bytes INTEGER, copyKind INTEGER)")
    base.execute(f"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET ({place} value INTEGER, bytes INTEGER)")
    key = "INTEGER NOT NULL PRIMARY KEY" if schema["key"] else "INTEGER NOT NULL"
    base.execute(f"CREATE TABLE StringIds (id {key}, value TEXT NOT NULL)")
    if schema["gpu"]:
        base.execute("CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, cuDevice INTEGER)")
        for number, name in enumerate(DEVICES):  # ids and CUDA numbers differ
            base.execute("INSERT INTO TARGET_INFO_GPU VALUES (?, ?, ?)",
                         (len(DEVICES) - 1 - number, name, number))
    if schema["enum"]:
        base.execute("CREATE TABLE ENUM_CUDA_MEMCPY_OPER (id INTEGER PRIMARY KEY, name TEXT, label TEXT)")
        for kind, (short, label) in COPIES.items():
            base.execute("INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES (?, ?, ?)",
                         (kind, f"CUDA_MEMCPY_KIND_{short.upper()}", label))
    strings = {}
    rows = {"kernel": [], "memcpy": [], "memset": []}
    green = (None,) if schema["green"] else ()
    for number, (start, duration, kind, device, stream, what) in enumerate(events):
        head = (start, start + duration, device, 1) + green + (stream, number, 281510913507328)
        if kind == "kernel":
            name = what if schema["text"] else strings.setdefault(what, 70 + 3 * len(strings))
            # If there is a mangled name, some rows have only this name.
            names = (name, name) + ((name,) if schema["mangled"] else ())
            if schema["mangled"] and schema["null"] and number % 5 == 0:
                names = (None, None, name)
            rows[kind].append(head + names + (132, None))
        elif kind == "memcpy":
            rows[kind].append(head + (4096, what))
        else:
            rows[kind].append(head + (0, 4096))
        if len(rows["kernel"]) >= 100_000:
            flush(base, rows)
    flush(base, rows)
    base.executemany("INSERT INTO StringIds VALUES (?, ?)",
                     [(number, text) for text, number in strings.items()])
    base.commit()
    return base


def flush(base, rows):
    for kind, held in rows.items():
        if held:
            marks = ",".join("?" * len(held[0]))
            base.executemany(f"INSERT INTO CUPTI_ACTIVITY_KIND_{kind.upper()} VALUES ({marks})", held)
            held.clear()


def write_sqlites(folder, events):
    for name, schema in SCHEMAS.items():
        path = os.path.join(folder, f"{name}.sqlite")
        base = write_sqlite(path, events, schema)
        if schema.get("wal"):  # as while nsys has it open: the rows are in the log
            copies = {suffix: open(path + suffix, "rb").read() for suffix in ("", "-wal")}
            base.close()
            for suffix, data in copies.items():
                write(path + suffix, data)
        else:
            base.close()
        expected(path, events, device_names=None if schema["gpu"] else ["GPU"] * len(DEVICES))


class Activity:
    """A folder of CUPTI activity: the names of its files and columns."""

    def __init__(self, files, columns, time=str, newline="\n", bom="", packed=False):
        self.__dict__.update(locals())

    def write(self, folder, events):
        os.makedirs(folder, exist_ok=True)
        tables = {kind: [] for kind in self.files}
        for number, (start, duration, kind, device, stream, what) in enumerate(events):
            known = {"start": self.time(start), "end": self.time(start + duration),
                     "dur": self.time(duration), "device": device, "stream": stream,
                     "correlation": number, "copy": what if kind == "memcpy" else "", "number": number,
                     "name": spelled(kind, what, True), "kind": kind,
                     "grid": "132, 1, 1", "block": "(256, 1, 1)", "empty": ""}
            tables[kind].append(known)
            call = {"kernel": "cudaLaunchKernel_v7000", "memcpy": "cudaMemcpyAsync_v3020",
                    "memset": "cudaMemsetAsync_v3020"}[kind]
            tables["runtime"].append(dict(known, start=self.time(start - 9_000), end=self.time(start - 5_000),
                                          dur=self.time(4_000), name=call, device="", stream=""))
        for kind, known_rows in tables.items():
            columns = self.columns[kind] if kind in self.columns else self.columns["kernel"]
            lines = [",".join(quote(title) for title in columns)]
            lines += [",".join(quote(self.cell(what, row)) for what in columns.values()) for row in known_rows]
            data = (self.bom + self.newline.join(lines) + self.newline).encode()
            name = self.files[kind]
            if self.packed:
                data, name = gzip.compress(data, mtime=0), name + ".gz"
            write(os.path.join(folder, name), data)

    @staticmethod
    def cell(what, row):
        if what == "args":
            return json.dumps({"External id": row["number"], "device": row["device"], "stream": row["stream"],
                               "grid": [132, 1, 1], "nested": {"device": 99}, "correlation": row["number"]})
        return str(row.get(what, what))


def microseconds(ns):
    return f"{ns // 1000}.{ns % 1000:03d}"


def files_of(form, kernel="conc_kernel"):
    names = {"kernel": kernel, "memcpy": "gpu_memcpy", "memset": "gpu_memset", "runtime": "cuda_runtime"}
    return {kind: form.format(name) for kind, name in names.items()}


PLAIN = dict(start="start", end="end", name="name", correlation="correlation", device="device", stream="stream",
             grid="grid", block="block")
TITLED = {"Name": "name", "Stream ID": "stream", "Grid": "grid", "Device ID": "device",
          "Correlation ID": "correlation", "Duration": "dur", "Start": "start"}
NSYS_TABLE = {"start": "start", "end": "end", "deviceId": "device", "streamId": "stream",
              "correlationId": "correlation", "globalPid": "281510913507328", "graphNodeId": "empty"}
CHROME = {"ph": "X", "args": "args", "ts": "start", "tid": "stream", "name": "name", "dur": "dur", "pid": "device"}
ACTIVITIES = {
    "cupti.ns": Activity(files_of("{}.csv"), {"kernel": PLAIN}),
    "cupti.us": Activity(files_of("rank0_{}.csv", "kernel"), {"kernel": TITLED}, time=microseconds,
                         newline="\r\n", bom="\ufeff"),
    "cupti.units": Activity(files_of("{}.7.CSV"), {"kernel": {
        "kernel_name": "name", "START_NS": "start", "end [ns]": "end", "corr_id": "correlation", "gpu": "device",
        "streamId": "stream"}, "runtime": {"startNs": "start", "dur (ns)": "dur", "function name": "name",
                                           "correlation_id": "correlation", "tid": "77", "pid": "7"}}),
    "cupti.both": Activity(files_of("cupti_{}.csv"), {"kernel": dict(PLAIN, dur="dur")}, packed=True),
    "cupti.chrome": Activity(files_of("{}.csv"), {"kernel": CHROME}, time=microseconds, newline="\r\n"),
    "cupti.tables": Activity(
        {kind: f"run.CUPTI_ACTIVITY_KIND_{kind.upper()}.csv" for kind in ("kernel", "memcpy", "memset", "runtime")},
        {"kernel": dict(NSYS_TABLE, demangledName="name"), "memcpy": dict(NSYS_TABLE, copyKind="copy"),
         "memset": NSYS_TABLE, "runtime": {"start": "start", "end": "end", "globalTid": "281510913509470",
                                           "correlationId": "correlation", "functionName": "name"}}),
}


def write_activities(folder, events):
    for name, activity in ACTIVITIES.items():
        path = os.path.join(folder, name)
        activity.write(path, events)
        expected(path, events, device_names=[""] * len(DEVICES))
    # A script that writes one file per category leaves a line break if there are no rows.
    write(os.path.join(folder, "cupti.chrome", "kernel.csv"), b"\r\n")


def write_large_csv(path, rows):
    dialect = DIALECTS["trace.2023"]
    with io.open(path, "wb", buffering=1 << 20) as out:
        out.write(dialect.text([]))
        for number, event in enumerate(session(rows, odd=False)):
            out.write(dialect.row(number, event).encode() + b"\n")


def invented_kineto(calls=50_000):
    """A trace with four events per launch, with the members that Kineto writes."""
    events = []
    for number, (name, duration) in zip(range(calls), itertools.cycle(KERNELS)):
        start = 1_669_783_687_000_000 + number * 90
        host = {"ph": "X", "pid": 3301, "tid": 3301}
        events += [
            {**host, "cat": "cpu_op", "name": "aten::mm", "ts": start, "dur": 61,
             "args": {"External id": number, "Ev Idx": number, "Input dims": [[32, 4096], [4096, 4096]],
                      "Input type": ["c10::BFloat16", "c10::BFloat16"]}},
            {**host, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": start + 12, "dur": 8,
             "args": {"External id": number, "cbid": 211, "correlation": number}},
            {"ph": "s", "id": number, "pid": 3301, "tid": 3301, "ts": start + 12, "cat": "ac2g", "name": "ac2g"},
            {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": start + 30, "dur": duration // 1000,
             "args": {"External id": number, "queued": 0, "device": 0, "context": 1, "stream": 7,
                      "correlation": number, "registers per thread": 128, "shared memory": 49152,
                      "blocks per SM": 0.79, "warps per SM": 6.3, "grid": [64, 1, 1], "block": [256, 1, 1],
                      "est. achieved occupancy %": 9}},
            {"ph": "f", "id": number, "pid": 0, "tid": 7, "ts": start + 30, "cat": "ac2g", "name": "ac2g", "bp": "e"},
        ]
    return json.dumps({"schemaVersion": 1, "traceEvents": events}, indent=1)


def write_large_kineto(path, like, copies):
    if like:
        with gzip.open(like, "rt", encoding="utf-8") as file:
            text = file.read()
    else:
        text = invented_kineto()
    # The list of events, without its end: the rest of the file is small.
    begin = text.index("[", text.index('"traceEvents"')) + 1
    end = max(text.rindex("}", 0, text.rindex("]")) + 1, begin)
    # Every second part is a number; each repetition adds to it.
    parts = re.split(r'("(?:ts|correlation)": *)(\d+)', text[begin:end])
    times = [int(value) for key, value in zip(parts[1::3], parts[2::3]) if "ts" in key]
    span = max(times) - min(times) + 1_000
    with open(path, "w", encoding="utf-8", buffering=1 << 20) as out:
        out.write(text[:begin])
        for copy in range(copies):
            if copy:
                out.write(",")
            shifted = list(parts)
            for i in range(1, len(parts), 3):
                by = span if "ts" in parts[i] else 10_000_000
                shifted[i + 1] = str(int(parts[i + 1]) + copy * by)
            out.write("".join(shifted))
        out.write("]}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--csv")
    parser.add_argument("--sqlite")
    parser.add_argument("--kineto")
    parser.add_argument("--like")
    parser.add_argument("--rows", type=int, default=1_000_000)
    options = parser.parse_args()
    if options.csv:
        write_large_csv(options.csv, options.rows)
    if options.sqlite:
        write_sqlite(options.sqlite, session(options.rows, odd=False), SCHEMAS["2026"]).close()
    if options.kineto:
        write_large_kineto(options.kineto, options.like, options.rows)
    if options.folder:
        os.makedirs(options.folder, exist_ok=True)
        events = list(session(400))
        write_csvs(options.folder, events)
        write_sqlites(options.folder, events)
        write_activities(options.folder, events)


if __name__ == "__main__":
    main()
