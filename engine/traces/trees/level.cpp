#include "trees/level.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/integer.hpp"

namespace kr::trees {

Level named_level(std::string_view text) {
  if (text == "kernel" || text == "-1") return Level{Level::Kind::kernel};
  if (text == "module" || text == "-2") return Level{Level::Kind::module};
  if (text == "layer") return Level{Level::Kind::layer};
  if (const auto depth = integer_from<uint32_t>(text)) return Level{Level::Kind::depth, *depth};
  throw Error("", "`" + std::string(text) + "` is not a level",
              "give kernel, module, layer, or a number: 0 is the root");
}

std::string to_string(Level level) {
  switch (level.kind) {
    case Level::Kind::kernel:
      return "kernel";
    case Level::Kind::module:
      return "module";
    case Level::Kind::layer:
      return "layer";
    case Level::Kind::depth:
      break;
  }
  return std::to_string(level.depth);
}

NumberedName numbered(std::string_view name) {
  size_t digits = name.size();
  while (digits > 0 && is_digit(name[digits - 1])) --digits;
  if (digits == name.size() || digits < 2) return {name, std::nullopt};
  if (std::string_view("_. ").find(name[digits - 1]) == std::string_view::npos) {
    return {name, std::nullopt};
  }
  const auto number = integer_from(name.substr(digits));
  return {number ? name.substr(0, digits - 1) : name, number};
}

namespace {

/// By node: the distance to its farthest leaf.
template <class IsLeaf>
void measure(std::span<const trace::ModuleNode> nodes, const IsLeaf& is_leaf,
             std::vector<uint32_t>& heights) {
  heights.assign(nodes.size(), 0);
  for (auto i = static_cast<uint32_t>(nodes.size()); i-- > 0;) {
    if (is_leaf(i)) continue;
    for (uint32_t child = i + 1; child < nodes[i].end; child = nodes[child].end) {
      heights[i] = std::max(heights[i], heights[child] + 1);
    }
  }
}

}  // namespace

// A layer is a module that is called more often than its tree, or one of several siblings whose
// names differ only in their number. Profilers that add up calls produce the first form, others the
// second.
void Cutter::mark_layers(std::span<const trace::ModuleNode> nodes) {
  repeats_.assign(nodes.size(), false);
  has_layer_.assign(nodes.size(), false);
  std::unordered_map<std::string_view, uint32_t> of_stem;
  constexpr int64_t any = std::numeric_limits<int64_t>::max();
  const auto mark_siblings = [&](uint32_t first, uint32_t end, int64_t calls) {
    of_stem.clear();
    for (uint32_t i = first; i < end; i = nodes[i].end) {
      if (nodes[i].end > i + 1) ++of_stem[numbered(trace_->name(nodes[i].path)).stem];
    }
    for (uint32_t i = first; i < end; i = nodes[i].end) {
      if (nodes[i].end == i + 1) continue;
      repeats_[i] = nodes[i].invocations > std::max<int64_t>(1, calls) ||
                    of_stem[numbered(trace_->name(nodes[i].path)).stem] > 1 ||
                    (*several_)[nodes[i].path.index];
    }
  };
  const uint32_t all = static_cast<uint32_t>(nodes.size());
  mark_siblings(0, all, any);  // a root is never called more often than its tree
  for (uint32_t root = 0; root < all; root = nodes[root].end) {
    for (uint32_t i = root; i < nodes[root].end; ++i) {
      if (repeats_[i]) {
        i = nodes[i].end - 1;  // a layer in a layer is a part of it
      } else if (nodes[i].end > i + 1) {
        mark_siblings(i + 1, nodes[i].end, nodes[root].invocations);
      }
    }
  }
  for (size_t i = nodes.size(); i-- > 0;) {
    has_layer_[i] = repeats_[i];
    for (uint32_t child = static_cast<uint32_t>(i) + 1; child < nodes[i].end && !has_layer_[i];
         child = nodes[child].end) {
      has_layer_[i] = has_layer_[child];
    }
  }
  found_layers_ = std::find(repeats_.begin(), repeats_.end(), true) != repeats_.end();
}

bool Cutter::stops_at(std::span<const trace::ModuleNode> nodes, uint32_t node) const {
  if (nodes[node].end == node + 1 || (*folded_)[nodes[node].path.index]) return true;
  switch (level_.kind) {
    case Level::Kind::kernel:
      return false;
    case Level::Kind::module:
      return heights_[node] <= 1;
    case Level::Kind::layer:
      return repeats_[node] || !has_layer_[node];
    case Level::Kind::depth:
      return trace_->paths.depth(nodes[node].path) >= level_.depth;
  }
  return true;
}

void Cutter::cut(std::span<const trace::ModuleNode> nodes, std::vector<uint32_t>& shown) {
  shown.clear();
  found_layers_ = false;
  if (level_.kind == Level::Kind::module) {
    measure(
        nodes, [](uint32_t) { return false; }, heights_);
  }
  if (level_.kind == Level::Kind::layer) mark_layers(nodes);
  for (uint32_t i = 0; i < nodes.size();) {
    if (stops_at(nodes, i)) {
      shown.push_back(i);
      i = nodes[i].end;
    } else {
      ++i;
    }
  }
}

void cut_like_vllm(const trace::ModuleTrace& trace, std::span<const trace::ModuleNode> nodes,
                   Level level, const std::vector<bool>& folded, std::vector<uint32_t>& shown,
                   int64_t& lost_ns) {
  shown.clear();
  const uint32_t wanted = level.kind == Level::Kind::kernel ? 0 : 1;
  std::vector<uint32_t> heights;
  const auto leaf = [&](uint32_t i) {
    return nodes[i].end == i + 1 || folded[nodes[i].path.index];
  };
  measure(nodes, leaf, heights);
  for (uint32_t root = 0; root < nodes.size(); root = nodes[root].end) {
    if (heights[root] <= wanted) {
      shown.push_back(root);
      continue;
    }
    for (uint32_t i = root; i < nodes[root].end;) {
      const bool rest = trace.paths.name(nodes[i].path) == trace::ModuleTrace::self_name;
      if (heights[i] == wanted && !rest) {
        shown.push_back(i);
        i = nodes[i].end;
      } else if (leaf(i)) {
        lost_ns += nodes[i].total_ns;
        i = nodes[i].end;
      } else {
        ++i;
      }
    }
  }
}

}  // namespace kr::trees
