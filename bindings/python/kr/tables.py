"""Tables: what every result of kr is."""
from __future__ import annotations

import html
from importlib import import_module
from typing import Any, Iterator, NamedTuple, Optional, Tuple

from . import _kr


class Column(NamedTuple):
    """A column of a table."""

    id: str
    #: ``ns``, ``bytes``, ``ratio``, ``text`` and others: see docs/tables.md.
    unit: str
    #: ``key``, ``measure``, ``detail`` or ``short_form``.
    role: str
    doc: str
    #: Whether a cell may be empty.
    optional: bool


class TableInfo(NamedTuple):
    """What a table is, whatever the data."""

    id: str
    title: str
    doc: str
    columns: Tuple[Column, ...]


def info_of(raw: Any) -> TableInfo:
    return TableInfo(raw[0], raw[1], raw[2], tuple(Column(*one) for one in raw[3]))


def documentation(info: TableInfo) -> str:
    """The text of ``help(table)``."""
    lines = [f"{info.id}: {info.doc}", ""]
    lines += [f"{one.id} ({one.unit}): {one.doc}" for one in info.columns]
    return "\n".join(lines)


class Table:
    """A result with its rows. It stays valid when its session reads more or is gone."""

    #: Rows that a notebook shows.
    max_rows = 30

    def __init__(self, handle: object):
        self._handle = handle
        self._rows: Optional[list[Tuple[Any, ...]]] = None
        self.info = info_of(_kr.table_info(handle))
        self.__doc__ = documentation(self.info)

    @property
    def id(self) -> str:
        return self.info.id

    @property
    def columns(self) -> Tuple[Column, ...]:
        return self.info.columns

    def rows(self) -> list[Tuple[Any, ...]]:
        """All rows, as tuples in the order of the columns. An empty cell is None."""
        return list(self._made())

    def dicts(self) -> list[dict[str, Any]]:
        """All rows, by the ids of the columns."""
        ids = [one.id for one in self.columns]
        return [dict(zip(ids, row)) for row in self._made()]

    def _made(self) -> list[Tuple[Any, ...]]:
        if self._rows is None:
            self._rows = _kr.table_rows(self._handle)
        return self._rows

    def __iter__(self) -> Iterator[Tuple[Any, ...]]:
        return iter(self._made())

    def __len__(self) -> int:
        return len(self._made())

    def to_numpy(self) -> Any:
        """A dict of arrays by column. Texts are arrays of objects. A column of numbers with empty
        cells is a masked array."""
        numpy: Any = import_module("numpy")

        arrays = {}
        for column, data in zip(self.columns, _kr.table_columns(self._handle)):
            if isinstance(data, list):
                array = numpy.empty(len(data), dtype=object)
                array[:] = data
            else:
                kind, numbers, present = data
                array = numpy.frombuffer(numbers, "float64" if kind == "float64" else "int64")
                if kind == "bool":
                    array = array.astype(bool)
                here = numpy.frombuffer(present, "uint8").astype(bool)
                if not here.all():
                    array = numpy.ma.masked_array(array, ~here)
            arrays[column.id] = array
        return arrays

    def to_pandas(self) -> Any:
        """A DataFrame. Whole numbers with empty cells have the type Int64, and booleans with empty
        cells boolean. Units are in ``frame.attrs["units"]``."""
        numpy: Any = import_module("numpy")
        pandas: Any = import_module("pandas")

        data = {}
        for name, array in self.to_numpy().items():
            if isinstance(array, numpy.ma.MaskedArray):
                empty = numpy.ma.getmaskarray(array)
                if array.dtype == bool:
                    data[name] = pandas.array(array.data, dtype="boolean")
                elif array.dtype == numpy.int64:
                    data[name] = pandas.array(array.data, dtype="Int64")
                else:
                    data[name] = array.filled(numpy.nan)
                    continue
                data[name][empty] = pandas.NA
            else:
                data[name] = array
        frame = pandas.DataFrame(data, columns=[one.id for one in self.columns])
        frame.attrs["units"] = {one.id: one.unit for one in self.columns}
        return frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """For pyarrow, Polars, DuckDB and others: the Arrow PyCapsule interface. A requested schema
        is not applied, as the interface allows."""
        return _kr.table_arrow(self._handle)

    def __repr__(self) -> str:
        return f"<kr.Table {self.id}: {', '.join(one.id for one in self.columns)}>"

    def _repr_html_(self) -> str:
        shown = [(i, one) for i, one in enumerate(self.columns) if one.role != "short_form"]
        head = "".join(
            f'<th title="{html.escape(one.doc)} ({one.unit})">{html.escape(one.id)}</th>'
            for _, one in shown
        )
        rows = self._made()
        body = []
        for row in rows[: self.max_rows]:
            cells = []
            for i, one in shown:
                is_text = one.unit in ("text", "name")
                side = "left" if is_text else "right"
                cells.append(f'<td style="text-align:{side}">{html.escape(_cell(row[i]))}</td>')
            body.append(f"<tr>{''.join(cells)}</tr>")
        cut = len(rows) - self.max_rows
        more = f"<p>{cut} more rows</p>" if cut > 0 else ""
        return (
            f"<table><caption>{html.escape(self.info.title)}: {html.escape(self.info.doc)}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>{more}"
        )


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)
