#include "trees/module_paths.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/ascii.hpp"
#include "trees/level.hpp"

namespace kr::trees {
namespace {

using trace::HostRange;

/// The modules of one description. Node 0 is above all.
class ModuleForest {
 public:
  struct Node {
    std::string_view name;
    uint32_t parent = 0;
    std::vector<uint32_t> children = {};
  };

  explicit ModuleForest(const trace::HostTrace& host)
      : host_(&host), node_of_(host.ranges.size(), 0) {}

  /// The innermost module of an operation.
  void add(uint32_t range) {
    for (; range != HostRange::none && node_of_[range] == 0; range = outer(range)) {
      path_.push_back(range);
    }
    uint32_t node = range == HostRange::none ? 0 : node_of_[range];
    for (; !path_.empty(); path_.pop_back()) {
      const uint32_t name = host_->ranges[path_.back()].name;
      const auto next = static_cast<uint32_t>(nodes_.size());
      const auto [at, added] = known_.try_emplace({node, name}, next);
      if (added) {
        nodes_.push_back({host_->range_names[name], node});
        nodes_[node].children.push_back(next);
      }
      node = node_of_[path_.back()] = at->second;
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

/// Nodes with the same position below two nodes, as pairs of paths and calls.
using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

Pairs same_positions(const ModuleForest& paths, const ModuleForest& calls, uint32_t top) {
  Pairs pairs{{0, top}};
  for (size_t i = 0; i < pairs.size(); ++i) {
    const std::vector<uint32_t>& left = paths[pairs[i].first].children;
    const std::vector<uint32_t>& right = calls[pairs[i].second].children;
    // Where the order differs, as of modules on several streams, most often the sizes do, too.
    const bool alike = std::ranges::equal(left, right, [&](uint32_t path, uint32_t call) {
      return paths[path].children.size() == calls[call].children.size();
    });
    if (!alike) continue;
    for (size_t k = 0; k < left.size(); ++k) pairs.emplace_back(left[k], right[k]);
  }
  return pairs;
}

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
      calls.add(range);
    } else if (host.creation(i)->aligned == 0) {
      paths.add(range);
    }
  }
  if (paths.size() == 1 || calls.size() == 1) return;
  // The model may be in others that call nothing else.
  Pairs best;
  std::vector<uint32_t> tops = calls[0].children;
  tops.insert(tops.begin(), 0);
  for (size_t i = 0; i < tops.size(); ++i) {
    Pairs pairs = same_positions(paths, calls, tops[i]);
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
