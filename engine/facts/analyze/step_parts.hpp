// The steps of a run with their sums, of which there may be millions. Some 80 bytes a step, and 16
// for each combination of labels in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/sweep.hpp"

namespace kr::analyze {

struct LabelPart {
  std::string label;
  int64_t instances = 0;
  int64_t total_ns = 0;
};
/// By dimension of the run, by descending total, then by label.
using LabelParts = std::vector<std::pair<std::string, std::vector<LabelPart>>>;

/// The operations of a step on one device.
struct StepDevice : Breakdown {
  int32_t device = 0;
  int64_t first_start_ns = 0;  // of them
};

/// The operations that one step launched, including those of steps inside it. Texts are those of
/// StepParts.
struct StepPart {
  std::string_view phase;
  std::optional<int64_t> step;
  std::optional<int64_t> layer;
  std::optional<int64_t> batch;   // requests
  std::optional<int64_t> tokens;  // of all requests
  std::optional<size_t> outer;    // the enclosing step: its place among the steps
  std::string_view text;          // the annotation
  int64_t instances = 0;
  int64_t total_ns = 0;
  /// To the start of the next step (classify/step_order.hpp); nothing of the last step, and of
  /// those inside another one.
  std::optional<int64_t> wall_ns;
  Breakdown time;  // of its operations, on all devices together
};

/// A number by place, of which most places have the same. What nothing was said of has it, too.
template <int64_t usual>
class SparseColumn {
 public:
  void set(size_t at, int64_t value) {
    if (at >= values_.size()) {
      if (value == usual) return;
      values_.resize(at + 1, usual);
    }
    values_[at] = value;
  }
  int64_t operator[](size_t at) const noexcept { return at < values_.size() ? values_[at] : usual; }

 private:
  std::vector<int64_t> values_;
};

/// Texts of its steps stay where they are once all steps are there.
class StepParts {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = StepPart;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = StepPart;

    Iterator(const StepParts& steps, size_t at) : steps_(&steps), at_(at) {}
    StepPart operator*() const { return (*steps_)[at_]; }
    Iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const StepParts* steps_;
    size_t at_;
  };

  size_t size() const noexcept { return rows_.size(); }
  bool empty() const noexcept { return rows_.empty(); }
  StepPart operator[](size_t step) const;
  Iterator begin() const noexcept { return {*this, 0}; }
  Iterator end() const noexcept { return {*this, size()}; }

  // Parts of a step, for those who need no more of it.
  int64_t instances(size_t step) const noexcept { return rows_[step].instances; }
  int64_t total_ns(size_t step) const noexcept { return rows_[step].total_ns; }
  std::optional<int64_t> wall_ns(size_t step) const noexcept { return known(rows_[step].wall_ns); }
  std::string_view phase(size_t step) const { return phases_[rows_[step].phase]; }
  /// A number that only steps of one phase have.
  uint32_t phase_number(size_t step) const noexcept { return rows_[step].phase; }
  std::optional<int64_t> number(size_t step) const noexcept { return known(rows_[step].step); }
  std::optional<size_t> outer(size_t step) const noexcept;
  /// Whether it is inside a step of its own phase.
  bool is_in_its_phase(size_t step) const noexcept;

  /// By device.
  std::vector<StepDevice> devices(size_t step) const;
  bool has_devices(size_t step) const noexcept { return rows_[step].devices > 0; }
  /// The dimensions with labels, in the order of the run.
  const std::vector<std::string>& dimensions() const noexcept { return dimensions_; }
  std::vector<LabelPart> labels(size_t step, size_t dimension) const;
  LabelParts labels(size_t step) const;
  /// Over all dimensions.
  size_t label_count(size_t step) const;

  /// Operations of a step with the same labels in all dimensions.
  struct Labelled {
    uint32_t labels = 0;  // the number of the combination
    uint32_t instances = 0;
    int64_t total_ns = 0;
  };
  std::span<const Labelled> labelled(size_t step) const noexcept {
    return std::span(labelled_).subspan(rows_[step].labelled, rows_[step].labels);
  }
  /// Of a combination. Nothing: only another dimension has one.
  std::optional<std::string_view> label(uint32_t combination, size_t dimension) const;

  /// Adds a step. An enclosing one comes before those inside it.
  void add(const StepPart& step, std::span<const StepDevice> devices = {});
  /// To the last step added: operations with a label of a dimension.
  void add_label(size_t dimension, const LabelPart& label);

  // For sums over many steps, which end in any order: all of them are added without sums first.
  uint32_t phase(std::string_view name);
  uint32_t text(std::string_view text);
  void reserve(size_t steps, size_t labelled) {
    rows_.reserve(steps);
    labelled_.reserve(labelled);
  }
  void add(uint32_t phase, uint32_t text, const StepPart& step);
  /// Without those of `add`.
  void set_sums(size_t step, const StepPart& sums, std::span<const StepDevice> devices);
  void set_wall(size_t step, std::optional<int64_t> wall_ns);

  void add_dimension(std::string name) { dimensions_.push_back(std::move(name)); }
  uint32_t label(std::string_view text);
  /// A combination: a label, or `no_label`, by dimension.
  uint32_t combination(std::vector<uint32_t> labels);
  void set_labels(size_t step, std::span<const Labelled> labelled);
  static constexpr uint32_t no_label = UINT32_MAX;

 private:
  static constexpr int64_t unknown = std::numeric_limits<int64_t>::min();
  static constexpr uint32_t no_step = UINT32_MAX;

  struct Row {
    uint32_t phase = 0;
    uint32_t text = 0;
    uint32_t outer = no_step;
    uint32_t instances = 0;
    uint32_t labelled = 0;  // the first in `labelled_`
    uint32_t labels = 0;    // how many
    uint32_t devices = 0;
    /// Of one device with all of the step: its number. Else the first in `devices_`.
    int32_t device = 0;
    int64_t step = unknown;
    int64_t total_ns = 0;
    int64_t wall_ns = unknown;
    int64_t span_ns = 0;
    int64_t compute_ns = 0;
    int64_t first_start_ns = unknown;  // of one device with all of the step
  };

  /// Few of them.
  class Texts {
   public:
    uint32_t number(std::string_view text);
    const std::string& operator[](uint32_t number) const { return texts_[number]; }

   private:
    std::map<std::string, uint32_t, std::less<>> numbers_;
    std::vector<std::string> texts_;
  };

  static std::optional<int64_t> known(int64_t value) noexcept {
    return value == unknown ? std::nullopt : std::optional(value);
  }
  static int64_t stored(const std::optional<int64_t>& value) noexcept {
    return value.value_or(unknown);
  }
  Breakdown time(size_t step) const noexcept;

  std::vector<Row> rows_;
  SparseColumn<unknown> layer_, batch_, tokens_, operations_;
  SparseColumn<0> communication_, exposed_communication_, memory_, exposed_memory_;
  Texts phases_;
  std::vector<char> texts_;          // one after the other
  std::vector<uint64_t> text_ends_;  // in `texts_`
  std::vector<Labelled> labelled_;
  std::vector<StepDevice> devices_;
  std::vector<std::string> dimensions_;
  Texts labels_;
  std::map<std::vector<uint32_t>, uint32_t> numbers_of_combinations_;
  std::vector<std::vector<uint32_t>> combinations_;
};

}  // namespace kr::analyze
