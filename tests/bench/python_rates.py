#!/usr/bin/env python3
"""Processor time of `import kr` against pandas, whole processes, the least of three: pandas and `re` (pandas_loop.py) on a CSV
of nsys, and json and data frames (kineto_frames.py) on a trace of PyTorch; and of kr.classify for a million names, the
least of five.

    tests/bench/make_large.py 1000000 TRACE.csv
    PYTHONPATH=build/python KR_PATH=. tests/bench/python_rates.py [TRACE.csv] [TRACE.json.gz]
    bench_label_names                                                the same names in C++
"""
import pathlib
import resource
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
CSV = """
import sys, kr
session = kr.report(sys.argv[1], rules=kr.Rules.load("vllm"), engine="vllm", model="llama")
session.tables["kernels"].to_pandas().to_csv(sys.argv[2], index=False)
"""
KINETO = """
import sys, kr
session = kr.report(sys.argv[1])
kernels, devices = (one.to_pandas() for one in session.read(["kernels", "devices"]))
kernels.to_csv(sys.argv[2], index=False)
print(kernels["total_ns"].sum(), devices["busy_ns"].sum())
"""
# The same tables as rows of Python.
CSV_ROWS = """
import sys, kr
session = kr.report(sys.argv[1], rules=kr.Rules.load("vllm"), engine="vllm", model="llama")
session.tables["kernels"].rows()
"""
KINETO_ROWS = """
import sys, kr
session = kr.report(sys.argv[1])
for table in session.read(["kernels", "devices"]):
    table.rows()
"""


def measured(command):
    """The seconds of a process, and what it printed."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    tries = []
    for _ in range(3):
        before = used()
        printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        tries.append(used() - before)
    return min(tries), printed


def compare(what, baseline, program, rows, trace):
    slow, expected = measured([sys.executable, *baseline, "/dev/null"])
    fast, found = measured([sys.executable, "-c", program, trace, "/dev/null"])
    # Numbers of the baseline are of doubles.
    for one, other in zip(map(int, expected.split()), map(int, found.split())):
        assert abs(one - other) <= 0.001 * other, (expected, found)
    only_rows, _ = measured([sys.executable, "-c", rows, trace])
    print(f"{trace}: {what}: {slow:.2f} s; import kr: {fast:.2f} s; ratio {slow / fast:.1f}; without pandas: {only_rows:.2f} s", flush=True)


def classify(names, what, rules):
    tries = []
    for _ in range(5):
        began = time.process_time()
        rules.classify(names, engine="vllm", model="llama")
        tries.append(time.process_time() - began)
    print(f"kr.classify of a million names, {what}: {1000 * min(tries):.0f} ms", flush=True)


def main():
    if sys.argv[1:]:
        print(f"import pandas: {measured([sys.executable, '-c', 'import pandas'])[0]:.2f} s", flush=True)
    for trace in sys.argv[1:]:
        if trace.endswith(".csv"):
            compare("pandas and re", [HERE / "pandas_loop.py", trace, HERE.parent / "data/gputrc2graph_tables.json",
                                      "vllm", "llama"], CSV, CSV_ROWS, trace)
        else:
            compare("json and data frames", [HERE / "kineto_frames.py", trace], KINETO, KINETO_ROWS, trace)

    import kr
    try:
        import numpy
    except ImportError:
        numpy = None

    rules = kr.Rules.load("vllm")
    with open(HERE.parent / "data/names.tsv", encoding="utf-8") as file:
        some = [line.split("\t")[0] for line in file][1:]
    million = range(1_000_000)
    few = [some[i % len(some)] for i in million]
    classify(few, f"{len(some)} distinct, list", rules)
    if numpy:
        classify(numpy.array(few, dtype=object), f"{len(some)} distinct, array of objects", rules)
    # Equal texts that are different objects, as a parser makes them.
    few = ["".join((one[:1], one[1:])) for one in few]
    classify(few, f"{len(some)} distinct, list of as many objects", rules)
    if numpy:
        classify(numpy.array(few, dtype=object), f"{len(some)} distinct, array of as many objects", rules)
    del few
    for width in (64, 128, 256, 768) if numpy else ():
        cells = numpy.array([one[:width] for one in some])[numpy.arange(len(million)) % len(some)]
        classify(cells, f"{len(some)} distinct, array of texts of {width} letters ({cells.nbytes / 1e9:.1f} GB)", rules)
        del cells
    all_distinct = [f"{some[i % len(some)]}<{i}>" for i in million]
    classify(all_distinct, "all distinct, list", rules)
    if numpy:
        classify(numpy.array(all_distinct, dtype=object), "all distinct, array of objects", rules)
        cells = numpy.array(all_distinct)
        del all_distinct
        classify(cells, f"all distinct, array of texts of {cells.itemsize // 4} letters", rules)


if __name__ == "__main__":
    main()
