#!/usr/bin/env python3
"""The output of `kr export` gives names the same labels with first-match `re.search` as `kr classify`.

Beyond ASCII, Python matches characters and has more letters, so expressions that depend on either (`\\b`, `.`) are
checked with ASCII names only. For every shipped ruleset and for rules that use all of the language; `kr import` reads
exports of plain tables again. Python is slow: each ruleset is checked with another quarter of the names, and with all
of them if KR_LONG is set.
"""

import json
import os
import random
import sys
import tempfile
from pathlib import Path

import tables
from tables import names

RULESETS = ["vllm", "sglang", "generic", "gputrc2graph"]

EVERYTHING = r"""
pattern reduce = "reduce"i & !"cross"
engine all {
  substage {
    exact:   ^"ab"$ | ^"ba" | "abc"$
    folded:  "aB"i & /b+a?/i
    both:    "a" & !("b" | "c" & !^"c") & !@memcpy
    regex:   /^(a|b)c{2,3}[^a-c\n]/ | /\bd\w*\./ | /x\/y$/ | /[\]\-^]/
    odd:     /\B.\B/ & /[^a]$/ & "(" 
    accents: "é" | "日本"i
    memory:  @memcpy & !"HtoD" | @memset
    kernels: @kernel & ("c" | reduce)
    rest:    otherwise
  }
  model left {
    substage {
      never:  "a" & !"a"
      always: !(!/a.*b/ | "c") 
    }
  }
}
"""


def part_of(rows, place):
    return rows if os.environ.get("KR_LONG") else rows[place :: len(RULESETS)]


def check(folder, ruleset, dimension, rows):
    output = folder / "export.json"
    tables.run("export", ruleset, "--dimension", dimension, "--force", "-o", str(output))
    wrong = 0
    for engine, models in json.loads(output.read_text(encoding="utf-8")).items():
        for model, rules in models.items():
            answers = names.classify(rows, engine, model, [ruleset])
            title = f"{engine}/{model} {dimension}"
            wrong += tables.compare(title, rows, answers, dimension, rules.items())
    return wrong


def check_there_and_back(folder, rows):
    """gputrc2graph exported, imported and exported again."""
    first, rules, second = folder / "1.json", folder / "again.kr", folder / "2.json"
    tables.run("export", "gputrc2graph", "-o", str(first))
    tables.run("import", str(first), "-o", str(rules))
    tables.run("export", str(rules), "-o", str(second))
    before, after = (json.loads(file.read_text(encoding="utf-8")) for file in (first, second))
    wrong = 0
    for engine, models in before.items():
        for model, patterns in models.items():
            again = after[engine][model].items()
            for row in rows:
                name = row["name"]
                wrong += tables.first_match(patterns.items(), name) != tables.first_match(again, name)
    print(f"exported and imported again: {wrong} names differ")
    return wrong


def main():
    random.seed(20240229)
    short = {"".join(random.choices("abcABC_.( \n/]d", k=random.randrange(1, 7))) for _ in range(1500)}
    rows = tables.subjects(["日本 gemm", "日本", "x/y", "ab", "[CUDA memcpy HtoD]b", "aBc", *short])
    # A CSV file cannot contain a name of only blanks.
    rows = [row for row in rows if row["name"].strip()]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        everything = folder / "everything.kr"
        everything.write_text(EVERYTHING, encoding="utf-8")
        wrong = check(folder, str(everything), "substage", rows)
        for place, ruleset in enumerate(RULESETS):
            wrong += check(folder, ruleset, "substage", part_of(rows, place))
        wrong += check(folder, "vllm", "stage", part_of(rows, 1))
        wrong += check_there_and_back(folder, rows)
    sys.exit(1 if wrong else 0)


main()
