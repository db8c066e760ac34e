#!/usr/bin/env python3
"""Writes a trace of any size for measuring: a trace of PyTorch (JSON) or an nsys export (SQLite), one copy behind
the other until the file has that size. Times and correlations differ between copies; each is as the source is.

    tests/bench/make_repeated.py SOURCE GIGABYTES FILE
"""
import gzip
import json
import pathlib
import re
import shutil
import sqlite3
import sys

TIME = "@T@"  # what comes before the digits of times and correlations that all copies have in common
LINK = "@C@"
LINKS = ("correlation", "External id", "external id", "Ev Idx", "launch_id")


def opened(path):
    return gzip.open(path, "rt", encoding="utf-8") if str(path).endswith(".gz") else open(path, encoding="utf-8")


def repeat_json(source, size, target):
    with opened(source) as file:
        whole = json.load(file, parse_float=lambda number: f"\0{number}\0")  # as it is written
    if isinstance(whole, list):
        whole = {"traceEvents": whole}
    events = whole.pop("traceEvents")
    once = [e for e in events if "ts" not in e]
    again = [e for e in events if "ts" in e]

    def ns(number):
        number, _, fraction = str(number).strip("\0").partition(".")
        return int(number) * 1000 + int((fraction + "000")[:3])

    first = min(ns(e["ts"]) for e in again)
    last = max(ns(e["ts"]) + ns(e.get("dur", "0")) for e in again)
    digits = len(str((last - first) // 1000 + 1))
    links = max((int(e["args"][k]) for e in again for k in LINKS if k in e.get("args", {})
                 and str(e["args"][k]).isdigit()), default=0)
    links = max(links, max((int(e["id"]) for e in again if str(e.get("id", "")).isdigit()), default=0))
    if links > 40_000_000:
        sys.exit(f"{source}: its correlations are too large to be counted on")
    places = len(str(links))

    def link(text):
        return f"\0{LINK}{int(text):0{places}}\0" if str(text).isdigit() else text

    def shifted(event):
        since = ns(event["ts"]) - first
        event["ts"] = f"\0{TIME}{since // 1000:0{digits}}.{since % 1000:03}\0"
        if event.get("ph") in ("s", "t", "f"):
            event["id"] = link(event["id"])
        for key in LINKS:
            if key in event.get("args", {}):
                event["args"][key] = link(event["args"][key])
        return event

    def text_of(value):
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        return re.sub(r'"\\u0000(.*?)\\u0000"', r"\1", text)

    copy = ",\n".join(text_of(shifted(e)) for e in again)
    with open(target, "w", encoding="utf-8") as out:
        out.write("{" + "".join(f"{json.dumps(key)}:{text_of(of)},\n" for key, of in whole.items()))
        out.write('"traceEvents": [\n' + "".join(text_of(e) + ",\n" for e in once))
        written, copies = 0, 0
        while written < size:
            copies += 1
            if copies * 10**places > 2**32:
                sys.exit(f"{source}: too small to be repeated to this size")
            text = copy.replace(TIME, str(copies)).replace(LINK, str(copies))
            out.write((",\n" if written else "") + text)
            written += len(text)
        out.write("\n]}\n")
    print(f"{target}: {copies} copies of {len(again)} events")


def repeat_sqlite(source, size, target):
    shutil.copyfile(source, target)
    pathlib.Path(target).chmod(0o644)
    with sqlite3.connect(target) as db:
        db.execute("pragma journal_mode = off")
        db.execute("pragma synchronous = off")
        pages = db.execute("pragma page_count").fetchone()[0] * db.execute("pragma page_size").fetchone()[0]
        copies = max(1, round(size / pages))
        times = {"start", "end", "timestamp", "rawtimestamp"}
        tables = {}
        for (name,) in db.execute("select name from sqlite_master where type = 'table'").fetchall():
            columns = [row[1] for row in db.execute(f'pragma table_info("{name}")')]
            if times & {c.lower() for c in columns} and "ANALYSIS" not in name.upper() and "DIAGNOSTIC" not in name.upper():
                tables[name] = columns
        begin, end, links = None, 0, 0
        for name, columns in tables.items():
            for column in columns:
                if column.lower() in times:
                    low, high = db.execute(f'select min("{column}"), max("{column}") from "{name}"').fetchone()
                    if low is None or not isinstance(low, int) or not isinstance(high, int):
                        continue
                    begin = low if begin is None else min(begin, low)
                    end = max(end, high)
                if column.lower() == "correlationid":
                    links = max(links, db.execute(f'select max("{column}") from "{name}"').fetchone()[0] or 0)
        if links * copies > 2**32:
            sys.exit(f"{source}: its correlations are too large to be counted on")
        step = end - begin + 1_000_000
        db.execute("create temp table copies as with recursive n(k) as (select 1 union all select k + 1 from n"
                   f" where k < {copies - 1}) select k from n")
        for name, columns in tables.items():
            db.execute(f'create temp table one as select * from "{name}"')
            key = {row[1] for row in db.execute(f'pragma table_info("{name}")') if row[5]}
            values = []
            for column in columns:
                if column in key:
                    values.append("null")
                elif column.lower() in times:
                    values.append(f'"{column}" + k * {step}')
                elif column.lower() == "correlationid":
                    values.append(f'"{column}" + k * {links}')
                else:
                    values.append(f'"{column}"')
            if copies > 1:
                db.execute(f'insert into "{name}" select {", ".join(values)} from copies cross join one')
            db.execute("drop table one")
    print(f"{target}: {copies} copies")


def main():
    source, gigabytes, target = sys.argv[1:]
    size = round(float(gigabytes) * 1e9)
    with open(source, "rb") as file:
        database = file.read(15) == b"SQLite format 3"
    (repeat_sqlite if database else repeat_json)(source, size, target)


main()
