#!/usr/bin/env python3
"""What editors really send to `kr lsp`: requests directly after `didOpen` and `didChange`, bursts of
edits, cancelled requests, documents closed and opened again; in fixed and in random sequences. In
all of them, each request is answered exactly once, the findings of the last text are
published, and every position is in the text.

editors.py [--seeds FIRST LAST] [--rounds N]: the long form, by hand."""
import argparse
import pathlib
import random
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from client import TIMEOUT, Client, ServerGone  # noqa: E402

MODIFIED, CANCELLED, UNKNOWN_METHOD = -32801, -32800, -32601

TEXT = '''use std.gemm

labels substage {
  gemm "Dense 😀" color "#4e79a7"
  misc "Rest"
}

pattern unused = "x"

engine demo "Demo" {
  detect: "demo"
  substage {
    gemm: gemm.any | "gémm"
    gemm: "gemm_again"
    misc: otherwise
  }
}

test demo { "my_gemm" => substage gemm }
'''

# n-th letters from the end: a check of this takes long, and a server that only works on it would
# not answer.
SLOW = ("engine slow {\n  detect: \"slow\"\n  substage {\n" +
        "".join(f"    l{i}: /a.{{{i}}}$/\n" for i in range(39)) + "    rest: otherwise\n  }\n}\n")


def lines_of(text):
    """Lines as in the protocol, without their line breaks, and the start of each."""
    lines, begins, at = [], [], 0
    for found in re.finditer(r"\r\n|\r|\n", text):
        lines.append(text[at:found.start()])
        begins.append(at)
        at = found.end()
    return lines + [text[at:]], begins + [at]


def units(text):
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def offset_of(text, place):
    lines, begins = lines_of(text)
    if place["line"] >= len(lines):
        return len(text)
    line, column, at = lines[place["line"]], 0, 0
    while at < len(line) and column + units(line[at]) <= place["character"]:
        column += units(line[at])
        at += 1
    return begins[place["line"]] + at


def place_of(text, offset):
    lines, begins = lines_of(text)
    number = max(i for i, begin in enumerate(begins) if begin <= offset)
    return {"line": number, "character": units(lines[number][:offset - begins[number]])}


def check_range(text, found, what):
    lines, _ = lines_of(text)
    for end in (found["start"], found["end"]):
        assert 0 <= end["line"] < len(lines), (what, found, text)
        assert 0 <= end["character"] <= units(lines[end["line"]]), (what, found, text)
    begin, end = found["start"], found["end"]
    assert (begin["line"], begin["character"]) <= (end["line"], end["character"]), (what, found)


def ranges_in(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("range", "selectionRange"):
                yield inner
            else:
                yield from ranges_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from ranges_in(inner)


class Editor:
    """A client that stores its requests, and the texts that the server should have."""

    def __init__(self):
        self.client = Client()
        self.client.start()
        self.asked = {}      # id: method
        self.of_version = {} # id: (uri, version) when it was sent
        self.texts = {}      # uri: text
        self.versions = {}   # uri: version; never falls
        self.history = {}    # (uri, version): text
        self.next_id = 1000

    def remember(self, uri):
        self.history[uri, self.versions[uri]] = self.texts[uri]

    def open(self, uri, text):
        self.versions[uri] = self.versions.get(uri, 0) + 1
        self.texts[uri] = text
        self.remember(uri)
        self.client.open(uri, text, self.versions[uri])

    def close(self, uri):
        del self.texts[uri]
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def change(self, uri, *edits):
        """Edits as (begin, end, text), in characters; each applies to the text after the edits before it."""
        changes = []
        text = self.texts[uri]
        for begin, end, new in edits:
            changes.append({"range": {"start": place_of(text, begin), "end": place_of(text, end)},
                            "text": new})
            # For a place inside a line break, the protocol has only the end of the line.
            begin, end = (offset_of(text, changes[-1]["range"][key]) for key in ("start", "end"))
            text = text[:begin] + new + text[end:]
        self.texts[uri] = text
        self.versions[uri] += 1
        self.remember(uri)
        self.client.change(uri, self.versions[uri], *changes)

    def replace(self, uri, text):
        self.texts[uri] = text
        self.versions[uri] += 1
        self.remember(uri)
        self.client.change(uri, self.versions[uri], {"text": text})

    def ask(self, method, uri=None, **params):
        self.next_id += 1
        if uri is not None:
            params["textDocument"] = {"uri": uri}
            if uri in self.versions:
                self.of_version[self.next_id] = (uri, self.versions[uri])
        self.asked[self.next_id] = method
        self.client.send({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params})
        return self.next_id

    def actions(self, uri):
        lines, _ = lines_of(self.texts[uri])
        whole = {"start": {"line": 0, "character": 0},
                 "end": {"line": len(lines) - 1, "character": units(lines[-1])}}
        return self.ask("textDocument/codeAction", uri, range=whole, context={"diagnostics": []})

    def cancel(self, number):
        self.client.notify("$/cancelRequest", {"id": number})

    def published(self, uri):
        """The findings of the current text, when they are published."""
        for one in self.client.notifications:
            params = one.get("params", {})
            if (one.get("method") == "textDocument/publishDiagnostics" and params["uri"] == uri
                    and params.get("version") == self.versions[uri]):
                return params["diagnostics"]
        return self.client.findings(uri, self.versions[uri])

    def answer(self, number):
        for one in self.client.notifications:
            if "method" not in one and one.get("id") == number:
                return one
        found = self.client.wait_for(lambda one: "method" not in one and one.get("id") == number)
        self.client.notifications.append(found)
        return found

    def end(self):
        """Ends the server and checks what is true of every session."""
        assert self.client.end() == 0
        answers = {}
        for one in self.client.notifications:
            if "id" in one and "method" not in one and one["id"] in self.asked:
                assert one["id"] not in answers, f"answered twice: {one}"
                answers[one["id"]] = one
                assert ("result" in one) != ("error" in one), one
            elif one.get("method") == "textDocument/publishDiagnostics":
                params = one["params"]
                text = self.history.get((params["uri"], params.get("version")))
                if text is not None:
                    for finding in params["diagnostics"]:
                        check_range(text, finding["range"], finding)
        missing = set(self.asked) - set(answers)
        assert not missing, f"not answered: {[self.asked[one] for one in missing]}"
        for number, one in answers.items():
            code = one.get("error", {}).get("code")
            assert code != -32603, one
            if "result" in one and number in self.of_version:
                for found in ranges_in(one["result"]):
                    if self.asked[number] not in ("textDocument/definition",):
                        check_range(self.history[self.of_version[number]], found, one)
        return answers


def codes(findings):
    return sorted(one.get("code", "") for one in findings)


def check_vscode():
    """VS Code sends all requests at the same time, and again after each letter; it cancels late ones."""
    editor = Editor()
    uri = "untitled:Untitled-1"
    editor.client.notify("$/setTrace", {"value": "off"})
    editor.client.notify("workspace/didChangeConfiguration", {"settings": {}})
    editor.open(uri, TEXT)
    actions = editor.actions(uri)
    editor.ask("textDocument/documentSymbol", uri)
    tokens = editor.ask("textDocument/semanticTokens/full", uri)
    editor.ask("textDocument/inlayHint", uri, range={})
    editor.ask("textDocument/foldingRange", uri)
    found = editor.published(uri)
    assert "KR311" in codes(found), found
    titles = [one["title"] for one in editor.answer(actions)["result"]]
    assert titles, "no action, though there are findings"
    assert editor.answer(tokens)["result"]["data"], "no semantic tokens"
    at = TEXT.index('"gemm_again"') + 1
    late = []
    for letter in "typing":
        editor.change(uri, (at, at, letter))
        at += 1
        late.append(editor.actions(uri))
        editor.ask("textDocument/documentSymbol", uri)
        editor.ask("textDocument/completion", uri, position=place_of(editor.texts[uri], at))
        if len(late) > 1:
            editor.cancel(late[-2])
    # The last ones are for the final text, and are answered; those before may be late.
    assert isinstance(editor.answer(late[-1]).get("result"), list)
    assert "KR311" in codes(editor.published(uri))
    for number in late[:-1]:
        answer = editor.answer(number)
        assert "result" in answer or answer["error"]["code"] in (MODIFIED, CANCELLED), answer
    editor.close(uri)
    editor.open(uri, TEXT.replace("otherwise", "nonsense"))
    editor.actions(uri)
    assert "KR206" in codes(editor.published(uri))
    editor.end()


def check_neovim(folder):
    """Neovim sends its changes, then requests actions without waiting for findings."""
    path = folder / "file ü.kr"
    path.write_text(TEXT, encoding="utf-8")
    editor = Editor()
    uri = path.as_uri()
    editor.open(uri, TEXT)
    for _ in range(3):
        hover = editor.ask("textDocument/hover", uri,
                           position=place_of(TEXT, TEXT.index("gemm: gemm")))
        actions = editor.actions(uri)
        assert editor.answer(hover)["result"], "no hover"
        assert editor.answer(actions)["result"], "no actions"
        text = editor.texts[uri]
        editor.change(uri, (len(text), len(text), "\n"))
        editor.client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    assert "KR311" in codes(editor.published(uri))
    editor.close(uri)
    editor.end()


def check_helix():
    """Helix requests symbols and actions of several documents, and sends complete texts as changes."""
    editor = Editor()
    uris = ["untitled:a.kr", "untitled:b.kr"]
    for uri in uris:
        editor.open(uri, TEXT)
        editor.ask("textDocument/documentSymbol", uri)
        editor.actions(uri)
    for uri in uris:
        editor.replace(uri, TEXT + "\n")
        editor.actions(uri)
    for uri in uris:
        assert "KR311" in codes(editor.published(uri))
    editor.end()


def check_slow():
    """While a long check runs, requests are answered, and a new text replaces the old one."""
    editor = Editor()
    uri = "untitled:slow.kr"
    editor.open(uri, SLOW)
    actions = editor.actions(uri)
    symbols = [editor.ask("textDocument/documentSymbol", uri) for _ in range(5)]
    for number in symbols:
        assert editor.answer(number)["result"]
    # All of that came before the findings: the check does not prevent answers.
    assert not any(one.get("method") == "textDocument/publishDiagnostics"
                   for one in editor.client.notifications), "the check was waited for"
    cancelled = editor.actions(uri)
    editor.cancel(cancelled)
    assert editor.answer(cancelled)["error"]["code"] == CANCELLED
    editor.replace(uri, TEXT)
    assert editor.answer(actions)["error"]["code"] == MODIFIED
    assert "KR311" in codes(editor.published(uri))
    stale = [one for one in editor.client.notifications
             if one.get("method") == "textDocument/publishDiagnostics"
             and one["params"].get("version") == 1]
    assert not stale, "findings of an earlier text"
    # Shut down in the middle of a check: the request is answered, the process ends.
    editor.replace(uri, SLOW)
    last = editor.actions(uri)
    answers = editor.end()
    assert answers[last]["error"]["code"] == CANCELLED, answers[last]


def check_line_breaks():
    """A lone \\r, \\r\\n, characters of one and two UTF-16 units, a byte order mark."""
    for text in (TEXT.replace("\n", "\r\n"), TEXT.replace("\n\n", "\n\r\n"),
                 TEXT.replace("\n\n", "\r\n\r"), "\ufeff" + TEXT,
                 TEXT.replace('"Dense 😀"', '"D 😀\u2028é"').replace("misc:", "\r misc:"),
                 "engine e {\r\n substage {\r a: \"x\" \r\n b: \"x\"\r\n }\r}", "# a\r\n\r", "\r",
                 'engine e { substage { a: "x\r\n b: "y" } }', "use x\r\nuse \"\r\n", TEXT + "\r"):
        editor = Editor()
        uri = "untitled:breaks.kr"
        editor.open(uri, text)
        actions = editor.actions(uri)
        editor.ask("textDocument/documentSymbol", uri)
        editor.ask("textDocument/formatting", uri, options={})
        for finding in editor.published(uri):
            check_range(text, finding["range"], finding)
        for action in editor.answer(actions).get("result", []):
            for edit in action["edit"]["changes"].get(uri, []):
                check_range(text, edit["range"], action)
        editor.end()


PIECES = ['"', "/", "}", "{", " ", "gemm", "\n", "otherwise", "😀", "é", ".", "\r", "\r\n", "#", "|",
          "pattern q = \"z\"\n", "use std.moe\n", "# kr: allow(unused-pattern) so\n", "\ufeff", "\u2028"]


def random_step(pick, editor, uris):
    uri = pick.choice(uris)
    kind = pick.randrange(14)
    if uri not in editor.texts:
        editor.open(uri, pick.choice([TEXT, TEXT.replace("\n", "\r\n"), "", SLOW,
                                      TEXT[:pick.randrange(len(TEXT))]]))
        if kind < 10:
            editor.actions(uri)
    elif kind < 5:
        edits = []
        text = editor.texts[uri]
        for _ in range(pick.randrange(1, 4)):
            begin = pick.randrange(len(text) + 1)
            end = min(len(text), begin + pick.choice([0, 0, 0, 1, 3, 20]))
            edits.append((begin, end, pick.choice(PIECES)))
            # Edits of one change apply to the text after the edits before them; the lengths are sufficient.
            editor_text = text
            spans = {"start": place_of(editor_text, begin), "end": place_of(editor_text, end)}
            begin, end = offset_of(text, spans["start"]), offset_of(text, spans["end"])
            text = text[:begin] + edits[-1][2] + text[end:]
        editor.change(uri, *edits)
        if pick.randrange(2):
            editor.actions(uri)
    elif kind == 5:
        editor.replace(uri, pick.choice([TEXT, SLOW, TEXT + "\r", TEXT[pick.randrange(len(TEXT)):]]))
    elif kind == 6:
        editor.close(uri)
    elif kind == 7:
        number = editor.actions(uri)
        if pick.randrange(2):
            editor.cancel(number)
    elif kind == 8:
        editor.cancel(pick.randrange(1000, editor.next_id + 3))
    elif kind == 9:
        editor.ask(pick.choice(["textDocument/documentSymbol", "textDocument/semanticTokens/full",
                                "textDocument/inlayHint", "workspace/symbol", "no/such"]), uri)
    elif kind == 10:
        editor.ask("textDocument/formatting", uri, options={"tabSize": 2})
    elif kind == 11:
        editor.client.notify(pick.choice(["textDocument/didSave", "workspace/didChangeWatchedFiles",
                                          "$/progress", "textDocument/willSave"]),
                             {"textDocument": {"uri": uri}, "changes": [{"uri": uri, "type": 2}]})
    else:
        text = editor.texts[uri]
        place = place_of(text, pick.randrange(len(text) + 1))
        if pick.randrange(6) == 0:
            place = {"line": pick.choice([0, 10 ** 6]), "character": 10 ** 6}
        editor.ask(pick.choice(["textDocument/hover", "textDocument/completion",
                                "textDocument/definition", "textDocument/references"]),
                   uri, position=place, context={"includeDeclaration": True})


def check_random(folder, seed, rounds):
    pick = random.Random(seed)
    uris = [(folder / "one.kr").as_uri(), "untitled:two.kr", "untitled:three.kr"]
    editor = Editor()
    try:
        for _ in range(rounds):
            random_step(pick, editor, uris)
        last = {uri: editor.published(uri) for uri in editor.texts}
        editor.end()
        # A server that gets only the last texts finds the same.
        fresh = Editor()
        for uri, text in editor.texts.items():
            fresh.open(uri, text)
        for uri in editor.texts:
            found = fresh.published(uri)
            assert found == last[uri], (uri, editor.texts[uri], found, last[uri])
        fresh.end()
    except (AssertionError, ServerGone) as error:
        raise AssertionError(f"seed {seed}: {error}") from error


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", nargs=2, type=int, default=(0, 6))
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        check_vscode()
        check_neovim(folder)
        check_helix()
        check_slow()
        check_line_breaks()
        for seed in range(*options.seeds):
            check_random(folder, seed, options.rounds)


if __name__ == "__main__":
    main()
