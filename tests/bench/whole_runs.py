#!/usr/bin/env python3
"""Complete runs of kr and of their baselines, alternating: wall and CPU seconds and peak memory (ru_maxrss),
each a median with its range, and the ratio baseline / kr.

    KR=build/tools/kr/kr tests/bench/whole_runs.py [--rows 1000000] [--runs 5] [--no-pandas] [--large]
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TABLES = HERE.parent / "data" / "gputrc2graph_tables.json"


class Result:
    def __init__(self, runs):
        self.wall, self.cpu, self.peak = ([run[i] for run in runs] for i in range(3))

    def line(self, title):
        wall, cpu, peak = (statistics.median(v) for v in (self.wall, self.cpu, self.peak))
        return (f"{title:<34} {wall:9.3f} s ({min(self.wall):.3f}–{max(self.wall):.3f})  "
                f"cpu {cpu:8.3f} s  peak {peak / 1024:7.1f} MB")


def once(command, environment):
    """Wall, CPU seconds and peak KiB of one process, as the operating system measures them."""
    began = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    errors = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{command} failed:\n{errors.decode(errors='replace')}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def measure(command, environment, runs, warm=True):
    if warm:
        once(command, environment)
    return Result([once(command, environment) for _ in range(runs)])


def trees(kr, folder, environment, options):
    """kr tree on layer-wise profiles of 1,000 and, with --large, 10,000 steps."""
    make = pathlib.Path(kr).resolve().parents[2] / "tests/make_layerwise"
    for steps in [1000] + [10_000] * options.large:
        profile = f"{folder}/profile.json"
        subprocess.run([str(make), profile, "--layers", "8", "--decodes", str(steps - 1)], check=True)
        size = os.path.getsize(profile)
        for form in ("csv", "table"):
            run = measure([kr, "tree", profile, "--all-steps", "--each-sibling", "--format", form], environment, 3)
            print(run.line(f"kr tree, {steps} steps, {form}") +
                  f"  {size / 1e6:.0f} MB, {size / 1e6 / statistics.median(run.wall):.0f} MB/s")
        os.unlink(profile)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--no-pandas", action="store_true", help="leave the baseline out (half a minute)")
    parser.add_argument("--large", action="store_true", help="ten times the rows as well")
    options = parser.parse_args()
    kr = os.environ.get("KR", str(HERE.parents[1] / "build/tools/kr/kr"))

    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, KR_CACHE_DIR=f"{folder}/cache")
        make = [sys.executable, str(HERE / "make_large.py")]
        csv, sqlite = f"{folder}/large.csv", f"{folder}/large.sqlite"
        subprocess.run([*make, str(options.rows), csv], check=True)
        subprocess.run([*make, str(options.rows), sqlite, "--sqlite"], check=True)
        print(f"{options.rows} rows: CSV {os.path.getsize(csv) / 1e6:.0f} MB, "
              f"SQLite {os.path.getsize(sqlite) / 1e6:.0f} MB")

        def report(path):
            return [kr, "report", "--rules", "gputrc2graph", f"{path},vllm,llama", "--out-dir", f"{folder}/out"]

        fast = measure(report(csv), environment, options.runs)
        print(fast.line("kr report, CSV"))
        print(measure(report(sqlite), environment, options.runs).line("kr report, SQLite"))
        if options.large:
            subprocess.run([*make, str(10 * options.rows), f"{folder}/larger.csv"], check=True)
            larger = measure(report(f"{folder}/larger.csv"), environment, 3)
            print(larger.line("kr report, CSV, ten times the rows"))
            print(f"{'ten times the rows cost':<34} {statistics.median(larger.wall) / statistics.median(fast.wall):9.1f} times the time")
            os.unlink(f"{folder}/larger.csv")
        trees(kr, folder, environment, options)
        small = str(HERE.parents[1] / "examples/llama_bf16.csv.gz")
        print(measure([kr, "why", "flash_fwd_splitkv_kernel", "--engine", "vllm", "--model", "llama"],
                      environment, options.runs).line("kr why, warm"))
        print(measure([kr, "report", small, "--out-dir", f"{folder}/out"],
                      environment, options.runs).line("kr report, the example, warm"))
        if not options.no_pandas:
            loop = [sys.executable, str(HERE / "pandas_loop.py"), csv, str(TABLES), "vllm", "llama",
                    f"{folder}/out.csv"]
            slow = measure(loop, environment, 1, warm=False)
            print(slow.line("pandas loop, CSV"))
            print(f"{'pandas loop / kr report':<34} {statistics.median(slow.wall) / statistics.median(fast.wall):9.1f} times")


if __name__ == "__main__":
    main()
