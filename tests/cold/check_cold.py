"""The first run on a machine compiles no shipped rules and proves nothing about them: check_cold.py CMAKE BUILD.

Everything that Hyperscan compiles is written to the cache. So verbs that use the shipped rules must leave
an empty cache empty, in the build tree and in an install.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

CMAKE, BUILD = sys.argv[1:3]
ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACE = """Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MBps),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name
100,50,1,1,1,1,1,1,1,8,0.0,0.0,,,,,NVIDIA H100 (0),1,7,flash_fwd_kernel
"""
RULES = """use std.gemm
engine mine {
  substage {
    gemm: gemm.any | "zq_never_shipped"
    misc: otherwise
  }
}
test mine {
  "ampere_sgemm_32x32_tn" => substage gemm
  "relu" => substage misc
}
"""
failures = []


def compiled(kr, scratch, arguments):
    """The files that a run writes into an empty cache."""
    with tempfile.TemporaryDirectory(dir=scratch) as cache:
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("KR_CACHE_DIR", "KR_PATH")}
        environment["XDG_CACHE_HOME"] = cache
        run = subprocess.run([kr, *arguments], cwd=scratch, env=environment,
                             stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if run.returncode != 0:
            failures.append(f"{kr} {' '.join(arguments)}: exit {run.returncode}: {run.stderr}")
        return [path.suffix for path in pathlib.Path(cache).rglob("*") if path.is_file()]


def check(kr, rulesets, files, may_leave=()):
    """`may_leave`: kinds of files that linting `files` may leave."""
    with tempfile.TemporaryDirectory() as scratch:
        trace = pathlib.Path(scratch, "trace.csv")
        trace.write_text(TRACE)
        mine = pathlib.Path(scratch, "mine.kr")
        mine.write_text(RULES)
        runs = [["report", str(trace), "--format", "json"], ["why", "flash_fwd_kernel"],
                ["classify", str(trace)], ["lint", str(mine)], ["test", str(mine)],
                ["lint", *files], ["test", *files]]
        runs += [["why", "flash_fwd_kernel", "--rules", ruleset] for ruleset in rulesets]
        for arguments in runs:
            left = compiled(kr, scratch, arguments)
            expected = {("lint", str(mine)): {".krproofs", ".krfindings"}, ("lint", *files): set(may_leave)}
            if not set(left) <= expected.get(tuple(arguments), set()):
                failures.append(f"{kr} {' '.join(arguments)}: it left {left} in the cache")
        # To show that the test detects compilation: rules that were never compiled.
        if not compiled(kr, scratch, ["why", "relu", "--rules", str(mine)]):
            failures.append(f"{kr}: rules of its own are compiled, but nothing is in the cache")


def check_lint(kr):
    """Proofs and findings that are kept change no finding."""
    with tempfile.TemporaryDirectory() as cache:
        for path in sorted((ROOT / "tests" / "golden").glob("*.kr")):
            # Without a cache, a database is compiled for infos, which takes ten times as long as everything else; that of
            # KR415 takes seconds, and its finding needs no proof.
            infos = ["--info"] if path.name.startswith("KR4") and not path.name.startswith("KR415") else []
            said = [subprocess.run([kr, "lint", *infos, str(path)], stdin=subprocess.DEVNULL, capture_output=True,
                                   env={**os.environ, "KR_CACHE_DIR": folder}) for folder in ("", cache, cache)]
            if any((one.returncode, one.stdout, one.stderr) != (said[0].returncode, said[0].stdout, said[0].stderr)
                   for one in said):
                failures.append(f"{path}: lint finds something else with a cache")
        for kind in ("proofs", "findings"):
            if not list(pathlib.Path(cache).glob(f"*.kr{kind}")):
                failures.append(f"lint keeps no {kind}")


def main():
    rulesets = sorted(path.stem for path in (ROOT / "rulesets").glob("*.kr"))
    files = [str(ROOT / "rulesets"), str(ROOT / "stdlib")]
    # Findings are kept by the names shown, and a build tree shows the sources by other names than an install.
    check(os.environ["KR"], rulesets, files, may_leave=[".krfindings"])
    check_lint(os.environ["KR"])
    with tempfile.TemporaryDirectory() as prefix:
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", prefix], check=True,
                       stdout=subprocess.DEVNULL)
        check(os.path.join(prefix, "bin", "kr"), rulesets[:1],
              [os.path.join(prefix, "share", "kr", "rulesets")])
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


sys.exit(main())
