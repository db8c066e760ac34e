"""Reads the JSON of kr: rows of tables. Scripts in other folders of tests/ import it after

    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
"""
import collections
import json

SCHEMA = 3


class Results:
    """`runs` and `notes` are lists of rows, `tables` is a dict of such lists; a row is a dict."""

    def __init__(self, text):
        if isinstance(text, bytes):
            text = text.decode("utf-8", "surrogateescape")
        found = json.loads(text)
        self.program = found.pop("kr")
        schema = found.pop("schema")
        self.runs = found.pop("runs", [])  # absent if the verb has no runs
        self.notes = found.pop("notes")
        self.tables = found.pop("tables")
        if schema != SCHEMA or found:
            raise ValueError(f"schema {schema}, other members {list(found)}")
        known = {row["run"] for row in self.runs}
        if len(known) != len(self.runs):
            raise ValueError("two runs have the same name")
        for table, rows in [("runs", self.runs), ("notes", self.notes), *self.tables.items()]:
            if len({tuple(row) for row in rows}) > 1:
                raise ValueError(f"rows of {table} differ in their columns")
            strange = {row["run"] for row in rows if row.get("run") is not None} - known
            if strange:
                raise ValueError(f"rows of {table} are of other runs: {strange}")

    def __eq__(self, other):
        return vars(self) == vars(other)

    def rows(self, table, **columns):
        """Rows whose columns have these values; none if the table is absent."""
        return [row for row in self.tables.get(table, [])
                if all(row[column] == value for column, value in columns.items())]

    def run(self):
        """The row of the only run."""
        if len(self.runs) != 1:
            raise ValueError(f"{len(self.runs)} runs")
        return self.runs[0]

    def grouped(self, table, *columns):
        """Rows by the values of these columns."""
        groups = collections.defaultdict(list)
        for row in self.rows(table):
            groups[tuple(row[column] for column in columns)].append(row)
        return groups


def total(rows, column):
    return sum(row[column] for row in rows)


def label_sums(found):
    """For the report of one run: (what, got, expected); the labels of each dimension add up to the run."""
    run, dimensions = found.run(), found.grouped("labels", "dimension")
    yield "there are labels", bool(dimensions), run["operations"] > 0
    for (dimension,), labels in dimensions.items():
        yield f"{dimension} elapsed", total(labels, "elapsed_ns"), run["gpu_elapsed_ns"]
        yield f"{dimension} total", total(labels, "total_ns"), run["gpu_total_ns"]
        yield f"{dimension} instances", total(labels, "instances"), run["operations"]
