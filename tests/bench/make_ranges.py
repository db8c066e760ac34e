#!/usr/bin/env python3
"""Writes an nsys SQLite export for measuring what the host trace costs: ROWS kernels, ROWS NVTX ranges (steps,
layers in them, operators in these; on two threads) and twice as many calls of the runtime.

    tests/bench/make_ranges.py ROWS FILE [--texts distinct] [--ranges N] [--calls N]

Memory is a slope: two files that differ in one of the three numbers.

With `--texts distinct` each operator has a text of its own, as torch.autograd.profiler.emit_nvtx writes them;
else there are 500 registered strings.
"""
import argparse
import pathlib
import sqlite3

# The columns in the order of nsys 2025: those that kr does not read cost time, too.
SCHEMA = """
pragma journal_mode = off; pragma synchronous = off;
create table StringIds (id integer primary key, value text not null);
create table TARGET_INFO_GPU (id integer, name text, cuDevice integer);
insert into TARGET_INFO_GPU values (0, 'NVIDIA H100 80GB HBM3', 0);
create table CUPTI_ACTIVITY_KIND_KERNEL (start integer not null, end integer not null, deviceId integer not null,
  contextId integer not null, streamId integer not null, correlationId integer, globalPid integer,
  demangledName integer not null, shortName integer not null, mangledName integer, gridX integer, gridY integer,
  gridZ integer, blockX integer, blockY integer, blockZ integer);
create table CUPTI_ACTIVITY_KIND_RUNTIME (start integer not null, end integer not null, eventClass integer not null,
  globalTid integer, correlationId integer, nameId integer not null, returnValue integer not null,
  callchainId integer);
create table NVTX_EVENTS (start integer not null, end integer, eventType integer not null, rangeId integer,
  category integer, color integer, text text, globalTid integer, endGlobalTid integer, textId integer,
  domainId integer, uint64Value integer, int64Value integer, doubleValue real, uint32Value integer,
  int32Value integer, floatValue real, jsonTextId integer, jsonText text, binaryData text);
"""
PROCESS = 77 << 24
ROW_NS = 10_000
NUMBERS = "with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < {})"


def write(rows, path, distinct, ranges, calls):
    pathlib.Path(path).unlink(missing_ok=True)
    base = sqlite3.connect(path)
    base.executescript(SCHEMA)
    base.executemany("insert into StringIds values (?, ?)",
                     [(1, "cudaLaunchKernel_v7000"), (2, "cudaEventRecord_v3020"),
                      *((10 + i, f"void kernel_{i}<float>(float const*, int)") for i in range(90)),
                      *((100 + i, f"aten::op_{i}") for i in range(500))])
    thread = f"{PROCESS} + 5 + i / 1000 % 2"
    base.execute(f"{NUMBERS.format(rows)} insert into CUPTI_ACTIVITY_KIND_KERNEL select i * {ROW_NS} + 6000, "
                 f"i * {ROW_NS} + 9000, 0, 1, 7, 2 * i, {PROCESS}, 10 + i % 90, 10, 10, 1, 1, 1, 32, 1, 1 from n")
    base.execute(f"{NUMBERS.format(calls)} insert into CUPTI_ACTIVITY_KIND_RUNTIME select "
                 f"i * {ROW_NS // 2} + 500, i * {ROW_NS // 2} + 3000, 0, {PROCESS} + 5 + i / 2000 % 2, i, "
                 "1 + i % 2, 0, null from n")
    text = "case when i % 1000 = 0 then 'decode_' || (i / 1000) "
    text += "else 'aten::op_' || (i % 500) || ', op_id = ' || i end" if distinct else "end"
    base.execute(f"{NUMBERS.format(ranges)} insert into NVTX_EVENTS select i * {ROW_NS} + case i % 1000 when 0 then 0 "
                 f"else 100 end, i * {ROW_NS} + case when i % 1000 = 0 then {1000 * ROW_NS - 10} when i % 10 = 1 then "
                 f"{8 * ROW_NS} else 9000 end, 59, null, null, null, {text}, {thread}, null, "
                 f"{'null' if distinct else '100 + i % 500'}, 0, null, null, null, null, null, null, null, null, null "
                 "from n")
    base.commit()
    base.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=int)
    parser.add_argument("file")
    parser.add_argument("--texts", choices=("registered", "distinct"), default="registered")
    parser.add_argument("--ranges", type=int)
    parser.add_argument("--calls", type=int)
    options = parser.parse_args()
    write(options.rows, options.file, options.texts == "distinct", options.ranges or options.rows,
          options.calls or 2 * options.rows)


if __name__ == "__main__":
    main()
