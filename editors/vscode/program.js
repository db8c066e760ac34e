// Which program kr is, and short runs of it.
"use strict";
const { execFile } = require("child_process");
const os = require("os");
const path = require("path");
const vscode = require("vscode");

/** The setting `kr.path` as a name or path that can be started. */
function krPath() {
  const text = vscode.workspace.getConfiguration("kr").get("path") || "kr";
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  return text.replace(/^~(?=[/\\])/, os.homedir()).replace("${workspaceFolder}", folder ?? "${workspaceFolder}");
}

/** The folder to run kr in for a file: that of its workspace, or its own. */
function folderOf(uri) {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  return folder ? folder.uri.fsPath : path.dirname(uri.fsPath);
}

/** Runs kr to its end. Resolves to {status, text}, text being both outputs; rejects if it cannot be started. */
function run(args, cwd) {
  return new Promise((resolve, reject) => {
    execFile(krPath(), args, { cwd, maxBuffer: 1 << 24, env: { ...process.env, NO_COLOR: "1" } }, (error, out, err) => {
      if (error && typeof error.code !== "number") reject(error);
      else resolve({ status: error ? error.code : 0, text: out + err });
    });
  });
}

/** What is wrong with the program, as a message for users; nothing, if it is kr. */
async function problem() {
  const name = krPath();
  try {
    const { text } = await run(["--version"]);
    return /^kr \d/.test(text) ? undefined : `“${name}” is not kr (its version: “${text.split("\n")[0]}”). Set kr.path.`;
  } catch (error) {
    if (error.code === "ENOENT") return `There is no program “${name}”. Install kr, or set kr.path to its full path.`;
    return `“${name}” cannot be started: ${error.message}. Set kr.path.`;
  }
}

module.exports = { folderOf, krPath, problem, run };
