// A scope is a way to divide the operations of a run: by device, label, phase, step, layer, module.
// It maps each operation to its keys, which are numbers from 0 on, so that sums by a scope are
// arrays (scopes/sum_by.hpp).
//
// An operation mostly has one key. It has none where it is outside of all parts of the scope, and
// several where parts nest: the innermost first. Its keys depend on one thing only: its track, its
// row of labels, its name, its innermost step, its layer or its module. So a scope is a table by
// that, and needs no memory per operation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "classify/attribution.hpp"
#include "classify/classify.hpp"
#include "trace/trace.hpp"

namespace kr::scopes {

/// The phase of operations in no step.
inline constexpr std::string_view outside_steps_name = "(outside steps)";

/// Refers to what it is made from.
class Scope {
 public:
  /// What of an operation its keys depend on.
  enum class Of : uint8_t { run, track, row, name, step, layer, node };

  Scope(Of of, const trace::Trace& trace, const classify::Labelled* labelled,
        const classify::Attribution* attribution)
      : of_(of), trace_(&trace), labelled_(labelled), attribution_(attribution) {}

  /// The number of keys.
  size_t size() const noexcept { return std::max(texts_.size(), numbers_.size()); }
  size_t operations() const noexcept { return trace_->operations.size(); }
  std::span<const uint32_t> keys(size_t operation) const noexcept {
    return keys_of(number_of(operation));
  }
  /// Of all operations of this track, row of labels, …; of those without one, for any greater
  /// number.
  std::span<const uint32_t> keys_of(size_t number) const noexcept {
    if (ends_.empty()) {
      const size_t at = std::min(number, keys_.size());
      return {keys_.data() + at, at < keys_.size() ? size_t{1} : 0};
    }
    const size_t at = std::min(number, ends_.size() - 1);
    const size_t begin = at == 0 ? 0 : ends_[at - 1];
    return {keys_.data() + begin, ends_[at] - begin};
  }
  /// Of scopes by name, label, text, phase and module.
  std::string_view text(uint32_t key) const noexcept { return texts_[key]; }
  /// Of a device or layer its number, of a stream a track of it, else the key.
  int64_t number(uint32_t key) const noexcept { return numbers_[key]; }

 private:
  friend class ScopeBuilder;
  friend Scope with_outside(Scope scope, std::string_view text);

  size_t number_of(size_t operation) const noexcept {
    const trace::Operation& one = trace_->operations[operation];
    switch (of_) {
      case Of::run:
        break;
      case Of::track:
        return one.track.index;
      case Of::row:
        return labelled_->row(operation, one);
      case Of::name:
        return one.name.index;
      case Of::step:
        return attribution_->step_of[operation];
      case Of::layer:
        return attribution_->layer_of[operation];
      case Of::node:
        return attribution_->node_of(operation);
    }
    return 0;
  }

  Of of_;
  const trace::Trace* trace_;
  const classify::Labelled* labelled_;
  const classify::Attribution* attribution_;
  /// By track, row, …; at the end those of operations without one.
  std::vector<uint32_t> keys_;
  std::vector<uint32_t> ends_;  // where they end in `keys_`; empty: all have one, the last none
  // By key; one of them.
  std::vector<std::string_view> texts_;
  std::vector<int64_t> numbers_;
};

/// The scope with one more key, the last, for operations that have none. Its text is `text`, its
/// number -1.
Scope with_outside(Scope scope, std::string_view text = {});

Scope whole_run(const trace::Trace& trace);
/// In order of their numbers.
Scope by_device(const trace::Trace& trace);
/// By device, then stream.
Scope by_stream(const trace::Trace& trace);
/// The keys are those of the trace's names.
Scope by_name(const trace::Trace& trace);
/// Names of different kinds with one text are one.
Scope by_name_text(const trace::Trace& trace);
/// The keys are the rows.
Scope by_row(const trace::Trace& trace, const classify::Labelled& labelled);
/// In order of the first row that has it. `dimension`: its place among those of `labelled`.
Scope by_label(const trace::Trace& trace, const classify::Labelled& labelled, size_t dimension);
/// The keys are places in Attribution::steps. Of the steps that enclose an operation, the innermost
/// max_enclosing_steps count.
Scope by_step(const trace::Trace& trace, const classify::Attribution& attribution);
Scope by_innermost_step(const trace::Trace& trace, const classify::Attribution& attribution);
/// By the annotation of the innermost step. As of modules, one without a text is none.
Scope by_step_text(const trace::Trace& trace, const classify::Attribution& attribution);
/// An operation is of the phases of all steps that enclose it. In order of first occurrence;
/// `outside_steps_name` last. Without steps there are no keys.
Scope by_phase(const trace::Trace& trace, const classify::Attribution& attribution);
/// By repeat of a block: the keys are the numbers in Attribution::layer_of.
Scope by_layer(const trace::Trace& trace, const classify::Attribution& attribution);
/// By number in its unit.
Scope by_layer_number(const trace::Trace& trace, const classify::Attribution& attribution);
/// By the name of the innermost module, or of the range in place of one.
Scope by_module(const trace::Trace& trace, const classify::Attribution& attribution);

}  // namespace kr::scopes
