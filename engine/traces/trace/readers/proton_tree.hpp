// The trees of a Proton profile: `{"frame": {"name": …}, "metrics": {…}, "children": […]}`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/module_trace.hpp"
#include "trace/readers/json_pull.hpp"
#include "trace/readers/layerwise_forest.hpp"

namespace kr::trace {

/// The next value, which has to be a whole number, not negative; `4e3` is one. Throws Error.
int64_t read_whole(JsonPull& json);

/// Trees are kept until the file is read: children come before the name of their parent (Proton
/// sorts keys), and devices behind the trees.
class ProtonTree {
 public:
  /// `strict`: a time that cannot be right is an Error, else it is counted, and none.
  ProtonTree(JsonPull& json, ModuleTraceBuilder& out, bool strict)
      : json_(&json), out_(&out), strict_(strict) {}

  /// A root whose object, at `offset`, was entered, at its first member.
  void read(uint64_t offset);
  /// The file is cut off inside a tree: what has an end is kept, below those that have none.
  void cut_off();
  bool is_inside() const noexcept { return !open_.empty(); }

  /// Of nodes: metrics that no other part of kr reads, with how many nodes have them.
  const std::map<std::string, uint64_t, std::less<>>& unread() const noexcept { return unread_; }
  bool has_times() const noexcept { return has_times_; }
  bool has_nodes() const noexcept;
  /// All that was read as one step of the builder. `path` is for messages.
  void release(const std::string& path);

  static constexpr std::string_view incomplete = "(incomplete)";

 private:
  static constexpr uint32_t no_parent = UINT32_MAX;
  static constexpr size_t no_name = SIZE_MAX;
  static constexpr uint32_t no_work = UINT32_MAX;

  struct Node {
    uint64_t offset = 0;
    size_t name_at = no_name;
    size_t name_size = 0;
    uint32_t parent = no_parent;
    uint32_t end = 0;
    int64_t own_ns = 0;
    int64_t own_calls = 0;
    uint32_t work = no_work;  // index into works_
  };
  struct Work {
    NodeCost cost;
    std::string device_type;
    std::string device_id;
  };
  struct Open {
    uint32_t node;
    SeenKeys seen;
  };

  void begin_node(uint64_t offset);
  bool find_children(bool at_member);
  void end_node();
  void read_frame();
  void read_metrics();
  std::optional<double> flops();
  std::optional<int64_t> bytes();
  int64_t time(int exponent);
  std::string text();
  bool is_absent();
  bool is_usable(std::string_view number);
  void once(bool is_new) const;
  std::string_view name_of(const Node& node) const;
  bool is_module(const Node& node) const;
  uint32_t device_of(const Work& work) const;
  void add_up(const std::string& path);

  JsonPull* json_;
  ModuleTraceBuilder* out_;
  bool strict_;
  std::vector<Node> nodes_;  // in preorder
  std::vector<Open> open_;
  std::vector<Work> works_;
  std::string names_;
  std::map<std::string, uint64_t, std::less<>> unread_;
  bool has_times_ = false;
};

}  // namespace kr::trace
