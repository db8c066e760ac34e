#!/usr/bin/env python3
"""How many names of a labelled list, and how much of their time, the rulesets label right.

  KR=build/tools/kr/kr tests/rulesets/score.py [--names LIST.tsv] [--by-engine] [--wrong N]

Prints the share of names and of time, the confusions by label, and the shares by source. A name
counts as right when it gets its label or its second label.
"""

import argparse
import collections
from pathlib import Path

import kernel_names as names

# Which ruleset speaks for an engine of the list; all others are the generic one's.
ENGINES = ("vllm", "sglang")


def labelled(rows, by_engine):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["engine"] if by_engine and row["engine"] in ENGINES else "generic"].append(row)
    for engine, group in groups.items():
        answers = names.classify(group, engine)
        for row in group:
            row["got"] = answers[row["name"]]["substage"]
            row["rule"] = answers[row["name"]]["rule"]


def percent(part, whole):
    return f"{100 * part / whole:6.2f} %" if whole else "     - "


def shares(rows):
    good = [row for row in rows if names.right(row, row["got"])]
    timed = sum(row["total_ns"] for row in rows)
    return (
        f"{percent(len(good), len(rows))} of {len(rows):5} names"
        f"   {percent(sum(row['total_ns'] for row in good), timed)} of {timed / 1e9:.3f} s"
    )


def by(rows, key):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))


def short_source(row):
    source = row["source"]
    return source.split(":", 1)[0] + ":" + source.split(":", 2)[1] if ":" in source else source


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = names.SHARED_NAMES if names.SHARED_NAMES.exists() else names.OWN_NAMES
    parser.add_argument("--names", type=Path, default=default, help="the list (TSV)")
    parser.add_argument("--by-engine", action="store_true", help="by the list's engine, not generic")
    parser.add_argument("--wrong", type=int, default=40, help="how many wrong names to print")
    options = parser.parse_args()

    rows = names.read_names(options.names)
    labelled(rows, options.by_engine)
    print(f"{options.names.name}: {shares(rows)}\n")

    print("by label")
    for label, group in by(rows, lambda row: row["label"]):
        wrong = [row["got"] for row in group if not names.right(row, row["got"])]
        counts = collections.Counter(wrong).most_common()
        confusions = ", ".join(f"{got} {count}" for got, count in counts)
        print(f"  {label:17}{shares(group)}   {confusions}")

    print("\nby source")
    for source, group in by(rows, short_source):
        print(f"  {shares(group)}   {source[:80]}")

    wrong = [row for row in rows if not names.right(row, row["got"])]
    if wrong[: options.wrong]:
        print("\nwrong")
    for row in wrong[: options.wrong]:
        also = f" or {row['also']}" if row["also"] else ""
        print(f"  {row['label']}{also}: {row['got']} by {row['rule']}: {row['name'][:120]}")


main()
