#include "trees/names.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "base/utf8.hpp"

namespace kr::trees {
namespace {

std::string element_text(const trace::ModuleTrace& trace, trace::PathId path) {
  std::string text(trace.name(path));
  if (const uint32_t ordinal = trace.paths.ordinal(path); ordinal > 1) {
    text += " #" + std::to_string(ordinal);
  }
  return text;
}

/// The node's own name and the names of `above` nodes above it.
std::string name_with(const trace::ModuleTrace& trace, trace::PathId path, uint32_t above) {
  std::string text = element_text(trace, path);
  for (; above > 0; --above) {
    path = trace.paths.parent(path);
    text += " <- " + element_text(trace, path);
  }
  return text;
}

bool same_element(const trace::PathTable& paths, trace::PathId a, trace::PathId b) {
  return paths.name(a) == paths.name(b) && paths.ordinal(a) == paths.ordinal(b);
}

/// The number of elements that two paths share, from the node upwards.
uint32_t shared(const trace::PathTable& paths, trace::PathId a, trace::PathId b) {
  uint32_t count = 0;
  for (; a.valid() && b.valid() && same_element(paths, a, b); ++count) {
    a = paths.parent(a);
    b = paths.parent(b);
  }
  return count;
}

/// The order of paths from the node upwards; a path comes before those that continue it.
bool before(const trace::PathTable& paths, trace::PathId a, trace::PathId b) {
  for (; a.valid() && b.valid(); a = paths.parent(a), b = paths.parent(b)) {
    if (a == b) return false;
    if (paths.name(a) != paths.name(b)) return paths.name(a) < paths.name(b);
    if (paths.ordinal(a) != paths.ordinal(b)) return paths.ordinal(a) < paths.ordinal(b);
  }
  return b.valid();
}

}  // namespace

std::string path_text(const trace::ModuleTrace& trace, trace::PathId path, bool with_ordinals) {
  std::vector<trace::PathId> elements;
  for (; path.valid(); path = trace.paths.parent(path)) elements.push_back(path);
  std::string text;
  for (auto element = elements.rbegin(); element != elements.rend(); ++element) {
    if (!text.empty()) text += " > ";
    text += with_ordinals ? element_text(trace, *element) : std::string(trace.name(*element));
  }
  return text;
}

std::vector<std::string> unique_names(const trace::ModuleTrace& trace,
                                      std::span<const trace::PathId> paths) {
  const trace::PathTable& table = trace.paths;
  std::vector<size_t> order(paths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return before(table, paths[a], paths[b]); });
  // In this order, a path shares the most elements with one of its neighbours.
  std::vector<uint32_t> above(paths.size(), 0);
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    const uint32_t common = shared(table, paths[order[i]], paths[order[i + 1]]);
    for (const size_t one : {order[i], order[i + 1]}) {
      above[one] = std::max(above[one], std::min(common, table.depth(paths[one])));
    }
  }
  std::vector<std::string> names(paths.size());
  for (size_t i = 0; i < paths.size(); ++i) names[i] = name_with(trace, paths[i], above[i]);
  // Only names that contain ` <- ` themselves can still be equal.
  std::unordered_map<std::string_view, size_t> first;
  std::vector<size_t> equal;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto [known, added] = first.try_emplace(names[i], i);
    if (!added) equal.insert(equal.end(), {known->second, i});
  }
  first.clear();
  for (const size_t i : equal) names[i] = name_with(trace, paths[i], table.depth(paths[i]));
  if (!equal.empty()) make_distinct(names, 0);
  return names;
}

std::string with_count(std::string name, uint64_t count) {
  if (count > 1)
    name.insert(std::min(name.find(" <- "), name.size()), " ×" + std::to_string(count));
  return name;
}

std::string cut_at_end(std::string text, size_t width) {
  constexpr std::string_view dots = "...";
  if (width == 0 || text.size() <= width) return text;
  const size_t keep = width > dots.size() ? width - dots.size() : width;
  size_t characters = 0, kept = text.size();
  for (size_t i = 0; i < text.size(); ++i) {
    if (continues_character(text[i])) continue;
    if (characters == keep) kept = i;
    if (++characters > width) {
      text.resize(kept);
      if (width > dots.size()) text += dots;
      break;
    }
  }
  return text;
}

void make_distinct(std::vector<std::string>& names, size_t width) {
  std::unordered_map<std::string, uint32_t> counts;
  for (const std::string& name : names) ++counts[name];
  if (counts.size() == names.size()) return;
  std::unordered_set<std::string> taken;
  for (const auto& [name, count] : counts) {
    if (count == 1) taken.insert(name);
  }
  std::unordered_map<std::string, uint32_t> next;
  for (std::string& name : names) {
    if (counts[name] == 1) continue;
    const std::string base = name;
    uint32_t& number = next[base];
    do {
      ++number;
      if (number > 1) {
        const std::string mark = " #" + std::to_string(number);
        name = cut_at_end(base, width > mark.size() ? width - mark.size() : width) + mark;
      }
    } while (!taken.insert(name).second);
  }
}

}  // namespace kr::trees
