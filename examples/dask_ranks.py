#!/usr/bin/env python3
"""The ranks of a job, read by the workers of Dask: one task a file, and the results merged exactly.

    examples/dask_ranks.py FOLDER job.krun [WORKERS]       on this machine; default: 2 workers
    DASK_SCHEDULER=tcp://HOST:8786 examples/dask_ranks.py FOLDER job.krun     on a cluster with a shared file system

The table is that of one process that reads all files. What is sent is names of files: sums go through saved runs, which
are small, in a folder that all workers see.
"""
import os
import pathlib
import sys
import tempfile

import kr


def save_run(trace, folder, engine="vllm"):
    """Of one trace: its sums, as a saved run. Runs on a worker."""
    path = os.path.join(folder, os.path.basename(trace) + ".krun")
    kr.report(trace, rules=kr.Rules.load(engine, "generic"), engine=engine, threads=1).save(path)
    return path


def main():
    from dask.distributed import Client, LocalCluster

    traces = sorted(str(path.resolve()) for path in pathlib.Path(sys.argv[1]).iterdir())
    out = sys.argv[2]
    address = os.environ.get("DASK_SCHEDULER")
    workers = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    cluster = address or LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
    with Client(cluster) as client, tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(out))) as parts:
        kr.merge(client.gather(client.map(save_run, traces, folder=parts)), out)
    if not address:
        cluster.close()
    for row in kr.report(out).tables["labels"].dicts()[:5]:
        print(row)


if __name__ == "__main__":
    main()
