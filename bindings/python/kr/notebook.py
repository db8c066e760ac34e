"""``%load_ext kr.notebook`` in a notebook: the cell magic ``%%kr``, which checks the rules in a cell, runs
their tests and shows the findings below it."""
from __future__ import annotations

import html
from typing import Any, List, Sequence

from . import Finding, lint, test

_COLORS = {"error": "#b3261e", "warning": "#8a5300"}


class Findings(List[Finding]):
    """Findings that show themselves, and how many tests passed."""

    def __init__(self, text: str, findings: Sequence[Finding], tests: int = 0, failed: int = 0):
        super().__init__(findings)
        self.text = text
        self.tests = tests
        self.failed = failed

    @property
    def summary(self) -> str:
        found = f"{len(self)} finding{'' if len(self) == 1 else 's'}" if self else "no findings"
        if self.tests == 0:
            return f"{found}, no tests"
        noun = "test" if self.tests == 1 else "tests"
        return f"{found}, {self.tests - self.failed} of {self.tests} {noun} passed"

    def __repr__(self) -> str:
        return "\n".join([*(str(one) for one in self), self.summary])

    def _repr_html_(self) -> str:
        lines = self.text.splitlines()
        parts = []
        for one in self:
            source = ""
            if one.path == "<cell>" and 0 < one.line <= len(lines):
                line = lines[one.line - 1]
                # Columns are bytes.
                before = line.encode()[: one.column - 1].decode(errors="replace")
                marked = line.encode()[one.column - 1 : one.end_column - 1 if one.end_line == one.line else None]
                mark = " " * len(f"{one.line:4} | {before}") + "^" * max(1, len(marked.decode(errors="replace")))
                source = f"<pre style='margin:0'>{one.line:4} | {html.escape(line)}\n{mark}</pre>"
            note = f"<br>help: {html.escape(one.help)}" if one.help else ""
            color = _COLORS.get(one.severity, "inherit")
            parts.append(f"<li><b style='color:{color}'>{html.escape(one.severity)} {one.code} {html.escape(one.name)}</b>: "
                         f"{html.escape(one.message)}{note}{source}</li>")
        shown = f"<ul style='margin:0'>{''.join(parts)}</ul>" if parts else ""
        return f"{shown}<p style='margin:.4em 0'>{html.escape(self.summary)}</p>"


def kr(line: str, cell: str) -> Findings:
    """Checks the rules in the cell and runs their tests. ``%%kr --info`` shows likely problems, too;
    ``%%kr FILE.kr`` also writes them to a file, if they can be used."""
    infos, path = False, ""
    for word in line.split():
        if word == "--info":
            infos = True
        elif word.endswith(".kr") and not path:
            path = word
        else:
            raise ValueError(f"%%kr does not know {word!r}; it takes --info and the name of a file, FILE.kr")
    findings = lint(cell, path="<cell>", infos=infos)
    done = test(cell, path="<cell>")
    # Tests that fail are findings of both.
    places = {(one.code, one.line, one.column) for one in findings}
    findings += [one for one in done.findings if (one.code, one.line, one.column) not in places]
    loads = done.tests > 0 or not done.findings
    if path and loads:
        with open(path, "w", encoding="utf-8") as file:
            file.write(cell)
    return Findings(cell, findings, done.tests, done.failed)


def load_ipython_extension(shell: Any) -> None:
    shell.register_magic_function(kr, "cell", "kr")
