#!/usr/bin/env python3
"""The baseline for traces of PyTorch: the file is parsed with json, all its events become one pandas data frame, names
and categories become numbers, and kernels are grouped and their intervals merged in data frames. The method is that of
HolisticTraceAnalysis (its kernel breakdown and temporal breakdown); the code is this project's.

    tests/bench/kineto_frames.py TRACE.json[.gz] OUT.csv

Writes the kernels by time, and prints the nanoseconds of kernels, copies and sets added up, and those of the busy GPU.
"""
import gzip
import json
import sys

import pandas

ARGUMENTS = ("stream", "device", "correlation", "External id", "bytes")
GPU_WORK = ("kernel", "gpu_memcpy", "gpu_memset", "memcpy", "memset")


def read(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rb") as file:
        content = json.loads(file.read())
    frame = pandas.DataFrame(content["traceEvents"] if isinstance(content, dict) else content)
    frame = frame[frame["dur"].notna() & frame["cat"].notna()].reset_index(drop=True)
    args = frame.pop("args")
    for one in ARGUMENTS:
        frame[one] = pandas.to_numeric(args.apply(lambda given, key=one: given.get(key, -1) if isinstance(given, dict) else -1),
                                       errors="coerce").fillna(-1).astype("int64")
    # Whole nanoseconds: a double has too few digits for time stamps since 1970.
    first = frame["ts"].min()
    for one, column in (("start", frame["ts"] - first), ("duration", frame["dur"])):
        frame[one] = (column.astype("float64") * 1000).round().astype("int64")
    symbols = {}
    for one in ("cat", "name"):
        for text in frame[one].unique():
            symbols.setdefault(text, len(symbols))
        frame[one] = frame[one].map(symbols).astype("int32")
    return frame, list(symbols)


def kind(name):
    if name.startswith(("Memcpy", "Memset", "Copy", "Fill")):
        return "memory"
    return "communication" if "nccl" in name.lower() else "computation"


def merged(frame):
    """The intervals of a frame without overlaps."""
    frame = frame.sort_values("start", kind="stable")
    ends = (frame["start"] + frame["duration"]).cummax()
    group = (frame["start"] > ends.shift(fill_value=frame["start"].iloc[0])).cumsum()
    return pandas.DataFrame({"start": frame["start"].groupby(group).min(), "end": ends.groupby(group).max()})


def main():
    path, out = sys.argv[1:]
    frame, symbols = read(path)
    work = frame[frame["cat"].isin([i for i, text in enumerate(symbols) if str(text).lower() in GPU_WORK])]
    kinds = work["name"].map({i: kind(symbols[i]) for i in work["name"].unique()})
    sums = work.groupby(["name", kinds.rename("kind")])["duration"].agg(["count", "sum", "min", "max", "mean", "std"]).reset_index()
    sums["name"] = sums["name"].map(dict(enumerate(symbols)))
    sums.sort_values("sum", ascending=False).to_csv(out, index=False)
    busy = 0
    for _, on_device in work.groupby("device"):
        for _, of_kind in on_device.groupby(kinds):
            merged(of_kind)
        intervals = merged(on_device)
        busy += (intervals["end"] - intervals["start"]).sum()
    print(int(work["duration"].sum()), int(busy))


if __name__ == "__main__":
    main()
