#!/usr/bin/env python3
"""The tests that `kr test --coverage` suggests, pasted into the ruleset, pass and reach everything
that a name can reach.

For each shipped ruleset, and for one with everything that tests can contain.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

RULESETS = ["vllm", "sglang", "trtllm", "pytorch", "training", "generic", "gputrc2graph", "exllamav3", "vllm_ascend"]

# Quotes, control bytes, kinds, contexts, labels in quotes, kept names, patterns of patterns.
EVERYTHING = r"""
pattern inner = /(a|b)x/ | "c"
pattern kernels = inner | "d" | ("e" | "f") & !"g"
pattern either = /i1|i2/

engine e {
  stage {
    a: "q\"\\" | "\x01" | "\xff" | /(x|y)z/ | "tail"$ | kernels
    b: either | "é" | within "MoE"
  }
  substage {
    copy: @memcpy | @memset & "x"
    fused: ("x" | kernels) & within "MoE" & !within "MoELayer"
    "odd label": "odd" | inner | !/[a-z]/
    otherwise keep
  }
  model m {
    substage {
      gemm: "gemm" | "nvjet"
      covered: "gemm_fp8" | "hgemm" & "x"
    }
  }
}
"""


def run(*arguments):
    return subprocess.run([os.environ["KR"], *arguments], capture_output=True, check=False)


def coverage(path):
    done = run("test", str(path), "--coverage", "--format", "json")
    if done.returncode != 0:
        sys.exit(f"kr test {path}: exit {done.returncode}\n{done.stdout.decode()}{done.stderr.decode()}")
    return json.loads(done.stdout)["coverage"]


def check(path):
    """Whether the tests suggested for the file at `path`, pasted into it, reach everything."""
    before = coverage(path)
    open_ended = [one for one in before["unreached"] if not one["test"]]
    shown = run("test", str(path), "--coverage").stdout.decode("utf-8", "surrogateescape")
    lines = shown.split("\n")
    # The tests to paste are between the list of places and the last two lines.
    tests = [line for line in lines[:-3] if ": no test reaches " not in line]
    suggested = "\n".join(tests).encode("utf-8", "surrogateescape")
    with open(path, "ab") as file:
        file.write(b"\n" + suggested)
    after = coverage(path)
    good = len(after["unreached"]) == len(open_ended)
    good = good and after["alternatives"] == after["alternatives_reached"] + len(open_ended)
    laid_out = subprocess.run([os.environ["KR"], "fmt", "-"], input=suggested, capture_output=True,
                              check=True).stdout
    good = good and laid_out.strip() == suggested.strip()
    print(f"{path.name}: {len(before['unreached'])} places unreached, {len(open_ended)} of them by any name, "
          f"{len(after['unreached'])} after pasting{'' if good else ': WRONG'}")
    return good


def main():
    root = Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as name:
        files = []
        for ruleset in RULESETS:
            files.append(Path(name, f"{ruleset}.kr"))
            text = (root / "rulesets" / f"{ruleset}.kr").read_text(encoding="utf-8")
            # Without its tests, so that all tests are suggested.
            cut = text.find("\ntest ")
            files[-1].write_text(text, encoding="utf-8")
            files.append(Path(name, f"{ruleset}-untested.kr"))
            files[-1].write_text(text[: cut + 1], encoding="utf-8")
        files.append(Path(name, "everything.kr"))
        files[-1].write_text(EVERYTHING, encoding="utf-8")
        sys.exit(0 if all([check(file) for file in files]) else 1)


main()
