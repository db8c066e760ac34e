#!/usr/bin/env python3
"""Small rules files that need much work (generators.py), with every verb that reads rules.
None may take much processor time or memory, crash, or fail except for errors in the file.

check_growth.py [--long] [GENERATOR...]: `--long` uses eight times the sizes, to run by hand."""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import generators  # noqa: E402

KR = os.environ["KR"]
# Processor seconds, a generous limit: with --long more. Work that grows with 2^n takes hours at these sizes.
SECONDS = 20
LONG_SECONDS = 60
TRACE = "Start (ns),Duration (ns),Device,Strm,Name\n" + "".join(
    f"{i * 1000},500,GPU (0),7,x{i} x0 name{i} z\n" for i in range(20))

VERBS = {
    "lint": ["lint", "FILE"],
    "lint --info": ["lint", "--info", "FILE"],
    "lint --fix": ["lint", "--unsafe-fixes", "--diff", "FILE"],
    "fmt": ["fmt", "--check", "FILE"],
    "test": ["test", "--coverage", "FILE"],
    "why": ["why", "z x0 x1 name1", "--rules", "FILE", "--engine", "ENGINE", "--model", "default"],
    "export": ["export", "FILE", "--format", "engine-model-json"],
    "compile": ["compile", "FILE", "-o", "out.krdb"],
    "report": ["report", "trace.csv", "--rules", "FILE", "--format", "json"],
    "classify": ["classify", "trace.csv", "--rules", "FILE", "--format", "csv"],
    "coverage": ["coverage", "trace.csv", "--rules", "FILE"],
    "diff": ["diff", "FILE", "other.kr"],
}

# Shared patterns and tables written out are 2^100 parts. Others grow with their size.
SIZES = {"shared": 100, "tables": 100, "many": 100, "nth": 39}


def size_of(name, options):
    size = next((size for head, size in SIZES.items() if name.startswith(head)), 40)
    return size if name.startswith(("shared", "tables_twice")) else size * (8 if options.long else 1)


def check_verb(what, arguments, folder, most_seconds):
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (most_seconds, most_seconds))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([KR, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit,
                         check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Findings and errors in the rules are fine; signals are not.
    assert run.returncode in (0, 1, 2), (
        f"{what}: status {run.returncode}\n{run.stderr.decode(errors='replace')[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("generators", nargs="*")
    parser.add_argument("--long", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        (folder / "trace.csv").write_text(TRACE)
        for generator in generators.ALL:
            if options.generators and generator.__name__ not in options.generators:
                continue
            size = size_of(generator.__name__, options)
            text = generator(size)
            (folder / "rules.kr").write_text(text)
            (folder / "other.kr").write_text(text.replace("x1", "x2").replace("name1", "nam1"))
            engine = "e0" if "engine e0" in text else "e"
            for verb, written in VERBS.items():
                arguments = [{"FILE": "rules.kr", "ENGINE": engine}.get(one, one) for one in written]
                seconds = check_verb(f"{generator.__name__}({size}), {verb}", arguments, folder,
                                     LONG_SECONDS if options.long else SECONDS)
                if options.long or seconds > 5:
                    print(f"{generator.__name__}({size}) {verb}: {seconds:.2f} s", flush=True)


if __name__ == "__main__":
    main()
