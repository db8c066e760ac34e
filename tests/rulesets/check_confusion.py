#!/usr/bin/env python3
"""tools/confusion gives the numbers that were counted by hand: names, time, confusions, exit status."""

import subprocess
import sys
import tempfile
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "confusion"

RULES = """
engine mine {
  substage {
    gemm: "gemm"
    copy: "copy"
    unknown: otherwise
  }
  model big {
    substage { attention: "flash" }
  }
}
"""

LIST = b"""name\tlabel\talso\tkind\tsource\ttotal_ns
a_gemm\tgemm\t\tcompute\tcode:one/two:x.cu\t300000
b "gemm", \xff\xe2\x82\xac 'x'\tgemm\t\tcompute\tcode:one/two:y.cu\t100000
copy_gemm\tcopy\tgemm\tcompute\tone/two:trace\t
gemm_copy_2\tcopy\t\tcompute\tone/two:other\t500000
flash_fwd\tattention\t\tcompute\tone/two\t100000
"""


def run(folder, *options):
    command = [sys.executable, str(TOOL), str(folder / "list.tsv"), "--rules", str(folder / "mine.kr"),
               "--engine", "mine", *options]
    done = subprocess.run(command, capture_output=True, check=False)
    return done.returncode, done.stdout.decode("utf-8") + done.stderr.decode("utf-8")


def main():
    failures = []

    def expect(what, got, *wanted):
        for one in wanted:
            if one not in got[1]:
                failures.append(f"{what}: no {one!r} in:\n{got[1]}")

    def expect_exit(what, got, status):
        if got[0] != status:
            failures.append(f"{what}: exit {got[0]}, not {status}:\n{got[1]}")

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "mine.kr").write_text(RULES, encoding="utf-8")
        (folder / "list.tsv").write_bytes(LIST)
        got = run(folder)
        expect_exit("plain", got, 0)
        expect("plain", got,
               "correct        60.00 % of     5 names   40.00 % of    1.000 ms",
               "unlabelled     20.00 % of     5 names   10.00 % of    1.000 ms",
               "also labels copy 1", "labelled gemm 1", "labelled unknown 1", "also labels attention 1",
               "code:one/two", "flash_fwd",
               f"0.500 ms  copy, not gemm ({folder}/mine.kr:4): gemm_copy_2")
        got = run(folder, "--model", "big", "--worst", "0")
        expect("model", got, "80.00 % of     5 names   50.00 % of    1.000 ms", "mine/big")
        expect_exit("names reached", run(folder, "--min-names", "60", "--min-time", "40"), 0)
        got = run(folder, "--min-names", "60.1", "--min-time", "40.1")
        expect_exit("below", got, 1)
        expect("below", got, "60.00 % of names are correct, not 60.1 %", "40.00 % of time")
        expect_exit("no dimension", run(folder, "--dimension", "stagee"), 2)
        expect_exit("no model", run(folder, "--model", "small"), 2)
        expect_exit("no program", run(folder, "--kr", str(folder / "none")), 2)
        (folder / "list.tsv").write_bytes(LIST.replace(b"500000", b"-5"))
        got = run(folder)
        expect_exit("broken", got, 2)
        expect("broken", got, "list.tsv:5: total_ns is '-5', not a whole number")
        (folder / "list.tsv").unlink()
        expect_exit("no list", run(folder), 2)

    print("\n".join(failures) or "tools/confusion gives the numbers counted by hand")
    sys.exit(1 if failures else 0)


main()
