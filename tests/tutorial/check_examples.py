#!/usr/bin/env python3
"""Does what a page describes on the traces in examples/ (see check_tutorial.py), and runs the commands in its sentences, too.
Without a page: make_examples.py makes the traces that are there.

    KR=build/tools/kr/kr tests/tutorial/check_examples.py [PAGE]
"""
import gzip
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = TOP / "examples"
sys.path.insert(0, str(TOP / "tests" / "tutorial"))
import check_tutorial  # noqa: E402

AT_LEAST = 5  # commands of a page


def check_page(page):
    kr = pathlib.Path(os.environ["KR"]).resolve()
    count, wrong = check_tutorial.check(page, kr, lambda folder: (folder / "examples").symlink_to(EXAMPLES))
    for command in re.findall(r"`(kr [^`]*examples/[^`]*)`", page.read_text(encoding="utf-8")):
        count += 1
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "examples").symlink_to(EXAMPLES)
            done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, check=False,
                                  env={**os.environ, "PATH": f"{kr.parent}:{os.environ['PATH']}"})
        if done.returncode != 0:
            wrong.append(f"`{command}`: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    if count < AT_LEAST:
        wrong.append(f"only {count} commands: is the page read correctly?")
    print(f"{count} commands of {page.name}, {len(wrong)} are wrong")
    return wrong


def check_traces():
    """The content is compared: how it is compressed differs from one zlib to another."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, EXAMPLES / "make_examples.py", folder], check=True)
        made = {path.relative_to(folder): path for path in pathlib.Path(folder).rglob("*.gz")}
        there = {path.relative_to(EXAMPLES): path for path in EXAMPLES.rglob("*.gz")}
        wrong += [f"{name}: only in one of both folders" for name in sorted(made.keys() ^ there.keys())]
        wrong += [f"{name} is not what make_examples.py makes" for name in sorted(made.keys() & there.keys())
                  if gzip.decompress(made[name].read_bytes()) != gzip.decompress(there[name].read_bytes())]
    print(f"{len(there)} traces, {len(wrong)} are wrong")
    return wrong


def main():
    try:
        wrong = check_page(TOP / sys.argv[1]) if len(sys.argv) > 1 else check_traces()
    except check_tutorial.Wrong as what:
        sys.exit(f"{sys.argv[1]}:{what}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
