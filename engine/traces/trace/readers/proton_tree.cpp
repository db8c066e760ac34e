#include "trace/readers/proton_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "trace/readers/json_pull.hpp"

namespace kr::trace {
namespace {

void add_checked(int64_t& sum, int64_t one, const std::string& path, uint64_t offset,
                 const char* what) {
  if (!__builtin_add_overflow(sum, one, &sum)) return;
  throw Error(path, Error::Place{.line = {}, .offset = offset},
              fmt::format("the sum of {} does not fit in 64 bits", what), JsonPull::usual_remedy());
}

}  // namespace

bool is_proton_own(std::string_view name) noexcept {
  return name == "__proton_launch_metadata" || name == "<metric>";
}

void ProtonTree::begin_node(uint64_t offset) {
  Node node;
  node.offset = offset;
  if (!open_.empty()) node.parent = open_.back();
  nodes_.push_back(node);
  open_.push_back(static_cast<uint32_t>(nodes_.size() - 1));
}

void ProtonTree::name(std::string_view name) {
  Node& node = nodes_[open_.back()];
  node.name_at = names_.size();
  node.name_size = name.size();
  names_ += name;
}

void ProtonTree::metrics(ProtonMetrics metrics) {
  Node& node = nodes_[open_.back()];
  node.own_ns = metrics.ns;
  node.own_calls = metrics.calls;
  if (!metrics.cost.has_flops() && !metrics.cost.bytes && metrics.device_id.empty()) return;
  node.work = static_cast<uint32_t>(works_.size());
  works_.push_back(
      {metrics.cost, number_of({std::move(metrics.device_type), std::move(metrics.device_id)})});
}

// Most are the one of the node before; a file that names a device of its own for each node is
// allowed to be large.
uint32_t ProtonTree::number_of(NamedDevice device) {
  constexpr size_t max_searched = 64;
  if (!works_.empty()) {
    const uint32_t last = works_[works_.size() - 1].device;
    if (named_devices_[last] == device) return last;
  }
  const size_t first = named_devices_.size() - std::min(named_devices_.size(), max_searched);
  for (size_t i = first; i < named_devices_.size(); ++i) {
    if (named_devices_[i] == device) return static_cast<uint32_t>(i);
  }
  named_devices_.push_back(std::move(device));
  return static_cast<uint32_t>(named_devices_.size() - 1);
}

bool ProtonTree::end_node() {
  Node& node = nodes_[open_.back()];
  node.end = static_cast<uint32_t>(nodes_.size());
  open_.pop_back();
  return node.name_at != no_name;
}

void ProtonTree::cut_off() {
  for (; !open_.empty(); open_.pop_back()) {
    const uint32_t last = open_.back();
    if (last + 1 == nodes_.size()) {
      nodes_.truncate(last);
    } else {
      nodes_[last].end = static_cast<uint32_t>(nodes_.size());
    }
  }
}

std::string_view ProtonTree::name_of(const Node& node) const {
  if (node.name_at == no_name) return incomplete;
  return std::string_view(names_).substr(node.name_at, node.name_size);
}

// The root that Proton puts above all scopes, unless it has something of its own. Zeros do not
// count: Proton writes them there for each metric that some node has.
bool ProtonTree::is_module(const Node& node) const {
  if (node.parent != no_parent) return true;
  if (node.name_at == no_name) return false;
  if (name_of(node) != proton_root || node.own_ns != 0 || node.own_calls != 0) return true;
  if (node.work == no_work) return false;
  const NodeCost& cost = works_[node.work].cost;
  return cost.bytes.value_or(0) != 0 ||
         std::any_of(cost.flops.begin(), cost.flops.end(),
                     [](const auto& one) { return one.value_or(0) != 0; });
}

bool ProtonTree::has_nodes() const noexcept {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [&](const Node& node) { return is_module(node); });
}

// In the builder. Unknown where the file has several like it.
uint32_t ProtonTree::device_of(const NamedDevice& named) const {
  uint32_t found = NodeCost::no_device;
  for (size_t i = 0; i < devices_.size(); ++i) {
    const bool fits =
        devices_[i].id == named.id && (named.type.empty() || devices_[i].type == named.type);
    if (!fits) continue;
    if (found != NodeCost::no_device) return NodeCost::no_device;
    found = numbers_[i];
  }
  return found;
}

// The names above, without the root: which replay it is. Of many only the ends.
std::string ProtonTree::replay_of(uint32_t captured_at) const {
  constexpr size_t max_names = 16, max_bytes = 200;
  std::vector<std::string_view> above;
  for (uint32_t i = nodes_[captured_at].parent; i != no_parent; i = nodes_[i].parent) {
    if (is_module(nodes_[i]) && !nodes_[i].captured_at) above.push_back(name_of(nodes_[i]));
  }
  std::string key;
  for (size_t i = above.size(); i-- > 0;) {
    if (!key.empty()) key += " > ";
    if (above.size() > max_names && i + 1 == above.size() - max_names / 2) {
      key += "…";
      i = max_names / 2;
    } else {
      key += above[i].substr(0, max_bytes);
    }
  }
  return key.empty() ? "replay" : key;
}

std::vector<ProtonTree::Step> ProtonTree::divide(std::optional<int64_t> part) {
  std::vector<Step> steps(2);
  steps[profile_step].key = part ? fmt::format("profile_{}", *part) : "profile";
  steps[profiler_step].key = "profiler";
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    if (node.parent != no_parent) node.step = nodes_[node.parent].step;
    if (node.step == profiler_step || node.name_at == no_name) continue;
    if (is_proton_own(name_of(node))) {
      node.step = profiler_step;
    } else if (name_of(node) == proton_captured_at) {
      node.captured_at = true;
      node.step = static_cast<uint32_t>(steps.size());
      steps.push_back({replay_of(i), {}});
    }
  }
  for (size_t i = nodes_.size(); i-- > 0;) {
    Node& node = nodes_[i];
    const bool is_leaf = node.end == i + 1;
    const bool own = node.own_ns != 0 || node.own_calls != 0 || node.work != no_work;
    // What is not a module has modules below it, if anything.
    node.wanted = node.captured_at ? is_leaf || own : node.wanted || is_leaf || own;
    if (node.parent == no_parent || !node.wanted || node.captured_at) continue;
    Node& parent = nodes_[node.parent];
    if (parent.step == node.step && !parent.captured_at) parent.wanted = true;
  }
  std::vector<bool> above_profiler(nodes_.size());
  std::vector<uint32_t> path;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (!node.wanted) continue;
    std::vector<uint32_t>& nodes = steps[node.step].nodes;
    if (node.step == profiler_step) {
      for (uint32_t at = node.parent; at != no_parent && nodes_[at].step != profiler_step &&
                                      !nodes_[at].captured_at && !above_profiler[at];
           at = nodes_[at].parent) {
        above_profiler[at] = true;
        path.push_back(at);
      }
      nodes.insert(nodes.end(), path.rbegin(), path.rend());
      path.clear();
    }
    nodes.push_back(i);
  }
  return steps;
}

void ProtonTree::add_cost(const Node& node) {
  ModuleCosts& costs = out_->costs();
  NodeCost cost = works_[node.work].cost;
  cost.step = out_->steps();
  cost.node = out_->open_node();
  cost.device = device_of(named_devices_[works_[node.work].device]);
  costs.has_amounts |= cost.has_flops() || cost.bytes.has_value();
  costs.nodes.push_back(cost);
}

// No sum in any step is larger than that of all below a node.
void ProtonTree::check_sums(const std::string& path) const {
  std::vector<std::pair<int64_t, int64_t>> sums(nodes_.size());
  for (size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[i];
    auto& [ns, calls] = sums[i];
    add_checked(ns, node.own_ns, path, node.offset, "times in nanoseconds");
    add_checked(calls, node.own_calls, path, node.offset, "counts");
    if (node.parent == no_parent) continue;
    const uint64_t offset = nodes_[node.parent].offset;
    add_checked(sums[node.parent].first, ns, path, offset, "times in nanoseconds");
    add_checked(sums[node.parent].second, calls, path, offset, "counts");
  }
}

// What nodes have of their own becomes what they have with all below them.
void ProtonTree::write(const Step& step, uint32_t number) {
  struct Open {
    uint32_t node;
    int64_t ns;
    int64_t calls;
  };
  std::vector<Open> open;
  const auto close = [&] {
    const Open one = open.back();
    out_->measured(one.ns, one.calls);
    out_->close();
    open.pop_back();
    if (open.empty()) return;
    open.back().ns += one.ns;
    open.back().calls += one.calls;
  };
  out_->begin_step(step.key);
  for (const uint32_t i : step.nodes) {
    const Node& node = nodes_[i];
    if (!is_module(node)) continue;
    // Modules of a capture are not below those of its replay.
    const bool is_root = node.captured_at || node.parent == no_parent ||
                         nodes_[node.parent].captured_at || !is_module(nodes_[node.parent]);
    const uint32_t parent = is_root ? no_parent : node.parent;
    while (!open.empty() && open.back().node != parent) close();
    out_->open(name_of(node), node.offset);
    const bool own = node.step == number;
    open.push_back({i, own ? node.own_ns : 0, own ? node.own_calls : 0});
    if (own && node.work != no_work) add_cost(node);
  }
  while (!open.empty()) close();
  out_->end_step();
}

void ProtonTree::release(const std::string& path, std::optional<int64_t> part) {
  check_sums(path);
  // Those of other parts of the profile are listed already.
  std::vector<ProfiledDevice>& known = out_->costs().devices;
  const size_t of_others = known.size();
  for (const ProfiledDevice& device : devices_) {
    size_t number = 0;
    while (number < of_others &&
           (known[number].type != device.type || known[number].id != device.id)) {
      ++number;
    }
    if (number == of_others) number = known.size();
    numbers_.push_back(static_cast<uint32_t>(number));
    if (number == known.size()) known.push_back(device);
  }
  std::vector<NodeCost>& costs = out_->costs().nodes;
  costs.reserve(costs.size() + works_.size());
  const std::vector<Step> steps = divide(part);
  const auto has_modules = [&](const Step& step) {
    return std::ranges::any_of(step.nodes, [&](uint32_t i) { return is_module(nodes_[i]); });
  };
  const bool any = std::ranges::any_of(steps, has_modules);
  // What Proton ran for itself comes last.
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < steps.size(); ++i) {
    if (i != profiler_step) order.push_back(i);
  }
  order.push_back(profiler_step);
  for (const uint32_t i : order) {
    if (has_modules(steps[i]) || (!any && i == profile_step)) write(steps[i], i);
  }
  *this = ProtonTree(*out_);
}

}  // namespace kr::trace
