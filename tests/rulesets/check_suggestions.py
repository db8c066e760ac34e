#!/usr/bin/env python3
"""The rules that `kr coverage` suggests have the effect that it reports.

The test pastes each at its place, with its test: then `kr lint` finds nothing, the tests pass, and the
explained time has grown by exactly the reported time; one rule at a time with the runs of its file, and all together
with all runs.
Traces contain random names of many kinds, also hostile ones. They are read with a shipped
ruleset, and with rules of every form to which a rule can be added.
"""

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import kernel_names as names

sys.path.insert(0, str(names.ROOT / "tests" / "support"))
from results import Results, total  # noqa: E402

SEEDS = range(int(os.environ.get("SEEDS", "4")))

# Places for rules: an engine's block with and without `otherwise`, a block on one line, with comments
# after its rules, only a model's block, an engine without the dimension.
SHAPES = {
    "block.kr": """
labels substage {
  gemm     "Products"
  sampling "Top-k, top-p"
  misc     "The rest"
}
engine block {
  substage {
    gemm: "gemm"  # products
    misc: otherwise
  }
  model big { substage { sampling: "sample" } }
}
test block {
  "a_gemm" => substage gemm
  "zzz" => substage misc
}
test block/big { "my_sample" => substage sampling }
""",
    "line.kr": """
engine line { substage { gemm: "gemm" otherwise keep } }
test line { "a_gemm" => substage gemm }
""",
    "open.kr": """
use std.llm
engine open {
  substage { include llm.substage }
}
test open { "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)" => substage communication }
""",
    "model.kr": """
use rulesets.vllm
engine model {
  model mine extends vllm.llama {}
  model other extends vllm.llama {
    substage { gemm: "other_mm" }
  }
}
test model/other { "other_mm" => substage gemm }
""",
    "none.kr": """
engine none {
  stage { all: otherwise }
}
test none { "x" => stage all }
""",
}
RUNS = [("block", "default"), ("block", "big"), ("line", "default"), ("open", "default"),
        ("model", "mine"), ("model", "other"), ("none", "default"), ("vllm", "ds"),
        ("generic", "default")]

WORDS = "acme ring Gate pick topk scores blockwise rms norm kv cache fused Add moe rope zeta Quux".split()
TYPES = ["float", "__half", "__nv_bfloat16", "int"]


def identifier(rng):
    count = rng.randint(1, 4)
    words = [rng.choice(WORDS) for _ in range(count)]
    text = "".join(word.capitalize() for word in words) if rng.random() < 0.3 else "_".join(words)
    return text + rng.choice(["", "", "_kernel", "Kernel", "_v2", "_64x128", "_bf16_tn", f"_{rng.randint(1, 99)}"])


def one_name(rng, bases):
    base = rng.choice(bases)
    style = rng.randrange(12)
    if style < 3:
        return base
    if style < 6:
        return (f"void acme::{base}<{rng.randint(1, 512)}, {rng.choice(TYPES)}>"
                f"({rng.choice(TYPES)}*, int)")
    if style == 6:
        return f"void (anonymous namespace)::{base}({rng.choice(TYPES)} const*)"
    if style == 7:
        return f"_ZN4acme{len(base)}{base}ILi{rng.randint(1, 9)}EfEEvPT0_"
    if style == 8:
        return f"void cutlass::Kernel2<{base}::Operator<{rng.randint(1, 9)}>>({base}::Params)"
    if style == 9:
        return f"{base}_{rng.randint(1, 999)}_{rng.choice(['fp8', 'bf16', 'nn', 'tn'])}"
    if style == 10:
        return rng.choice(['q"uote', "back\\slash", "tab\there", "ctrl\x01\x7f", "raw\udcff\udc80",
                           "é中", "a.*b[c](", "#hash", "/slash/", "x", "in", "kernel", "12", " "]
                          ) + rng.choice(["", base, str(rng.randint(1, 9))])
    return rng.choice(["gemm", "sample", "flash_fwd", "nccl_all"]) + "_" + base


def make_traces(rng, folder):
    runs = []
    for i, (engine, model) in enumerate(RUNS):
        bases = [identifier(rng) for _ in range(rng.randint(1, 8))]
        rows = [{"name": one_name(rng, bases), "total_ns": rng.randint(1, 10**rng.randint(1, 7))}
                for _ in range(rng.randint(1, 30))]
        rows += [{"name": "[CUDA memcpy Device-to-Host]", "total_ns": 5}] * rng.randint(0, 1)
        path = folder / f"trace{i}.csv"
        names.write_trace(path, rows)
        runs.append(f"{path},{engine},{model}")
    return runs


def kr(folder, *arguments):
    done = subprocess.run([os.environ["KR"], *arguments], capture_output=True, check=False, cwd=folder)
    return done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace")


def files_of(folder):
    return sorted(path.name for path in folder.glob("*.kr"))


def coverage(folder, runs, files=None):
    rules = [word for name in files or files_of(folder) for word in ("--rules", name)]
    status, out, err = kr(folder, "coverage", *runs, "--format", "json", *rules)
    if status != 0:
        sys.exit(f"kr coverage: exit {status}\n{err}")
    return Results(out)


def explained(found):
    return total(found.rows("coverage"), "explained_ns")


def check_parts(found, what, failures):
    """The time of a group is the sum over its names, and over its runs."""
    parts_of = found.grouped("unexplained_parts", "scope", "group")
    for one in found.rows("unexplained"):
        same = parts_of["name", one["group"]]
        if one["names"] != len(same) or one["name"] != same[0]["key"]:
            failures.append(f"{what}: group {one['group']} has other names")
        for parts in (same, parts_of["run", one["group"]]):
            if any(total(parts, column) != one[column] for column in ("instances", "total_ns")):
                failures.append(f"{what}: group {one['group']} is not the sum of its parts")


def write_rules(folder):
    for name, text in SHAPES.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name in ("vllm.kr", "generic.kr"):
        (folder / name).write_bytes((names.ROOT / "rulesets" / name).read_bytes())


def paste(folder, suggestions):
    """Into the files, from the last place to the first, so that earlier places stay valid; tests at the end."""
    write_rules(folder)
    for one in sorted(suggestions, key=lambda one: -one["byte"]):
        path = folder / one["file"]
        text = path.read_bytes()
        byte = one["byte"]
        path.write_bytes(text[:byte] + one["insert"].encode() + text[byte:])
    for one in suggestions:
        path = folder / one["file"]
        path.write_bytes(path.read_bytes() + b"\n" + one["test"].encode())


def lint_alone(folder):
    """The findings in each file before pasting, to see what pasting adds."""
    return {name: kr(folder, "lint", name, "--format", "concise")[1].count("\n")
            for name in files_of(folder)}


def check(seed, failures):
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_rules(folder)
        clean = lint_alone(folder)
        if any(clean.values()):
            failures.append(f"the rules themselves are not clean: {clean}")
        runs = make_traces(rng, folder)
        before = coverage(folder, runs)
        check_parts(before, f"seed {seed}", failures)
        groups = before.rows("unexplained")
        suggestions = [one for one in groups if one["rule"]]
        promised = total(groups, "total_ns")
        if promised != total(before.rows("coverage"), "total_ns") - explained(before):
            failures.append(f"seed {seed}: {promised} ns suggested, not what is unexplained")

        run_names = list(dict.fromkeys(row["run"] for row in before.rows("coverage")))

        def expect(pasted, what, alone=None):
            paste(folder, pasted)
            for file in {one["file"] for one in pasted}:
                status, out, err = kr(folder, "lint", file)
                if status != 0:
                    failures.append(f"seed {seed}, {what}: {file} does not lint clean\n{out}{err}")
                status, out, err = kr(folder, "test", file)
                if status != 0:
                    failures.append(f"seed {seed}, {what}: {file}: tests fail\n{out}{err}")
            # All rules are compiled for each change to one of them: with one file that takes a tenth of the time.
            chosen_runs = [at for at, (engine, _) in enumerate(RUNS) if alone in (None, f"{engine}.kr")]
            after = coverage(folder, [runs[at] for at in chosen_runs], [alone] if alone else None)
            olds = [row for at in chosen_runs for row in before.rows("coverage", run=run_names[at])]
            gain = explained(after) - total(olds, "explained_ns")
            wanted = total(pasted, "total_ns")
            if gain != wanted:
                failures.append(f"seed {seed}, {what}: {gain} ns gained, {wanted} promised: "
                                + "; ".join(one["rule"] for one in pasted)[:300])
            chosen = {one["group"] for one in pasted}
            for run, old in zip(after.rows("coverage"), olds, strict=True):
                wanted = total([part for part in before.rows("unexplained_parts", scope="run", key=old["run"])
                                if part["group"] in chosen], "total_ns")
                if run["explained_ns"] - old["explained_ns"] != wanted:
                    failures.append(f"seed {seed}, {what}: run {run['run']} differs")
            return after

        # One block of a new dimension is enough; other rules would be added to it.
        seen_new = set()
        together = []
        for one in suggestions:
            new = "{" in one["insert"]
            place = (one["file"], one["byte"])
            if not new or place not in seen_new:
                together.append(one)
            if new:
                seen_new.add(place)
        after = expect(together, "all together")
        if len(together) == len(suggestions) and explained(after) != total(after.rows("coverage"), "total_ns"):
            left = [one for one in after.rows("unexplained") if one["rule"]]
            if left:
                failures.append(f"seed {seed}: still unexplained: {left[0]['name']}")
        for one in rng.sample(suggestions, min(3, len(suggestions))):
            expect([one], one["rule"][:100], one["file"])
        write_rules(folder)
        if coverage(folder, runs) != before:
            failures.append(f"seed {seed}: not the same twice")
        return len(suggestions)


def main():
    failures = []
    count = sum(check(seed, failures) for seed in SEEDS)
    print("\n".join(failures[:12]))
    print(f"{count} suggested rules, {len(failures)} findings")
    sys.exit(1 if failures else 0)


main()
