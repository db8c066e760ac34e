"""Small nsys exports: of kernels, copies, a set, a CUDA graph as a whole, calls and NVTX ranges; of sampled GPU metrics."""
import sqlite3
import struct

SCHEMA = """
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'norm<int, 4>'), (3, 'cudaLaunchKernel_v7000'),
  (4, 'cudaMemcpyAsync_v3020'), (5, 'cudaGraphLaunch_v10000');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, streamId INT,
  demangledName INT, correlationId INT, globalPid INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT,
  blockZ INT, registersPerThread INT, staticSharedMemory INT, dynamicSharedMemory INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, contextId INT, streamId INT,
  correlationId INT, globalPid INT, bytes INT, copyKind INT, srcKind INT, dstKind INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INT, end INT, deviceId INT, correlationId INT, globalPid INT, bytes INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INT, end INT, deviceId INT, correlationId INT, globalPid INT,
  graphId INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT);
CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, globalTid INT, text TEXT);
"""

NCCL = """
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringIds VALUES (1, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL'), (2, 'cudaLaunchKernel_v7000');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, demangledName INT,
  correlationId INT, globalPid INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, globalTid INT, correlationId INT, nameId INT);
CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, globalTid INT, text TEXT, domainId INT, binaryData TEXT);
CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INT, schemaId INT, idx INT, type INT, name TEXT, offset INT);
INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1, 16777221, 0, 18, 'NCCL communicator ID', NULL),
  (1, 16777221, 1, 22, 'Message size [bytes]', 8);
"""


def write_nccl(path):
    """An allreduce of 4 KiB, with the payload of its call."""
    path.unlink(missing_ok=True)
    process = 1 << 56 | 77 << 24
    database = sqlite3.connect(path)
    database.executescript(NCCL)
    database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 1500, 0, 7, 1, 1, ?)", (process,))
    database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (110, 120, ?, 1, 2)", (process + 1,))
    database.execute("INSERT INTO NVTX_EVENTS VALUES (100, 200, 59, ?, 'ncclAllReduce', 1, ?)",
                     (process + 1, struct.pack("<6Q", 1, 16777221, 16, 48, 0xc0ffee00d15ea5e5, 4096)))
    database.commit()
    database.close()


def write(path):
    path.unlink(missing_ok=True)
    process = 1 << 56 | 77 << 24
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    for number, (name, grid) in enumerate([(1, 4), (1, 8), (2, 1), (2, 1)], 1):
        start = 1000 * number
        database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, ?, ?, ?, 1, 1, 128, 1, 1, "
                         "32, 1024, 0)", (start, start + 100 * number, name, number, process, grid))
    database.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?, ?, 0, 1, 7, ?, ?, ?, ?, 1, 2)", [
        (6000, 6400, 5, process, 4096, 1), (6500, 6600, 6, process, 16, 2)])
    database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (6700, 6710, 0, 7, ?, 512)", (process,))
    database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (8000, 9000, 0, 8, ?, 3)", (process,))
    database.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, ?)", [
        (100 * correlation, 100 * correlation + 10 * correlation, process + 1, correlation, name)
        for correlation, name in [(1, 3), (2, 3), (3, 3), (5, 4), (6, 4), (8, 5)]])
    database.executemany("INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, ?, ?)", [
        (50, 700, 59, process + 1, "step"), (150, 260, 59, process + 1, "layer"), (280, 900, 60, process + 1, "load")])
    database.commit()
    database.close()


METRICS_SCHEMA = """
CREATE TABLE TARGET_INFO_GPU (id INT, name TEXT, cuDevice INT);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'GPU', 0);
CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INT, sourceId INT, typeName TEXT, metricId INT, metricName TEXT);
CREATE TABLE GPU_METRICS (timestamp INT, typeId INT, metricId INT, value INT);
"""
METRICS = {2: "GPC Clock Frequency [MHz]", 5: "SMs Active [Throughput %]", 9: "Power [W]"}


def write_metrics(path):
    """Two steps of a kernel each, and a sample of each metric every 100 µs; the clock and power change between."""
    path.unlink(missing_ok=True)
    process, us, sampled = 77 << 24, 1000, 0x41 << 48
    database = sqlite3.connect(path)
    database.executescript(SCHEMA + METRICS_SCHEMA)
    for step in (0, 1):
        call, start = 30 * step + 5, 2000 * step + 100
        database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, 3)", (call, call + 5, process + 1, step))
        database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, ?, ?, 4, 1, 1, 128, 1, 1, 32, 0, 0)",
                         (start * us, (start + 1500) * us, step + 1, step, process))
        database.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, ?)",
                         (call - 2, call + 10, process + 1, f"step[DECODE {step}]"))
    database.executemany("INSERT INTO TARGET_INFO_GPU_METRICS VALUES (?, 1, 'GPU Metrics', ?, ?)",
                         [(sampled, metric, name) for metric, name in METRICS.items()])
    database.executemany("INSERT INTO GPU_METRICS VALUES (?, ?, ?, ?)", [
        (at * us, sampled, metric, value) for at in range(0, 4000, 100)
        for metric, value in [(2, 1_980_000_000 if at < 1000 else 1_410_000_000), (5, 80), (9, 600 if at < 2000 else 450)]])
    database.commit()
    database.close()
