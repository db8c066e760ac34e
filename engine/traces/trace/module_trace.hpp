// Module trees as a profiler measured them, a forest a step: `LlamaForCausalLM` over
// `LlamaDecoderLayer` over a linear layer over its kernels, each with its time and calls.
//
// Steps are many and look alike, so the shape of a forest (places, calls) is stored once and a step
// is its shape and the times of its leaves, some three bytes a leaf. A node's time is always the
// sum of its leaves': where a source says otherwise the builder settles it (see `close`).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash_index.hpp"
#include "base/id.hpp"
#include "trace/module_costs.hpp"
#include "trace/trace.hpp"

namespace kr::trace {

struct PathTag;
using PathId = Id<PathTag>;

/// Places in module trees, each stored once: a node is its parent's place, its name, and
/// which of its parent's children of that name it is. The same place in two steps is one path.
class PathTable {
 public:
  /// The path of a child; `parent` is invalid for a root. `ordinal` counts children of one name
  /// from 1.
  PathId add(PathId parent, NameId name, uint32_t ordinal);

  PathId parent(PathId path) const { return at(path).parent; }  // invalid: a root
  NameId name(PathId path) const { return at(path).name; }
  uint32_t ordinal(PathId path) const { return at(path).ordinal; }
  /// 0 for a root.
  uint32_t depth(PathId path) const { return at(path).depth; }
  size_t size() const noexcept { return paths_.size(); }

 private:
  struct Path {
    PathId parent;
    NameId name;
    uint32_t ordinal;
    uint32_t depth;
  };
  const Path& at(PathId path) const {
    KR_CHECK(path.index < paths_.size());
    return paths_[path.index];
  }
  std::vector<Path> paths_;  // a parent is before its children
  HashIndex index_;
};

/// A node of one step's forest, which is in preorder.
struct ModuleNode {
  PathId path;
  uint32_t end = 0;  // one past the last node below it; its own place + 1: a leaf
  int64_t total_ns = 0;
  int64_t invocations = 0;
};

/// What is known of a step beside its forest.
struct ModuleStep {
  std::string key;  // as the source calls it: `prefill`, `decode_12`
  std::optional<int64_t> running_seqs;
  int64_t total_ns = 0;  // of all roots
  uint32_t shape = 0;    // index into ModuleTrace's shapes
  uint64_t values = 0;   // where the leaves' times begin
};

/// Of the context: `engine_args.model` and its value as text (strings without quotes).
struct ContextEntry {
  std::string key;
  std::string value;
};

struct ModuleTrace {
  std::string source;  // the path as given, `-` for standard input
  std::string format;  // `layerwise-json`, `proton-json`
  NameTable names;     // of all nodes, each with the kind that follows from its name alone
  PathTable paths;
  std::vector<ModuleStep> steps;  // in the order of the source
  std::vector<ContextEntry> context;
  std::vector<DroppedRecords> dropped;
  std::vector<Warning> warnings;
  std::string model_text;              // what the context says of the model, for `detect`
  int64_t total_ns = 0;                // of all steps
  std::shared_ptr<ModuleCosts> costs;  // null: the format has none
  /// By path, the class of a module that is named by its place in the program: `Linear` of `wq`.
  /// Empty, or beyond the end: it is not known, or the name is the class.
  std::vector<std::string> classes = {};

  /// The name of what the builder puts below nodes for time of their own: `(self)`.
  static constexpr NameId self_name{0};

  const std::string* find_context(std::string_view key) const;
  /// The step's forest. `nodes` is overwritten.
  void expand(size_t step, std::vector<ModuleNode>& nodes) const;
  std::string_view name(PathId path) const { return names.get(paths.name(path)).text; }
  std::string_view class_of(PathId path) const {
    return path.index < classes.size() ? std::string_view(classes[path.index]) : "";
  }

  struct ShapeNode {
    PathId path;
    uint32_t end;
    int64_t invocations;
  };
  std::vector<std::vector<ShapeNode>> shapes;
  std::vector<uint8_t> values;  // the leaves' times, seven bits a byte, the lowest first
};

/// What readers fill, a step at a time, nodes in preorder.
class ModuleTraceBuilder {
 public:
  ModuleTraceBuilder(std::string source, std::string format);

  /// A step that was begun and not ended is as if it had not been.
  void begin_step(std::string key);
  void running_seqs(int64_t count) { step_.running_seqs = count; }
  /// A child of the open node, or a root; it is open until `close`. `offset` is for dropped
  /// records. Kernels are nodes without children.
  void open(std::string_view name, uint64_t offset);
  /// What the source says of the open node. Not negative.
  void measured(int64_t total_ns, int64_t invocations);
  /// As in ModuleTrace::classes.
  void class_of_open(std::string_view name) { class_of(nodes_[open_node()].path, name); }
  void class_of(PathId path, std::string_view name);
  /// Where the node's own time exceeds its children's, the rest becomes a last child `(self)`;
  /// where the children exceed it, the children count and the difference is a dropped record.
  /// Throws Error where times do not fit in 64 bits.
  void close();
  void end_step();
  /// A complete step at once: its forest in preorder, with paths that `path` returned and with the
  /// times of its leaves. Is not part of the trace's total. Returns the step's number.
  size_t add_step(ModuleStep step, std::span<const ModuleNode> nodes);
  PathId path(PathId parent, std::string_view name, uint32_t ordinal);
  const PathTable& paths() const noexcept { return trace_.paths; }

  /// The place of the open node in the step's forest.
  uint32_t open_node() const {
    KR_CHECK(!open_.empty());
    return open_.back().node;
  }
  /// For costs of nodes of steps that are ended, and devices.
  ModuleCosts& costs();

  void context(std::string key, std::string value);
  void model_text(std::string text) { trace_.model_text = std::move(text); }
  void add_dropped(std::string_view what, uint64_t offset, uint64_t count = 1);
  void warn(std::string code, std::string text) {
    trace_.warnings.push_back({std::move(code), std::move(text)});
  }
  size_t steps() const noexcept { return trace_.steps.size(); }

  ModuleTrace finish() &&;

 private:
  struct Open {
    uint32_t node;
    uint64_t offset;
    uint64_t visit;  // distinguishes this node's children from those of the same path elsewhere
    int64_t children_ns = 0;
  };
  struct Seen {
    uint64_t visit = 0;
    uint32_t count = 0;
  };
  PathId child(NameId name);
  void leaf_value(int64_t ns);
  void store_step(ModuleStep step, std::span<const ModuleNode> nodes);
  int64_t sum(int64_t a, int64_t b) const;

  ModuleTrace trace_;
  ModuleStep step_;
  std::vector<DroppedRecords> step_dropped_;
  std::vector<ModuleNode> nodes_;
  std::vector<Open> open_;
  std::vector<Seen> seen_;  // by path: children of one name met so far in the open parent
  uint64_t visits_ = 0;
  HashIndex shapes_;
};

}  // namespace kr::trace
