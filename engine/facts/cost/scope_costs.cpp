#include "cost/scope_costs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scopes/sum_by.hpp"

namespace kr::cost {
namespace {

class Levels {
 public:
  Levels(const trace::Trace& trace, const CostedRun& costed) : trace_(trace), costed_(costed) {}

  /// `text`: of a key that has operations.
  template <class Text>
  void add(std::string_view name, const scopes::Scope& scope, const Text& text) {
    auto sums = scopes::sum_by<KeyCosts>(scope, [this](KeyCosts& costs, size_t i) {
      const int64_t ns = trace_.operations[i].duration_ns;
      costs.sum.add_time(ns);
      costs.ns[static_cast<size_t>(costed_.no_cost[i])] += ns;
      const uint32_t call = costed_.call_of[i];
      if (call != CostedRun::none && costed_.calls[call].has_roof) costs.with_roof_ns += ns;
      ++costs.operations;
    });
    for (const CostedCall& call : costed_.calls) {
      for (const uint32_t key : scope.keys(call.longest)) {
        sums[key].sum.add(costed_, call, kernel_name(trace_, call.longest));
      }
    }
    LevelCosts& level = levels_.emplace_back();
    level.level = name;
    for (uint32_t key = 0; key < sums.size(); ++key) {
      if (sums[key].operations == 0) continue;
      sums[key].key = text(key);
      level.keys.push_back(std::move(sums[key]));
    }
    std::sort(level.keys.begin(), level.keys.end(), [](const KeyCosts& a, const KeyCosts& b) {
      const int64_t a_ns = a.sum.total_ns(), b_ns = b.sum.total_ns();
      return a_ns != b_ns ? a_ns > b_ns : a.key < b.key;
    });
  }
  void add_texts(std::string_view name, const scopes::Scope& scope) {
    add(name, scope, [&](uint32_t key) { return scope.text(key); });
  }
  void add_labels(const sema::Program& program, const classify::Labelled& labelled) {
    for (size_t i = 0; i < labelled.dimensions.size(); ++i) {
      add_texts(program.dimensions.get(labelled.dimensions[i].dimension).name,
                scopes::by_label(trace_, labelled, i));
    }
  }

  std::vector<LevelCosts> take() { return std::move(levels_); }

 private:
  const trace::Trace& trace_;
  const CostedRun& costed_;
  std::vector<LevelCosts> levels_;
};

}  // namespace

std::vector<LevelCosts> costs_by_label(const match::CompiledRules& rules,
                                       const analyze::LabelledTrace& run, const CostedRun& costed) {
  Levels levels(run.trace, costed);
  levels.add_labels(rules.program(), run.labelled);
  return levels.take();
}

std::vector<LevelCosts> costs_by_level(const match::CompiledRules& rules,
                                       const analyze::LabelledTrace& run, const CostedRun& costed) {
  Levels levels(run.trace, costed);
  levels.add("run", scopes::whole_run(run.trace), [](uint32_t) { return "all operations"; });
  levels.add_labels(rules.program(), run.labelled);
  if (run.trace.host) {
    const classify::Attribution& places = run.attribution(rules);
    levels.add_texts("step", scopes::with_outside(scopes::by_step_text(run.trace, places)));
    levels.add_texts("module", scopes::with_outside(scopes::by_module(run.trace, places)));
    const scopes::Scope layers = scopes::with_outside(scopes::by_layer_number(run.trace, places));
    levels.add("layer", layers, [&](uint32_t key) {
      return layers.number(key) < 0 ? std::string() : fmt::format("{}", layers.number(key));
    });
  }
  levels.add_texts("kernel", scopes::by_name_text(run.trace));
  std::vector<LevelCosts> out = levels.take();
  std::erase_if(out, [](const LevelCosts& level) {
    return std::all_of(level.keys.begin(), level.keys.end(),
                       [](const KeyCosts& one) { return one.key.empty(); });
  });
  return out;
}

}  // namespace kr::cost
