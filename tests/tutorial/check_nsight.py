#!/usr/bin/env python3
"""Runs the commands of kr in the part of docs/nsight.md about ncu: on the files of tests/cli/ncu.txtar, and on the shared
data if there is any.

    KR=build/tools/kr/kr tests/tutorial/check_nsight.py
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
SHARED = TOP.parent / "shared/data/nsys"
PART = "## From ncu to what to optimize first\n"
AT_LEAST = 3


def commands():
    text = (TOP / "docs" / "nsight.md").read_text(encoding="utf-8")
    part = text.split(PART, 1)[1].split("\n## ", 1)[0]
    blocks = re.findall(r"^```\n(.*?)^```", part, re.S | re.M)
    return [line for block in blocks for line in block.splitlines() if line.startswith("kr ")]


def small(folder):
    """What the page calls its files, of the session's. The content tells the format, not the name."""
    text = (TOP / "tests/cli/ncu.txtar").read_text(encoding="utf-8")
    files = dict(re.findall(r"^-- (\S+) --\n(.*?)(?=^-- |\Z)", text, re.S | re.M))
    (folder / "pages").mkdir()
    for name, source in (("run.sqlite", "run.csv"), ("raw.csv", "light.csv"), ("details.csv", "roofs.csv"),
                         ("pages/light.csv", "light.csv"), ("pages/roofs.csv", "roofs.csv")):
        (folder / name).write_text(files[source], encoding="utf-8")


def shared(folder):
    (folder / "pages").mkdir()
    for name, source in (("run.sqlite", "power_iteration__baseline.sqlite"), ("raw.csv", "dsocr.ncu_raw.constructed.csv"),
                         ("details.csv", "dsocr_k0005.ncu_details_all.constructed.csv"),
                         ("pages/a.csv", "dsocr_k0001.ncu_details_all.constructed.csv"),
                         ("pages/b.csv", "dsocr_k0007.ncu_roofline_section.csv")):
        shutil.copy(SHARED / source, folder / name)


def main():
    lines = commands()
    wrong = [] if len(lines) >= AT_LEAST else [f"only {len(lines)} commands: is the page read correctly?"]
    for make in [small] + ([shared] if SHARED.is_dir() else []):
        for line in lines:
            with tempfile.TemporaryDirectory() as name:
                make(pathlib.Path(name))
                done = subprocess.run([os.path.abspath(os.environ["KR"]), *shlex.split(line)[1:]], cwd=name, capture_output=True,
                                      check=False)
            out = done.stdout.decode(errors="replace")
            if done.returncode != 0 or "measured" not in out:
                wrong.append(f"{make.__name__}: {line}: exit {done.returncode}: {done.stderr.decode(errors='replace')}{out}")
    print("\n".join(wrong) or f"{len(lines)} commands of the page: all run")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
