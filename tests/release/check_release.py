#!/usr/bin/env python3
"""tools/release on a scratch repository with the files of this one: it passes and tags when everything is there, changes
nothing without --tag, and names each thing that is made to be missing.

    KR=build/tools/kr/kr tests/release/check_release.py
"""
import datetime
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
# What tools/release does not read; without them, the copy is small.
LEFT_OUT = ("engine/", "tests/", "tools/kr")
failures = []


def expect(holds, *what):
    if not holds:
        failures.append(" ".join(map(str, what)))


def main():
    if not shutil.which("git") or subprocess.run(["git", "-C", TOP, "rev-parse"], capture_output=True, check=False).returncode:
        print("skipped: this is not a checkout")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        return check(pathlib.Path(folder) / "kr")


def check(root):
    environment = {**os.environ, "KR": str(pathlib.Path(os.environ["KR"]).resolve()), "HOME": str(root.parent),
                   **{f"GIT_{who}_{what}": "tests@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}

    def git(*words, where=root):
        return subprocess.run(["git", *words], cwd=where, env=environment, check=True, capture_output=True, text=True).stdout

    for name in subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TOP, check=True, capture_output=True, text=True).stdout.splitlines():
        keep = not name.startswith(LEFT_OUT) or name.startswith(("tests/support/", "engine/answers/page/web/package-lock")) or name.endswith((".md", ".tsv"))
        if keep and (TOP / name).exists():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOP / name, root / name)
    # Pages link to files that are left out.
    for name in re.findall(r"\]\((?:\.\./)+((?:tests|engine|tools/kr)[^)#]*)", "".join(path.read_text() for path in root.rglob("*.md"))):
        if (TOP / name).exists() and not (root / name).exists():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).mkdir() if (TOP / name).is_dir() else (root / name).touch()
    version = subprocess.run([root / "tools/version"], check=True, capture_output=True, text=True).stdout.strip()
    changelog = root / "CHANGELOG.md"
    heading = f"## {version} ({datetime.date.today()})"
    changelog.write_text(re.sub(r"^## .*", f"## Unreleased ({version})", changelog.read_text(), count=1, flags=re.MULTILINE))
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "x")

    def finish():
        """What tools/test and tools/release --packages leave for this commit."""
        head = git("rev-parse", "HEAD")
        (root / "build-all").mkdir(exist_ok=True)
        (root / "build-all" / "passed").write_text(head)
        for name in "12":
            made = root / "build" / "release" / name
            made.mkdir(parents=True, exist_ok=True)
            (made.parent / f"{name}.commit").write_text(head)
            for file in (f"kr_{version}_amd64.deb", f"libkr-dev_{version}_amd64.deb", f"kr-mpi_{version}_amd64.deb",
                         f"python3-kr_{version}_amd64.deb", f"kr-{version}-cp39-abi3-manylinux_2_36_x86_64.whl",
                         f"kr-{version}-linux-x86_64.tar.zst", f"kr-{version}.vsix"):
                (made / file).write_text(file)

    def release(*words):
        done = subprocess.run([root / "tools/release", *words], env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def missing(words, *wanted):
        """Exactly these are missing, by regular expressions, and nothing is tagged."""
        status, said = release(*words)
        found = re.findall(r"^ +- (.*)$", said, re.MULTILINE)
        for what in wanted:
            expect(sum(1 for one in found if re.search(what, one)) == 1, what, "not found:", said)
        expect(status == 1 and len(found) == len(wanted), "other than these", len(wanted), "missing:", said)
        expect(git("tag") == "", "it tagged, although something is missing")

    missing([], rf"the first heading is “## Unreleased \({re.escape(version)}\)”", "did not pass on this commit", "has no packages of this commit")
    changelog.write_text(changelog.read_text().replace(f"## Unreleased ({version})", heading, 1))
    git("commit", "-qam", "x")
    finish()
    status, said = release()
    expect(status == 0 and "missing" not in said, "complete:", status, said)
    expect(git("tag") == "" and git("status", "--porcelain") == "", "it changed something without --tag")

    # In commits.
    faults = (("CHANGELOG.md", heading, f"## {version} (9999-01-01)\n\nNew.\n\n## 0.0.9 (2026-01-01)\n\n## 0.0.8 (2026-01-01)"),
              ("docs/tables.md", "the", "teh"),
              ("docs/install.md", f"kr_{version}_amd64", "kr_9.9.9_amd64"),
              ("README.md", "\n", "\n[x](nowhere.md)\n[x](docs/install.md#nothing)\n"),
              ("NOTICE", "zrender", "another"),
              ("NOTICE", "CLI11", "another"))
    kept = {path: (root / path).read_text() for path, _, _ in faults}
    for path, old, new in faults:
        text = (root / path).read_text()
        assert old in text, (path, old)
        (root / path).write_text(text.replace(old, new, 1))
    git("commit", "-qam", "x")
    finish()
    missing(["--tag"], "9999-01-01 is in the future", "the section “0.0.9 .*” is empty", r"docs/tables\.md is not current",
            r"docs/install\.md names version 9\.9\.9", r"README\.md: there is no nowhere\.md", "has no heading #nothing",
            "NOTICE does not name zrender", "NOTICE does not name cli11")
    for path, text in kept.items():
        (root / path).write_text(text)
    git("commit", "-qam", "x")

    # In the working tree and in what was built.
    finish()
    changelog.write_text(changelog.read_text().replace(heading, f"## {version} (2026-02-30)"))
    (root / "build" / "release" / "2" / f"kr-{version}.vsix").write_text("x")
    (root / "build" / "release" / "1" / f"kr-mpi_{version}_amd64.deb").unlink()
    (root / "build-all" / "passed").write_text("0" * 40)
    missing(["--tag"], "1 files are not committed, such as CHANGELOG.md", "2026-02-30 is not a date", "vsix differs between the two folders",
            "build/release/1 lacks kr-mpi_", "did not pass on this commit")
    git("checkout", "-q", "CHANGELOG.md")
    finish()
    status, said = release("--tag")
    expect(status == 0 and git("tag").strip() == f"v{version}" and git("cat-file", "-t", f"v{version}").strip() == "tag", "no tag:", said)
    status, said = release("--tag")
    expect(status == 1 and f"there is a tag v{version} already" in said, "a second tag:", said)
    print("\n".join(failures), file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
