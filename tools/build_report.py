"""Reports compile times of a build: the slowest sources, from ninja's log, and the most expensive headers.

The total of a header is the time to compile it alone, multiplied by the number of objects that include it. It is
an upper bound of the time saved by removing the header: other headers may include the same files.

    tools/build --report FOLDER
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys

MOST = 20  # rows per table
MEASURED = 80  # number of headers to measure: the most included ones


def by_source(folder):
    """Seconds and output of each object's last compilation in the log, slowest first."""
    seconds = {}
    for line in (folder / ".ninja_log").read_text().splitlines()[1:]:
        start, end, _, output, _ = line.split("\t")
        if output.endswith(".o"):
            seconds[output] = (int(end) - int(start)) / 1000
    return sorted(((time, output) for output, time in seconds.items()), reverse=True)


def readers_of_headers(top, folder):
    """Maps a header to the objects that include it: the project's headers, and others that it includes directly."""
    readers = collections.defaultdict(set)
    own = set()
    deps = subprocess.run(["ninja", "-C", folder, "-t", "deps"], capture_output=True, text=True, check=True)
    for block in deps.stdout.split("\n\n"):
        lines = block.splitlines()
        if not lines or "(VALID)" not in lines[0]:
            continue
        target = lines[0].split(":")[0]
        for line in lines[1:]:
            path = os.path.realpath(os.path.join(folder, line.strip()))
            readers[path].add(target)
            if path.startswith(f"{top}/") and not path.startswith(f"{folder}/"):
                own.add(path)
    named = set()
    for path in own:
        text = pathlib.Path(path).read_text(errors="replace")
        named.update(re.findall(r"^#include <([^>]+)>", text, re.M))
    headers = {path for path in own if path.endswith(".hpp")}
    headers |= {path for path in readers if any(path.endswith("/" + name) for name in named)}
    most_read = sorted(headers, key=lambda path: (-len(readers[path]), path))[:MEASURED]
    return {path: readers[path] for path in most_read}


def seconds_alone(header, command, folder):
    """Processor seconds to compile a header alone; None if it does not compile."""
    compiler = subprocess.Popen(
        [*command, "-fsyntax-only", "-include", header, "-x", "c++", "/dev/null"],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(compiler.pid, 0)
    compiler.returncode = status
    return used.ru_utime + used.ru_stime if status == 0 else None


def flags_of(folder):
    """A compiler command with the include folders and macros of all objects, which finds every header."""
    commands = json.loads((folder / "compile_commands.json").read_text())
    words = shlex.split(commands[0]["command"])
    compiler = next(word for word in words if not word.endswith("ccache"))
    flags = [compiler, "-std=c++20"]
    for entry in commands:
        words = shlex.split(entry["command"])
        for i, word in enumerate(words):
            flag = [word, words[i + 1]] if word == "-isystem" else [word]
            if word.startswith(("-I", "-isystem", "-D")) and flag[-1] not in flags:
                flags += flag
    return flags


def main():
    top, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    if not (folder / ".ninja_log").exists():
        sys.exit(f"tools/build: no build in {folder}; run tools/build {sys.argv[2]}")
    sources = by_source(folder)
    print(f"{len(sources)} objects, {sum(time for time, _ in sources):.0f} s in total\n")
    print("seconds  object")
    for time, output in sources[:MOST]:
        print(f"{time:7.1f}  {output}")
    headers = readers_of_headers(top, str(folder))
    command = flags_of(folder)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        alone = dict(zip(headers, pool.map(lambda path: seconds_alone(path, command, folder), headers)))
    costs = sorted(((alone[path] * len(headers[path]), path) for path in headers if alone[path]), reverse=True)
    print("\n  total  alone  objects  header")
    for cost, path in costs[:MOST]:
        shown = os.path.relpath(path, top) if path.startswith(top + "/") else path
        print(f"{cost:7.1f}  {alone[path]:5.2f}  {len(headers[path]):7}  {shown}")


main()
