// The extension of VS Code as it is packed, with a stub of the module `vscode`, vscode-languageclient and the real kr.
// KR: the program. KR_EXTENSION: the folder of the extension, with what npm installs.
"use strict";
const assert = require("node:assert/strict");
const { execFileSync, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const Module = require("node:module");
const os = require("node:os");
const path = require("node:path");
const { after, before, test } = require("node:test");

const vscode = require("./vscode_stub.cjs");
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

const folder = process.env.KR_EXTENSION;
const manifest = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"));
const extension = require(path.join(folder, manifest.main));
const { state, open, edit, configure, select, place } = vscode.stub;

const RULES = `labels substage {
  gemm "Dense" color "#4e79a7"
  misc "Rest"
}

## What demo multiplies.
pattern grouped = "group_gemm" | "GroupProblem"

engine demo "Demo 😀" {
  detect: "demo"
  substage {
    gemm: grouped
    misc: otherwise
  }
}

test demo {
  "demo \\x67roup_gemm" => substage gemm
  "demo else" => substage misc
}
`;

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "kr ext ü "));
const file = path.join(scratch, "rules.kr");
const uri = vscode.Uri.file(file);
const context = { subscriptions: [] };
let document;

/** Waits until the findings of the open file satisfy a condition. */
function findings(wanted) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`no such findings: ${JSON.stringify(latest())}`)), 60000);
    const look = () => {
      const found = latest();
      if (!found || !wanted(found)) return;
      clearTimeout(late);
      state.onFindings = undefined;
      resolve(found);
    };
    state.onFindings = look;
    look();
  });
}
const latest = () => state.collections.map((one) => one.get(uri)).find((one) => one);
const codes = (found) => found.map((one) => one.code?.value ?? one.code).sort();
const none = new vscode.CancellationTokenSource().token;
async function change(from, to) {
  assert.ok(document.text.includes(from), from);
  await edit(document, new vscode.Range(document.find(from), document.find(from, from.length)), to);
}

before(async () => {
  fs.writeFileSync(file, RULES);
  vscode.workspace.workspaceFolders = [{ uri: vscode.Uri.file(scratch), name: "rules", index: 0 }];
  await extension.activate(context);
  document = await open(uri, "kr");
});
after(async () => {
  await extension.deactivate();
  for (const one of context.subscriptions) one.dispose();
  fs.rmSync(scratch, { recursive: true });
});

test("findings while typing, with a quick fix", async () => {
  await findings((found) => found.length === 0);
  await change("#4e79a7", "orange");
  const [found] = await findings((all) => all.length > 0);
  assert.equal(found.severity, vscode.DiagnosticSeverity.Error);
  assert.deepEqual(codes([found]), ["KR228"]);
  assert.deepEqual({ ...found.range.start }, { ...document.find('"orange"') });
  await change("orange", "#4e79a7");
  await findings((all) => all.length === 0);
  await change("labels substage", "use std.gemm\nlabels substage");
  const unused = (await findings((all) => all.length > 0))[0];
  assert.deepEqual(codes([unused]), ["KR312"]);
  assert.deepEqual(unused.tags, [vscode.DiagnosticTag.Unnecessary]);
  const actions = await state.providers.CodeActions.provideCodeActions(document, unused.range, { diagnostics: [unused], triggerKind: 1 }, none);
  assert.equal(actions[0].kind.value, "quickfix");
  const [{ edits }] = actions[0].edit.edits;
  for (const one of edits) await edit(document, one.range, one.newText);
  assert.equal(document.text, RULES);
  await findings((all) => all.length === 0);
});

test("hover, definition, references, outline, completion, formatting", async () => {
  const { providers } = state;
  const at = document.find("gemm: grouped", 6);
  const hover = await providers.Hover.provideHover(document, at, none);
  assert.match(JSON.stringify(hover.contents), /What demo multiplies/);
  const definition = await providers.Definition.provideDefinition(document, at, none);
  assert.equal(definition.uri.toString(), uri.toString());
  assert.deepEqual({ ...definition.range.start }, { ...document.find("grouped") });
  const references = await providers.Reference.provideReferences(document, at, { includeDeclaration: true }, none);
  assert.equal(references.length, 2);
  const outline = await providers.DocumentSymbol.provideDocumentSymbols(document, none);
  assert.deepEqual(outline.map((one) => one.name), ["substage", "grouped", "demo", "test demo"]);
  const completion = await providers.CompletionItem.provideCompletionItems(document, at, none, { triggerKind: 0 });
  assert.ok((completion.items ?? completion).some((one) => one.label === "grouped"));
  await change("    gemm: grouped", "   gemm:   grouped");
  const edits = await providers.DocumentFormattingEdit.provideDocumentFormattingEdits(document, { tabSize: 2, insertSpaces: true }, none);
  for (const one of edits) await edit(document, one.range, one.newText);
  assert.equal(document.text, RULES);
});

/** The problems that a matcher of the manifest finds in an output, as VS Code reads it. */
function problems(name, output) {
  const { pattern } = manifest.contributes.problemMatchers.find((one) => one.name === name);
  const patterns = [].concat(pattern).map((one) => ({ ...one, regexp: new RegExp(one.regexp) }));
  const lines = output.split("\n");
  const found = [];
  for (let i = 0; i + patterns.length <= lines.length; i += 1) {
    const matches = patterns.map((one, k) => one.regexp.exec(lines[i + k]));
    if (matches.some((one) => !one)) continue;
    const problem = {};
    patterns.forEach((one, k) => {
      for (const part of ["file", "line", "column", "severity", "code", "message"]) if (one[part]) problem[part] = matches[k][one[part]];
    });
    found.push(problem);
  }
  return found;
}

test("commands lint and test save the file, and their findings are problems", async () => {
  await change("substage gemm\n", "substage misc\n");
  await vscode.commands.executeCommand("kr.test");
  const run = state.tasks.at(-1);
  assert.equal(document.saves, 1);
  assert.equal(run.status, 1, run.output);
  assert.equal(run.task.problemMatchers, "$kr");
  const failing = { severity: "error", code: "KR316", file, line: "18", column: String(document.find("substage misc\n").character + 1) };
  const [{ message, ...rest }, ...others] = problems("kr", run.output);
  assert.deepEqual(rest, failing);
  assert.match(message, /expected substage `misc`, got `gemm`/);
  assert.deepEqual(others, []);
  await change("substage misc\n", "substage gemm\n");
  await change("gemm: grouped", "gemm: grouped\n    gemm: grouped");
  // From the explorer: by its address.
  await vscode.commands.executeCommand("kr.lint", uri);
  assert.equal(document.isDirty, false);
  const linted = state.tasks.at(-1);
  const shown = problems("kr", linted.output);
  assert.ok(shown.length > 0, linted.output);
  const concise = spawnSync(process.env.KR, ["lint", "--format", "concise", file], { encoding: "utf8" }).stdout;
  assert.deepEqual(problems("kr-concise", concise), shown);
  await change("gemm: grouped\n    gemm: grouped", "gemm: grouped");
  await vscode.commands.executeCommand("kr.test", uri);
  assert.equal(state.tasks.at(-1).status, 0, state.tasks.at(-1).output);
});

test("tasks of a folder", async () => {
  const offered = await state.taskProvider.provideTasks();
  assert.deepEqual(offered.map((one) => one.execution.args), [["lint", "."], ["test", "."]]);
  const written = { definition: { type: "kr", verb: "lint", paths: ["rules.kr"] }, scope: vscode.workspace.workspaceFolders[0], name: "mine" };
  const resolved = state.taskProvider.resolveTask(written);
  // VS Code takes a resolved task only with the definition that it was given.
  assert.equal(resolved.definition, written.definition);
  await vscode.tasks.executeTask(resolved);
  assert.equal(state.tasks.at(-1).status, 0, state.tasks.at(-1).output);
});

test("why: the selection, a text in a rules file, and lines of other files", async () => {
  state.output = "";
  place(document, "\\x67roup_gemm", 2);
  await vscode.commands.executeCommand("kr.why");
  assert.match(state.output, /^demo group_gemm\n/);
  assert.match(state.output, /gemm: grouped/);
  state.output = "";
  const log = await open(vscode.Uri.file(path.join(scratch, "log.txt")), "plaintext", "--first_gemm kernel\n  nccl_x\n\nlast");
  select(log, "--first_gemm kernel\n  nccl_x\n");
  await vscode.commands.executeCommand("kr.why");
  assert.match(state.output, /^--first_gemm kernel\n/);
  assert.match(state.output, /^nccl_x\n/m);
  state.output = "";
  place(log, "last");
  state.typed = "typed_gemm";
  await vscode.commands.executeCommand("kr.why");
  assert.match(state.output, /^typed_gemm\n/);
  await vscode.commands.executeCommand("kr.lint");
  assert.match(state.information.at(-1), /needs a rules file/);
});

test("a wrong kr.path is a message, and a right one starts the server again", async () => {
  await configure("kr.path", path.join(scratch, "nothing"));
  assert.match(state.errors.at(-1), /There is no program .*nothing.*kr\.path/);
  assert.equal(state.providers.Hover, undefined);
  await configure("kr.path", process.execPath);
  assert.match(state.errors.at(-1), /is not kr/);
  fs.symlinkSync(process.env.KR, path.join(scratch, "own kr"));
  await configure("kr.path", "${workspaceFolder}/own kr");
  assert.equal(state.errors.length, 2);
  const hover = await state.providers.Hover.provideHover(document, document.find("gemm: grouped", 6), none);
  assert.match(JSON.stringify(hover.contents), /What demo multiplies/);
  await vscode.commands.executeCommand("kr.restart");
  assert.ok(state.providers.Hover);
});

test("the manifest names what there is", () => {
  const { contributes } = manifest;
  assert.deepEqual(contributes.commands.map((one) => one.command).sort(), Object.keys(state.commands).sort());
  const shown = Object.values(contributes.menus).flat().map((one) => one.command);
  for (const one of shown) assert.ok(state.commands[one], one);
  for (const one of [contributes.languages[0].configuration, contributes.grammars[0].path, contributes.snippets[0].path]) {
    JSON.parse(fs.readFileSync(path.join(folder, one), "utf8"));
  }
  const version = execFileSync(process.env.KR, ["--version"], { encoding: "utf8" }).split(/\s/)[1];
  assert.ok(["0.0.0", version].includes(manifest.version), manifest.version);
});

test("snippets are rules that kr accepts", () => {
  const snippets = JSON.parse(fs.readFileSync(path.join(folder, "snippets.json"), "utf8"));
  const text = Object.fromEntries(Object.values(snippets).map((one) => [one.prefix, one.body.join("\n").replace(/\$\{\d+:([^}]*)\}/g, "$1")]));
  const inside = `${text.cost}\n${text.model}`.replace(/^/gm, "  ");
  const whole = [text.labels, text.pattern, text.table, text.engine.replace(/\}$/, `${inside}\n}`), text.allow, text.test].join("\n\n");
  const where = path.join(scratch, "snippets.kr");
  fs.writeFileSync(where, `${whole}\n`);
  const done = spawnSync(process.env.KR, ["test", where], { encoding: "utf8" });
  assert.equal(done.status, 0, done.stdout + done.stderr + whole);
  assert.equal(Object.keys(text).length, Object.keys(snippets).length);
});
