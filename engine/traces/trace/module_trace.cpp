#include "trace/module_trace.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/hash.hpp"

namespace kr::trace {
namespace {

constexpr std::string_view exceeded = "ns by which children exceed their parent node";

uint64_t hash_of(std::span<const ModuleNode> nodes) {
  uint64_t hash = nodes.size();
  for (const ModuleNode& node : nodes) {
    hash = hash_numbers(hash ^ (uint64_t{node.path.index} << 32 | node.end),
                        static_cast<uint64_t>(node.invocations));
  }
  return hash;
}

bool same_shape(const std::vector<ModuleTrace::ShapeNode>& shape,
                std::span<const ModuleNode> nodes) {
  return std::equal(shape.begin(), shape.end(), nodes.begin(), nodes.end(),
                    [](const ModuleTrace::ShapeNode& a, const ModuleNode& b) {
                      return a.path == b.path && a.end == b.end && a.invocations == b.invocations;
                    });
}

}  // namespace

PathId PathTable::add(PathId parent, NameId name, uint32_t ordinal) {
  const uint64_t hash = hash_numbers(uint64_t{parent.index} << 32 | name.index, ordinal);
  const auto next = static_cast<uint32_t>(paths_.size());
  const uint32_t number = index_.find_or_add(hash, next, [&](uint32_t known) {
    const Path& path = paths_[known];
    return path.parent == parent && path.name == name && path.ordinal == ordinal;
  });
  if (number == next) {
    paths_.push_back({parent, name, ordinal, parent.valid() ? depth(parent) + 1 : 0});
  }
  return {number};
}

const std::string* ModuleTrace::find_context(std::string_view key) const {
  for (const ContextEntry& entry : context) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

void ModuleTrace::expand(size_t step, std::vector<ModuleNode>& nodes) const {
  const std::vector<ShapeNode>& shape = shapes[steps[step].shape];
  const uint8_t* value = values.data() + steps[step].values;
  nodes.resize(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    nodes[i] = {shape[i].path, shape[i].end, 0, shape[i].invocations};
    if (shape[i].end != i + 1) continue;
    uint64_t ns = 0;
    for (int shift = 0;; shift += 7) {
      const uint8_t byte = *value++;
      ns |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) break;
    }
    nodes[i].total_ns = static_cast<int64_t>(ns);
  }
  // Backwards, every node's children are complete before it.
  for (size_t i = nodes.size(); i-- > 0;) {
    for (uint32_t child = static_cast<uint32_t>(i) + 1; child < nodes[i].end;
         child = nodes[child].end) {
      nodes[i].total_ns += nodes[child].total_ns;
    }
  }
}

ModuleTraceBuilder::ModuleTraceBuilder(std::string source, std::string format) {
  trace_.source = std::move(source);
  trace_.format = std::move(format);
  KR_CHECK(trace_.names.add("(self)", OperationKind::kernel) == ModuleTrace::self_name);
}

void ModuleTraceBuilder::begin_step(std::string key) {
  step_ = {};
  step_.key = std::move(key);
  step_dropped_.clear();
  nodes_.clear();
  open_.clear();
}

int64_t ModuleTraceBuilder::sum(int64_t a, int64_t b) const {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) {
    throw Error(trace_.source,
                "the sum of times does not fit in 64 bits of nanoseconds (step " + step_.key + ")");
  }
  return result;
}

PathId ModuleTraceBuilder::child(NameId name) {
  const PathId parent = open_.empty() ? PathId{} : nodes_[open_.back().node].path;
  const uint64_t visit = open_.empty() ? 0 : open_.back().visit;
  const PathId first = trace_.paths.add(parent, name, 1);
  if (first.index >= seen_.size()) seen_.resize(trace_.paths.size());
  Seen& seen = seen_[first.index];
  // Roots of one step share a visit too: the step's number, which no node has.
  const uint64_t mark = open_.empty() ? ~uint64_t{trace_.steps.size()} : visit;
  if (seen.visit != mark) seen = {mark, 0};
  ++seen.count;
  return seen.count == 1 ? first : trace_.paths.add(parent, name, seen.count);
}

void ModuleTraceBuilder::open(std::string_view name, uint64_t offset) {
  const PathId path = child(trace_.names.add(name, operation_kind_of(name)));
  nodes_.push_back({path, 0, 0, 0});
  open_.push_back({static_cast<uint32_t>(nodes_.size() - 1), offset, ++visits_, 0});
}

void ModuleTraceBuilder::class_of(PathId path, std::string_view name) {
  if (trace_.classes.size() <= path.index) trace_.classes.resize(path.index + 1);
  if (trace_.classes[path.index] != name) trace_.classes[path.index] = name;
}

void ModuleTraceBuilder::measured(int64_t total_ns, int64_t invocations) {
  KR_CHECK(total_ns >= 0 && invocations >= 0 && !open_.empty());
  ModuleNode& node = nodes_[open_.back().node];
  node.total_ns = total_ns;
  node.invocations = invocations;
}

void ModuleTraceBuilder::close() {
  KR_CHECK(!open_.empty());
  const Open open = open_.back();
  if (nodes_.size() > open.node + 1) {
    const int64_t own = nodes_[open.node].total_ns;
    if (own > open.children_ns) {
      const PathId self = child(ModuleTrace::self_name);
      nodes_.push_back({self, static_cast<uint32_t>(nodes_.size() + 1), own - open.children_ns, 0});
    } else if (own < open.children_ns) {
      trace::add_dropped(step_dropped_, exceeded, open.offset,
                         static_cast<uint64_t>(open.children_ns - own));
      nodes_[open.node].total_ns = open.children_ns;
    }
  }
  nodes_[open.node].end = static_cast<uint32_t>(nodes_.size());
  open_.pop_back();
  int64_t& above = open_.empty() ? step_.total_ns : open_.back().children_ns;
  above = sum(above, nodes_[open.node].total_ns);
}

void ModuleTraceBuilder::leaf_value(int64_t ns) {
  uint64_t left = static_cast<uint64_t>(ns);
  for (; left >= 0x80; left >>= 7) trace_.values.push_back(static_cast<uint8_t>(left | 0x80));
  trace_.values.push_back(static_cast<uint8_t>(left));
}

void ModuleTraceBuilder::end_step() {
  KR_CHECK(open_.empty());
  trace_.total_ns = sum(trace_.total_ns, step_.total_ns);
  for (const DroppedRecords& records : step_dropped_)
    add_dropped(records.what, records.first_offset, records.count);
  store_step(std::move(step_), nodes_);
}

void ModuleTraceBuilder::store_step(ModuleStep step, std::span<const ModuleNode> nodes) {
  const auto next = static_cast<uint32_t>(trace_.shapes.size());
  step.shape = shapes_.find_or_add(hash_of(nodes), next, [&](uint32_t known) {
    return same_shape(trace_.shapes[known], nodes);
  });
  if (step.shape == next) {
    auto& shape = trace_.shapes.emplace_back();
    shape.reserve(nodes.size());
    for (const ModuleNode& node : nodes) {
      shape.push_back({node.path, node.end, node.invocations});
    }
  }
  step.values = trace_.values.size();
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].end == i + 1) leaf_value(nodes[i].total_ns);
  }
  trace_.steps.push_back(std::move(step));
}

size_t ModuleTraceBuilder::add_step(ModuleStep step, std::span<const ModuleNode> nodes) {
  store_step(std::move(step), nodes);
  return trace_.steps.size() - 1;
}

PathId ModuleTraceBuilder::path(PathId parent, std::string_view name, uint32_t ordinal) {
  return trace_.paths.add(parent, trace_.names.add(name, operation_kind_of(name)), ordinal);
}

ModuleCosts& ModuleTraceBuilder::costs() {
  if (!trace_.costs) trace_.costs = std::make_shared<ModuleCosts>();
  return *trace_.costs;
}

void ModuleTraceBuilder::context(std::string key, std::string value) {
  trace_.context.push_back({std::move(key), std::move(value)});
}

void ModuleTraceBuilder::add_dropped(std::string_view what, uint64_t offset, uint64_t count) {
  trace::add_dropped(trace_.dropped, what, offset, count);
}

ModuleTrace ModuleTraceBuilder::finish() && {
  return std::move(trace_);
}

}  // namespace kr::trace
