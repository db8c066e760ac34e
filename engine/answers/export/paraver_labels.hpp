// The types of events of a Paraver trace, their values, and their labels: its `.pcf`.
//
// Numbers and labels of types are those of nsys2prv where they mean the same, so that its
// configurations of Paraver fit; kr's own begin with 96000000. Values are numbered from 1 in the
// order of their labels, so the same labels get the same numbers whatever the order of runs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/distinct_texts.hpp"
#include "base/gzip.hpp"

namespace kr::exports {

namespace paraver_type {
inline constexpr int64_t range = 9003;  // of the default domain
inline constexpr int64_t correlation = 9200;
inline constexpr int64_t first_metric = 9400;
inline constexpr int64_t last_metric = 9499;
inline constexpr int64_t first_domain = 9600;
inline constexpr int64_t call = 63000000;
inline constexpr int64_t copy = 63000001;
inline constexpr int64_t copy_bytes = 63000002;
inline constexpr int64_t kernel = 63000006;
inline constexpr int64_t collective = 63000007;
inline constexpr int64_t own = 96000000;
inline constexpr int64_t stage = 96000001;
inline constexpr int64_t substage = 96000002;
inline constexpr int64_t kind = 96000003;
inline constexpr int64_t first_dimension = 96000010;
inline constexpr int64_t phase = 96000100;
inline constexpr int64_t layer = 96000101;
inline constexpr int64_t module = 96000102;
inline constexpr int64_t host_module = 96000103;
inline constexpr int64_t more_metrics = 96001000;
inline constexpr int64_t in_flight = 96002000;  // of all kernels; then of each phase
}  // namespace paraver_type

/// A text as a label: control bytes and bytes that are not UTF-8 become `\xNN`, and so do blanks at
/// its ends; never empty.
std::string paraver_label(std::string_view text);

/// The labelled values of a type, by the number in which they were added.
class ParaverValues {
 public:
  /// From 1.
  uint32_t add(std::string_view text) { return texts_.add(text) + 1; }
  /// Gives all their numbers.
  void number();
  /// Of what `add` returned; 0 of 0.
  uint32_t operator[](uint32_t added) const noexcept { return numbers_[added]; }
  bool empty() const noexcept { return texts_.size() == 0; }
  /// As a list of a `.pcf`.
  void write(std::string& out) const;
  /// Calls `visit(added, text)` in the order of the numbers.
  template <class Visit>
  void each(const Visit& visit) const {
    for (const uint32_t at : order_) visit(at + 1, texts_.text(at));
  }

 private:
  DistinctTexts texts_;
  std::vector<uint32_t> numbers_;
  std::vector<uint32_t> order_;  // by number, the number among the texts
};

class ParaverLabels {
 public:
  ParaverValues calls, kernels, collectives, copies, phases, modules, host_modules;

  /// The labels of one operation in the dimensions of its model. Returns their common number, from
  /// 1.
  using DimensionLabel = std::pair<std::string_view, std::string_view>;
  uint32_t add_labels(const std::vector<DimensionLabel>& labels);
  void add_layer(uint32_t number) { layers_ = layers_ < number ? number : layers_; }
  /// A metric of GPUs. Returns what `metric_type` takes.
  uint32_t add_metric(std::string_view name) { return metrics_.add(name); }
  /// The domain of an annotation, for `ranges`; 0: the default, whose name is empty.
  uint32_t add_domain(std::string_view name);
  ParaverValues& ranges(uint32_t domain) { return ranges_[domain]; }
  const ParaverValues& ranges(uint32_t domain) const { return ranges_[domain]; }
  void saw_in_flight() noexcept { in_flight_ = true; }
  void saw_correlation() noexcept { correlations_ = true; }
  void saw_bytes() noexcept { bytes_ = true; }

  /// After all was added, before what follows.
  void number();
  /// The types and values of labels in a record, `:96000003:2`; and with all values
  /// 0.
  std::string_view begin(uint32_t labels) const { return texts_[labels].begin; }
  std::string_view end(uint32_t labels) const { return texts_[labels].end; }
  int64_t metric_type(uint32_t metric) const;
  int64_t range_type(uint32_t domain) const;
  /// Of kernels of a phase; 0: of all.
  int64_t in_flight_type(uint32_t phase) const {
    return paraver_type::in_flight + (phase == 0 ? 0 : phases[phase]);
  }
  void write(const ByteSink& to) const;

 private:
  struct Dimension {
    std::string name;
    int64_t type = 0;
    ParaverValues values = {};
  };
  struct Texts {
    std::string begin, end;
  };
  size_t dimension(std::string_view name);
  void number_dimensions();

  std::vector<std::unique_ptr<Dimension>> dimensions_;  // their texts stay where they are
  std::map<std::vector<std::pair<size_t, uint32_t>>, uint32_t> known_;  // dimension and value
  std::vector<Texts> texts_;                                            // by number of labels
  ParaverValues metrics_;
  ParaverValues domains_;
  std::vector<ParaverValues> ranges_ = std::vector<ParaverValues>(1);  // by domain
  uint32_t layers_ = 0;
  bool in_flight_ = false;
  bool correlations_ = false;
  bool bytes_ = false;
};

}  // namespace kr::exports
