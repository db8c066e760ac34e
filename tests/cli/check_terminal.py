#!/usr/bin/env python3
"""Output to a terminal: no path, name, title or text of rules can control the terminal. The test runs every
verb on files whose names and contents have many control sequences. Text output never contains one, for any
destination; on a terminal no format does.

    KR=build/tools/kr/kr tests/cli/check_terminal.py
"""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

KR = os.path.abspath(os.environ["KR"])
# A title, a cleared screen, a colour, a return, a bell, C1 in UTF-8 and as single bytes, a reversed direction.
EVIL = "\x1b]0;owned\x07\x1b[2J\x1b[31m\r\x08\u009b2J\u202e"
# In a file name: no slash, no comma.
NAME = "e" + EVIL + "vil"

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f\u2028\u2029\ufeff]")

TRACE = ("Start (ns),Duration (ns),CorrId,Device,Strm,Name\n"
         f'1000,500,1,0,7,"gemm{EVIL}"\n1600,50,2,0,7,"relu{EVIL}"\n')
SLOWER = TRACE.replace("500", "900").replace("relu", "tanh")


def rules(engine, pattern):
    return f"""## A file {EVIL}
pattern p = "{pattern}{EVIL}"
labels substage {{ gemm "Products {EVIL}" color "#b40000" misc "Rest {EVIL}" }}
## An engine {EVIL}
engine {engine} "E {EVIL}" {{
  detect: "{pattern}{EVIL}"
  ## A model {EVIL}
  model m "M {EVIL}" {{
    substage {{ gemm: p
  gemm: "{pattern}{EVIL}" & "x"
      misc: otherwise }}
  }}
}}
test {engine}/m {{
  "gemm{EVIL}" => substage misc
  "x" => substage gemm
}}
"""


BAD = f'engine e "E {EVIL}" {{ substage {{ gemm: unknown_{EVIL} \n'
TABLE = {"vllm": {f"llama{EVIL}": {f"gemm{EVIL}": f"la{EVIL}bel", "(?=x)" + EVIL: "misc", "": "misc"}}}


def kineto(factor):
    def x(category, name, start, length, **args):
        return {"ph": "X", "cat": category, "name": name + EVIL, "pid": 1, "tid": 1, "ts": start, "dur": length, "args": args}
    events = [x("user_annotation", "step[DECODE]", 0, 100), x("python_function", "nn.Module: Model_0", 5, 80),
              x("python_function", "nn.Module: Attention_0", 10, 30), x("cuda_runtime", "cudaLaunchKernel", 12, 4, correlation=1),
              x("kernel", "gemm", 20, 10 * factor, correlation=1, device=0, stream=7),
              x("kernel", "ncclAllReduce", 60, 10 * factor, correlation=2, device=0, stream=7)]
    return json.dumps({"traceEvents": events, "distributedInfo": {"rank": factor - 1, "world_size": 2, "backend": "nccl" + EVIL}})


def make_inputs(folder):
    for name, text in (("t.csv", TRACE), ("u.csv", SLOWER), ("a.kr", rules("e", "gemm")), ("b.kr", rules("e", "relu")),
                       ("bad.kr", BAD), ("t.json", json.dumps(TABLE)), ("k.json", kineto(1)), ("l.json", kineto(2)),
                       ("names.txt", f"gemm{EVIL}\nrelu{EVIL}\n"), ("noise.csv", f"Start (ns){EVIL}\n"),
                       ("broken.csv", TRACE.replace("1600", f"x{EVIL}"))):
        (folder / (NAME + name)).write_text(text, encoding="utf-8")
    nsys = folder / NAME
    nsys.write_text(f"#!/bin/sh\nprintf '%b' 'no \\033[2J \\007' >&2\nexit 3\n", encoding="utf-8")
    nsys.chmod(0o755)
    (folder / "r.nsys-rep").write_bytes(b"\x00\x01\x02report")
    (folder / (NAME + "empty")).mkdir()
    (folder / (NAME + "cupti")).mkdir()
    (folder / (NAME + "cupti") / (NAME + "kernel.csv")).write_text(f"start,end,name\n1,2,gemm{EVIL}\n", encoding="utf-8")
    (folder / (NAME + "cupti") / (NAME + "other.csv")).write_text("a,b\n1,2\n", encoding="utf-8")


def f(name):
    return NAME + name


A, B = ["--rules", f("a.kr")], ["--rules", f("b.kr")]
# Text output.
TEXTS = [
    *([verb, f(trace), *A, *more] for trace in ("t.csv", "k.json", "cupti", "none.csv", "noise.csv", "broken.csv", "empty")
      for verb, more in (("report", ["--format", "table"]), ("classify", ["--format", "table"]), ("analyze", ["--all"]), ("coverage", []))),
    ["report", f("t.csv"), f("u.csv"), *A, "--format", "table", "--title", EVIL],
    ["report", f("t.csv") + ",e,m," + EVIL, *A], ["report", f("t.csv") + "," + EVIL + ",m", *A],
    ["report", f("t.csv") + ",e," + EVIL, *A], ["report", f("t.csv"), *A, "--by", EVIL],
    ["report", f("t.csv"), *A, "--format", EVIL], ["report", f("t.csv"), *A, "--out-dir", f("dir")],
    ["report", f("t.csv"), *A, "--format", "html,csv,json,sqlite,perfetto", "--out-dir", f("dir")],
    ["report", f("t.csv"), *A, "--format", "csv", "-o", f("none") + "/x"], ["report", f("t.csv"), *A, "--format", "csv", "-o", f("t.csv")],
    ["report", "r.nsys-rep", *A, "--nsys-cmd", "./" + NAME], ["report", "r.nsys-rep", *A, "--nsys-cmd", NAME + "none"],
    ["report", f("t.csv"), "--rules", EVIL], ["report", f("t.csv"), "--rules", f("bad.kr")],
    ["report", f("t.csv"), *A, *B], ["report", f("t.csv"), "--rules", f("none.krdb")],
    ["analyze", f("k.json"), f("l.json"), *A, "--all"], ["analyze", f("k.json"), f("l.json"), *A, "--tables",
     "ranks,rank_balance,rank_steps,rank_step_balance,collectives,collective_balance,label_balance"],
    ["analyze", f("k.json"), f("l.json"), *A, "--format", "markdown"], ["report", f("t.csv"), f("u.csv"), *A, "--format", "markdown"],
    ["classify", f("t.csv"), *A, "--format", "markdown"], ["tree", f("k.json"), *A, "--format", "markdown"],
    ["coverage", f("t.csv"), *A, "--format", "markdown"], ["why", "gemm" + EVIL, "--engine", "e", "--model", "m", *A, "--format", "markdown"],
    ["diff", f("t.csv"), f("u.csv"), *A, "--format", "markdown"], ["diff", f("a.kr"), f("b.kr"), "--format", "markdown"],
    ["report", f("k.json"), *A, "--tables", "labels,operations,host_calls,host_ranges,kernels", "--all"],
    ["why", "gemm" + EVIL, "--engine", "e", "--model", "m", *A, "--tables", "explanations,explanation_alternatives", "--all"],
    ["analyze", f("t.csv"), f("u.csv"), *A, "--only", EVIL],
    ["tree", f("k.json"), *A], ["tree", f("k.json"), *A, "--level", "kernel", "--by", "substage"], ["tree", f("k.json"), *A, "--fold", EVIL],
    ["tree", f("k.json"), *A, "--phase", EVIL], ["tree", f("k.json"), *A, "--out-dir", f("trees")], ["tree", f("t.csv"), *A],
    ["tree", f("k.json"), *A, "--compat"],
    ["why", "gemm" + EVIL, "--engine", "e", "--model", "m", *A], ["why", "gemm" + EVIL, *A], ["why", "x", "--engine", EVIL, *A],
    ["why", "gemm" + EVIL, "--engine", "e", "--within", EVIL, *A],
    ["lint", f("a.kr"), "--info"], ["lint", f("a.kr"), f("b.kr"), "--format", "concise"], ["lint", f("bad.kr")], ["lint", f("empty")],
    ["lint", f("none.kr")], ["lint", f("a.kr"), "--select", EVIL],
    ["test", f("a.kr")], ["test", f("a.kr"), "--coverage"], ["test", f("bad.kr")],
    ["diff", f("a.kr"), f("b.kr")], ["diff", f("a.kr"), f("b.kr"), "--run", f("t.csv"), "--names", f("names.txt"), "--all"],
    ["diff", f("t.csv"), f("u.csv"), *A], ["diff", f("k.json"), f("l.json"), *A], ["diff", f("k.json"), f("l.json"), *A, "--level", "module"],
    ["diff", f("t.csv"), f("a.kr")], ["diff", f("a.kr"), EVIL],
    *(["list", what, *A] for what in ("engines", "models", "labels", "patterns", "modules", "rulesets", "checks", "tables", "columns", EVIL)),
    ["import", f("t.json")], ["import", f("t.json"), "-o", f("made.kr")], ["import", f("none.json")], ["import", f("t.json"), "--engine", EVIL],
    ["export", f("a.kr"), "-o", f("made.json")], ["export", f("a.kr"), "--skip-inexpressible", "-o", f("made.json")],
    ["export", f("a.kr"), "--dimension", EVIL],
    ["compile", f("a.kr"), "-o", f("made.krdb")], ["compile", f("bad.kr"), "-o", f("made.krdb")],
    ["init", EVIL], ["init", "mine", "-o", f("mine.kr")], ["init", "mine", "-o", f("mine.kr")],
    ["fmt", f("bad.kr"), "--check"], ["fmt", f("none.kr")],
    ["explain", EVIL], [EVIL], ["report", "--" + EVIL], ["--" + EVIL], ["completions", EVIL],
]
# For programs: unchanged, except on a terminal.
FORMATS = [
    ["report", f("t.csv"), *A, "--format", "csv"], ["report", f("t.csv"), *A, "--format", "json"], ["report", f("t.csv"), *A, "--format", "perfetto"],
    ["classify", f("t.csv"), *A, "--format", "csv"], ["classify", f("t.csv"), *A, "--format", "jsonl"],
    ["classify", f("t.csv"), *A, "--format", "csv", "--each"],
    ["analyze", f("k.json"), *A, "--tables", "kernels_by_device", "--format", "csv"], ["analyze", f("k.json"), *A, "--format", "json"],
    ["tree", f("k.json"), *A, "--format", "csv"], ["tree", f("k.json"), *A, "--format", "json"],
    ["fmt", f("a.kr"), "--check"], ["fmt", f("a.kr"), "--diff"], ["lint", f("a.kr"), "--diff", "--unsafe-fixes"],
    ["report", f("t.csv"), *A, "--format", "jsonl"], ["analyze", f("k.json"), *A, "--format", "jsonl"],
    ["report", f("t.csv"), *A, "--tables", "operations", "--format", "csv"],
    ["diff", f("t.csv"), f("u.csv"), *A, "--format", "json"], ["diff", f("a.kr"), f("b.kr"), "--format", "jsonl"],
    ["why", "gemm" + EVIL, "--engine", "e", "--model", "m", *A, "--format", "json"],
    *(["list", what, *A, "--format", form] for what in ("models", "labels", "patterns") for form in ("json", "csv", "jsonl")), ["coverage", f("t.csv"), *A, "--format", "json"],
    *(["lint", f("a.kr"), "--info", "--format", name] for name in ("json", "sarif", "github", "junit")),
]
failures = []
checks = 0


def controls(text):
    return sorted(set(CONTROL.findall(text)))


def check(words, text, what):
    global checks
    checks += 1
    found = controls(text)
    if not found:
        return
    failures.append(words)
    at = CONTROL.search(text).start()
    print(f"FAILED: {what} of kr {' '.join(words)!r}: {found}, in {text[max(0, at - 60):at + 40]!r}")


def in_pipes(folder, words, environment):
    done = subprocess.run([KR, *words], cwd=folder, env=environment, capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
    check(words, done.stdout.decode("utf-8", "replace"), "standard output")
    check(words, done.stderr.decode("utf-8", "replace"), "standard error")
    if done.returncode not in (0, 1, 2):
        failures.append(words)
        print(f"FAILED: kr {words}: exit {done.returncode}")


def on_terminal(folder, words, environment):
    main, other = pty.openpty()
    process = subprocess.Popen([KR, "--color", "always", "--progress", "never", *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                               stdout=other, stderr=other)
    os.close(other)
    text = b""
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    os.close(main)
    process.wait(60)
    # The terminal adds a carriage return to a line feed; colours come from kr.
    shown = text.decode("utf-8", "replace").replace("\r\n", "\n")
    check(words, re.sub("\x1b\\[[0-9;]*m", "", shown), "terminal")


def main():
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        make_inputs(folder)
        environment = {"PATH": os.environ["PATH"], "HOME": work, "LC_ALL": "C.UTF-8", "KR_CACHE_DIR": str(folder / "cache"), "TERM": "xterm",
                       **{name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "KR_PATH") if name in os.environ}}
        loads = subprocess.run([KR, "list", *A], cwd=folder, env=environment, capture_output=True, check=False)
        assert loads.returncode == 0, loads.stderr
        for words in TEXTS:
            in_pipes(folder, words, environment)
        for words in TEXTS + FORMATS:
            on_terminal(folder, words, environment)
    print(f"{checks} checks, {len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
