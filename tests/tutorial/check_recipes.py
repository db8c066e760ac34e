#!/usr/bin/env python3
"""Does what the pages of docs/recipes and docs/skill describe (see check_tutorial.py), on the traces in examples/ and on made
ones, and runs the commands in their sentences, too. Stand-ins for PyTorch, nsys, srun, sbatch and gh check what they are asked to do.

    KR=build/tools/kr/kr tests/tutorial/check_recipes.py MAKE_LAYERWISE FOLDER|PAGE...
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = TOP / "examples"
sys.path.insert(0, str(TOP / "tests" / "cli"))
import check_tutorial  # noqa: E402
import run as sessions  # noqa: E402

PATH = os.environ["PATH"]

# `nsys profile` leaves a report, `nsys export` makes the database of a report.
NSYS = """#!/bin/sh
verb=$1; shift
out= type= application=
while [ $# -gt 0 ]; do
  case $1 in
    -o|--output) out=$2; shift 2 ;;
    --type) type=$2; shift 2 ;;
    --trace|--cuda-graph-trace|--force-overwrite) shift 2 ;;
    -*) echo "nsys: unknown option $1" >&2; exit 1 ;;
    *) break ;;
  esac
done
case $verb in
  profile) [ $# -gt 0 ] && printf '\\001\\002\\003\\000a report' >"$out.nsys-rep" ;;
  export) [ "$type" = sqlite ] && [ $# = 1 ] && [ -s "$1" ] && cp '{database}' "$out" ;;
  *) exit 1 ;;
esac
"""
# Runs the tasks, then the epilog, as srun does.
SRUN = """#!/bin/sh
case $1 in --epilog=/*) epilog=${1#--epilog=}; shift ;; *) echo "srun: unknown option $1" >&2; exit 1 ;; esac
for SLURM_PROCID in 0 1 2 3; do export SLURM_PROCID; "$@" || exit; done
"$epilog" "$@"
"""
# Runs the script at once: its output is that of sbatch.
SBATCH = """#!/bin/sh
[ "$(head -n 1 "$1")" = '#!/bin/bash' ] && echo 'Submitted batch job 7' && SLURM_JOB_ID=7 bash "$1"
"""
GH = """#!/bin/sh
[ "$1 $2 $4" = 'pr comment --body-file' ] && [ "$3" = 12 ] && [ "$(wc -c <"$5")" -lt 65536 ] || exit 1
for part in 'Verdict' 'What changed' 'Where the time goes' 'What could be fused'; do grep -q "^### $part" "$5" || exit 1; done
# Blocks that begin end, and the chart has only slices.
awk '/^```/ { inside = !inside; next } inside && !/^(pie showData|  title .*|  "[^"]+" : [0-9.]+)$/ { bad = 1 } END { exit bad || inside }' "$5"
"""
# The part of torch.profiler that a trace_handler sees: it is called with the profiler after the active steps.
TORCH = """import shutil


class ProfilerActivity:
    CPU, CUDA = range(2)


def schedule(*, wait, warmup, active, repeat):
    assert repeat == 1
    return wait + warmup + active


class profile:
    def __init__(self, *, activities, schedule, on_trace_ready, record_shapes):
        self.last, self.ready, self.step_num = schedule, on_trace_ready, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def step(self):
        self.step_num += 1
        if self.step_num == self.last:
            self.ready(self)

    def export_chrome_trace(self, path):
        shutil.copy({trace!r}, path)
"""


def executable(path, text):
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def made(folder):
    """Traces of make_traces.py."""
    subprocess.run([sys.executable, TOP / "tests/data/make_traces.py", folder], check=True)
    return folder


def stand_in(folder, name, text):
    executable(folder / "bin" / name, text)
    os.environ["PATH"] = f"{folder / 'bin'}:{PATH}"


def nsys(folder):
    stand_in(folder, "nsys", NSYS.replace("{database}", str(made(folder / "made") / "2023.sqlite")))


def vllm(folder):
    nsys(folder)
    for name in ("run1", "run2"):
        (folder / f"{name}.nsys-rep").write_bytes(b"\1\2\3\0a report")
    subprocess.run([MAKE_LAYERWISE, folder / "profile.json", "--layers", "4"], check=True)
    sessions.Session(TOP / "tests/cli/proton.txtar").write_files(folder)


def sglang(folder):
    (folder / "profiles").mkdir()
    (folder / "server").mkdir()

    def copy(trace, name, time):
        os.utime(shutil.copy(trace, folder / f"server/{name}.trace.json.gz"), (time, time))

    for rank in range(4):
        trace = EXAMPLES / "tp4" / f"rank{rank}.json.gz"
        shutil.copy(trace, folder / f"profiles/1718000000.5-TP-{rank}.trace.json.gz")
        copy(trace, f"1718000000.5-TP-{rank}", 2_000_000_000)
    # An older profile, a newer one by stage, and a merged file.
    for name, time in (("1717000000.5-TP-0", 1_900_000_000), ("1719000000.5-TP-0-DECODE", 2_100_000_000),
                       ("merged-1718000000.5", 2_000_000_001)):
        copy(EXAMPLES / "decode_before.json.gz", name, time)


def pytorch(folder):
    (folder / "torch").mkdir()
    (folder / "torch/__init__.py").write_text("from . import profiler\n")
    (folder / "torch/profiler.py").write_text(TORCH.format(trace=str(EXAMPLES / "decode_before.json.gz")))
    check_torch()


def check_torch():
    """The stand-in has what PyTorch has, where that is installed."""
    uses = "p = torch.profiler.profile(activities=[]); p.step_num; p.export_chrome_trace; torch.profiler.schedule"
    code = f"import importlib.util as u, sys\nif not u.find_spec('torch'): sys.exit()\nimport torch\n{uses}"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=TOP)


def slurm(folder):
    stand_in(folder, "srun", SRUN)
    stand_in(folder, "sbatch", SBATCH)
    executable(folder / "record", f'#!/bin/sh\ncp "{EXAMPLES}/tp4/rank$SLURM_PROCID.json.gz" "$KR_TRACES"\n')


def github(folder):
    shutil.copy(EXAMPLES / "decode_before.json.gz", folder / "before.json.gz")
    shutil.copy(EXAMPLES / "decode_after.json.gz", folder / "new.json.gz")
    stand_in(folder, "gh", GH)


def skill(folder):
    for name, source in (("run.json.gz", "decode_before.json.gz"), ("before.json.gz", "decode_before.json.gz"),
                         ("after.json.gz", "decode_after.json.gz"), ("run.csv.gz", "llama_bf16.csv.gz")):
        shutil.copy(EXAMPLES / source, folder / name)
    shutil.copytree(EXAMPLES / "tp4", folder / "tp4")


PREPARE = {"vllm.md": vllm, "sglang.md": sglang, "pytorch.md": pytorch, "nsys.md": nsys, "slurm.md": slurm, "github.md": github,
           "SKILL.md": skill}


def check_page(page, kr):
    """(number of commands, problems)."""
    text = page.read_text(encoding="utf-8")
    if page.name == "README.md":
        missing = {one.name for one in page.parent.glob("*.md")} - set(re.findall(r"\]\(([\w-]+\.md)\)", text)) - {page.name}
        return 0, [f"{page.name} has no link to {name}" for name in sorted(missing)]
    if page.name not in PREPARE:
        return 0, [f"{page.name}: nothing makes the files of this page"]
    count, wrong = check_tutorial.check(page, kr, PREPARE[page.name])
    blocks = check_tutorial.blocks_of(text)
    commands = [line[2:] for _, language, _, lines in blocks if language == "console" for line in lines if line.startswith("$ ")]
    for _, language, _, lines in blocks:
        if language == "yaml":
            wrong += [f"`{one}` is not among the commands" for one in re.findall(r"^[- ]*run: (.*)$", "\n".join(lines), re.M)
                      if not any(command.endswith(one) for command in commands)]
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    for command in re.findall(r"`(kr \w[^`]*)`", prose):
        if re.fullmatch(r"kr [a-z-]+|[^']*\b[A-Z]{3,}\b.*", command):
            continue  # the name of a verb, or a form with names in capitals
        count += 1
        with tempfile.TemporaryDirectory() as folder:
            PREPARE[page.name](pathlib.Path(folder))
            done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, check=False,
                                  env={**os.environ, "PATH": f"{kr.parent}:{os.environ['PATH']}"})
        if done.returncode != 0 or "is absent" in done.stderr:
            wrong.append(f"`{command}`: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    if page.name == "SKILL.md":
        head = re.match(r"---\nname: kr\ndescription: (.+)\n---\n", text)
        if not head or len(head[1]) > 1024 or ": " in head[1]:
            wrong.append("the head is not that of a skill: name, and a description of at most 1024 characters without a colon")
    if count < 4:
        wrong.append(f"only {count} commands: is the page read correctly?")
    return count, [f"{page.name}:{one}" for one in wrong]


def main():
    global MAKE_LAYERWISE
    MAKE_LAYERWISE = pathlib.Path(sys.argv[1]).resolve()
    kr = pathlib.Path(os.environ["KR"]).resolve()
    pages = []
    for name in sys.argv[2:]:
        path = TOP / name
        pages += sorted(path.glob("*.md")) if path.is_dir() else [path]
    total, wrong = 0, [] if pages else ["there are no pages"]
    for page in pages:
        os.environ["PATH"] = PATH
        try:
            count, more = check_page(page, kr)
        except check_tutorial.Wrong as what:
            count, more = 0, [f"{page.name}:{what}"]
        total += count
        wrong += more
    print("\n\n".join(wrong))
    print(f"{total} commands of {len(pages)} pages, {len(wrong)} are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
