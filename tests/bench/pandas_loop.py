#!/usr/bin/env python3
"""The baseline: non-overlapped time per kernel, as pandas scripts compute it, with a Python
loop that writes single cells of a data frame if operations overlap, then a group-by, then a
first-match search over regular expressions for each name. The method is that of vLLM's
gputrc2graph.py; the code is this project's.

    tests/bench/pandas_loop.py TRACE.csv TABLES.json ENGINE MODEL OUT.csv
"""
import json
import re
import sys

import pandas


def non_overlapped(frame):
    frame = frame.sort_values(by="Start (ns)", kind="stable").reset_index(drop=True)
    frame["Elapsed (ns)"] = frame["Duration (ns)"]
    column = frame.columns.get_loc("Elapsed (ns)")
    starts = frame["Start (ns)"].values
    ends = (frame["Start (ns)"] + frame["Duration (ns)"]).values
    reached = ends[0]
    for row in range(1, len(frame)):
        if starts[row] > reached:
            reached = ends[row]
        elif ends[row] > reached:
            frame.iloc[row, column] = ends[row] - reached
            reached = ends[row]
        else:
            frame.iloc[row, column] = 0
    return frame


def main():
    trace, tables, engine, model, out = sys.argv[1:]
    frame = non_overlapped(pandas.read_csv(
        trace, usecols=["Start (ns)", "Duration (ns)", "Device", "Strm", "Name"]))
    sums = frame.groupby("Name", as_index=False).agg(
        {"Elapsed (ns)": "sum", "Duration (ns)": "sum", "Strm": "size"})
    rules = next(t["rules"] for t in json.load(open(tables, encoding="utf-8"))
                 if t["engine"] == engine and t["model"] == model)
    pairs = [rule.split(" = ", 1) for rule in rules]
    sums["Substage"] = [next((label for label, pattern in pairs if re.search(pattern, name)), "")
                        for name in sums["Name"]]
    sums.sort_values(by="Elapsed (ns)", ascending=False).to_csv(out, index=False)


if __name__ == "__main__":
    main()
