"""``%load_ext kr.notebook`` in a notebook: the cell magic ``%%kr``, which lints the rules in a cell
and shows the findings below it."""
from __future__ import annotations

import html
from typing import Any, Sequence

from . import Finding, lint


class Findings(list):  # type: ignore[type-arg]
    """Findings that show themselves."""

    def __init__(self, text: str, findings: Sequence[Finding]):
        super().__init__(findings)
        self.text = text

    def __repr__(self) -> str:
        return "\n".join(str(one) for one in self) or "no findings"

    def _repr_html_(self) -> str:
        if not self:
            return "<p>no findings</p>"
        lines = self.text.splitlines()
        parts = []
        for one in self:
            source = ""
            if one.path == "<cell>" and 0 < one.line <= len(lines):
                source = f"<pre>{one.line:4} | {html.escape(lines[one.line - 1])}</pre>"
            note = f"<br>help: {html.escape(one.help)}" if one.help else ""
            parts.append(f"<li><b>{html.escape(one.severity)} {one.code} {html.escape(one.name)}</b>: "
                         f"{html.escape(one.message)}{note}{source}</li>")
        return f"<ul>{''.join(parts)}</ul>"


def kr(line: str, cell: str) -> Findings:
    """Lints the rules in the cell. ``%%kr --info`` shows likely problems, too."""
    words = line.split()
    unknown = [word for word in words if word != "--info"]
    if unknown:
        raise ValueError(f"unknown option of %%kr: {unknown[0]}; there is --info")
    return Findings(cell, lint(cell, path="<cell>", infos="--info" in words))


def load_ipython_extension(shell: Any) -> None:
    shell.register_magic_function(kr, "cell", "kr")
