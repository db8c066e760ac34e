// The sums of one run: by name, by label, by device. They own their texts and do not refer to the
// Trace. All sums are int64_t ns; `summarize` checks that they agree.
//
// Elapsed (see docs/formats.md): operations of all devices in order of start, then the longer
// first, then by name. Each counts with the part that no earlier one covers. The sum is the union
// of all intervals. Busy: the same for each device by itself; the sum is that of the devices' busy
// times. With one device both are equal.
//
// Per device: span = compute + exposed communication + exposed memory + idle, where compute is the
// union of compute kernels, exposed communication the union of communication minus compute, and
// exposed memory the union of copies and sets minus both. The dimension `kind` classifies
// operations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "align/replays.hpp"
#include "analyze/finding.hpp"
#include "analyze/sweep.hpp"
#include "classify/classify.hpp"
#include "facts/fact.hpp"
#include "match/compiled_rules.hpp"
#include "trace/trace.hpp"

namespace kr::analyze {

struct LabelSum {
  std::string label;
  int64_t elapsed_ns = 0;
  int64_t total_ns = 0;
  int64_t instances = 0;
  int64_t busy_ns = 0;
};

struct DimensionSum {
  std::string dimension;
  std::vector<LabelSum> labels;  // by descending busy time, descending total, label
  int64_t explained_ns = 0;      // durations of names that a rule other than `otherwise` labels
  int64_t common_words_ns = 0;   // the part of it by rules of common words of names alone
  int64_t unexplained_names = 0;
  bool ordered = false;  // of order rules: a name alone has no label in it
};

struct DeviceSum : Breakdown {
  int32_t device = 0;
  int64_t first_start_ns = 0;  // of its operations
  std::string name;
};

/// The time of kernels of a label on a device that no earlier kernel covers: by start, then the
/// longer, then by name. The sums over the labels of a dimension are those of the device.
struct KernelTime {
  size_t dimension = 0;  // of the run
  std::string label;
  int32_t device = 0;
  int64_t kernels_ns = 0;  // compute and communication: compute_ns + exposed_communication_ns
  int64_t compute_ns = 0;  // of compute kernels, as if there were no others
};

/// One distinct combination of name, kind of operation, and labels.
struct NameSum {
  std::string name;
  OperationKind kind = OperationKind::kernel;
  int64_t instances = 0;
  int64_t elapsed_ns = 0;
  int64_t busy_ns = 0;
  int64_t total_ns = 0;
  int64_t min_ns = 0;
  int64_t max_ns = 0;
  double mean_ns = 0;
  double stddev_ns = 0;  // of the sample (n - 1); 0 for one
  struct LabelResult {
    std::string label;
    std::string rule;  // `file:line`; empty: unclassified
    bool explained = false;
    bool common_words = false;  // by a rule of common words alone
  };
  std::vector<LabelResult> labels;  // by the dimensions of the run that names have

  /// Null if the run does not have the dimension, or a name alone has no label in it.
  const LabelResult* label(std::optional<size_t> dimension) const {
    return dimension && *dimension < labels.size() ? &labels[*dimension] : nullptr;
  }
};

/// The operations of a name that order rules give one label.
struct OrderedName {
  size_t dimension = 0;  // in `dimensions` of the run
  size_t name = 0;       // in `names`
  std::string label;
  std::string rule;  // as of names
  bool explained = false;
  int64_t instances = 0;
  int64_t elapsed_ns = 0;
  int64_t busy_ns = 0;
  int64_t total_ns = 0;
};

/// Identifies a run: shows whether two files contain the same.
struct RunIdentity {
  static facts::Computed<RunIdentity> compute(const facts::Input& run);
  void saved(facts::Fields& io, const RunSummary& run);

  std::string operations;  // 32 hexadecimal digits: of their names, times, devices, streams
  std::string rules;       // the same, of the texts of all rules loaded

  friend bool operator==(const RunIdentity&, const RunIdentity&) = default;
};

enum class WallFrom : uint8_t { user, span };

struct RunSummary {
  /// Without what is of the trace alone: `source`, `graphs`, and the place in a job.
  void saved(facts::Fields& io);

  std::string id;
  std::string source;
  std::string format;
  std::string engine;
  std::string model;
  std::string choice_why;
  int64_t gpu_elapsed_ns = 0;
  int64_t gpu_busy_ns = 0;  // of all devices
  int64_t gpu_total_ns = 0;
  int64_t span_ns = 0;  // from the first start to the last end of all operations
  int64_t wall_ns = 0;  // from the user, or the span
  WallFrom wall_from = WallFrom::span;
  int64_t non_gpu_ns = 0;  // no GPU busy: max(0, wall_ns - gpu_elapsed_ns)
  int64_t operations = 0;
  /// Those of the model: kind is the last of those that names have, then those of order rules.
  std::vector<DimensionSum> dimensions;
  std::vector<DeviceSum> devices;          // by device
  std::vector<NameSum> names;              // by descending busy time, descending total, name
  std::vector<OrderedName> ordered_names;  // by dimension; the largest time of a label first
  std::vector<KernelTime> kernel_times;    // by dimension, label, device
  trace::Distributed distributed;
  trace::Clock clock;
  std::vector<trace::DroppedRecords> dropped;
  std::string inexact;
  std::vector<Warning> warnings;
  std::vector<Finding> findings;              // the worst first; see analyze/health.hpp
  std::vector<align::GraphAlignment> graphs;  // compared with references; a saved run has none

  size_t name_dimensions() const noexcept;
  /// Index into `dimensions` and `NameSum::labels`; nullopt if absent.
  std::optional<size_t> dimension(std::string_view name) const;
};

/// Throws Error if a sum overflows.
RunSummary summarize(const match::CompiledRules& rules, const trace::Trace& trace,
                     const classify::Labelled& labelled, std::optional<int64_t> user_elapsed_ns);

}  // namespace kr::analyze
