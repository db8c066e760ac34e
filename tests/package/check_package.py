#!/usr/bin/env python3
"""Packages of a build: complete, with the libraries that they should need; and the archive for every Linux runs where
there is nothing else: as root, in a root folder that has only it and a trace. With KR_LONG=1, also the same bytes twice.

    tests/package/check_package.py SOURCES BUILD
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

SOURCES, BUILD = (pathlib.Path(one) for one in sys.argv[1:])
# Whatever is new here is a package that users have to install.
DEPENDS = {"libc6", "libcairo2", "libfmt9", "libgcc-s1", "libhyperscan5", "libisal2", "libre2-9", "libsimdjson14",
           "libsqlite3-0", "libstdc++6", "libzstd1", "zlib1g"}
PARTS = {
    "kr": ["bin/kr", "share/kr/stdlib/gemm.kr", "share/kr/rulesets/vllm.kr", "share/kr/paraver/labels.cfg",
           "share/kr/skill/SKILL.md", "share/kr/recipes/vllm.md", "share/man/man1/kr.1", "share/bash-completion/completions/kr",
           "share/zsh/vendor-completions/_kr", "share/fish/vendor_completions.d/kr.fish",
           "share/doc/kr/copyright", "share/doc/kr/NOTICE", "share/doc/kr/licenses/libcli11-dev",
           "share/doc/kr/licenses/libtomlplusplus-dev"],
    "libkr-dev": ["include/kr/kr.hpp", "include/kr/kr.h"],
}
if (BUILD / "python/kr/_kr.abi3.so").exists():
    PARTS["python3-kr"] = ["lib/python3/dist-packages/kr/" + name
                           for name in ("__init__.py", "__main__.py", "_kr.abi3.so", "_kr.pyi", "py.typed", "notebook.py")]

failures = []


def expect(holds, *what):
    if not holds:
        failures.append(" ".join(map(str, what)))


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, **options).stdout


def packages(folder):
    run(SOURCES / "tools/package", folder, BUILD,
        env={**os.environ, "KR_PACKAGE_QUICK": "1", "SOURCE_DATE_EPOCH": "1700000000"})
    return {path.name: path for path in folder.iterdir()}


def check_debs(made):
    for package, parts in PARTS.items():
        deb, = (path for name, path in made.items() if name.startswith(f"{package}_"))
        files = re.findall(r" \./usr/(\S+)$", run("dpkg-deb", "-c", deb), re.MULTILINE)
        expect(not set(parts) - set(files), package, "lacks", set(parts) - set(files))
        if package == "kr":
            expect(any(name.endswith(".krhs") for name in files), "the compiled rules are missing")
            expect(not any(name.startswith("include/") for name in files), "headers are in the package of the program")
            needs = run("dpkg-deb", "-f", deb, "Depends").strip()
            expect({one.split()[0] for one in needs.split(",")} == DEPENDS, "needs", needs)
        elif package == "libkr-dev":
            expect(any(name.endswith("/libkr.a") for name in files), "no library")


def check_python(made, scratch):
    """The package of Debian beside that of the program, and the wheel alone: each finds its own rules, wherever it is."""
    if "python3-kr" not in PARTS:
        print("built without Python")
        return
    needs = run("dpkg-deb", "-f", next(path for name, path in made.items() if name.startswith("python3-kr_")), "Depends")
    expect("kr (= " in needs and "libhyperscan5" in needs, needs)
    installed, unpacked = scratch / "installed", scratch / "unpacked"
    for name, path in made.items():
        if name.startswith(("kr_", "python3-kr_")):
            run("dpkg-deb", "-x", path, installed)
    wheel, = (path for name, path in made.items() if name.endswith(".whl"))
    with zipfile.ZipFile(wheel) as file:
        file.extractall(unpacked)
        record, = (name for name in file.namelist() if name.endswith(".dist-info/RECORD"))
        listed = {line.rsplit(",", 2)[0] for line in file.read(record).decode().splitlines()}
        expect(listed == set(file.namelist()), "RECORD lists other files than the wheel has")
        # pip makes only regular files executable.
        expect(file.getinfo("kr/bin/kr").external_attr >> 16 == 0o100755, "pip would not make the program executable")
    binaries = [unpacked / "kr/bin/kr", *unpacked.glob("kr/_kr*.so")]
    for path in binaries:
        loaded = dict(re.findall(r"(\S+) => (\S+)", run("ldd", path)))
        foreign = {name for name, where in loaded.items() if not os.path.realpath(where).startswith(os.path.realpath(unpacked))}
        expect(foreign <= {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1"}, path, "takes libraries of the system:", loaded)
        expect(any(name.startswith("libhs-") for name in loaded), path, "lacks Hyperscan:", loaded)
    glibc = tuple(map(int, re.search(r"-manylinux_(\d+)_(\d+)_", wheel.name).groups()))
    for path in [*binaries, *unpacked.glob("kr.libs/*")]:
        for version in re.findall(r"\bGLIBC_(\d+)\.(\d+)", run("readelf", "-VW", path)):
            expect(tuple(map(int, version)) <= glibc, path.name, "needs glibc", version, "and the wheel says", glibc)
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(scratch), "PYTHONPATH": str(unpacked)}
    (unpacked / "kr/bin/kr").chmod(0o755)  # zipfile does not
    shown = run(sys.executable, "-m", "kr", "why", "--engine", "vllm", "ampere_bf16_s16816gemm", env=clean)
    expect("gemm" in shown, shown)
    for folder in (installed / "usr/lib/python3/dist-packages", unpacked):
        shown = run(sys.executable, "-c", "import kr; print(kr.__file__, kr.classify('ampere_bf16_s16816gemm', engine='vllm'))",
                    env={"PATH": "/usr/bin:/bin", "HOME": str(scratch), "PYTHONPATH": str(folder)})
        expect(shown.split() == [str(folder / "kr/__init__.py"), "gemm"], shown)


def check_archive(archive, scratch):
    root = scratch / "root"
    root.mkdir()
    run("tar", "-C", root, "-xf", archive)
    tree, = root.iterdir()
    trace = "llama_bf16.csv.gz"
    shutil.copy(SOURCES / "examples" / trace, root)
    words = ["report", trace, "--tables", "labels,devices", "--format", "json", "-q"]
    wanted = json.loads(run(BUILD / "tools/kr/kr", *words, cwd=root))["tables"]
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(scratch)}
    linked = scratch / "kr"
    linked.symlink_to(tree / "bin/kr")
    for program in (tree / "bin/kr", linked):
        expect(json.loads(run(program, *words, cwd=root, env=clean))["tables"] == wanted, program, "says something else")
    libraries = {path.name for path in (tree / "lib").glob("*.so*")}
    expect("libc.so.6" in libraries and "libhs.so.5" in libraries, libraries)
    if os.geteuid() != 0:
        print("not root: the archive is not tried in an empty root folder")
        return
    # No shell, no libraries, no /proc: what the launcher does, by hand.
    lib = f"/{tree.name}/lib"
    loader, = (path.name for path in (tree / "lib").glob("ld-linux*"))
    inside = [shutil.which("chroot") or "/usr/sbin/chroot", root, f"{lib}/{loader}", "--library-path", lib, f"{lib}/kr"]
    alone = {"KR_PATH": f"/{tree.name}/share/kr", "FONTCONFIG_FILE": f"/{tree.name}/share/fonts/fonts.conf"}
    expect(json.loads(run(*inside, *words, env=alone))["tables"] == wanted, "alone, it says something else")
    run(*inside, "report", trace, "-q", "-o", "page.html", env=alone)
    expect((root / "page.html").stat().st_size > 500_000, "no page")
    entry = {"name": "LlamaForCausalLM", "cuda_time_us": 7, "pct_cuda_time": 100, "invocations": 1}
    (root / "profile.json").write_text(json.dumps({"prefill": {"summary_stats": [{"entry": entry, "children": []}]}}))
    run(*inside, "tree", "profile.json", "--out-dir", "pictures", "-q", env=alone)
    pictures = list((root / "pictures").glob("*.png"))
    expect(pictures and pictures[0].read_bytes().startswith(b"\x89PNG"), "no picture")


with tempfile.TemporaryDirectory() as folder:
    scratch = pathlib.Path(folder)
    made = packages(scratch / "one")
    if "KR_LONG" in os.environ:
        digests = [{name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
                   for files in (made, packages(scratch / "two"))]
        expect(digests[0] == digests[1], "two packages of one build differ", digests)
    check_debs(made)
    check_python(made, scratch)
    check_archive(next(path for name, path in made.items() if name.endswith(".tar.zst")), scratch)
for failure in failures:
    print(failure, file=sys.stderr)
print(f"{len(failures)} wrong")
sys.exit(1 if failures else 0)
