#!/usr/bin/env python3
"""An nsys export with many kernels and many samples of GPU metrics, for measuring.

    make_gpu_metrics.py FILE [--kernels N] [--samples N]
"""
import argparse
import os
import random
import sqlite3

METRICS = 20
TYPE = 0x41 << 48


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--kernels", type=int, default=1_000_000)
    parser.add_argument("--samples", type=int, default=10_000_000)
    options = parser.parse_args()
    if os.path.exists(options.file):
        os.remove(options.file)
    base = sqlite3.connect(options.file)
    base.executescript("""
PRAGMA synchronous = OFF;
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, streamId INT, demangledName INT);
CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INT, metricId INT, metricName TEXT);
CREATE TABLE GPU_METRICS (timestamp INT, typeId INT, metricId INT, value INT);
""")
    random.seed(1)
    base.executemany("INSERT INTO StringIds VALUES (?, ?)", [(i, f"kernel_{i}_gemm") for i in range(200)])

    def kernels():
        now = 0
        for i in range(options.kernels):
            length = random.randrange(2_000, 40_000)
            yield now, now + length, i * 7 % 200
            now += length + random.randrange(-500, 1_500)

    base.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 7, ?)", kernels())
    span = base.execute("SELECT max(end) FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()[0]
    times = options.samples // METRICS
    period = max(1, span // times)
    base.executemany("INSERT INTO TARGET_INFO_GPU_METRICS VALUES (?, ?, ?)",
                     [(TYPE, i, f"{'SMs Active' if i == 0 else f'Metric {i}'} [Throughput %]") for i in range(METRICS)])
    base.executemany("INSERT INTO GPU_METRICS VALUES (?, ?, ?, ?)",
                     ((t * period, TYPE, i, (t * 31 + i * 17) % 101) for t in range(times) for i in range(METRICS)))
    base.commit()


if __name__ == "__main__":
    main()
