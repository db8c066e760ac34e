// Views of module trees against a slow reading of what they are to be.
#include "trees/view.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <set>

#include "support/module_trees.hpp"
#include "support/rounds.hpp"
#include "support/rules.hpp"
#include "trees/names.hpp"

namespace {

using kr::test::Forest;
using kr::test::Tree;
using kr::trees::Level;

const char* const view_rules = R"(
labels substage { gemm attn sampling misc }
engine e "E" {
  fold Sampler, (within "Sampler" & "layers")
  substage {
    attn: within "attn" | "attn"
    gemm: "gemm"
    sampling: ^"Sampler"$
    misc: otherwise
  }
}
)";

/// A node that is shown: names from the root, and its time.
struct Shown {
  std::vector<std::string> path;
  int64_t ns = 0;
  int64_t calls = 0;
  friend bool operator==(const Shown&, const Shown&) = default;
};

int height(const Tree& tree) {
  int result = 0;
  for (const Tree& child : tree.children) result = std::max(result, height(child) + 1);
  return result;
}

bool folded(const std::vector<std::string>& path) {
  if (path.back() == "Sampler") return true;
  const bool inside = std::any_of(path.begin(), path.end() - 1, [](const std::string& name) {
    return name.find("Sampler") != std::string::npos;
  });
  return inside && path.back().find("layers") != std::string::npos;
}

void cut(const Tree& tree, Level level, std::vector<std::string>& path, std::vector<Shown>& out) {
  path.push_back(tree.name);
  const bool stop = tree.children.empty() || folded(path) ||
                    (level.kind == Level::Kind::module && height(tree) <= 1) ||
                    (level.kind == Level::Kind::depth && path.size() - 1 >= level.depth);
  if (stop) {
    out.push_back({path, tree.ns, tree.calls});
  } else {
    for (const Tree& child : tree.children) cut(child, level, path, out);
  }
  path.pop_back();
}

std::vector<Shown> cut(const Forest& forest, Level level) {
  std::vector<Shown> out;
  std::vector<std::string> path;
  for (const Tree& tree : forest) cut(tree, level, path, out);
  return out;
}

/// What vLLM's script keeps of a tree as the file has it.
void fold_like_vllm(Tree& tree) {
  if (tree.name == "Sampler") {
    tree.children.clear();
    return;
  }
  for (Tree& child : tree.children) fold_like_vllm(child);
}

void entries_at(int wanted, const Tree& tree, bool root, std::vector<std::string> path,
                std::vector<Shown>& out) {
  path.push_back(tree.name);
  if (root && height(tree) <= wanted) {
    out.push_back({path, tree.ns, tree.calls});
    return;
  }
  if (height(tree) == wanted) out.push_back({path, tree.ns, tree.calls});
  for (const Tree& child : tree.children) entries_at(wanted, child, false, path, out);
}

std::vector<std::string> names_of(const kr::trace::ModuleTrace& trace, kr::trace::PathId path) {
  std::vector<std::string> names;
  for (; path.valid(); path = trace.paths.parent(path)) names.emplace_back(trace.name(path));
  std::reverse(names.begin(), names.end());
  return names;
}

struct Made {
  std::vector<Forest> forests;  // settled
  std::vector<Forest> as_given;
  std::unique_ptr<kr::trees::LabelledModules> modules;
};

Made make(const kr::match::CompiledRules& rules, uint32_t seed) {
  kr::test::RandomForests random(seed);
  kr::trace::ModuleTraceBuilder builder("test.json", "layerwise-json");
  Made made;
  Forest forest = random.forest();
  const size_t steps = 1 + random.below(6);
  for (size_t i = 0; i < steps; ++i) {
    if (random.one_in(3)) forest = random.forest();
    if (random.one_in(2)) random.change_times(forest);
    const std::string key = i == 0 ? "prefill" : "decode_" + std::to_string(i);
    give_step(builder, key, forest);
    made.as_given.push_back(forest);
    Forest settled = forest;
    for (Tree& tree : settled) settle(tree);
    made.forests.push_back(std::move(settled));
  }
  made.modules = kr::trees::label_modules(rules, {"test.json", "e", "default", {}},
                                          std::move(builder).finish());
  return made;
}

std::vector<Shown> shown(const kr::trees::TreeView& view, size_t step) {
  std::vector<kr::trace::ModuleNode> nodes;
  std::vector<kr::trees::ViewRow> rows;
  view.rows(step, nodes, rows);
  std::vector<Shown> out;
  for (const kr::trees::ViewRow& row : rows) {
    out.push_back({names_of(view.trace(), row.path), row.total_ns, row.invocations});
  }
  return out;
}

int64_t sum(const Forest& forest) {
  int64_t total = 0;
  for (const Tree& tree : forest) total += tree.ns;
  return total;
}

}  // namespace

TEST_CASE("a forest is kept as it is, with own time below its node") {
  const kr::match::CompiledRules rules = kr::test::compile(view_rules);
  // Own time of 1 ns is dropped: found in round 30.
  for (uint32_t seed = 0; seed < kr::test::rounds(500, 30); ++seed) {
    CAPTURE(seed);
    const Made made = make(rules, seed);
    const kr::trace::ModuleTrace& trace = made.modules->trace;
    REQUIRE(trace.steps.size() == made.forests.size());
    std::vector<kr::trace::ModuleNode> nodes;
    for (size_t i = 0; i < made.forests.size(); ++i) {
      trace.expand(i, nodes);
      size_t at = 0;
      std::vector<std::string> path;
      const std::function<void(const Tree&)> same = [&](const Tree& tree) {
        path.push_back(tree.name);
        REQUIRE(at < nodes.size());
        const kr::trace::ModuleNode node = nodes[at++];
        CHECK(names_of(trace, node.path) == path);
        CHECK(node.total_ns == tree.ns);
        CHECK(node.invocations == tree.calls);
        for (const Tree& child : tree.children) same(child);
        CHECK(node.end == at);
        path.pop_back();
      };
      for (const Tree& tree : made.forests[i]) same(tree);
      CHECK(at == nodes.size());
      CHECK(trace.steps[i].total_ns == sum(made.forests[i]));
    }
  }
}

TEST_CASE("what a level shows is what the slow cut shows, and adds up to the step") {
  const kr::match::CompiledRules rules = kr::test::compile(view_rules);
  std::vector<Level> levels{{Level::Kind::kernel, 0}, {Level::Kind::module, 0}};
  for (uint32_t depth = 0; depth < 8; ++depth) levels.push_back({Level::Kind::depth, depth});
  // The height of a node is that of its first child: found in round 2.
  for (uint32_t seed = 0; seed < kr::test::rounds(500, 2); ++seed) {
    CAPTURE(seed);
    const Made made = make(rules, seed);
    for (const Level level : levels) {
      CAPTURE(kr::trees::to_string(level));
      const kr::trees::TreeView view(rules, *made.modules, {.level = level});
      for (size_t i = 0; i < made.forests.size(); ++i) {
        const std::vector<Shown> rows = shown(view, i);
        CHECK(rows == cut(made.forests[i], level));
        int64_t total = 0;
        for (const Shown& row : rows) total += row.ns;
        CHECK(total == sum(made.forests[i]));
      }
    }
  }
}

TEST_CASE("every level of depth refines the one above it, layers conserve time") {
  const kr::match::CompiledRules rules = kr::test::compile(view_rules);
  // A leaf above the level is not shown: found in round 2.
  for (uint32_t seed = 0; seed < kr::test::rounds(500, 2); ++seed) {
    CAPTURE(seed);
    const Made made = make(rules, seed);
    std::vector<kr::trace::ModuleNode> nodes;
    std::vector<kr::trees::ViewRow> coarse, fine;
    for (uint32_t depth = 1; depth < 8; ++depth) {
      const kr::trees::TreeView above(rules, *made.modules,
                                      {.level = {Level::Kind::depth, depth - 1}});
      const kr::trees::TreeView below(rules, *made.modules, {.level = {Level::Kind::depth, depth}});
      for (size_t i = 0; i < made.forests.size(); ++i) {
        above.rows(i, nodes, coarse);
        below.rows(i, nodes, fine);
        size_t at = 0;
        for (const kr::trees::ViewRow& row : coarse) {
          int64_t total = 0;
          while (at < fine.size() && fine[at].node < nodes[row.node].end) {
            total += fine[at++].total_ns;
          }
          CHECK(total == row.total_ns);
        }
        CHECK(at == fine.size());
      }
    }
    const kr::trees::TreeView layers(rules, *made.modules, {.level = {Level::Kind::layer, 0}});
    for (size_t i = 0; i < made.forests.size(); ++i) {
      int64_t total = 0;
      for (const Shown& row : shown(layers, i)) total += row.ns;
      CHECK(total == sum(made.forests[i]));
    }
  }
}

TEST_CASE("entries: the largest of all steps, the rest together, names unique with any options") {
  const kr::match::CompiledRules rules = kr::test::compile(view_rules);
  // The first entry is left out of `others`: found in round 2.
  for (uint32_t seed = 0; seed < kr::test::rounds(500, 2); ++seed) {
    CAPTURE(seed);
    const Made made = make(rules, seed);
    for (const bool unique : {false, true}) {
      for (const bool by_label : {false, true}) {
        for (const uint64_t top_k : {0, 1, 3}) {
          for (const size_t width : {0, 4, 9}) {
            const kr::trees::TreeView view(rules, *made.modules,
                                           {.level = {Level::Kind::kernel, 0},
                                            .by_label = by_label,
                                            .top_k = top_k,
                                            .unique_names = unique,
                                            .width = width});
            std::set<std::string> names;
            for (const kr::trees::ViewEntry& entry : view.entries()) {
              if (entry.others) continue;
              CHECK(names.insert(entry.name).second);
            }
            if (top_k > 0) CHECK(names.size() <= top_k);
            std::vector<int64_t> sums(view.entries().size());
            std::vector<kr::trace::ModuleNode> nodes;
            std::vector<kr::trees::ViewRow> rows;
            for (size_t i = 0; i < made.forests.size(); ++i) {
              view.rows(i, nodes, rows);
              int64_t total = 0;
              for (const kr::trees::ViewRow& row : rows) {
                sums[row.entry] += row.total_ns;
                total += row.total_ns;
              }
              CHECK(total == sum(made.forests[i]));
            }
            for (size_t i = 0; i < sums.size(); ++i) {
              CHECK(view.entries()[i].total_ns == sums[i]);
              if (i > 0 && !view.entries()[i].others) CHECK(sums[i] <= sums[i - 1]);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("unique names: one a path, no longer than needed") {
  const kr::match::CompiledRules rules = kr::test::compile(view_rules);
  // Names that stay equal are not numbered: found in round 21.
  for (uint32_t seed = 0; seed < kr::test::rounds(500, 21); ++seed) {
    CAPTURE(seed);
    const Made made = make(rules, seed);
    const kr::trace::ModuleTrace& trace = made.modules->trace;
    std::vector<kr::trace::PathId> paths;
    for (uint32_t i = 0; i < trace.paths.size(); ++i) paths.push_back({i});
    const std::vector<std::string> names = kr::trees::unique_names(trace, paths);
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == paths.size());
    for (size_t i = 0; i < paths.size(); ++i) {
      CHECK(names[i].starts_with(trace.name(paths[i])));
      // Only names that contain joints themselves may be longer than needed.
      const std::string own(trace.name(paths[i]));
      const bool odd = own.find(" #") != own.npos || own.find(" <-") != own.npos;
      const auto same_name = [&](kr::trace::PathId path) {
        return trace.paths.name(path) == trace.paths.name(paths[i]);
      };
      if (!odd && std::count_if(paths.begin(), paths.end(), same_name) == 1) {
        CHECK(names[i] == own);
      }
    }
  }
}

TEST_CASE("compat shows what vLLM's script keeps, and reports the time that it drops") {
  const kr::match::CompiledRules rules =
      kr::test::compile("engine e { substage { misc: otherwise } }");
  // Own time is shown as a module: found in round 2.
  for (uint32_t seed = 0; seed < kr::test::rounds(500, 2); ++seed) {
    CAPTURE(seed);
    const Made made = make(rules, seed);
    for (const int wanted : {0, 1}) {
      kr::trees::ViewOptions options;
      options.level.kind = wanted == 0 ? Level::Kind::kernel : Level::Kind::module;
      options.folds = {"Sampler"};
      options.compat = true;
      options.unique_names = true;
      const kr::trees::TreeView view(rules, *made.modules, options);
      int64_t kept = 0, all = 0;
      for (size_t i = 0; i < made.forests.size(); ++i) {
        std::vector<Shown> expected;
        for (size_t k = 0; k < made.forests[i].size(); ++k) {
          // As given, without nodes for own time. If children took longer, kr shows their time.
          Tree tree = made.as_given[i][k];
          const std::function<void(Tree&)> raise = [&](Tree& node) {
            int64_t below = 0;
            for (Tree& child : node.children) {
              raise(child);
              below += child.ns;
            }
            node.ns = std::max(node.ns, below);
          };
          raise(tree);
          fold_like_vllm(tree);
          entries_at(wanted, tree, true, {}, expected);
        }
        std::multiset<int64_t> expected_ns, shown_ns;
        for (const Shown& row : expected) expected_ns.insert(row.ns);
        for (const Shown& row : shown(view, i)) {
          shown_ns.insert(row.ns);
          kept += row.ns;
        }
        CHECK(shown_ns == expected_ns);
        all += sum(made.forests[i]);
      }
      CHECK(kept + view.lost_ns() == all);
    }
  }
}

TEST_CASE("merged siblings and phases: the same times, by tree, by label, and of each sibling") {
  const kr::match::CompiledRules rules = kr::test::compile(view_rules);
  // Each node counts, not each sibling once: found in round 2.
  for (uint32_t seed = 0; seed < kr::test::rounds(500, 2); ++seed) {
    CAPTURE(seed);
    const Made made = make(rules, seed);
    for (const Level level : {Level{Level::Kind::kernel, 0}, Level{Level::Kind::module, 0},
                              Level{Level::Kind::layer, 0}, Level{Level::Kind::depth, 2}}) {
      CAPTURE(kr::trees::to_string(level));
      const kr::trees::TreeView apart(rules, *made.modules, {.level = level});
      const kr::trees::TreeView merged(rules, *made.modules,
                                       {.level = level,
                                        .merge_siblings = true,
                                        .by_phase = true,
                                        .top_k = 3,
                                        .limit_others = true});
      std::vector<kr::trace::ModuleNode> nodes;
      std::vector<kr::trees::ViewRow> rows;
      size_t steps = 0;
      for (const size_t tree : merged.shown()) {
        const kr::trees::ViewStep& of = merged.step(tree);
        steps += of.of.size();
        merged.rows(tree, nodes, rows);
        int64_t total = 0;
        for (const kr::trees::ViewRow& row : rows) total += row.total_ns;
        int64_t expected = 0;
        for (const size_t step : of.of) expected += sum(made.forests[step]);
        CHECK(total == expected);
        CHECK(total == of.total_ns);
        // The times of siblings, each node of the trace by itself.
        std::map<uint32_t, std::map<uint32_t, int64_t>> times;
        for (const size_t step : of.of) {
          std::vector<kr::trace::ModuleNode> plain;
          made.modules->trace.expand(step, plain);
          for (const kr::trace::ModuleNode& node : plain) {
            times[merged.merged_of(node.path).index][node.path.index] += node.total_ns;
          }
        }
        const std::vector<kr::trees::Siblings> siblings = merged.siblings(tree);
        const std::span<const uint32_t> counts = merged.counts(tree);
        for (size_t i = 0; i < nodes.size(); ++i) {
          const auto found = times.find(nodes[i].path.index);
          if (found == times.end()) continue;  // kr's own (self)
          const kr::trees::Siblings& one = siblings[nodes[i].path.index];
          std::vector<int64_t> sorted;
          for (const auto& [path, ns] : found->second) sorted.push_back(ns);
          std::sort(sorted.begin(), sorted.end());
          CHECK(one.count == sorted.size());
          CHECK(counts[i] == sorted.size());
          CHECK(one.min_ns == sorted.front());
          CHECK(one.max_ns == sorted.back());
          const size_t half = sorted.size() / 2;
          CHECK(one.median_ns == (sorted.size() % 2 == 1
                                      ? static_cast<double>(sorted[half])
                                      : static_cast<double>(sorted[half - 1]) / 2 +
                                            static_cast<double>(sorted[half]) / 2));
          CHECK(found->second[one.least.index] == one.min_ns);
          CHECK(found->second[one.most.index] == one.max_ns);
        }
      }
      CHECK(steps == made.forests.size());
      if (level.kind != Level::Kind::kernel) continue;
      // Labels of kernels do not depend on what is merged.
      const auto by_label = [&](const kr::trees::TreeView& view) {
        std::map<std::string, int64_t> sums;
        for (const size_t tree : view.shown()) {
          view.rows_apart(tree, nodes, rows);
          for (const kr::trees::ViewRow& row : rows) {
            sums[view.labelled(row.path) ? std::string(view.label(row.path)) : ""] += row.total_ns;
          }
        }
        std::erase_if(sums, [](const auto& one) { return one.second == 0; });
        return sums;
      };
      // Only the own time of a node that has children elsewhere gets none: it is `(self)`.
      std::set<uint32_t> inner;
      for (uint32_t i = 0; i < made.modules->trace.paths.size(); ++i) {
        const kr::trace::PathId parent = made.modules->trace.paths.parent({i});
        if (parent.valid()) inner.insert(merged.merged_of(parent).index);
      }
      int64_t own = 0, lost = 0;
      for (const size_t tree : apart.shown()) {
        apart.rows_apart(tree, nodes, rows);
        for (const kr::trees::ViewRow& row : rows) {
          if (nodes[row.node].end == row.node + 1 &&
              inner.contains(merged.merged_of(row.path).index)) {
            own += row.total_ns;
          }
        }
      }
      const std::map<std::string, int64_t> with = by_label(merged), without = by_label(apart);
      for (const auto& [label, ns] : without) {
        const auto found = with.find(label);
        const int64_t kept = found == with.end() ? 0 : found->second;
        if (label.empty()) continue;
        CHECK(kept <= ns);
        lost += ns - kept;
      }
      CHECK(lost <= own);
    }
  }
}

TEST_CASE("the default number of entries: others are a fifth at most, or less than every entry") {
  const kr::match::CompiledRules rules = kr::test::compile(view_rules);
  // `others` may be a quarter: found in round 7.
  for (uint32_t seed = 0; seed < kr::test::rounds(500, 7); ++seed) {
    CAPTURE(seed);
    const Made made = make(rules, seed);
    for (const bool by_phase : {false, true}) {
      const kr::trees::TreeView view(rules, *made.modules,
                                     {.level = {Level::Kind::kernel, 0},
                                      .by_phase = by_phase,
                                      .top_k = 2,
                                      .limit_others = true});
      std::vector<kr::trace::ModuleNode> nodes;
      std::vector<kr::trees::ViewRow> rows;
      for (const size_t tree : view.shown()) {
        view.rows(tree, nodes, rows);
        std::map<uint32_t, int64_t> named;
        int64_t others = 0;
        for (const kr::trees::ViewRow& row : rows) {
          if (view.entries()[row.entry].others) {
            others += row.total_ns;
          } else {
            named[row.entry] += row.total_ns;
          }
        }
        if (others * 5 <= view.step(tree).total_ns) continue;
        for (const auto& [entry, ns] : named) CHECK((ns == 0 || ns >= others));
      }
    }
  }
}
