"""Small rules files that need much work: each is a function of a size, which a test doubles."""

HEAD = "engine e { detect: \"e\"\n substage {\n"
TAIL = "  rest: otherwise\n }\n}\n"


def engine(rules, before="", after=""):
    return before + HEAD + "\n".join("  " + rule for rule in rules) + "\n" + TAIL + after


def shared_twice(n):
    """Patterns that use each other twice: 2^n parts when written out."""
    lines = ['pattern p0 = "x0"']
    lines += [f'pattern p{i} = p{i - 1} & (p{i - 1} | "x{i}")' for i in range(1, n + 1)]
    return engine([f"a: p{n}"], "\n".join(lines) + "\n", 'test e { "x0 x1" => substage a }\n')


def shared_or(n):
    lines = ['pattern p0 = "x0" | "y0"']
    lines += [f'pattern p{i} = p{i - 1} | (p{i - 1} | "x{i}")' for i in range(1, n + 1)]
    text = engine([f"a: p{n}"], "\n".join(lines) + "\n", 'test e { "x0 x1" => substage a }\n')
    return text.replace('detect: "e"', f"detect: p{n}")


def shared_not(n):
    lines = ['pattern p0 = "x0"']
    lines += [f'pattern p{i} = !(p{i - 1} & !(!p{i - 1} | "x{i}"))' for i in range(1, n + 1)]
    return engine([f"a: p{n}"], "\n".join(lines) + "\n", 'test e { "x0 x1" => substage a }\n')


def shared_within(n):
    lines = ['pattern p0 = "x0"']
    lines += [f'pattern p{i} = p{i - 1} & (p{i - 1} | "x{i}")' for i in range(1, n + 1)]
    lines += [f"pattern w0 = within p{n} & \"z\""]
    lines += [f'pattern w{i} = w{i - 1} & (w{i - 1} | within "y{i % 7}")' for i in range(1, n + 1)]
    return engine([f"a: w{n}"], "\n".join(lines) + "\n",
                  'test e { "z" within "x0" => substage a }\n')


def shared_kind(n):
    lines = ['pattern p0 = "x0" & @kernel']
    lines += [f'pattern p{i} = p{i - 1} & (p{i - 1} | "x{i}" | @memcpy)' for i in range(1, n + 1)]
    return engine([f"a: p{n}"], "\n".join(lines) + "\n", 'test e { "x0 x1" => substage a }\n')


def shared_phases(n):
    lines = [r'pattern p0 = /x(?<step>\d+)/']
    lines += [f'pattern p{i} = p{i - 1} & (p{i - 1} | "x{i}")' for i in range(1, n + 1)]
    text = engine(['a: "x"'], "\n".join(lines) + "\n", 'test e { "x0 x1" => substage a }\n')
    return text.replace("detect:", f"phases {{ decode: p{n} }}\n fold p{n}\n detect:")


def tables_twice(n):
    """Tables that include each other twice."""
    lines = ['table t0 for substage { a: "x0" }']
    lines += [f'table t{i} for substage {{ include t{i - 1} include t{i - 1} a: "x{i}" }}'
              for i in range(1, n + 1)]
    return engine([f"include t{n}"], "\n".join(lines) + "\n")


def tables_chain(n):
    lines = ['table t0 for substage { a: "x0" }']
    lines += [f'table t{i} for substage {{ include t{i - 1} l{i % 9}: "x{i}" }}'
              for i in range(1, n + 1)]
    return engine([f"include t{n}"], "\n".join(lines) + "\n")


def nth_from_end(n):
    return engine([f"l{i}: /a.{{{i}}}$/" for i in range(n)])


def chains(n):
    words = ["abcdefghij"[i % 10] + "xyzuvw"[i % 6] for i in range(n)]
    return engine([f"l{i}: /{'.*'.join(words[i:] + words[:i])}/" for i in range(min(n, 40))])


def counted(n):
    return engine([f"l{i}: /(a{{{n}}}){{{n}}}{i}/" for i in range(3)])


def counted_any(n):
    return engine([f"l{i}: /x.{{0,{n}}}y{i}/" for i in range(8)])


def many_rules(n):
    return engine([f'l{i % 50}: "name{i}_{i * 7919 % 1000}"' for i in range(n)])


def many_conjunctions(n):
    return engine([f'l{i % 50}: "na{i}" & !"me{i * 7 % n}"' for i in range(n)])


def many_alternatives(n):
    return engine(["a: " + " | ".join(f'"name{i}"' for i in range(n))])


def regex_alternatives(n):
    return engine(["a: /" + "|".join(f"name{i}" for i in range(n)) + "/"])


def case_variants(n):
    return engine(["a: " + " | ".join('"' + "".join(
        c.upper() if i >> k & 1 else c for k, c in enumerate("abcdefghijklmno")) + '"'
        for i in range(n))])


def parentheses(n):
    n = min(n, 180)
    return engine(["a: " + "(" * n + '"x"' + ")" * n, "b: /" + "(" * n + "x" + ")" * n + "/"])


def parentheses_deep(n):
    return engine(["a: " + "(" * n + '"x"' + ")" * n])


def negations(n):
    return engine(["a: " + "!" * n + '"x"'])


def extends_chain(n):
    models = ['  model m0 { substage { a0: "x0" } }']
    models += [f'  model m{i} extends m{i - 1} {{ substage {{ a{i % 9}: "x{i}" }} }}'
               for i in range(1, n)]
    return 'engine e {\n detect: "e"\n substage { rest: otherwise }\n' + "\n".join(models) + "\n}\n"


def engines_models(n):
    out = []
    for e in range(max(1, n // 10)):
        models = "\n".join(
            f' model m{m} {{ detect: "m{m}" substage {{ a: "x{m}" }} d{m % 5} {{ b: "y" }} }}'
            for m in range(10))
        out.append(f'engine e{e} {{\n detect: "e{e}"\n substage {{ rest: otherwise }}\n{models}\n}}\n')
    return "".join(out)


def dimensions(n):
    blocks = "\n".join(f' d{i} {{ a: "x{i}" rest: otherwise }}' for i in range(n))
    return f'engine e {{\n detect: "e"\n substage {{ rest: otherwise }}\n{blocks}\n}}\n'


def abbreviations(n):
    lines = "\n".join(f' abbreviate "{"a" * (i % 40)}b{i}" as "c{i}"' for i in range(n))
    return f'engine e {{\n detect: "e"\n{lines}\n substage {{ rest: otherwise }}\n}}\n'


def abbreviations_long(n):
    a, b = "ab" * n, "ba" * n
    return (f'engine e {{\n detect: "e"\n abbreviate "{a}" as "{b}", "{b}" as "{a[:-1]}"\n'
            ' substage { rest: otherwise }\n}\n')


def abbreviations_grow(n):
    """Each doubles the result of the one before it."""
    n = min(n, 60)
    names = [chr(0x100 + i) for i in range(n + 1)]
    lines = "\n".join(f' abbreviate "{names[i]}" as "{names[i + 1] * 2}"' for i in range(n))
    return (f'engine e {{\n detect: "e"\n{lines}\n substage {{ a: "{names[0]}" rest: otherwise }}\n}}\n'
            f'test e {{ "{names[0]}" => substage a }}\n')


def folds(n):
    return ('engine e {\n detect: "e"\n fold ' + ", ".join(f'"x{i}"' for i in range(n)) +
            "\n substage { rest: otherwise }\n}\n")


def long_labels(n):
    return engine([f'l{"x" * n}{i}: "n{i}"' for i in range(20)])


def long_text(n):
    return engine([f'a{i}: "{"x" * n}{i}"' for i in range(10)])


def long_tests(n):
    return engine(['a: "x" | /y+z/'], "", "test e {\n" + "\n".join(
        f'  "x{"y" * n}{i}" => substage a' for i in range(20)) + "\n}\n")


def many_tests(n):
    return engine(['a: "x"', 'b: /y(a|b)*z/'], "", "test e {\n" + "\n".join(
        f'  "x{i}" => substage a' for i in range(n)) + "\n}\n")


def allows(n):
    return engine([f'# kr: allow(unreachable-rule) reason\n  a{i % 9}: "x"' for i in range(n)])


def allow_list(n):
    return engine(["# kr: allow(" + ",".join(["unreachable-rule", "nonsense"] * (n // 2)) +
                   ") reason\n  a: \"x\""])


def fixes(n):
    return engine([f'l{i}: /name{i}.*/' for i in range(n)] + [f'k{i}: "name{i}"' for i in range(n)])


def labels(n):
    def color(i):
        return f"#{(i * 2654435761) % 0xffffff:06x}"
    return ("labels substage {\n" + "\n".join(f'  l{i} "L {i}" color "{color(i)}"' for i in range(n)) +
            "\n  rest \"R\"\n}\n" + engine([f'l{i}: "n{i}"' for i in range(n)]))


def errors(n):
    return engine([f"l{i}: unknown{i}" for i in range(n)])


def syntax_errors(n):
    return "engine e { substage { a: ( \n" * n


def quotes(n):
    return 'engine e { substage { a: "x\n' * n


def braces(n):
    return "{" * n + "\n" + "}" * n


def comments(n):
    return engine([f"# comment {i}\n## doc {i}\n  a{i % 9}: \"x{i}\"  # behind" for i in range(n)])


def splits(n):
    return engine([f'l{i % 2}: "n{i}"' for i in range(n)])


def prefixes(n):
    return engine([f'l{i % 5}: "{"a" * (n - i)}"' for i in range(n)])


def dotstars(n):
    return engine([f"l{i}: /a{i}.*b{i}.*c{i}/" for i in range(n)] + ["z: /(a.*b|b.*a)(c|d)*/"])


def word_edges(n):
    return engine([f"l{i}: /\\bx{i}\\b.*\\B[a-z]{{2,9}}\\b/" for i in range(n)])


ALL = [value for name, value in list(globals().items())
       if callable(value) and name not in ("engine",)]
