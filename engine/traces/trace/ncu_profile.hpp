// What Nsight Compute measured of kernels: every metric and rule of its pages, whatever the form of
// the page. Pages of several files, and several pages of one file, are one profile.
//
// Memory: 16 bytes per metric of a kernel; every text is stored once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/distinct_texts.hpp"

namespace kr::trace {

struct OpenOptions;
struct Trace;

/// `(224, 1, 1)`; all 0: not known.
using LaunchShape = std::array<uint32_t, 3>;

/// A unit as pages have it, as a power of ten of the base unit that all its spellings share:
/// `Kbyte` is 10^3 `byte`, `us` and `usecond` are 10^3 `ns`, `cycle/nsecond` is 10^9 `hz`,
/// `Gbyte/s` is 10^9 `byte/s`. A unit that is not known is its own base.
struct NcuUnit {
  std::string base;
  int exponent = 0;
};
NcuUnit ncu_unit(std::string_view unit);

struct NcuProfile {
  /// A metric as pages name it. One name can be in several sections and body items.
  struct Metric {
    std::string_view section;  // `GPU Speed Of Light Throughput`; empty on a page of `raw`
    std::string_view item;     // the body item label: `Single Precision Roofline`; may be empty
    std::string_view name;     // `Duration`, `gpu__time_duration.sum`
    std::string_view unit;     // the base unit
    std::string_view printed;  // the unit as the page has it
    uint32_t file = 0;         // where it was met first
    uint64_t line = 0;
  };
  struct Value {
    double number;    // in the base unit
    uint32_t metric;  // in `metrics`
    float rounding;   // half of the last digit that ncu printed; 0: exact
  };
  /// A metric whose value is not a number: `CachePreferNone`.
  struct Text {
    uint32_t metric;
    std::string_view text;
  };
  struct Rule {
    std::string_view section;  // `SpeedOfLight_RooflineChart`
    std::string_view name;     // `SOLFPRoofline`
    std::string_view type;     // `OPT`, `INF`, `WRN`
    std::string_view text;
    std::string_view speedup_type{};  // `local`, `global`; empty: no estimate
    double speedup = 0;               // in percent, as ncu estimates it

    friend bool operator==(const Rule&, const Rule&) = default;
  };
  struct Kernel {
    std::string_view name;
    std::string_view cc;  // the compute capability: `9.0`; may be empty
    LaunchShape grid{};
    LaunchShape block{};
    int64_t id = 0;
    int64_t process = 0;
    int64_t stream = 0;
    int32_t device = 0;
    uint32_t file = 0;  // of its first page
    /// Exact to the ns or as ncu rounded it; nothing: no page has it.
    std::optional<int64_t> duration_ns{};
    std::vector<Value> values{};  // as pages have them; `n/a` is left out
    std::vector<Text> texts{};
    std::vector<uint32_t> rules{};  // in `rules`
  };

  DistinctTexts texts;  // owns what the others refer to
  std::vector<std::string> files;
  std::vector<Metric> metrics;
  std::vector<Rule> rules;
  std::vector<Kernel> kernels;  // in order of pages, then ID
};

/// Reads pages of ncu, files and folders of them, as one profile: Trace::ncu. Kernels with a
/// duration are operations, too; there may be none. Throws Error, also if one is something else.
Trace open_ncu_pages(const std::vector<std::string>& paths, const OpenOptions& options);

}  // namespace kr::trace
