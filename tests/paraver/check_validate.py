#!/usr/bin/env python3
"""validate.py accepts Paraver traces, of this test and of the shared data, and rejects each planted fault."""

import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import validate  # noqa: E402

DATA = pathlib.Path(os.environ.get("KR_SHARED_DATA") or pathlib.Path(__file__).resolve().parents[3] / "shared/data")

PRV = """\
#Paraver (01/02/2026 at 10:20):100_ns:1(4):1:2(1:1,2:1),1
c:1:1:2:1:2
1:0:1:1:1:0:40:1
2:2:1:1:1:0:70:1:90:-5
2:0:1:2:1:10:70:2:80:9223372036854775807
3:0:1:1:1:10:12:4:1:2:2:30:30:4096:7
2:0:1:1:1:10:70:0
2:0:1:1:1:10:70:2
2:0:1:1:1:10:70:0
1:0:1:1:1:40:100:2
# a comment
2:0:1:2:1:100:70:0
"""
PCF = """\
DEFAULT_OPTIONS

LEVEL               THREAD

STATES
0    Idle
1    Running
2    Not created

EVENT_TYPE
0    70    Calls
VALUES
0    End
1    one
2    a name  of words: 7

EVENT_TYPE
9    80    Bytes
0    90    Level
"""
ROW = """\
LEVEL NODE SIZE 1
host

LEVEL TASK SIZE 2
TASK 1.1
TASK 1.2

LEVEL THREAD SIZE 3
THREAD 1.1.1
THREAD 1.2.1
CUDA-D0.S7
"""
# Of each file: what is replaced, and by what.
FAULTS = {
    ".prv": [
        ("#Paraver", "#paraver"),
        ("01/02/2026", "01/13/2026"),
        ("100_ns", "9007199254740993_ns"),
        ("1(4)", "2(4)"),
        (":1(4):", ":"),
        (":1:2(1:1,2:1),1", ":1:2:(1:1,2:1),1"),
        ("2(1:1,2:1)", "3(1:1,2:1)"),
        ("2(1:1,2:1)", "2(1:1,2:2)"),
        ("2(1:1,2:1)", "2(1:1,0:1)"),
        ("2(1:1,2:1)", "2(1:1,65535:1)"),
        ("),1\n", "),1;\n"),
        ("c:1:1:2:1:2", "c:1:1:3:1:2"),
        ("1:0:1:1:1:0:40:1", "1:0:1:1:1:0:41:1"),
        ("1:0:1:1:1:0:40:1", "1:0:1:1:1:0:40:9"),
        ("1:0:1:1:1:0:40:1", "1:0:1:1:1:0:40"),
        ("2:2:1:1:1:0", "2:5:1:1:1:0"),
        ("2:2:1:1:1:0", "2:2:1:1:2:0"),
        ("2:2:1:1:1:0", "2:2:1:3:1:0"),
        ("2:2:1:1:1:0", "2:2:2:1:1:0"),
        ("2:2:1:1:1:0:70:1", "2:2:1:1:1:0:70:3"),
        ("2:2:1:1:1:0:70:1", "2:2:1:1:1:0:71:1"),
        (":90:-5", ":90:-05"),
        (":90:-5", ":90:5.0"),
        (":90:-5", ":90"),
        (":90:-5", ":70:1"),
        ("9223372036854775807", "9223372036854775808"),
        ("3:0:1:1:1:10:12:4", "3:0:1:1:1:10:9:4"),
        ("30:30:4096", "30:101:4096"),
        ("4096:7", "-1:7"),
        ("4096:7", "4096"),
        ("1:2:2:30", "1:2:3:30"),
        ("10:70:0\n2:0:1:1:1:10:70:2\n2:0:1:1:1:10:70:0", "10:70:2\n2:0:1:1:1:10:70:0\n2:0:1:1:1:10:70:0"),
        ("2:0:1:1:1:10:70:2\n2:0:1:1:1:10:70:0", "2:0:1:1:1:10:70:0\n2:0:1:1:1:10:70:2"),
        ("2:0:1:1:1:10:70:0\n2:0:1:1:1:10:70:2\n", "2:0:1:1:1:10:70:2\n"),
        ("1:40:100:2", "1:9:100:2"),
        ("1:40:100:2", "1:40:101:2"),
        ("2:0:1:2:1:100:70:0\n", ""),
        ("2:0:1:2:1:100:70:0\n", "2:0:1:2:1:100:70:0"),
        ("2:0:1:2:1:100:70:0", "4:0:1:2:1:100:70:0"),
        ("2:0:1:2:1:100:70:0", "2:0:1:2:1:101:70:0"),
    ],
    ".pcf": [
        ("LEVEL               THREAD\n\n", "LEVEL               THREAD\n \n"),
        ("1    one", "1    o\tne"),
        ("1    one\n", "1\n"),
        ("1    one", "2    one"),
        ("1    one", "2147483648    one"),
        ("9    80    Bytes", "9    70    Bytes"),
        ("9    80    Bytes", "9    2147483648    Bytes"),
        ("9    80    Bytes", "a    80    Bytes"),
        ("9    80    Bytes\n", ""),
        ("EVENT_TYPE\n0    70    Calls\n", ""),
    ],
    ".row": [
        ("SIZE 2", "SIZE 1"),
        ("SIZE 3", "SIZE 4"),
        ("LEVEL TASK", "LEVEL TASKS"),
        ("LEVEL NODE SIZE 1\nhost\n", "LEVEL NODE SIZE 2\nhost\nhost2\n"),
        ("CUDA-D0.S7\n", ""),
    ],
}


def faults(folder, texts):
    for ending, text in texts.items():
        (folder / f"t{ending}").write_text(text, encoding="utf-8")
    return validate.Trace(folder / "t.prv").faults


def main():
    failures = []
    texts = {".prv": PRV, ".pcf": PCF, ".row": ROW}
    planted = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        found = faults(folder, texts)
        if found:
            failures.append(f"a valid trace: {found}")
        for ending, cases in FAULTS.items():
            for before, after in cases:
                planted += 1
                assert before in texts[ending], before
                changed = {**texts, ending: texts[ending].replace(before, after, 1)}
                if not faults(folder, changed):
                    failures.append(f"not found in {ending}: {before!r} as {after!r}")
    golden = DATA / "ranks/paraver/dlrm_1_3.prv"
    if golden.exists():
        trace = validate.Trace(golden)
        known = json.loads(golden.with_suffix(".sums.json").read_text())
        if trace.faults or trace.counts[3] != known["communications"]:
            failures.append(f"{golden}: {trace.faults}")
        failures += [f"{golden}: sums of {kind}" for kind, sums in known["types"].items() if trace.sums[kind] != sums]
    print("\n".join(failures))
    print(f"{planted} planted faults, {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
