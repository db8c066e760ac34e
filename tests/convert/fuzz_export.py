#!/usr/bin/env python3
"""The output of `kr export` for random rules gives names the same labels as `kr classify` and `kr why`.

    KR=build/tools/kr/kr tests/convert/fuzz_export.py [CASES [SEED]]

A case is an engine with a model, with expressions of every form that can be exported. Its table in JSON is
evaluated with first-match `re.search`, as in gputrc2graph.py, for all short names over few
characters, random longer ones, functions of C++, and spellings of copies and sets.
"""

import itertools
import json
import random
import re
import sys
import tempfile
from pathlib import Path

import tables
from tables import names

sys.path.insert(0, str(names.ROOT / "tests" / "support"))
from results import Results  # noqa: E402

CASES = 40
SEED = 20240501
KINDS = ["[CUDA memcpy HtoD]", "[CUDA memset]", "Memcpy DtoD (Device -> Device)", "Memset (Device)"]
SHORT = ["".join(one) for size in (1, 2, 3) for one in itertools.product("abA_", repeat=size)]


class Maker:
    """Random expressions, built from the innermost part of a regular expression outwards."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def one_of(self, *choices):
        return self.random.choice(choices)

    def regex(self, depth):
        pick = self.random.randrange(10 if depth > 0 else 3)
        if pick < 3:
            return self.one_of("a", "b", "A", "_", "ab", ".", "[ab]", "[^a]", "[^_-b]", r"\w", r"\d",
                               r"\s", r"\.", r"\n", "[A-Za]", r"\W", "C", r"\x41", r"[\]\-^]")  # fmt: skip
        if pick < 6:
            return self.regex(depth - 1) + self.regex(depth - 1)
        if pick == 6:
            return f"({self.regex(depth - 1)}|{self.regex(depth - 1)})"
        if pick == 7:
            repeat = self.one_of("*", "+", "?", "{2}", "{1,2}", "{0,3}", "*?", "+?", "{1,}")
            return f"(?:{self.regex(depth - 1)}){repeat}"
        if pick == 8:
            return self.one_of("^{}", "{}$", r"\b{}", r"{}\B", r"{}\b", "(^|_){}", "{}(b|$)").format(
                self.regex(depth - 1))  # fmt: skip
        return f"(?i:{self.regex(depth - 1)})"

    def atom(self):
        if self.random.randrange(2):
            text = "".join(self.random.choices("abAB_.(", k=self.random.randrange(1, 4)))
            return self.one_of("", "", "^") + f'"{text}"' + self.one_of("", "i") + self.one_of("", "", "$")
        return f"/{self.regex(self.random.randrange(4))}/" + self.one_of("", "", "i")

    def expression(self, depth):
        pick = self.random.randrange(8 if depth > 0 else 2)
        if pick < 2:
            return self.atom()
        if pick == 2:
            return self.one_of("shared", "other", "@memcpy", "@memset", "@kernel", f"own {self.own(2)}")
        if pick == 3:
            return f"!({self.expression(depth - 1)})"
        operator = " & " if pick < 6 else " | "
        return "(" + operator.join(self.expression(depth - 1) for _ in range(self.one_of(2, 2, 3))) + ")"

    def own(self, depth):
        """An expression that may stand behind `own`."""
        pick = self.random.randrange(6 if depth > 0 else 3)
        if pick < 3:
            part = self.one_of("a", "b", "[ab]", "a.*b", "[^:]*", "::a", "(^|[^a])b", "(^|_)a", "b($|[^a-z])", ".")
            first = part.lstrip("(^")  # `^` stands only at the begin
            return self.one_of(f"/{part}/", f"/{part}$/", "/^a" + ("" if first != part else part) + "/i", f'word "{part[0]}"', '^"a"$', '"b"i$',
                               r"/\bb/", r"/a\b/")  # fmt: skip
        if pick == 3:
            return f"(!{self.own(depth - 1)})"
        return "(" + self.one_of(" & ", " | ").join([self.own(depth - 1), self.own(depth - 1)]) + ")"

    def function(self):
        """A function of C++, or what looks like one."""
        scope = self.one_of("", "", "a::", "(anonymous namespace)::", "b::(anonymous namespace)::", "<unnamed>::")
        parts = [self.word() + self.arguments(3) for _ in range(self.one_of(1, 1, 2, 3))]
        before = self.one_of("", "", "", "void ", "int ", "a<b>::type ", "b* ", "unsigned int ", "void *")
        after = self.one_of("", "(int)", "(a<b>, int) const", "(b*) [clone .b]", " (a)", "()", "]", "{a}", ".b", " b")
        return before + scope + "::".join(parts) + after

    def word(self):
        return "".join(self.random.choices("abAB_1$", k=self.random.randrange(1, 4)))

    def arguments(self, depth):
        if depth == 0 or self.random.randrange(2):
            return ""
        one = self.one_of("int", "a", "b<a, 1>", "(b)1", "a::b", "(anonymous namespace)::b", "2ul",
                          self.word() + self.arguments(depth - 1))  # fmt: skip
        return f"<{one}>"

    def block(self, rules, otherwise):
        lines = [f"{self.one_of('one', 'two', 'three', 'four')}: {self.expression(2)}" for _ in range(rules)]
        return "substage {\n" + "\n".join([*lines, *otherwise]) + "\n}\n"

    def rules(self):
        rest = self.one_of([], ["rest: otherwise"])
        return (
            f"pattern shared = {self.expression(1).replace('shared', '@kernel').replace('other', '@kernel')}\n"
            f"pattern other = {self.expression(1).replace('other', '@kernel')}\n"
            f"engine e {{\n{self.block(4, rest)}model m {{\n{self.block(2, [])}}}\n}}\n"
        )

    def names(self):
        longer = {"".join(self.random.choices("abAB_.( \nc-1]", k=self.random.randrange(3, 12))) for _ in range(150)}
        # A CSV file cannot contain a name of only blanks.
        functions = [self.function() for _ in range(200)]
        return [name for name in dict.fromkeys([*SHORT, *KINDS, *longer, *functions]) if name.strip()]


def ask_why(rules, model, name):
    """The label that `kr why` gives the name, as an operation of the kind that the name identifies."""
    kind = tables.first_match([("(?i)memcpy", "memcpy"), ("(?i)memset", "memset"), ("", "kernel")], name)
    done = tables.run("why", "--rules", str(rules), "--engine", "e", "--model", model, "--kind", kind,
                      "--within", "", "--format", "json", "--", name)  # fmt: skip
    outcomes = Results(done.stdout).rows("explanations", scope="label", key="substage")
    return next((one["label"] for one in outcomes), "unclassified")


def check(folder, seed):
    """The number of names with another label; 0 if the rules are refused."""
    maker = Maker(seed)
    rules, output = folder / "rules.kr", folder / "export.json"
    rules.write_text(maker.rules(), encoding="utf-8")
    done = tables.run("export", str(rules), "--force", "-o", str(output), status=(0, 1, 2))
    if done.returncode == 2 and b"error KR1" in done.stderr:
        return None
    if done.returncode != 0:
        sys.exit(f"seed {seed}: exit {done.returncode}\n{rules.read_text()}\n{done.stderr.decode()}")
    exported = json.loads(output.read_text(encoding="utf-8"))["e"]
    rows = [{"name": name, "total_ns": 0} for name in maker.names()]
    wrong = 0
    for model in ("default", "m"):
        table = [(re.compile(pattern), label) for pattern, label in exported[model].items()]
        answers = names.classify(rows, "e", model, [str(rules)])
        for row in rows:
            name = row["name"]
            expected = next((label for regex, label in table if regex.search(name)), "unclassified")
            answer = answers[name]["substage"] or "unclassified"
            if answer == expected:
                continue
            wrong += 1
            if wrong < 4:
                print(f"seed {seed}, {model}: {name!r}: kr {answer}, re.search {expected}")
        name = maker.one_of(*rows)["name"]
        expected = answers[name]["substage"] or "unclassified"
        if (answer := ask_why(rules, model, name)) != expected:
            print(f"seed {seed}, {model}: {name!r}: kr why {answer}, kr classify {expected}")
            wrong += 1
    if wrong:
        print(rules.read_text(), json.dumps(exported, indent=1))
    return wrong


def main():
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else CASES
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else SEED
    wrong = refused = 0
    with tempfile.TemporaryDirectory() as name:
        for case in range(cases):
            found = check(Path(name), seed + case)
            refused += found is None
            wrong += found or 0
    print(f"{cases} cases from seed {seed}, {refused} refused by kr; {wrong} names labelled otherwise")
    sys.exit(1 if wrong or refused > cases // 2 else 0)


main()
