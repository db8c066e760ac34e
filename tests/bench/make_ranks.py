#!/usr/bin/env python3
"""Writes PyTorch traces of the ranks of one made-up job, one file per rank, for measuring what many ranks cost:

    tests/bench/make_ranks.py RANKS OPERATIONS FOLDER [--steps N] [--slow RANK]

Each rank has OPERATIONS operations in N steps (default: 10): half of them kernels with their launches, of which a tenth are
allreduces of all ranks, half of them sets. The clocks are one; rank SLOW (default: RANKS / 3) computes a third slower, one rank in
seven a twentieth. The same arguments give the same bytes.
"""
import argparse
import json
import pathlib
import random

BASE = 1_711_970_000_000_000_000
COMPUTE = [
    ("ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn", 60),
    ("void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, at::detail::Array<char*, 3>>", 9),
    ("flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::bfloat16_t>>", 45),
    ("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>", 12),
]
REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)"


def complete(name, category, pid, tid, start, duration, args):
    return {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start, "dur": duration, "args": args}


def times_of(rank, ranks, slow):
    """How much longer a kernel takes on a rank."""
    return 1.35 if rank == slow else 1.05 if rank % 7 == 3 else 1.0


def plan_of(operations, steps):
    """(compute kernel, duration, a collective follows): the same on all ranks."""
    random_plan = random.Random(1)
    kernels = operations // 2
    plan = []
    for at in range(kernels):
        name, mean = random_plan.choice(COMPUTE)
        plan.append((name, mean * random_plan.uniform(0.8, 1.2), at % 10 == 9))
    per_step = -(-kernels // steps)
    return [plan[begin : begin + per_step] for begin in range(0, kernels, per_step)]


def arrivals_of(plan, ranks, slow):
    """When each collective begins to transfer: when the last rank has arrived. By collective, in us."""
    factor = max(times_of(rank, ranks, slow) for rank in range(ranks))
    now, all_arrived = 0.0, []
    for step in plan:
        now += 50
        for _, mean, reduces in step:
            if reduces:
                now += 1
                all_arrived.append(now)
                now += 40
            else:
                now += mean * factor + 5
    return all_arrived


def events_of(rank, ranks, slow, plan, arrived):
    noise = random.Random(rank)
    factor = times_of(rank, ranks, slow)
    now, correlation, collective = 0.0, 1, 0
    for number, step in enumerate(plan):
        begin = now
        now += 50
        for name, mean, reduces in step:
            launch = now - 20
            if reduces:
                start = now + 1
                args = {"Collective name": "allreduce", "In msg nelems": 1 << 20, "Out msg nelems": 1 << 20, "Group size": ranks,
                        "dtype": "BFloat16", "Process Group Name": "0", "Process Group Description": "default_pg", "Seq": collective}
                end = max(arrived[collective], start) + 40
                name, collective = REDUCE, collective + 1
            else:
                start, args = now, {}
                end = start + mean * factor * noise.uniform(0.99, 1.0)
            yield complete("cudaLaunchKernel", "cuda_runtime", 1000 + rank, 1, round(launch, 3), 5, {"correlation": correlation})
            args = {"device": rank % 8, "stream": 7, "correlation": correlation, **args}
            yield complete(name, "kernel", rank % 8, 7, round(start, 3), round(end - start, 3), args)
            correlation += 1
            now = end + 2
            args = {"device": rank % 8, "stream": 7, "correlation": correlation, "bytes": 64}
            yield complete("cudaMemsetAsync", "cuda_runtime", 1000 + rank, 1, round(launch + 6, 3), 5, {"correlation": correlation})
            yield complete("Memset (Device)", "gpu_memset", rank % 8, 7, round(now, 3), 1, args)
            correlation += 1
            now += 3 if not reduces else 2
        yield complete(f"ProfilerStep#{number}", "user_annotation", 1000 + rank, 1, round(begin, 3), round(now - begin - 25, 3), {})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ranks", type=int)
    parser.add_argument("operations", type=int)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--slow", type=int)
    given = parser.parse_args()
    slow = given.ranks // 3 if given.slow is None else given.slow
    given.folder.mkdir(parents=True, exist_ok=True)
    plan = plan_of(given.operations, given.steps)
    arrived = arrivals_of(plan, given.ranks, slow)
    width = len(str(given.ranks - 1))
    write = json.JSONEncoder(separators=(",", ":")).encode
    for rank in range(given.ranks):
        head = write({
            "schemaVersion": 1,
            "deviceProperties": [{"id": rank % 8, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 84929216512}],
            "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": given.ranks},
            "baseTimeNanoseconds": BASE,
            "traceEvents": [],
        })
        with open(given.folder / f"rank{rank:0{width}}.json", "w", encoding="utf-8") as out:
            out.write(head.removesuffix("]}"))
            for number, event in enumerate(events_of(rank, given.ranks, slow, plan, arrived)):
                out.write(("," if number else "") + write(event))
            out.write("]}")


if __name__ == "__main__":
    main()
