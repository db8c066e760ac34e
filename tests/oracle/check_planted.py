#!/usr/bin/env python3
"""Asks kr the questions of the planted runs of the shared data, whose truth is known, with its checker: no answer is wrong,
but for those below. What kr does not answer is listed.

    KR=build/tools/kr/kr tests/oracle/check_planted.py [FOLDER]
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data/planted")
# The checker has the names of causes, and reads the tables, of an earlier version.
NEWER = {
    '"no_work"': '"host"',
    '"launch_latency"': '"launch"',
    'what_if,what_if_steps': 'what_if',
    'if x["phase"] is None}': 'if x["scope"] == "run"}',
    'if x["phase"] is None and': 'if x["scope"] == "run" and',
    'if x["phase"] is None or not w': 'if x["scope"] != "phase" or not w',
    'x["phase"] not in before or x["phase"] not in w[': 'x["key"] not in before or x["key"] not in w[',
    'before[x["phase"]]': 'before[x["key"]]',
    '["step_wall_mean_ns"][x["phase"]]': '["step_wall_mean_ns"][x["key"]]',
    "steps of {x['phase']}": "steps of {x['key']}",
    '{x["phase"]: x for x in T.get("found_phases", [])}': '{x["key"]: x for x in T.get("found_phases", []) if x["scope"] == "phase"}',
    '{x["phase"]: x.get("layers") for x in T.get("found_phases", [])}':
        '{x["key"]: x.get("layers") for x in T.get("found_phases", []) if x["scope"] == "phase"}',
    'clocks,rank_step_balance': 'clocks,rank_steps',
    'T.get("rank_step_balance", [])': 'T.get("rank_steps", []) if x["scope"] == "job"',
    'comparison,label_changes,conditions': 'comparison,changes,conditions',
    '{x["label"]: x for x in T.get("label_changes", []) if x["dimension"] == "substage"}':
        '{x["key"]: x for x in T.get("changes", []) if x["scope"] == "substage"}',
}
# Wrong by the checker: (quantity, scenario) and why.
KNOWN = {
    ("critical path", "pdl"): "a kernel that begins before its predecessor ends: the time up to its begin is the predecessor's",
    ("layers", "layers-loops"): "the table `layers` shows all blocks that repeat, loops, too",
    ("layers", "layers-moe-alternating"): "the same",
    ("layers", "found-phases"): "the same",
}


def main():
    checker = FOLDER / "check_planted.py"
    if not checker.is_file():
        print(f"skipped: {checker} is missing", file=sys.stderr)
        return 77
    text = checker.read_text()
    for old, new in NEWER.items():
        assert old in text, old
        text = text.replace(old, new)
    with tempfile.TemporaryDirectory() as folder:
        script, rows = pathlib.Path(folder) / "check.py", pathlib.Path(folder) / "rows.json"
        script.write_text(text)
        done = subprocess.run([sys.executable, script, "--kr", pathlib.Path(os.environ["KR"]).resolve(), "--json", rows, FOLDER, FOLDER / "random"],
                              capture_output=True, text=True, check=False)
        if not rows.exists():
            print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
            return 1
        answers = json.loads(rows.read_text())
    # `regression` is asked only where `kr diff` wrote no results.
    wrong = [row for row in answers if row[0] == "regression" or row[1] == "wrong" and (row[0], row[2]) not in KNOWN]
    for quantity, outcome, scenario, what, got, true, _ in answers:
        if outcome == "abstains":
            print(f"no answer: {quantity}, {scenario}: {what}")
    for quantity, _, scenario, what, got, true, command in wrong:
        print(f"{quantity}, {scenario}: {what}: {got}, not {true}\n  {command}", file=sys.stderr)
    print(f"{len(answers)} questions, {sum(row[1] == 'right' for row in answers)} right, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
