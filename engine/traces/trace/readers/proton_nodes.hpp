// Reads the nodes of a Proton profile: `{"frame": {"name": …}, "metrics": {…}, "children": […]}`,
// out of JSON or MessagePack.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/readers/layerwise_forest.hpp"
#include "trace/readers/proton_tree.hpp"

namespace kr::trace {

/// The next value, which has to be a whole number, not negative; `4e3` is one. Throws Error.
template <class Pull>
int64_t read_whole(Pull& values);

/// What was found in the nodes of a profile.
struct ProtonFound {
  /// Metrics that no other part of kr reads, with how many nodes have them.
  std::map<std::string, uint64_t, std::less<>> unread;
  bool times = false;
};

/// `Pull` is JsonPull or MsgpackPull.
/// What the name of a metric means.
struct ProtonMetricName {
  uint32_t bit = 0;  // 0: not known
  int exponent = 0;  // of a time: 10^exponent ns
  FlopWidth width = FlopWidth::any;
};

template <class Pull>
class ProtonNodes {
 public:
  /// All have to live as long. `strict`: a time that cannot be right is an Error, else it is
  /// counted, and none.
  ProtonNodes(Pull& values, ProtonTree& tree, ProtonFound& found, ModuleTraceBuilder& out,
              bool strict)
      : values_(&values), tree_(&tree), found_(&found), out_(&out), strict_(strict) {}

  /// A root whose object, at `offset`, was entered, at its first member.
  void read(uint64_t offset);

 private:
  void begin_node(uint64_t offset);
  bool find_children(bool at_member);
  void end_node();
  void read_frame();
  void read_metrics();
  ProtonMetricName metric_of(std::string_view key);
  std::optional<double> flops();
  std::optional<int64_t> bytes();
  int64_t time(int exponent);
  std::string text();
  bool is_absent();
  bool is_usable(std::string_view number);
  void once(bool is_new) const;

  Pull* values_;
  ProtonTree* tree_;
  ProtonFound* found_;
  ModuleTraceBuilder* out_;
  bool strict_;
  std::vector<SeenKeys> seen_;                                     // of nodes that are open
  std::vector<std::pair<std::string, ProtonMetricName>> metrics_;  // the first that there were
  size_t next_metric_ = 0;  // after the last: nodes have them in one order
};

}  // namespace kr::trace
