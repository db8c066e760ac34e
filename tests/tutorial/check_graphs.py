#!/usr/bin/env python3
"""Does what docs/graphs.md describes (see check_tutorial.py): on the traces of tests/cli/graphs.txtar, and on the shared
data, which prints what the page shows, if there is any.

    KR=build/tools/kr/kr tests/tutorial/check_graphs.py
"""
import os
import pathlib
import shutil
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests" / "cli"))
import check_tutorial  # noqa: E402
import run as sessions  # noqa: E402

DATA = TOP.parent / "shared" / "data"
AT_LEAST = 10


def small(folder):
    """What the page calls its files, of the session's. The content tells the format, not the name."""
    sessions.Session(TOP / "tests/cli/graphs.txtar").write_files(folder)
    for name, source in (("decode", "replay"), ("capture", "capture"), ("eager", "gap")):
        (folder / f"{source}.json").rename(folder / f"{name}.json.gz")


def shared(folder):
    for name, source in (("decode", "graphs/sglang_decode.replay"), ("capture", "graphs/sglang_decode.capture"),
                         ("eager", "kineto/sglang_prefill")):
        shutil.copy(DATA / f"{source}.json.gz", folder / f"{name}.json.gz")


def main():
    kr = pathlib.Path(os.environ["KR"]).resolve()
    page = TOP / "docs" / "graphs.md"
    wrong = []
    for make in [small] + ([shared] if DATA.is_dir() else []):
        count, more = check_tutorial.check(page, kr, make, outputs=make is shared)
        wrong += [f"{page.name}:{one}\n" for one in more]
        if count < AT_LEAST:
            wrong.append(f"only {count} commands: is the page read correctly?")
    print("\n".join(wrong) or f"{count} commands of the page: all run")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
