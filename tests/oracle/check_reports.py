#!/usr/bin/env python3
"""Compares kr with the right answers of small inputs made after public bug reports (`reports/README.md` of the shared
data): records with a wrong time, launches without kernels, categories of calls, layouts that are not read, periods of kernels
that repeat, and differences.

    KR=build/tools/kr/kr tests/oracle/check_reports.py [FOLDER]
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from results import Results  # noqa: E402

FOLDER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                      pathlib.Path(__file__).resolve().parents[3] / "shared/data/reports")
# Operations, busy time and span in ns, records without a time; None: not told.
TIMES = {
    "02-hta325-236years/trace_long.json": (51, 500_000, 598_000, 1),
    "02-hta325-236years/trace_negative.json": (51, 500_000, 598_000, 1),
    "02-hta325-236years/trace_uint64.json": (51, 500_000, 598_000, 1),
    "03-tracelens669-overflow/trace.json": (200, 19_900_000, 20_995_000, 1),
    "07-kineto109-ts0/trace.json": (25, 2_400_000, 2_970_000, 5),
    "09-perfetto598-control/trace.json": (1, 30_000, 30_000, None),
    "32-parcagpu23-invalid/zero.sqlite": (110, 1_000_000, 1_990_000, 10),
    "32-parcagpu23-invalid/backwards.sqlite": (110, 1_000_000, 1_990_000, 10),
    "32-parcagpu23-invalid/csv": (3, 2_000, 3_000, 1),
}
UNKNOWN = {
    "18-pytorch95460-legacy/trace.json": "CUDA functions",
    "33-nsysai291-v2/suffix.sqlite": "CUPTI_ACTIVITY_KIND_KERNEL_V3",
}


def run(*args):
    return subprocess.run([os.environ["KR"], *map(str, args)], capture_output=True)


def analyze(path, tables):
    done = run("analyze", path, "--format", "json", "--tables", tables)
    assert done.returncode == 0, (path, done.stderr)
    return Results(done.stdout)


def findings(found):
    return {row["code"]: row for row in found.rows("trace_health")}


def check_times():
    for name, (operations, busy, span, without) in TIMES.items():
        found = analyze(FOLDER / name, "devices,trace_health")
        device, = found.rows("devices")
        got = device["operations"], device["busy_ns"], device["span_ns"], device["idle_ns"]
        assert got == (operations, busy, span, span - busy), (name, got)
        told = findings(found)
        assert told.get("implausible-times", {}).get("count") == without, (name, told)
        assert "before-launch" not in told and "far-apart" not in told, (name, told)
        strict = run("report", FOLDER / name, "--strict", "--tables", "runs").returncode
        assert strict == (0 if without is None else 2), (name, strict)


def check_launches():
    lost = findings(analyze(FOLDER / "25-pytorch192021-dropped/trace.json", "trace_health"))["launches-without-kernels"]
    assert (lost["count"], lost["severity"]) == (12, "warning"), lost
    for path in sorted((FOLDER / "14-xpu5284").glob("*.json")):
        matching, = analyze(path, "launch_matching").rows("launch_matching")
        linked = 0 if path.name == "cat_hpu_op.json" else 12 if path.name == "trace.json" else 8
        assert matching["linked"] == linked, (path.name, matching)


def check_other_profilers():
    for name, (kind, operations) in {"13-ascend133-npu/trace_view.json": ("ascend-json", 40),
                                     "24-jax6251/perfetto_trace.json.gz": ("xla-json", 20)}.items():
        row = analyze(FOLDER / name, "runs").run()
        assert (row["format"], row["operations"]) == (kind, operations), (name, row)


def check_unknown():
    for name, named in UNKNOWN.items():
        found = analyze(FOLDER / name, "trace_health")
        codes = findings(found)
        assert "unknown-layout" in codes and "no-gpu-work" not in codes, (name, codes)
        text = next(row["text"] for row in found.notes if row["code"] == "unknown-layout")
        assert named in text, (name, text)
        assert run("coverage", FOLDER / name, "--min-coverage", "1").returncode == 2, name


def check_periods():
    """The least period; one kernel that repeats is not a block."""
    for period in range(1, 6):
        found = analyze(FOLDER / f"41-period/p{period}.json", "layers")
        got = {row["period"] for row in found.rows("layers") if row["level"] == 0}
        assert got == ({period} if period > 1 else set()), (period, got)


def check_changes():
    """The headline has the sums of what is below it: one more kernel of 100 ns, and 300 ns less of others."""
    folder = FOLDER / "34-diff-mix"
    done = run("diff", folder / "a.json", folder / "b2.json", "--format", "json")
    change, = Results(done.stdout).rows("comparison")
    assert (change["calls_ns"], change["time_per_call_ns"], change["names_ns"]) == (0, -300, 100), change


def main():
    if not FOLDER.is_dir():
        print(f"skipped: {FOLDER} is missing")
        return 77
    check_times()
    check_launches()
    check_other_profilers()
    check_unknown()
    check_periods()
    check_changes()
    print(f"{len(TIMES) + len(UNKNOWN) + 7} reports are answered")
    return 0


if __name__ == "__main__":
    sys.exit(main())
