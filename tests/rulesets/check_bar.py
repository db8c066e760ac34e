#!/usr/bin/env python3
"""The bar on the project's own list of names: every one is labelled right.

By the generic ruleset, and by the engines' own, which only add to it.
"""

import sys

import kernel_names as names

AT_LEAST = 300


def check(rows, engine):
    wrong = 0
    answers = names.classify(rows, engine)
    for row in rows:
        answer = answers[row["name"]]
        if not names.right(row, answer["substage"]):
            wrong += 1
            print(
                f"{engine}: {row['name'][:110]}: {answer['substage']} by {answer['rule']}, "
                f"not {row['label']}"
            )
        if answer["kind"] != row["kind"]:
            wrong += 1
            print(f"{engine}: {row['name'][:110]}: kind {answer['kind']}, not {row['kind']}")
        if not answer["stage"] or answer["stage"] == "unclassified":
            wrong += 1
            print(f"{engine}: {row['name'][:110]}: no stage")
    print(f"{engine}: {len(rows)} names, {wrong} findings")
    return wrong


def main():
    rows = names.read_names(names.OWN_NAMES)
    if len(rows) < AT_LEAST or len({row["name"] for row in rows}) != len(rows):
        sys.exit(f"{names.OWN_NAMES}: fewer than {AT_LEAST} names, or one twice")
    sys.exit(1 if sum(check(rows, engine) for engine in ("generic", "vllm", "sglang")) else 0)


main()
