#!/usr/bin/env python3
"""Runs the notebook in examples/ with IPython: no cell fails, and results show themselves.

    PYTHONPATH=build/python KR_SOURCE=. python3 tests/python/check_notebook.py [SHOWN.html]

SHOWN.html gets what a notebook would show.
"""
import html
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

try:
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config
except ImportError:
    print("python3-ipython is missing")
    sys.exit(77)

SOURCE = pathlib.Path(os.environ["KR_SOURCE"]).resolve()
notebook = json.loads((SOURCE / "examples/tutorial.ipynb").read_text())
shown_file = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
parts, kinds = [], []
here = os.getcwd()
with tempfile.TemporaryDirectory() as folder:
    for path in (SOURCE / "examples").glob("*.csv.gz"):
        shutil.copy(path, folder)
    os.environ["IPYTHONDIR"] = folder + "/ipython"
    os.chdir(folder)
    config = Config()
    config.HistoryManager.enabled = False
    shell = InteractiveShell.instance(config=config)
    shell.displayhook.write_output_prompt = lambda: None
    for number, cell in enumerate(notebook["cells"], 1):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(f"<p>{html.escape(source)}</p>")
            continue
        assert cell["outputs"] == [] and cell["execution_count"] is None, f"cell {number} has outputs: clear them"
        done = shell.run_cell(source)
        assert done.success, f"cell {number} fails:\n{source}"
        data = shell.display_formatter.format(done.result)[0] if done.result is not None else {}
        kinds.append(sorted(data))
        parts.append(f"<pre style='background:#eee;padding:.5em'>{html.escape(source)}</pre>")
        parts.append(data.get("text/html") or data.get("image/svg+xml") or f"<pre>{html.escape(data.get('text/plain', ''))}</pre>")
    os.chdir(here)
shown = "\n".join(parts)
if shown_file:
    shown_file.write_text(f"<!doctype html><meta charset=utf-8><body style='font:14px sans-serif;max-width:1100px'>{shown}")
assert sum("text/html" in kind for kind in kinds) >= 5, kinds
# The page in its frame, and findings of %%kr.
assert "<iframe sandbox" in shown and "echarts" in shown
assert "of 2 tests passed" in shown, shown[-3000:]
# Nothing is fetched.
assert not re.search(r"""(src|href)=["']?https?:""", shown)
print(f"{len(kinds)} cells")
