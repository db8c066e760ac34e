#!/usr/bin/env python3
"""mypy finds nothing in the package `kr`, and a program that uses it wrongly is found.

    tests/python/check_types.py build/python
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

USE = """
import kr
session = kr.report("a.csv", engine="vllm")
names: list[str] = [one.id for one in session.tables["labels"].columns]
line: int = kr.lint("")[0].line
"""
MISUSE = "import kr\nline: str = kr.lint('')[0].line\n"

if shutil.which("mypy") is None:
    print("mypy is missing")
    sys.exit(77)
package = pathlib.Path(sys.argv[1]).resolve() / "kr"
with tempfile.TemporaryDirectory() as folder:

    def mypy(*arguments):
        return subprocess.run(["mypy", "--cache-dir", folder + "/cache", "--ignore-missing-imports", *arguments],
                              cwd=folder, env={**os.environ, "MYPYPATH": str(package.parent)}, capture_output=True,
                              text=True)

    shown = mypy("--strict", "-p", "kr")
    assert shown.returncode == 0, shown.stdout + shown.stderr
    for text, code in (USE, 0), (MISUSE, 1):
        path = pathlib.Path(folder, "use.py")
        path.write_text(text)
        shown = mypy(str(path))
        assert shown.returncode == code, shown.stdout + shown.stderr
