#!/usr/bin/env python3
"""Rules that are not regular files: devices, pipes, sockets, folders, files that are too long. Each is
an error that names the file and the remedy; only a pipe named on the command line is read. kr waits
for none of them."""
import os
import pathlib
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "lsp"))
from client import Client  # noqa: E402

KR = os.environ["KR"]
TIMEOUT = 120  # seconds; no test waits so long
RULES = 'engine e { detect: "e" substage { a: "x" rest: otherwise } }\n'


def limit():
    # Endless reading ends soon. Sanitizers reserve address space, so memory is not limited.
    resource.setrlimit(resource.RLIMIT_CPU, (30, 30))


def run(folder, *arguments, stdin=subprocess.DEVNULL, pass_fds=()):
    done = subprocess.run([KR, *arguments], cwd=folder, stdin=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=TIMEOUT, check=False, preexec_fn=limit,
                          pass_fds=pass_fds)
    return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")


def check_refused(folder, path, why):
    for verb in (["lint", path], ["fmt", path], ["test", path], ["compile", path, "-o", "o.krdb"],
                 ["list", "engines", "--rules", path], 
                 ["why", "x", "--rules", path, "--engine", "e", "--model", "default"]):
        status, said = run(folder, *verb)
        assert status == 2 and why in said and path in said, (verb, status, said)
    (folder / "user.kr").write_text(f'use "{path}" as m\n' + RULES)
    status, said = run(folder, "lint", "user.kr")
    assert status == 2 and "KR202" in said and why in said, (path, status, said)


def check_pipes(folder):
    # As a shell does `--rules <(…)`.
    for verb in (["lint", "PIPE"], ["list", "engines", "--rules", "PIPE"]):
        read, write = os.pipe()
        os.write(write, RULES.encode())
        os.close(write)
        status, said = run(folder, *[f"/dev/fd/{read}" if one == "PIPE" else one for one in verb],
                           pass_fds=(read,))
        os.close(read)
        assert status in (0, 1) and "error" not in said, (verb, status, said)
    # Endless: it is read only up to the limit.
    read, write = os.pipe()

    def feed():
        try:
            while True:
                os.write(write, b"# no end\n" * 4096)
        except OSError:
            pass

    # The writer's error comes back from `write`, not as a signal.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    thread = threading.Thread(target=feed)
    thread.start()
    child = subprocess.Popen([KR, "lint", f"/dev/fd/{read}"], cwd=folder, pass_fds=(read,),
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.close(read)
    out, err = child.communicate(timeout=TIMEOUT)
    thread.join(timeout=TIMEOUT)
    os.close(write)
    assert child.returncode == 2 and b"64 MiB" in err, (child.returncode, out, err)
    with open("/dev/zero", "rb") as zero:
        for verb in (["lint", "-"], ["fmt", "-"]):
            status, said = run(folder, *verb, stdin=zero)
            assert status == 2 and "64 MiB" in said, (verb, status, said)


def check_server(folder):
    """An open document may `use` any file: the server still answers."""
    client = Client()
    client.start()
    for number, path in enumerate(("./pipe.kr", "/dev/zero", "./socket.kr", "./long.kr", "./folder.kr")):
        uri = (folder / f"open{number}.kr").as_uri()
        client.open(uri, f'use "{path}" as m\n' + RULES)
        client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        found = client.findings(uri)
        assert [one["code"] for one in found] == ["KR202"], (path, found)
        assert client.result("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
    assert client.end() == 0


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        (folder / "good.kr").write_text(RULES)
        os.mkfifo(folder / "pipe.kr")
        (folder / "folder.kr").mkdir()
        with open(folder / "long.kr", "wb") as out:
            out.truncate(1 << 40)  # a hole
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(folder / "socket.kr"))
        check_refused(folder, "/dev/zero", "is a device")
        check_refused(folder, "./socket.kr", "is a socket")
        check_refused(folder, "./long.kr", "64 MiB")
        (folder / "user.kr").write_text('use "./pipe.kr" as m\n' + RULES)
        status, said = run(folder, "lint", "user.kr")
        assert status == 2 and "KR202" in said and "is a pipe" in said, (status, said)
        status, said = run(folder, "fmt", "pipe.kr")
        assert status == 2 and "is a pipe" in said, (status, said)
        check_pipes(folder)
        check_server(folder)
        # Of a folder, kr lints regular files; a pipe is not one.
        status, said = run(folder, "lint", ".")
        assert status == 2 and "is a pipe" in said, (status, said)
        listening.close()


if __name__ == "__main__":
    main()
