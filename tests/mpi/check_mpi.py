#!/usr/bin/env python3
"""kr-mpi: the same bytes for any number of processes, as kr report --save, kr merge and kr report write them; files that
cannot be read, with and without --keep-going; a process that is killed. Exit status 77 (skipped) without mpirun.

    KR=build/tools/kr/kr tests/mpi/check_mpi.py
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

KR = os.path.abspath(os.environ["KR"])
MPI = str(pathlib.Path(KR).parent / "kr-mpi")
RULES = 'engine e {\n  substage { gemm: "gemm"  comm: "nccl"  misc: otherwise }\n  kind { communication: "nccl" }\n}\n'
RANKS = 7
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl="self,vader,tcp")
failures = []


def expect(holds, *what):
    if not holds:
        failures.append(" ".join(map(str, what)))


def run(*words):
    return subprocess.run([*map(str, words)], capture_output=True, check=False, timeout=300, env=ENVIRONMENT)


def kr_mpi(processes, *words, launcher=()):
    start = ["mpirun", *launcher, "-n", processes] if processes else []
    return run(*start, MPI, "report", *words, "--rules", "e.kr")


def trace(rank):
    """Ranks differ in their length, so that they are handed out in another order than that of the command line."""
    noise, events, now = random.Random(rank), [], 1000
    for number in range(40 * (1 + rank * 3 % 5)):
        name = ("gemm_a", "gemm_b", "ncclAllReduce")[number % 3] if rank != 3 else f"gemm_{number % 5}"
        length = noise.randrange(5, 40)
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": now, "dur": length,
                       "args": {"device": 0, "stream": 7, "correlation": number}})
        now += length + 2
    return json.dumps({"traceEvents": events, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": RANKS}})


def check_same(traces):
    parts = []
    for path in traces:
        parts.append(f"part_{path}.krun")
        done = run(KR, "report", path, "--rules", "e.kr", "--save", parts[-1], "--format", "table")
        expect(done.returncode == 0, done.stderr)
    expect(run(KR, "merge", *parts, "-o", "job.krun").returncode == 0, "kr merge")
    whole = pathlib.Path("job.krun").read_bytes()
    pathlib.Path("expected").mkdir()
    # The name is the same: results tell it.
    os.rename("job.krun", "expected/job.krun")
    formats = "json,csv,html,markdown,jsonl"
    os.chdir("expected")
    expect(run(KR, "report", "job.krun", "--rules", "../e.kr", "--out-dir", "out", "--format", formats).returncode == 0)
    os.chdir("..")
    expected = {path.name: path.read_bytes() for path in pathlib.Path("expected/out").iterdir()}
    expect(len(expected) == 5, sorted(expected))
    # 0: without mpirun. The last: where the counter is changed by messages, as between nodes.
    for processes, launcher in ((0, ()), (1, ()), (2, ()), (3, ()), (5, ()), (3, ("--mca", "osc", "pt2pt"))):
        shutil.rmtree("out", ignore_errors=True)
        done = kr_mpi(processes, *reversed(traces), "--save", "job.krun", "--format", formats, "--out-dir", "out",
                      launcher=launcher)
        expect(done.returncode == 0, processes, done.stderr)
        expect(pathlib.Path("job.krun").read_bytes() == whole, "other bytes of", processes)
        found = {path.name: path.read_bytes() for path in pathlib.Path("out").iterdir()}
        expect(found == expected, "other results of", processes)
        # Not saved, it is called by the same name.
        if processes in (0, 3):
            shutil.rmtree("out")
            done = kr_mpi(processes, *traces, "--format", formats, "--out-dir", "out")
            expect({path.name: path.read_bytes() for path in pathlib.Path("out").iterdir()} == expected, processes)
    mixed = [*parts[:3], *traces[3:]]
    expect(kr_mpi(2, *mixed, "--save", "job.krun", "--format", "table").returncode == 0, "saved runs and traces")
    expect(pathlib.Path("job.krun").read_bytes() == whole, "saved runs and traces")


def refused(status, words, *texts, processes=(0, 3)):
    for count in processes:
        for path in ("x.krun", "x.json"):
            pathlib.Path(path).unlink(missing_ok=True)
        done = kr_mpi(count, *words, "--save", "x.krun", "-o", "x.json")
        message = done.stderr.decode()
        expect(done.returncode == status and all(text in message for text in texts), words, count, done.returncode, message)
        written = [pathlib.Path(path).exists() for path in ("x.krun", "x.json")]
        expect(written == [status == 1] * 2, words, count, written)


def check_refused(traces):
    pathlib.Path("broken.json").write_text(trace(1)[:900])
    bad = [*traces[:3], "broken.json", *traces[3:]]
    refused(2, bad, "broken.json", "nothing was written; --keep-going")
    refused(1, [*bad, "--keep-going"], "broken.json", "the results lack 1 of 8 files")
    done = run(KR, "report", "x.krun", "--rules", "e.kr", "--format", "json", "--tables", "labels")
    expect(done.returncode == 0 and len(json.loads(done.stdout)["runs"]) == RANKS, "the other runs", done.stderr)
    refused(2, ["broken.json", "--keep-going"], "no file could be read")
    refused(2, [*traces, "missing.json"], "missing.json")
    pathlib.Path("empty").mkdir()
    refused(2, [*traces, "empty"], "empty: ")
    refused(2, [*traces, traces[2]], f"{traces[2]}: is the same file as {traces[2]}", "name each file once")
    shutil.copy(traces[2], "copy.json")
    refused(2, [*traces, "copy.json"], f"copy.json: contains the same run as {traces[2]}")
    refused(1, [*traces, "copy.json", "--keep-going"], f"copy.json: contains the same run as {traces[2]}")
    refused(2, [], "no run given", "kr-mpi report")
    refused(2, ["-"], "standard input")
    refused(2, [*traces, "--tables", "operations"], "needs the operations of all runs at once")
    refused(2, [*traces, "--by", "nothing"], "nothing")
    pathlib.Path("other.kr").write_text(RULES.replace("gemm:", "matmul:"))
    run(KR, "report", traces[6], "--rules", "other.kr", "--save", "other.krun", "--format", "table")
    refused(2, [*traces[:6], "other.krun"], "other.krun: was labelled by other rules than")
    done = kr_mpi(2, *traces, "--save", "x.json")
    expect(done.returncode == 2 and b"x.json: is not the name of a saved run" in done.stderr, done.stderr)


def children(process):
    found = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, check=False, text=True).stdout.split()
    return [int(one) for one in found]


def check_killed(traces):
    """A FIFO is a file that is never done, so all processes are at work when one is killed."""
    os.mkfifo("waits.json")
    for number in (0, 1, 2):
        job = subprocess.Popen(["mpirun", "-n", "3", MPI, "report", "waits.json", *traces, "--rules", "e.kr", "--save",
                                "killed.krun", "-o", "killed.json"], stderr=subprocess.PIPE, env=ENVIRONMENT)
        end = time.monotonic() + 60
        while len(children(job.pid)) < 3 and time.monotonic() < end:
            time.sleep(0.05)
        writer = os.open("waits.json", os.O_RDWR)
        time.sleep(1)
        workers = sorted(children(job.pid))
        os.kill(workers[number], signal.SIGKILL)
        _, message = job.communicate(timeout=60)
        os.close(writer)
        expect(job.returncode != 0 and b"signal 9" in message, number, job.returncode, message)
        expect(b"was ended by SIG" in message, number, message)
        expect(not pathlib.Path("killed.krun").exists() and not pathlib.Path("killed.json").exists(), "half-written file")


def main():
    if shutil.which("mpirun") is None or not os.path.exists(MPI):
        print("skipped: no mpirun")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("e.kr").write_text(RULES)
        traces = []
        for rank in range(RANKS):
            traces.append(f"rank{rank}.json")
            pathlib.Path(traces[-1]).write_text(trace(rank))
        check_same(traces)
        check_refused(traces)
        check_killed(traces)
        os.chdir("/")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
