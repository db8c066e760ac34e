// The trees of one step of a layer-wise profile: lists of `{"entry": {…}, "children": [...]}`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "trace/module_trace.hpp"
#include "trace/readers/json_pull.hpp"

namespace kr::trace {

/// The keys that an object has had.
class SeenKeys {
 public:
  /// False where the key was there before. `bit` means a key that is known, `key` for any
  /// other.
  bool add(uint32_t bit) noexcept {
    const bool is_new = (known_ & bit) == 0;
    known_ |= bit;
    return is_new;
  }
  bool add(std::string_view key);
  bool has(uint32_t bit) const noexcept { return (known_ & bit) != 0; }

 private:
  uint32_t known_ = 0;
  std::unique_ptr<std::unordered_set<std::string>> others_;
};

/// The next value, which has to be a whole number, not negative. Throws Error.
int64_t read_count(JsonPull& json);

class LayerwiseForest {
 public:
  /// Both have to live as long. A node that says nothing of its calls has `calls` of them.
  LayerwiseForest(JsonPull& json, ModuleTraceBuilder& out, int64_t calls)
      : json_(&json), out_(&out), calls_(calls) {}

  /// The list the cursor is on, into the builder's open step.
  void read();

 private:
  static constexpr uint32_t entry_bit = 1, children_bit = 2;
  static constexpr uint32_t not_held = ~uint32_t{0};

  struct Node {
    uint64_t offset;
    uint32_t held;  // its place in held_
    SeenKeys seen;
  };
  // Of a tree whose root has its children before its entry, in preorder.
  struct Held {
    uint64_t offset = 0;
    size_t name_at = 0;
    size_t name_size = 0;
    int64_t total_ns = 0;
    int64_t calls = 0;
    uint32_t end = 0;
  };

  void begin_node();
  void hold(Node& node);
  bool find_children();
  void read_entry();
  void name(std::string_view name);
  void end_node();
  void release();
  int64_t time();
  void once(bool is_new) const;

  JsonPull* json_;
  ModuleTraceBuilder* out_;
  int64_t calls_;
  std::vector<Node> open_;
  std::vector<Held> held_;
  std::string held_names_;
  std::vector<uint32_t> ends_;
};

}  // namespace kr::trace
