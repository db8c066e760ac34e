#!/usr/bin/env python3
"""The required share of correct labels in lists of names: the project's own two, or with `shared` the shared one (exit 77 if it is missing).

In the project's own list every label is correct, with the generic ruleset and with those of the engines,
which only add rules. In the list collected independently of the rules, from public reports and from
sources, 97 % are correct; wrong names are printed, and are not a reason to remove a name from the list.
"""

import sys

import kernel_names as names

AT_LEAST = 300
ENGINES = ("generic", "vllm", "sglang", "trtllm", "pytorch", "training")
PUBLIC_RIGHT = 97.0
SHARED_RIGHT = 97.0
SHARED_TIME_RIGHT = 99.0


def read(path):
    rows = names.read_names(path)
    if len(rows) < AT_LEAST or len({row["name"] for row in rows}) != len(rows):
        sys.exit(f"{path}: fewer than {AT_LEAST} names, or one twice")
    return rows


def findings(rows, engine):
    """(problems, wrong names): one line per problem, and the names with a wrong label."""
    lines, wrong = [], set()
    answers = names.classify(rows, engine)
    for row in rows:
        answer = answers[row["name"]]
        where = f"{engine}: {row['name'][:110]}"
        if not names.right(row, answer["substage"]):
            wrong.add(row["name"])
            lines.append(f"{where}: {answer['substage']} by {answer['rule']}, not {row['label']}")
        if answer["kind"] != row["kind"]:
            wrong.add(row["name"])
            lines.append(f"{where}: kind {answer['kind']}, not {row['kind']}")
        if not answer["stage"] or answer["stage"] == "unclassified":
            wrong.add(row["name"])
            lines.append(f"{where}: no stage")
    return lines, wrong


def check_own(engine):
    rows = read(names.OWN_NAMES)
    lines, wrong = findings(rows, engine)
    print("\n".join([*lines, f"{engine}: {len(rows)} names, {len(lines)} findings"]))
    return not wrong


def check_public():
    rows = read(names.PUBLIC_NAMES)
    also = {row["name"] for row in names.read_names(names.OWN_NAMES)}
    if twice := [row["name"] for row in rows if row["name"] in also]:
        sys.exit(f"{names.PUBLIC_NAMES}: also in {names.OWN_NAMES}: {twice[0]}")
    lines, wrong = findings(rows, "generic")
    share = 100 * (1 - len(wrong) / len(rows))
    print("\n".join([*lines, f"public names: {share:.2f} % of {len(rows)} correct, required {PUBLIC_RIGHT} %"]))
    return share >= PUBLIC_RIGHT


def check_shared():
    """The list of real traces, by names and by time; its labels come from others, and a few are disputed."""
    if not names.SHARED_NAMES.exists():
        print(f"skipped: {names.SHARED_NAMES.name} of the shared data is missing")
        sys.exit(77)
    rows = names.read_names(names.SHARED_NAMES)
    answers = names.classify(rows, "generic")
    good = [row for row in rows if names.right(row, answers[row["name"]]["substage"])]
    unlabelled = [
        row["name"]
        for row in rows
        if answers[row["name"]]["substage"] == "unknown" and not names.right(row, "unknown")
    ]
    share = 100 * len(good) / len(rows)
    time = 100 * sum(row["total_ns"] for row in good) / sum(row["total_ns"] for row in rows)
    for name in unlabelled:
        print(f"{names.SHARED_NAMES.name}: unlabelled: {name[:110]}")
    print(
        f"{names.SHARED_NAMES.name}: {share:.2f} % of {len(rows)} correct, required {SHARED_RIGHT} %; "
        f"{time:.2f} % of time, required {SHARED_TIME_RIGHT} %"
    )
    return share >= SHARED_RIGHT and time >= SHARED_TIME_RIGHT and not unlabelled


def main():
    if sys.argv[1:] == ["shared"]:
        sys.exit(0 if check_shared() else 1)
    own = [check_own(engine) for engine in ENGINES]
    sys.exit(0 if all([*own, check_public()]) else 1)


main()
