#!/usr/bin/env python3
"""Configurations of Paraver in share/paraver are what Paraver reads, and ask for what kr writes.

Written from the tags that Paraver's loader knows. The loader tries the label of a type before its number, so both must
be right.
"""

import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "share/paraver"
NAMES = {"labels", "phases", "efficiency", "kernels_in_flight", "overlap"}
LABELS = {63000006: "CUDA kernel", 63000007: "NCCL kernel", 96000001: "kr stage", 96000002: "kr substage",
          96000003: "kr kind", 96000100: "kr phase", 96000101: "kr layer", 96000102: "kr module"}
YES = r"true|false"
NUMBER = r"-?\d+(\.\d+)?"
LEVELS = ("workload", "appl", "task", "thread", "system", "node", "cpu")
PAIRS = r"\{ (\d+), \{ (\{[^{}]+\}(?:, \{[^{}]+\})*) \} \}"
WINDOW = {
    "window_name": r".+", "window_type": r"single|composed", "window_id": r"\d+", "window_factors": rf"{NUMBER} {NUMBER}",
    "window_operation": r"add|product|substract|divide|maximum|minimum|different", "window_identifiers": r"\d+ \d+",
    "window_position_x": r"\d+", "window_position_y": r"\d+", "window_width": r"\d+", "window_height": r"\d+",
    "window_comm_lines_enabled": YES, "window_flags_enabled": YES, "window_noncolor_mode": YES,
    "window_color_mode": r"window_in_(code|gradient|null_gradient)_mode", "window_logical_filtered": YES,
    "window_physical_filtered": YES, "window_comm_fromto": YES, "window_comm_tagsize": YES, "window_comm_typeval": YES,
    "window_units": r"Nanoseconds|Microseconds", "window_maximum_y": NUMBER, "window_minimum_y": NUMBER,
    "window_compute_y_max": YES, "window_level": "|".join(LEVELS), "window_scale_relative": NUMBER,
    "window_end_time_relative": NUMBER, "window_object": r"appl \{ 1, \{ All \} \}",
    "window_begin_time_relative": NUMBER, "window_open": YES, "window_drawmode": r"draw_\w+",
    "window_drawmode_rows": r"draw_\w+", "window_pixel_size": r"\d+", "window_labels_to_draw": r"\d+",
    "window_selected_functions": PAIRS, "window_compose_functions": PAIRS,
    "window_semantic_module": rf"compose_thread Is Equal \(Sign\) \{{ 1, \{{ 1 {NUMBER} \}} \}}",
    "window_filter_module": r"evt_type \d+( \d+)+|evt_type_label \d+( \"[^\"]+\")+",
}
OPTIONAL = {"window_semantic_module", "window_filter_module"}
OF_COMPOSED = {"window_factors", "window_operation", "window_identifiers"}
OF_SINGLE = {"window_logical_filtered", "window_physical_filtered", "window_comm_fromto", "window_comm_tagsize",
             "window_comm_typeval"}
ANALYZER = {
    "Name": r".+", "X": r"\d+", "Y": r"\d+", "Width": r"\d+", "Height": r"\d+", "ControlWindow": r"\d+",
    "DataWindow": r"\d+", "Accumulator": "Semantic", "Statistic": r"Time|% Time", "CalculateAll": "True|False",
    "HideCols": "True|False", "HorizVert": "Horizontal|Vertical", "Color": "True|False", "SemanticColor": "True|False",
    "Zoom": "Enabled|Disabled", "SortCols": "True|False", "SortCriteria": "Average|Total", "AnalysisLimits": "Alltrace",
    "ComputeYScale": "True|False", "Minimum": NUMBER, "Maximum": NUMBER, "Delta": NUMBER, "ComputeGradient": "True|False",
    "MinimumGradient": NUMBER, "MaximumGradient": NUMBER, "DrawModeObjects": r"draw_\w+", "DrawModeColumns": r"draw_\w+",
    "PixelSize": r"\d+", "ColorMode": "window_in_gradient_mode", "ShowOnlyTotals": "True|False",
    "ShortHeaderLabels": "True|False",
}


def filters(values):
    """What is wrong with the types that a window shows."""
    texts = dict(value.split(" ", 1) for value in values)
    if set(texts) != {"evt_type", "evt_type_label"} or len(values) != 2:
        return ["a filter without both numbers and labels"]
    count, *types = map(int, texts["evt_type"].split())
    labels = re.findall(r'"([^"]+)"', texts["evt_type_label"])
    if not count == len(types) == len(labels) == int(texts["evt_type_label"].split()[0]):
        return ["not as many types or labels as it says"]
    return [f"type {one} is not {label}" for one, label in zip(types, labels) if LABELS.get(one) != label]


def functions(text):
    count, pairs = re.fullmatch(PAIRS, text).groups()
    return [] if int(count) == pairs.count("{") else [f"not {count} functions"]


def window(text, number, found):
    """What is wrong with a window, the `number`-th."""
    tags = {}
    for line in filter(None, text.split("\n")):
        tag, _, value = line.partition(" ")
        if tag not in WINDOW or not re.fullmatch(WINDOW[tag], value):
            found.append(f"`{line}`")
            continue
        tags.setdefault(tag, []).append(value)
    if found:
        return
    composed = tags.get("window_type") == ["composed"]
    wanted = set(WINDOW) - OPTIONAL - (OF_SINGLE if composed else OF_COMPOSED)
    if set(tags) - OPTIONAL != wanted:
        found.append(f"tags {set(tags) - OPTIONAL ^ wanted}")
        return
    if tags["window_id"] != [str(number)]:
        found.append("window_id")
    found += functions(tags["window_selected_functions"][0]) + functions(tags["window_compose_functions"][0])
    if composed:
        if any(not 1 <= int(one) < number for one in tags["window_identifiers"][0].split()):
            found.append("window_identifiers")
    else:
        found += filters(tags.get("window_filter_module", []))


def faults(text):
    found = []
    head = re.match(r"#ParaverCFG\nConfigFile\.Version: 3\.4\nConfigFile\.NumWindows: (\d+)\n"
                    r"ConfigFile\.BeginDescription\n(?:.+\n)+?ConfigFile\.EndDescription\n\n\n", text)
    if head is None:
        return ["the head"]
    rest, *analyzers = text[head.end():].split("< NEW ANALYZER2D >\n")
    bar = "#" * 80
    pieces = re.split(rf"{bar}\n< NEW DISPLAYING WINDOW (.+) >\n{bar}\n", rest)
    if pieces[0] or len(pieces) != 1 + 2 * int(head[1]):
        found.append("not as many windows as it says")
    for number, (name, one) in enumerate(zip(pieces[1::2], pieces[2::2]), 1):
        if f"window_name {name}\n" not in one:
            found.append(f"the name of {name}")
        window(one, number, found)
    for analyzer in analyzers:
        lines = [line.removeprefix("Analyzer2D.").partition(": ")[::2] for line in filter(None, analyzer.split("\n"))]
        found += [f"{tag}: {value}" for tag, value in lines
                  if tag not in ANALYZER or not re.fullmatch(ANALYZER[tag], value)]
        values = dict(lines)
        if set(values) != set(ANALYZER) or not 1 <= int(values["ControlWindow"]) <= int(head[1]):
            found.append("tags or window of the analyzer")
    return found


PLANTED = (("NumWindows: 3", "NumWindows: 2"), ("window_level task", "window_level device"), ("window_id 2", "window_id 3"),
           ("window_identifiers 1 2", "window_identifiers 1 3"), ("evt_type 1 96000003", "evt_type 1 96000004"),
           ('"kr kind"', '"kind"'), ("evt_type 1 96000003", "evt_type 2 96000003"), ("{ 14, ", "{ 13, "),
           ("window_units Nanoseconds\n", ""), ("ControlWindow: 3", "ControlWindow: 4"), ("window_open", "window_opened"),
           ('window_filter_module evt_type_label 1 "kr kind"\n', ""))


def main():
    failures = []
    texts = {path.stem: path.read_text(encoding="ascii") for path in FOLDER.glob("*.cfg")}
    if set(texts) != NAMES:
        failures.append(f"{FOLDER}: {set(texts) ^ NAMES}")
    for name, text in texts.items():
        failures += [f"{name}: {fault}" for fault in faults(text)]
    for before, after in PLANTED:
        assert before in texts["overlap"], before
        if not faults(texts["overlap"].replace(before, after, 1)):
            failures.append(f"not found: {before!r} as {after!r}")
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


main()
