#!/usr/bin/env python3
"""Writes the example traces, of invented runs of vLLM on H100 GPUs.

- llama_bf16.csv.gz, llama_fp8.csv.gz: `nsys stats -r cuda_gpu_trace` CSVs. Llama 3.1 8B (32 layers) on two GPUs: one
  prefill of 4 x 1024 tokens, then decode steps of batch 32, in bf16 and in fp8.
- decode_before.json.gz, decode_after.json.gz: traces of PyTorch's profiler. Four layers of the size of Llama 3.2 1B on one
  GPU, without CUDA graphs: one prefill, a decode step that warms up, then decode steps of batch 64. The host is slower than
  the GPU. Before, the residual is added by a kernel of its own; after, the norm adds it: two launches fewer per layer.
- tp4/rank0.json.gz ... rank3.json.gz: the same profiler on four ranks of one job. Four layers of the size of Llama 3.1 8B
  with tensor parallelism, batch 256. The GPU of rank 2 takes 1.6 times as long for each kernel, so the others wait for it.

Kernel names are those of such runs; durations are plausible and come from fixed seeds, so that the files are the same on
every machine.

    examples/make_examples.py [FOLDER]
"""
import gzip
import io
import json
import pathlib
import random
import sys

HEADER = ("Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),"
          "DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name")
DEVICE = "NVIDIA H100 80GB HBM3"
LAYERS = 32
GPUS = 2

NVJET = "nvjet_tst_{}x{}_64x4_{}x1_v_bz_{}_TNT"
FP8_GEMM = ("void cutlass::device_kernel<enable_sm90_or_later<cutlass::gemm::kernel::GemmUniversal<"
            "cute::tuple<int, int, int, int>, cutlass::gemm::collective::CollectiveMma<cutlass::gemm::"
            "MainloopSm90TmaGmmaWarpSpecializedFP8<(int)4, cute::tuple<cute::C<(int){}>, cute::C<(int)1>"
            ">>, cutlass::float_e4m3_t>, vllm::c3x::ScaledEpilogue>>>(T1::Params)")
FLASH = ("void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<(int)128, (int)64, (int)128, "
         "(int)4, (bool)0, (bool)0, cutlass::bfloat16_t>, (bool)1, (bool)0, (bool)0, (bool)0, (bool)1, "
         "(bool)0, (bool){}>(flash::Flash_fwd_params)")
COMBINE = ("void flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<(int)128, (int)64, "
           "(int)128, (int)4>, (int)8, (int)3, (bool)1>(flash::Flash_fwd_params)")
NORM = ("void vllm::fused_add_rms_norm_kernel<c10::BFloat16, (int)8>(T1 *, long, T1 *, const T1 *, "
        "float, int, int)")
FIRST_NORM = "void vllm::rms_norm_kernel<c10::BFloat16>(T1 *, const T1 *, long, const T1 *, float, int, int)"
ROPE = ("void vllm::rotary_embedding_kernel<c10::BFloat16, (bool)1>(const long *, T1 *, T1 *, const T1 *,"
        " int, long, long, int, int, int)")
CACHE = ("void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16, (vllm::"
         "Fp8KVCacheDataType)0>(const T1 *, const T1 *, T2 *, T2 *, const long *, long, long, int, int, int,"
         " int, const float *, const float *)")
SILU = ("void vllm::act_and_mul_kernel<c10::BFloat16, &vllm::silu_kernel<c10::BFloat16>, (bool)1>(T1 *, "
        "const T1 *, int)")
QUANT = ("void vllm::dynamic_per_token_scaled_fp8_quant_kernel_strided<c10::BFloat16, c10::Float8_e4m3fn>("
         "T2 *, float *, const T1 *, const float *, int, long, long)")
ALL_REDUCE = "void vllm::cross_device_reduce_1stage<__nv_bfloat16, (int)2>(vllm::RankData *, vllm::RankSignals, vllm::Signal *, T1 *, int, int)"
NCCL = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)"
NCCL_REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)"
EMBED = ("void at::native::vectorized_gather_kernel<(int)16, long>(char *, char *, T2 *, int, long, long,"
         " long, long, bool)")
TOPK = ("void at::native::sbtopk::gatherTopK<float, unsigned int, (int)2, (bool)0>(at::cuda::detail::"
        "TensorInfo<const T1, T2>, T2, T2, bool, T2, T2, at::cuda::detail::TensorInfo<T1, T2>, T2, "
        "at::cuda::detail::TensorInfo<long, T2>, T2, T1 *)")
SOFTMAX = ("void at::native::<unnamed>::cunn_SoftMaxForward<(int)4, float, float, float, at::native::"
           "<unnamed>::SoftMaxForwardEpilogue>(T4 *, const T2 *, int)")
SAMPLE = ("void at::native::reduce_kernel<(int)512, (int)1, at::native::ReduceOp<float, at::native::"
          "ArgMaxOps<float>, unsigned int, long, (int)4, (int)4>>(T3)")
COPY = ("void at::native::elementwise_kernel<(int)128, (int)4, void at::native::gpu_kernel_impl_nocast<"
        "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase &)::[lambda() (instance 3)]>(at::"
        "TensorIteratorBase &, const T1 &)::[lambda(int) (instance 1)]>(int, T3)")


def write_gzip(path, text):
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        packed.write(text.encode())


class Trace:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.rows = []
        self.clock = [1_204_336_118 + 2_310 * gpu for gpu in range(GPUS)]
        self.correlation = 41_000

    def run(self, name, mean_ns, overlap=0, stream=7, megabytes=None):
        """One operation on every GPU; the next operation overlaps its last part, the fraction `overlap`."""
        self.correlation += 1
        for gpu in range(GPUS):
            duration = max(900, int(self.random.gauss(mean_ns, mean_ns * 0.03)))
            start = self.clock[gpu] + self.random.randint(300, 1400)
            self.rows.append((start, duration, self.correlation, gpu, stream, name, megabytes))
            self.clock[gpu] = start + int(duration * (1 - overlap))

    def wait(self, ns):
        """The GPUs are idle for `ns`, then start together."""
        at = max(self.clock) + ns
        self.clock = [at + self.random.randint(0, 2000) for _ in range(GPUS)]

    def write(self, path):
        out = io.StringIO()
        out.write(HEADER + "\n")
        for start, duration, correlation, gpu, stream, name, megabytes in sorted(self.rows):
            quoted = '"' + name.replace('"', '""') + '"' if "," in name or '"' in name else name
            shape = "132,1,1,384,1,1,168,0.000,0.213,,,," if megabytes is None else \
                f",,,,,,,,,{megabytes:.3f},{megabytes * 1e9 / duration:.3f},Pinned,Device"
            out.write(f"{start},{duration},{correlation},{shape},{DEVICE} ({gpu}),1,,{stream},{quoted}\n")
        write_gzip(path, out.getvalue())


def layer(trace, tokens, decode, fp8, first):
    gemm = 0.58 if fp8 else 1.0
    scale = tokens / 32

    def matmul(tile, base_ns):
        if fp8:
            trace.run(QUANT, 2_100 + 260 * scale ** 0.9)
            trace.run(FP8_GEMM.format(tile), (base_ns + base_ns * 0.055 * scale) * gemm)
        else:
            trace.run(NVJET.format(tile, 64 if decode else 256, 2, "coopA" if decode else "splitK"),
                      base_ns + base_ns * 0.055 * scale)

    trace.run(FIRST_NORM if first else NORM, 2_300 + 95 * scale)
    matmul(128, 9_800)
    trace.run(ROPE, 1_900 + 90 * scale)
    trace.run(CACHE, 1_700 + 60 * scale)
    trace.run(FLASH.format(int(decode)), 14_500 if decode else 182_000)
    if decode:
        trace.run(COMBINE, 3_100)
    matmul(64, 6_900)
    trace.run(ALL_REDUCE if decode else NCCL_REDUCE, 7_800 + 260 * scale)
    trace.run(NORM, 2_300 + 95 * scale)
    matmul(256, 21_900)
    trace.run(SILU, 2_600 + 130 * scale)
    matmul(192, 12_700)
    trace.run(ALL_REDUCE if decode else NCCL_REDUCE, 7_800 + 260 * scale, overlap=0.25, stream=19)


def step(trace, tokens, decode, fp8):
    trace.run("[CUDA memcpy Host-to-Device]", 1_300, stream=7, megabytes=0.016)
    trace.run("[CUDA memset]", 1_000, megabytes=0.004)
    trace.run(EMBED, 2_900 + 40 * tokens / 32)
    for index in range(LAYERS):
        layer(trace, tokens, decode, fp8, index == 0)
    trace.run(NORM, 2_300)
    trace.run(NVJET.format(128, 64, 1, "coopB"), 96_000)
    trace.run(NCCL, 17_500, overlap=0.3, stream=19)
    trace.run(COPY, 2_400)
    trace.run(TOPK, 31_000)
    trace.run(SOFTMAX, 9_400)
    trace.run(SAMPLE, 6_800)
    trace.run("[CUDA memcpy Device-to-Host]", 1_500, megabytes=0.001)


def make(seed, fp8):
    trace = Trace(seed)
    step(trace, 4096, decode=False, fp8=fp8)
    for _ in range(4):
        trace.wait(240_000)
        step(trace, 32, decode=True, fp8=fp8)
    return trace


# Traces of PyTorch's profiler. Names are as Kineto demangles them.
BF16 = "c10::BFloat16"
TYPES = "Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t>"
KERNELS = {
    "embed": "void at::native::(anonymous namespace)::vectorized_gather_kernel<16, long>(char*, char*, long*, int, long, long, long, long, bool)",
    "norm": "void vllm::rms_norm_kernel<c10::BFloat16>(c10::BFloat16*, c10::BFloat16 const*, long, c10::BFloat16 const*, float, int, int)",
    "fused_norm": "void vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*, long, c10::BFloat16*, c10::BFloat16 const*, float, int, int)",
    "add": "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul>)",
    "qkv": "nvjet_tst_128x64_64x8_2x1_v_bz_TNT",
    "out": "nvjet_tst_64x64_64x12_4x1_v_bz_TNT",
    "gate_up": "nvjet_tst_256x64_64x4_2x1_v_bz_coopA_TNT",
    "down": "nvjet_tst_192x64_64x5_2x1_v_bz_splitK_TNT",
    "logits": "nvjet_tst_256x64_64x4_1x2_h_bz_coopB_TNT",
    "rope": "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, int, long, long, int, int, int)",
    "cache": "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16, (vllm::Fp8KVCacheDataType)0>(__nv_bfloat16 const*, __nv_bfloat16 const*, __nv_bfloat16*, __nv_bfloat16*, long const*, long, long, int, int, int, int, float const*, float const*)",
    "attention": f"void flash::flash_fwd_splitkv_kernel<{TYPES}, false, false, false, false, true, true, false, false>(flash::Flash_fwd_params)",
    "prompt_attention": f"void flash::flash_fwd_kernel<{TYPES}, false, true, false, false, true, true, false, false>(flash::Flash_fwd_params)",
    "silu": "void vllm::act_and_mul_kernel<c10::BFloat16, &(c10::BFloat16 vllm::silu_kernel<c10::BFloat16>(c10::BFloat16 const&)), true>(c10::BFloat16*, c10::BFloat16 const*, int)",
    "reduce": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "sample": "void flashinfer::sampling::TopKTopPSamplingFromProbKernel<1024u, (cub::BlockScanAlgorithm)2, (cub::BlockReduceAlgorithm)2, 4u, true, float, int>(float*, int*, float*, int*, float*, int, float, int, unsigned long, unsigned long)",
}
COPY_IN = "Memcpy HtoD (Pinned -> Device)"
COPY_OUT = "Memcpy DtoH (Device -> Pinned)"
PEAK_FLOPS = 989.4e12  # H100 SXM, dense bf16
PEAK_BYTES = 3.35e12


class Rank:
    """One process with one GPU: a host thread that launches on one stream. Times are in ns."""

    LATENCY, GAP, CALL, RETURN = 4_100, 1_100, 2_600, 4_400

    def __init__(self, seed, number=0, size=1, host_ns=11_000, slow=1.0):
        self.random = random.Random(seed)
        self.number, self.size, self.host_ns, self.slow = number, size, host_ns, slow
        self.host = self.device = 1_848_210_000_000_000
        self.correlation = 2_000
        self.events = []
        self.sequence = 0

    def about(self, ns):
        """About `ns`, in whole 32 ns, as the clock of the GPU counts."""
        return max(28, int(self.random.gauss(ns, ns * 0.03)) // 32) * 32

    def event(self, category, name, start, end, thread, args, process=None):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": 4000 + self.number if process is None else process,
                            "tid": thread, "ts": start / 1000, "dur": (end - start) / 1000, "args": args})

    def host_event(self, category, name, start, end, args):
        self.event(category, name, start, end, 4000 + self.number, args)

    def gpu_event(self, category, name, start, end, args):
        self.event(category, name, start, end, 7, args, process=self.number)

    def work(self, ns):
        """The host computes without a call."""
        self.host += self.about(ns)

    def call(self, function, op=None, shapes=None):
        """A launching call, inside an op if it has one. Returns the begin of the call."""
        began = self.host
        self.work(self.host_ns)
        begin = self.host
        self.correlation += 1
        self.host += self.about(self.CALL)
        if op:
            dims = {"Input Dims": shapes, "Input type": [BF16 if one else "" for one in shapes]}
            self.host_event("cpu_op", op, began + 1_000, self.host + 500, dims)
            self.host += 700
        self.host_event("cuda_runtime", function, begin, self.host - (700 if op else 0), {"correlation": self.correlation})
        return begin

    def start_after(self, begin):
        return max(begin + self.about(self.LATENCY), self.device + self.about(self.GAP))

    def operation(self, category, name, start, end, args):
        self.gpu_event(category, name, start, end, {"device": self.number, "stream": 7, "correlation": self.correlation, **args})
        self.device = end

    def kernel(self, kind, ns, op=None, shapes=None):
        start = self.start_after(self.call("cudaLaunchKernel", op, shapes))
        self.operation("kernel", KERNELS[kind], start, start + int(self.about(ns) * self.slow),
                       {"grid": [132, 1, 1], "block": [256, 1, 1]})

    def gemm(self, kind, m, n, k):
        """A product of bf16 matrices at 80 % of the roof."""
        flops, size = 2 * m * n * k, 2 * (m * k + k * n + m * n)
        roof = max(flops / PEAK_FLOPS, size / PEAK_BYTES) * 1e9
        self.kernel(kind, roof / 0.8, "aten::mm", [[m, k], [k, n]])

    def copy(self, name, ns, size):
        start = self.start_after(self.call("cudaMemcpyAsync"))
        self.operation("gpu_memcpy", name, start, start + self.about(ns), {"bytes": size})

    def wait(self):
        """A call that returns when the stream has ended its work."""
        begin = self.host
        self.host = max(begin + 1_500, self.device + self.about(self.RETURN))
        self.correlation += 1
        self.host_event("cuda_runtime", "cudaStreamSynchronize", begin, self.host,
                        {"correlation": self.correlation})

    def text(self):
        head = {"schemaVersion": 1, "deviceProperties": [{"id": self.number, "name": DEVICE, "totalGlobalMem": 84_942_979_072,
                "computeMajor": 9, "computeMinor": 0, "numSms": 132}], "record_shapes": 1,
                "baseTimeNanoseconds": 1_759_301_174_000_000_000, "displayTimeUnit": "ms"}
        if self.size > 1:
            head["distributedInfo"] = {"backend": "nccl", "rank": self.number, "world_size": self.size, "pg_count": 1}
        name = {"ph": "M", "name": "process_name", "ts": 0, "pid": 4000 + self.number, "tid": 0, "args": {"name": "VLLM::EngineCore"}}
        events = [name] + sorted(self.events, key=lambda one: (one["ts"], -one["dur"]))
        return json.dumps({**head, "traceEvents": events}, separators=(",", ":"))


def all_reduce(ranks, size, transfer_ns):
    """Ends on every rank when all have begun and the data are there."""
    starts = [rank.start_after(rank.call("cudaLaunchKernelExC")) for rank in ranks]
    transfer = ranks[0].about(transfer_ns)
    for rank, start in zip(ranks, starts):
        end = max(starts) + transfer + rank.random.randint(0, 500)
        rank.operation("kernel", KERNELS["reduce"], start, end, {
            "grid": [24, 1, 1], "block": [512, 1, 1], "Collective name": "allreduce", "dtype": "BFloat16",
            "In msg nelems": size, "Out msg nelems": size, "Group size": len(ranks), "Process Group Name": "2",
            "Process Group Description": "tp", "Process Group Ranks": str(list(range(len(ranks)))), "Seq": rank.sequence})
        rank.sequence += 1


def serving_layer(ranks, tokens, decode, hidden, heads, inner, attention_ns, fused):
    """`heads`: the width of queries, keys and values; `inner` that of the MLP. Both are divided among the ranks."""
    heads, inner = heads // len(ranks), inner // len(ranks)
    out = heads * 2 // 3  # keys and values are a third
    wide = [tokens, hidden]
    small = 1_700 + 2 * tokens * hidden * 4 / PEAK_BYTES * 1e9

    def norm(rank):
        if fused:
            rank.kernel("fused_norm", small * 1.3, "_C::fused_add_rms_norm", [wide, wide, [hidden], []])
        else:
            rank.kernel("norm", small, "_C::rms_norm", [wide, wide, [hidden], []])

    def residual(rank):
        if not fused:
            rank.kernel("add", small, "aten::add", [wide, wide, []])

    for rank in ranks:
        norm(rank)
        rank.gemm("qkv", tokens, heads, hidden)
        rank.kernel("rope", small)
        rank.kernel("cache", small * 0.8)
        rank.kernel("attention" if decode else "prompt_attention", attention_ns)
        rank.gemm("out", tokens, hidden, out)
    if len(ranks) > 1:
        all_reduce(ranks, tokens * hidden, 20_000)
    for rank in ranks:
        residual(rank)
        norm(rank)
        rank.gemm("gate_up", tokens, 2 * inner, hidden)
        rank.kernel("silu", 1_500 + 6 * tokens * inner / 0.8 / PEAK_BYTES * 1e9, "_C::silu_and_mul", [[tokens, inner], [tokens, 2 * inner]])
        rank.gemm("down", tokens, hidden, inner)
    if len(ranks) > 1:
        all_reduce(ranks, tokens * hidden, 20_000)
    for rank in ranks:
        residual(rank)


def serving_step(ranks, requests, tokens, decode, schedule_ns, **model):
    """One step of the server, on all ranks: from the inputs to the tokens that the host gets back."""
    name = f"execute_context_0(0)_generation_{requests}({tokens})" if decode else \
        f"execute_context_{requests}({tokens})_generation_0(0)"
    for rank in ranks:
        rank.work(schedule_ns)
    begins = [rank.host for rank in ranks]
    firsts = [len(rank.events) for rank in ranks]
    for rank in ranks:
        rank.work(25_000)
        rank.copy(COPY_IN, 1_400, 8 * tokens)
        rank.kernel("embed", 2_600)
    for _ in range(4):
        serving_layer(ranks, tokens, decode, **model)
    for rank, begin, first in zip(ranks, begins, firsts):
        rank.kernel("fused_norm" if model["fused"] else "norm", 2_400)
        rank.gemm("logits", requests, 128_256 // len(ranks), model["hidden"])
        rank.kernel("sample", 14_000)
        rank.copy(COPY_OUT, 1_500, 4 * requests)
        rank.host_event("user_annotation", name, begin, rank.host, {})
        done = [one for one in rank.events[first:] if one["tid"] == 7]
        rank.gpu_event("gpu_user_annotation", name, int(done[0]["ts"] * 1000), rank.device, {})
        rank.wait()


def decode_server(seed, fused):
    rank = Rank(seed, host_ns=10_500)
    model = {"hidden": 2048, "heads": 3072, "inner": 8192, "fused": fused}
    serving_step([rank], 4, 1024, False, 60_000, attention_ns=21_000, **model)
    for number in range(21):
        rank.host_ns = 40_000 if number == 0 else 10_500  # the first step loads kernels
        serving_step([rank], 64, 64, True, 90_000, attention_ns=8_000, **model)
    return rank


def tensor_parallel_server(seed):
    ranks = [Rank(seed + number, number, 4, host_ns=2_500, slow=1.6 if number == 2 else 1.0) for number in range(4)]
    model = {"hidden": 4096, "heads": 6144, "inner": 14336, "fused": True}
    for _ in range(8):
        serving_step(ranks, 256, 256, True, 40_000, attention_ns=38_000, **model)
    return ranks


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    make(17, fp8=False).write(folder / "llama_bf16.csv.gz")
    make(23, fp8=True).write(folder / "llama_fp8.csv.gz")
    write_gzip(folder / "decode_before.json.gz", decode_server(31, fused=False).text())
    write_gzip(folder / "decode_after.json.gz", decode_server(37, fused=True).text())
    (folder / "tp4").mkdir(exist_ok=True)
    for rank in tensor_parallel_server(41):
        write_gzip(folder / "tp4" / f"rank{rank.number}.json.gz", rank.text())


if __name__ == "__main__":
    main()
