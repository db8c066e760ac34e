#!/usr/bin/env python3
"""Processor time of `import kr` against pandas and `re` (pandas_loop.py) on the same CSV of nsys, whole processes, the
least of three; and of kr.classify for a million names, the least of five.

    PYTHONPATH=build/python KR_PATH=. tests/bench/python_rates.py TRACE.csv
    bench_label_names                                                          the same names in C++
"""
import pathlib
import resource
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
KR = """
import sys, kr
session = kr.report(sys.argv[1], rules=kr.Rules.load("vllm"), engine="vllm", model="llama")
session.tables["kernels"].to_pandas().to_csv(sys.argv[2], index=False)
"""


def seconds(command):
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    tries = []
    for _ in range(3):
        before = used()
        subprocess.run(command, check=True)
        tries.append(used() - before)
    return min(tries)


def main():
    trace = sys.argv[1]
    slow = seconds([sys.executable, HERE / "pandas_loop.py", trace, HERE.parent / "data/gputrc2graph_tables.json",
                    "vllm", "llama", "/dev/null"])
    fast = seconds([sys.executable, "-c", KR, trace, "/dev/null"])
    print(f"pandas and re: {slow:.2f} s; import kr: {fast:.2f} s; ratio {slow / fast:.0f}", flush=True)

    import kr

    rules = kr.Rules.load("vllm")
    with open(HERE.parent / "data/names.tsv", encoding="utf-8") as file:
        some = [line.split("\t")[0] for line in file][1:]
    for what, names in (
        (f"{len(some)} distinct", [some[i % len(some)] for i in range(1_000_000)]),
        ("all distinct", [f"{some[i % len(some)]}<{i}>" for i in range(1_000_000)]),
    ):
        forms = {"list": names}
        try:
            import numpy

            forms["numpy array of objects"] = numpy.array(names, dtype=object)
            forms["numpy array of texts"] = numpy.array(names)
        except ImportError:
            pass
        for form, given in forms.items():
            tries = []
            for _ in range(5):
                began = time.process_time()
                rules.classify(given, engine="vllm", model="llama")
                tries.append(time.process_time() - began)
            print(f"kr.classify of a million names, {what}, {form}: {1000 * min(tries):.0f} ms", flush=True)


if __name__ == "__main__":
    main()
