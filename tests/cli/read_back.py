"""The tables of kr's output formats, read back: each as {table: rows}, a row as {column: cell}, to compare with those of the JSON.
Texts are str; bytes that are not UTF-8 are lone surrogates, as in the JSON."""
import csv
import io
import json
import sqlite3


def no_duplicates(pairs):
    """For json.loads: of two members with one name, Python silently keeps the last."""
    members = dict(pairs)
    assert len(members) == len(pairs), f"a member occurs twice: {[name for name, _ in pairs]}"
    return members


def of_json(data):
    document = json.loads(data, object_pairs_hook=no_duplicates)
    described = {name: document[name] for name in document if name not in ("kr", "schema", "tables")}
    return {**described, **document["tables"]}


def of_lines(data):
    tables = {}
    for line in data.splitlines():
        row = json.loads(line, object_pairs_hook=no_duplicates)
        assert next(iter(row)) == "table", f"not the first member: {line[:80]}"
        tables.setdefault(row.pop("table"), []).append(row)
    return tables


def of_csv(data):
    """Columns and rows of one file; cells are texts."""
    rows = list(csv.reader(io.StringIO(data.decode("utf-8", "surrogateescape"), newline=""), strict=True))
    return rows[0], rows[1:]


def text(cell):
    return cell.decode("utf-8", "surrogateescape") if isinstance(cell, bytes) else cell


def names_in(database):
    """The tables of a database, in order."""
    return list(dict.fromkeys(row[0] for row in database.execute('SELECT table_name FROM columns ORDER BY rowid')))


def of_database(database):
    """SQLite's names ignore case; a column whose name already exists is called NAME_2."""
    tables = {}
    for name in names_in(database):
        found = database.execute(f'SELECT * FROM "{name}"')
        columns = [column[0] for column in found.description]
        tables[name] = [dict(zip(columns, map(text, row), strict=True)) for row in found]
    return tables


def csv_cell(cell, has_fraction):
    """The text of the JSON's cell in a CSV file."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, str):
        return "'" + cell if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell
    if not has_fraction:
        return str(cell)
    return f"{cell:.6f}" if abs(cell) < 1e10 else f"{cell:.0f}"


def cells(rows):
    return [list(row.values()) for row in rows]


def first_difference(got, want):
    """The difference of two lists of rows, as a text; empty if there is none."""
    for number, (one, other) in enumerate(zip(got, want)):
        if one != other:
            return f"row {number}: {one}, not {other}"
    return "" if len(got) == len(want) else f"{len(got)} rows, not {len(want)}"


def differences(got, want):
    """Tables by name, as of_json, of_lines and of_database read them. Tables without rows may be absent from `got`."""
    found = [f"{name}: not in the JSON" for name in got if name not in want]
    for name, rows in want.items():
        there = got.get(name, [])
        for row, other in zip(there, rows):
            for (column, cell), (known, wanted) in zip(row.items(), other.items()):
                # 1.0 is 1 in the JSON, and a database has no booleans.
                if cell != wanted or isinstance(cell, str) != isinstance(wanted, str):
                    found.append(f"{name}: {column} is {cell!r}, not {wanted!r}")
                if column != known and not column.startswith(known + "_"):
                    found.append(f"{name}: a column is called {column}, not {known}")
            if len(row) != len(other):
                found.append(f"{name}: {len(row)} columns, not {len(other)}")
            if found:
                return found
        if len(there) != len(rows):
            found.append(f"{name}: {len(there)} rows, not {len(rows)}")
    return found


def csv_differences(data, rows, properties, more):
    """A CSV file and the JSON's rows of the table; `properties` and `more` (for other columns) are of the JSON schema."""
    columns, lines = of_csv(data)
    types = [properties.get(column, more)["type"] for column in columns]
    fractions = ["number" in (one if isinstance(one, list) else [one]) for one in types]
    want = [[csv_cell(cell, fraction) for cell, fraction in zip(row.values(), fractions, strict=True)] for row in rows]
    # Whole numbers of such columns may be written without a fraction.
    def is_short(cell):
        return cell.lstrip("-").isdigit() and abs(int(cell)) < 10 ** 10
    lines = [[f"{cell}.000000" if fraction and is_short(cell) else cell
              for cell, fraction in zip(line, fractions, strict=True)] for line in lines]
    found = [f"columns {columns}, not {list(row)}" for row in rows[:1] if columns != list(row)]
    difference = first_difference(lines, want)
    return found + ([difference] if difference else [])


def open_database(path):
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True)
