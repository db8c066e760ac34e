"""Other projects can use the installed library: check_library.py CMAKE BUILD CXX CC.

Installs a build to a temporary prefix, builds example.cpp through find_package and through pkg-config and
use.c through pkg-config, and runs them. The example prints what the installed kr prints.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

CMAKE, BUILD, CXX, CC = sys.argv[1:]
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TRACE = """Start (ns),Duration (ns),CorrId,Device,Strm,Name
1000,500,1,0,7,ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn
1600,50,2,0,7,void vllm::rms_norm_kernel<c10::BFloat16>(T1 *)
1700,250,3,1,7,flash_fwd_splitkv_kernel
"""


def run(words, environment=None, directory=None):
    done = subprocess.run([str(word) for word in words], cwd=directory, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def public_headers_alone(include):
    """Installed headers include each other and standard headers, none of the engine."""
    for header in include.rglob("*.h*"):
        for name in re.findall(r'^#include "(.*)"', header.read_text(), re.MULTILINE):
            assert (include / name).is_file(), f"{header}: {name} is not installed"
        words = [CC, "-std=c99", "-x", "c"] if header.suffix == ".h" else [CXX, "-std=c++20", "-x", "c++"]
        run([*words, "-fsyntax-only", "-Wall", "-Wextra", "-Wno-pragma-once-outside-header", "-I", include, header])


with tempfile.TemporaryDirectory() as scratch:
    scratch = pathlib.Path(scratch)
    prefix = scratch / "prefix"
    run([CMAKE, "--install", BUILD, "--prefix", prefix])
    public_headers_alone(prefix / "include")
    trace = scratch / "trace.csv"
    trace.write_text(TRACE)
    library, = prefix.rglob("libkr.a")
    environment = {**os.environ, "KR_PATH": str(prefix / "share" / "kr"), "KR_CACHE_DIR": "", "LC_ALL": "C.UTF-8",
                   "PKG_CONFIG_PATH": str(library.parent / "pkgconfig")}

    build = scratch / "build"
    # Ninja is what kr is built with; there may be no make.
    run([CMAKE, "-G", "Ninja", "-S", HERE / "consumer", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
         f"-DCMAKE_CXX_COMPILER={CXX}"])
    run([CMAKE, "--build", build])
    flags = run(["pkg-config", "--static", "--cflags", "--libs", "kr"], environment).stdout.split()
    run([CXX, "-std=c++20", HERE / "example.cpp", "-o", scratch / "example", *flags])
    run([CC, "-std=c99", HERE / "use.c", "-o", scratch / "use", *flags])

    wanted = run([prefix / "bin" / "kr", "report", trace, "--tables", "labels,devices", "--format", "json"], environment)
    for program in (build / "example", scratch / "example"):
        got = run([program, trace], environment)
        assert got.stdout == wanted.stdout, f"{program}:\n{got.stdout}\nbut kr:\n{wanted.stdout}"
        assert got.stderr.count("\n") == 1 and ": gemm\n" in got.stderr, got.stderr
    missing = subprocess.run([scratch / "example", "none.csv"], env=environment, capture_output=True, text=True)
    assert missing.returncode == 2 and "none.csv" in missing.stderr, missing.stderr
    run([scratch / "use", prefix / "share" / "kr", scratch], environment)
    # Without KR_PATH the library looks in the prefix of the build, never in the folder of the program.
    lost = {**environment, "KR_PATH": ""}
    first = subprocess.run([scratch / "example", trace], env=lost, capture_output=True, text=True)
    assert first.returncode == 0 or "no rules are installed" in first.stderr, first.stderr
print("ok")
