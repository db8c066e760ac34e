// Tasks `kr lint` and `kr test`, whose findings are in the list of problems.
"use strict";
const vscode = require("vscode");
const { folderOf, krPath } = require("./program");

/** The task of a definition {type: "kr", verb, paths}, in the folder of a workspace or in `cwd`. */
function makeTask(definition, scope, cwd, name) {
  const paths = definition.paths?.length ? definition.paths : ["."];
  const words = [definition.verb, ...paths];
  const execution = new vscode.ProcessExecution(krPath(), words, cwd ? { cwd } : undefined);
  const task = new vscode.Task(definition, scope, name ?? words.join(" "), "kr", execution, "$kr");
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true, showReuseMessage: false };
  task.group = definition.verb === "test" ? vscode.TaskGroup.Test : vscode.TaskGroup.Build;
  return task;
}

const provider = {
  async provideTasks() {
    const tasks = [];
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      const inside = new vscode.RelativePattern(folder, "**/*.kr");
      if ((await vscode.workspace.findFiles(inside, undefined, 1)).length === 0) continue;
      for (const verb of ["lint", "test"]) tasks.push(makeTask({ type: "kr", verb }, folder, undefined, verb));
    }
    return tasks;
  },
  resolveTask(task) {
    const scope = task.scope ?? vscode.TaskScope.Workspace;
    return makeTask(task.definition, scope, undefined, task.name);
  },
};

/** Runs a verb on one file, whose last text is on the disk. */
async function runOn(verb, uri) {
  const scope = vscode.workspace.getWorkspaceFolder(uri) ?? vscode.TaskScope.Workspace;
  return vscode.tasks.executeTask(makeTask({ type: "kr", verb, paths: [uri.fsPath] }, scope, folderOf(uri)));
}

module.exports = { provider, runOn };
