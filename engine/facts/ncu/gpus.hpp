// Peaks of GPUs by their data sheets: `stdlib/gpus.tsv`, compiled into the library. Roofs of a
// roofline where a profile does not contain them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kr::ncu {

/// Dense operations per second (a multiply-add is two), never with sparsity; bytes per second. 0:
/// not known. `fp64` and `fp32` are those of the vector units; `tf32` and what follows are those of
/// tensor (matrix) cores that accumulate in FP32, or in INT32.
struct GpuPeaks {
  std::string name;  // `H100 SXM`
  double fp64 = 0;
  double fp32 = 0;
  double tf32 = 0;
  double fp16_tensor = 0;
  double bf16_tensor = 0;
  double fp8_tensor = 0;
  double int8_tensor = 0;
  double dram_bytes_per_s = 0;
  double l2_bytes_per_s = 0;  // of reads
  int64_t sms = 0;            // of AMD: compute units
  std::string source;         // titles of the documents that have the figures
};

/// All of them, in the order of the file. They live as long as the program.
std::span<const GpuPeaks> gpus();

/// A GPU as traces and people spell it: `NVIDIA H100 80GB HBM3`, `H100-SXM5-80GB`, `l40s`,
/// `rtx 4090`. Case, separators and the vendor do not matter, but every other word has to be one
/// of that GPU: a laptop's chip or a part of a GPU (MIG) has other peaks. Null if there is no such
/// GPU. Throws Error, which names the candidates, if there are several.
const GpuPeaks* find_gpu(std::string_view name);
/// The same for an option of the command line: throws Error if there is no such GPU, too. `option`
/// is its name.
const GpuPeaks& named_gpu(std::string_view name, std::string_view option);

}  // namespace kr::ncu
