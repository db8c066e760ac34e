#!/usr/bin/env python3
"""Writes the example traces: `nsys stats -r cuda_gpu_trace` CSVs of an invented run.

A Llama 3.1 8B (32 layers) on vLLM over two GPUs: one prefill of 4 x 1024 tokens, then decode steps
of batch 32, in bf16 and in fp8. Kernel names are those of such a run; durations are plausible and
come from a fixed seed, so that the files are the same on every machine.

    examples/make_examples.py [FOLDER]
"""
import gzip
import io
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
        with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
            packed.write(out.getvalue().encode())


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


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    make(17, fp8=False).write(folder / "llama_bf16.csv.gz")
    make(23, fp8=True).write(folder / "llama_fp8.csv.gz")


if __name__ == "__main__":
    main()
