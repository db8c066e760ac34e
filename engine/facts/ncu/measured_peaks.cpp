#include "ncu/measured_peaks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "source/text_file.hpp"

namespace kr::ncu {
namespace {

/// Clocks can be higher than those of data sheets.
constexpr double sheet_tolerance = 1.05;
/// Data sheets have FP32 and FP64 of vector units; matrix units of some GPUs are twice as fast.
constexpr double matrix_factor = 2;
/// A peak that differs more from the data sheet has another unit.
constexpr double unit_factor = 100;

struct PeakOfFile {
  std::string_view name;
  double GpuPeaks::*value;
  double most;  // of the data sheet
};
constexpr std::array<PeakOfFile, 8> peaks_of_file{
    {{"fp64", &GpuPeaks::fp64, matrix_factor* sheet_tolerance},
     {"fp32", &GpuPeaks::fp32, matrix_factor* sheet_tolerance},
     {"tf32", &GpuPeaks::tf32, sheet_tolerance},
     {"fp16", &GpuPeaks::fp16_tensor, sheet_tolerance},
     {"bf16", &GpuPeaks::bf16_tensor, sheet_tolerance},
     {"fp8", &GpuPeaks::fp8_tensor, sheet_tolerance},
     {"int8", &GpuPeaks::int8_tensor, sheet_tolerance},
     {"dram", &GpuPeaks::dram_bytes_per_s, sheet_tolerance}}};

constexpr std::string_view peaks_header = "gpu\tpeak\tper_second\tsource";
constexpr const char* peaks_remedy = "tools/peaks writes such files; see docs/roofline.md";

class PeaksReader {
 public:
  explicit PeaksReader(const std::string& path) : path_(path) {}

  void add(std::string_view line) {
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (trimmed(line).empty() || line.front() == '#') return;
    if (!has_header_) {
      has_header_ = true;
      if (line == peaks_header) return;
      fail(
          "the columns of measured peaks are not gpu, peak, per_second and source, with tabs "
          "between them",
          peaks_remedy);
    }
    add_peak(line);
  }

  MeasuredPeaks finish() {
    if (sheet_ == nullptr) throw Error(path_, "the file has no measured peaks", peaks_remedy);
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(std::string why, std::string remedy) const {
    throw Error(path_, Error::Place{.line = line_, .offset = {}}, std::move(why),
                std::move(remedy));
  }

  void add_peak(std::string_view line) {
    std::array<std::string_view, 4> cells;
    size_t count = 0;
    for (size_t begin = 0; begin <= line.size(); ++count) {
      const size_t end = std::min(line.find('\t', begin), line.size());
      if (count < cells.size()) cells[count] = trimmed(line.substr(begin, end - begin));
      begin = end + 1;
    }
    if (count != cells.size()) {
      fail(fmt::format("the line has {} columns instead of {}", count, cells.size()),
           "separate gpu, peak, per_second and source by tabs");
    }
    use_gpu(cells[0]);
    const PeakOfFile& peak = peak_named(cells[1]);
    const auto [first, added] = lines_.try_emplace(peak.name, line_);
    if (!added) {
      fail(fmt::format("the peak `{}` is on line {}, too", peak.name, first->second),
           "keep one of them");
    }
    const double value = number(cells[2]);
    compare_with_sheet(peak, value);
    out_.peaks.*peak.value = value;
    add_source(cells[3]);
  }

  void use_gpu(std::string_view name) {
    const GpuPeaks* found = nullptr;
    try {
      found = &named_gpu(printable(name), "gpu");
    } catch (const Error& error) {
      fail(error.why(), error.remedy());
    }
    if (sheet_ != nullptr && sheet_ != found) {
      fail(fmt::format("the GPU is {}, and that of the lines before is {}", found->name,
                       sheet_->name),
           "write one file per GPU");
    }
    sheet_ = found;
    out_.peaks.name = found->name;
  }

  const PeakOfFile& peak_named(std::string_view name) const {
    std::vector<std::string> names;
    names.reserve(peaks_of_file.size());
    for (const PeakOfFile& one : peaks_of_file) {
      if (one.name == name) return one;
      names.emplace_back(one.name);
    }
    fail(fmt::format("unknown peak `{}`", printable(name)), near_or_all(name, names));
  }

  double number(std::string_view text) const {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || !std::isfinite(value)) {
      fail(fmt::format("`{}` is not a number", printable(text)),
           "write operations or bytes per second, such as 7.2e14");
    }
    if (value <= 0) {
      fail(fmt::format("the peak {} is not above 0", text), "leave out what was not measured");
    }
    return value;
  }

  void compare_with_sheet(const PeakOfFile& peak, double value) {
    const double of_sheet = sheet_->*peak.value;
    if (of_sheet <= 0) return;
    if (value > unit_factor * of_sheet || value * unit_factor < of_sheet) {
      fail(fmt::format("{} {:.4g} per second cannot be: the data sheet of {} has {:.4g}", peak.name,
                       value, sheet_->name, of_sheet),
           "write operations or bytes per second, without a prefix such as tera");
    }
    if (value <= peak.most * of_sheet) return;
    out_.warnings.push_back(
        {"peaks-above-sheet",
         fmt::format("Line {}: the measured peak of {} is {:.0f} % of the data sheet of {}: "
                     "compare the unit and the GPU, and measure with larger operands.",
                     line_, peak.name, 100 * value / of_sheet, sheet_->name)});
  }

  void add_source(std::string_view text) {
    if (text.empty()) {
      fail("the peak has no source", "write what measured it, and when");
    }
    std::string source = printable(text);
    if (std::find(sources_.begin(), sources_.end(), source) != sources_.end()) return;
    out_.peaks.source += (sources_.empty() ? "" : "; ") + source;
    sources_.push_back(std::move(source));
  }

  const std::string& path_;
  uint64_t line_ = 0;
  bool has_header_ = false;
  const GpuPeaks* sheet_ = nullptr;  // null: no line yet
  std::map<std::string_view, uint64_t> lines_;
  std::vector<std::string> sources_;
  MeasuredPeaks out_;
};

}  // namespace

MeasuredPeaks parse_measured_peaks(std::string_view text, const std::string& path) {
  PeaksReader reader(path);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    reader.add(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return reader.finish();
}

MeasuredPeaks read_measured_peaks(const std::string& path) {
  return parse_measured_peaks(source::read_text_file(path, source::Pipes::read), path);
}

}  // namespace kr::ncu
