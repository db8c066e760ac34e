#!/usr/bin/env python3
"""Many threads use everything of `import kr` at once, under ThreadSanitizer, which says where two of them touch the same memory
without an order. Long tests only (KR_LONG): it needs a build of its own, which tools/test --long makes in build-tsan.

    tools/build build-tsan -DCMAKE_BUILD_TYPE=Debug '-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1' -DKR_SANITIZE=thread -DKR_TESTS=OFF -DKR_PYTHON=ON -- kr_python
    KR_LONG=1 KR_SOURCE=. python3 tests/python/check_threads.py [BUILD]
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

SOURCE = pathlib.Path(os.environ["KR_SOURCE"]).resolve()
THREADS = 6


def work(folder):
    """Runs in the Python with ThreadSanitizer."""
    import kr

    traces = sorted(folder.glob("trace*"))
    rules = kr.Rules.load("vllm", "generic")
    names = [line.split("\t")[0] for line in (SOURCE / "tests/data/names.tsv").read_text().splitlines()[1:200]]
    forms = [names, [one + "é" for one in names]]
    try:
        import numpy

        forms.append(numpy.array(names))
    except ImportError:
        pass
    expected = [list(rules.classify(one, engine="vllm")) for one in forms]
    shared = {path: kr.Session(rules, threads=3).add(path, "vllm") for path in traces}
    rows = {path: session.tables["kernels"].rows() for path, session in shared.items()}
    table = next(iter(shared.values())).tables["labels"]
    text = "engine mine { substage { gemm: \"gemm\" misc: otherwise } }"
    failures = []
    together = threading.Barrier(THREADS)

    def use(number):
        def own(path):
            session = kr.Session(rules, threads=2).add(path, "vllm")
            assert session.read(["kernels", "devices"])[0].rows() == rows[path]
            session.save(folder / f"{number}.krun")

        def common(path):
            session = shared[path]
            assert session.read(["kernels"])[0].rows() == rows[path]
            assert session.tables["kernels"].rows() == rows[path]
            session.sql("SELECT substage, sum(elapsed_ns) FROM kernels GROUP BY substage").rows()
            session.absent("steps")
            session.page()

        def no_session(_):
            for form, labels in zip(forms, expected):
                assert list(rules.classify(form, engine="vllm")) == labels
            table.dicts()
            table.__arrow_c_stream__()
            kr.lint(text)
            kr.why(names[number], engine="vllm", rules=rules).rows()
            kr.Rules.load("generic")

        try:
            together.wait()
            for i, path in enumerate(traces):
                for one in range(3):
                    (own, common, no_session)[(one + number + i) % 3](path)
        except BaseException as error:  # noqa
            failures.append(error)
            together.abort()

    threads = [threading.Thread(target=use, args=(number,)) for number in range(THREADS)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    if failures:
        raise failures[0]


def main():
    if not os.environ.get("KR_LONG"):
        print("skipped: a long test (KR_LONG)")
        return 77
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE / "build-tsan").resolve()
    module = build / "python/kr/_kr.abi3.so"
    linked = subprocess.run(["ldd", module], capture_output=True, text=True, check=False).stdout
    library = re.search(r"=> (\S*libtsan\S*)", linked)
    if not library:
        print(f"{module} is missing or has no ThreadSanitizer; build it as the head of {__file__} says")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for form in "csv", "sqlite":
            subprocess.run([sys.executable, SOURCE / "tests/data/make_traces.py", f"--{form}", folder / f"trace.{form}", "--rows",
                            "5000"], check=True)
        subprocess.run([sys.executable, SOURCE / "tests/bench/make_ranks.py", "1", "5000", folder], check=True)
        rank, = folder.glob("rank*")
        rank.rename(folder / "trace.json")
        # Where addresses are random, there may be no room for ThreadSanitizer's.
        done = subprocess.run(["setarch", "-R", sys.executable, __file__, "--inside", folder], capture_output=True, text=True,
                              env={**os.environ, "LD_PRELOAD": library.group(1), "PYTHONPATH": str(build / "python"),
                                   "TSAN_OPTIONS": "exitcode=66 history_size=5"}, check=False)
    reports = done.stderr.count("WARNING: ThreadSanitizer")
    if done.returncode or reports:
        print(done.stdout + done.stderr)
        print(f"exit status {done.returncode}; {reports} reports of ThreadSanitizer")
        return 1
    print(f"{THREADS} threads: no reports")
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        work(pathlib.Path(sys.argv[2]))
    else:
        sys.exit(main())
