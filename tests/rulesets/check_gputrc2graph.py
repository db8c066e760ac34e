#!/usr/bin/env python3
"""The ruleset gputrc2graph gives every name the same label as first-match `re.search`.

The tables are those of gputrc2graph.py: a copy of their facts in tests/data (a rule is
`category = pattern`), and the collected tables beside the repository if they exist.
"""

import json
import re
import sys

import kernel_names as names

# Names that no list of kernels has: prefixes, other cases and neighbours of the patterns.
EDGES = [
    "x", "GEMM", "gem m", "moe", "Moe", "sigmoi", "CUDA mem", "[CUDA memcpy HtoD]",
    "[CUDA memset]", "cuda memcpy", "_norm", "norm_", "_norm_", "Norm", "act_and_mul",
    "act_and_mul_", "topk", "TopK", "sbtopk", "reduce", "reduce_kernel", "Rotary", "rotary",
    "triton", "Triton", "_fwd_", "_attn_", "bmm_", "bmm", "quantize", "cvt_", "expert",
    "all_gather", "allreduce", "::mla::", "KVCache", "name\twith tab", "name, with comma",
    'name "quoted"', "gemm\u00e9", "flash::prepare_varlen", "_flash_", "splitKreduce",
]  # fmt: skip


def own_tables():
    tables = json.loads(names.OWN_TABLES.read_text(encoding="utf-8"))
    for table in tables:
        table["rules"] = [tuple(reversed(rule.split(" = ", 1))) for rule in table["rules"]]
    return tables


def shared_tables():
    if not names.SHARED_TABLES.exists():
        print(f"skipped: {names.SHARED_TABLES.name} of the shared data is missing")
        sys.exit(77)
    tables = json.loads(names.SHARED_TABLES.read_text(encoding="utf-8"))
    newest = [table for table in tables if table["system"] == "gputrc2graph"]
    return [{**table, "rules": [tuple(rule) for rule in table["rules"]]} for table in newest]


def first_match(rules, name):
    return next((category for pattern, category in rules if re.search(pattern, name)), None)


def subjects(shared):
    if shared:
        rows = names.read_names(names.SHARED_NAMES)
    else:
        rows = names.read_names(names.OWN_NAMES)
        rows += [{"name": name, "total_ns": 0} for name in EDGES]
    return list({row["name"]: row for row in rows}.values())


def check(table, rows):
    title = f"{table['engine']}/{table['model']}"
    answers = names.classify(rows, table["engine"], table["model"], ["gputrc2graph"])
    wrong = 0
    for row in rows:
        expected = first_match(table["rules"], row["name"])
        answer = answers[row["name"]]
        if answer["substage"] != expected or answer["stage"] != "layer":
            wrong += 1
            if wrong <= 5:
                print(
                    f"{title}: {row['name'][:100]}: {answer['substage']} by {answer['rule']}, "
                    f"re.search gives {expected}"
                )
    print(f"{title}: {len(rows) - wrong} of {len(rows)} names have equal labels")
    return wrong


def main():
    use_shared = sys.argv[1:] == ["shared"]
    own = own_tables()
    shared = shared_tables() if use_shared else []
    if len(own) != 7:
        sys.exit(f"{names.OWN_TABLES}: {len(own)} tables, not 7")
    rows = subjects(use_shared)
    wrong = sum(check(table, rows) for table in own)
    for table in shared:
        twin = next(t for t in own if (t["engine"], t["model"]) == (table["engine"], table["model"]))
        if twin["rules"] != table["rules"]:
            wrong += 1
            print(f"{table['engine']}/{table['model']}: the copy in tests/data differs")
    sys.exit(1 if wrong else 0)


main()
