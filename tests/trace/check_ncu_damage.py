#!/usr/bin/env python3
"""Pages of ncu with bytes, cells, lines and columns changed: kr reads them, or says in which line of which file they
are wrong; it never ends otherwise. What it reads is compared with a reader of its own: every row of a page is of a
kernel that is there, or is told.

    KR=build/tools/kr/kr tests/trace/check_ncu_damage.py [ROUNDS [SEED]]
"""
import csv
import io
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import ncu_pages  # noqa: E402

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 400 * (100 if "KR_LONG" in os.environ else 1)
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 17
LIMIT = 60  # seconds until a process counts as hanging
RULES = 'engine e { substage { gemm: "gemm" rest: otherwise } }\n'
# What is about a file as a whole names no line.
WHOLE_FILE = ("has no duration of a kernel", "all durations together", "is not a page of ncu", "is empty",
              "is not in a format that kr reads", "no format", "is text without the header of",
              "is in an unknown format")
CELLS = ["", " ", "n/a", "-1", "0", "1", "99999999999999999999", "1,5", "1.5", "1e400", "nan", "inf", "x", '"', "a\nb", "(,)",
         "(4294967296, 1, 1)", "us", "ns", "furlong", "ID", "==PROF== x", "Duration", "é"]


def written(rows):
    return "".join(ncu_pages.line(row) for row in rows)


class Damage:
    """A page, changed in one to three places. `is_csv`: rows and cells are still what they are."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        page = self.random.choice([ncu_pages.details, ncu_pages.raw])()
        self.rows = list(csv.reader(io.StringIO(page)))
        self.is_csv = self.random.random() < 0.7
        if self.is_csv:
            for _ in range(self.random.randint(1, 3)):
                self.random.choice([self.cell, self.cell, self.line, self.column])()
            self.data = written(self.rows).encode()
        else:
            self.data = page.encode()
            for _ in range(self.random.randint(1, 3)):
                self.bytes()

    def below_header(self):
        return self.random.randrange(1, len(self.rows))

    def cell(self):
        row = self.rows[self.below_header()]
        row[self.random.randrange(len(row))] = self.random.choice(CELLS)

    def line(self):
        at = self.below_header()
        what = self.random.randrange(4)
        if what == 0 and len(self.rows) > 2:
            del self.rows[at]
        elif what == 1:
            self.rows.insert(self.below_header(), list(self.rows[at]))
        elif what == 2:
            other = self.below_header()
            self.rows[at], self.rows[other] = self.rows[other], self.rows[at]
        else:
            self.rows[at] = self.rows[at][:self.random.randrange(1, len(self.rows[at]) + 1)]

    def column(self):
        one, other = (self.random.randrange(len(self.rows[0])) for _ in range(2))
        what = self.random.randrange(3)
        for row in self.rows:
            if max(one, other) >= len(row):
                continue
            if what == 0 and len(row) > 1:
                del row[one]
            elif what == 1:
                row.insert(other, row[one])
            else:
                row[one], row[other] = row[other], row[one]

    def bytes(self):
        at = self.random.randrange(len(self.data))
        what = self.random.randrange(4)
        if what == 0:
            self.data = self.data[:at] + bytes([self.random.choice(b'",\n\r\0;x0\xff')]) + self.data[at + 1:]
        elif what == 1:
            self.data = self.data[:at] + self.data[at + self.random.randint(1, 40):]
        elif what == 2:
            self.data = self.data[:at] + bytes([self.random.choice(b'",\n\r\0;x0\xff')]) + self.data[at:]
        else:
            self.data = self.data[:at]
        self.data = self.data or b"x"


def whole(text):
    """A cell as a whole number; without one it is 0."""
    return int(text.strip() or 0)


def counted(rows):
    """Of a page: its rows, those without an ID, those that repeat one, and the kernels."""
    titles = [title.strip() for title in rows[0]]
    at_id, at_name = titles.index("ID"), titles.index("Kernel Name")
    at_process = titles.index("Process ID") if "Process ID" in titles else None
    is_details = "Metric Name" in titles
    count, without, repeated, kernels = 0, 0, 0, set()
    for number, row in enumerate(rows[1:]):
        if not row[at_id].strip():
            # The first row of a page of `raw` has units.
            is_units = not is_details and (number == 0 or not row[at_name].strip())
            if not is_units:
                count, without = count + 1, without + 1
            continue
        count += 1
        has_process = at_process is not None and at_process < len(row)
        kernel = (whole(row[at_id]), whole(row[at_process]) if has_process else 0)
        repeated += kernel in kernels and not is_details
        kernels.add(kernel)
    return count, without, repeated, len(kernels)


def told(notes, pattern):
    """The number that a note has, or that of what was dropped."""
    for note in notes:
        found = re.search(pattern, note["text"])
        if found:
            return note["count"] if note["count"] is not None else int(found.group(1).replace(",", ""))
    return 0


def wrong_with(damage, done):
    """Why this is no proper end; empty: it is one."""
    stderr = done.stderr.decode(errors="replace")
    if done.returncode == 2:
        if re.match(r"kr: error: page\.csv:\d+", stderr):
            return ""
        ends_well = stderr.startswith("kr: error: page.csv") and any(words in stderr for words in WHOLE_FILE)
        return "" if ends_well else f"no file and line in the message: {stderr!r}"
    if done.returncode != 0:
        return f"exit {done.returncode}: {stderr[-2000:]!r}"
    document = json.loads(done.stdout)
    instances = sum(row["instances"] for row in document["tables"].get("ncu_kernels", []) if row["scope"] == "kernel")
    notes = document["notes"]
    untimed = told(notes, "kernel without a duration")
    [run] = document["runs"]
    if run["operations"] + untimed != instances:
        return f"{run['operations']} operations and {untimed} kernels without a duration, of {instances}"
    if not damage.is_csv:
        return ""
    try:
        rows, without, repeated, kernels = counted(damage.rows)
    except (ValueError, IndexError) as fault:
        return f"read, though a row has no number where it needs one: {fault}"
    if instances != kernels:
        return f"{instances} kernels, expected {kernels} of {rows} rows"
    got = told(notes, "row without an ID"), told(notes, r"^([\d,]+) rows? of one page repeats? an ID")
    if got != (without, repeated):
        return f"rows without an ID and repeated: {got}, expected {(without, repeated)}"
    return ""


def main():
    ends, failures = {0: 0, 2: 0}, []
    kr = os.path.abspath(os.environ["KR"])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "rules.kr").write_text(RULES)
        for number in range(ROUNDS):
            damage = Damage(f"{SEED} {number}")
            (folder / "page.csv").write_bytes(damage.data)
            done = subprocess.run([kr, "analyze", "page.csv", "--rules", "rules.kr", "--tables", "ncu_kernels",
                                   "--format", "json", "-q"],
                                  cwd=folder, capture_output=True, check=False, timeout=LIMIT)
            ends[done.returncode] = ends.get(done.returncode, 0) + 1
            wrong = wrong_with(damage, done)
            if wrong:
                failures.append(f"{SEED} {number}: {wrong}")
    print("\n".join(failures[:20]) or f"{ROUNDS} pages: {ends[0]} read, {ends[2]} refused")
    # Both ends were met.
    return 1 if failures or min(ends[0], ends[2]) < ROUNDS / 10 else 0


if __name__ == "__main__":
    sys.exit(main())
