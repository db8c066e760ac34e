"""How results show themselves in a notebook."""
from __future__ import annotations

import base64
import html
from typing import List, NamedTuple


def in_frame(page: str, height: int = 640) -> str:
    """A whole page inside another one, which neither sees what is in the other."""
    return (f'<iframe sandbox="allow-scripts allow-downloads" style="width:100%;height:{height}px;border:0" '
            f'srcdoc="{html.escape(page)}"></iframe>')


class Picture(NamedTuple):
    """A picture of module trees."""

    #: Of the phases that it shows: ``prefill``, ``decode_steps``, ``other_steps``.
    name: str
    svg: str

    def _repr_svg_(self) -> str:
        return self.svg


class Pictures(List[Picture]):
    """Pictures, one below the other. By number or, with ``named``, by name."""

    def named(self, name: str) -> Picture:
        for one in self:
            if one.name == name:
                return one
        raise KeyError(f"there is no picture `{name}`; there are {', '.join(one.name for one in self)}")

    def __repr__(self) -> str:
        return f"<kr.Pictures: {', '.join(one.name for one in self)}>"

    def _repr_html_(self) -> str:
        # As images: identifiers inside one picture do not meet those of another.
        return "".join(
            f'<img alt="{html.escape(one.name)}" style="max-width:100%" src="data:image/svg+xml;base64,'
            f'{base64.b64encode(one.svg.encode()).decode()}">'
            for one in self)
