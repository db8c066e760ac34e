// The trees of a Proton profile, of whatever encoding: what was recorded at each node becomes steps
// of module trees.
//
//   ROOT > step_1 > replay > <captured_at> > capture > model > kernel
//
// Below `<captured_at>` is where the graph was captured: that is a step of its own, with the
// modules of the capture, and what stands above says which replay it is: it is the step's key. All
// kernels of Proton itself (`__proton_launch_metadata`, `<metric>`) are the step `profiler`. All
// others are the step `profile`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/growing_array.hpp"
#include "trace/module_trace.hpp"

namespace kr::trace {

/// What Proton writes in place of names.
inline constexpr std::string_view proton_root = "ROOT";
inline constexpr std::string_view proton_captured_at = "<captured_at>";
/// Whether what Proton ran for itself is below a node of this name, or is it.
bool is_proton_own(std::string_view name) noexcept;

/// What a node says of itself alone.
struct ProtonMetrics {
  int64_t ns = 0;
  int64_t calls = 0;
  NodeCost cost = {};
  std::string device_type = {};
  std::string device_id = {};
};

/// Trees are kept until the file is read: children come before the name of their parent (Proton
/// sorts keys), and devices behind the trees.
class ProtonTree {
 public:
  explicit ProtonTree(ModuleTraceBuilder& out) : out_(&out) {}

  /// A child of the node that is open, or a root; open until `end_node`. `offset` is for messages.
  void begin_node(uint64_t offset);
  // Of the open node, in any order:
  void name(std::string_view name);
  void metrics(ProtonMetrics metrics);
  /// False: it has no name.
  bool end_node();
  bool is_inside() const noexcept { return !open_.empty(); }
  /// The file ends inside a tree: what has an end is kept, below nodes that have none.
  void cut_off();
  void device(ProfiledDevice device) { devices_.push_back(std::move(device)); }

  bool has_nodes() const noexcept;
  /// All that was read becomes steps of the builder, and the tree is empty. `part`: the number of
  /// the file among those of one profile. `path` is for messages.
  void release(const std::string& path, std::optional<int64_t> part = {});

  static constexpr std::string_view incomplete = "(incomplete)";

 private:
  static constexpr uint32_t no_parent = UINT32_MAX;
  static constexpr size_t no_name = SIZE_MAX;
  static constexpr uint32_t no_work = UINT32_MAX;
  // Steps by number; those of replays follow.
  static constexpr uint32_t profile_step = 0, profiler_step = 1;

  struct Node {
    uint64_t offset = 0;
    size_t name_at = no_name;
    size_t name_size = 0;
    uint32_t parent = no_parent;
    uint32_t end = 0;
    int64_t own_ns = 0;
    int64_t own_calls = 0;
    uint32_t work = no_work;  // index into works_
    uint32_t step = profile_step;
    bool captured_at = false;
    bool wanted = false;  // it is a node of its step: something was recorded there or below
  };
  struct Work {
    NodeCost cost;
    uint32_t device;  // index into named_devices_
  };
  /// As nodes name it.
  struct NamedDevice {
    std::string type;
    std::string id;

    friend bool operator==(const NamedDevice&, const NamedDevice&) = default;
  };
  struct Step {
    std::string key;
    std::vector<uint32_t> nodes;  // in preorder
  };

  std::string_view name_of(const Node& node) const;
  bool is_module(const Node& node) const;
  uint32_t number_of(NamedDevice device);
  uint32_t device_of(const NamedDevice& named) const;
  std::vector<Step> divide(std::optional<int64_t> part);
  std::string replay_of(uint32_t captured_at) const;
  void check_sums(const std::string& path) const;
  void write(const Step& step, uint32_t number);
  void add_cost(const Node& node);

  ModuleTraceBuilder* out_;
  GrowingArray<Node> nodes_;  // in preorder
  std::vector<uint32_t> open_;
  GrowingArray<Work> works_;
  std::vector<NamedDevice> named_devices_;
  std::vector<ProfiledDevice> devices_;
  std::vector<uint32_t> numbers_;  // of the devices in the builder
  std::string names_;
};

}  // namespace kr::trace
