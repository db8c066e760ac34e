#!/usr/bin/env python3
"""Writes a large trace for measuring: a cuda_gpu_trace CSV of ROWS rows (about 210 bytes each), or
with --sqlite the same operations as an nsys SQLite export. Two GPUs work in parallel, so nearly every
operation begins before the last one of the other GPU has ended, as in any run with tensor parallelism.

    tests/bench/make_large.py ROWS FILE [--sqlite]
"""
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples"))
from make_examples import (ALL_REDUCE, CACHE, COMBINE, COPY, EMBED, FLASH, FP8_GEMM, HEADER, NCCL,  # noqa: E402
                           NORM, NVJET, QUANT, ROPE, SAMPLE, SILU, SOFTMAX, TOPK)

NAMES = [ALL_REDUCE, CACHE, COMBINE, COPY, EMBED, NCCL, NORM, QUANT, ROPE, SAMPLE, SILU, SOFTMAX, TOPK]
NAMES += [NVJET.format(a, b, c, d) for a in (64, 128, 192, 256) for b in (32, 64, 128) for c in (1, 2)
          for d in ("coopA", "coopB", "splitK")]
NAMES += [FLASH.format(i) for i in range(8)] + [FP8_GEMM.format(i) for i in range(16)]


def operations(rows):
    """(start, duration, name index, device, stream); a fixed sequence of pseudo-random numbers."""
    state, clock = 12345, 1_000_000_000
    for row in range(rows):
        state = (state * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
        duration = 1_500 + (state >> 40) % 30_000
        yield clock, duration, (state >> 20) % len(NAMES), row & 1, 7 + (row & 3)
        clock += duration // 2


def write_csv(rows, path):
    quoted = ['"' + n.replace('"', '""') + '"' if "," in n else n for n in NAMES]
    with open(path, "w", encoding="utf-8") as out:
        out.write(HEADER + "\n")
        lines = []
        for start, duration, name, device, stream in operations(rows):
            lines.append(f"{start},{duration},{start % 1000003},132,1,1,384,1,1,168,0.000,0.213,,,,,"
                         f"NVIDIA H100 80GB HBM3 ({device}),1,,{stream},{quoted[name]}\n")
            if len(lines) == 10000:
                out.write("".join(lines))
                lines.clear()
        out.write("".join(lines))


def write_sqlite(rows, path):
    pathlib.Path(path).unlink(missing_ok=True)
    with sqlite3.connect(path) as db:
        db.execute("pragma journal_mode = off")
        db.execute("create table StringIds (id integer primary key, value text)")
        db.executemany("insert into StringIds values (?, ?)", list(enumerate(NAMES, 100)))
        db.execute("create table TARGET_INFO_GPU (id integer, name text)")
        db.executemany("insert into TARGET_INFO_GPU values (?, 'NVIDIA H100 80GB HBM3')", [(0,), (1,)])
        db.execute("create table CUPTI_ACTIVITY_KIND_KERNEL (start integer not null, end integer not null,"
                   " deviceId integer not null, contextId integer not null, streamId integer not null,"
                   " correlationId integer, globalPid integer, demangledName integer not null,"
                   " shortName integer not null, mangledName integer, gridX integer, gridY integer,"
                   " gridZ integer, blockX integer, blockY integer, blockZ integer)")
        db.executemany("insert into CUPTI_ACTIVITY_KIND_KERNEL values"
                       " (?, ?, ?, 1, ?, ?, 281510913507328, ?, ?, ?, 132, 1, 1, 384, 1, 1)",
                       ((start, start + duration, device, stream, start % 1000003, 100 + name, 100 + name,
                         100 + name) for start, duration, name, device, stream in operations(rows)))


def main():
    arguments = [a for a in sys.argv[1:] if a != "--sqlite"]
    if len(arguments) != 2:
        sys.exit(__doc__)
    (write_sqlite if "--sqlite" in sys.argv else write_csv)(int(arguments[0]), arguments[1])


if __name__ == "__main__":
    main()
