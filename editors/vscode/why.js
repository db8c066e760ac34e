// `kr why` on what is selected.
"use strict";
const vscode = require("vscode");
const { folderOf, run } = require("./program");

const MOST_NAMES = 20;

/** A text of a rules file without its quotes and escapes: bytes, written as \xNN, are those of UTF-8. */
function unquote(text) {
  const bytes = [];
  for (const [part, hex] of text.matchAll(/\\x([0-9A-Fa-f]{2})|\\?[^]/gu)) {
    if (hex) bytes.push(parseInt(hex, 16));
    else bytes.push(...Buffer.from(part.length > 1 && part[0] === "\\" ? part.slice(1) : part));
  }
  return Buffer.from(bytes).toString();
}

/** The text in double quotes around a column of a line, with its quotes. */
function quotedAt(line, column) {
  for (const found of line.matchAll(/"(?:[^"\\]|\\.)+"/g)) {
    if (found.index <= column && column <= found.index + found[0].length) return found[0];
  }
  return undefined;
}

/** Names to explain: the selected lines, or the text in quotes at the cursor. */
function namesOf(editor) {
  const { document, selection } = editor;
  const selected = document.getText(selection);
  const text = selection.isEmpty ? quotedAt(document.lineAt(selection.active.line).text, selection.active.character) ?? "" : selected;
  const names = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const name = line.trim();
    if (!name) continue;
    const quoted = /^"((?:[^"\\]|\\.)+)"$/.exec(name);
    names.push(quoted ? unquote(quoted[1]) : name);
  }
  return names;
}

/** Explains the names by the rules of the open file, or by the shipped rules, in `output`. */
async function why(output) {
  const editor = vscode.window.activeTextEditor;
  const document = editor?.document;
  let names = editor ? namesOf(editor) : [];
  if (names.length === 0) {
    const typed = await vscode.window.showInputBox({ prompt: "The name of a kernel, copy or set", title: "kr why" });
    if (!typed) return;
    names = [typed];
  }
  const rules = [];
  let cwd;
  if (document?.languageId === "kr") {
    if ((document.isDirty || document.isUntitled) && !(await document.save())) return;
    rules.push("--rules", document.uri.fsPath);
    cwd = folderOf(document.uri);
  } else if (document?.uri.scheme === "file") {
    cwd = folderOf(document.uri);
  }
  output.show(true);
  for (const name of names.slice(0, MOST_NAMES)) {
    try {
      const { text } = await run(["why", ...rules, "--", name], cwd);
      output.appendLine(text);
    } catch (error) {
      output.appendLine(`kr cannot be started: ${error.message}. Set kr.path.`);
      return;
    }
  }
  if (names.length > MOST_NAMES) {
    output.appendLine(`The first ${MOST_NAMES} of ${names.length} names. For a list of names: kr classify FILE.`);
  }
}

module.exports = { namesOf, why };
