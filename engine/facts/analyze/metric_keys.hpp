// What operations count for when metrics are summed: their labels, phases, steps and name, numbered
// through.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "classify/attribution.hpp"
#include "classify/classify.hpp"
#include "trace/trace.hpp"

namespace kr::analyze {

/// Keys [begin, end) of one kind.
struct KeyGroup {
  uint32_t begin = 0;
  uint32_t end = 0;
};

class MetricKeys {
 public:
  MetricKeys(const sema::Program& program, const trace::Trace& trace,
             const classify::Labelled& labelled, const classify::Attribution& attribution);

  /// The keys of an operation, each once.
  void of(size_t operation, std::vector<uint32_t>& out) const;
  uint32_t size() const noexcept { return names_.end; }

  const std::vector<KeyGroup>& dimensions() const noexcept { return dimensions_; }
  const std::vector<std::string>& dimension_names() const noexcept { return dimension_names_; }
  /// By key of the dimensions.
  const std::vector<std::string>& labels() const noexcept { return labels_; }
  const KeyGroup& phases() const noexcept { return phases_; }
  const std::vector<std::string>& phase_names() const noexcept { return phase_names_; }
  const KeyGroup& steps() const noexcept { return steps_; }
  const KeyGroup& names() const noexcept { return names_; }

 private:
  void number_labels(const sema::Program& program);
  void number_phases();

  const trace::Trace& trace_;
  const classify::Labelled& labelled_;
  const classify::Attribution& attribution_;
  std::vector<KeyGroup> dimensions_;
  std::vector<std::string> dimension_names_;
  std::vector<std::string> labels_;
  std::vector<std::vector<uint32_t>> label_of_row_;  // by dimension
  KeyGroup phases_;
  std::vector<std::string> phase_names_;
  std::vector<std::vector<uint32_t>> phases_of_step_;
  KeyGroup steps_;
  KeyGroup names_;
};

}  // namespace kr::analyze
