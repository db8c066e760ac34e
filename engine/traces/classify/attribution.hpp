// The step and the module of GPU operations, which enclose their launch, and their layer, found by
// repetition. If a graph launches a whole step at once, its operations are in the modules in which
// their nodes were created, if the trace contains that, else in none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "classify/periods.hpp"
#include "classify/phases.hpp"
#include "trace/trace.hpp"

namespace kr::classify {

/// An annotation of the host that the model's `phases` match. If several enclose an operation, the
/// innermost counts. Texts and phases are those of TraceSteps.
struct TraceStep {
  uint32_t range;  // in HostTrace::ranges
  std::string_view text;
  const Phase& phase;
  int64_t start_ns;  // on the host
  uint32_t outer;    // the enclosing step; Attribution::none if there is none
};

/// Steps by start on the host. Memory: 24 bytes a step, and what each distinct text says. Moved,
/// not copied; the texts are those of the host trace, which has to outlive it.
class TraceSteps {
  struct Row {
    int64_t start_ns;
    uint32_t range;
    uint32_t text;
    uint32_t outer;
  };

 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = TraceStep;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = TraceStep;

    Iterator(const TraceSteps& steps, size_t at) : steps_(&steps), at_(at) {}
    TraceStep operator*() const { return (*steps_)[at_]; }
    Iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const TraceSteps* steps_;
    size_t at_;
  };

  TraceSteps() = default;
  TraceSteps(TraceSteps&&) noexcept = default;
  TraceSteps& operator=(TraceSteps&&) noexcept = default;
  TraceSteps(const TraceSteps&) = delete;
  TraceSteps& operator=(const TraceSteps&) = delete;

  size_t size() const noexcept { return rows_.size(); }
  bool empty() const noexcept { return rows_.empty(); }
  TraceStep operator[](size_t step) const {
    const Row& row = rows_[step];
    const auto& [text, phase] = texts_[row.text];
    return {row.range, text, phase, row.start_ns, row.outer};
  }
  Iterator begin() const noexcept { return {*this, 0}; }
  Iterator end() const noexcept { return {*this, size()}; }

  /// The distinct texts of steps, by number.
  size_t texts() const noexcept { return texts_.size(); }
  uint32_t text_number(size_t step) const noexcept { return rows_[step].text; }
  std::string_view text(uint32_t number) const noexcept { return texts_[number].first; }

  uint32_t add_text(std::string_view text, Phase phase) {
    texts_.emplace_back(text, std::move(phase));
    return static_cast<uint32_t>(texts_.size() - 1);
  }
  void add(uint32_t range, uint32_t text, int64_t start_ns);
  /// By start; equal ones in the order added.
  void sort();
  void set_outer(size_t step, uint32_t outer) noexcept { rows_[step].outer = outer; }

 private:
  std::vector<Row> rows_;
  std::vector<std::pair<std::string_view, Phase>> texts_;
};

/// Kernels that repeat: a part of a unit. The period is the least. A unit is the kernels of one
/// graph launch, or of one step, on one stream.
struct RepeatedBlock : Repetition {
  uint32_t track = 0;        // of the trace
  uint32_t step = 0;         // Attribution::none: outside steps
  size_t unit = 0;           // kernels of the unit
  size_t layers_before = 0;  // of blocks of level 0 before it in the unit
  size_t first_layer = 0;    // the number of its first layer in the trace
  bool graph = false;        // the unit is one launch of a graph
  int64_t total_ns = 0;      // of the block
  int64_t unit_ns = 0;       // of the unit

  /// Whether its repeats may be layers of a model: a few kernels that repeat are another loop.
  bool is_layers() const noexcept { return level == 0 && period >= min_period; }
};

/// A number by operation. A trace in which no operation has one stores none.
class NumberOfOperation {
 public:
  static constexpr uint32_t none = UINT32_MAX;

  uint32_t operator[](size_t operation) const noexcept {
    return numbers_.empty() ? none : numbers_[operation];
  }
  void resize(size_t operations) { numbers_.resize(operations, none); }
  /// After `resize`.
  void set(size_t operation, uint32_t number) noexcept { numbers_[operation] = number; }

 private:
  std::vector<uint32_t> numbers_;
};

/// How the place of an operation in the model is known, in the order of tables. A launch or the
/// creation of a node is in a module; `annotation`: the trace says so of the operation itself;
/// `range`: in a range in place of one. `instance`, `kind`, `within` and `abstain`: by a reference
/// (trace::Alignment). `layer`: by repetition alone.
enum class PlaceEvidence : uint8_t {
  none,
  launch,
  creation,
  annotation,
  instance,
  kind,
  within,
  abstain,
  range,
  layer,
};
constexpr size_t place_evidences = static_cast<size_t>(PlaceEvidence::layer) + 1;

struct Attribution {
  static constexpr uint32_t none = NumberOfOperation::none;

  TraceSteps steps;
  NumberOfOperation step_of;    // in `steps`
  NumberOfOperation module_of;  // the innermost module, in HostTrace::ranges
  /// The innermost range of the program that represents a module (see `range_nodes`).
  NumberOfOperation range_of;
  /// Of nodes of graphs: how their creation is known; else `none`. Empty: of no operation.
  std::vector<PlaceEvidence> node_evidence;
  std::vector<bool> by_creation;  // module or range is that of a node; empty: none is
  /// By range: it is a node of the tree, in place of a module. Empty unless the trace has no
  /// modules, and the program's own ranges (NVTX, in the default domain, no steps) enclose the
  /// launches of most of the time.
  std::vector<bool> range_nodes;
  std::vector<RepeatedBlock> repeated_blocks;  // in the order of the units, by place
  /// The layer, among the layers of all blocks of level 0.
  NumberOfOperation layer_of;

  /// The innermost module, or the range in place of one.
  uint32_t node_of(size_t operation) const noexcept {
    const uint32_t module = module_of[operation];
    return module != none ? module : range_of[operation];
  }
  /// Whether that of an operation is the one in which its node of a graph was created.
  bool created(size_t operation) const noexcept {
    return !by_creation.empty() && by_creation[operation];
  }
  /// The thread and time at which its module or range encloses it. Only of operations with one.
  std::pair<uint32_t, int64_t> module_time(const trace::HostTrace& host,
                                           size_t operation) const noexcept {
    if (const trace::NodeCreation* creation = host.creation(operation); created(operation)) {
      return {creation->thread, creation->time_ns};
    }
    const trace::Launch* const launch = host.launch(operation);
    return {launch->thread, launch->start_ns};
  }

  /// The block of a layer: its place in `repeated_blocks`.
  size_t block_of(uint32_t layer) const noexcept;
  /// A layer's number in its unit, from 0.
  size_t in_unit(uint32_t layer) const noexcept {
    const RepeatedBlock& block = repeated_blocks[block_of(layer)];
    return block.layers_before + layer - block.first_layer;
  }
};

/// A trace without a host trace has no steps and modules, only layers. Deterministic. Memory per
/// operation: 8 bytes if the trace has launches, 4 if it has layers, and 4 more during the
/// computation.
Attribution attribute(const trace::Trace& trace, const sema::Program& program,
                      const std::shared_ptr<const match::Database>& database, sema::ModelId model);

/// The operations of a trace by how their place is known. Each counts once.
struct AttributionSums {
  struct Part {
    int64_t operations = 0;
    int64_t total_ns = 0;
  };
  std::array<Part, place_evidences> parts;

  Part& operator[](PlaceEvidence evidence) { return parts[static_cast<size_t>(evidence)]; }
  const Part& operator[](PlaceEvidence evidence) const {
    return parts[static_cast<size_t>(evidence)];
  }
  int64_t total_ns() const noexcept;
};
AttributionSums sum(const trace::Trace& trace, const Attribution& attribution);

PlaceEvidence evidence_of(const Attribution& attribution, size_t operation) noexcept;
/// As in tables; empty: none.
std::string_view to_string(PlaceEvidence evidence) noexcept;

/// Equal blocks of `units` units of the same kind and size.
struct LayerEvidence {
  RepeatedBlock block;  // the first of them, with the sums of `total_ns` and `unit_ns`
  size_t units = 0;
};
/// By descending `total_ns`.
std::vector<LayerEvidence> layer_evidence(const Attribution& attribution);

/// For a person: `period of 35 kernels, 11 times: 91.7 % of the time of 421 kernels of one graph
/// launch`.
std::string evidence(const RepeatedBlock& block);

}  // namespace kr::classify
