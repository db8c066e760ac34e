#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/distinct_texts.hpp"
#include "classify/step_order.hpp"
#include "trees/forest.hpp"
#include "trees/labels.hpp"
#include "trees/module_paths.hpp"

namespace kr::trees {
namespace {

constexpr uint32_t none = classify::Attribution::none;

/// The name of a framework's operator without what distinguishes its calls, as emit_nvtx of PyTorch
/// writes them: `aten::linear, seq = 1, op_id = 2, sizes = [[1, 2]]`.
std::string_view without_call(std::string_view name) {
  for (const std::string_view part : {", seq = ", ", op_id = ", ", sizes = "}) {
    name = name.substr(0, name.find(part));
  }
  return name;
}

/// The modules that enclose operations, or the ranges in place of modules, as nodes of forests.
/// Modules usually nest, so most have the same modules above them for all operations, and are
/// looked up once per step.
class ModuleNodes {
 public:
  ModuleNodes(const trace::Trace& trace, const classify::Attribution& attribution,
              DistinctTexts& names)
      : host_(*trace.host),
        range_nodes_(attribution.range_nodes),
        names_(names),
        paths_(trace, attribution),
        places_(host_.ranges.size()),
        known_(host_.ranges.size()) {
    const trace::HostTrace& host = host_;
    for (const std::string_view name : paths_.above()) above_.push_back(names_.add(name));
    for (uint32_t i = 0; i < host.ranges.size(); ++i) {
      const trace::HostRange& range = host.ranges[i];
      Place& place = places_[i];
      if (range.parent != none) {
        place.outer = is_node(range.parent) ? range.parent : places_[range.parent].outer;
      }
      place.until_ns = range.end_ns;
      if (place.outer == none) continue;
      place.depth = places_[place.outer].depth + 1;
      place.until_ns = std::min(range.end_ns, places_[place.outer].until_ns);
    }
    find_calls();
  }

  /// The node of the innermost module `range` at a time. `number` is the forest's number. `launch`:
  /// the time is that of a capture, which is run again by that launch; none: it is a launch.
  uint32_t node(Forest& forest, size_t number, uint32_t range, int64_t time, uint32_t launch) {
    path_.clear();
    uint32_t at = range;
    // No module above it has ended: they are the same for all launches until then.
    const bool steady = time < places_[range].until_ns;
    if (steady) {
      if (places_[range].depth >= deepest) ++too_deep_;
      for (; at != none && known_[at].forest != number; at = places_[at].outer) path_.push_back(at);
    } else {
      for (size_t walked = 0; at != none && path_.size() < deepest && walked < max_walked;
           ++walked, at = places_[at].outer) {
        if (host_.ranges[at].contains(time)) path_.push_back(at);
      }
      if (at != none) ++too_deep_;
      at = none;
    }
    uint32_t node = at == none ? none : known_[at].node;
    const uint32_t above = at;
    if (!path_.empty() && paths_.is_outermost_path(path_.back())) node = root(forest, launch);
    for (size_t i = path_.size(); i-- > 0;) {
      const uint32_t one = path_[i];
      if (!steady || places_[one].depth < deepest) {
        const uint32_t outer = i + 1 < path_.size() ? path_[i + 1] : above;
        node = forest.child(node, name(one, outer), module_class(one));
        launch == none ? forest.use(node, one) : forest.replay(node, call(one), launch);
      }
      if (steady) known_[one] = {number, node};
    }
    return node;
  }
  /// As Forest::child.
  uint32_t name(uint32_t range, uint32_t outer) {
    const ModulePaths::Module* const module = paths_.of(range);
    if (module == nullptr) return names_.add(without_call(host_.module_name(range, outer)));
    const ModulePaths::Module* const above = outer == none ? nullptr : paths_.of(outer);
    return names_.add(above == nullptr ? module->path
                                       : trace::module_below(module->path, above->path));
  }
  uint32_t module_class(uint32_t range) {
    const ModulePaths::Module* const module = paths_.of(range);
    return module == nullptr ? none : names_.add(module->name);
  }
  /// The same number for ranges that are one call: a reference may be known in different depth.
  uint32_t call(uint32_t range) const { return calls_.empty() ? range : calls_[range]; }
  /// The number of operations in too many nested modules: the tree has only some of these.
  uint64_t too_deep() const noexcept { return too_deep_; }

 private:
  /// Paths begin below the root.
  uint32_t root(Forest& forest, uint32_t launch) {
    uint32_t node = none;
    for (const uint32_t name : above_) {
      node = forest.child(node, name);
      forest.replay(node, none, launch);
    }
    return node;
  }

  // Python allows 1,000 nested calls, and a module needs several.
  void find_calls() {
    const bool any = std::any_of(host_.threads.begin(), host_.threads.end(),
                                 [](const trace::HostThread& one) { return one.other_clock; });
    if (!any) return;
    std::map<std::tuple<std::string_view, int64_t, int64_t, uint32_t>, uint32_t> known;
    for (uint32_t i = 0; i < host_.ranges.size(); ++i) {
      const trace::HostRange& range = host_.ranges[i];
      const trace::HostThread& thread = host_.threads[range.thread];
      calls_.push_back(i);
      if (!thread.other_clock) continue;
      const auto key =
          std::tuple(std::string_view(thread.process), range.start_ns, range.end_ns, range.name);
      calls_.back() = known.try_emplace(key, i).first->second;
    }
  }

  static constexpr size_t deepest = 256;
  static constexpr size_t max_walked = 1024;
  struct Place {
    uint32_t outer = none;  // the module in which it begins
    uint32_t depth = 0;
    int64_t until_ns = 0;  // the first end of it and of all modules above it
  };
  struct Known {
    size_t forest = SIZE_MAX;
    uint32_t node = none;
  };
  bool is_node(uint32_t range) const {
    return host_.ranges[range].kind == trace::HostRange::Kind::module ||
           (!range_nodes_.empty() && range_nodes_[range]);
  }
  const trace::HostTrace& host_;
  const std::vector<bool>& range_nodes_;
  DistinctTexts& names_;
  ModulePaths paths_;
  std::vector<uint32_t> above_;  // names of modules above those with paths
  std::vector<Place> places_;    // by range
  std::vector<Known> known_;     // by range
  std::vector<uint32_t> calls_;  // by range; empty: no references
  std::vector<uint32_t> path_;
  uint64_t too_deep_ = 0;
};

/// If modules do not distinguish layers, as under torch.compile, layers found by repetition do:
/// by block of a graph that a reference placed, the call in which all of its layers are; none: the
/// modules show them.
class SharedModules {
 public:
  SharedModules(const trace::Trace& trace, const classify::Attribution& attribution)
      : shared_(attribution.repeated_blocks.size(), none) {
    if (attribution.node_evidence.empty()) return;
    std::unordered_map<size_t, Layers> open;
    for (size_t i = 0; i < trace.operations.size(); ++i) {
      const uint32_t layer = attribution.layer_of[i];
      if (layer == none || !attribution.created(i)) continue;
      if (attribution.node_evidence[i] == classify::PlaceEvidence::creation) continue;
      const size_t block = attribution.block_of(layer);
      const classify::RepeatedBlock& about = attribution.repeated_blocks[block];
      const size_t number = layer - about.first_layer;
      if (!about.graph || number > 1) continue;
      Layers& layers = open[block];
      const uint32_t module = attribution.module_of[i];
      if (number == 0) {
        layers.first.push_back(module);
        continue;
      }
      const size_t place = layers.seen++;
      const int64_t ns = trace.operations[i].duration_ns;
      layers.total_ns += ns;
      if (place < layers.first.size() && layers.first[place] == module) layers.same[module] += ns;
      if (layers.seen < about.period) continue;
      shared_[block] = layers.max_shared();
      any_ = any_ || shared_[block] != none;
      open.erase(block);
    }
  }

  bool any() const noexcept { return any_; }
  uint32_t operator[](size_t block) const { return shared_[block]; }

 private:
  struct Layers {
    std::vector<uint32_t> first;  // modules of the first layer's kernels
    size_t seen = 0;              // kernels of the second
    int64_t total_ns = 0;
    std::map<uint32_t, int64_t> same;  // by module of both, the time of the second's

    /// The module that most of the time shares, if that is more than half of it.
    uint32_t max_shared() const {
      for (const auto& [module, ns] : same) {
        if (ns > total_ns / 2) return module;
      }
      return none;
    }
  };
  std::vector<uint32_t> shared_;
  bool any_ = false;
};

class Builder {
 public:
  Builder(const trace::Trace& trace, const classify::Attribution& attribution,
          const OperationLabels& labels)
      : trace_(trace),
        attribution_(attribution),
        labels_(labels),
        builder_(trace.source, trace.format),
        order_(trace, attribution),
        forests_(attribution.steps.size() + 1),
        left_(forests_.size()),
        shared_(trace, attribution),
        name_of_(trace.names.size(), none) {
    const size_t layers = longest(attribution);
    for (size_t i = 0; i < layers; ++i)
      layer_names_.push_back(names_.add(fmt::format("layer {}", i)));
    if (trace.host) modules_.emplace(trace, attribution, names_);
    if (labels.of == nullptr) return;
    for (const classify::LabelResult& one : labels.of->by_row) {
      label_of_row_.push_back(names_.add(fmt::format("{}/{}", labels.dimension, one.label)));
    }
  }

  trace::ModuleTrace build() {
    for (size_t i = 0; i < trace_.operations.size(); ++i) ++left_[forest_of(i)];
    const bool outside = left_.back() != 0;
    for (size_t i = 0; i < trace_.operations.size(); ++i) add(i);
    write_complete();
    if (outside || attribution_.steps.empty()) {
      write(attribution_.steps.empty() ? "trace" : "(outside steps)", forests_.size() - 1);
    }
    for (const trace::DroppedRecords& records : trace_.dropped)
      builder_.add_dropped(records.what, records.first_offset, records.count);
    if (modules_ && modules_->too_deep() != 0) {
      builder_.add_dropped("operation in more nested modules than a tree has levels", 0,
                           modules_->too_deep());
    }
    if (!trace_.operations.empty() && !has_parents()) {
      builder_.warn(
          "no-modules",
          "The trace contains no modules, and no layers were found: kernels are not grouped.");
    }
    builder_.model_text(trace_.model_text);
    trace::ModuleTrace out = std::move(builder_).finish();
    out.warnings.insert(out.warnings.begin(), trace_.warnings.begin(), trace_.warnings.end());
    return out;
  }

 private:
  size_t forest_of(size_t operation) const {
    const uint32_t step = attribution_.step_of[operation];
    return step == none ? forests_.size() - 1 : order_.outermost(step);
  }

  void write(std::string_view step, size_t number) {
    builder_.begin_step(std::string(step));
    if (forests_[number]) forests_[number]->write(names_, builder_);
    forests_[number].reset();
    builder_.end_step();
  }

  /// The steps to which no more operations come, if those before them are written: few steps
  /// run at a time, so few forests are kept.
  void write_complete() {
    for (; written_ < attribution_.steps.size() && left_[written_] == 0; ++written_) {
      // One inside another is a part of that.
      if (order_.outermost(written_) != written_) continue;
      write(attribution_.steps[written_].text, written_);
    }
  }

  /// Whether kernels can have parents.
  bool has_parents() const {
    if (!layer_names_.empty() || !attribution_.range_nodes.empty()) return true;
    if (!trace_.host) return false;
    const GrowingArray<trace::HostRange>& ranges = trace_.host->ranges;
    return std::any_of(ranges.begin(), ranges.end(), [](const trace::HostRange& range) {
      return range.kind == trace::HostRange::Kind::module;
    });
  }

  static size_t longest(const classify::Attribution& attribution) {
    size_t most = 0;
    for (const classify::RepeatedBlock& block : attribution.repeated_blocks) {
      if (block.is_layers()) most = std::max(most, block.layers_before + block.repeats);
    }
    return most;
  }

  void add(size_t i) {
    const trace::Operation& operation = trace_.operations[i];
    const size_t number = forest_of(i);
    if (!forests_[number]) forests_[number] = std::make_unique<Forest>();
    Forest& forest = *forests_[number];
    uint32_t node = none;
    if (const uint32_t module = attribution_.node_of(i); module != none) {
      // What is known of a forest's nodes is known of a launch's: it belongs to one step.
      const bool node_of_graph = attribution_.created(i) && !trace_.host->creation(i)->queued;
      const uint32_t launch = node_of_graph ? trace_.host->launch_of[i] : none;
      const size_t visit = launch == none ? number : forests_.size() + launch;
      const int64_t time = attribution_.module_time(*trace_.host, i).second;
      node = with_layer(forest, visit, i, launch);
      if (node == none) node = modules_->node(forest, visit, module, time, launch);
    }
    // If each launch is in the module of its kernel, modules show the layers better than sequences
    // do.
    const uint32_t layer = attribution_.layer_of[i];
    const bool by_module =
        node != none && (attribution_.created(i) || attribution_.range_of[i] != none);
    if (layer != none && !by_module) {
      const size_t block = attribution_.block_of(layer);
      if (node == none || attribution_.repeated_blocks[block].graph) {
        node = forest.child(node, layer_names_[attribution_.in_unit(layer)]);
        forest.use(node, static_cast<uint32_t>(block));
      }
    }
    if (labels_.of != nullptr) {
      node = forest.child(node, label_of_row_[labels_.labelled->row(i, operation)]);
      forest.count(node);
    }
    uint32_t& name = name_of_[operation.name.index];
    if (name == none) name = names_.add(trace_.names.get(operation.name).text);
    node = forest.child(node, name);
    forest.operation(node, operation.duration_ns);
    if (--left_[number] == 0 && number == written_) write_complete();
  }

  /// The node of an operation below that of its layer, where modules do not show layers; none: they
  /// do.
  uint32_t with_layer(Forest& forest, size_t visit, size_t i, uint32_t launch) {
    const uint32_t layer = attribution_.layer_of[i];
    if (launch == none || layer == none || !shared_.any()) return none;
    const size_t block = attribution_.block_of(layer);
    const uint32_t shared = shared_[block];
    if (shared == none) return none;
    const trace::HostTrace& host = *trace_.host;
    const auto [thread, time] = attribution_.module_time(host, i);
    const std::vector<uint32_t> chain = host.modules_at(thread, time);
    const auto at = std::find(chain.begin(), chain.end(), shared);
    if (at == chain.end()) return none;
    uint32_t node = modules_->node(forest, visit, shared, time, launch);
    node = forest.child(node, layer_names_[attribution_.in_unit(layer)]);
    forest.use(node, static_cast<uint32_t>(block));
    for (auto inner = at + 1; inner != chain.end(); ++inner) {
      node =
          forest.child(node, modules_->name(*inner, *(inner - 1)), modules_->module_class(*inner));
      forest.replay(node, modules_->call(*inner), launch);
    }
    return node;
  }

  const trace::Trace& trace_;
  const classify::Attribution& attribution_;
  OperationLabels labels_;
  trace::ModuleTraceBuilder builder_;
  DistinctTexts names_;  // of nodes
  classify::StepOrder order_;
  /// By step, while it has operations that are not written; the last one for those outside steps.
  std::vector<std::unique_ptr<Forest>> forests_;
  std::vector<uint32_t> left_;  // by forest: operations that are still to come
  size_t written_ = 0;          // steps
  SharedModules shared_;
  std::vector<uint32_t> layer_names_;
  std::vector<uint32_t> name_of_;       // by name of operations; none: not yet
  std::vector<uint32_t> label_of_row_;  // names of nodes
  std::optional<ModuleNodes> modules_;
};

}  // namespace

trace::ModuleTrace modules_of(const trace::Trace& trace, const classify::Attribution& attribution,
                              const OperationLabels& labels) {
  return Builder(trace, attribution, labels).build();
}

std::string_view label_of_operation(const trace::ModuleTrace& trace, trace::PathId operation,
                                    std::string_view dimension) {
  const trace::PathId above = trace.paths.parent(operation);
  std::string_view name = above.valid() ? trace.name(above) : std::string_view();
  if (!name.starts_with(dimension) || !name.substr(dimension.size()).starts_with('/')) return {};
  return name.substr(dimension.size() + 1);
}

}  // namespace kr::trees
