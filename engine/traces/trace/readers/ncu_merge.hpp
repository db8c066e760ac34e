// Kernels of all pages of ncu that are read as one run, and which of them are the same kernel.
//
// Within a page a kernel is its ID and process. Kernels of two pages are one kernel if ID,
// name, grid, block, device and compute capability are the same (grid and block have to be known),
// and what both pages have of it agrees: the durations, within what ncu rounded, of kernels of one
// process, and each metric of the same section, body item and name. Kernels of two processes that
// both have a duration are two. So the sections of a kernel can be in pages of their own; kernels
// that were profiled twice stay two. A kernel joins the first that it fits, in order of pages.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/distinct_texts.hpp"
#include "trace/ncu_profile.hpp"
#include "trace/readers/ncu_rows.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

class NcuMerge {
 public:
  explicit NcuMerge(TraceBuilder& out) : out_(&out), profile_(std::make_unique<NcuProfile>()) {}

  void begin_file(const std::string& shown) { profile_->files.push_back(shown); }
  void begin_page() { ++pages_; }
  /// A metric that a header has.
  void remember_metric(std::string_view name);
  void add(const NcuRows& rows, const TextPlace& place);

  /// Lays the kernels with a duration out one after the other, and moves the profile to the trace.
  /// `shown` is in errors. Throws Error if no kernel has a duration and one is needed.
  void finish(const std::string& shown, bool needs_durations);

 private:
  struct Key {
    size_t page;
    int64_t id;
    int64_t process;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  /// A kernel as the pages so far have it.
  struct Found {
    NcuProfile::Kernel kernel;
    TrackId track;
    int rank = 0;  // of the metric that has the duration; 0: none has
    int rounded_to = 0;
    int64_t wrong_duration = 0;  // in place of one: no_duration
    uint64_t offset = 0;
    std::vector<size_t> pages;
  };

  std::string_view keep(std::string_view text);
  Found& kernel(const NcuKernel& found);
  uint32_t metric(std::string_view key, const TextPlace& place, size_t at);
  uint32_t rule(const NcuProfile::Rule& found);
  void set_duration(Found& to, const NcuDuration& from, bool one_row_each);
  void join();
  bool agree(const Found& a, const Found& b);
  static bool same_texts(const Found& a, const Found& b);
  template <class List>
  void append_unknown(List& to, const List& from);
  void merge(Found& into, Found&& part);
  void lay_out(const std::string& shown, bool needs_durations);
  void report_repeated();

  TraceBuilder* out_;
  std::unique_ptr<NcuProfile> profile_;
  size_t pages_ = 0;
  std::map<Key, Found> found_;
  std::vector<Found> kernels_;  // joined, in order
  DistinctTexts metric_keys_;
  std::vector<uint32_t> place_of_;  // by metric: where a kernel has it first; see KnownMetrics
  DistinctTexts rule_keys_;
  std::vector<std::string> some_metrics_;
  uint64_t repeated_durations_ = 0;
  uint64_t repeated_rows_ = 0;  // of pages of `raw`
  uint64_t contradictions_ = 0;
  std::string contradiction_;  // the first
};

}  // namespace kr::trace
