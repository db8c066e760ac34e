#include "cost/above_peak.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "base/plural.hpp"
#include "base/printable.hpp"
#include "cost/rates.hpp"
#include "text/numbers.hpp"
#include "text/text_grid.hpp"

namespace kr::cost {
namespace {

constexpr double ns_of_one_second = 1e9;

trace::NameId name_of_longest(const CostedCall& call, const trace::Trace& trace) {
  return trace.operations[call.longest].name;
}

std::string_view text_of_longest(const CostedCall& call, const trace::Trace& trace) {
  return trace.names.get(name_of_longest(call, trace)).text;
}

}  // namespace

void mark_above_peak(CostedRun& costed, const trace::Trace& trace) {
  struct Group {
    RoofTime roof;
    int64_t calls = 0;
    int64_t total_ns = 0;
    bool above = false;
  };
  std::map<std::pair<uint32_t, uint32_t>, Group> groups;  // by op and name
  const auto group_of = [&](const CostedCall& call) -> Group& {
    return groups[{call.costed, name_of_longest(call, trace).index}];
  };
  for (const CostedCall& call : costed.calls) {
    Group& group = group_of(call);
    if (group.calls++ == 0) {
      group.roof = roof_time(costed.cost(call), costed.gpu, text_of_longest(call, trace));
    }
    group.total_ns += call.total_ns;
  }
  for (auto& [key, group] : groups) {
    // Of operations without a time nothing is known.
    const double roof_ns =
        group.roof.at_least_s() * static_cast<double>(group.calls) * ns_of_one_second;
    group.above =
        group.total_ns > 0 && roof_ns > above_peak_tolerance * static_cast<double>(group.total_ns);
  }
  for (CostedCall& call : costed.calls) {
    const Group& group = group_of(call);
    call.above_peak = group.above;
    call.has_roof = !group.above && group.roof.is_roof();
  }
}

std::vector<AbovePeak> above_peak_of(const CostedRun& costed, const trace::Trace& trace) {
  struct Sum {
    AbovePeak one;
    double roof_s = 0;
  };
  std::map<std::tuple<std::string_view, uint32_t, uint32_t>, Sum> found;  // op, clause, name
  for (const CostedCall& call : costed.calls) {
    if (!call.above_peak) continue;
    const CostedOp& costed_op = costed.ops[call.costed];
    const std::string& op = trace.host->ops->ops[costed_op.op].name;
    const std::string_view kernel = text_of_longest(call, trace);
    Sum& sum = found[{op, costed_op.clause.index, name_of_longest(call, trace).index}];
    if (sum.one.calls++ == 0) {
      sum.one.op = op;
      sum.one.kernel = kernel;
      sum.one.clause = costed_op.clause;
    }
    sum.one.total_ns += call.total_ns;
    sum.roof_s += roof_time(costed_op.cost, costed.gpu, kernel).at_least_s();
  }
  std::vector<AbovePeak> out;
  out.reserve(found.size());
  for (auto& [key, sum] : found) {
    sum.one.ratio = sum.roof_s * ns_of_one_second / static_cast<double>(sum.one.total_ns);
    out.push_back(std::move(sum.one));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const AbovePeak& a, const AbovePeak& b) { return a.total_ns > b.total_ns; });
  return out;
}

std::optional<Warning> above_peak_note(const CostedRun& costed, const match::CompiledRules& rules,
                                       const trace::Trace& trace, int64_t gpu_total_ns) {
  const std::vector<AbovePeak> found = above_peak_of(costed, trace);
  if (found.empty()) return std::nullopt;
  constexpr size_t max_named = 4;
  constexpr size_t longest_name = 60;
  std::string named;
  for (size_t i = 0; i < std::min(max_named, found.size()); ++i) {
    const AbovePeak& one = found[i];
    named += fmt::format("{}{} {:.1f} % of the roof ({}, {}, {})", i > 0 ? "; " : "",
                         text::cut_middle(printable(one.kernel), longest_name), 100 * one.ratio,
                         printable(one.op), plural(static_cast<size_t>(one.calls), "call"),
                         rules.sources().place(rules.program().costs.get(one.clause).span));
  }
  if (found.size() > max_named) named += fmt::format("; and {} more", found.size() - max_named);
  return Warning{
      "above-peak",
      fmt::format("By their costs, ops with {} % of the GPU time are faster than the peaks of {} "
                  "allow, so they count as without a cost: {}. Either a formula counts more than "
                  "the kernel does, as for attention with a sliding window or operands in a cache, "
                  "or the GPU is another one (`--gpu`).",
                  text::share(costed.above_peak_ns, gpu_total_ns), costed.gpu->name, named)};
}

}  // namespace kr::cost
