#!/usr/bin/env python3
"""`kr report --open` with programs that stand for browsers, and `kr report --watch` with files that appear whole, grow
slowly, are renamed into place, are replaced, and are never whole.

    KR=build/tools/kr/kr tests/cli/check_watch.py
"""
import concurrent.futures
import csv
import gzip
import os
import pathlib
import signal
import sqlite3
import subprocess
import tempfile
import time

KR = os.path.abspath(os.environ["KR"])
LIMIT = 60
TRACE = "Start (ns),Duration (ns),CorrId,Device,Strm,Name\n1000,500,1,0,7,gemm_a\n1600,50,2,0,7,relu\n"
BROWSER = '#!/bin/sh\nprintf "%s\\n" "$@" > "$(dirname "$0")/opened"\nexit {}\n'


def wait_for(what, condition):
    end = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < end, f"waited {LIMIT} s for {what}"
        time.sleep(0.05)


def program(path, status=0):
    path.parent.mkdir(exist_ok=True)
    path.write_text(BROWSER.format(status))
    path.chmod(0o755)


def check_open(folder):
    (folder / "trace.csv").write_text(TRACE)
    program(folder / "system" / "xdg-open")
    program(folder / "chosen" / "mine")
    program(folder / "failing" / "xdg-open", 3)
    (folder / "tmp").mkdir()
    system, chosen = folder / "system" / "opened", folder / "chosen" / "opened"

    def run(*options, path="system", browser=None, status=0):
        for one in (system, chosen):
            one.unlink(missing_ok=True)
        environment = {**os.environ, "PATH": f"{folder}/{path}:/usr/bin:/bin", "TMPDIR": str(folder / "tmp")}
        environment.pop("BROWSER", None)
        if path == "none":
            environment["PATH"] = f"{folder}/none"
        if browser is not None:
            environment["BROWSER"] = browser
        done = subprocess.run([KR, "report", "trace.csv", "--open", *options], cwd=folder, env=environment, capture_output=True,
                              text=True, timeout=LIMIT)
        assert done.returncode == status, done
        return done.stderr

    before = set(os.listdir(folder))
    said = run()
    page = pathlib.Path(system.read_text().strip())
    assert page.is_absolute() and page.is_relative_to(folder / "tmp") and str(page) in said, (page, said)
    assert "<!doctype html" in page.read_text()[:200].lower()
    assert page.parent.stat().st_mode & 0o077 == 0, "others can look at the page"
    assert set(os.listdir(folder)) == before, "files beside the page"
    run("-o", "mine.html")
    assert system.read_text().strip() == str(folder / "mine.html") and (folder / "mine.html").exists()
    run("--out-dir", "results")
    assert system.read_text().strip() == str(folder / "results" / "result.html") and (folder / "results" / "result.html").exists()
    # $BROWSER: the first that is there, with words of its own; no shell reads it.
    run("-o", "a;touch hacked.html", browser=f"/not/there:{folder}/chosen/mine --new %s -x")
    assert chosen.read_text().splitlines() == ["--new", str(folder / "a;touch hacked.html"), "-x"] and not system.exists()
    assert not (folder / "hacked.html").exists()
    said = run(path="none", status=2)
    assert "no browser was found" in said and "BROWSER" in said and str(folder / "tmp") in said, said
    said = run(path="failing", status=2)
    assert "the browser failed" in said, said
    for options, part in ((("-o", "x.csv"), ".html"), (("--format", "json"), "html"), (("--tables", "labels"), "--tables")):
        assert part in run(*options, status=2)


class Watch:
    def __init__(self, folder, *options):
        self.process = subprocess.Popen([KR, "report", "--watch", "in", "-o", "out", *options], cwd=folder, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stderr.readline()
        assert "watching in" in line, line

    def end(self):
        self.process.send_signal(signal.SIGINT)
        out, error = self.process.communicate(timeout=LIMIT)
        assert self.process.returncode == 0, (self.process.returncode, out, error)
        return out, error


def check_watch(folder):
    inside, out = folder / "in", folder / "out"
    inside.mkdir()
    (inside / "old.csv").write_text(TRACE)
    watch = Watch(folder)
    (inside / "whole.csv").write_text(TRACE)
    (inside / ".hidden.csv").write_text(TRACE)
    (inside / "deeper").mkdir()
    os.mkfifo(inside / "pipe")
    (inside / "broken.csv").write_text(TRACE + "1700,fifty,3,0,7,relu\n")
    (inside / "notes.txt").write_text("not a trace\n")
    # Renamed into place.
    (folder / "aside").write_text(TRACE)
    os.rename(folder / "aside", inside / "renamed.csv")
    # SQLite is in the middle of a change.
    base = sqlite3.connect(inside / "base.sqlite")
    base.execute("CREATE TABLE one (a)")
    base.execute("BEGIN IMMEDIATE")
    base.execute("INSERT INTO one VALUES (1)")
    assert (inside / "base.sqlite-journal").exists()
    # Grows for longer than a file has to rest; the trailer of gzip comes last, after a rest.
    packed = gzip.compress(TRACE.encode() * 1 + "".join(f"{2000 + i},1,{i},0,7,k{i}\n" for i in range(2000)).encode())
    with open(inside / "slow.csv.gz", "wb") as slow, open(inside / "never.csv.gz", "wb") as never:
        never.write(packed[:-100])
        never.flush()
        for i in range(8):
            slow.write(packed[i * 100:(i + 1) * 100])
            slow.flush()
            time.sleep(0.2)
        assert not (out / "slow.csv.gz").exists(), "reported while it grew"
        slow.write(packed[800:-4])
        slow.flush()
        time.sleep(1.6)
        assert not (out / "slow.csv.gz" / "result.html").exists(), "reported without its end"
        slow.write(packed[-4:])
    for name in ("whole.csv", "renamed.csv", "slow.csv.gz"):
        wait_for(name, (out / name / "result.html").exists)
    # Once, though `operation` is the name again.
    with open(out / "whole.csv" / "result.csv") as result:
        assert sorted(row["Name"] for row in csv.DictReader(result)) == ["CPU(non-GPU)", "gemm_a", "relu"]
    # A trace under a name that was reported: again.
    first = (out / "whole.csv" / "result.csv").read_text()
    (inside / "whole.csv").write_text(TRACE + "1700,50,3,0,7,added\n")
    wait_for("the new whole.csv", lambda: "added" in (out / "whole.csv" / "result.csv").read_text() != first)
    printed, said = watch.end()
    base.close()
    assert "base.sqlite" not in said, said
    # A file that grew while it was read is read again.
    lines = [line.split(":")[0] for line in printed.splitlines()]
    assert set(lines) == {"in/renamed.csv", "in/slow.csv.gz", "in/whole.csv"} and lines.count("in/whole.csv") == 2, printed
    for name in ("broken.csv", "never.csv.gz", "notes.txt"):
        assert f"{name} was not reported: in/{name}" in said, said
    assert "old.csv" not in said and "hidden" not in said and f"reported {len(lines)} traces" in said, said
    assert sorted(os.listdir(out)) == ["renamed.csv", "slow.csv.gz", "whole.csv"], os.listdir(out)


def check_interrupts(folder):
    """The first signal lets a report end; the second one ends it."""
    (folder / "in").mkdir()
    (folder / "nsys").write_text(f'''#!/bin/sh
trap '' INT TERM
echo "$$" > {folder}/running.new
mv {folder}/running.new {folder}/running
while [ ! -e {folder}/go ]; do sleep 0.1; done
cp {folder}/in/a.nsys-rep "$7"
''')
    (folder / "nsys").chmod(0o755)
    running = folder / "running"

    def start():
        running.unlink(missing_ok=True)
        watch = Watch(folder, "--nsys-cmd", str(folder / "nsys"))
        (folder / "in" / "a.nsys-rep").write_bytes(b"\x00\x01\x02report")
        wait_for("nsys", running.exists)
        watch.process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert watch.process.poll() is None, "the first signal ended kr while it made a report"
        return watch

    watch = start()
    child = int(running.read_text())
    watch.process.send_signal(signal.SIGINT)
    watch.process.communicate(timeout=LIMIT)
    assert watch.process.returncode == -signal.SIGINT, watch.process.returncode
    wait_for("the end of nsys", lambda: not pathlib.Path(f"/proc/{child}").exists())
    assert os.listdir(folder / "in") == ["a.nsys-rep"], os.listdir(folder / "in")
    (folder / "in" / "a.nsys-rep").unlink()
    # What it waited for ends: the report fails here, and is said.
    watch = start()
    (folder / "go").touch()
    out, error = watch.process.communicate(timeout=LIMIT)
    assert watch.process.returncode == 0 and "a.nsys-rep was not reported" in error and "reported 0 traces" in error, error
    # Another signal ends it as always.
    for number, status in ((signal.SIGTERM, 0), (signal.SIGHUP, -signal.SIGHUP)):
        watch = Watch(folder)
        watch.process.send_signal(number)
        watch.process.communicate(timeout=LIMIT)
        assert watch.process.returncode == status, (number, watch.process.returncode)


def check_mistakes(folder):
    for options, part in ((["--watch", "in"], "-o FOLDER"), (["--watch", "in", "-o", "in"], "another"),
                          (["--watch", "nowhere", "-o", "out"], "nowhere"), (["old.csv", "--watch", "in", "-o", "out"], "a run"),
                          (["--watch", "in", "-o", "out", "--open"], "--open"),
                          (["--watch", "in", "-o", "out", "--save", "a.krun"], "--save")):
        done = subprocess.run([KR, "report", *options], cwd=folder, capture_output=True, text=True, timeout=LIMIT)
        assert done.returncode == 2 and part in done.stderr, (options, done)


def main():
    with tempfile.TemporaryDirectory() as name:
        folders = []
        for check in (check_open, check_watch, check_interrupts):
            folders.append(pathlib.Path(name).resolve() / check.__name__)
            folders[-1].mkdir()
        # They mostly wait.
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(lambda check, folder: check(folder), (check_open, check_watch, check_interrupts), folders))
        check_mistakes(folders[1])
    print("opened and watched")


if __name__ == "__main__":
    main()
