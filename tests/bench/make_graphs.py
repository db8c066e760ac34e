#!/usr/bin/env python3
"""Writes the traces of a decode loop inside graphs, as PyTorch's profiler writes them on ROCm: capture.json, whose
captured calls name their kernels, and replay.json, whose kernels have one graph launch each step. Every bucket has its
own kernels, and a step replays one bucket.

    tests/bench/make_graphs.py FOLDER [--layers 40] [--buckets 24] [--launches 2000] [--missing K]

`--missing K` leaves every K-th kernel of a bucket out of the capture.
"""
import argparse
import json
import pathlib

# Of a layer: module, op, kernel. `{}` is the bucket's tile.
LAYER = [
    ("RMSNorm_{n}", "norm", "rmsnorm"),
    ("Attention_{n}", "aten::mm", "gemm_MT{tile}_qkv"),
    ("Attention_{n}", "rope", "rope"),
    ("Attention_{n}", "store", "store_cache"),
    ("Attention_{n}", "attention", "paged_attention_{tile}"),
    ("Attention_{n}", "attention", "reduce_{tile}"),
    ("Attention_{n}", "aten::mm", "gemm_MT{tile}_out"),
    ("RMSNorm_{m}", "norm", "rmsnorm"),
    ("MLP_{n}", "aten::mm", "gemm_MT{tile}_up"),
    ("MLP_{n}", "silu", "silu_and_mul"),
    ("MLP_{n}", "aten::mm", "gemm_MT{tile}_down"),
]


def kernels(layers, tile):
    """Modules, op and name of each kernel."""
    yield ["Model_0", "Embedding_0"], "aten::embedding", "gather"
    for n in range(layers):
        for module, op, name in LAYER:
            yield (["Model_0", f"Layer_{n}", module.format(n=n, m=n + layers)], op, name.format(tile=tile))
    yield ["Model_0", "RMSNorm_9999"], "norm", "rmsnorm"
    yield ["LogitsProcessor_0"], "aten::mm", f"gemm_MT{tile}_head"


class Writer:
    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8")
        self.file.write('{"schemaVersion": 1, "traceEvents": [\n')
        self.first = True

    def event(self, category, name, process, thread, start, duration, **args):
        event = {"ph": "X", "cat": category, "name": name, "pid": process, "tid": thread, "ts": start,
                 "dur": duration, "args": args}
        self.file.write(("" if self.first else ",\n") + json.dumps(event))
        self.first = False

    def close(self):
        self.file.write("\n]}\n")
        self.file.close()


def write_capture(path, layers, buckets, missing):
    out, time, correlation = Writer(path), 1000, 1
    for bucket in range(buckets):
        begin, open_modules = time, []
        out.event("cuda_runtime", "hipStreamBeginCapture", 9, 9, time, 1, correlation=correlation)
        for i, (modules, op, name) in enumerate(kernels(layers, bucket)):
            while open_modules and [one[0] for one in open_modules] != modules[:len(open_modules)]:
                module, start = open_modules.pop()
                out.event("python_function", f"nn.Module: {module}", 9, 9, start, time + 1 - start)
                time += 2
            while len(open_modules) < len(modules):
                time += 2
                open_modules.append((modules[len(open_modules)], time))
            time, correlation = time + 2, correlation + 1
            if not missing or (i + 1) % missing:
                out.event("cpu_op", op, 9, 9, time, 6)
                out.event("cuda_runtime", "hipLaunchKernel", 9, 9, time + 1, 4, correlation=correlation, kernel=name)
            time += 7
        while open_modules:
            module, start = open_modules.pop()
            out.event("python_function", f"nn.Module: {module}", 9, 9, start, time + 1 - start)
            time += 2
        correlation += 1
        out.event("cuda_runtime", "hipStreamEndCapture", 9, 9, time + 2, 1, correlation=correlation)
        out.event("user_annotation", f"capture_{bucket}_DECODE", 9, 9, begin - 1, time + 4 - begin + 1)
        time += 10
    out.close()


def write_replay(path, layers, buckets, launches):
    out, time = Writer(path), 1000
    for step in range(launches):
        begin = time
        out.event("cuda_runtime", "hipGraphLaunch", 9, 9, time + 1, 5, correlation=step)
        time += 10
        for i, (_, _, name) in enumerate(kernels(layers, step % buckets)):
            out.event("kernel", name, 0, 3, time, 1 + i % 3, device=0, stream=3, correlation=step)
            time += 4
        out.event("user_annotation", f"step[DECODE bs={step % buckets + 1}]", 9, 9, begin, 8)
    out.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--layers", type=int, default=40)
    parser.add_argument("--buckets", type=int, default=24)
    parser.add_argument("--launches", type=int, default=2000)
    parser.add_argument("--missing", type=int, default=0)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    write_capture(options.folder / "capture.json", options.layers, options.buckets, options.missing)
    write_replay(options.folder / "replay.json", options.layers, options.buckets, options.launches)


if __name__ == "__main__":
    main()
