#!/usr/bin/env python3
"""Output targets and process identity: every verb that writes files, with every kind of file that can
exist under the name of its output, inputs included; part files of runs that are ended or killed, and of
several runs at the same time; programs that kr runs and that outlive it. Contents of outputs: every verb
writes the same rows in every format, and its JSON is valid under `kr list schema`.

This test checks what docs/security.md promises. As root, it creates devices in its own folder, so that a
mistake destroys no device of the machine.

    KR=build/tools/kr/kr tests/cli/check_outputs.py
"""
import collections
import copy
import fcntl
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
import zlib

import read_back
import run as sessions

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import ncu_pages  # noqa: E402
import nsys_export  # noqa: E402
import perfetto  # noqa: E402

try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit("the Python module jsonschema is missing: install python3-jsonschema (`tools/setup test` does)")

KR = os.path.abspath(os.environ["KR"])
ROOT_USER = os.geteuid() == 0
LIMIT = 60  # seconds until a process counts as hanging; none takes more than one

failures = []
checks = 0
skipped = set()


def check(good, what):
    global checks
    checks += 1
    if not good:
        failures.append(what)
        print("FAILED:", what)


# ---------------------------------------------------------------- the inputs

TRACE = "Start (ns),Duration (ns),CorrId,Device,Strm,Name\n1000,500,1,0,7,gemm_a\n1600,50,2,0,7,relu\n"
COMMON = 'pattern gemm = "gemm"\n'
RULES = """use "./common.kr" as c
labels substage { gemm "Products" misc "Rest" }
engine e "E" { substage { gemm: c.gemm misc: otherwise } }
"""
TABLE = {"vllm": {"llama": {"gemm": "gemm", "": "misc"}}}
PROFILE = {"traceEvents": [
    {"ph": "X", "cat": "python_function", "name": "nn.Module: Model_0", "pid": 1, "tid": 1, "ts": 5, "dur": 80,
     "args": {}},
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 12, "dur": 4,
     "args": {"correlation": 1}},
    {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 20, "dur": 10,
     "args": {"correlation": 1, "device": 0, "stream": 7}}]}


def make_inputs(folder):
    (folder / "trace.csv").write_text(TRACE)
    (folder / "common.kr").write_text(COMMON)
    (folder / "rules.kr").write_text(RULES)
    (folder / "table.json").write_text(json.dumps(TABLE))
    (folder / "profile.json").write_text(json.dumps(PROFILE))
    (folder / "cupti").mkdir()
    (folder / "cupti" / "kernel.csv").write_text("start,end,name,correlation,device,stream\n1000,1500,gemm,11,0,7\n")
    (folder / "cupti" / "gpu_memcpy.csv").write_text("start,end,copyKind,correlationId,deviceId,streamId\n900,950,1,10,0,7\n")
    base = sqlite3.connect(folder / "nsys.sqlite")
    base.executescript("""
        CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
        INSERT INTO StringIds VALUES (3, 'gemm');
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, shortName INTEGER);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 2000, 3);""")
    base.close()
    (folder / "report.nsys-rep").write_bytes(b"\x00\x01\x02report")
    nsys = folder / "nsys"
    nsys.write_text(f"#!/bin/sh\ncp {folder}/nsys.sqlite \"$7\"\n")
    nsys.chmod(0o755)
    done = kr(folder, ["compile", "rules.kr", "-o", "rules.krdb"])
    assert done.returncode == 0, done.stderr


def environment(folder):
    return {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "LC_ALL": "C.UTF-8",
            "TMPDIR": str(folder / "temp"), "KR_CACHE_DIR": str(folder / "cache"),
            **{name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "KR_PATH") if name in os.environ}}


def kr(folder, words, **more):
    (folder / "temp").mkdir(exist_ok=True)
    more.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([KR, "-q", *words], cwd=folder, env=environment(folder), capture_output="stdout" not in more,
                          timeout=LIMIT, **more)


# Each output: its name, the words of the command with OUT for the target, and the inputs it reads.
RULE_FILES = ["rules.kr", "common.kr"]
BY_FILE = ["--rules", "rules.kr"]
OUTPUTS = [
    ("report csv", ["report", "trace.csv", *BY_FILE, "--format", "csv", "-o", "OUT"], ["trace.csv", *RULE_FILES]),
    ("report packed", ["report", "trace.csv", *BY_FILE, "--format", "json", "-o", "OUT"], ["trace.csv", *RULE_FILES]),
    ("report html", ["report", "trace.csv", *BY_FILE, "--format", "html", "-o", "OUT"], ["trace.csv", *RULE_FILES]),
    ("report perfetto", ["report", "trace.csv", *BY_FILE, "--format", "perfetto", "-o", "OUT"], ["trace.csv", *RULE_FILES]),
    ("report sqlite", ["report", "trace.csv", *BY_FILE, "--format", "sqlite", "-o", "OUT"], ["trace.csv", *RULE_FILES]),
    ("report of a folder", ["report", "cupti", *BY_FILE, "--format", "csv", "-o", "OUT"],
     ["cupti/kernel.csv", "cupti/gpu_memcpy.csv", *RULE_FILES]),
    ("report of a database", ["report", "nsys.sqlite", *BY_FILE, "--format", "csv", "-o", "OUT"], ["nsys.sqlite"]),
    ("report through nsys", ["report", "report.nsys-rep", "--nsys-cmd", "./nsys", *BY_FILE, "--format", "csv", "-o", "OUT"],
     ["report.nsys-rep"]),
    ("report by a .krdb", ["report", "trace.csv", "--rules", "rules.krdb", "--format", "csv", "-o", "OUT"], ["rules.krdb"]),
    ("analyze", ["analyze", "trace.csv", *BY_FILE, "--format", "json", "-o", "OUT"], ["trace.csv", *RULE_FILES]),
    ("compile", ["compile", "rules.kr", "-o", "OUT"], RULE_FILES),
    ("compile a .krdb", ["compile", "rules.krdb", "-o", "OUT"], ["rules.krdb"]),
    ("import", ["import", "table.json", "-o", "OUT"], ["table.json"]),
    ("export", ["export", "rules.kr", "--skip-inexpressible", "-o", "OUT"], RULE_FILES),
    ("init", ["init", "mine", "--force", "-o", "OUT"], []),
]
# Into a folder: the words, and the file that is checked.
FOLDERS = [
    ("report --out-dir", ["report", "trace.csv", *BY_FILE, "--out-dir", "DIR"], "result.csv"),
    ("analyze --out-dir", ["analyze", "trace.csv", *BY_FILE, "--format", "json,html", "--out-dir", "DIR"], "analysis.html"),
    ("tree --out-dir", ["tree", "profile.json", *BY_FILE, "--out-dir", "DIR"], "tree.html"),
]


def with_out(words, target):
    return [str(target) if word == "OUT" else word for word in words]


# ---------------------------------------------------------------- what is checked

def snapshot(folder):
    """Everything in a folder: kind, permissions, device number, inode, link, text."""
    found = {}
    for path in sorted(folder.rglob("*")):
        info = path.lstat()
        if path.is_relative_to(folder / "cache") or path.is_relative_to(folder / "temp"):
            continue
        text = path.read_bytes() if stat.S_ISREG(info.st_mode) else None
        link = os.readlink(path) if stat.S_ISLNK(info.st_mode) else None
        found[str(path.relative_to(folder))] = (info.st_mode, info.st_rdev, info.st_ino, link, text)
    return found


def no_parts(folder, what):
    left = [str(path) for path in folder.rglob("*") if path.name.endswith(".part")]
    left += [str(path) for path in (folder / "temp").iterdir()]
    check(not left, f"{what}: files left: {left}")


def shown(done):
    return f"exit {done.returncode}, {done.stderr!r}"


class Setting:
    """A folder with all inputs, and their state before a run."""

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="kr-outputs-")
        self.folder = pathlib.Path(os.path.realpath(self.temporary.name))
        make_inputs(self.folder)
        return self

    def __exit__(self, *exception):
        subprocess.run(["chmod", "-R", "u+rwx", self.folder], check=False)
        self.temporary.cleanup()


def is_whole(name, data):
    """Whether these bytes are valid for an output of this name."""
    if "sqlite" in name:
        return data.startswith(b"SQLite format 3") and len(data) % 4096 == 0
    if name.startswith("compile"):
        return data.startswith(b"\x8bkrdb")
    if "perfetto" in name:
        try:
            return len(perfetto.Trace(data).slices) == 4
        except (AssertionError, ValueError, IndexError, KeyError, zlib.error):
            return False
    if name == "analyze" or name == "report packed" or name == "export":
        try:
            json.loads(data)
        except ValueError:
            return False
        return True
    if "html" in name:
        return data.rstrip().endswith(b"</html>")
    return len(data) > 20


# ---------------------------------------------------------------- kinds of targets

def files(setting, name, words):
    """Missing, regular, links."""
    folder = setting.folder / "out"
    folder.mkdir()

    def run(target, cwd=setting.folder):
        return kr(cwd, with_out(words, target))

    done = run(folder / "missing")
    check(done.returncode == 0 and is_whole(name, (folder / "missing").read_bytes()), f"{name} to a new file: {shown(done)}")
    reference = (folder / "missing").read_bytes()

    regular = folder / "regular"
    if "--force" not in words:
        # What kr did not write stays, unless the user says otherwise.
        regular.write_bytes(b"run,dimensions: mine\n")
        done = run(regular)
        check(done.returncode == 2 and b"--force" in done.stderr, f"{name} to a file of the user: {shown(done)}")
        check(regular.read_bytes() == b"run,dimensions: mine\n", f"{name} to a file of the user changes it")
        done = kr(setting.folder, [*with_out(words, regular), "--force"])
        check(done.returncode == 0 and is_whole(name, regular.read_bytes()), f"{name} --force to a file of the user: {shown(done)}")
    # Rules and tables of patterns have no mark of kr.
    regular.write_bytes(b"" if name in ("import", "export") else reference)
    regular.chmod(0o640)
    before = regular.stat().st_ino
    done = run(regular)
    check(done.returncode == 0 and is_whole(name, regular.read_bytes()), f"{name} to a file: {shown(done)}")
    check(stat.S_IMODE(regular.stat().st_mode) == 0o640, f"{name}: permissions are kept")
    check(regular.stat().st_ino != before, f"{name}: a file is replaced as a whole")

    regular.write_bytes(b"")
    link = folder / "link"
    chain = folder / "chain"
    link.symlink_to("regular")
    chain.symlink_to(link)
    done = run(chain)
    check(done.returncode == 0 and chain.is_symlink() and link.is_symlink(), f"{name} through links: {shown(done)}")
    check(not regular.is_symlink() and is_whole(name, regular.read_bytes()), f"{name}: the target of a link is written")
    check(stat.S_IMODE(regular.stat().st_mode) == 0o640, f"{name}: permissions of the target of a link are kept")

    dangling = folder / "dangling"
    dangling.symlink_to("made")
    done = run(dangling)
    check(done.returncode == 0 and dangling.is_symlink() and (folder / "made").is_file(), f"{name} through a link to nothing: {shown(done)}")
    lost = folder / "lost"
    lost.symlink_to("nowhere/at/all")
    done = run(lost)
    check(done.returncode == 2 and lost.is_symlink() and b"folder" in done.stderr, f"{name} through a link to no folder: {shown(done)}")
    loop = folder / "loop"
    loop.symlink_to("loop")
    done = run(loop)
    check(done.returncode == 2 and loop.is_symlink(), f"{name} to a loop of links: {shown(done)}")

    # A name of the maximum length, so that no longer part name is possible; and a name without a folder.
    longest = "n" * 255
    done = kr(folder, [KRELATIVE(word, setting, folder) for word in with_out(words, longest)])
    check(done.returncode == 0 and (folder / longest).is_file(), f"{name} to a name of 255 bytes: {shown(done)}")

    (folder / "folder").mkdir()
    for target in ("folder", "folder/", "none/below", "regular/below", ""):
        before = snapshot(setting.folder)
        done = run(str(folder / target) if target else "")
        check(done.returncode == 2 or not target, f"{name} to {target!r}: {shown(done)}")
        if target:
            check(snapshot(setting.folder) == before, f"{name} to {target!r} changes files")
    no_parts(setting.folder, name)
    return reference


def KRELATIVE(word, setting, folder):
    """Inputs are named from another folder."""
    path = setting.folder / word
    return str(path) if word and not word.startswith("-") and path.exists() else word


def device(path, minor):
    """As root a device of the test; otherwise the machine's, which the test has no permission to replace."""
    if not ROOT_USER:
        return pathlib.Path("/dev/null" if minor == 3 else "/dev/full")
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
        with open(path, "wb"):
            return path
    except OSError:
        skipped.add("devices: none can be made here")
        return None


def streams(setting, name, words):
    """Devices, FIFOs, sockets, open files: written directly, and they still exist afterwards."""
    folder = setting.folder / "streams"
    folder.mkdir()

    def run(target, **more):
        return kr(setting.folder, with_out(words, target), **more)

    null = device(folder / "null", 3)
    if null:
        done = run(null)
        check(done.returncode == 0 and stat.S_ISCHR(os.lstat(null).st_mode), f"{name} to a device: {shown(done)}")
        link = folder / "to null"
        link.symlink_to(null)
        done = run(link)
        check(done.returncode == 0 and link.is_symlink() and stat.S_ISCHR(os.lstat(null).st_mode), f"{name} to a link to a device: {shown(done)}")
    full = device(folder / "full", 7)
    if full:
        done = run(full)
        check(done.returncode == 2 and b"No space left" in done.stderr, f"{name} to a full device: {shown(done)}")
        check(stat.S_ISCHR(os.lstat(full).st_mode), f"{name}: a full device stays")

    fifo = folder / "fifo"
    os.mkfifo(fifo)
    got = []
    reader = threading.Thread(target=lambda: got.append(fifo.read_bytes()), daemon=True)
    reader.start()
    done = run(fifo)
    check(done.returncode == 0 and stat.S_ISFIFO(os.lstat(fifo).st_mode), f"{name} to a FIFO: {shown(done)}")
    if not stat.S_ISFIFO(os.lstat(fifo).st_mode):
        return
    reader.join(LIMIT)
    check(got and is_whole(name, got[0]), f"{name}: a FIFO gets it whole")

    # `-o >(cat)`: a pipe that is open here.
    reading, writing = os.pipe()
    got = []

    def read_pipe(end, to):
        with os.fdopen(end, "rb") as pipe:
            to.append(pipe.read())
    reader = threading.Thread(target=read_pipe, args=(reading, got), daemon=True)
    reader.start()
    done = run(f"/dev/fd/{writing}", pass_fds=[writing])
    os.close(writing)
    reader.join(LIMIT)
    check(done.returncode == 0 and got and is_whole(name, got[0]), f"{name} to an open pipe: {shown(done)}")

    # The reader stops early.
    reading, writing = os.pipe()
    os.close(reading)
    done = run(f"/proc/self/fd/{writing}", pass_fds=[writing])
    os.close(writing)
    check(done.returncode == 0, f"{name} to a pipe without a reader: {shown(done)}")

    for target in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/proc/thread-self/fd/1"):
        done = run(target)
        check(done.returncode == 0 and is_whole(name, done.stdout), f"{name} to {target}: {shown(done)}")
    # A file that the shell opened is written from its current position.
    if "sqlite" not in name:
        appended = folder / "appended"
        appended.write_bytes(b"before\n")
        with open(appended, "ab") as out:
            done = run("/dev/stdout", stdout=out, stderr=subprocess.PIPE)
            out.write(b"after\n")
        text = appended.read_bytes()
        check(done.returncode == 0 and text.startswith(b"before\n") and text.endswith(b"after\n") and
              is_whole(name, text[7:-6]), f"{name} to a file that is standard output: {shown(done)}, {text[:40]}")
    with open("/dev/null", "rb") as given:
        done = run("/dev/stdin", stdin=given)
    check(done.returncode == 2, f"{name} to what is open for reading: {shown(done)}")

    server = socket.socket(socket.AF_UNIX)
    server.bind(str(folder / "socket"))
    done = run(folder / "socket")
    check(done.returncode == 2 and stat.S_ISSOCK(os.lstat(folder / "socket").st_mode), f"{name} to a socket: {shown(done)}")
    server.close()
    no_parts(setting.folder, name)


def inputs(setting, name, words, read):
    """An output is never a file that the run reads, under any name."""
    folder = setting.folder / "names"
    folder.mkdir()
    for number, one in enumerate(read):
        path = setting.folder / one
        hard, soft = folder / f"hard{number}", folder / f"soft{number}"
        os.link(path, hard)
        soft.symlink_to(path)
        before = snapshot(setting.folder)
        for target in (one, path, hard, soft, f"./names/../{one}"):
            done = kr(setting.folder, with_out(words, target))
            check(done.returncode == 2, f"{name} over its input {target}: {shown(done)}")
            # The export of nsys stays in the folder of the report; it is not an output of this test.
            after = snapshot(setting.folder)
            after.pop("report.sqlite", None)
            before.pop("report.sqlite", None)
            if after != before:
                check(False, f"{name}: the input {target} was written over")
                return
        if one.endswith(".csv") and "/" not in one:
            piped = [("-" if word == one else word) for word in words]
            with open(path, "rb") as given:
                done = kr(setting.folder, with_out(piped, one), stdin=given)
            check(done.returncode == 2 and path.read_bytes() == before[one][4], f"{name} over its standard input: {shown(done)}")
            with open(path, "ab") as out:
                done = kr(setting.folder, with_out(words, "/dev/stdout"), stdout=out, stderr=subprocess.PIPE)
            check(done.returncode == 2 and path.read_bytes() == before[one][4], f"{name} at the end of its input: {shown(done)}")
    no_parts(setting.folder, name)


def closed_folder(setting, name, words):
    """A folder that cannot be written: an error before the trace is read, and no files are left."""
    if ROOT_USER:
        skipped.add("folders that cannot be written: root writes everywhere")
        return
    folder = setting.folder / "closed"
    folder.mkdir()
    (folder / "old").write_bytes(b"")
    folder.chmod(0o555)
    for target in ("new", "old"):
        done = kr(setting.folder, with_out(words, folder / target))
        check(done.returncode == 2 and b"ermission" in done.stderr, f"{name} into a closed folder: {shown(done)}")
    check([path.name for path in folder.iterdir()] == ["old"], f"{name} into a closed folder leaves files")


def folders():
    """Verbs that write several files into a folder."""
    for name, words, file in FOLDERS:
        with Setting() as setting:
            folder = setting.folder / "dir"

            def run():
                return kr(setting.folder, [str(folder) if word == "DIR" else word for word in words])
            done = run()
            check(done.returncode == 0 and (folder / file).is_file(), f"{name}: {shown(done)}")
            made = sorted(path.name for path in folder.iterdir())
            (folder / file).unlink()
            (folder / file).symlink_to("../elsewhere")
            null = device(folder / "null", 3)
            if null and ROOT_USER:
                for other in made:
                    if other != file:
                        (folder / other).unlink()
                        os.link(null, folder / other)
            done = run()
            check(done.returncode == 0 and (folder / file).is_symlink() and (setting.folder / "elsewhere").is_file(), f"{name} through a link: {shown(done)}")
            if null and ROOT_USER:
                check(all(stat.S_ISCHR(os.lstat(folder / other).st_mode) for other in made if other != file), f"{name}: devices in the folder stay")
            # One of the files is an input: none of them is put in place.
            (folder / file).unlink()
            os.link(setting.folder / "rules.kr", folder / file)
            before = snapshot(setting.folder)
            done = run()
            check(done.returncode == 2 and snapshot(setting.folder) == before, f"{name} over an input: {shown(done)}")
            no_parts(setting.folder, name)


def rewriting():
    """fmt and lint --fix replace the files that they read, and no others."""
    untidy = RULES.replace("engine e", "engine   e")
    for name, words, text in (("fmt", ["fmt"], untidy),
                              ("lint --fix", ["lint", "--fix"], RULES.replace("misc: otherwise", 'misc: "gemm_a"  misc: otherwise'))):
        with Setting() as setting:
            file = setting.folder / "mine.kr"
            file.write_text(text)
            file.chmod(0o600)
            link = setting.folder / "link.kr"
            link.symlink_to("mine.kr")
            done = kr(setting.folder, [*words, "link.kr"])
            check(done.returncode in (0, 1) and link.is_symlink() and file.read_text() != text, f"{name} through a link: {shown(done)}")
            check(stat.S_IMODE(file.stat().st_mode) == 0o600, f"{name} keeps permissions")
            file.write_text(text)
            with open(file, "rb") as given:
                done = kr(setting.folder, [*words, "/dev/stdin"], stdin=given)
            check(done.returncode == 2 or file.read_text() != "", f"{name} of standard input by name: {shown(done)}")
            no_parts(setting.folder, name)


# ---------------------------------------------------------------- process identity

def parts_of(folder):
    return [path for path in folder.iterdir() if path.name.endswith(".part")]


def wait_for(condition, what):
    deadline = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > deadline:
            check(False, f"waited in vain: {what}")
            return False
        time.sleep(0.005)
    return True


class Waiting:
    """A run that has opened its outputs and waits for a trace."""

    def __init__(self, folder, words, count, **more):
        self.folder = folder
        self.fifo = folder / f"trace-{time.monotonic_ns()}"
        os.mkfifo(self.fifo)
        words = [str(self.fifo) if word == "FIFO" else word for word in words]
        (folder / "temp").mkdir(exist_ok=True)
        before = set(parts_of(folder / "out"))
        self.process = subprocess.Popen([KR, "-q", *words], cwd=folder, env=environment(folder), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        wait_for(lambda: len(set(parts_of(folder / "out")) - before) == count or self.process.poll() is not None, f"{count} part files")
        self.parts = set(parts_of(folder / "out")) - before

    def feed(self):
        with open(self.fifo, "w", encoding="ascii") as fifo:
            fifo.write(TRACE)

    def end(self):
        try:
            out, error = self.process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, error = self.process.communicate()
        return self.process.returncode, error


ONE = ["report", "FIFO", *BY_FILE, "--format", "csv", "-o", "out/result.csv"]


def signals():
    """A run that ends in any way removes its part files, also if there are many."""
    with Setting() as setting:
        folder = setting.folder
        (folder / "out").mkdir()
        many = []
        for i in range(40):
            (folder / f"t{i}.csv").write_text(TRACE)
            many.append(f"t{i}.csv")
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGXCPU):
            for words, count in ((ONE, 1), (["report", "FIFO", *many, *BY_FILE, "--format", "perfetto", "--out-dir", "out"], 42)):
                run = Waiting(folder, words, count, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
                check(len(run.parts) == count, f"{count} part files are written: {run.parts}")
                run.process.send_signal(number)
                status, _ = run.end()
                check(status == -number, f"{number.name} ends a run: {status}")
                check(not list((folder / "out").iterdir()), f"{number.name}: files left: {list((folder / 'out').iterdir())}")
        # Ignored (nohup) stays ignored.
        run = Waiting(folder, ONE, 1, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        run.process.send_signal(signal.SIGHUP)
        run.feed()
        status, error = run.end()
        check(status == 0 and (folder / "out" / "result.csv").is_file(), f"SIGHUP under nohup: {status}, {error}")
        # A limit of the size of files.
        for words in (["report", "trace.csv", *BY_FILE, "--format", "html", "-o", "out/x"],
                      ["report", "trace.csv", *BY_FILE, "--format", "sqlite", "-o", "out/x"]):
            done = kr(folder, words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)))
            check(done.returncode == 2 and done.stderr.startswith(b"kr: error: out/x"), f"a limit of file size: {shown(done)}")
        no_parts(folder, "signals")


def killed():
    """The next run with the same target removes the part files of a killed run, not those of a running one."""
    with Setting() as setting:
        folder = setting.folder
        (folder / "out").mkdir()
        run = Waiting(folder, ONE, 1)
        run.process.kill()
        run.end()
        left = parts_of(folder / "out")
        check(len(left) == 1, f"a killed run leaves its part: {left}")
        # Names that only look like part files.
        keep = [folder / "out" / name for name in ("result.csv.part", "result.csv.abcdefghijkl.partly", "other.csv.abcdefghijkl.part",
                                                   "result.csv.abcdefghijk1.part")]
        for path in keep:
            path.write_text("mine")
        alive = Waiting(folder, ONE, 1)
        check(not left[0].exists(), "the next run removes what is left over")
        done = kr(folder, ["report", "trace.csv", *BY_FILE, "--format", "csv", "-o", "out/result.csv"])
        check(done.returncode == 0, f"two runs of one target: {shown(done)}")
        check(all(path.exists() for path in alive.parts), "a run that is alive keeps its part")
        alive.feed()
        status, error = alive.end()
        check(status == 0, f"the run that was first: {status}, {error}")
        check(all(path.read_text() == "mine" for path in keep), "files that are not parts stay")
        for path in keep:
            path.unlink()
        # A locked part file belongs to a running process, whatever its process id.
        held = folder / "out" / "result.csv.abcdefghijkl.part"
        with open(held, "w", encoding="ascii") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            kr(folder, ["report", "trace.csv", *BY_FILE, "--format", "csv", "-o", "out/result.csv"])
            check(held.exists(), "a locked part stays")
        kr(folder, ["report", "trace.csv", *BY_FILE, "--format", "csv", "-o", "out/result.csv"])
        check(not held.exists(), "a part file without a lock is removed")
        # A folder in the temporary folder, with a name that kr might use.
        (folder / "temp" / "kr.sqlite").mkdir()
        done = kr(folder, ["report", "trace.csv", *BY_FILE, "--format", "sqlite"])
        check(done.returncode == 0 and is_whole("sqlite", done.stdout), f"a folder kr.sqlite in the temporary folder: {shown(done)}")
        (folder / "temp" / "kr.sqlite").rmdir()
        no_parts(folder, "killed")


def same_process_id():
    """In a container kr is often process 1: the files of another process 1 do not disturb it."""
    unshare = ["unshare", "--pid", "--fork", "--mount-proc"]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode != 0:
        skipped.add("process ids of containers: `unshare --pid` is refused here")
        return
    with Setting() as setting:
        folder = setting.folder
        for i in range(4):
            (folder / f"result.csv.1-{i}.part").write_text("left")
        (folder / ".report.1.sqlite").mkdir()
        for words in (["report", "trace.csv", *BY_FILE, "--format", "csv", "-o", "result.csv"],
                      ["report", "report.nsys-rep", "--nsys-cmd", "./nsys", *BY_FILE, "--format", "csv", "-o", "result.csv"]):
            done = subprocess.run([*unshare, KR, "-q", *words], cwd=folder, env=environment(folder), capture_output=True,
                                  timeout=LIMIT, check=False)
            check(done.returncode == 0, f"process 1: {shown(done)}")


def is_gone(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def programs():
    """nsys and its children end with kr, and their files are removed."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        for words in (["report", "report.nsys-rep"], ["report", "-"]):
            with Setting() as setting:
                folder = setting.folder
                # It ignores all signals that it can, as a shell script with a trap may.
                (folder / "nsys").write_text(f"""#!/bin/sh
trap '' INT TERM HUP QUIT
echo partial > "$7"
sleep 1000 &
echo "$!" > {folder}/child.new
echo "$$" >> {folder}/child.new
mv {folder}/child.new {folder}/child
wait
""")
                before = sorted(path.name for path in folder.iterdir())
                with open(folder / "report.nsys-rep", "rb") as given:
                    if words[1] == "-":
                        # Not a report by its own name, so the name of a link has to show it.
                        os.rename(folder / "report.nsys-rep", folder / "piped")
                        os.system(f"gzip -c {folder}/piped > {folder}/piped.nsys-rep.gz")
                        words = ["report", "piped.nsys-rep.gz"]
                        before = sorted(path.name for path in folder.iterdir())
                    process = subprocess.Popen([KR, "-q", *words, "--nsys-cmd", "./nsys", *BY_FILE, "--format", "csv"], cwd=folder,
                                               env=environment(folder), stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
                if wait_for((folder / "child").exists, "nsys is started"):
                    children = [int(word) for word in (folder / "child").read_text().split()]
                    process.send_signal(number)
                    try:
                        process.communicate(timeout=LIMIT)
                    except subprocess.TimeoutExpired:
                        check(False, f"{number.name} does not end kr while nsys runs")
                    check(process.returncode == -number, f"{number.name} while nsys runs: {process.returncode}")
                    for child in children:
                        if not wait_for(lambda: is_gone(child), f"{number.name}: process {child} of nsys ends"):
                            os.kill(child, signal.SIGKILL)
                    after = sorted(path.name for path in folder.iterdir() if path.name != "child")
                    check(after == before, f"{number.name}: files left: {set(after) - set(before)}")
                    no_parts(folder, f"nsys and {number.name}")
                else:
                    process.kill()


def exports():
    """Files in the folder of a report: only an export of nsys is replaced, and none that this run reads."""
    def aged(path):
        os.utime(path, (1, 1))

    with Setting() as setting:
        folder = setting.folder
        through = ["--nsys-cmd", "./nsys", *BY_FILE, "--format", "csv"]
        beside = folder / "report.sqlite"
        done = kr(folder, ["report", "trace.csv", *BY_FILE, "--format", "sqlite", "-o", "report.sqlite"])
        assert done.returncode == 0, done.stderr
        for age in (aged, lambda path: os.utime(path)):
            age(beside)
            before = beside.read_bytes()
            done = kr(folder, ["report", "report.nsys-rep", *through])
            check(done.returncode == 0 and beside.read_bytes() == before, f"a report of kr in the folder of a report of nsys: {shown(done)}")
        beside.unlink()
        # A link stays a link.
        (folder / "far.sqlite").write_bytes((folder / "nsys.sqlite").read_bytes())
        aged(folder / "far.sqlite")
        beside.symlink_to("far.sqlite")
        done = kr(folder, ["report", "report.nsys-rep", *through])
        check(done.returncode == 0 and beside.is_symlink() and (folder / "far.sqlite").stat().st_mtime > 1, f"an export through a link: {shown(done)}")
        beside.unlink()
        # It is another run of the same command.
        base = sqlite3.connect(beside)
        base.executescript("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); INSERT INTO StringIds VALUES (3, 'earlier');"
                           "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, shortName INTEGER);"
                           "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 3);")
        base.close()
        aged(beside)
        before = beside.read_bytes()
        for runs in (["report.nsys-rep", "report.sqlite"], ["report.sqlite", "report.nsys-rep"]):
            done = kr(folder, ["report", *runs, *through])
            check(done.returncode == 0 and beside.read_bytes() == before and b"earlier" in done.stdout, f"an export that is read: {shown(done)}")
        no_parts(folder, "exports")


# ---------------------------------------------------------------- what is in the outputs

STEP_RULES = """labels substage { gemm "Products" misc "Rest" }
engine e "E" {
  phases { prefill: "EXTEND"  decode: /DECODE (?<step>\\d+)/ }
  substage { gemm: "gemm"  misc: otherwise }
  model m { substage { misc: "gemm_b"  gemm: "gemm" } }
}
"""
SERVING_RULES = """engine e {
  phases { prefill: "EXTEND"  decode: "DECODE" }
  substage { attention: "attn"  sampling: "sample"  misc: otherwise }
}
"""
OLD_RULES = """labels substage { gemm misc }
pattern g = "gemm"
engine e "E" { detect: "gemm"  substage { gemm: g  misc: otherwise } }
engine old { substage { misc: otherwise } }
"""
# Texts that CSV, JSON and Markdown have to escape.
ODD_NAMES = ['gemm ""quoted"", with a comma', "=1+1", "-gemm|_*x*", "@gemm </td>", "a\nnew line\r\n", "\ttab", "gemm_\udcff\udcfe", "überall", "gemm_b"]
FORMATS = ("table", "csv", "json", "jsonl", "markdown", "sqlite")


def steps_trace(rank):
    """A rank with steps, modules, launches, collectives and repeated blocks."""
    def x(category, name, start, length, **args):
        return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1, "ts": start, "dur": length, "args": args}
    events = [x("user_annotation", "step[EXTEND bs=1]", 0, 100), x("python_function", "nn.Module: Model_0", 5, 80),
              x("cuda_runtime", "cudaLaunchKernel", 12, 4, correlation=1),
              x("cuda_runtime", "cudaStreamSynchronize", 17, 2),
              x("kernel", "gemm_a", 20, 10.001 + rank, device=0, stream=7, correlation=1),
              x("kernel", "ncclDevKernel_AllReduce", 60, 30 - 7 * rank, device=1, stream=8, correlation=1,
                **{"Collective name": "allreduce", "In msg nelems": 1000, "Out msg nelems": 1000, "Group size": 2, "dtype": "Float",
                   "Process Group Name": "0", "Process Group Description": "TP"}),
              x("gpu_memcpy", "Memcpy HtoD", 70, 1.5, device=0, stream=7)]
    for step in (1, 2):
        at = 200 * step
        events += [x("user_annotation", f"step[DECODE {step}]", at, 50), x("cuda_runtime", "cudaGraphLaunch", at + 1, 10, correlation=step + 1)]
        events += [x("kernel", f"k{i % 8}", at + 21 + i, 0.7 + rank / 10, device=0, stream=7, correlation=step + 1) for i in range(40)]
    return json.dumps({"traceEvents": events, "distributedInfo": {"rank": rank, "world_size": 2, "backend": "nccl"}})


def memory_trace():
    """The first rank, with what its allocator did, in and outside of steps and modules, and with a function of Python."""
    trace = json.loads(steps_trace(0))
    trace["traceEvents"].append({"ph": "X", "cat": "python_function", "name": "engine/model.py(12): forward", "pid": 1, "tid": 1,
                                 "ts": 6, "dur": 70})
    used = 1000
    for at, size in ((10, 512), (30, 256), (95, -256), (150, 64), (210, 2048), (240, -2048)):
        used += size
        trace["traceEvents"].append({"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": at, "args": {
            "Device Type": 1, "Device Id": 0, "Bytes": size, "Total Allocated": used, "Total Reserved": 8192}})
    return json.dumps(trace)


def serving_trace():
    """A prefill and ten steps of decode, of eight layers each, with annotations."""
    events, at, number = [], 0, 0

    def x(category, name, start, length, **args):
        events.append({"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1, "ts": start, "dur": length, "args": args})

    for step in range(11):
        begin, phase, times = at, *(("EXTEND", 9) if step == 0 else ("DECODE", 1))
        layer = ["norm", f"attn_{phase}", f"up_{phase}", f"down_{phase}"]
        for name in ["embed", *layer * 8, "head", "sample"]:
            number += 1
            x("cuda_runtime", "cudaLaunchKernel", at, 0.5, correlation=number)
            x("kernel", name, at, 2 * times, device=0, stream=7, correlation=number)
            at += 2 * times + 1
        x("user_annotation", f"step[{phase}]", begin, at - begin)
        at += 50
    return json.dumps({"traceEvents": events})


def odd_trace(factor):
    lines = ["Start (ns),Duration (ns),CorrId,Device,Strm,Name"]
    for i, name in enumerate(ODD_NAMES):
        lines.append(f'{1000 * i},{(i * 37 + 13) * factor},{i},GPU (0),7,"{name}"')
    return "\n".join(lines).encode("utf-8", "surrogateescape") + b"\n"


def stack_trace():
    """Twelve layers, each with an allreduce."""
    names = ["norm", "gemm_qkv", "attention", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "gemm_up", "gemm_down"] * 12
    return json.dumps({"traceEvents": [
        {"ph": "X", "cat": "kernel", "name": name, "ts": 100 * i, "dur": 90, "pid": 0, "tid": 7,
         "args": {"device": 0, "stream": 7, "correlation": i}} for i, name in enumerate(["embedding", *names, "head"])]})


def make_more_inputs(folder):
    (folder / "steps.kr").write_text(STEP_RULES)
    (folder / "serving.kr").write_text(SERVING_RULES)
    (folder / "serving.json").write_text(serving_trace())
    (folder / "old.kr").write_text(OLD_RULES)
    (folder / "new.kr").write_text(OLD_RULES.replace('"gemm"\nengine e', '"gemm" | "k1"\nengine e').replace("engine old", "engine new").replace('"E"', '"Engine"'))
    for rank in (0, 1):
        (folder / f"rank{rank}.json").write_text(steps_trace(rank))
    for name, factor in (("odd.csv", 1), ("slow.csv", 3)):
        (folder / name).write_bytes(odd_trace(factor))
    nsys_export.write(folder / "nsys.sqlite")
    nsys_export.write_metrics(folder / "sampled.sqlite")
    nsys_export.write_nccl(folder / "nccl.sqlite")
    (folder / "nccl.log").write_text(json.dumps({
        "header": {"id": "0xc0ffee00d15ea5e5", "rank": 0, "n_ranks": 2},
        "metadata": {"inspector_output_format_version": "v4.0"},
        "coll_perf": {"coll": "AllReduce", "coll_sn": 1, "coll_msg_size_bytes": 4096, "coll_exec_time_us": 2}}) + "\n",
        encoding="utf-8")
    (folder / "details.csv").write_text(ncu_pages.details())
    (folder / "raw.csv").write_text(ncu_pages.raw())
    (folder / "stack.json").write_text(stack_trace())
    (folder / "memory.json").write_text(memory_trace())
    layer = ["nvjet_a", "rms_norm", "rms_norm", "rotary_embedding", "reshape_and_cache", "flash_fwd", "nvjet_b", "rms_norm"]
    (folder / "layers.csv").write_text("Start (ns),Duration (ns),Device,Strm,Name\n" + "".join(
        f"{100 * i},90,0,7,{name}\n" for i, name in enumerate(layer * 3)))
    shutil.copy(folder / "sampled.sqlite", folder / "sampled1.sqlite")
    for name in ("costs", "graphs", "collectives", "moe", "proton"):
        sessions.Session(sessions.HERE / f"{name}.txtar").write_files(folder / name)
    for name in ("collectives", "moe"):
        subprocess.run([sys.executable, "make.py"], cwd=folder / name, check=True)


BY_STEPS = ["--rules", "steps.kr"]
ALL_RUNS = ["rank0.json", "rank1.json", "odd.csv"]
NSYS_STATS = ("cuda_gpu_kern_sum,cuda_gpu_kern_gb_sum,cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum,cuda_gpu_sum,cuda_graph_sum,"
              "cuda_gpu_trace,cuda_api_sum,cuda_api_gpu_sum,cuda_kern_exec_sum,cuda_kern_exec_trace,"
              "nvtx_sum,nvtx_pushpop_sum,nvtx_startend_sum,nvtx_kern_sum,nvtx_gpu_proj_sum")
NCU = "optimize_first,ncu_kernels,ncu_stalls,ncu_rules,ncu_match,roofline,roofline_roofs"
# Tables of several scopes: what people see each part as. A scope that is not here is a dimension.
PARTS = {
    "gpu_metrics": {"gpu": "sampled GPU metrics", "dimension": "sampled GPU metrics by label", "phase": "sampled GPU metrics by phase",
                    "step": "sampled GPU metrics by step", "kernel": "sampled GPU metrics by kernel"},
    "gpu_metric_balance": {"run": "sampled GPU metrics over ranks", "dimension": "sampled GPU metrics over ranks by label",
                           "phase": "sampled GPU metrics over ranks by phase"},
    "memory": {"run": "memory", "phase": "memory by phase", "step": "memory by step", "module": "memory by module"},
    "gpu_below_highest": {"clock": "clocks below the highest by label", "power": "power below the highest by label"},
    "collective_overlap": {"device": "collectives below compute and exposed", "dimension": "exposed collectives by label",
                           "layer": "exposed collectives by layer", "phase": "exposed collectives by phase",
                           "step": "exposed collectives by step"},
    "balance": {"device": "load balance of ranks and devices", "dimension": "load balance of labels across ranks",
                "kernel": "kernel summary of all ranks", "moe_exchange": "dispatch and combine of experts over ranks"},
    "label_times": {"phase": "phases by label", "step": "steps by label", "found_phase": "found phases by label",
                    "device": "kernel time by label and device", "rank": "labels by rank",
                    "moe_exchange": "between dispatch and combine by label"},
    "efficiency": {"job": "parallel efficiency", "run": "parallel efficiency", "phase": "parallel efficiency by phase and step",
                   "step": "parallel efficiency by phase and step", "dimension": "parallel efficiency by label"},
    "what_if": {"run": "what if", "phase": "what if", "step": "what if, by step"},
    "changes": {"dimension": "changes by label", "name": "changes by name"},
    "activity": {"all": "activity summary", "longest": "activity summary: longest operations"},
    "ncu_kernels": {"kernel": "kernels as ncu measured them", "dimension": "labels as ncu measured them"},
    "optimize_first": {"kernel": "optimize first", "dimension": "optimize first, by label"},
    "waits": {"synchronization": "synchronizing calls", "system": "calls of the operating system's runtime"},
    "unexplained_parts": {"name": "names of unexplained groups", "run": "unexplained groups by run"},
    "rank_steps": {"job": "slowest rank by step, by own time", "rank": "steps by rank"},
    "found_phases": {"phase": "phases, found from the kernels", "step": "steps, found from the kernels"},
    "explanations": {"label": "explanations", "alternative": "other rules that match", "cost": "clauses of costs",
                     "tool": "looking closer"},
    "rule_changes": {"label": "changes of labels", "model": "models of one ruleset only"},
}
SAMPLED = "gpu_utilization,gpu_below_highest,gpu_metrics"
GPU_METRICS = " ".join(f"gpu_metrics/{scope}" for scope in PARTS["gpu_metrics"])
# The name, the words, and tables, or TABLE/SCOPE, that must have rows. `grid`: on a terminal, too, a table is lines below its title.
RESULTS = [
    ("report of several traces", ["report", *ALL_RUNS, *BY_STEPS], "runs notes labels devices coverage kernels", False),
    ("report", ["report", *ALL_RUNS[:2], *BY_STEPS], "runs labels balance/dimension devices coverage ranks balance/device kernels balance/kernel", False),
    ("report of operations", ["report", "rank0.json", *BY_STEPS, "--tables",
                              "operations,host_calls,host_ranges,streams,steps,step_percentiles,in_flight,in_flight_over_time"],
     "operations host_calls host_ranges streams steps step_percentiles in_flight in_flight_over_time", True),
    ("analyze", ["analyze", *ALL_RUNS, *BY_STEPS],
     "runs notes devices idle steps phases label_times/phase label_times/step layers kernels_by_device launches activity/all activity/longest names_only_in "
     "activity_ratios launch_matching launch_queue attribution", True),
    ("analyze ranks", ["analyze", *ALL_RUNS[:2], *BY_STEPS],
     "ranks balance/device rank_steps/rank rank_steps/job clocks collective_balance collective_bandwidth collectives", True),
    ("report by device", ["report", *ALL_RUNS[:2], *BY_STEPS, "--tables", "stream_totals,label_times,step_devices"],
     "stream_totals label_times/device step_devices", True),
    ("overlap and scaling", ["analyze", *ALL_RUNS[:2], *BY_STEPS, "--baseline", ALL_RUNS[0], "--tables", "stream_overlap,scaling"],
     "stream_overlap scaling", True),
    ("nsys stats", ["analyze", "nsys.sqlite", *BY_STEPS, "--tables", NSYS_STATS], NSYS_STATS.replace(",", " "), True),
    ("pages of ncu", ["analyze", "nsys.sqlite", *BY_STEPS, "--ncu", "details.csv", "--ncu", "raw.csv", "--tables", NCU],
     f"{NCU.replace(',', ' ')} optimize_first/kernel optimize_first/dimension ncu_kernels/kernel ncu_kernels/dimension", True),
    ("GPU metrics", ["analyze", "sampled.sqlite", *BY_STEPS, "--tables", SAMPLED],
     f"gpu_utilization gpu_below_highest/clock gpu_below_highest/power {GPU_METRICS}", True),
    ("GPU metrics of ranks", ["analyze", "sampled.sqlite", "sampled1.sqlite", "--job", "yes", *BY_STEPS, "--tables",
                              "gpu_metric_balance"],
     "gpu_metric_balance/run gpu_metric_balance/dimension gpu_metric_balance/phase", True),
    ("memory", ["analyze", "memory.json", *BY_STEPS, "--tables", "memory"], "memory/run memory/phase memory/step memory/module", True),
    ("labels from neighbours", ["analyze", "layers.csv,generic", "--tables",
                                "order_kernels,order_rules,order_coverage,fusions,overlaps,fusion_places"],
     "order_kernels order_rules order_coverage fusions overlaps fusion_places", True),
    ("call sites", ["analyze", "memory.json", "--tables", "call_sites"], "call_sites", True),
    ("exchanges of experts", ["analyze", *(f"moe/job/rank{rank}.json,generic" for rank in range(4)), "--tables",
                              "moe_exchange_sums,balance,label_times,moe_exchanges"],
     "moe_exchange_sums balance/moe_exchange label_times/moe_exchange moe_exchanges", True),
    ("tables of ranks", ["analyze", *ALL_RUNS[:2], *BY_STEPS, "--tables", "label_times,rank_collectives"],
     "label_times/rank rank_collectives", True),
    ("calls of NCCL", ["analyze", "nccl.sqlite,generic", "--nccl-inspector", "nccl.log", "--tables",
                       "nccl_calls,nccl_inspector"], "nccl_calls nccl_inspector", True),
    ("repeats", ["analyze", "stack.json,generic", "--tables", "layers,repeats"], "layers repeats", True),
    ("collectives of layers", ["analyze", "stack.json,generic", "--tables", "collective_overlap"], "collective_overlap/layer", True),
    ("sends", ["analyze", *(f"collectives/pipe/rank{rank}.json" for rank in range(3)), "--rules", "collectives/r.kr", "--tables",
               "point_to_point"], "point_to_point", True),
    ("costs", ["analyze", "costs/new.json", "--rules", "costs/mine.kr", "--tables",
               "costs,cost_rates,cost_steps,cost_coverage,cost_gaps"], "costs cost_rates cost_steps cost_coverage cost_gaps", True),
    ("why of an op", ["why", "aten::mm", "--rules", "costs/mine.kr"], "explanations/cost", False),
    ("why of an operation", ["why", "costs/new.json", "--rules", "costs/mine.kr", "--operation", "cutlass_bf16_gemm"],
     "explanations/tool", False),
    ("graphs", ["analyze", "graphs/replay.json,generic", "--reference", "graphs/capture.json", "--tables", "graph_alignment"],
     "graph_alignment", True),
    ("what if", ["analyze", "serving.json", "--rules", "serving.kr", "--what-if", "host = 0.5x", "--tables",
                 "what_if,critical_path"], "what_if/run what_if/phase what_if/step critical_path", True),
    ("classify", ["classify", "odd.csv", *BY_FILE], "kernels", True),
    ("classify --each", ["classify", "odd.csv", *BY_FILE, "--each"], "operations", True),
    ("tree", ["tree", "profile.json", *BY_FILE], "tree tree_steps", False),
    ("costs of modules", ["tree", "proton/matmul.hatchet", *BY_FILE, "--gpu", "B200", "--tables", "module_costs,module_devices"],
     "module_costs module_devices", False),
    ("sums of a tree", ["tree", "rank0.json", *BY_STEPS, "--tables", "tree_sums"], "tree_sums", False),
    ("found phases", ["analyze", "serving.json", "--rules", "serving.kr", "--tables",
                      "found_phases,label_times,found_agreement"],
     "found_phases/phase found_phases/step label_times/found_phase found_agreement", True),
    ("sequences", ["report", "rank0.json", *BY_STEPS, "--tables", "sequences"], "sequences", False),
    ("tree of steps", ["tree", "rank0.json", *BY_STEPS, "--level", "kernel"], "tree tree_steps tree_trends tree_attribution", False),
    ("coverage", ["coverage", "odd.csv", *BY_FILE], "coverage unexplained unexplained_parts/name unexplained_parts/run", False),
    ("diff of runs", ["diff", "odd.csv", "slow.csv", *BY_FILE], "comparison changes/dimension changes/name", False),
    ("trend", ["diff", "odd.csv", "slow.csv", *BY_FILE, "--tables", "trend"], "trend", False),
    ("diff with a condition", ["diff", "odd.csv", "slow.csv", *BY_FILE, "--fail-if", "total > +2%"], "conditions changes/dimension", False),
    ("diff of trees", ["diff", "rank0.json", "rank1.json", *BY_STEPS, "--level", "module"], "comparison changes/dimension changes/name", False),
    ("diff of rulesets", ["diff", "old.kr", "new.kr", "--run", "rank0.json"],
     "rule_changes/label rule_changes/model setting_changes changed_names", False),
    ("why", ["why", "gemm_b", "--engine", "e", "--model", "m", *BY_STEPS], "explanations/label explanations/alternative", False),
    ("why of a name of odd bytes", ["why", b"gemm_\xff\n\"", *BY_FILE], "explanations/label", False),
    *((f"list {what}", ["list", what, "--rules", "old.kr"], f"list_{what}", True)
      for what in ("engines", "models", "labels", "patterns", "checks", "formats", "gpus", "rulesets", "tables", "columns")),
    ("list modules", ["list", "modules", *BY_FILE], "list_modules", True),
]


def part_of(table, row):
    """TABLE/SCOPE, or TABLE if it has no parts."""
    if table not in PARTS:
        return table
    if table == "gpu_below_highest":
        return f"{table}/{'power' if row['highest_hz'] is None else 'clock'}"
    return f"{table}/{row['scope'] if row['scope'] in PARTS[table] else 'dimension'}"


def in_parts(tables):
    """Rows by table, or by TABLE/SCOPE."""
    parts = collections.defaultdict(list)
    for table, rows in tables.items():
        for row in rows:
            parts[part_of(table, row)].append(row)
    return parts


def grids(text):
    """Tables for a terminal, `{title: number of rows}`: a title, a head, one line per row, an empty line."""
    blocks = [block.split("\n") for block in text.rstrip("\n").split("\n\n")]
    return {lines[0]: len(lines) - 2 for lines in blocks}


def markdown_tables(text):
    """`{title: number of rows}`, with rows that are only counted; each line has as many cells as the head."""
    tables = {}
    for title, lines, more in re.findall(r"^#+ (.*)\n\n((?:\|.*\n)+)(?:\n… and ([\d,]+) more rows?)?", text, re.M):
        rows = lines.rstrip("\n").split("\n")
        widths = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in rows}
        check(len(widths) == 1, f"markdown of {title}: rows of {widths} cells")
        tables[title] = len(rows) - 2 + int(more.replace(",", "") or 0)
    return tables


def same_rows(folder, schema, titles, name, words, with_rows, grid):
    """One command, in every format: to a folder and to standard output."""
    named = "--tables" in words

    def to_output(form, *more):
        done = kr(folder, [*words, "--format", form, *more])
        # Exit status 1 also means that runs or rulesets differ.
        check(done.returncode in (0, 1) and not done.stderr.startswith(b"kr: error"), f"{name} as {form}: {shown(done)}")
        return done.stdout

    document = to_output("json")
    tables = read_back.of_json(document)
    parts = in_parts(tables)
    empty = [part for part in with_rows.split() if not (tables.get(part) or parts.get(part))]
    check(not empty, f"{name}: no rows of {empty}")
    errors = list(schema.iter_errors(json.loads(document)))
    check(not errors, f"{name}: its JSON does not fit the schema: {[(list(error.absolute_path), error.message) for error in errors[:3]]}")

    ids = [table for table in tables if table not in ("runs", "notes")]
    out = folder / "results"
    selected = words if named else [*words, "--tables", ",".join(ids)]
    done = kr(folder, [*selected, "--all", "--format", ",".join(FORMATS), "--out-dir", str(out)])
    check(done.returncode in (0, 1), f"{name}: {shown(done)}")
    made = {path.name: path.read_bytes() for path in out.iterdir()}
    of_ending = {pathlib.Path(file).suffix: data for file, data in made.items()}
    found = read_back.differences(read_back.of_lines(to_output("jsonl")), tables)
    check(not found, f"{name} as jsonl on standard output: {found}")

    # A table by its name has all its scopes; those that the verb shows have the same rows.
    check(of_ending[".json"] == to_output("json", *selected[len(words):]), f"{name}: json in a folder differs")
    tables = read_back.of_json(of_ending[".json"])
    by_name = in_parts(tables)
    if by_name.keys() == parts.keys():
        check(of_ending[".json"] == document, f"{name}: the JSON of all its tables by name differs")
    for part, rows in parts.items():
        same = by_name[part]
        check(same == rows, f"{name}: rows of {part} differ if its table is named")
    check(of_ending[".jsonl"] == to_output("jsonl", *selected[len(words):]), f"{name}: jsonl in a folder differs")
    found = read_back.differences(read_back.of_lines(of_ending[".jsonl"]), tables)
    check(not found, f"{name} as jsonl: {found}")

    (folder / "results.sqlite").write_bytes(of_ending[".sqlite"])
    database = read_back.open_database(folder / "results.sqlite")
    found = read_back.differences(read_back.of_database(database), tables)
    check(not found, f"{name} as sqlite: {found}")
    check(read_back.names_in(database) == list(tables), f"{name} as sqlite: tables {read_back.names_in(database)}")
    database.close()
    (folder / "results.sqlite").unlink()

    properties = {**schema.schema["properties"], **schema.schema["properties"]["tables"]["properties"]}
    files = {file[:-4] for file in made if file.endswith(".csv")}
    check(files == set(tables), f"{name}: CSV of {files}, not of {set(tables)}")
    for table in files & set(tables):
        items = properties[table]["items"]
        found = read_back.csv_differences(made[f"{table}.csv"], tables[table], items["properties"], items["additionalProperties"])
        check(not found, f"{name}: {table}.csv: {found}")
    for table in ids[:2]:
        done = kr(folder, [*(words[:words.index("--tables")] if named else words), "--tables", table, "--format", "csv"])
        check(done.stdout == made.get(f"{table}.csv"), f"{name}: CSV of {table} on standard output: {shown(done)}")

    shown_rows = markdown_tables(of_ending[".md"].decode())
    want = collections.Counter()
    for part, rows in by_name.items():
        if part not in ("runs", "notes"):
            want[titles[part]] += len(rows)
    check(shown_rows == want, f"{name} as markdown: {shown_rows}, not {want}")
    check(to_output("table").strip(), f"{name} as a table: nothing")
    if grid:
        there = grids(kr(folder, [*selected, "--all", "--format", "table"]).stdout.decode())
        rows = {title: there.get(title) for title in want}
        check(rows == want, f"{name} as a table: {rows}, not {want}")
    for path in out.iterdir():
        path.unlink()
    return json.loads(document)


def refusals(schema, document):
    """A changed unit, a missing, an additional and a misspelt column, and an unknown table are not valid."""
    def refused(what, change):
        changed = copy.deepcopy(document)
        change(changed)
        check(not schema.is_valid(changed), f"the schema allows {what}")

    def set_cell(table, column, value):
        def change(changed):
            changed["tables"][table][0][column] = value
        return change

    check(schema.is_valid(document), "the schema refuses what it has to allow")
    refused("a text as a count", set_cell("devices", "operations", "43"))
    refused("a time in ms", set_cell("devices", "busy_ns", 0.5))
    refused("a count that is nothing", set_cell("devices", "operations", None))
    refused("a number as a name", set_cell("kernels_by_device", "name", 1))
    refused("a further column", set_cell("devices", "busy_ms", 1))
    refused("a missing column", lambda changed: changed["tables"]["devices"][0].pop("busy_ns"))
    refused("a missing column that may be nothing", lambda changed: changed["runs"][0].pop("backend"))
    refused("an unknown table", lambda changed: changed["tables"].update(breakdown=[]))
    refused("a table that is not an array", lambda changed: changed["tables"].update(devices={}))
    refused("another version", lambda changed: changed.update(schema=document["schema"] + 1))
    refused("no version of kr", lambda changed: changed.pop("kr"))
    refused("no tables", lambda changed: changed.pop("tables"))
    # A table without data is absent; this is not an error.
    fewer = copy.deepcopy(document)
    del fewer["tables"]["devices"]
    check(schema.is_valid(fewer), "the schema wants a table that does not apply")


def formats():
    with Setting() as setting:
        make_more_inputs(setting.folder)
        schema = json.loads(kr(setting.folder, ["list", "schema"]).stdout)
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(schema)
        titles = {row["name"]: row["title"] for row in
                  json.loads(kr(setting.folder, ["list", "tables", "--format", "json"]).stdout)["tables"]["list_tables"]}
        check(PARTS.keys() <= titles.keys(), f"no tables {PARTS.keys() - titles.keys()}")
        titles = {name: title for name, title in titles.items() if name not in PARTS}
        titles |= {f"{table}/{scope}": title for table, scopes in PARTS.items() for scope, title in scopes.items()}
        documents = {name: same_rows(setting.folder, validator, titles, name, words, with_rows, grid)
                     for name, words, with_rows, grid in RESULTS}
        refusals(validator, documents["analyze"])
        seen = {part for document in documents.values() for part in in_parts(document["tables"])}
        missing = set(titles) - seen
        # What `list config` shows depends on the options of this very command: see config.txtar.
        check(missing <= {"list_config", "runs", "notes", "tree_context", "substitutions", "waits/system"},
              f"no rows of {sorted(missing)}")
        no_parts(setting.folder, "formats")


def main():
    formats()
    for name, words, read in OUTPUTS:
        with Setting() as setting:
            files(setting, name, words)
        with Setting() as setting:
            streams(setting, name, words)
        with Setting() as setting:
            inputs(setting, name, words, read)
        with Setting() as setting:
            closed_folder(setting, name, words)
    folders()
    rewriting()
    signals()
    killed()
    same_process_id()
    programs()
    exports()
    for reason in sorted(skipped):
        print("skipped:", reason)
    print(f"{checks} checks, {len(failures)} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
