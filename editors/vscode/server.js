// The client of `kr lsp`.
"use strict";
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { krPath, problem } = require("./program");

class Server {
  /** `output`: the channel that shows the messages of the server. */
  constructor(output) {
    this.output = output;
    this.client = undefined;
    this.last = Promise.resolve();
  }

  /** Starts, stops and restarts wait for each other. */
  then(what) {
    this.last = this.last.then(what, what);
    return this.last;
  }

  start() {
    return this.then(async () => {
      const wrong = await problem();
      if (wrong) {
        this.output.appendLine(wrong);
        // Not awaited: the message may stay for long.
        vscode.window.showErrorMessage(`kr: ${wrong}`, "Open Settings").then((chosen) => {
          if (chosen) vscode.commands.executeCommand("workbench.action.openSettings", "kr.path");
        });
        return;
      }
      const watcher = vscode.workspace.createFileSystemWatcher("**/*.kr");
      const client = new LanguageClient("kr", "kr", { command: krPath(), args: ["lsp"] }, {
        documentSelector: [{ language: "kr", scheme: "file" }, { language: "kr", scheme: "untitled" }],
        synchronize: { fileEvents: watcher },
        outputChannel: this.output,
      });
      this.watcher = watcher;
      this.client = client;
      await client.start();
    });
  }

  stop() {
    return this.then(async () => {
      const client = this.client;
      this.client = undefined;
      this.watcher?.dispose();
      this.watcher = undefined;
      // The output is shared with the commands, and stays.
      if (client) await client.dispose();
    });
  }

  async restart() {
    await this.stop();
    await this.start();
  }
}

module.exports = { Server };
