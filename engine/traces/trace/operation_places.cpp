#include "trace/operation_places.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace kr::trace {

uint32_t OperationPlaces::add(std::span<const Level> levels) {
  uint32_t node = 0;
  for (const Level& level : levels) {
    const uint32_t name = out_->range_name(level.name);
    const auto next = static_cast<uint32_t>(nodes_.size());
    const auto [at, added] = known_.try_emplace({node, {level.kind, name}}, next);
    if (added) {
      nodes_.push_back({0, nodes_[node].first_child, name, HostRange::none, level.kind});
      nodes_[node].first_child = next;
    }
    node = at->second;
  }
  uint32_t& creation = nodes_[node].creation;
  if (creation == HostRange::none) {
    GrowingArray<NodeCreation>& creations = out_->host().creations;
    creation = static_cast<uint32_t>(creations.size());
    creations.push_back({0, 0});  // placed by `finish`
  }
  return creation;
}

std::vector<std::string_view> OperationPlaces::modules_of(std::string_view path) {
  std::vector<std::string_view> modules;
  const auto is_number = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, [](char c) { return is_digit(c); });
  };
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('.', begin), path.size());
    const bool joined = is_number(path.substr(begin, end - begin)) && !modules.empty();
    if (joined) modules.pop_back();
    modules.push_back(path.substr(0, end));
    begin = end + 1;
  }
  return modules;
}

void OperationPlaces::finish() {
  if (known_.empty() && nodes_[0].creation == HostRange::none) return;
  HostTrace& host = out_->host();
  const uint32_t thread = out_->thread({process_, "", false, true});
  int64_t now = 0;
  struct Open {
    uint32_t node;
    int64_t start_ns;
    uint32_t next;  // child
  };
  std::vector<Open> open;
  const auto enter = [&](uint32_t node) {
    const Node& one = nodes_[node];
    open.push_back({node, now, one.first_child});
    if (one.creation != HostRange::none) host.creations[one.creation] = {now, thread};
    ++now;
  };
  enter(0);
  while (!open.empty()) {
    if (const uint32_t child = open.back().next; child != 0) {
      open.back().next = nodes_[child].next;
      enter(child);
      continue;
    }
    const Open done = open.back();
    open.pop_back();
    if (done.node == 0) continue;
    const Node& one = nodes_[done.node];
    host.ranges.push_back({done.start_ns, now, one.name, thread, HostRange::none, one.kind});
    ++now;
  }
}

}  // namespace kr::trace
