#!/usr/bin/env python3
"""The shipped rules on lists of names that were labelled independently of them (the folder `names` of the shared data): the
share of correct labels by list and engine, each name by the ruleset of its engine, and every wrong name with the label that was
expected. The list of 2026 has names of forks with kernels of their own; all others are the mainstream.

The dimensions about one label of substage are for exactly its kernels: `collective` for communication, `format` for products,
`attention_phase` for attention without backward passes.

    KR=build/tools/kr/kr tests/oracle/check_names.py [FOLDER]
"""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "rulesets"))
import kernel_names as names  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else names.SHARED / "names"
# By list: the least share of all names, and of the mainstream.
REQUIRED = {"dev.tsv": (99.7, 99.7), "dev3.tsv": (97.0, 99.0)}
FORKS = ("tensorfold", "hipengine", "v100fork", "ikllama", "llama-rdna3", "oscar-vq")
OF_LABELS = {"collective": {"communication"}, "format": {"gemm", "moe_gemm"}, "attention_phase": {"attention"}}
BACKWARD = re.compile("bwd|backward|bprop", re.IGNORECASE)


def is_mainstream(row):
    return not any(fork in f"{row['engine']} {row['source']}" for fork in FORKS)


def shipped_engines():
    text = names.run("list", "engines", "--format", "csv")
    return {line.split(",", 1)[0] for line in text.splitlines()[1:]}


def share(rows):
    good = sum(row["right"] for row in rows)
    return 100 * good / len(rows) if rows else 100.0


def label(path, engines):
    rows = names.read_names(path)
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["engine"] if row["engine"] in engines else "generic"].append(row)
    for engine, group in groups.items():
        answers = names.classify(group, engine)
        for row in group:
            row["answer"] = answers[row["name"]]
            row["right"] = names.right(row, row["answer"]["substage"])
    return rows


def disagreements(rows):
    """Names whose label of another dimension does not fit that of substage."""
    for row in rows:
        answer = row["answer"]
        for dimension, labels in OF_LABELS.items():
            if dimension not in answer:
                continue
            expected = answer["substage"] in labels
            if dimension == "attention_phase" and BACKWARD.search(row["name"]):
                expected = False
            if (answer[dimension] != "none") != expected:
                yield f"substage {answer['substage']}, but {dimension} {answer[dimension]}: {row['name'][:120]}"


def check(path, engines):
    rows = label(path, engines)
    of_engine = collections.defaultdict(list)
    for row in rows:
        of_engine[row["engine"] or "no engine"].append(row)
    for engine, group in sorted(of_engine.items()):
        print(f"{path.name}  {engine:14} {share(group):6.2f} % of {len(group):4} names")
    for row in rows:
        if not row["right"]:
            also = f" or {row['also']}" if row["also"] else ""
            print(f"  wrong: {row['answer']['substage']} by {row['answer']['rule']}, not {row['label']}{also}: "
                  f"{row['name'][:150]}")
    mainstream = [row for row in rows if is_mainstream(row)]
    least, least_mainstream = REQUIRED[path.name]
    print(f"{path.name}: {share(rows):.2f} % of {len(rows)} names, required {least} %; mainstream: "
          f"{share(mainstream):.2f} % of {len(mainstream)}, required {least_mainstream} %")
    failures = list(disagreements(rows))
    if share(rows) < least or share(mainstream) < least_mainstream:
        failures.append(f"{path.name}: too few names are correct")
    return failures


def main():
    lists = [FOLDER / name for name in REQUIRED if (FOLDER / name).exists()]
    if not lists:
        print(f"skipped: {FOLDER} has no lists")
        sys.exit(77)
    engines = shipped_engines()
    failures = [one for path in lists for one in check(path, engines)]
    # The project's own lists need no share here (tests/rulesets/check_bar.py).
    for path in (names.OWN_NAMES, names.PUBLIC_NAMES):
        rows = [dict(row, engine="generic") for row in names.read_names(path)]
        answers = names.classify(rows, "generic")
        failures += disagreements([dict(row, answer=answers[row["name"]]) for row in rows])
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


main()
