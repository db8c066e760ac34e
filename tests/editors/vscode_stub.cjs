// What the extension and vscode-languageclient use of VS Code's module `vscode`: documents, positions, registered
// providers, settings, tasks and messages, all in memory. Files of the disk are opened and saved as VS Code does.
"use strict";
const fs = require("fs");
const { pathToFileURL, fileURLToPath } = require("url");
const { spawn } = require("child_process");

class Position {
  constructor(line, character) { this.line = line; this.character = character; }
  isEqual(other) { return this.line === other.line && this.character === other.character; }
}
class Range {
  constructor(a, b, c, d) {
    [this.start, this.end] = c === undefined ? [a, b] : [new Position(a, b), new Position(c, d)];
  }
  get isEmpty() { return this.start.isEqual(this.end); }
}
class Selection extends Range {
  get active() { return this.end; }
}
class Uri {
  constructor(text) {
    this.text = text;
    this.scheme = text.slice(0, text.indexOf(":"));
    this.path = this.scheme === "file" ? decodeURIComponent(new URL(text).pathname) : text.slice(this.scheme.length + 1);
  }
  static file(path) { return new Uri(pathToFileURL(path).href); }
  static parse(text) { return new Uri(text); }
  get fsPath() { return this.scheme === "file" ? fileURLToPath(this.text) : this.path; }
  toString() { return this.text; }
}
class EventEmitter {
  constructor() {
    this.listeners = new Set();
    this.event = (listener, self) => {
      const bound = (value) => listener.call(self, value);
      this.listeners.add(bound);
      return { dispose: () => this.listeners.delete(bound) };
    };
  }
  fire(value) { return Promise.all([...this.listeners].map((one) => one(value))); }
  dispose() { this.listeners.clear(); }
}
class Disposable {
  constructor(call) { this.dispose = call; }
}
class CancellationTokenSource {
  constructor() {
    this.token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
  }
  dispose() {}
}
/** A class whose constructor stores its arguments under these names. */
const record = (...names) => class {
  constructor(...values) { names.forEach((name, i) => { if (values[i] !== undefined) this[name] = values[i]; }); }
};
class CodeActionKind {
  constructor(value) { this.value = value; }
  append(part) { return new CodeActionKind(this.value ? `${this.value}.${part}` : part); }
}
CodeActionKind.Empty = new CodeActionKind("");
for (const [name, value] of Object.entries({
  QuickFix: "quickfix", Refactor: "refactor", RefactorExtract: "refactor.extract", RefactorInline: "refactor.inline",
  RefactorRewrite: "refactor.rewrite", Source: "source", SourceOrganizeImports: "source.organizeImports" })) {
  CodeActionKind[name] = new CodeActionKind(value);
}
class WorkspaceEdit {
  constructor() { this.edits = []; }
  set(uri, edits) { this.edits.push({ uri, edits }); }
}
/** An enumeration with these names from `first` on, both ways. */
const enumeration = (first, ...names) => Object.fromEntries(names.flatMap((name, i) => [[name, first + i], [first + i, name]]));

class Document {
  constructor(uri, languageId, text) {
    Object.assign(this, { uri, languageId, text, version: 1, isDirty: false, isUntitled: uri.scheme === "untitled", saves: 0 });
  }
  get fileName() { return this.uri.fsPath; }
  offsetAt(place) {
    const lines = this.text.split("\n");
    return lines.slice(0, place.line).reduce((sum, line) => sum + line.length + 1, 0) + place.character;
  }
  getText(range) { return range ? this.text.slice(this.offsetAt(range.start), this.offsetAt(range.end)) : this.text; }
  lineAt(line) { return { text: this.text.split("\n")[line] }; }
  /** The place of the n-th character after the beginning of a text. */
  find(text, n = 0) {
    const before = this.text.slice(0, this.text.indexOf(text) + n).split("\n");
    return new Position(before.length - 1, before.at(-1).length);
  }
  async save() {
    if (this.isUntitled) return false;
    fs.writeFileSync(this.fileName, this.text);
    this.isDirty = false;
    this.saves += 1;
    await saved.fire(this);
    return true;
  }
}

const opened = new EventEmitter();
const closed = new EventEmitter();
const changed = new EventEmitter();
const saved = new EventEmitter();
const configured = new EventEmitter();
const never = () => ({ dispose() {} });

/** What happened, and what tests set. */
const state = { settings: { "kr.path": process.env.KR }, commands: {}, providers: {}, collections: [], errors: [], information: [],
                infos: [], output: "", tasks: [], taskProvider: undefined, typed: undefined };

const languages = {
  match: (selector, document) => ([].concat(selector).some((one) =>
    (one.language ?? document.languageId) === document.languageId && (one.scheme ?? document.uri.scheme) === document.uri.scheme) ? 10 : 0),
  createDiagnosticCollection(name) {
    const all = new Map();
    const collection = {
      name, all,
      set: (uri, found) => { all.set(uri.toString(), found); state.onFindings?.(uri, found); },
      delete: (uri) => all.delete(uri.toString()), clear: () => all.clear(), has: (uri) => all.has(uri.toString()),
      get: (uri) => all.get(uri.toString()), dispose: () => all.clear() };
    state.collections.push(collection);
    return collection;
  },
};
for (const feature of ["CompletionItem", "Hover", "Definition", "Reference", "DocumentSymbol", "CodeActions", "DocumentFormattingEdit",
  "DocumentHighlight", "FoldingRange", "Rename", "DocumentSemanticTokens", "WorkspaceSymbol"]) {
  languages[`register${feature}Provider`] = (_selector, provider) => {
    state.providers[feature] = provider;
    return { dispose() { if (state.providers[feature] === provider) delete state.providers[feature]; } };
  };
}

const workspace = {
  textDocuments: [], workspaceFolders: undefined, notebookDocuments: [],
  getConfiguration: (section) => ({
    get: (key, other) => state.settings[section ? `${section}.${key}` : key] ?? other,
    inspect: () => undefined }),
  getWorkspaceFolder: (uri) => workspace.workspaceFolders?.find((one) => uri.fsPath.startsWith(`${one.uri.fsPath}/`)),
  createFileSystemWatcher: () => ({ onDidCreate: never, onDidChange: never, onDidDelete: never, dispose() {} }),
  findFiles: async (pattern) => fs.readdirSync(pattern.base.uri.fsPath).filter((name) => name.endsWith(".kr")),
  onDidOpenTextDocument: opened.event, onDidCloseTextDocument: closed.event, onDidChangeTextDocument: changed.event,
  onDidSaveTextDocument: saved.event, onWillSaveTextDocument: never, onDidChangeConfiguration: configured.event,
  onDidChangeWorkspaceFolders: never, onDidOpenNotebookDocument: never, onDidCloseNotebookDocument: never,
  onDidChangeNotebookDocument: never, onDidSaveNotebookDocument: never, onDidCreateFiles: never, onDidRenameFiles: never,
  onDidDeleteFiles: never, onWillCreateFiles: never, onWillRenameFiles: never, onWillDeleteFiles: never,
};
const window = {
  activeTextEditor: undefined, tabGroups: { all: [], onDidChangeTabs: never }, onDidChangeActiveTextEditor: never,
  visibleTextEditors: [], onDidChangeVisibleTextEditors: never,
  createOutputChannel: (name) => ({ name, append: (text) => { state.output += text; }, appendLine: (text) => { state.output += `${text}\n`; },
                                    show() {}, clear() {}, dispose() { state.outputGone = true; } }),
  showErrorMessage: async (text) => { state.errors.push(text); },
  showWarningMessage: async () => undefined,
  showInformationMessage: async (text) => { state.information.push(text); },
  showInputBox: async () => state.typed,
  withProgress: (_options, call) => call({ report() {} }, new CancellationTokenSource().token),
};
const tasks = {
  registerTaskProvider: (_type, provider) => { state.taskProvider = provider; return { dispose() {} }; },
  /** Runs the task to its end; state.tasks has its output and exit status. */
  executeTask: (task) => new Promise((resolve, reject) => {
    const { process: program, args, options } = task.execution;
    const child = spawn(program, args, { cwd: options?.cwd ?? task.scope.uri.fsPath });
    let output = "";
    child.stdout.on("data", (part) => { output += part; });
    child.stderr.on("data", (part) => { output += part; });
    child.on("error", reject);
    child.on("close", (status) => { state.tasks.push({ task, output, status }); resolve({ task }); });
  }),
};
const commands = {
  registerCommand: (name, call) => { state.commands[name] = call; return { dispose: () => { delete state.commands[name]; } }; },
  executeCommand: async (name, ...rest) => state.commands[name]?.(...rest),
};

/** Opens a document, as a user would. */
async function open(uri, languageId, text) {
  const document = new Document(uri, languageId, text ?? fs.readFileSync(uri.fsPath, "utf8"));
  workspace.textDocuments.push(document);
  window.activeTextEditor = { document, selection: new Selection(0, 0, 0, 0) };
  await opened.fire(document);
  return document;
}
/** Replaces a range of a document, as typing does. */
async function edit(document, range, text) {
  const [from, to] = [document.offsetAt(range.start), document.offsetAt(range.end)];
  document.text = document.text.slice(0, from) + text + document.text.slice(to);
  document.version += 1;
  document.isDirty = true;
  await changed.fire({ document, contentChanges: [{ range, rangeOffset: from, rangeLength: to - from, text }] });
}
async function configure(key, value) {
  state.settings[key] = value;
  await configured.fire({ affectsConfiguration: (one) => key === one || key.startsWith(`${one}.`) });
}
function select(document, text) {
  const end = document.find(text, text.length);
  window.activeTextEditor = { document, selection: new Selection(document.find(text), end) };
}
function place(document, text, n = 0) {
  const at = document.find(text, n);
  window.activeTextEditor = { document, selection: new Selection(at, at) };
}

module.exports = {
  version: "1.82.0", env: { language: "en", appName: "stub", openExternal: async () => true },
  Position, Range, Selection, Uri, EventEmitter, Disposable, CancellationTokenSource, CodeActionKind, WorkspaceEdit,
  CancellationError: class extends Error {},
  Location: record("uri", "range"), TextEdit: record("range", "newText"), Hover: record("contents", "range"),
  MarkdownString: class { constructor(value) { this.value = value; } appendCodeblock(text) { this.value = `${this.value ?? ""}${text}`; } },
  SnippetString: record("value"), Diagnostic: record("range", "message", "severity"), DiagnosticRelatedInformation: record("location", "message"),
  CompletionItem: record("label", "kind"), CompletionList: record("items", "isIncomplete"), CodeAction: record("title", "kind"),
  DocumentSymbol: record("name", "detail", "kind", "range", "selectionRange"), SymbolInformation: record("name", "kind"),
  CodeLens: record(), DocumentLink: record(), InlayHint: record(), TypeHierarchyItem: record(), CallHierarchyItem: record(),
  RelativePattern: record("base", "pattern"),
  Task: class { constructor(definition, scope, name, source, execution, problemMatchers) {
    Object.assign(this, { definition, scope, name, source, execution, problemMatchers }); } },
  ProcessExecution: record("process", "args", "options"),
  TaskScope: { Global: 1, Workspace: 2 }, TaskRevealKind: { Always: 1 }, TaskGroup: { Build: "build", Test: "test" },
  DiagnosticSeverity: enumeration(0, "Error", "Warning", "Information", "Hint"), DiagnosticTag: enumeration(1, "Unnecessary", "Deprecated"),
  CompletionItemKind: enumeration(0, "Text", "Method"), CompletionItemTag: { Deprecated: 1 },
  CompletionTriggerKind: enumeration(0, "Invoke", "TriggerCharacter", "TriggerForIncompleteCompletions"),
  SymbolKind: enumeration(0, "File", "Module", "Namespace", "Package", "Class", "Method", "Property"), SymbolTag: { Deprecated: 1 },
  CodeActionTriggerKind: enumeration(1, "Invoke", "Automatic"), TextDocumentSaveReason: enumeration(1, "Manual", "AfterDelay", "FocusOut"),
  FoldingRangeKind: { Comment: 1, Imports: 2, Region: 3 }, DocumentHighlightKind: enumeration(0, "Text", "Read", "Write"),
  ProgressLocation: { Window: 10 }, FileType: { File: 1, Directory: 2 }, NotebookCellKind: { Markup: 1, Code: 2 },
  SignatureHelpTriggerKind: enumeration(1, "Invoke", "TriggerCharacter", "ContentChange"),
  languages, workspace, window, tasks, commands, extensions: { getExtension: () => undefined },
  stub: { state, open, edit, configure, select, place, closed },
};
