#!/usr/bin/env python3
"""The configurations of docs/editors.md in the editors that are installed, without a screen: each opens a file with a
finding, shows the finding and the hover of a pattern, and formats the file. Skipped where no editor is installed.

    KR=build/tools/kr/kr tests/editors/check_installed.py
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "editors.md"
RULES = '''labels substage { gemm "Dense" color "orange" }

## What demo multiplies.
pattern grouped = "group_gemm"

engine demo "Demo" {
  detect: "demo"
  substage {
      gemm:    grouped
    misc: otherwise
  }
}
'''
FORMATTED = "    gemm: grouped\n"
LIMIT = 120  # seconds; no editor takes so long

# Lua for Neovim: prints what the client knows, formats and writes the file.
NEOVIM = r'''
local function wait(what, ready)
  if not vim.wait(60000, ready, 50) then io.stderr:write("no " .. what .. "\n") vim.cmd("cquit 1") end
end
wait("finding", function() return #vim.diagnostic.get(0) > 0 end)
for _, one in ipairs(vim.diagnostic.get(0)) do
  io.stdout:write(string.format("finding %d:%d %s\n", one.lnum + 1, one.col + 1, one.message))
end
local function ask(method, params)
  for _, answer in pairs(vim.lsp.buf_request_sync(0, method, params, 60000) or {}) do return answer.result end
end
local document = { uri = vim.uri_from_bufnr(0) }
local hover = ask("textDocument/hover", { textDocument = document, position = { line = 3, character = 9 } })
io.stdout:write("hover " .. hover.contents.value:gsub("\n", " ") .. "\n")
'''
NEOVIM_FORMAT = {True: "vim.lsp.buf.format({ timeout_ms = 60000 })", False: "vim.lsp.buf.formatting_sync({}, 60000)"}

EMACS = r'''
(setq eglot-sync-connect 60 eglot-connect-timeout 60 eglot-autoshutdown nil make-backup-files nil)
(find-file (getenv "KR_FILE"))
(run-hooks 'post-command-hook)
(unless (eglot-managed-p) (error "Eglot does not manage the file"))
(let ((end (+ (float-time) 60)))
  (while (and (< (float-time) end) (not (flymake-diagnostics))) (flymake-start) (accept-process-output nil 0.1)))
(dolist (one (flymake-diagnostics))
  (save-excursion
    (goto-char (flymake-diagnostic-beg one))
    (princ (format "finding %d:%d %s\n" (line-number-at-pos) (1+ (current-column)) (flymake-diagnostic-text one)))))
(goto-char (point-min))
(search-forward "pattern g")
(let* ((answer (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams)))
       (text (plist-get (plist-get answer :contents) :value)))
  (princ (format "hover %s\n" (replace-regexp-in-string "\n" " " text))))
(eglot-format-buffer)
(save-buffer)
(eglot-shutdown (eglot-current-server))
'''


def block(section, language, which):
    """The code block number `which` of a section of the page."""
    text = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL).group(1)
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[which]


def version(program):
    text = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in re.search(r"(\d+)\.(\d+)", text).groups())


def neovim(folder, file):
    program = shutil.which("nvim")
    if not program:
        return None
    number = version(program)
    init = folder / "init.lua"
    init.write_text(block("Neovim", "lua", 0 if number >= (0, 11) else 1 if number >= (0, 8) else 2))
    script = folder / "check.lua"
    script.write_text(NEOVIM + NEOVIM_FORMAT[number >= (0, 8)] + '\nvim.cmd("write") vim.cmd("qall!")\n')
    return [program, "--headless", "-u", init, file, "-c", f"luafile {script}"]


def emacs(folder, file):
    program = shutil.which("emacs")
    if not program:
        return None
    start = [program, "--batch", "--eval", "(package-initialize)"]
    if subprocess.run([*start, "-l", "eglot"], capture_output=True, check=False).returncode != 0:
        return None
    script = folder / "check.el"
    script.write_text(EMACS)
    init = folder / "init.el"
    init.write_text(block("Emacs", "elisp", 0))
    return [*start, "-l", "eglot", "-l", init, "-l", script]


def helix(folder, file):
    program = shutil.which("hx")
    if not program:
        return None
    where = folder / "config" / "helix"
    where.mkdir(parents=True)
    (where / "languages.toml").write_text(block("Helix", "toml", 0))
    return [program, "--health", "kr"]


def main():
    tried, wrong = [], []
    for editor in (neovim, emacs, helix):
        name = editor.__name__
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            (folder / "bin").mkdir()
            (folder / "bin" / "kr").symlink_to(pathlib.Path(os.environ["KR"]).resolve())
            file = folder / "rules.kr"
            file.write_text(RULES)
            words = editor(folder, file)
            if not words:
                continue
            tried.append(name)
            environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": scratch, "KR_FILE": str(file),
                           "XDG_CONFIG_HOME": str(folder / "config"), "XDG_STATE_HOME": str(folder / "state")}
            done = subprocess.run([str(word) for word in words], capture_output=True, text=True, cwd=folder, env=environment,
                                  timeout=LIMIT, check=False, stdin=subprocess.DEVNULL)
            said = done.stdout + done.stderr
            if name == "helix":
                if str(folder / "bin" / "kr") not in said:
                    wrong.append(f"{name} does not find kr:\n{said}")
                continue
            for holds, what in ((done.returncode == 0, f"exit status {done.returncode}"),
                                (re.search(r"finding 1:38 .*`orange` is not a colour", said), "no finding"),
                                (re.search(r"hover .*What demo multiplies", said), "no hover"),
                                (FORMATTED in file.read_text(), f"not formatted: {file.read_text()}")):
                if not holds:
                    wrong.append(f"{name}: {what}\n{said}")
    if not tried:
        print("skipped: none of nvim, emacs with eglot, hx is installed")
        return 77
    print(f"tried: {', '.join(tried)}")
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
