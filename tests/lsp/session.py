#!/usr/bin/env python3
"""A complete session of an editor with `kr lsp`; and streams and messages that no editor
sends."""
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from client import TIMEOUT, Client, ServerGone  # noqa: E402

COMMON = '''## What files share.

## Grouped products.
pattern grouped = "group_gemm" | "GroupProblemShape"
'''

MAIN = '''use "./common ü.kr" as common
use std.comm

labels substage {
  moe  "Expert 😀 GEMM" color "#f28e2b"
  gemm "Dense GEMM"
  misc "Rest"
}

engine demo "Demo" {
  detect: "demo"
  substage {
    moe:  common.grouped
    gemm: "gemm"
    misc: otherwise
  }
  model big "Big" {
    substage { gemm: comm.any }
  }
}

test demo {
  "group_gemm_x" => substage moe
  "my_gemm" => substage gemm
  "other" => substage misc
}
'''


def place(text, needle, plus=0):
    """Line and column, in UTF-16."""
    before = text[:text.index(needle) + plus]
    line = before.count("\n")
    column = before.rpartition("\n")[2]
    return {"line": line, "character": len(column.encode("utf-16-le")) // 2}


def at(uri, text, needle, plus=0):
    return {"textDocument": {"uri": uri}, "position": place(text, needle, plus)}


def codes(findings):
    return [one.get("code") for one in findings if one["severity"] < 4]


def applied(text, edits):
    def offset(where):
        lines = text.split("\n")
        head = lines[where["line"]].encode("utf-16-le")[:2 * where["character"]].decode("utf-16-le")
        return sum(len(line) + 1 for line in lines[:where["line"]]) + len(head)
    for edit in sorted(edits, key=lambda e: -offset(e["range"]["start"])):
        begin, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:begin] + edit["newText"] + text[end:]
    return text


def check_session(folder):
    common = folder / "common ü.kr"
    common.write_text(COMMON, encoding="utf-8")
    main = folder / "main.kr"
    main.write_text(MAIN, encoding="utf-8")
    main_uri = main.as_uri()
    common_uri = common.as_uri()

    client = Client()
    result = client.start(root=folder.as_uri())
    capabilities = result["capabilities"]
    assert capabilities["positionEncoding"] == "utf-16", capabilities
    assert capabilities["textDocumentSync"]["change"] == 2
    assert result["serverInfo"]["name"] == "kr"

    client.open(main_uri, MAIN)
    findings = client.findings(main_uri, 1)
    assert codes(findings) == [], findings

    # Typing: a mistake, letter by letter in one burst, and its end.
    text = MAIN.replace('gemm: "gemm"', 'gemm: gem')
    begin, end = place(MAIN, '"gemm"\n'), place(MAIN, '"gemm"\n', 6)
    client.change(main_uri, 2, {"range": {"start": begin, "end": end}, "text": "gem"})
    findings = client.findings(main_uri, 2)
    assert codes(findings) == ["KR206"], findings
    assert findings[0]["range"]["start"] == begin, findings
    assert findings[0]["source"] == "kr" and findings[0]["data"]["name"] == "unknown-pattern"
    end = {"line": begin["line"], "character": begin["character"] + 3}
    client.change(main_uri, 3, {"range": {"start": begin, "end": end}, "text": '"gem'},
                  {"range": {"start": {"line": begin["line"], "character": begin["character"] + 4},
                             "end": {"line": begin["line"], "character": begin["character"] + 4}},
                   "text": 'm"'})
    assert codes(client.findings(main_uri, 3)) == []
    text = MAIN

    # Columns are correct after a character outside the basic plane.
    findings_text = MAIN.replace('"Expert 😀 GEMM" color "#f28e2b"', '"Expert 😀 GEMM" color "orange"')
    client.change(main_uri, 4, {"text": findings_text})
    findings = client.findings(main_uri, 4)
    assert codes(findings) == ["KR228"], findings
    assert findings[0]["range"]["start"] == place(findings_text, '"orange"'), findings
    client.change(main_uri, 5, {"text": MAIN})
    assert codes(client.findings(main_uri, 5)) == []

    # This text uses another open text; when that is closed, the file on disk is read again.
    client.open(common_uri, COMMON.replace("grouped", "renamed"))
    assert codes(client.findings(main_uri)) == ["KR206"]
    client.change(common_uri, 2, {"text": COMMON})
    assert codes(client.findings(main_uri)) == []

    # Hover.
    hover = client.result("textDocument/hover", at(main_uri, text, "gemm: \"gemm\""))
    assert '`demo/big`: `"gemm"`' in hover["contents"]["value"], hover
    assert "contains `gemm`" in hover["contents"]["value"], hover
    hover = client.result("textDocument/hover", at(main_uri, text, "common.grouped", 8))
    assert "Grouped products." in hover["contents"]["value"], hover
    hover = client.result("textDocument/hover", at(main_uri, text, "otherwise"))
    assert "`LABEL: otherwise`" in hover["contents"]["value"], hover
    hover = client.result("textDocument/hover", at(main_uri, text, 'moe  "'))
    assert "“Expert 😀 GEMM”" in hover["contents"]["value"], hover

    # Definition and references, across files.
    target = client.result("textDocument/definition", at(main_uri, text, "common.grouped", 8))
    assert target["uri"] == common_uri, target
    assert target["range"]["start"] == place(COMMON, "grouped ="), target
    target = client.result("textDocument/definition", at(main_uri, text, "std.comm"))
    assert target["uri"].endswith("/stdlib/comm.kr"), target
    target = client.result("textDocument/definition", at(main_uri, text, "substage gemm", 9))
    assert target["range"]["start"] == place(text, "gemm \"Dense"), target
    found = client.result("textDocument/references", {
        **at(common_uri, COMMON, "grouped ="), "context": {"includeDeclaration": True}})
    assert [one["uri"] for one in found] == [common_uri, main_uri] or \
        sorted(one["uri"] for one in found) == sorted([common_uri, main_uri]), found

    # Highlights: the places in this file; the declaration is written.
    places = client.result("textDocument/documentHighlight", at(main_uri, text, "substage gemm", 9))
    assert len(places) == 4 and [one["kind"] for one in places].count(3) == 1, places

    # Rename, across files; what ships with kr stays.
    edit = client.result("textDocument/rename", {**at(common_uri, COMMON, "grouped ="), "newName": "routed"})
    assert sorted(edit["changes"]) == sorted([common_uri, main_uri]), edit
    assert applied(COMMON, edit["changes"][common_uri]) == COMMON.replace("grouped", "routed"), edit
    assert applied(text, edit["changes"][main_uri]) == text.replace("common.grouped", "common.routed")
    edit = client.result("textDocument/rename", {**at(main_uri, text, "substage gemm", 9), "newName": "dense gemm"})
    renamed = applied(text, edit["changes"][main_uri])
    assert renamed.count('"dense gemm"') == 4 and '"my_gemm" => substage "dense gemm"' in renamed, renamed
    range_ = client.result("textDocument/prepareRename", at(main_uri, text, "demo \"Demo"))
    assert range_["placeholder"] == "demo", range_
    for where, name in ((at(main_uri, text, "comm.any", 5), "all"), (at(main_uri, text, "demo \"Demo"), "a b"),
                        (at(main_uri, text, "demo \"Demo"), "within"), (at(main_uri, text, "use"), "x"),
                        (at(main_uri, text, "substage gemm", 9), "moe")):
        client.error("textDocument/rename", {**where, "newName": name})

    # Folding, colours, declarations of all files.
    folds = client.result("textDocument/foldingRange", {"textDocument": {"uri": main_uri}})
    lines = text.split("\n")
    assert any(lines[one["startLine"]].startswith("engine demo") and lines[one["endLine"]] == "}" for one in folds), folds
    assert any(one.get("kind") == "imports" for one in folds), folds
    legend = capabilities["semanticTokensProvider"]["legend"]["tokenTypes"]
    data = client.result("textDocument/semanticTokens/full", {"textDocument": {"uri": main_uri}})["data"]
    tokens, line, column = [], 0, 0
    for i in range(0, len(data), 5):
        column = data[i + 1] + (column if data[i] == 0 else 0)
        line += data[i]
        units = lines[line].encode("utf-16-le")
        word = units[2 * column:2 * (column + data[i + 2])].decode("utf-16-le")
        tokens.append((word, legend[data[i + 3]], data[i + 4]))
    for token in (("use", "keyword", 0), ("gemm", "enumMember", 1), ('"Expert 😀 GEMM"', "string", 0), ("demo", "type", 1),
                  ("grouped", "macro", 0), ("otherwise", "keyword", 0), ('"my_gemm"', "string", 0)):
        assert token in tokens, (token, tokens)
    found = client.result("workspace/symbol", {"query": "GROUP"})
    assert ("grouped", common_uri) in [(one["name"], one["location"]["uri"]) for one in found], found

    # What labels the name of a test.
    hover = client.result("textDocument/hover", at(main_uri, text, '"my_gemm"', 3))["contents"]["value"]
    assert "substage `gemm`: by `gemm: \"gemm\"`" in hover and "demo/big" in hover, hover

    # Outline.
    outline = client.result("textDocument/documentSymbol", {"textDocument": {"uri": main_uri}})
    assert [one["name"] for one in outline] == \
        ["./common ü.kr", "std.comm", "substage", "demo", "test demo"], outline
    assert [one["name"] for one in outline[3]["children"]] == ["substage", "big"], outline

    # Completion while the text does not parse.
    half = MAIN.replace("gemm: \"gemm\"", "gemm: comm.")
    client.change(main_uri, 6, {"text": half})
    items = client.result("textDocument/completion", at(main_uri, half, "gemm: comm.", 11))
    assert "any" in [one["label"] for one in items], items
    half = MAIN.replace("gemm: \"gemm\"", "in")
    client.change(main_uri, 7, {"text": half})
    items = client.result("textDocument/completion", at(main_uri, half, "    in\n", 6))
    chosen = [one for one in items if one["label"] == "include"]
    assert chosen, items
    assert applied(half, [chosen[0]["textEdit"]]) == MAIN.replace("gemm: \"gemm\"", "include")
    half = 'use "'
    client.change(main_uri, 8, {"text": half})
    items = client.result("textDocument/completion", at(main_uri, half, 'use "', 5))
    assert [one["label"] for one in items] == ["./common ü.kr"], items

    # Formatting.
    messy = MAIN.replace('    gemm: "gemm"', '  gemm:    "gemm"')
    client.change(main_uri, 9, {"text": messy})
    edits = client.result("textDocument/formatting", {
        "textDocument": {"uri": main_uri}, "options": {"tabSize": 8, "insertSpaces": True}})
    assert applied(messy, edits) == MAIN, edits
    assert len(edits) == 1 and edits[0]["range"]["end"]["line"] - edits[0]["range"]["start"]["line"] == 1
    client.change(main_uri, 10, {"text": MAIN})
    assert client.result("textDocument/formatting", {"textDocument": {"uri": main_uri}}) == []

    # Quick fixes.
    unused = "use std.gemm\n" + MAIN
    client.change(main_uri, 11, {"text": unused})
    findings = client.findings(main_uri, 11)
    assert codes(findings) == ["KR312"], findings
    assert findings[0]["tags"] == [1], findings
    actions = client.result("textDocument/codeAction", {
        "textDocument": {"uri": main_uri}, "range": findings[0]["range"],
        "context": {"diagnostics": findings}})
    assert [one["kind"] for one in actions] == ["quickfix", "quickfix"], actions
    assert actions[0]["isPreferred"] and not actions[1]["isPreferred"], actions
    assert applied(unused, actions[0]["edit"]["changes"][main_uri]) == MAIN, actions
    allowed = applied(unused, actions[1]["edit"]["changes"][main_uri])
    client.change(main_uri, 12, {"text": allowed})
    assert codes(client.findings(main_uri, 12)) == [], allowed

    # A failing test is also a finding.
    failing = MAIN.replace('"other" => substage misc', '"other" => substage gemm')
    client.change(main_uri, 13, {"text": failing})
    findings = client.findings(main_uri, 13)
    assert "KR316" in codes(findings), findings

    # Saved, closed.
    client.notify("textDocument/didSave", {"textDocument": {"uri": main_uri}})
    assert "KR316" in codes(client.findings(main_uri, 13))
    client.notify("textDocument/didClose", {"textDocument": {"uri": main_uri}})
    assert client.findings(main_uri) == []
    assert client.error("textDocument/hover", at(main_uri, MAIN, "gemm")) == -32602
    assert client.end() == 0


def check_encodings(folder):
    client = Client()
    assert client.start(encodings=["utf-16", "utf-8"])["capabilities"]["positionEncoding"] == "utf-8"
    uri = (folder / "not there.kr").as_uri()
    client.open(uri, 'labels substage { a "é😀" color "x" }\n')
    findings = client.findings(uri)
    assert findings[0]["range"]["start"]["character"] == len('labels substage { a "é😀" color '.encode()), findings
    assert client.end() == 0


def check_exits():
    client = Client()
    client.start()
    client.notify("exit")
    assert client.process.wait(timeout=TIMEOUT) == 1
    client = Client()
    client.start()
    client.process.stdin.close()
    assert client.process.wait(timeout=TIMEOUT) == 2


def check_streams():
    client = Client()
    client.send_bytes(b"Content-Length: 5\r\n\r\n{\"a\":")
    assert client._next()["error"]["code"] == -32700
    client.send_bytes(b"rubbish without sense\r\n\r\n")
    assert client._next()["error"]["code"] == -32700
    client.send_bytes(b"Content-Length: nine\r\n\r\n")
    assert client._next()["error"]["code"] == -32700
    client.send_bytes(b"Content-Length: 2\r\n\r\n\xff\xfe")
    assert client._next()["error"]["code"] == -32700
    client.send_bytes(b"Content-Length: 2\r\n\r\n[]")
    assert client._next()["error"]["code"] == -32600
    assert client.error("textDocument/hover", {}) == -32002
    client.start()
    assert client.error("no/such/method", {}) == -32601
    assert client.end() == 0


def random_value(pick, uris, depth=0):
    kind = pick.randrange(12 if depth < 3 else 8)
    if kind == 0:
        return None
    if kind == 1:
        return pick.choice([True, False])
    if kind == 2:
        return pick.choice([0, 1, 2, -1, 5, 1 << 31, 1 << 53, -(1 << 40), 1.5])
    if kind in (3, 4, 5):
        return pick.choice(uris + ["", "x", "engine e {", '"', "/", "# kr: allow(", "😀", "\ud800",
                                   "a\0b", "\r", MAIN, "include ", "use std."])
    if kind in (6, 7):
        return {"line": random_number(pick), "character": random_number(pick)}
    if kind == 8:
        return [random_value(pick, uris, depth + 1) for _ in range(pick.randrange(4))]
    keys = ["textDocument", "position", "range", "contentChanges", "text", "uri", "version", "start",
            "end", "context", "changes"]
    return {pick.choice(keys): random_value(pick, uris, depth + 1) for _ in range(pick.randrange(5))}


def random_number(pick):
    return pick.choice([0, 0, 1, 2, 3, 7, 12, 19, 40, 1000, 1 << 40, -1])


def random_message(pick, uris):
    methods = ["textDocument/" + name for name in
               ("didOpen", "didChange", "didClose", "didSave", "hover", "definition", "references",
                "documentSymbol", "completion", "formatting", "codeAction", "documentHighlight", "rename",
                "prepareRename", "foldingRange", "semanticTokens/full")]
    methods += ["workspace/symbol"]
    methods += ["workspace/didChangeWatchedFiles", "$/cancelRequest", "initialized", "unknown"]
    method = pick.choice(methods)
    uri = pick.choice(uris)
    where = {"line": random_number(pick), "character": random_number(pick)}
    span = {"start": where, "end": {"line": random_number(pick), "character": random_number(pick)}}
    if pick.randrange(4) == 0:
        params = random_value(pick, uris)
    else:
        cut = pick.randrange(len(MAIN))
        params = {"textDocument": {"uri": uri, "version": pick.randrange(9), "text": MAIN[:cut]},
                  "position": where, "range": span, "context": {"diagnostics": []}}
        if method.endswith("didChange"):
            text = pick.choice(['"', "/", "}", "{", " ", "gemm", "\n", "otherwise", "😀", "\ud800", "."])
            params["contentChanges"] = pick.choice([
                [{"range": span, "text": text}], [{"text": MAIN}], [{"text": MAIN[:cut] + text + MAIN[cut:]}],
                [{"range": span, "text": text}, {"text": 7}], "x"])
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    if pick.randrange(8) or not method.startswith("textDocument/did"):
        message["id"] = pick.choice([1, 7, "a", -5])
    if method.startswith("textDocument/did") and pick.randrange(8):
        message.pop("id", None)
    if pick.randrange(60) == 0:
        message.pop(pick.choice(list(message)))
    return message


def check_random(folder, seed, rounds):
    pick = random.Random(seed)
    uris = [(folder / "main.kr").as_uri(), (folder / "common ü.kr").as_uri(), "untitled:Untitled-1",
            "file:///%zz", "file://host/x.kr", "http://x/y.kr", "", (folder / "none.kr").as_uri()]
    client = Client()
    client.start()
    for _ in range(rounds):
        client.send(random_message(pick, uris))
        # Unread answers must not fill the pipe; the reading thread takes care of that.
    try:
        assert client.end() == 0
    except ServerGone as gone:
        raise AssertionError(f"seed {seed}: the server ended: {gone}") from gone
    answers = [one for one in client.notifications if "id" in one]
    assert answers and all(("result" in one) != ("error" in one) for one in answers)
    internal = [one for one in answers if one.get("error", {}).get("code") == -32603]
    assert not internal, internal[:3]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        check_session(folder)
        check_encodings(folder)
        check_exits()
        check_streams()
        for seed in range(4):
            check_random(folder, seed, 250)


if __name__ == "__main__":
    main()
