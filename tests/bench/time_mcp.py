#!/usr/bin/env python3
"""Times questions to `kr mcp` about one trace, each with the bytes of its answer and the memory of the server.

    tests/data/make_traces.py --kineto k.json --rows 15
    KR=build/tools/kr/kr tests/bench/time_mcp.py k.json
"""
import json
import os
import pathlib
import subprocess
import sys
import time

trace = pathlib.Path(sys.argv[1]).resolve()
server = subprocess.Popen([os.environ["KR"], "mcp", "--root", str(trace.parent)],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
number = 0


def ask(tool, **arguments):
    global number
    number += 1
    call = {"jsonrpc": "2.0", "id": number, "method": "tools/call",
            "params": {"name": tool, "arguments": {"runs": [trace.name], **arguments}}}
    begin = time.monotonic()
    server.stdin.write(json.dumps(call) + "\n")
    server.stdin.flush()
    answer = {}
    while answer.get("id") != number:
        answer = json.loads(server.stdout.readline())
    seconds = time.monotonic() - begin
    if "error" in answer or answer["result"]["isError"]:
        sys.exit(f"{tool} {arguments}: {answer}")
    status = pathlib.Path(f"/proc/{server.pid}/status").read_text(encoding="utf-8")
    memory = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))
    size = len(answer["result"]["content"][0]["text"])
    print(f"{seconds:8.3f} s {size:7} bytes {int(memory) // 1024:5} MiB  {tool} {arguments or ''}")


ask("report")
ask("report", by="stage")
ask("table", table="kernels", sort="total_ns", max_rows=5)
ask("table", table="idle")
ask("sql", query="select substage, sum(total_ns) from kernels group by 1")
ask("tree", level="layer")
ask("tree", level="module")
ask("table", table="operations", where="duration_ns > 1000000", max_rows=5)
ask("table", table="operations", sort="duration_ns", max_rows=5)
server.stdin.close()
sys.exit(server.wait())
