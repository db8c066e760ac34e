"""Shared by the scripts in this folder: names, tables, and the labels that Python gives."""

import collections
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rulesets"))
import kernel_names as names  # noqa: E402

EDGES = [
    "x", "GEMM", "Gemm", "gem m", "moe", "Moe", "CUDA mem", "[CUDA memcpy HtoD]", "[CUDA memset]",
    "[CUDA memset memcpy]", "cuda memcpy", "Memcpy DtoD (Device -> Device)", "Memset (Device)",
    "xMemcpy DtoD", "__amd_rocclr_copyBuffer", "__amd_rocclr_fillBufferAligned", "CopyHostToDevice",
    "_norm", "norm_", "_norm_", "topk", "TopK", "name, with comma", 'name "quoted"', "a/b", "a\\b",
    "gemm \u00e9", "\u00e9", "a\nb", "gemm\nnccl", "nccl\ngemm", "ends\n", "tab\there", "(x)", "a.b",
    "nccl", "ncclAllReduce", "NCCL all_gather", "xnccl", "rope", "rope_", "silu ", "x silu",
]  # fmt: skip


def subjects(more=()):
    rows = names.read_names(names.OWN_NAMES)
    if names.SHARED_NAMES.exists():
        rows += names.read_names(names.SHARED_NAMES)
    else:
        print(f"missing, skipped: {names.SHARED_NAMES}")
    rows += [{"name": name, "total_ns": 0} for name in [*EDGES, *more]]
    return list({row["name"]: row for row in rows}.values())


# Models share most of their patterns: by pattern, the names that were searched.
SEARCHED = collections.defaultdict(dict)


def matches(pattern, name):
    searched = SEARCHED[pattern]
    if name not in searched:
        searched[name] = re.search(pattern, name) is not None
    return searched[name]


def first_match(rules, name):
    """As gputrc2graph.py searches; `rules` are pairs of a pattern and a label."""
    return next((label for pattern, label in rules if matches(pattern, name)), "unclassified")


def run(*arguments, status=(0,)):
    done = subprocess.run([names.program(), *arguments], capture_output=True, check=False)
    if done.returncode not in status:
        sys.exit(f"kr {' '.join(arguments)}: exit {done.returncode}\n{done.stderr.decode()}")
    return done


def compare(title, rows, answers, dimension, rules):
    """The number of names to which `rules` give another label than `answers` of kr classify."""
    wrong = 0
    for row in rows:
        expected = first_match(rules, row["name"])
        if answers[row["name"]][dimension] != expected:
            wrong += 1
            if wrong <= 5:
                answer = answers[row["name"]][dimension]
                print(f"{title}: {row['name'][:100]!r}: kr {answer}, re.search {expected}")
    print(f"{title}: {len(rows) - wrong} of {len(rows)} names have equal labels")
    return wrong
