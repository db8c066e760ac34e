// Peaks that were measured on a GPU, as `tools/peaks` writes them: a TSV file of one GPU.
//
//   gpu<TAB>peak<TAB>per_second<TAB>source
//   NVIDIA H100 80GB HBM3<TAB>bf16<TAB>7.2e14<TAB>tools/peaks, PyTorch 2.9.0, 2026-03-01
//   NVIDIA H100 80GB HBM3<TAB>dram<TAB>2.9e12<TAB>tools/peaks, PyTorch 2.9.0, 2026-03-01
//
// Operations or bytes per second. Empty lines and lines that begin with `#` are ignored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/warning.hpp"
#include "ncu/gpus.hpp"

namespace kr::ncu {

struct MeasuredPeaks {
  /// `name`: of the data sheet. What the file does not have is 0. `source`: those of all lines.
  GpuPeaks peaks;
  /// Peaks above the data sheet.
  std::vector<Warning> warnings;
};

/// `path` is for errors. Throws Error, with the line.
MeasuredPeaks parse_measured_peaks(std::string_view text, const std::string& path);
/// The same of a file.
MeasuredPeaks read_measured_peaks(const std::string& path);

}  // namespace kr::ncu
