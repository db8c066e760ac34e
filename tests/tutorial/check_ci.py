#!/usr/bin/env python3
"""Runs the step `compare` of the workflow in docs/ci.md, on traces with and without a slower kernel.

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
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
