#!/usr/bin/env python3
"""The steps of action.yml, the jobs of packaging/gitlab and the hooks of pre-commit, run here: the environment of
GitHub is made up, its program `gh` notes how it is called, and pre-commit is skipped where it is not installed.

    KR=build/tools/kr/kr tests/ci/check_ci_files.py
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

try:
    import yaml
except ImportError:
    print("skipped: there is no python3-yaml")
    sys.exit(77)

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests" / "tutorial"))
from check_ci import trace  # noqa: E402

GOOD = '''engine e "E" {
  detect: "e"
  substage {
    a: "abc"
    b: otherwise
  }
}

test e {
  "e abc" => substage a
  "e zz" => substage b
}
'''
BAD = (GOOD.replace('  "e zz" => substage b\n', '  "e zz" => substage b\n  "e y" => substage a\n')
       .replace("    a:", "  a:  ").replace("engine e", "engine f").replace("test e", "test f"))
GH = '''#!/bin/sh
# Notes its arguments, and the comment that it gets; there is an earlier comment where EARLIER has its number.
echo "$*" >>"$GH_LOG"
[ -z "$GH_FAILS" ] || exit 1
case "$*" in
  *--paginate*) echo "$EARLIER" ;;
  *) for word; do case $word in body=@*) cat "${word#body=@}" >"$GH_LOG.body" ;; esac; done ;;
esac
'''
failures = []


def expect(holds, *what):
    if not holds:
        failures.append(" ".join(map(str, what)))


def executable(path, text):
    path.write_text(text)
    path.chmod(0o755)


class Action:
    """Runs action.yml as GitHub does: expressions, conditions, environment files."""

    def __init__(self, folder, **environment):
        self.folder = folder
        self.spec = yaml.safe_load((TOP / "action.yml").read_text())
        self.environment = environment
        for name in ("output", "summary", "path"):
            (folder / name).write_text("")

    def value(self, expression, inputs, outputs, pull_request):
        expression = expression.strip()
        if expression.startswith("inputs."):
            return inputs[expression[len("inputs."):]]
        found = re.fullmatch(r"steps\.(\w+)\.outputs\.(\w+)", expression)
        if found:
            return outputs.get(found.group(1), {}).get(found.group(2), "")
        return {"github.token": "token", "github.event.pull_request.number": pull_request}[expression]

    def holds(self, condition, *context):
        for part in condition.split("&&"):
            if part.strip() == "always()":
                continue
            left, operator, right = re.fullmatch(r"(\S+) (==|!=) '(.*)'", part.strip()).groups()
            if (self.value(left, *context) == right) != (operator == "=="):
                return False
        return True

    def run(self, pull_request="", **given):
        given = {name.replace("_", "-"): value for name, value in given.items()}
        unknown = set(given) - set(self.spec["inputs"])
        assert not unknown, unknown
        inputs = {name: given.get(name, spec["default"]) for name, spec in self.spec["inputs"].items()}
        outputs, used, said, status = {}, [], "", 0
        for step in self.spec["runs"]["steps"]:
            context = (inputs, outputs, pull_request)
            condition = step.get("if", "always()")
            if not self.holds(condition, *context) or (status and "always()" not in condition):
                continue
            if "uses" in step:
                used.append(step["uses"])
                continue
            replaced = {name: re.sub(r"\$\{\{(.*?)\}\}", lambda one: self.value(one.group(1), *context), text)
                        for name, text in step.get("env", {}).items()}
            expect("${{" not in step["run"], "an expression in a script:", step["run"])
            (self.folder / "output").write_text("")
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=self.folder,
                                  capture_output=True, text=True, check=False,
                                  env={**os.environ, **self.environment, "GITHUB_ACTION_PATH": str(TOP), "GITHUB_OUTPUT": str(self.folder / "output"),
                                       "GITHUB_STEP_SUMMARY": str(self.folder / "summary"), "GITHUB_PATH": str(self.folder / "path"),
                                       "GITHUB_REPOSITORY": "owner/project", "RUNNER_TEMP": str(self.folder / "temp"), **replaced})
            outputs[step.get("id", "")] = dict(line.split("=", 1) for line in (self.folder / "output").read_text().splitlines())
            said += done.stdout + done.stderr
            status = status or done.returncode
        summary = (self.folder / "summary").read_text()
        (self.folder / "summary").write_text("")
        return status, said, summary, used


def check_github(folder, kr):
    (folder / "temp").mkdir()
    (folder / "bin").mkdir()
    executable(folder / "bin" / "gh", GH)
    log = folder / "gh.log"
    action = Action(folder, PATH=f"{folder / 'bin'}:{os.environ['PATH']}", GH_LOG=str(log), EARLIER="")
    if not shutil.which("kr"):
        status, said, _, _ = action.run()
        expect(status == 2 and "::error" in said and "not in the PATH" in said, "without kr:", status, said)
    # An archive as tools/package makes it.
    (folder / "kr-1" / "bin").mkdir(parents=True)
    (folder / "kr-1" / "bin" / "kr").symlink_to(kr)
    subprocess.run(["tar", "-C", folder, "-cf", folder / "kr.tar", "kr-1"], check=True)
    status, said, _, _ = action.run(archive="kr.tar", checks="")
    expect(status == 0 and (folder / "path").read_text() == f"{folder}/temp/kr/bin\n", "install:", status, said)
    status, said, _, _ = action.run(archive="none.tar", checks="")
    expect(status == 2 and "there is no archive none.tar" in said, "no archive:", status, said)
    action.environment["PATH"] = f"{folder}/temp/kr/bin:{action.environment['PATH']}"

    (folder / "good rules.kr").write_text(GOOD)
    status, said, summary, used = action.run(paths="good rules.kr", upload_sarif="true")
    expect(status == 0 and "::error" not in said and "::warning" not in said, "good rules:", status, said)
    expect(summary.count("passed") == 3 and used == ["github/codeql-action/upload-sarif@v3"], summary, used)
    (folder / "bad,rules.kr").write_text(BAD)
    status, said, summary, used = action.run(paths="good rules.kr\nbad,rules.kr\n", upload_sarif="true")
    expect(status == 1, "bad rules:", status, said)
    expect(re.search(r"^::error file=bad%2Crules\.kr,title=kr fmt::", said, re.MULTILINE), "no annotation of fmt:", said)
    expect(re.search(r"^::error file=bad%2Crules\.kr,line=12,.*title=KR316 failing-test::", said, re.MULTILINE), "no annotation of lint:", said)
    expect(re.findall(r"kr (\w+) \| failed", summary) == ["fmt", "lint", "test"] and used, summary, used)
    sarif = json.loads((folder / "temp" / "kr.sarif").read_text())
    expect([one["ruleId"] for one in sarif["runs"][0]["results"]] == ["KR316"], sarif["runs"][0]["results"])
    status, said, _, _ = action.run(paths="good rules.kr", checks="lint proof")
    expect(status == 2 and "no check is called proof" in said, "unknown check:", status, said)

    (folder / "base 1.json").write_text(trace(1))
    (folder / "same.json").write_text(trace(2))
    (folder / "slow.json").write_text(trace(2, 1.2))
    gate = {"checks": "", "base": "base 1.json", "fail_if": "total > +2%\nsubstage/gemm > +5%\n", "comment": "true"}
    status, said, summary, _ = action.run(new="same.json", **gate)
    expect(status == 0 and "passed" in summary and "no comment is written" in said and not log.exists(), "same:", status, said)
    status, said, summary, _ = action.run(new="slow.json", pull_request="7", **gate)
    expect(status == 1 and re.search(r"::error title=kr diff::.*total > \+2%25 \(step\) is met", said), "slow:", status, said)
    expect(re.search(r"gemm \| failed", summary), summary)
    body = pathlib.Path(f"{log}.body")
    expect(body.read_text() == f"<!-- kr diff -->\n{summary}", "the comment is not the summary:", body.read_text())
    expect("--method POST repos/owner/project/issues/7/comments" in log.read_text(), log.read_text())
    action.environment["EARLIER"] = "41"
    action.run(new="slow.json", pull_request="7", **gate)
    expect("--method PATCH repos/owner/project/issues/comments/41" in log.read_text(), log.read_text())
    action.environment["GH_FAILS"] = "1"
    status, said, _, _ = action.run(new="same.json", pull_request="7", **gate)
    expect(status == 0 and "::warning title=kr diff::the comment could not be written" in said, "no permission:", status, said)
    status, said, _, _ = action.run(new="none.json", **gate)
    expect(status == 2 and "::error title=kr diff::" in said and "none.json" in said, "no trace:", status, said)
    status, said, _, _ = action.run(**gate)
    expect(status == 2 and "the input new is empty" in said, "nothing new:", status, said)


def check_gitlab(folder, kr):
    spec = yaml.safe_load((TOP / "packaging" / "gitlab" / "kr.gitlab-ci.yml").read_text())
    (folder / "bin").mkdir()
    (folder / "bin" / "kr").symlink_to(kr)
    for name, text in (("good.kr", GOOD), ("bad.kr", BAD), ("base.json", trace(1)), ("same.json", trace(2)), ("slow.json", trace(2, 1.2))):
        (folder / name).write_text(text)

    def job(name, **variables):
        job_spec = spec[name]
        # GitLab joins the lines of a script and ends it at the first that fails.
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", "\n".join(job_spec["script"])], cwd=folder, capture_output=True, text=True, check=False,
                              env={**os.environ, **spec["variables"], **variables, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"})
        return done.returncode, done.stdout + done.stderr

    for rules, status in (("good.kr", 0), ("good.kr bad.kr", 1)):
        for check in ("fmt", "lint", "test"):
            got, said = job(f"kr-{check}", KR_PATHS=rules)
            expect(got == status, "GitLab:", check, rules, got, said)
            if check == "fmt":
                continue
            report = folder / spec[f"kr-{check}"]["artifacts"]["reports"]["junit"]
            suites = xml.etree.ElementTree.parse(report).getroot()
            expect(int(suites.get("failures", "0")) == status, "GitLab:", check, rules, report.read_text())
            expect(status == 0 or "bad.kr" in said, "GitLab: nothing in the log of", check)
    for new, status in (("same.json", 0), ("slow.json", 1)):
        got, said = job("kr-diff", KR_BASE="base.json", KR_NEW=new)
        expect(got == status and "### changes by substage" in said, "GitLab: diff", new, got, said)
        expect((folder / spec["kr-diff"]["artifacts"]["paths"][0]).exists(), "GitLab: no comparison")


def check_hooks(folder, kr):
    hooks = yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text())
    if not shutil.which("pre-commit"):
        print("the hooks are not run: there is no pre-commit")
        return
    (folder / "bin").mkdir()
    (folder / "bin" / "kr").symlink_to(kr)
    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": str(folder), "PRE_COMMIT_HOME": str(folder / "cache"),
                   **{f"GIT_{who}_{what}": "tests@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}

    def run(*words, where):
        done = subprocess.run(words, cwd=where, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def repository(name, **files):
        where = folder / name
        where.mkdir()
        for file, text in files.items():
            (where / file).write_text(text)
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"]):
            status, said = run("git", *words, where=where)
            assert status == 0, said
        return where, run("git", "rev-parse", "HEAD", where=where)[1].strip()

    offered, commit = repository("offered", **{".pre-commit-hooks.yaml": (TOP / ".pre-commit-hooks.yaml").read_text()})
    used = [{"id": one["id"]} for one in hooks]
    config = yaml.safe_dump({"repos": [{"repo": str(offered), "rev": commit, "hooks": used}]})
    for text, status in ((GOOD, 0), (BAD, 1)):
        where, _ = repository(f"user{status}", **{".pre-commit-config.yaml": config, "rules.kr": text, "other.txt": "no rules"})
        got, said = run("pre-commit", "run", "--all-files", "--color", "never", where=where)
        outcomes = dict(re.findall(r"^(kr \w+)\.+(\w+)$", said, re.MULTILINE))
        wanted = "Failed" if status else "Passed"
        expect(got == status and outcomes == {one["name"]: wanted for one in hooks}, "pre-commit:", got, said)
        expect(("    a: \"abc\"\n" in (where / "rules.kr").read_text()), "pre-commit: the file is not laid out")


def main():
    kr = pathlib.Path(os.environ["KR"]).resolve()
    for check in (check_github, check_gitlab, check_hooks):
        with tempfile.TemporaryDirectory() as folder:
            check(pathlib.Path(folder).resolve(), kr)
    print("\n".join(failures), file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
