#!/usr/bin/env python3
"""Runs the step `compare` of the workflow in docs/ci.md, on traces with and without a slower kernel; and the steps of
the workflow with a baseline, for several changes one after the other.

    KR=build/tools/kr/kr tests/tutorial/check_ci.py
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import textwrap

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "ci.md"
KERNELS = {"ampere_bf16_s16816gemm_bf16_128x128_tn": 500, "void flash_fwd_kernel<128>(Flash_fwd_params)": 300,
           "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int)": 40}


def trace(seed, slower=1.0, steps=20):
    """A PyTorch trace: steps that launch each kernel 4 times, with 2 % of noise."""
    noise, events, correlation, now = random.Random(seed), [], 0, 1000.0
    for step in range(steps):
        begin, gpu = now, now + 50
        for _ in range(4):
            for name, mean in KERNELS.items():
                us = mean * noise.gauss(1, 0.02) * (slower if "gemm" in name else 1)
                correlation += 1
                ids = {"correlation": correlation}
                events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 2,
                               "ts": now, "dur": 5, "args": ids})
                events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": gpu,
                               "dur": round(us, 3), "args": {**ids, "device": 0, "stream": 7}})
                now, gpu = now + 10, gpu + us
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 2,
                       "ts": begin, "dur": now - begin})
        now = gpu
    return json.dumps({"schemaVersion": 1, "traceEvents": events})


def compare_script():
    """The commands of the step named `compare`."""
    found = re.search(r"- name: compare\n +run: \|\n((?: {10}.*\n)+)", PAGE.read_text())
    return textwrap.dedent(found.group(1)) if found else ""


def baseline_steps():
    """The commands of the steps `record`, `compare` and `keep …` of the workflow with a baseline, in their order."""
    section = PAGE.read_text().split("## A baseline")[1]
    found = re.findall(r"- name: (\w+).*\n(?: +if: .*\n)? +run: \|\n((?: {10}.*\n)+)", section)
    return [(name, textwrap.dedent(commands)) for name, commands in found]


def check_baseline():
    """How many expectations do not hold."""
    steps, wrong = baseline_steps(), []
    if [name for name, _ in steps] != ["record", "compare", "keep"]:
        print(f"{PAGE}: the steps with a baseline are {[name for name, _ in steps]}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        where = pathlib.Path(folder)
        (where / "bin").mkdir()
        (where / "bin" / "kr").symlink_to(pathlib.Path(os.environ["KR"]).resolve())
        # The traces that it records were made before.
        (where / "record.sh").write_text('#!/bin/sh\nset -- "$1" traces/*.json\nmv "$2" "$1"\n')
        (where / "record.sh").chmod(0o755)
        (where / "traces").mkdir()
        for number, slower in enumerate((1.0,) * 6 + (1.2,), 8):
            for old in (where / "new").glob("*"):
                old.unlink()
            for i in range(3):
                (where / "traces" / f"{i}.json").write_text(trace(100 * number + i, slower))
            (where / "summary.md").unlink(missing_ok=True)
            for name, commands in steps:
                done = subprocess.run(["bash", "-e", "-c", commands], cwd=where, capture_output=True, text=True, check=False,
                                      env={**os.environ, "PATH": f"{where / 'bin'}:{os.environ['PATH']}", "RUNNER_TEMP": folder,
                                           "GITHUB_RUN_NUMBER": str(number), "GITHUB_STEP_SUMMARY": str(where / "summary.md")})
                status = 1 if slower > 1 and name == "compare" else 0
                if done.returncode != status:
                    wrong.append(f"run {number}, {name}: exit {done.returncode}, not {status}\n{done.stderr}")
                if done.returncode != 0:
                    break
        saved = len(list((where / "history").glob("*.krun")))
        if saved != 18:
            wrong.append(f"{saved} runs are kept, not 18: the slower ones do not belong to them")
        rows = (where / "trend" / "trend.csv").read_text().splitlines() if (where / "trend" / "trend.csv").exists() else []
        gemm = [row for row in rows if row.startswith("label,substage,gemm,")]
        # Of 18 runs the last 15, with numbers of one and of two digits.
        if len(gemm) != 18 or ",history/9-1.krun,a," not in gemm[0] or ",history/13-3.krun,a," not in gemm[14]:
            wrong.append("the trend of gemm:\n" + "\n".join(gemm))
        if not all(",b," in row and ",more," in row for row in gemm[15:]):
            wrong.append("the new runs are not called slower:\n" + "\n".join(gemm[15:]))
        for picture in ("trend.svg", "trend.png"):
            if not (where / "trend" / picture).exists():
                wrong.append(f"there is no {picture}")
    for one in wrong:
        print(one, file=sys.stderr)
    return len(wrong)


def main():
    script = compare_script()
    if "kr diff" not in script:
        print(f"{PAGE}: no step `compare` runs kr diff", file=sys.stderr)
        return 1
    wrong = 0
    for slower, status, outcome in ((1.0, 0, "passed"), (1.2, 1, "failed")):
        with tempfile.TemporaryDirectory() as folder:
            where = pathlib.Path(folder)
            # `kr diff` reads what gzip would have compressed, too.
            (where / "base.json.gz").write_text(trace(1))
            (where / "new.json.gz").write_text(trace(2, slower))
            (where / "bin").mkdir()
            (where / "bin" / "kr").symlink_to(pathlib.Path(os.environ["KR"]).resolve())
            done = subprocess.run(["bash", "-e", "-c", script], cwd=where, capture_output=True, text=True, check=False,
                                  env={**os.environ, "PATH": f"{where / 'bin'}:{os.environ['PATH']}",
                                       "RUNNER_TEMP": folder, "GITHUB_STEP_SUMMARY": str(where / "summary.md")})
            page = (where / "comparison.md").read_text()
            summary = (where / "summary.md").read_text() if (where / "summary.md").exists() else ""
            for holds, what in ((done.returncode == status, f"exit {done.returncode}, not {status}"),
                                (page == summary, "the summary is not the comparison"),
                                (re.search(rf"substage/\\\* \\> \+5% *\| gemm *\| {outcome}", page), f"gemm is not {outcome}"),
                                ("step (20 and 20), median wall time" in page, "it is not compared per step")):
                if not holds:
                    wrong += 1
                    print(f"{slower} times as slow: {what}\n{done.stderr}{page}", file=sys.stderr)
    wrong += check_baseline()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
