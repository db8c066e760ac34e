#!/usr/bin/env python3
"""Compares `kr tree` and `kr diff` with an independent reading of layer-wise profiles: at every level all
formats show each step's time to the nanosecond, the first K and `others` too; a level refines the
one above it; unique names are unique; --compat shows the same as vLLM's script; and a
difference of two profiles adds up to the difference of their times.

    KR=build/tools/kr/kr tests/modules/check_trees.py build/tests/make_layerwise
"""
import collections
import csv
import decimal
import io
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results, total  # noqa: E402

KR = os.environ.get("KR", "kr")
PROFILES = {
    "llama": ["--layers", "3", "--decodes", "5"],
    "llama_odd": ["--layers", "3", "--decodes", "5", "--flat", "--odd"],
    "moe": ["--family", "moe", "--layers", "2", "--tp", "2", "--decodes", "4"],
    "mla_odd": ["--family", "mla", "--layers", "2", "--decodes", "4", "--compact", "--odd"],
}
SELF = "(self)"

failures = []


def expect(good, *about):
    if not good:
        failures.append(" ".join(str(one) for one in about))


def run(*arguments, status=0):
    done = subprocess.run([KR, *arguments], capture_output=True, timeout=120)
    if done.returncode != status:
        sys.exit(f"{' '.join(arguments)}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


# Profiles as this script reads them.

Node = collections.namedtuple("Node", "name ns calls children")


def ns_of(us):
    return int((us * 1000).quantize(decimal.Decimal(1), decimal.ROUND_HALF_UP))


def as_given(entry):
    about = entry["entry"]
    return Node(about["name"], ns_of(decimal.Decimal(about["cuda_time_us"])),
                about.get("invocations", 1), [as_given(child) for child in entry["children"]])


def settled(node):
    """A node's time is the sum of its children's; the rest is a last child."""
    if not node.children:
        return node
    children = [settled(child) for child in node.children]
    below = sum(child.ns for child in children)
    if node.ns > below:
        children.append(Node(SELF, node.ns - below, 0, []))
    return node._replace(ns=max(node.ns, below), children=children)


def read_profile(path, table="summary_stats"):
    profile = json.loads(path.read_text(), parse_float=decimal.Decimal)
    return {key: [as_given(root) for root in step[table]]
            for key, step in profile.items() if isinstance(step, dict) and table in step}


def height(node):
    return max((height(child) + 1 for child in node.children), default=0)


def leaf_times(node, path=()):
    path += (node.name,)
    if not node.children:
        yield path, node.ns
    for child in node.children:
        yield from leaf_times(child, path)


# What vLLM's script would show for a step: names to times.

def fold(node, names):
    children = [] if node.name in names else [fold(child, names) for child in node.children]
    return node._replace(children=children)


def at_height(node, wanted, trace=()):
    if not trace and height(node) <= wanted:
        yield node
        return
    if height(node) == wanted:
        yield node
    for child in node.children:
        yield from at_height(child, wanted, (node.name,) + trace)


# What vLLM's script folds by itself.
FOLDED = ("Sampler", "LogitsProcessor")


def like_vllm(roots, wanted, folds, top_k):
    nodes = [node for root in roots for node in at_height(fold(root, folds), wanted)]
    order = sorted(range(len(nodes)), key=lambda i: nodes[i].ns)  # of equal ones, the first are removed
    dropped = set(order[:max(0, len(nodes) - top_k + 1)] if top_k else [])
    sums = collections.Counter()
    for i, node in enumerate(nodes):
        sums["others" if i in dropped else node.name] += node.ns
    return dict(sums)


# Checks.

APART = ("--all-steps", "--each-sibling")


def read_json(path, *options, apart=APART):
    return Results(run("tree", str(path), "--format", "json", *apart, *options))


def read_csv(path, *options):
    return list(csv.DictReader(io.StringIO(run("tree", str(path), "--format", "csv", *APART, *options))))


def nodes_by_step(tree):
    """(row of tree_steps, its rows of tree) of each step."""
    nodes = tree.grouped("tree", "step_id")
    pairs = [(step, nodes.pop((step["step_id"],), [])) for step in tree.rows("tree_steps")]
    expect(not nodes, "nodes of no step", list(nodes))
    for step, rows in pairs:
        expect(all((row["phase"], row["step"]) == (step["phase"], step["step"]) for row in rows),
               "nodes of another phase than their step", step["key"])
    return pairs


def check_tree(tree, totals, *about):
    """Nodes, steps and trends add up to the times of the steps."""
    pairs = nodes_by_step(tree)
    expect({step["key"]: total(nodes, "total_ns") for step, nodes in pairs} == totals, *about, "nodes do not add up")
    expect({step["key"]: step["total_ns"] for step, _ in pairs} == totals, *about, "steps differ in their times")
    by_phase = collections.Counter()
    for step, _ in pairs:
        by_phase[step["phase"]] += totals[step["key"]]
    trends = {phase: total(rows, "total_ns") for (phase,), rows in tree.grouped("tree_trends", "phase").items()}
    expect(trends == by_phase, *about, "trends do not add up:", trends, "not", dict(by_phase))


def check_sums(path, totals):
    levels = ["kernel", "module", "layer", "0", "1", "2", "3", "50"]
    choices = [[], ["--top-k", "1"], ["--top-k", "4", "--unique-names"], ["--by", "substage"],
               ["--by", "operation", "--top-k", "3"], ["--fold", "LlamaAttention"],
               ["--width", "5", "--no-unique-names"]]
    above = None
    for number, level in enumerate(levels):
        # All with three levels; of the others, each with one more.
        for choice in choices if level in ("kernel", "module", "2") else [[], choices[1 + number % (len(choices) - 1)]]:
            options = ["--level", level, *choice]
            check_tree(read_json(path, *options), totals, path.name, options)
        # One more format, and names.
        rows = read_csv(path, "--level", level)
        expect(sum(int(row["total_ns"]) for row in rows) == sum(totals.values()), path.name, level,
               "does not add up in CSV")
        steps = nodes_by_step(read_json(path, "--level", level, "--unique-names"))
        for _, nodes in steps:
            names = [node["name"] for node in nodes]
            expect(len(set(names)) == len(names), path.name, level, "names that are not unique")
            if level.isdigit():
                expect(all(node["depth"] <= int(level) for node in nodes), path.name, level,
                       "nodes too deep")
        if level.isdigit():
            below = collections.Counter()
            for step, nodes in steps:
                for node in nodes:
                    parts = node["path"].split(" > ")
                    below[step["key"], tuple(parts[:int(level)])] += node["total_ns"]
            expect(above is None or above.keys() <= below.keys() | above.keys() and
                   all(below.get(key, ns) == ns for key, ns in above.items()), path.name, level,
                   "does not refine the level above")
            above = collections.Counter()
            for step, nodes in steps:
                for node in nodes:
                    above[step["key"], tuple(node["path"].split(" > "))] += node["total_ns"]
    # Every third step of a phase, and the last.
    chosen = read_json(path, "--step-interval", "3")
    keys = [step["key"] for step in chosen.rows("tree_steps")]
    expect(0 < len(keys) < len(totals), path.name, "no steps are chosen, or all")
    check_tree(chosen, {key: totals[key] for key in keys}, path.name, "chosen steps")


def check_leaves(path, profile):
    expected = collections.Counter()
    for key, roots in profile.items():
        for root in roots:
            for names, ns in leaf_times(settled(root)):
                expected[key, " > ".join(names)] += ns
    shown = collections.Counter()
    for step, nodes in nodes_by_step(read_json(path, "--level", "kernel")):
        for node in nodes:
            shown[step["key"], node["path"]] += node["total_ns"]
    # Nodes that the ruleset folds replace the nodes below them.
    for (key, name), ns in shown.items():
        below = expected[key, name] + sum(n for (k, p), n in expected.items()
                                          if k == key and p.startswith(name + " > "))
        expect(below == ns, path.name, key, name, "takes", ns, "ns, not", below)


def kind(name, parent):
    """What of a name is compared with that of its siblings, if the node has children."""
    if parent and name.startswith(parent) and name[len(parent):len(parent) + 1] in tuple("._/"):
        name = name[len(parent) + 1:]
    return "" if name.isdigit() else re.sub(r"(?<=.)[_. ]\d+$", "", name)


def check_merged(path, profile, *options):
    """One tree per phase of merged siblings: the sums of the nodes, and their least, median and most.
    Returns how many nodes were several."""
    several = 0
    phase_of = {step["key"]: step["phase"] for step in read_json(path, *options).rows("tree_steps")}
    parents = set()  # paths of nodes that have children in some step

    def find_parents(node, names):
        if node.children:
            parents.add(names)
        for child in node.children:
            find_parents(child, names + (child.name,))

    settled_steps = {key: [settled(root) for root in roots] for key, roots in profile.items()}
    for roots in settled_steps.values():
        for root in roots:
            find_parents(root, (root.name,))
    nodes = collections.defaultdict(collections.Counter)  # (phase, kinds) to times by node

    def add(phase, node, names, kinds, place):
        key = kind(node.name, names[-1] if names else "") if names + (node.name,) in parents else node.name
        names, kinds = names + (node.name,), kinds + (key,)
        nodes[phase, kinds][place] += node.ns
        seen = collections.Counter()
        for child in node.children:
            seen[child.name] += 1
            add(phase, child, names, kinds, place + ((child.name, seen[child.name]),))

    for step, roots in settled_steps.items():
        seen = collections.Counter()
        for root in roots:
            seen[root.name] += 1
            add(phase_of[step], root, (), (), ((root.name, seen[root.name]),))
    for level in ("kernel", "module", "layer", "0", "1", "2", "3"):
        tree = read_json(path, "--level", level, *options, apart=())
        sums = collections.Counter()
        for row in tree.rows("tree"):
            sums[row["phase"]] += row["total_ns"]
        expected = collections.Counter()
        for step, roots in settled_steps.items():
            expected[phase_of[step]] += sum(root.ns for root in roots)
        expect(sums == expected, path.name, level, "phases do not add up:", dict(sums), "not", dict(expected))
        expect(len({row["step_id"] for row in tree.rows("tree")} - {None}) <= len(expected), "trees of steps")
        for row in tree.rows("tree"):
            if row["nodes"] < 2:
                continue
            several += 1
            times = [sorted(by_place.values()) for (phase, kinds), by_place in nodes.items()
                     if phase == row["phase"] and len(by_place) == row["nodes"]
                     and sum(by_place.values()) == row["total_ns"]]
            shown = [row["min_ns"], row["median_ns"], row["max_ns"]]
            expect(any([t[0], statistics.median(t), t[-1]] == shown for t in times), path.name, level, row["path"],
                   "has least, median and most", shown, "of", times[:2])
    return several


def check_compat(path, profile, rules):
    """If children take longer than their node, kr uses the time of the children, vLLM that of the node."""
    raised = {key: [drop_self(settled(root)) for root in roots] for key, roots in profile.items()}
    totals = {key: sum(root.ns for root in roots) for key, roots in raised.items()}
    losing = 0
    for level, wanted in (("kernel", 0), ("module", 1)):
        for folds in ([], ["Sampler"], ["LlamaMLP", "Twin", "LogitsProcessor"]):
            for top_k in (0, 1, 2, 5, 9, 1000):
                options = ["--compat", "--rules", str(rules), "--level", level, "--top-k",
                           str(top_k)]
                for name in folds:
                    options += ["--fold", name]
                tree = read_json(path, *options, apart=())
                lost = sum(totals.values())
                steps = nodes_by_step(tree)
                expect({step["key"] for step, _ in steps} == totals.keys(), path.name, options,
                       "does not show all steps")
                for step, nodes in steps:
                    shown = {node["name"]: node["total_ns"] for node in nodes}
                    expected = like_vllm(raised[step["key"]], wanted, [*folds, *FOLDED], top_k)
                    expect(len(shown) == len(nodes), path.name, options, "shows a name twice")
                    expect(shown == expected, path.name, options, step["key"], "shows", shown,
                           "not", expected)
                    lost -= sum(shown.values())
                told = [note["count"] for note in tree.notes if note["code"] == "time-not-shown"]
                expect(told == ([lost] if lost else []), path.name, options, "loses", lost,
                       "ns, not", told)
                losing += lost > 0
    return losing


def drop_self(node):
    return node._replace(children=[drop_self(child) for child in node.children
                                   if child.name != SELF])


def check_difference(one, other, totals):
    # 1: there are differences.
    same = Results(run("diff", str(one), str(one), "--format", "json"))
    expect(all(row["a_ns"] == row["b_ns"] and row["change_ns"] == 0 for row in same.rows("changes", scope="name")), one.name,
           "is not itself")
    for level in ("kernel", "module", "layer", "2"):
        found = Results(run("diff", str(one), str(other), "--format", "json", "--level", level,
                            status=1))
        comparison, = found.rows("comparison")
        names = found.rows("changes", scope="name")
        labels = [row for row in found.rows("changes") if row["scope"] != "name"]
        expect(all(row["change_ns"] == row["b_ns"] - row["a_ns"] for row in names + labels), level,
               "changes are not differences")
        for side in ("a_ns", "b_ns"):
            of = totals[one if side == "a_ns" else other]
            expect(comparison[side] == of, level, side, "is", comparison[side], "not", of)
            expect(total(names, side) == of, level, side, "names do not add up")
            sums = collections.Counter()
            for label in labels:
                sums[label["scope"]] += label[side]
            expect(sums and all(ns == of for ns in sums.values()), level, side,
                   "labels do not add up:", dict(sums))


def main(make_layerwise):
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        rules = work / "rules.kr"
        rules.write_text('engine e "E" {\n  substage {\n    misc: otherwise\n  }\n}\n')
        totals, losing = {}, 0
        for name, options in PROFILES.items():
            path = work / f"{name}.json"
            subprocess.run([make_layerwise, path, *options], check=True)
            profile = read_profile(path)
            steps = {key: sum(settled(root).ns for root in roots)
                     for key, roots in profile.items()}
            totals[path] = sum(steps.values())
            check_sums(path, steps)
            check_leaves(path, profile)
            check_merged(path, profile)
            # One node per call: the layers are siblings.
            calls = read_profile(path, "model_stats")
            expect(check_merged(path, calls, "--table", "model") > 20, name, "has no merged layers")
            losing += check_compat(path, profile, rules)
        expect(losing, "no cut of vLLM loses time")
        paths = list(totals)
        check_difference(paths[0], paths[1], totals)
        check_difference(paths[1], paths[3], totals)
    for failure in failures[:20]:
        print(failure[:600])
    if failures:
        sys.exit(f"{len(failures)} checks failed")
    print(f"{len(PROFILES)} profiles: all sums, names, selections and differences are correct")


main(*sys.argv[1:])
