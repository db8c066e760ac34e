"use strict";
const vscode = require("vscode");
const { Server } = require("./server");
const tasks = require("./tasks");
const { why } = require("./why");

let server;

/** Lints or tests a file of the explorer, or the open one. */
async function runVerb(verb, uri) {
  const document = uri
    ? vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString())
    : vscode.window.activeTextEditor?.document;
  if (!uri && document?.languageId !== "kr") {
    vscode.window.showInformationMessage(`kr ${verb} needs a rules file (.kr): open one first.`);
    return undefined;
  }
  // kr reads files from the disk.
  if (document && (document.isDirty || document.isUntitled) && !(await document.save())) return undefined;
  return tasks.runOn(verb, uri ?? document.uri);
}

async function activate(context) {
  const output = vscode.window.createOutputChannel("kr");
  server = new Server(output);
  context.subscriptions.push(
    output,
    vscode.commands.registerCommand("kr.lint", (uri) => runVerb("lint", uri)),
    vscode.commands.registerCommand("kr.test", (uri) => runVerb("test", uri)),
    vscode.commands.registerCommand("kr.why", () => why(output)),
    vscode.commands.registerCommand("kr.restart", () => server.restart()),
    vscode.tasks.registerTaskProvider("kr", tasks.provider),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("kr.path")) return server.restart();
    }),
  );
  await server.start();
}

async function deactivate() {
  await server?.stop();
}

module.exports = { activate, deactivate };
