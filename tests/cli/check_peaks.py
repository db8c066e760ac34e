#!/usr/bin/env python3
"""Runs tools/peaks with a PyTorch that only counts time, so it needs no GPU: the file that it writes has the
rates that the counted times give, and kr reads it. Then what it says without PyTorch, and without a GPU.

    KR=build/tools/kr/kr tests/cli/check_peaks.py
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "peaks"

# TFLOP/s of products of 8,192 rows; other sizes are slower. Copies have 2.8 TB/s.
RATES = {"bfloat16": 700, "float16": 690, "float32": 50, "tf32": 400, "float64": 60}

TORCH = """
import types

RATES = %r
clock = 0.0


class Tensor:
    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype

    def copy_(self, other):
        global clock
        clock += 2 * self.shape[0] / 2.8e12


class Event:
    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
        self.at = clock

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        return (end.at - self.at) * 1000


def randn(*shape, device, dtype=None):
    return Tensor(shape, dtype or "float32")


def ones(size, device, dtype):
    return Tensor((size,), dtype)


def empty_like(tensor):
    return Tensor(tensor.shape, tensor.dtype)


def mm(a, b, out):
    global clock
    kind = "tf32" if a.dtype == "float32" and backends.cuda.matmul.allow_tf32 else a.dtype
    rate = RATES[kind] * (1 if a.shape[0] == 8192 else 0.8) * 1e12
    clock += 2 * a.shape[0] ** 3 / rate


def randint(*args, **more):
    raise RuntimeError("no int8 on this GPU\\nand more")


bfloat16, float16, float32, float64, uint8, int8 = "bfloat16", "float16", "float32", "float64", "uint8", "int8"
__version__ = "2.9.0"
version = types.SimpleNamespace(hip=None, cuda="12.8")
backends = types.SimpleNamespace(cuda=types.SimpleNamespace(matmul=types.SimpleNamespace(allow_tf32=False)))
device = lambda kind, number: number
cuda = types.SimpleNamespace(
    Event=Event, is_available=lambda: True, device_count=lambda: 2, synchronize=lambda: None,
    empty_cache=lambda: None, set_device=lambda device: None, mem_get_info=lambda device: (8 << 30, 80 << 30),
    get_device_capability=lambda device: (9, 0), get_device_name=lambda device: "NVIDIA H100 80GB HBM3",
    get_device_properties=lambda device: types.SimpleNamespace())
""" % RATES
NO_GPU = "import types\ncuda = types.SimpleNamespace(is_available=lambda: False)\n"
TRACE = """Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name
1,5,1,,,,,,,,,,,,,,NVIDIA H100 80GB HBM3 (0),1,,7,sgemm
"""


def main():
    kr = Path(os.environ.get("KR", "build/tools/kr/kr")).resolve()
    with tempfile.TemporaryDirectory() as folder:
        torch = Path(folder, "torch.py")

        def run(text, *options):
            torch.write_text(text, encoding="utf-8")
            return subprocess.run([sys.executable, "-B", TOOL, *options], capture_output=True, text=True, cwd=folder,
                                  env={**os.environ, "PYTHONPATH": folder})

        done = run(TORCH, "-o", "peaks.tsv")
        assert done.returncode == 0 and done.stdout == "", done
        assert "fp8 is left out" in done.stderr and "int8, 2048 x 2048: no int8 on this GPU\n" in done.stderr, done.stderr
        text = Path(folder, "peaks.tsv").read_text(encoding="utf-8")
        lines = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
        assert lines[0] == ["gpu", "peak", "per_second", "source"], lines
        assert all(gpu == "NVIDIA H100 80GB HBM3" for gpu, *_ in lines[1:]), lines
        assert all(source.startswith("tools/peaks, PyTorch 2.9.0, CUDA 12.8, 20") for *_, source in lines[1:]), lines
        found = {peak: float(rate) for _, peak, rate, _ in lines[1:]}
        expected = {"bf16": 700e12, "fp16": 690e12, "tf32": 400e12, "fp32": 50e12, "fp64": 60e12, "dram": 2.8e12}
        assert found.keys() == expected.keys(), found
        assert all(abs(found[peak] / expected[peak] - 1) < 1e-3 for peak in expected), found
        assert "# bf16: product of 8192 x 8192\n" in text, text

        Path(folder, "trace.csv").write_text(TRACE, encoding="utf-8")
        read = subprocess.run([kr, "analyze", "trace.csv,generic", "--peaks", "peaks.tsv", "--tables", "kernels",
                               "--format", "csv", "-q"], capture_output=True, text=True, cwd=folder)
        assert read.returncode == 0, read

        some = run(TORCH, "--only", "fp64,dram", "--sizes", "4096")
        assert some.returncode == 0 and some.stdout.count("NVIDIA") == 2, some
        for text, options, why in [
                ("raise ImportError('no module')\n", [], "PyTorch is not installed"),
                (NO_GPU, [], "PyTorch finds no GPU"),
                (TORCH, ["--device", "2"], "--device 2: PyTorch finds GPUs 0 to 1"),
                (TORCH, ["--only", "int8"], "nothing could be measured"),
                (TORCH, ["--only", "bf61"], "unknown peak `bf61`"),
                (TORCH, ["--only", "dram", "-o", "no/file"], "no/file: No such file or directory")]:
            failed = run(text, *options)
            assert failed.returncode == 2 and why in failed.stderr, (why, failed)
    print("tools/peaks writes what it measured, and kr reads it")


if __name__ == "__main__":
    main()
