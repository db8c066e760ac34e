"""A client of `kr lsp` on its standard streams, like that of an editor.

A thread reads the messages of the server: answers are stored by their id, notifications in a list.
"""
import json
import os
import queue
import subprocess
import threading

TIMEOUT = 120  # seconds: enough for a busy machine with sanitizers; no test waits so long


class ServerGone(Exception):
    pass


class Client:
    def __init__(self, arguments=("--stdio",)):
        self.process = subprocess.Popen(
            [os.environ["KR"], "lsp", *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.last_id = 0
        self.incoming = queue.Queue()
        self.notifications = []
        self.errors = b""
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()

    def _read(self):
        out = self.process.stdout
        while True:
            length = None
            while True:
                line = out.readline()
                if not line:
                    self.incoming.put(None)
                    return
                if line == b"\r\n":
                    break
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            body = out.read(length)
            # Strictly UTF-8, and strictly JSON.
            self.incoming.put(json.loads(body.decode("utf-8")))

    def _read_errors(self):
        self.errors = self.process.stderr.read()

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps(message).encode("utf-8")
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method, params=None):
        self.send({"jsonrpc": "2.0", "method": method, "params": params or {}})

    def _next(self):
        message = self.incoming.get(timeout=TIMEOUT)
        if message is None:
            raise ServerGone(self.errors.decode("utf-8", "replace"))
        return message

    def call(self, method, params=None):
        """The complete answer, with `result` or `error`."""
        self.last_id += 1
        wanted = self.last_id
        message = {"jsonrpc": "2.0", "id": wanted, "method": method}
        if params is not None:
            message["params"] = params
        self.send(message)
        return self.wait_for(lambda one: "method" not in one and one.get("id") == wanted)

    def wait_for(self, wanted):
        while True:
            message = self._next()
            if wanted(message):
                return message
            self.notifications.append(message)

    def result(self, method, params=None):
        answer = self.call(method, params)
        assert "result" in answer, f"{method}: {answer}"
        return answer["result"]

    def error(self, method, params=None):
        answer = self.call(method, params)
        assert "error" in answer, f"{method}: {answer}"
        assert answer["error"]["message"], answer
        return answer["error"]["code"]

    def start(self, encodings=("utf-16",), root=None):
        result = self.result("initialize", {
            "processId": os.getpid(), "rootUri": root,
            "clientInfo": {"name": "test"},
            "capabilities": {"general": {"positionEncodings": list(encodings)},
                             "textDocument": {"publishDiagnostics": {"relatedInformation": True}}}})
        self.notify("initialized")
        return result

    def open(self, uri, text, version=1):
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": "kr", "version": version, "text": text}})

    def change(self, uri, version, *changes):
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)})

    def findings(self, uri, version=None):
        """The findings published for a document (for a version, if it is given)."""
        def wanted(message):
            params = message.get("params", {})
            return (message.get("method") == "textDocument/publishDiagnostics"
                    and params["uri"] == uri
                    and (version is None or params.get("version") == version))
        return self.wait_for(wanted)["params"]["diagnostics"]

    def end(self):
        """Shuts the server down; its exit status."""
        assert self.result("shutdown") is None
        self.notify("exit")
        return self.process.wait(timeout=TIMEOUT)
