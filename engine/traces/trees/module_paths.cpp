#include "trees/module_paths.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/ascii.hpp"
#include "trees/level.hpp"

namespace kr::trees {
namespace {

using trace::HostRange;

/// `layers.*.mlp` of `layers.3.mlp`: modules of one class.
std::string without_numbers(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (!is_digit(c)) {
      out += c;
    } else if (!out.ends_with('*')) {
      out += '*';
    }
  }
  return out;
}

/// The modules of one description. Node 0 is above all.
class ModuleForest {
 public:
  struct Node {
    std::string_view name;
    uint32_t parent = 0;
    trace::NameId first = {};  // the name of its first operation
    int64_t start_ns = 0;      // of its first range
    std::vector<uint32_t> children = {};
  };

  explicit ModuleForest(const trace::HostTrace& host)
      : host_(&host), node_of_(host.ranges.size(), 0) {}

  /// The innermost module of an operation.
  void add(uint32_t range, trace::NameId operation) {
    for (; range != HostRange::none && node_of_[range] == 0; range = outer(range)) {
      path_.push_back(range);
    }
    uint32_t node = range == HostRange::none ? 0 : node_of_[range];
    for (; !path_.empty(); path_.pop_back()) {
      const HostRange& here = host_->ranges[path_.back()];
      const uint32_t name = here.name;
      const auto next = static_cast<uint32_t>(nodes_.size());
      const auto [at, added] = known_.try_emplace({node, name}, next);
      if (added) {
        nodes_.push_back({host_->range_names[name], node, operation, here.start_ns});
        nodes_[node].children.push_back(next);
      }
      nodes_[at->second].start_ns = std::min(nodes_[at->second].start_ns, here.start_ns);
      node = node_of_[path_.back()] = at->second;
    }
  }

  /// Of calls: the host calls them in order, whichever stream runs first.
  void order_by_start() {
    for (Node& node : nodes_) {
      std::ranges::stable_sort(node.children, {},
                               [&](uint32_t child) { return nodes_[child].start_ns; });
    }
  }

  /// Of paths: streams may run the modules of one layer in another order than those of the rest.
  /// `layers.3.mlp` has the order that `layers.*.mlp` has on average.
  void order_by_mean() {
    std::map<std::pair<std::string, std::string_view>, std::pair<size_t, size_t>> places;
    const auto place = [&](const Node& node, uint32_t child) -> std::pair<size_t, size_t>& {
      return places[{without_numbers(node.name),
                     trace::module_below(nodes_[child].name, node.name)}];
    };
    for (const Node& node : nodes_) {
      for (size_t i = 0; i < node.children.size(); ++i) {
        auto& [sum, count] = place(node, node.children[i]);
        sum += i;
        ++count;
      }
    }
    for (Node& node : nodes_) {
      std::ranges::stable_sort(node.children, {}, [&](uint32_t child) {
        const auto [sum, count] = place(node, child);
        return static_cast<double>(sum) / static_cast<double>(count);
      });
    }
  }

  const Node& operator[](uint32_t node) const { return nodes_[node]; }
  size_t size() const noexcept { return nodes_.size(); }
  /// 0: not seen.
  uint32_t node_of(uint32_t range) const noexcept { return node_of_[range]; }

 private:
  uint32_t outer(uint32_t range) const {
    do {
      range = host_->ranges[range].parent;
    } while (range != HostRange::none && host_->ranges[range].kind != HostRange::Kind::module);
    return range;
  }

  const trace::HostTrace* host_;
  std::vector<Node> nodes_{1};
  std::vector<uint32_t> node_of_;  // by range
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> known_;
  std::vector<uint32_t> path_;
};

/// Nodes that are one module, as pairs of paths and calls.
using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

/// Those below two nodes. By position if there are as many of both, and as many below each.
/// Otherwise, as if a path is of no module (`loss`), by the names of their first operations where
/// there are as many of both.
void add_pairs(const ModuleForest& paths, const ModuleForest& calls,
               const std::vector<uint32_t>& left, const std::vector<uint32_t>& right,
               Pairs& pairs) {
  const bool alike = std::ranges::equal(left, right, [&](uint32_t path, uint32_t call) {
    return paths[path].children.size() == calls[call].children.size();
  });
  if (alike) {
    for (size_t k = 0; k < left.size(); ++k) pairs.emplace_back(left[k], right[k]);
    return;
  }
  std::map<uint32_t, std::pair<std::vector<uint32_t>, std::vector<uint32_t>>> by_first;
  for (const uint32_t path : left) by_first[paths[path].first.index].first.push_back(path);
  for (const uint32_t call : right) by_first[calls[call].first.index].second.push_back(call);
  for (const auto& [name, both] : by_first) {
    if (both.first.size() != both.second.size()) continue;
    for (size_t k = 0; k < both.first.size(); ++k) {
      pairs.emplace_back(both.first[k], both.second[k]);
    }
  }
}

Pairs same_modules(const ModuleForest& paths, const ModuleForest& calls, uint32_t top) {
  Pairs pairs{{0, top}};
  for (size_t i = 0; i < pairs.size(); ++i) {
    add_pairs(paths, calls, paths[pairs[i].first].children, calls[pairs[i].second].children, pairs);
  }
  return pairs;
}

/// `MLP_3`, as the profiler numbers the instances of a class.
bool is_instance(std::string_view name) {
  const NumberedName parts = numbered(name);
  return parts.number && name.size() > parts.stem.size() && name[parts.stem.size()] == '_';
}

}  // namespace

ModulePaths::ModulePaths(const trace::Trace& trace, const classify::Attribution& attribution) {
  if (!trace.host || attribution.by_creation.empty()) return;
  const trace::HostTrace& host = *trace.host;
  ModuleForest paths(host), calls(host);
  for (size_t i = 0; i < trace.operations.size(); ++i) {
    const uint32_t range = attribution.module_of[i];
    if (range == none) continue;
    if (!host.threads[host.ranges[range].thread].other_clock) {
      calls.add(range, trace.operations[i].name);
    } else if (host.creation(i)->aligned == 0) {
      paths.add(range, trace.operations[i].name);
    }
  }
  if (paths.size() == 1 || calls.size() == 1) return;
  paths.order_by_mean();
  calls.order_by_start();
  // The model may be in others that call nothing else.
  Pairs best;
  std::vector<uint32_t> tops = calls[0].children;
  tops.insert(tops.begin(), 0);
  for (size_t i = 0; i < tops.size(); ++i) {
    Pairs pairs = same_modules(paths, calls, tops[i]);
    if (pairs.size() > best.size()) best = std::move(pairs);
    const std::vector<uint32_t>& below = calls[tops[i]].children;
    if (tops[i] != 0 && below.size() == 1) tops.push_back(below[0]);
  }
  std::map<std::string, std::string_view> class_of;  // by path without numbers; empty: several
  for (const auto& [path, call] : std::span(best).subspan(1)) {
    const std::string_view name = calls[call].name;
    const std::string_view own = is_instance(name) ? numbered(name).stem : std::string_view();
    const auto [at, added] = class_of.try_emplace(without_numbers(paths[path].name), own);
    if (at->second != own) at->second = {};
  }
  std::vector<uint32_t> of_path(paths.size(), none), of_call(calls.size(), none);
  for (const auto& [path, call] : std::span(best).subspan(1)) {
    const std::string_view name = class_of.at(without_numbers(paths[path].name));
    if (name.empty()) continue;
    of_path[path] = of_call[call] = static_cast<uint32_t>(modules_.size());
    modules_.push_back({paths[path].name, name});
  }
  if (modules_.empty()) return;
  module_of_.assign(host.ranges.size(), none);
  outermost_.assign(host.ranges.size(), false);
  std::vector<bool> top(paths.size(), false);
  for (const uint32_t child : paths[0].children) top[child] = true;
  for (uint32_t range = 0; range < host.ranges.size(); ++range) {
    const uint32_t path = paths.node_of(range), call = calls.node_of(range);
    if (path != 0) module_of_[range] = of_path[path];
    if (call != 0) module_of_[range] = of_call[call];
    outermost_[range] = path != 0 && top[path];
  }
  for (uint32_t call = best[0].second; call != 0; call = calls[call].parent) {
    above_.insert(above_.begin(), calls[call].name);
  }
}

}  // namespace kr::trees
