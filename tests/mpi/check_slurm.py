#!/usr/bin/env python3
"""kr-mpi under a Slurm of one node, which the test starts and stops: the batch scripts of docs/scale.md with two processes write
the bytes of one process; a broken file; srun that is not told how processes find each other; a process that is killed, and
a job that is cancelled. Exit status 77 (skipped) where Slurm is missing or cannot start, and says why.

    tools/setup slurm; KR=build/tools/kr/kr tests/mpi/check_slurm.py
"""
import difflib
import gzip
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import check_mpi
from check_mpi import MPI, expect
from one_node_slurm import OneNodeSlurm, Unavailable

TOP = pathlib.Path(__file__).resolve().parents[2]
RANKS = 6
ON_ONE_NODE = ("--nodes=1", "--ntasks-per-node=2")
FOLDER_OF_DOCS = "/scratch/run"


def batch_scripts():
    """Those of the page, as they are but for the folder of the traces."""
    found = re.findall(r"^```sh\n(#!/bin/bash\n.*?)^```$", (TOP / "docs/scale.md").read_text(), re.M | re.S)
    expect(len(found) == 2, "batch scripts in docs/scale.md", len(found))
    return [text.replace(FOLDER_OF_DOCS, os.getcwd()) for text in found]


def run_batch(slurm, script):
    """Its status, standard output and messages."""
    pathlib.Path("batch.sh").write_text(script)
    # --wait would look every ten seconds.
    done = slurm.run("sbatch", "--parsable", *ON_ONE_NODE, "--output=batch.out", "--error=batch.err", "batch.sh")
    job, end = done.stdout.decode().strip(), time.monotonic() + 120
    state = ""
    while not re.search(r"JobState=(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL)", state) and time.monotonic() < end:
        time.sleep(0.2)
        state = slurm.run("scontrol", "show", "job", job).stdout.decode()
    status = re.search(r" ExitCode=(\d+):0", state)
    return int(status[1]) if status else state, pathlib.Path("batch.out").read_bytes(), pathlib.Path("batch.err").read_text()


def check_batch(slurm, traces):
    words = ("report", *traces, "--save", f"{os.getcwd()}/job.krun", "--keep-going")
    one = slurm.run(MPI, *words)
    expect(one.returncode == 0 and one.stdout, one.stderr)
    whole = pathlib.Path("job.krun").read_bytes()
    for script in batch_scripts():
        expect(f"kr-mpi report {os.getcwd()}/rank*.json.gz --save {os.getcwd()}/job.krun --keep-going" in script, script)
        os.remove("job.krun")
        status, output, messages = run_batch(slurm, script)
        lines = [*difflib.unified_diff(one.stdout.decode().splitlines(), output.decode().splitlines(), n=0, lineterm="")]
        expect(status == 0 and not lines, "other results of", script, status, messages, *lines[:9])
        expect(os.path.exists("job.krun") and pathlib.Path("job.krun").read_bytes() == whole, "other bytes of", script)
        # A file that is cut off.
        os.remove("job.krun")
        pathlib.Path("rank_broken.json.gz").write_bytes(pathlib.Path(traces[0]).read_bytes()[:900])
        status, _, messages = run_batch(slurm, script)
        os.remove("rank_broken.json.gz")
        expect(status == 1 and "rank_broken.json.gz: " in messages, script, status, messages)
        expect(f"the results lack 1 of {RANKS + 1} files" in messages, script, messages)
        expect(os.path.exists("job.krun") and pathlib.Path("job.krun").read_bytes() == whole, "without the broken file")
    os.remove("job.krun")


def check_srun(slurm, traces):
    """Without --mpi, processes do not know each other."""
    for count in (1, 2):
        done = slurm.run("srun", "--mpi=none", "-n", count, MPI, "report", *traces, "--save", "job.krun")
        message = done.stderr.decode()
        # OpenMPI ends the processes itself.
        expect(done.returncode != 0 and not os.path.exists("job.krun"), count, done.returncode, message)
        expect(message.count("use srun --mpi=pmix") == 1, count, message)


def begin_step(slurm, traces):
    """A step of two processes, of which one waits for a file that never ends."""
    step = slurm.begin("srun", "--mpi=pmix", "-n", 2, MPI, "report", "waits.json", *traces, "--save", "job.krun", "-o", "job.json")
    end = time.monotonic() + 60
    while len(slurm.processes()) < 2 and time.monotonic() < end:
        time.sleep(0.1)
    writer = os.open("waits.json", os.O_RDWR)
    time.sleep(2)
    return step, writer


def expect_nothing(slurm, what):
    end = time.monotonic() + 30
    while not slurm.is_idle() and time.monotonic() < end:
        time.sleep(0.1)
    expect(slurm.is_idle(), what, "the job goes on")
    expect(not os.path.exists("job.krun") and not os.path.exists("job.json"), what, "half-written file")


def check_ended(slurm, traces):
    os.mkfifo("waits.json")
    for number in (0, 1):
        step, writer = begin_step(slurm, traces)
        os.kill(slurm.processes()[number], signal.SIGKILL)
        _, message = step.communicate(timeout=60)
        os.close(writer)
        expect(step.returncode not in (0, 1), number, step.returncode, message)
        expect(f"task {number}: Killed".encode() in message, number, message)
        expect_nothing(slurm, f"process {number} is killed:")
    expect(list(pathlib.Path().glob("job.*.part")) and list(pathlib.Path("tmp").iterdir()), "nothing is left over")

    step, writer = begin_step(slurm, traces)
    job = slurm.run("squeue", "--noheader", "--format=%i").stdout.decode().split()
    expect(len(job) == 1, "jobs", job)
    slurm.run("scancel", *job)
    _, message = step.communicate(timeout=60)
    os.close(writer)
    expect(step.returncode != 0, step.returncode, message)
    for number in (0, 1):
        expect(f"kr-mpi: process {number} of 2 was ended by SIGTERM".encode() in message, number, message)
    expect_nothing(slurm, "the job is cancelled:")
    os.remove("waits.json")

    # The next run removes what killed ones left.
    done = slurm.run("srun", "--mpi=pmix", "-n", 2, MPI, "report", *traces, "--save", "job.krun", "-o", "job.json")
    expect(done.returncode == 0, done.stderr)
    left = [*pathlib.Path().glob("job.*.part"), *pathlib.Path("tmp").glob("kr-*")]
    expect(not left, "left over", left)


def check(folder):
    os.chdir(folder)
    os.mkdir("tmp")
    environment = dict(check_mpi.ENVIRONMENT, TMPDIR=f"{folder}/tmp", PATH=f"{pathlib.Path(MPI).parent}:{os.environ['PATH']}")
    with OneNodeSlurm(f"{folder}/slurm", environment) as slurm:
        subprocess.run([sys.executable, TOP / "tests/bench/make_ranks.py", str(RANKS), "400", "."], check=True)
        traces = []
        for path in sorted(pathlib.Path().glob("rank*.json")):
            traces.append(f"{os.getcwd()}/{path}.gz")
            pathlib.Path(traces[-1]).write_bytes(gzip.compress(path.read_bytes(), mtime=0))
            path.unlink()
        check_batch(slurm, traces)
        check_srun(slurm, traces)
        check_ended(slurm, traces)


def main():
    if not os.path.exists(MPI):
        print("skipped: no kr-mpi")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # munged asks for it
        try:
            check(folder)
        except Unavailable as why:
            print(f"skipped: {why}")
            return 77
        finally:
            os.chdir("/")
    for failure in check_mpi.failures:
        print(failure)
    return 1 if check_mpi.failures else 0


if __name__ == "__main__":
    sys.exit(main())
